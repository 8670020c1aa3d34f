# SPDX-License-Identifier: BSD-2-Clause
"""Rows of bench/goals.py that race against scikit-learn: Kullback-Leibler, and codes of new samples.

Both are given the same start and go to 1 % and 0.1 % above the best that either finds. Times are
of whole calls: of ours that which ends at the target; of scikit-learn's one of one iteration and
what each further one costs. Where it did not arrive in its time, the iterations that it did count
and the ratio is a bound.
"""
import tempfile

import solver_data
import solver_race as race
import transform
from goals_common import NEVER, Value, least, middle, mixtures, told

WITHIN = {"1 %": 1.01, "0.1 %": 1.001}


class Given(race.Problem):
    """Data of one's own from a common start."""

    def __init__(self, x, rank, seed=1):
        self.x, self.rank, self.seed, self.loss = x, rank, seed, "kl"
        self.start = solver_data.start(x, rank, seed)
        self.open()


def call_seconds(peer):
    """A function of iterations: seconds of a call of scikit-learn."""
    peer.run(1)
    one, count = middle(peer.run(1) for _ in range(3)), 8
    step = (middle(peer.run(count) for _ in range(2)) - one) / (count - 1)
    return lambda iterations: one + step * (iterations - 1)


def ours_seconds(bench, problem, needs):
    if needs == NEVER:
        return NEVER
    return min(bench.ours.fit(problem.x, problem.start, factors=False, loss="kl", rank=problem.rank,
                              tolerance=0, threads=1, iterations=needs).call for _ in range(2))


def divergence(make, rank, within, budget, cap):
    def measure(bench):
        problem, out = Given(make(), rank), {}
        try:
            share = 6 if bench.quick else 1
            mine = race.walk_ours(bench.ours, problem, budget / share, 20 if bench.quick else 60)
            theirs = race.walk_sklearn(problem, mine.best(), WITHIN[within[-1]], cap / share)
            best = min(mine.best(), theirs.best())
            with race.sklearn(problem, 1, race.ROOMY) as peer:
                seconds = call_seconds(peer)
            bench.note(f"best {best:.7g}: ours +{100 * mine.best() / best - 100:.3f} % in {mine.after[-1]}, "
                       f"scikit-learn +{100 * theirs.best() / best - 100:.3f} % in {theirs.after[-1]}, "
                       f"{seconds(2) - seconds(1):.3f} s each")
            for part in within:
                target = WITHIN[part] * best
                needs, there = mine.needs(target), theirs.needs(target)
                ours, peer = ours_seconds(bench, problem, needs), seconds(min(there, theirs.after[-1]))
                out[part] = Value(peer / ours, f"{ours:.2f} s in {told(needs)}, scikit-learn "
                                  f"{'>' * (there == NEVER)}{peer:.1f} in {told(there)}", there == NEVER)
        finally:
            problem.close()
        return out
    return measure


def encode(index, kl):
    def measure(bench):
        _, old, x, rank = transform.shape(index)
        with tempfile.TemporaryDirectory() as folder:
            rows = transform.measure([bench.tool()], old, x, rank, kl, folder)
        _, seconds, _ = rows[-1]
        ratio = {name: (seconds / taken, end / rows[-1][2] - 1) for name, taken, end in rows}
        library = next(ratio[name] for name in ratio if name.endswith(".so"))
        return {"": Value(library[0], f"loss {100 * library[1]:+.4f} %, the program "
                          f"{ratio[bench.tool()][0]:.1f} x, scikit-learn {seconds:.2f} s")}
    return measure


ROWS = [(f"kl.{name}", f"KL, {title}: whole call beside scikit-learn's, to", {part: least(goal) for part in within},
         divergence(make, rank, within, budget, cap))
        for name, title, make, rank, goal, within, budget, cap in (
            ("c", "generated news, sparse, k 20", lambda: solver_data.make("c", 1), 20, 40, ("1 %",), 60, 240),
            ("b", "400 x 1,024, k 10", lambda: solver_data.make("b", 1), 10, 10, ("1 %", "0.1 %"), 15, 60),
            ("tall", "200,000 x 50, k 10", lambda: mixtures(200000, 50, 10)[0], 10, 10, ("1 %", "0.1 %"), 60, 240),
            ("large", "2,000 x 1,000, k 100", lambda: mixtures(2000, 1000, 100)[0], 100, 10, ("1 %", "0.1 %"), 60,
             240))]
ROWS += [(f"transform.{name}-{'kl' if kl else 'frobenius'}",
          f"new samples, {name}, {'KL' if kl else 'Frobenius'}, beside scikit-learn's", {"": least(8 if kl else 5)},
          encode(index, kl)) for index, name in enumerate(("faces", "short", "documents")) for kl in (False, True)]
