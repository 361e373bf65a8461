"""Catalogs that act for users: how many stay open, and that none is closed which a request uses."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hive_views.errors import MetastoreUnavailableError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.rest.proxied_catalogs import ProxiedCatalogs
from hive_views.views.catalog import ViewCatalog


class Opening:
    """Opens catalogs, and tells which are open."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.opened = 0
        self.waits = threading.Barrier(1)

    def __call__(self, name: str, user: str) -> ViewCatalog:
        self.waits.wait(30)
        opening, who = self, f"{user}@{name}"

        class Told(ViewCatalog):
            def close(self) -> None:
                opening.open.remove(who)
                super().close()

        self.open.append(who)
        self.opened += 1
        return Told(MemoryMetastore())


@pytest.fixture
def opening() -> Opening:
    return Opening()


def test_of_too_many_the_one_that_was_used_least_recently_is_closed(opening: Opening) -> None:
    catalogs = ProxiedCatalogs(opening, most_open=2)
    for user in ("ada", "bob", "ada", "eve", "ada"):
        with catalogs.using("hive", user):
            pass
    assert (opening.open, opening.opened) == (["ada@hive", "eve@hive"], 3)
    with catalogs.using("hive", "bob"), catalogs.using("other", "bob"):
        pass
    assert opening.open == ["bob@hive", "bob@other"], "each catalog that is served has its own"
    catalogs.close()
    assert opening.open == []


def test_none_is_closed_that_a_request_uses(opening: Opening) -> None:
    catalogs = ProxiedCatalogs(opening, most_open=1)
    with catalogs.using("hive", "ada") as first:
        with catalogs.using("hive", "ada") as again:
            assert again is first
        for user in ("bob", "eve"):
            with catalogs.using("hive", user):
                assert opening.open == ["ada@hive", f"{user}@hive"]
        assert opening.open == ["ada@hive"]
        with pytest.raises(ZeroDivisionError), catalogs.using("hive", "bob"):
            raise ZeroDivisionError
        assert opening.open == ["ada@hive"]
    with catalogs.using("hive", "bob"):
        pass
    assert opening.open == ["bob@hive"], "a request that has ended keeps nothing"


def test_requests_that_open_one_at_once_share_it(opening: Opening) -> None:
    catalogs, both = ProxiedCatalogs(opening), threading.Barrier(2)
    opening.waits = threading.Barrier(2)

    def used(_: int) -> ViewCatalog:
        with catalogs.using("hive", "ada") as catalog:
            both.wait(30)
            return catalog

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(used, range(2))
    assert (one is other, opening.open, opening.opened) == (True, ["ada@hive"], 2)


def test_what_cannot_be_opened_is_tried_again() -> None:
    failures = [MetastoreUnavailableError("no ZooKeeper")]

    def connect(name: str, user: str) -> ViewCatalog:
        if failures:
            raise failures.pop()
        return ViewCatalog(MemoryMetastore())

    catalogs = ProxiedCatalogs(connect)
    with pytest.raises(MetastoreUnavailableError), catalogs.using("hive", "ada"):
        pass
    with catalogs.using("hive", "ada"):
        pass
