"""Work beside what a user waits for: when it begins, and that it can be called off."""

import threading
from concurrent.futures import ThreadPoolExecutor

from kgqa_core.background import Later, Once
from tests.patience import PATIENCE_S, wait_until


def test_what_can_wait_is_done_once_it_is_quiet():
    busy, asked, done = threading.Event(), threading.Semaphore(0), threading.Event()
    busy.set()

    def quiet():
        asked.release()
        return not busy.is_set()

    later = Later("kgqa-test", quiet, done.set)
    assert asked.acquire(timeout=PATIENCE_S)
    assert asked.acquire(timeout=PATIENCE_S)  # it looks again and again
    assert not done.is_set()
    busy.clear()
    assert done.wait(PATIENCE_S)
    wait_until(lambda: not later.running)


def test_what_many_ask_for_at_once_is_made_once():
    begun, go, made = threading.Event(), threading.Event(), []

    @Once
    def slow() -> int:
        made.append(1)
        begun.set()
        assert go.wait(PATIENCE_S)
        return len(made)

    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(slow)]
        assert begun.wait(PATIENCE_S)
        asked += [pool.submit(slow) for _ in range(2)]
        go.set()
        assert [one.result(PATIENCE_S) for one in asked] == [1, 1, 1]
    slow.forget()
    assert slow() == 2


def test_what_is_called_off_is_not_done():
    done = threading.Event()
    later = Later("kgqa-test", lambda: False, done.set)
    later.stop()
    later.wait(PATIENCE_S)
    assert later.stopped
    assert not done.is_set()
