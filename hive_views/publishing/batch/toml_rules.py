"""Rules as they are written in a file of publications.

What lives here: from a text or table of TOML to a rule. What must not: what a rule says of a partition
(readiness/rules/).

    "web.clicks ds=ds hr=00..23"                        a requirement, as the command takes it
    { any_of = ["web.clicks ds=ds", "web.calls ds=ds"] }    likewise all_of
    { negate = "web.holidays ds=ds" }
    { rule = "has_at_least", table = "web.clicks ds=ds", records = 1000 }
    { rule = "committed_with", table = "web.clicks job=[nightly] ds=ds" }
    { rule = "watermark_passed", table = "web.clicks", timestamp = { date = "ds", hour = "hr" } }
    { rule = "when", function = "package.module:function", reason = "the day is not closed" }

``rule`` is the name of a function of ``hive_views`` that makes a rule, and the other keys are its arguments. ``table``
is written as a requirement where the rule takes conditions on columns, or properties of a commit. ``timestamp`` is a
column of the view, or its columns by part of the date.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hive_views.errors import InvalidInputError
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.readiness.rules import (
    Rule,
    all_of,
    any_of,
    column,
    committed_with,
    has_at_least,
    marked_done,
    negate,
    quiet_for,
    requires,
    timestamp,
    watermark_passed,
    when,
)
from hive_views.readiness.text_form import read_described, read_partition, read_requirement

_COMPOSED: Mapping[str, Callable[..., Rule]] = {"all_of": all_of, "any_of": any_of}
_RULES: Mapping[str, Callable[..., Rule]] = {
    make.__name__: make
    for make in (requires, has_at_least, quiet_for, marked_done, committed_with, watermark_passed, when)
}
# The arguments that the text of a table's requirement holds.
_CONDITIONS = ("columns", "properties")


def read_rule(written: object) -> Rule:
    """The rule that a text or a table of the file says.

    Raises:
        InvalidInputError: no such rule or key, or a value that the rule does not take; the nearest word is named.
    """
    if isinstance(written, str):
        return read_requirement(written)
    if not isinstance(written, Mapping):
        raise InvalidInputError(f"a rule is a text such as 'web.clicks ds=ds', or a table; not {written!r}.")
    composed = [key for key in written if key in (*_COMPOSED, "negate")]
    if composed:
        return _composed(composed[0], written)
    if "rule" not in written:
        raise InvalidInputError(_unknown_shape(written))
    return _made(written)


def _composed(key: str, written: Mapping[str, object]) -> Rule:
    others = [other for other in written if other != key]
    if others:
        raise InvalidInputError(f"{key} stands alone in its table, and not beside {others[0]!r}.")
    rules = written[key]
    if key == "negate":
        return negate(read_rule(rules))
    if not isinstance(rules, Sequence) or isinstance(rules, str):
        raise InvalidInputError(f"{key} takes a list of rules, not {rules!r}.")
    return _COMPOSED[key](*(read_rule(rule) for rule in rules))


def _made(written: Mapping[str, Any]) -> Rule:
    name = written["rule"]
    if not isinstance(name, str) or name not in _RULES:
        raise InvalidInputError(f"there is no rule {name!r}. {did_you_mean(str(name), _RULES)}")
    make = _RULES[name]
    known = _keys_of(make)
    arguments = {key: value for key, value in written.items() if key != "rule"}
    _refuse_unknown(name, arguments, known)
    missing = [key for key, required in known.items() if required and key not in arguments]
    if missing:
        raise InvalidInputError(f"the rule {name} needs the key {missing[0]!r}.")
    try:
        positional = _positional(make, arguments)
        # The text of the table may have said more.
        _refuse_unknown(name, arguments, known)
        return make(*positional, **{key: _value(key, value) for key, value in arguments.items()})
    except TypeError as error:
        raise InvalidInputError(f"the rule {name} cannot be made of {dict(written)!r}: {error}.") from error


def _refuse_unknown(name: str, keys: Iterable[str], known: Iterable[str]) -> None:
    for key in keys:
        if key not in known:
            raise InvalidInputError(f"the rule {name} has no key {key!r}. {did_you_mean(key, known)}")


def _keys_of(make: Callable[..., Rule]) -> dict[str, bool]:
    """The keys of a rule's table, and whether each is needed; conditions are inside ``table``."""
    parameters = inspect.signature(make).parameters.values()
    return {
        one.name: one.default is one.empty
        for one in parameters
        if one.kind is not one.VAR_KEYWORD and one.name not in _CONDITIONS
    }


def _positional(make: Callable[..., Rule], arguments: dict[str, Any]) -> list[object]:
    """What the rule takes by position, taken out of the arguments; options in the text of a table are put in."""
    parameters = inspect.signature(make).parameters
    if "table" not in parameters:
        return []
    table = arguments.pop("table")
    if not isinstance(table, str):
        raise InvalidInputError(f"the key table is a text, not {table!r}.")
    if any(name in parameters for name in _CONDITIONS):
        described = read_described(table)
        for key, value in described.options.items():
            if key in arguments:
                raise InvalidInputError(f"{key} stands in the text of the table and beside it; say it once.")
            arguments[key] = value
        return [described.table, described.columns]
    return [table, _timestamp(arguments.pop("timestamp"))] if "timestamp" in parameters else [table]


def _value(key: str, value: Any) -> object:
    if key == "function":
        return _imported(value)
    if key == "known_empty" and isinstance(value, list):
        return [read_partition(one) if isinstance(one, str) else one for one in value]
    return value


def _timestamp(written: object) -> object:
    if isinstance(written, str):
        return column(written)
    if not isinstance(written, Mapping) or not all(isinstance(name, str) for name in written.values()):
        raise InvalidInputError(f"the key timestamp is a column of the view, or its columns by part; not {written!r}.")
    parts = {part: column(name) for part, name in written.items()}
    date = parts.pop("date", None)
    return timestamp(date, **parts)


def _imported(written: object) -> Callable[..., Any]:
    module, _, name = written.partition(":") if isinstance(written, str) else ("", "", "")
    if not module or not name:
        raise InvalidInputError(f"a function is written 'package.module:function', not {written!r}.")
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InvalidInputError(f"cannot import the function {written!r}: {error}.") from error
    return found


def _unknown_shape(written: Mapping[str, object]) -> str:
    known = ("rule", *_COMPOSED, "negate")
    key = next(iter(written), "")
    return f"a rule's table has one of the keys {', '.join(known)}, not {key!r}. {did_you_mean(key, known)}"
