"""Types on which Hive and Spark differ, as far as one item of a select list shows it.

The differences are those seen between Hive 2.3.10 and 4.0.1 and Spark 4.1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sqlglot import exp

_STRINGS_IN_HIVE = re.compile(r"\s*(?:add_months|last_day|next_day|trunc)\s*\(", re.IGNORECASE)
"""Functions of dates whose results are strings in Hive."""


def differing_types(item: exp.Expr, written: str) -> Mapping[str, str | None]:
    """See hive_names.NamedItem.differs; ``written`` is the text of the item with its alias."""
    root: Any = item.unalias().unnest()
    if isinstance(root, exp.Cast):
        has_length = root.to.this in (exp.DType.NCHAR, exp.DType.NVARCHAR)
        return {"string": root.to.sql("hive").lower()} if has_length else {}
    if isinstance(root, exp.Func) and _STRINGS_IN_HIVE.match(written):
        return {"date": "string"}
    numbers = (literal.name for literal in item.find_all(exp.Literal) if not literal.is_string)
    return {"decimal": None} if any("." in number and number.endswith("0") for number in numbers) else {}
