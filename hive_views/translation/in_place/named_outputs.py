"""The names of the output columns: an expression without an alias has another name in each engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hive_views.hive.row import Column
from hive_views.sql.quoting import quote_identifier
from hive_views.sql.text_edits import Edit
from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.names_without_alias import names_of_items

if TYPE_CHECKING:
    from hive_views.translation.in_place.patching import Patcher


def name_outputs(patcher: Patcher, columns: Sequence[Column] | None) -> None:
    """Give outputs without a name that of the view's column, or else that which the source gives them."""
    for column in patcher.query.columns:
        if (column.derived.hive or "").startswith("char("):
            patcher.report_at(reasons.PADDED, column.text, patcher.query.text.outline.body)
    at: int | None = 0
    for item, own in zip(patcher.query.text.outline.items, names_of_items(patcher.query.text), strict=True):
        if not item.names:
            at = None  # a star, or a function whose columns are not counted here
            continue
        if item.names == (None,):
            name = columns[at].name if columns and at is not None and at < len(columns) else None
            name = name or own
            if name is None:
                text = str(patcher.query.text)[item.start : item.end]
                patcher.report_at(reasons.OUTPUT_NAME, text, item.start)
            else:
                patcher.alias(Edit(item.end, item.end, f" AS {quote_identifier(name)}"))
        at = None if at is None else at + len(item.names)
