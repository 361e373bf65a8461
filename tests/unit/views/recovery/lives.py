"""Views of one name that are made, changed, killed and dropped, for tests of what is found of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from hive_views.errors import NoSuchViewError
from hive_views.estate import list_dropped
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.recovery.recoverable import Recoverable, find_by_name
from hive_views.views.view import View
from tests.support.failing.faulty_metastore import Killed

NAME = TableIdentifier("sales", "b")


def create(catalog: ViewCatalog, name: object = NAME, number: int = 1, **more: object) -> View:
    text = {"hive": f"SELECT {number} AS a"}
    return catalog.create_view(str(name), sql=text, schema=[("a", "int")], **more)  # type: ignore[arg-type]


def replace(catalog: ViewCatalog, number: int, name: object = NAME) -> View:
    return catalog.replace_view(str(name), sql={"hive": f"SELECT {number} AS a"})


def dropped_by_spark(catalog: ViewCatalog, name: object = NAME) -> None:
    catalog.metastore.drop_row(TableIdentifier.of(str(name)))


def killed_at(call: str, catalog: ViewCatalog, change: Callable[[ViewCatalog], object]) -> None:
    """A verb whose writer is killed before this call."""

    def kill(*_: object, **__: object) -> None:
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalog.metastore, call, kill)
        with pytest.raises(Killed):
            change(catalog)


_AHEAD = count(1)


def a_while_later(catalog: ViewCatalog) -> None:
    """What is there was written before what comes now, for a storage that counts in seconds, too."""
    assert catalog.warehouse
    ago = time.time() - 3600 + 10 * next(_AHEAD)
    for file in Path(catalog.warehouse.removeprefix("file://")).rglob("*"):
        if file.is_file() and time.time() - file.stat().st_mtime < 600:
            os.utime(file, (ago, ago))


def found(catalog: ViewCatalog, name: object = NAME) -> Recoverable:
    """What all verbs find; they agree."""
    one = find_by_name(catalog.engine, name)
    assert one is not None
    (listed,) = list_dropped(catalog, str(name))
    assert listed.metadata_location == one.metadata_location
    with pytest.raises(NoSuchViewError) as missing:
        catalog.load_view(str(name))
    assert missing.value.metadata_location == one.metadata_location
    return one
