"""A communicator whose ranks are threads of one process: the methods that a team asks for, and no
MPI."""
import collections
import threading


class _Request:
    def __init__(self, test):
        self._test = test

    def Test(self):
        return self._test()

    def Cancel(self):
        self._test = lambda: True


class _Wire:
    """Messages on their way: a queue for each pair of ranks and tag."""

    def __init__(self):
        self.lock = threading.Lock()
        self.queues = collections.defaultdict(collections.deque)
        self.sent = 0


class Communicator:
    def __init__(self, rank, ranks, wire):
        self._rank, self._ranks, self._wire = rank, ranks, wire

    def Get_rank(self):
        return self._rank

    def Get_size(self):
        return self._ranks

    def Isend(self, buffer, rank, tag):
        with self._wire.lock:
            self._wire.queues[self._rank, rank, tag].append(bytes(buffer))
            self._wire.sent += len(buffer)
        return _Request(lambda: True)

    def Irecv(self, buffer, rank, tag):
        queue, done = self._wire.queues[rank, self._rank, tag], []

        def test():
            with self._wire.lock:
                if not done and queue:
                    buffer[:] = queue.popleft()
                    done.append(True)
            return bool(done)

        return _Request(test)

    def Iprobe(self, rank, tag):
        return bool(self._wire.queues[rank, self._rank, tag])


def run(ranks, work, timeout=60):
    """What each rank returns, or raises; a rank that hangs is a failure."""
    wire, found = _Wire(), [None] * ranks

    def one(rank):
        try:
            found[rank] = work(Communicator(rank, ranks, wire))
        except BaseException as problem:
            found[rank] = problem

    threads = [threading.Thread(target=one, args=(rank,), daemon=True) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout)
    assert not any(thread.is_alive() for thread in threads), "ranks wait for each other"
    return found
