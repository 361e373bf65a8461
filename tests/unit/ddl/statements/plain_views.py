"""A view that Hive has made itself. What must not live here: tests."""

from __future__ import annotations

from hive_views.hive.row import VIRTUAL_VIEW, Column, Row
from hive_views.spec.identifiers import TableIdentifier


def plain_view(name: str, text: str) -> Row:
    return Row(
        TableIdentifier("sales", name),
        VIRTUAL_VIEW,
        columns=(Column("a", "int"),),
        original_text=text,
        expanded_text=text,
    )
