The border to the system: what is said is true, what is read is not written, and signals save.

  $ tessera demo --quiet -o swimmer.h5; tessera convert -q swimmer.h5 -o mapped.npy

No output is an input, by whatever way; nor are two outputs one file.

  $ tessera fit swimmer.h5 -q --rank 3 --iterations 2 -o model.h5 >/dev/null; cp swimmer.h5 before.h5; cp model.h5 model-before.h5; ln -s swimmer.h5 link.h5; ln swimmer.h5 hard.h5; mkdir pictures; tessera convert -q swimmer.h5 -o pictures
  $ tessera fit swimmer.h5 -o swimmer.h5
  tessera: --output swimmer.h5 and the input swimmer.h5 are one file, which would be replaced: name another output
  [2]
  $ tessera fit swimmer.h5:x -o ./link.h5
  tessera: --output ./link.h5 and the input swimmer.h5:x are one file, which would be replaced: name another output
  [2]
  $ tessera convert swimmer.h5 -o hard.h5
  tessera: --output hard.h5 and the input swimmer.h5 are one file, which would be replaced: name another output
  [2]
  $ tessera convert pictures -o ../here/pictures/
  tessera: --output ../here/pictures/ and the input pictures are one folder, which would be replaced: name another output
  [2]
  $ tessera transform model.h5 swimmer.h5 -o model.h5
  tessera: --output model.h5 and the input model.h5 are one file, which would be replaced: name another output
  [2]
  $ tessera fit swimmer.h5 --resume model.h5 -o model.h5
  tessera: --output model.h5 and --resume model.h5 are one file, which would be replaced: name another output
  [2]
  $ tessera fit swimmer.h5 -o new.h5 --checkpoint ./new.h5
  tessera: --output new.h5 and --checkpoint ./new.h5 are one file: name two
  [2]
  $ tessera fit swimmer.h5 -q --checkpoint model.h5 --resume model.h5 --iterations 2 -o more.h5 | tail -1
    written to      more.h5
  $ awk 'BEGIN { for (i = 0; i < 256; i++) for (j = 0; j < 256; j++) printf "%d%s", i == j, j < 255 ? "," : "\n" }' > graph.csv; tessera convert -q graph.csv -o graph.h5; tessera fit swimmer.h5 -q --model gnmf --graph-file graph.h5 --rank 3 --iterations 2 -o woven.h5 | tail -1
    written to      woven.h5
  $ tessera fit swimmer.h5 -q --resume woven.h5 --iterations 2 -o graph.h5
  tessera: --output graph.h5 and --graph-file graph.h5 are one file, which would be replaced: name another output
  [1]
  $ tessera sheet model.h5 --reconstruct 0 --data pictures -o "$(find pictures -name '*.png' | sort | head -1)"
  tessera: --output pictures/0/000001.png is in the folder of --data pictures and would be replaced: name another output
  [2]
  $ ln -s /dev/stdout stdout.csv; tessera convert -q mapped.npy -o stdout.csv | wc -l
  256
  $ cmp swimmer.h5 before.h5; cmp model.h5 model-before.h5; ls new.h5
  ls: cannot access 'new.h5': No such file or directory
  [2]

Names keep what they promise, and what cannot be written is told before the work.

  $ tessera sheet model.h5 -o x.jpg
  tessera: --output x.jpg: what is written there ends in .png
  [2]
  $ tessera fit swimmer.h5 -o o.mat
  tessera: --output o.mat: what is written there ends in .h5 .hdf5 .hdf
  [2]
  $ tessera rank model.h5 --by lre -o best.npz
  tessera: --output best.npz: what is written there ends in .h5 .hdf5 .hdf
  [2]
  $ tessera transform model.h5 swimmer.h5 -o codes.jpg
  tessera: --output codes.jpg: what is written there ends in .npy .npz .mat .h5 .hdf5 .hdf .mtx .csv .txt .tsv .tab .svm .libsvm .svmlight; without a dot, it is a folder of images
  [2]
  $ tessera fit swimmer.h5 -q --iterations 900000000 --tolerance 0 --checkpoint c.npz
  tessera: --checkpoint c.npz: what is written there ends in .h5 .hdf5 .hdf
  [2]
  $ tessera fit swimmer.h5 -q --iterations 900000000 --tolerance 0 -o no/such.h5
  tessera: no/such.h5: cannot write there: No such file or directory
  [1]
  $ tessera fit swimmer.h5 -q --iterations 900000000 --tolerance 0 --checkpoint no/such.h5
  tessera: no/such.h5: cannot write there: No such file or directory
  [1]
  $ tessera fit swimmer.h5 -q --iterations 900000000 --tolerance 0 -o $(printf 'n%.0s' $(seq 253)).h5 2>&1 | sed 's/n\{9,\}/NAME/'
  tessera: NAME.h5: cannot write there: File name too long
  $ mkdir folder.h5; tessera fit swimmer.h5 -q --iterations 900000000 --tolerance 0 --checkpoint folder.h5
  tessera: folder.h5: is a folder: give the name of a file in it
  [1]
  $ ls -A x.jpg o.mat best.npz codes.jpg c.npz no
  ls: cannot access 'x.jpg': No such file or directory
  ls: cannot access 'o.mat': No such file or directory
  ls: cannot access 'best.npz': No such file or directory
  ls: cannot access 'codes.jpg': No such file or directory
  ls: cannot access 'c.npz': No such file or directory
  ls: cannot access 'no': No such file or directory
  [2]

What the call alone shows to be wrong is said before anything is read.

  $ tessera fit nowhere.csv --model cdnfm
  tessera: there is no model 'cdnfm' (did you mean cdnmf?); `tessera models` lists them
  [2]
  $ tessera classify nowhere.csv --model pac
  tessera: there is no model or baseline 'pac' (did you mean pca?); `tessera models` lists them
  [2]
  $ tessera cluster nowhere.csv --model nmff
  tessera: there is no model or baseline 'nmff' (did you mean nmf?); `tessera models` lists them
  [2]
  $ tessera select nowhere.csv --model nfm --ranks 3
  tessera: there is no model or baseline 'nfm' (did you mean nmf?); `tessera models` lists them
  [2]
  $ tessera select nowhere.csv --ranks x
  tessera: --ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not 'x'
  [2]
  $ tessera fit nowhere.csv --init kmean
  tessera: --init is auto, random, nndsvd, nndsvda, nndsvdar, kmeans, means, best or a file, not 'kmean'
  [2]
  $ tessera fit nowhere.csv --labelled some
  tessera: --labelled is a number of samples a class or a share such as 10%, not 'some'
  [2]
  $ tessera fit nowhere.csv --resume nowhere.h5 --init random
  tessera: --resume goes on from where a fit stopped, and --init starts one: take either
  [2]

Nothing is said to be written before it is.

  $ ln -s /dev/full full.csv; tessera transform model.h5 swimmer.h5 --json -o full.csv
  tessera: full.csv: cannot write: No space left on device
  [1]
  $ tessera convert swimmer.h5 --json -o full.csv
  tessera: full.csv: cannot write: No space left on device
  [1]
  $ tessera fit swimmer.h5 -q --json --iterations 2 -o /dev/full 2>&1 | head -c 24
  tessera: /dev/full: cann

Pipes: read where that can be, else refused instead of waited for.

  $ for name in p.mat p.h5 p.npz p.csv; do mkfifo $name; done
  $ for name in p.mat p.h5 p.npz p.h5:x; do timeout 20 tessera info $name; done
  tessera: p.mat: a .mat is read here and there, which pipes and devices do not let: make a file of it first
  tessera: p.h5: a .h5 is read here and there, which pipes and devices do not let: make a file of it first
  tessera: p.npz: a .npz is read here and there, which pipes and devices do not let: make a file of it first
  tessera: p.h5: a .h5 is read here and there, which pipes and devices do not let: make a file of it first
  [1]
  $ timeout 20 tessera transform p.h5 swimmer.h5
  tessera: p.h5: a .h5 is read here and there, which pipes and devices do not let: make a file of it first
  [1]
  $ timeout 20 tessera fit swimmer.h5 --resume p.h5
  tessera: p.h5: a .h5 is read here and there, which pipes and devices do not let: make a file of it first
  [1]
  $ printf '1,2\n3,4\n' > p.csv & timeout 20 tessera info p.csv | sed -n 3p; rm p.*
    samples    2

Standard output that takes nothing, or is not there.

  $ for words in --help --version "help fit" "fit --help" models "models --json" "info swimmer.h5"; do tessera $words > /dev/full; echo $?; done
  tessera: cannot write to standard output: No space left on device
  1
  tessera: cannot write to standard output: No space left on device
  1
  tessera: cannot write to standard output: No space left on device
  1
  tessera: cannot write to standard output: No space left on device
  1
  tessera: cannot write to standard output: No space left on device
  1
  tessera: cannot write JSON: No space left on device
  1
  tessera: cannot write to standard output: No space left on device
  1
  $ tessera models >&-
  tessera: cannot write to standard output: Bad file descriptor
  [1]

Names and links: the longest name, and a link that leads nowhere yet.

  $ long=$(printf 'n%.0s' $(seq 251)).npy; tessera convert -q swimmer.h5 -o $long && tessera info $long | sed -n 3p; rm $long
    samples    256
  $ ln -s later.npz link.npz; tessera convert -q swimmer.h5 -o link.npz; readlink link.npz; tessera info later.npz | sed -n 3p
  later.npz
    samples    256

A file limit is an error in words, and leaves nothing.

  $ (ulimit -f 100; tessera demo -q -o limited.npy; echo $?; tessera convert -q swimmer.h5 -o limited.csv; echo $?); ls -A | grep limited
  tessera: limited.npy: cannot write: File too large
  1
  tessera: limited.csv: cannot write: File too large
  1
  [1]

Stopping: the model so far is written, and the exit code tells the signal.

  $ for signal in INT TERM; do timeout -s $signal --preserve-status 8 tessera fit swimmer.h5 -q --rank 10 --iterations 9000000 --tolerance 0 -o $signal.h5 2>&1 >/dev/null | sed 's/[0-9][0-9]* iterations/N iterations/'; echo ${PIPESTATUS[0]}; tessera info $signal.h5:codes | sed -n 4p; done
  tessera: stopped after N iterations; the model so far is in INT.h5
  130
    features   10
  tessera: stopped after N iterations; the model so far is in TERM.h5
  143
    features   10
  $ for words in "cluster --model nmf" "classify --model nmf" "select --ranks 5-9"; do timeout -s INT --preserve-status 3 tessera $words swimmer.h5 -q --rank 10 --iterations 9000000 --tolerance 0 2>/dev/null; echo $?; done
  130
  130
  130
  $ timeout -s INT --preserve-status 2 tessera demo -q --folder stopped >/dev/null 2>&1; echo $?
  130

A process that was killed while it wrote leaves something; the next one removes it.

  $ (tessera convert -q swimmer.h5 -o killed.npz; mkdir .killed.npz.$BASHPID-0.tmp; : > .killed.npz.$BASHPID-0.tmp/lock; : > .killed.npz.$BASHPID-0.tmp/new); ls -A | grep -c 'killed.*tmp'; tessera convert -q swimmer.h5 -o killed.npz; ls -A | grep killed
  1
  killed.npz

A mapped input that shrinks while it is in use.

  $ tessera fit mapped.npy -q --rank 10 --iterations 9000000 --tolerance 0 -o cut.h5 & sleep 8; : > mapped.npy; wait $!
  tessera: an input became shorter while it was in use, or its disk failed
  [1]
  $ ls -A | grep tmp
  [1]
