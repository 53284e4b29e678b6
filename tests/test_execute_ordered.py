"""Work in order on the threads of a session: results, errors, an early end, and memory."""

import threading
import time

import pytest

from nlmzip.errors import OptionError
from nlmzip.execute.ordered import CancelledError, Ordered
from nlmzip.execute.session import Session
from nlmzip.execute.threads import n_threads, of_machine
from nlmzip.plan.memory import Need

SMALL = Need(0, 0, 1)
THREADS = pytest.mark.parametrize("threads", [1, 2, 3])
SECONDS = 20  # far more than anything here takes


def numbered(number, seconds, report):
    time.sleep(seconds)
    report(10)
    return number


def results(ordered, n, work=numbered, seconds=lambda number: 0.0):
    found = []
    for number in range(n):
        ordered.put(SMALL, work, number, seconds(number))
        found += ordered.taken()
    return found + list(ordered.drained())


@THREADS
def test_results_come_in_the_order_in_which_work_was_given(threads):
    with Session(threads) as session:
        uneven = lambda number: 0.01 * (number % 3 == 0)  # noqa: E731
        assert results(Ordered(session), 20, seconds=uneven) == list(range(20))


def test_with_one_thread_work_is_done_at_once_and_here():
    with Session(1) as session:
        ordered = Ordered(session)
        ordered.put(SMALL, lambda report: threading.current_thread())
        assert list(ordered.taken()) == [threading.main_thread()]


def test_work_is_done_side_by_side():
    together = threading.Barrier(3, timeout=SECONDS)
    with Session(3) as session:
        assert results(Ordered(session), 3, lambda *_: together.wait() >= 0) == [True] * 3


@THREADS
def test_an_error_is_raised_in_its_turn(threads):
    def failing(number, seconds, report):
        if number == 3:
            raise KeyError(number)
        return number

    found = []
    with Session(threads) as session:
        ordered = Ordered(session)
        with pytest.raises(KeyError):
            for number in range(8):
                ordered.put(SMALL, failing, number, 0)
                for result in ordered.taken():
                    found.append(result)
            for result in ordered.drained():
                found.append(result)
        ordered.close()
    assert found == [0, 1, 2]


def test_no_more_work_waits_than_there_is_room_for():
    begun, go_on = [], threading.Event()

    def work(number, report):
        begun.append(number)
        go_on.wait(SECONDS)
        return number

    with Session(2) as session:
        ordered = Ordered(session)
        for number in range(4):  # twice the threads may wait, and nothing is to be taken yet
            ordered.put(SMALL, work, number)
            assert list(ordered.taken()) == []
        ordered.put(SMALL, work, 4)
        threading.Timer(0.2, go_on.set).start()
        assert next(ordered.taken()) == 0
        assert list(ordered.drained()) == [1, 2, 3, 4] and sorted(begun) == [0, 1, 2, 3, 4]


def test_closing_ends_what_is_under_way():
    begun, ended = threading.Barrier(3, timeout=SECONDS), []

    def endless(number, report):
        begun.wait()
        try:
            while True:
                report(1)
                time.sleep(0.001)
        except CancelledError:
            ended.append(number)
            raise

    with Session(2) as session:
        ordered = Ordered(session)
        for number in range(4):
            ordered.put(SMALL, endless, number)
        begun.wait()
        ordered.close()
        assert sorted(ended) == [0, 1]  # of the others none was begun
        assert list(ordered.drained()) == []


@THREADS
def test_progress_is_of_all_work_together_and_told_in_the_caller_s_thread(threads):
    told = []

    def work(number, seconds, report):
        for done in (3, 7, 10):
            report(done)
        return number

    def progress(done, total):
        assert threading.current_thread() is threading.main_thread()
        told.append((done, total))

    with Session(threads) as session:
        results(Ordered(session, progress, 50), 5, work)
    assert told == sorted(told) and told[-1] == (50, 50)


# --- memory


class Gauge:
    """How much is under way at once."""

    def __init__(self):
        self._lock, self.now, self.most = threading.Lock(), 0, 0

    def work(self, size, report):
        with self._lock:
            self.now += size
            self.most = max(self.most, self.now)
        time.sleep(0.01)
        with self._lock:
            self.now -= size
        return size


def test_what_is_under_way_stays_within_the_memory_limit():
    gauge = Gauge()
    with Session(3, memory_limit=100) as session:
        ordered, found = Ordered(session), []
        for _ in range(9):
            ordered.put(Need(10, 10, 30), gauge.work, 30)
            found += ordered.taken()
        found += ordered.drained()
    assert found == [30] * 9 and gauge.most == 60  # 10 + 10 + 3 * 30 would be too much


def test_what_takes_more_than_the_limit_is_done_alone():
    """Whether it may be done at all was asked before."""
    gauge = Gauge()
    with Session(3, memory_limit=100) as session:
        ordered = Ordered(session)
        for size in (200, 30, 200, 30):
            ordered.put(Need(0, 0, size), gauge.work, size)
        assert list(ordered.drained()) == [200, 30, 200, 30]
    assert gauge.most == 200


def test_texts_of_a_session_share_its_memory():
    gauge = Gauge()
    with Session(3, memory_limit=100) as session:

        def text():
            ordered = Ordered(session)
            for _ in range(4):
                ordered.put(Need(0, 0, 60), gauge.work, 60)
            assert list(ordered.drained()) == [60] * 4

        texts = [threading.Thread(target=text) for _ in range(3)]
        for each in texts:
            each.start()
        for each in texts:
            each.join(SECONDS)
    assert gauge.most == 60


# --- sessions


def test_as_many_threads_as_processors_or_as_were_asked_for():
    assert n_threads(0) == of_machine() >= 1 and n_threads(7) == 7
    for wrong in (-1, 1.0, "2", None, True):
        with pytest.raises(OptionError, match="is no number of threads"):
            Session(wrong)


def test_a_session_ends_its_threads():
    before = set(threading.enumerate())
    with Session(3) as session:
        assert results(Ordered(session), 9) == list(range(9))
        assert set(threading.enumerate()) - before
    assert not set(threading.enumerate()) - before


def test_a_session_keeps_the_coders_of_the_last_recipes():
    from nlmzip.container.recipe import MixCoding
    from nlmzip.plan.known import Known

    with Session() as session:
        first = session.coder((MixCoding(1),), Known())
        assert session.coder((MixCoding(1),), Known()) is first
        assert session.coder((MixCoding(1),), Known(), thorough=True) is not first
        for level in range(2, 9):
            session.coder((MixCoding(level),), Known())
        assert session.coder((MixCoding(1),), Known()) is not first
