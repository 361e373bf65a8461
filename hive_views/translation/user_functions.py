"""Functions of users (UDFs): what the setting ``udfs`` says of them, and which calls of a text are theirs.

    {"mask_ip": {"type": "string", "arguments": ["string"], "hive": ["default.mask_ip", "mask_ip"],
                 "spark": "mask_ip", "trino": "lake.udf.mask_ip"}}

Nothing of it is proved: that the functions answer the same, and the same for the same arguments, is what the user says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hive_views.errors import InvalidInputError, InvalidSchemaError
from hive_views.hive.types import parse_hive_type
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.translation.engine_functions import engines, functions_of
from hive_views.translation.translation_findings import Kind, Reason

UDF = Reason(
    "udf", Kind.UNSUPPORTED, "it is a function of users (UDF), and the setting udfs does not say how to call it"
)

_PARTS = {"hive": 2, "spark": 3, "trino": 3}
"""How many parts the name of a function may have in each dialect."""

_KEYS = ("type", "arguments", *_PARTS)
_PART = re.compile(r"[^\s.,;()'\"`\x00-\x1f\x7f]+")
_CATALOG = "spark_catalog."


@dataclass(frozen=True)
class UserFunction:
    """One function, of values: not an aggregate, and not one that makes rows.

    Attributes:
        entry: its key in the setting, which messages name.
        type: of its result, as Hive spells types.
        arguments: their types, likewise.
        names: of the function in each dialect that has it, as written in the setting; the first one is written in
            translations.
    """

    entry: str
    type: str
    arguments: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]


def read_user_functions(udfs: Mapping[str, Any]) -> tuple[UserFunction, ...]:
    """The functions of the setting ``udfs``.

    Raises:
        InvalidInputError: an entry has no type or no arguments, names fewer than two dialects, a name is none, is that
            of a function of the engine, or stands in several entries; the error names the entry.
    """
    if not isinstance(udfs, Mapping):
        raise InvalidInputError("udfs must have an entry for each function: {name = {type = ..., arguments = [...]}}.")
    found = tuple(_read(str(entry), given) for entry, given in udfs.items())
    for dialect in ("hive", "spark"):
        # Several functions of Hive can be one of Trino, which takes more types; a call must mean one of them.
        spelled = Counter(name.lower() for one in found for name in one.names.get(dialect, ()))
        for one in found:
            for name in one.names.get(dialect, ()):
                if spelled[name.lower()] > 1:
                    raise _invalid(one.entry, f"{dialect} = {name!r} is there twice; a function has one entry")
    return found


def called_functions(functions: Sequence[UserFunction], dialect: str) -> dict[str, UserFunction]:
    """Functions by each name that a text in a dialect may call them by, in lower case.

    A name without a database means what the session has by it, which no text tells: it is one of its own.
    """
    found: dict[str, UserFunction] = {}
    for one in functions:
        for name in one.names.get(dialect, ()):
            found[name.lower()] = one
            if dialect == "spark" and name.count(".") == 1:
                found[_CATALOG + name.lower()] = one
    return found


def engines_with(name: str, dialect: str) -> tuple[str, ...]:
    """The releases of the engine of a dialect that have a function of their own by a name."""
    known = (engine for engine in engines() if engine.startswith(dialect))
    return tuple(engine for engine in known if name in functions_of(engine).all)


def unknown_function(name: str, dialect: str) -> Reason | None:
    """Why a function is not known that no release of the engine has; None for a function of the engine."""
    return None if engines_with(name, dialect) else UDF.because(f"it has no entry for {name}")


def _read(entry: str, given: Any) -> UserFunction:
    if not isinstance(given, Mapping):
        raise _invalid(entry, "it must have type, arguments, and the function's name in each dialect")
    for key in given:
        if key not in _KEYS:
            raise _invalid(entry, f"there is no key {str(key)!r}. {did_you_mean(str(key), _KEYS)}".rstrip("."))
    arguments = given.get("arguments")
    if not isinstance(arguments, (list, tuple)):
        raise _invalid(entry, 'it needs arguments, the list of their types: ["string", "int"]; [] for none')
    names = dict(_names(entry, given))
    if len(names) < 2:
        raise _invalid(entry, 'it needs the function\'s name in two dialects or more: hive = "...", trino = "..."')
    return UserFunction(
        entry,
        _type(entry, "type", given.get("type")),
        tuple(_type(entry, "arguments", one) for one in arguments),
        names,
    )


def _type(entry: str, key: str, given: Any) -> str:
    if not isinstance(given, str):
        raise _invalid(entry, f'{key} needs a type as Hive spells it, such as "string"')
    try:
        return str(parse_hive_type(given))
    except InvalidSchemaError as error:
        raise _invalid(entry, f"{key} {given!r} is no type of Hive ({error.message.rstrip('.')})") from error


def _names(entry: str, given: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for dialect in _PARTS:
        names = given.get(dialect)
        if names is None:
            continue
        listed = names if isinstance(names, (list, tuple)) and names else [names]
        for name in listed:
            _check_name(entry, dialect, name)
        yield dialect, tuple(_without_catalog(name) if dialect == "spark" else name for name in listed)


def _check_name(entry: str, dialect: str, name: Any) -> None:
    parts = name.split(".") if isinstance(name, str) else []
    if not 0 < len(parts) <= _PARTS[dialect] or not all(map(_PART.fullmatch, parts)):
        most = _PARTS[dialect]
        raise _invalid(entry, f"{name!r} is no name of a function in {dialect}: one to {most} parts, without quotes")
    having = engines_with(name.lower(), dialect)
    if having:
        raise _invalid(
            entry,
            f"{having[0]} has a function {name.lower()} of its own, which this cannot replace; name yours with its "
            f"database, as default.{name}",
        )


def _without_catalog(name: str) -> str:
    """A name in Spark without the catalog that is the metastore, whose functions Hive has, too."""
    is_in_it = name.count(".") == 2 and name.lower().startswith(_CATALOG)
    return name[len(_CATALOG) :] if is_in_it else name


def _invalid(entry: str, problem: str) -> InvalidInputError:
    return InvalidInputError(f"Cannot use the entry {entry!r} of udfs: {problem}.", key="udfs")
