"""A lock that a child of a fork finds free, whoever held it in its parent."""

from __future__ import annotations

import os
import sys
import threading

from hive_views.fork_safe_lock import ForkSafeLock


def acquired_within_s(lock: ForkSafeLock, seconds: float) -> bool:
    done = threading.Event()

    def hold() -> None:
        with lock:
            done.set()

    threading.Thread(target=hold, daemon=True).start()
    return done.wait(seconds)


def test_it_is_held_by_one_thread_at_a_time() -> None:
    lock = ForkSafeLock()
    with lock:
        assert not acquired_within_s(lock, 0.05)
    assert acquired_within_s(lock, 10)


def test_a_child_of_a_fork_finds_it_free_and_lets_nothing_go() -> None:
    lock = ForkSafeLock()
    with lock:
        if (child := os.fork()) == 0:
            status = 1
            try:
                status = 0 if acquired_within_s(lock, 10) else 2
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert not acquired_within_s(lock, 0.05)


def test_a_holder_that_forks_leaves_the_block_in_the_child_too() -> None:
    lock = ForkSafeLock()
    child = None
    try:
        with lock:
            child = os.fork()
    finally:
        if child == 0:
            os._exit(0 if sys.exc_info()[0] is None and acquired_within_s(lock, 10) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
