"""Rows of before and after, compared field by field as Thrift has them."""

from __future__ import annotations

from typing import Any

from hive_views.hive.row import DDL_TIME, POINTER, TABLE_TYPE, VIEW_UUID, Row
from hive_views.persisted import OWN_PREFIX
from tests.support.plain_rows import fields_of

_OURS = (POINTER, TABLE_TYPE, VIEW_UUID)


def assert_adopted(before: Row, after: Row) -> None:
    """The row has our parameters, and is the same otherwise."""
    added = after.parameters.keys() - before.parameters.keys()
    assert added.issuperset(_OURS)
    assert all(key in _OURS or key.startswith(OWN_PREFIX) for key in added)
    assert _fields(after, without=added) == _fields(before)


def assert_same(before: Row, after: Row) -> None:
    """The row is the same but for the time of its last change."""
    assert _fields(after) == _fields(before)


def _fields(row: Row, without: Any = ()) -> Any:
    parameters = {key: value for key, value in row.parameters.items() if key != DDL_TIME and key not in without}
    return {**fields_of(row.native), "parameters": parameters}
