"""Teams: ranks of MPI, and of anything that has the methods of its communicators, make what one
process makes, bit for bit; and what one rank fails at, all fail at."""
import copy
import importlib.util
import json
import pickle
import shutil
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import helpers
import tessera
import threads
from tessera import _team

X, Y = helpers.problem(200)
mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or shutil.which("mpirun") is None,
    reason="mpi4py or mpirun is not installed",
)

BEGIN = """
import hashlib, json, os, signal, sys, threading, time, warnings
import numpy as np
from mpi4py import MPI
import helpers, tessera
warnings.simplefilter("ignore")
comm = MPI.COMM_WORLD
rank = comm.Get_rank()
X, y = helpers.problem(200)

def bits(*arrays):
    return hashlib.md5(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()

def tell(said):
    said = comm.gather(said)
    if rank == 0:
        print(json.dumps(said))

def told(call):
    try:
        return str(call())
    except BaseException as problem:
        return f"{type(problem).__name__}: {problem}"
"""


def run_mpi(ranks, code, *arguments, timeout=100):
    """What each rank tells, and what all say to standard error."""
    command = ["mpirun", "-n", ranks, "--oversubscribe", "--allow-run-as-root"]
    environment = helpers.environment()
    environment["PYTHONPATH"] += ":" + helpers.HERE
    process = subprocess.Popen(
        [*map(str, command), sys.executable, "-c", BEGIN + code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)  # which mpirun passes on
        raise AssertionError(f"ranks wait for each other: {process.communicate(timeout=20)}")
    finally:
        process.kill()
    assert process.returncode == 0, err
    return json.loads(out), err


# The same bits ----------------------------------------------------------------------------

FITS = """
found = {}
for row in ("nmf", "nmf-kl", "cdnmf", "gnmf", "snmf"):
    model = tessera.Model(row, 6, iterations=20, tolerance=0, plan="team", team=comm)
    codes = model.fit_transform(X, y)
    found[row] = bits(codes, model.components_, model.codes_, model.transform(X[:77]))
model = tessera.Classifier("cdnmf-kl", 6, iterations=20, tolerance=0, plan="team", team=comm)
model.fit(X, y)
found["classes"] = bits(model.predict(X), model.predict_proba(X))
model = tessera.Model("nmf", 4, iterations=9, tolerance=0, plan="team", team=comm).fit(X)
found["resumed"] = bits(model.resume(X, iterations=5).components_)
found["clusters"] = told(lambda: tessera.cluster(
    X, y, model="nmf", rank=4, iterations=20, plan="team", team=comm).scores)
about = tessera.classify(X, y, model="cdnmf", rank=6, iterations=20, plan="team", team=comm)
found["folds"] = bits(about.folds, about.confusion)
tell(found)
"""


@mpi
def test_ranks_have_the_bits_of_one():
    (one,), _ = run_mpi(1, FITS)
    for ranks in (2, 4):
        found, _ = run_mpi(ranks, FITS)
        assert found == [one] * ranks
    model = tessera.Model("nmf", 6, iterations=20, tolerance=0, plan="team").fit(X)
    again = threads.run(1, lambda comm: nmf(comm, iterations=20, rank=6))[0]
    assert helpers.same_bits(again.components_, model.components_)


FILES = """
found = {}
for path in sys.argv[1:]:
    data = tessera.read(path, team=comm)
    assert type(data.X).__name__ == "Stored" and data.X[:3].shape == (3, X.shape[1])
    model = tessera.Model("nmf", 4, iterations=20, tolerance=0, plan="team")
    codes = model.fit_transform(data)
    found[path] = bits(codes, model.components_, model.codes_, model.transform(data.X))
    shared = model.set_params(team=comm).fit(data).components_
    error = model.score(data)
    found[path] += bits(shared) + f" {error:.12g}"
    settings = dict(model="nmf", rank=4, iterations=20, clusters=3, plan="team", team=comm)
    found[path] += bits(tessera.cluster(path, **settings).assignments)
model = tessera.Model("nmf", 4, iterations=20, tolerance=0, plan="team", team=comm)
codes = model.fit_transform(X)
found["array"] = bits(codes, model.components_, model.codes_, model.transform(X))
found["array"] += bits(model.components_) + f" {model.score(X):.12g}"
found["array"] += bits(tessera.cluster(X, **settings).assignments)
tell(found)
"""


@mpi
def test_files(tmp_path):
    """Each rank reads its share, and all have what an array gives."""
    paths = [tmp_path / "x.npy", tmp_path / "x.h5"]
    for path in paths:
        tessera.write(path, X)
    found, _ = run_mpi(2, FILES, *paths)
    assert found[0] == found[1] and len(set(found[0].values())) == 1, found[0]


PROTOCOL = """title = Tiny
task = cluster
data = x.npz
vary = classes 2..3
draws = 2
iterations = 20
clusterings = 3

[nmf]
[cdnmf]
"""


def test_experiment(tmp_path):
    """Trials are shared, and the first rank writes."""
    (tmp_path / "tiny.txt").write_text(PROTOCOL)
    tessera.write(tmp_path / "x.npz", X, Y)

    def make(comm, **more):
        protocol = tmp_path / "tiny.txt"
        return tessera.experiment(protocol, data=tmp_path, format="csv", team=comm, **more)

    alone = make(None)
    assert threads.run(2, lambda comm: make(comm, out=tmp_path / "out")) == [alone] * 2
    assert (tmp_path / "out" / "table.csv").read_text().strip() == alone.strip()


# Failures ---------------------------------------------------------------------------------

FAILURES = """
def fit(samples, **settings):
    return tessera.Model("nmf", 4, iterations=10, tolerance=0, team=comm, **settings).fit(samples)

holes = X.copy()
holes[3, 3] = np.nan
model = fit(X)
found = [
    told(lambda: fit(X + (rank == 1))),
    told(lambda: fit(holes if rank == 1 else X)),
    told(lambda: fit(X, alpha_basis=float(rank == 1))),
    told(lambda: fit(X, solver="odd" if rank == 1 else "cd")),
    told(lambda: tessera.read(sys.argv[1] if rank != 1 else "none.npy", team=comm)),
    told(lambda: model.transform(X[:, :9] if rank == 1 else X)),
    told(lambda: fit(X, missing="mask")),
    told(lambda: model.partial_fit(X)),
]
assert bits(fit(X).components_) == bits(model.components_)

class Broken:
    "A communicator whose messages fail after some."
    def __init__(self, comm, count):
        self.comm, self.count = comm, count
    def __getattr__(self, name):
        return getattr(self.comm, name)
    def Dup(self):
        return Broken(self.comm.Dup(), self.count)
    def Isend(self, *what):
        self.count -= 1
        if self.count == 0:
            raise ZeroDivisionError("odd")
        return self.comm.Isend(*what)

model.set_params(team=tessera.Team(Broken(comm, 40 if rank == 1 else 0)), iterations=1000)
found.append(told(lambda: model.fit(X)))
found.append(told(lambda: model.fit(X)).replace(f"rank {rank}", "a rank").split(" with")[0])
tell([rank, found])
"""


@mpi
def test_a_failure_of_one_is_one_of_all(tmp_path):
    """Whether the library finds it or Python, and the team goes on; without messages it is lost."""
    np.save(tmp_path / "x.npy", X)
    found, err = run_mpi(3, FAILURES, tmp_path / "x.npy")
    assert err == "" and [rank for rank, _ in found] == [0, 1, 2]
    said = {rank: [line.split("\n")[0] for line in lines] for rank, lines in found}
    assert said[0] == said[2]
    assert said[0] == [
        "_DataError: rank 1: X has other values than where rank 0 is: all ranks must be given the "
        "same",
        "_ArgumentError: rank 1: ValueError: Input X contains NaN.",
        "_ArgumentError: rank 1: the settings are others than those of rank 0: all ranks must be "
        "given the same",
        "_ArgumentError: rank 1: solver is one of auto|mu|cd, not 'odd'",
        "_InputOutputError: rank 1: none.npy: No such file or directory",
        "_ArgumentError: rank 1: ValueError: X has 9 features, but Model is expecting 25 features "
        "as input.",
        "_UnsupportedError: a team has no missing values, as features that lack some have sums of "
        "their own over all samples: one process has them",
        "_UnsupportedError: a team does not go on with new samples (more), which come in batches: "
        "one process does",
        "_InputOutputError: the team is lost: rank 1: ZeroDivisionError: odd",
        "_InputOutputError: the team is lost: a rank swapped messages",
    ]
    assert said[1] == [
        said[0][0],
        "ValueError: Input X contains NaN.",
        said[0][2],
        "_ArgumentError: solver is one of auto|mu|cd, not 'odd'",
        "_InputOutputError: none.npy: No such file or directory",
        "ValueError: X has 9 features, but Model is expecting 25 features as input.",
        *said[0][6:8],
        "ZeroDivisionError: odd",
        said[0][9],
    ]


INTERRUPTED = """
def stop():
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)

model = tessera.Model("nmf", 4, iterations=10**8, tolerance=0, team=comm)
comm.Barrier()
if rank == 1:
    threading.Thread(target=stop).start()
said = told(lambda: model.fit(X))
handler = signal.getsignal(signal.SIGINT) is signal.default_int_handler
so_far = [model.n_iter_, len(model.history_), bits(model.components_)]
tell([rank, said, handler, so_far, model.set_params(iterations=10).fit(X).n_iter_])
"""


@mpi
def test_an_interrupt_of_one_stops_all():
    """After the same iteration, with the model so far, and the team goes on."""
    found, err = run_mpi(2, INTERRUPTED)
    assert err == ""
    (_, first, *others), (_, second, *same) = found
    assert (first, second) == ("Interrupted: rank 1: KeyboardInterrupt", "KeyboardInterrupt: ")
    assert others == same
    handler, so_far, again = same
    assert handler and so_far[0] == so_far[1] >= 1 and again == 10


TWICE = """
def stop():
    for _ in range(2):
        time.sleep(0.4)
        os.kill(os.getpid(), signal.SIGINT)

model = tessera.Model("nmf", 4, iterations=10, team=comm).fit(X)
comm.Barrier()
if rank == 1:
    threading.Thread(target=stop).start()
else:
    time.sleep(1.5)
begun = time.monotonic()
tell([rank, told(lambda: model.fit(X)), time.monotonic() - begun])
"""


@mpi
def test_who_asks_twice_does_not_wait():
    """For a rank that does not come; the team is lost."""
    (_, first, _), (_, second, seconds) = run_mpi(2, TWICE)[0]
    assert second == "KeyboardInterrupt: " and 0.4 < seconds < 3
    assert first == "_InputOutputError: the team is lost: rank 1: KeyboardInterrupt"


@mpi
def test_first_rank_speaks():
    settings = "iterations=30, tolerance=0, verbose=True, team=comm"
    found, err = run_mpi(2, f"tessera.Model('nmf', 4, {settings}).fit(X)\ntell(rank)")
    assert found == [0, 1]
    assert err.count("fitting: 30 of 30") == 1


# Settings ---------------------------------------------------------------------------------

SETTINGS = """
import copy, pickle
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
model = tessera.Model("nmf", 4, iterations=10, tolerance=0, team=comm)
same = tessera.Model("nmf", 4, team=comm).team
other = clone(model)
assert other.team is model.team is same is model.get_params()["team"] is copy.deepcopy(model).team
assert other.team.comm is comm and repr(model.team) == f"<Team: rank {rank} of {comm.Get_size()}>"
other.fit(X)
again = pickle.loads(pickle.dumps(other))
assert again.team is None and bits(again.transform(X)) == bits(other.transform(X))
assert clone(other).set_params(team=None).team is None
grid = {"n_components": [3, 4]}
settings = dict(iterations=20, tolerance=0, plan="team", team=comm)
search = GridSearchCV(tessera.Classifier("nmf", **settings), grid, cv=2).fit(X, y)
tell([search.best_params_, list(search.cv_results_["mean_test_score"])])
"""


@mpi
def test_clones_and_pickles():
    (first, second), _ = run_mpi(2, SETTINGS)
    grid = {"n_components": [3, 4]}
    settings = dict(iterations=20, tolerance=0, plan="team")
    search = GridSearchCV(tessera.Classifier("nmf", **settings), grid, cv=2).fit(X, Y)
    assert first == second
    assert first == [search.best_params_, list(search.cv_results_["mean_test_score"])]


def test_mpi_is_loaded_by_nobody():
    code = "import sys, tessera\ntessera.Model\nprint('mpi4py' in sys.modules)"
    assert helpers.python_says(code) == "False\n"


# Threads in the place of processes --------------------------------------------------------


def nmf(comm, samples=X, rank=4, **settings):
    settings = {"iterations": 20, "tolerance": 0, "plan": "team", "team": comm, **settings}
    return tessera.Model("nmf", rank, **settings).fit(samples)


def parts(comm):
    model = nmf(comm)
    return model.components_.tobytes() + model.transform(X).tobytes()


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_any_communicator(ranks):
    """Whoever has its methods will do."""
    assert threads.run(ranks, parts) == [parts(None)] * ranks


def test_ranks_that_no_power_of_two_counts():
    """Other sums, but all ranks have the same."""
    first, *others = threads.run(3, parts)
    assert others == [first] * 2


def test_long_messages_are_cut(monkeypatch):
    monkeypatch.setattr(_team, "_PIECE", 1000)
    assert threads.run(2, parts) == [parts(None)] * 2


def test_pictures_and_names_of_a_team():
    """What is known of the samples reaches the model."""
    names = [f"pixel {i}" for i in range(25)]
    data = tessera.Data(X, None, None, names, (5, 5), "row", "m", "m", [])
    for model in threads.run(2, lambda comm: nmf(comm, data)):
        assert model.model_.image == (5, 5, "row") and list(model.feature_names_in_) == names


def test_a_context_of_all():
    """What a rank raises between two calls is raised by all."""

    def work(comm):
        with tessera.Team(comm) as team:
            nmf(team)
            if comm.Get_rank() == 1:
                raise KeyError("own")
            return nmf(team)

    first, second, third = threads.run(3, work)
    assert isinstance(second, KeyError) and second.args == ("own",)
    for other in (first, third):
        assert isinstance(other, tessera.Error) and str(other) == "rank 1: KeyError: 'own'"


def test_the_first_failure_is_told():
    """Of several; each rank that failed has its own."""

    def work(comm):
        with tessera.Team(comm):
            if comm.Get_rank() > 0:
                raise OSError(f"of {comm.Get_rank()}")

    first, *others = threads.run(3, work)
    assert isinstance(first, OSError) and str(first) == "rank 1: OSError: of 1"
    assert [str(other) for other in others] == ["of 1", "of 2"]


def test_words_of_any_length():
    def work(comm):
        with tessera.Team(comm):
            if comm.Get_rank() == 1:
                raise ValueError("\u00e4" * 5000)

    first = threads.run(2, work)[0]
    assert str(first).startswith("rank 1: ValueError: \u00e4\u00e4") and len(str(first)) > 400


def test_samples_in_a_file_have_their_team(tmp_path):
    tessera.write(tmp_path / "x.h5", X)
    stored = tessera.read(tmp_path / "x.h5", memory=4 * X.nbytes - 4)
    assert isinstance(stored.X, tessera._arrays.Stored)
    for problem in threads.run(2, lambda comm: nmf(comm, stored)):
        assert isinstance(problem, Exception) and "tessera.read(.., team=comm)" in str(problem)
    bytes_of = [parts(None)] * 2

    def work(comm):
        model = nmf(None, tessera.read(tmp_path / "x.h5", team=comm))
        return model.components_.tobytes() + model.transform(X).tobytes()

    assert threads.run(2, work) == bytes_of


def test_a_team_serves_one_thread():
    def work(comm):
        found = []
        with tessera.Team(comm) as team:
            thread = threading.Thread(target=lambda: found.append(caught(nmf, team)))
            thread.start()
            thread.join()
        return found[0]

    assert str(threads.run(1, work)[0]) == "a team serves one thread at a time"


def caught(call, *arguments):
    try:
        return call(*arguments)
    except Exception as problem:
        return problem


def test_processors_are_shared(monkeypatch):
    """Ranks of one machine have a part of it each."""
    monkeypatch.setattr(_team.os, "cpu_count", lambda: 8)
    monkeypatch.setattr(_team.os, "sched_getaffinity", lambda who: range(8), raising=False)
    assert threads.run(3, lambda comm: nmf(comm).team.threads) == [2, 2, 2]
    machines = iter(["a", "a", "b"])
    lock = threading.Lock()

    def node():
        with lock:
            return next(machines)

    monkeypatch.setattr(_team.platform, "node", node)
    assert sorted(threads.run(3, lambda comm: nmf(comm).team.threads)) == [4, 4, 8]


def test_a_team_is_none_elsewhere():
    team = tessera.Team(threads.Communicator(0, 1, None))
    assert pickle.loads(pickle.dumps(team)) is None
    assert copy.copy(team) is team is copy.deepcopy([team])[0] is tessera.Team.of(team)
    model = tessera.Model("nmf", 3, team=team)
    assert clone(model).team is team and "Team: rank 0 of 1" in repr(model)
    assert pickle.loads(pickle.dumps(model)).team is None
    assert tessera.Team.of(None) is None


def test_what_is_no_communicator():
    """Is taken until the fit, as any setting is."""
    model = tessera.Model("nmf", 3, team=4)
    for call in (lambda: model.fit(X), lambda: tessera.cluster(X, clusters=2, team="all")):
        with pytest.raises(TypeError, match="it is a communicator, as mpi4py has them"):
            call()
