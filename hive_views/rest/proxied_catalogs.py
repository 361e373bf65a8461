"""Catalogs that act for users: opened when they are first used, and closed when others are used instead."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hive_views.views.catalog import ViewCatalog

# Each keeps connections, of which a metastore has a thousand by default for all its clients.
MOST_OPEN = 32


@dataclass
class _Proxied:
    """``requests`` are those that use it now."""

    catalog: ViewCatalog
    requests: int = 0


class ProxiedCatalogs:
    """The catalogs of a server for each user that it acts for; thread-safe.

    Args:
        connect: opens the catalog of a name for a user.
        most_open: of more, the one that was used least recently is closed, and never one that a request uses.
    """

    def __init__(self, connect: Callable[[str, str], ViewCatalog], most_open: int = MOST_OPEN) -> None:
        self._connect, self._most_open = connect, most_open
        self._guard = threading.Lock()
        self._by_recency: OrderedDict[tuple[str, str], _Proxied] = OrderedDict()

    @contextmanager
    def using(self, name: str, user: str) -> Iterator[ViewCatalog]:
        """The catalog of this name whose metastore is asked for this user; it stays open until the block ends.

        Raises:
            HiveViewsError: it cannot be opened.
        """
        used = self._take(name, user)
        try:
            yield used.catalog
        finally:
            self._give_back(used)

    def close(self) -> None:
        """Close all of them."""
        with self._guard:
            all_of_them = list(self._by_recency.values())
            self._by_recency.clear()
        for one in all_of_them:
            one.catalog.close()

    def _take(self, name: str, user: str) -> _Proxied:
        with self._guard:
            if found := self._by_recency.get((name, user)):
                return self._counted((name, user), found)
        # Others need not wait for it: this may ask ZooKeeper.
        opened = _Proxied(self._connect(name, user))
        with self._guard:
            used = self._counted((name, user), self._by_recency.get((name, user), opened))
        if used is not opened:
            opened.catalog.close()
        return used

    def _counted(self, key: tuple[str, str], used: _Proxied) -> _Proxied:
        self._by_recency[key] = used
        self._by_recency.move_to_end(key)
        used.requests += 1
        return used

    def _give_back(self, used: _Proxied) -> None:
        with self._guard:
            used.requests -= 1
            unused = [key for key, one in self._by_recency.items() if not one.requests]
            surplus = max(0, len(self._by_recency) - self._most_open)
            closed = [self._by_recency.pop(key) for key in unused[:surplus]]
        for one in closed:
            one.catalog.close()
