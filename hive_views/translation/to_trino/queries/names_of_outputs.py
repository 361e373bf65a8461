"""The names of the outputs of a query: those without an alias are called as the source calls them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from hive_views.sql.hive_names import hive_names, named_items
from hive_views.sql.parser.outlines import branches
from hive_views.translation.names_without_alias import names_of_items
from hive_views.translation.to_trino.queries.compiling_queries import CompilingQueries
from hive_views.translation.translation_findings import Kind, Reason

OTHER_NAME = Reason(
    "other-name",
    Kind.EDGE,
    "outputs without an alias get other names; add AS and a name to them",
    (
        ("Hive", "releases differ in the names of windows"),
        ("Spark", "makes a name of the expression as it spells it"),
        ("Trino", "_c and a number in the translation, or the name in Hive 4"),
    ),
)
_OF_WINDOW = re.compile(r"\w+_window_\d+")


def all_names(query: exp.Query, names: Sequence[str | None], compiling: CompilingQueries) -> list[str]:
    """The names of all outputs.

    Args:
        query: its node.
        names: those that its text says; None for the others.
        compiling: the translation.
    """
    numbered = [name or f"_c{number}" for number, name in enumerate(names)]
    whole = compiling.query
    if branches(query)[0] is not branches(whole.tree)[0] or None not in names:
        return numbered
    if compiling.source == "hive":
        # Whether a name is that of a table or a view is not known here.
        found = hive_names(named_items(whole.text), numbered, lambda _: True)
        if any(name is None and _OF_WINDOW.fullmatch(mine) for name, mine in zip(names, found, strict=True)):
            compiling.report(query, OTHER_NAME)
        return found
    own = names_of_items(whole.text)
    if any(len(item.names) != 1 for item in whole.text.outline.items):
        own = (None,) * len(names)
    if any(name is None and mine is None for name, mine in zip(names, own, strict=True)):
        compiling.report(query, OTHER_NAME)
    return [name or mine or number for name, mine, number in zip(names, own, numbered, strict=True)]
