"""Many threads at once, and processes that were forked."""
import multiprocessing
import os
import sys
import threading
import time

import numpy as np
import pytest

import helpers
import tessera

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
ROWS = ["nmf", "nmf-kl", "gnmf", "cdnmf", "cf", "snmf", "cnmf-kl", "unmf"]


def work(row, samples=40, threads=2):
    """Bytes of a fit and of what is done with it."""
    X, y = helpers.problem(samples)
    model = tessera.Model(row, 6, iterations=40, tolerance=0, threads=threads)
    helpers.quiet(model.fit, X, y)
    return model.components_.tobytes() + model.codes_.tobytes() + model.transform(X).tobytes()


def test_threads_of_python():
    """Eight at once give what one does."""
    alone = [work(row) for row in ROWS]
    found = [None] * len(ROWS)

    def one(i):
        for _ in range(3):
            found[i] = work(ROWS[i])

    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(ROWS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert found == alone


def test_messages_are_of_their_thread():
    """Errors of eight threads at once name what was wrong in each."""
    found = {}

    def one(i):
        said = set()
        for _ in range(50):
            try:
                tessera.Model("nmf", 2, iterations=-i).fit(np.ones((5, 4)))
            except ValueError as problem:
                said.add(str(problem))
        found[i] = said

    threads = [threading.Thread(target=one, args=(i,)) for i in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == {i: {f"iterations -{i} is outside 0 .. 1000000000"} for i in range(1, 9)}


def test_the_lock_is_free_during_a_fit():
    """Other threads of Python go on."""
    X = helpers.problem(400, 100)[0]
    model = tessera.Model("nmf", 20, iterations=300, tolerance=0, threads=1)
    done = threading.Event()

    def fit():
        model.fit(X)
        done.set()

    thread = threading.Thread(target=fit)
    thread.start()
    ticks = 0
    while not done.is_set():
        time.sleep(0.001)
        ticks += 1
    thread.join()
    assert ticks > 5


def test_forked_workers():
    """After a fit in the parent, so that its threads are not those of the children."""
    alone = [work(row, 300) for row in ROWS]
    with multiprocessing.get_context("fork").Pool(4) as pool:
        found = pool.starmap_async(work, [(row, 300) for row in ROWS]).get(timeout=60)
    assert found == alone


def child_says(call, timeout=60):
    """Bytes that a forked child sends; a child that hangs is a failure."""
    end, begin = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(end)
            with os.fdopen(begin, "wb") as file:
                file.write(call())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(begin)
    limit = time.monotonic() + timeout
    os.set_blocking(end, False)
    said = b""
    try:
        while time.monotonic() < limit:
            try:
                part = os.read(end, 1 << 20)
            except BlockingIOError:
                time.sleep(0.01)
                continue
            if not part:
                status = os.waitpid(pid, 0)[1]
                pid = 0
                assert status == 0
                return said
            said += part
        raise AssertionError("the child does not come to an end")
    finally:
        os.close(end)
        if pid:
            os.kill(pid, 9)
            os.waitpid(pid, 0)


@pytest.mark.parametrize("before", [True, False])
def test_fork_after_others_used_threads(before):
    """KMeans of scikit-learn has an OpenMP of its own running."""
    from sklearn.cluster import KMeans

    X = helpers.problem(300)[0]
    if before:
        work("nmf", 300)
    KMeans(3, n_init=2).fit(np.random.RandomState(0).uniform(size=(3000, 20)))
    assert child_says(lambda: work("nmf", 300)) == work("nmf", 300)
    assert child_says(lambda: work("cdnmf", 300)) == work("cdnmf", 300)
    assert X.shape == (300, 25)


def test_fork_during_a_fit():
    """A child that another thread's fork makes in the midst of a fit can fit."""
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            work("nmf", 300)

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        for _ in range(3):
            assert child_says(lambda: work("nmf-kl")) == work("nmf-kl")
    finally:
        stop.set()
        thread.join(60)


def test_models_of_the_parent_in_the_child():
    """They are as good there, and freeing them is nobody else's business."""
    X, y = helpers.problem()
    model = tessera.Model("cdnmf", 3).fit(X, y)
    codes = model.transform(X).tobytes()

    def there():
        said = model.transform(X).tobytes()
        model.__dict__.pop("model_")
        return said

    assert child_says(there) == codes
    assert model.transform(X).tobytes() == codes


def test_spawned_process():
    """One that starts afresh, and ends without a word."""
    code = (
        "import numpy as np, tessera, sys\n"
        "X = np.random.RandomState(0).uniform(size=(30, 10))\n"
        "model = tessera.Model('nmf', 2).fit(X)\n"
        "sys.stdout.buffer.write(b'%d' % model.n_iter_)\n"
    )
    process = helpers.python(code)
    out, err = process.communicate(timeout=60)
    X = np.random.RandomState(0).uniform(size=(30, 10))
    assert (process.returncode, err) == (0, "")
    assert int(out) == tessera.Model("nmf", 2).fit(X).n_iter_


def test_imports_are_light():
    """Estimators are loaded when they are named; the rest wants NumPy alone."""
    code = (
        "import sys, tessera\n"
        "tessera.models()\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'sklearn', 'scipy', 'pandas'}))\n"
        "tessera.Model\n"
        "print('sklearn' in sys.modules)\n"
    )
    assert helpers.python_says(code).split("\n")[:2] == ["[]", "True"]


def test_without_scikit_learn():
    code = (
        "import sys\n"
        "sys.modules['sklearn'] = None\n"
        "import tessera\n"
        "try: tessera.Model\n"
        "except ImportError as problem: print(problem)\n"
        "print(len(tessera.models()), tessera.read.__name__)\n"
    )
    lines = helpers.python_says(code).splitlines()
    assert lines[0] == "tessera.Model wants scikit-learn: install it first"
    assert lines[1] == f"{len(tessera.models())} read"


def test_library_that_is_not_there():
    code = "try: import tessera\n" "except ImportError as problem: print(problem)\n"
    process = helpers.python("import os; os.environ['TESSERA_LIBRARY'] = '/no/such.so'\n" + code)
    out, err = process.communicate(timeout=60)
    assert out.startswith("TESSERA_LIBRARY: /no/such.so") and err == ""
    assert "tessera" in sys.modules
