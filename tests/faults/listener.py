"""A real metastore whose listeners throw when a test says so, as those of others do over what they do not expect.

Hive calls ``hive.metastore.event.listeners`` after its transaction, ``hive.metastore.transactional.event.listeners``
inside of it, and ``hive.metastore.end.function.listeners`` after both; what they throw becomes the answer of the call.
"""

from __future__ import annotations

import fcntl
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

from hive_views.metastore.embedded import local_metastore
from hive_views.metastore.embedded.home import Home, lock_directory
from hive_views.metastore.embedded.java import find_jars, find_java
from hive_views.metastore.embedded.server_process import end_java, launch_java, open_bridge

Kind = Literal["event", "transactional", "end"]

_SOURCE = Path(__file__).with_name("Throwing.java")
_API = "org.apache.hadoop.hive.metastore.api"

READS_LOCATIONS = ("reads-locations", "")
"""Reads ``partition.getSd().getLocation()`` and the length of the table's, as many listeners do."""

THROWN: dict[str, tuple[str, str]] = {
    "it reads locations": READS_LOCATIONS,
    "a null pointer": ("java.lang.NullPointerException", ""),
    "a runtime exception": ("java.lang.RuntimeException", "the listener failed"),
    "a MetaException": (f"{_API}.MetaException", "the listener failed"),
    "a MetaException that has 42818 in it": (f"{_API}.MetaException", "the listener failed with code 42818"),
    "an InvalidOperationException": (f"{_API}.InvalidOperationException", "the listener failed"),
    "a name that exists": (f"{_API}.InvalidOperationException", "entry 7 already exists"),
    "a swap that was refused": (f"{_API}.MetaException", "The table has been modified in the cache of the listener"),
    "an InvalidObjectException": (f"{_API}.InvalidObjectException", "listener"),
    "a NoSuchObjectException": (f"{_API}.NoSuchObjectException", "the listener found no entry"),
    "an AlreadyExistsException": (f"{_API}.AlreadyExistsException", "the listener has this entry"),
}
"""What listeners throw after the commit: a class of Java and what it says. Each is mistaken for another answer."""


class Orders:
    """What the listeners of one metastore are to do; the file is where they read it."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def throw(self, event: str, order: tuple[str, str], *, kind: Kind = "event", times: int = 1) -> None:
        """Throw at the next events of this kind: ``create_table``, ``alter_table``, ``drop_table``,
        ``add_partitions``, ``alter_partitions``, ``drop_partitions``; the name of the call for ``kind="end"``.
        """
        whole = self.file.with_suffix(".new")
        whole.write_text("".join("\t".join((kind, event, *order)) + "\n" for _ in range(times)))
        whole.replace(self.file)

    def left(self) -> list[str]:
        """Orders that have not been obeyed, which a test must not leave behind."""
        return self.file.read_text().splitlines() if self.file.exists() else []

    def clear(self) -> None:
        self.file.unlink(missing_ok=True)


def compile_listeners(directory: Path) -> Path:
    """Make a jar of Throwing.java in the directory, by the compiler among PySpark's jars."""
    home = Home(directory / "compiler")
    home.prepare()
    lock = lock_directory(home.derby, fcntl.LOCK_EX)
    assert lock is not None
    process = launch_java(home, str(find_java()), str(find_jars()), lock)
    try:
        bridge = open_bridge(process)
        compiler = bridge.jvm.org.codehaus.janino.SimpleCompiler()
        compiler.cook(_SOURCE.read_text(encoding="utf-8"))
        jar = directory / "throwing.jar"
        with zipfile.ZipFile(jar, "w") as file:
            for name, content in dict(compiler.getBytecodes()).items():
                file.writestr(f"{name}.class", content)
        bridge.shutdown()
    finally:
        end_java(process)
        os.close(lock)
    return jar


def listening(orders: Orders) -> dict[str, str]:
    """The settings of a metastore that has the listeners."""
    return {
        "hive.metastore.event.listeners": "Throwing$AfterCommit",
        "hive.metastore.transactional.event.listeners": "Throwing$BeforeCommit",
        "hive.metastore.end.function.listeners": "Throwing$AtTheEnd",
        "hive-views.tests.orders": str(orders.file),
    }


@contextmanager
def listening_metastore(directory: Path, settings: Mapping[str, str] | None = None) -> Iterator[tuple[str, Orders]]:
    """The URI of an embedded metastore with the listeners, and what orders are given through."""
    orders = Orders(directory / "orders")
    jars = f"{compile_listeners(directory)}{os.pathsep}{find_jars()}"
    all_settings = {**listening(orders), **(settings or {})}
    with pytest.MonkeyPatch.context() as patch:
        # The one thing that is different from a user's server: what Java finds beside PySpark's jars.
        patch.setattr(local_metastore, "find_jars", lambda: jars)
        server = local_metastore.LocalMetastore(directory / "metastore", settings=all_settings)
        uri = server.start()
    try:
        yield uri, orders
    finally:
        server.close()
