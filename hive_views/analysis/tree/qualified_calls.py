"""Calls of functions by the names of their databases, as calls of one name: ``web.mask(ip)`` calls ``web.mask``."""

from __future__ import annotations

from typing import Any

from sqlglot import exp


def with_qualified_names(tree: Any, dialect: str) -> Any:
    """The tree, in which calls that sqlglot has as fields of databases are ``exp.Anonymous``, placed at the whole name.

    A name in backticks is without them; in Hive, ``web.mask`` in one pair of backticks is the same name.
    """
    for call in list(tree.find_all(exp.Anonymous)):
        quoted = isinstance(call.this, exp.Identifier)
        if quoted and (dialect == "hive" or "." not in call.this.name):
            _name(call, [call.this])
        parent = call.parent
        if not isinstance(parent, exp.Dot) or parent.expression is not call:
            continue
        parts = _names(parent.this)
        if parts is not None:
            _name(call, [*parts, call])
            parent.replace(call)
    return tree


def _names(node: Any) -> list[Any] | None:
    """The names in front of the last one; None where they are more than names."""
    if isinstance(node, exp.Identifier):
        return [node]
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        before = _names(node.this)
        return None if before is None else [*before, node.expression]
    return None


def _name(call: exp.Anonymous, parts: list[Any]) -> None:
    call.set("this", ".".join(part.name for part in parts))
    first = parts[0].meta.get("start")
    if first is not None:
        call.meta["start"] = first
