"""The names of the output columns: an expression without an alias has another name in each engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hive_views.hive.row import Column
from hive_views.sql.quoting import quote_identifier
from hive_views.sql.text_edits import Edit
from hive_views.translation.in_place import common_reasons as reasons

if TYPE_CHECKING:
    from hive_views.translation.in_place.patching import Patcher


def name_outputs(patcher: Patcher, columns: Sequence[Column] | None) -> None:
    """Give outputs without a name that of the view's column, or that of Hive if the text is Hive's.

    Spark's names of expressions (``count(1)``) are made of the expression as Spark spells it, which nothing but Spark
    does exactly.
    """
    for column in patcher.query.columns:
        if (column.derived.hive or "").startswith("char("):
            patcher.report_at(reasons.PADDED, column.text, patcher.query.text.outline.body)
    at: int | None = 0
    for item in patcher.query.text.outline.items:
        if not item.names:
            at = None  # a star, or a function whose columns are not counted here
            continue
        if item.names == (None,):
            name = columns[at].name if columns and at is not None and at < len(columns) else None
            if name is None and patcher.source == "hive" and at is not None:
                name = f"_c{at}"
            if name is None:
                text = str(patcher.query.text)[item.start : item.end]
                patcher.report_at(reasons.OUTPUT_NAME, text, item.start)
            else:
                patcher.alias(Edit(item.end, item.end, f" AS {quote_identifier(name)}"))
        at = None if at is None else at + len(item.names)
