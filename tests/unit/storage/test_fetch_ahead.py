"""Many files are asked for at once, in their order; who stops half way waits for nothing."""

from __future__ import annotations

import threading
from itertools import count

import pytest

from hive_views.storage.files import fetch_ahead


def test_answers_come_in_the_order_of_the_questions() -> None:
    assert list(fetch_ahead(str.upper, map(str, range(100)))) == list(map(str, range(100)))
    assert list(fetch_ahead(str.upper, [])) == []


def test_a_failure_comes_when_it_is_its_turn() -> None:
    def ask(one: str) -> str:
        if one == "3":
            raise FileNotFoundError(one)
        return one

    answers = fetch_ahead(ask, map(str, range(10)))
    assert [next(answers) for _ in range(3)] == ["0", "1", "2"]
    with pytest.raises(FileNotFoundError, match="3"):
        next(answers)


def test_who_stops_half_way_does_not_wait_for_what_was_asked() -> None:
    answered = threading.Event()

    def ask(one: str) -> str:
        if one != "0":
            assert answered.wait(60)
        return one

    # The garbage collector ends it in any thread, even in one that holds a lock which joining another thread needs.
    answers = fetch_ahead(ask, map(str, count()))
    assert next(answers) == "0"
    ended = threading.Thread(target=answers.close)  # type: ignore[attr-defined]  # it is a generator
    ended.start()
    ended.join(10)
    still_waits = ended.is_alive()
    answered.set()
    ended.join()
    assert not still_waits


def test_its_threads_end_with_it() -> None:
    before = set(threading.enumerate())
    answers = fetch_ahead(str.upper, map(str, count()))
    next(answers)
    threads = set(threading.enumerate()) - before
    assert threads
    del answers
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)
