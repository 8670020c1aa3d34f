#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Visual words beside VLFeat's dense SIFT alone, on the same pictures with the same threads.

usage: bench/features.py [TESSERA] [FOLDER] [REPETITIONS]

FOLDER holds JPEG pictures, a folder a class; 200 a class are used. Left out, $TESSERA_SCENES
names it. Tessera is timed from start to end of its process: decoding, descriptors, dictionary
of 200 words, histograms, writing. The peer (bench/dsift.c) decodes and describes, no more.
Wall-clock and processor seconds are shown; ratios are Tessera over the peer, below 1.3 is the
goal.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile


def spent(command, text=None):
    """Output, wall seconds and processor seconds of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), os.times().elapsed
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (done.stdout, os.times().elapsed - start,
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def choose(folder, work):
    """Links to 200 pictures a class in `work`; their paths."""
    paths = []
    for name in sorted(os.listdir(folder)):
        inside = os.path.join(folder, name)
        if not os.path.isdir(inside):
            continue
        os.mkdir(os.path.join(work, name))
        pictures = [p for p in sorted(os.listdir(inside)) if p.endswith((".jpg", ".jpeg"))]
        for picture in pictures[:200]:
            link = os.path.join(work, name, picture)
            os.symlink(os.path.abspath(os.path.join(inside, picture)), link)
            paths.append(link)
    return paths


def main():
    tool = sys.argv[1] if len(sys.argv) > 1 else "build/tessera"
    folder = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("TESSERA_SCENES", "")
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    if not os.path.isdir(folder):
        print("features: no folder of scenes; name it as the second argument")
        return
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as work:
        peer, samples = os.path.join(work, "dsift"), os.path.join(work, "samples.h5")
        subprocess.run(["cc", "-O2", "-fopenmp", os.path.join(here, "dsift.c"), "-o", peer,
                        "-lvl", "-ljpeg", "-lm"], check=True)
        pictures = os.path.join(work, "pictures")
        os.mkdir(pictures)
        paths = choose(folder, pictures)
        ours, theirs, alone = [], [], []
        for _ in range(repetitions):
            out, wall, processor = spent([peer], "\n".join(paths))
            found, _, inside = out.split()
            theirs.append((wall, processor))
            alone.append(float(inside))
            ours.append(spent([tool, "features", pictures, "--kind", "dsift", "-q", "-o",
                               samples])[1:])
        wall, processor = (statistics.median(column) for column in zip(*ours))
        their_wall, their_processor = (statistics.median(column) for column in zip(*theirs))
        only = statistics.median(alone)
        print(f"{len(paths)} pictures, {found} descriptors, {os.cpu_count()} threads")
        print(f"  Tessera, end to end      {wall:7.2f} s wall  {processor:7.2f} s processor")
        print(f"  VLFeat, decode + dsift   {their_wall:7.2f} s wall  {their_processor:7.2f} s "
              f"processor   ratio {wall / their_wall:.2f}, {processor / their_processor:.2f}")
        print(f"  VLFeat, dsift alone      {only:7.2f} s wall                        "
              f"ratio {wall / only:.2f}")


if __name__ == "__main__":
    main()
