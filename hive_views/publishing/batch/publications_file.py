"""A file of publications in TOML.

[defaults]                                  # options of every publication that does not say otherwise
app_id = "nightly"

[[publication]]
view = "sales.daily_clicks"
rules = [                                   # all of them must let a partition pass
    'requires("web.clicks", ds=column("ds"), hr=range(24))',
    'requires("web.calls", ds=column("ds")) | requires("web.no_calls", ds=column("ds"))',
]
since = "ds=2026-08-01"
strict = true                               # or values to judge by: { region = "eu" }; on Spark only
parameters = { team = "web" }
metastore_only = true                       # list no directories of Hive partitions, for revalidate
max_fingerprints = 100000                   # the most Hive partitions that are recorded for it in one run
notify = ["https://ops.example/events"]     # files and URLs that get an event for each declared or retracted partition
expected = "daily"                          # hourly, daily, weekly, monthly, a cron expression, or a list of values
late_after = "6h"                           # after the end of the day
time_zone = "Europe/Berlin"
expected_columns = { ds = "yyyy-MM-dd" }    # how the time is written, or all values of another column; see Expectation
known_empty = ["ds=2026-12-25"]             # days that will never come
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from hive_views.errors import InvalidInputError
from hive_views.hive.partition_names import read_partition
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.publishing.batch.publication import Publication, check_publications
from hive_views.publishing.request import MAX_FINGERPRINTS
from hive_views.readiness.expectation import EXPECTATION_OPTIONS, expectation_of
from hive_views.readiness.language import read_rule

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_TOP = ("defaults", "publication")
_NOT_DEFAULTS = ("name", "view")


def read_publications(path: str | os.PathLike[str]) -> list[Publication]:
    """The publications in a file, each checked, and against each other.

    Versions may be missing that the run gives (``Publication.as_run``); ``check_publications`` sees to them.

    Raises:
        InvalidInputError: the file cannot be read, has an unknown key (the nearest known one is named), a value of the
            wrong kind, a rule that cannot be read, or publications that contradict each other.
    """
    file = Path(path).expanduser()
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInputError(f"Cannot read the publications in {file}: {error}.", location=str(file)) from error
    for key in content:
        if key not in _TOP:
            raise InvalidInputError(f"{file}: there is no key {key!r} at the top. {did_you_mean(key, _TOP)}", key=key)
    defaults, tables = content.get("defaults", {}), content.get("publication", [])
    if not isinstance(defaults, dict) or not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        raise InvalidInputError(f"{file}: write publications as [[publication]], and defaults as [defaults].")
    if not tables:
        raise InvalidInputError(f"{file}: there is no [[publication]].")
    known = [key for key in _Written.model_fields if key not in _NOT_DEFAULTS]
    _refuse_unknown(f"{file}, defaults", defaults, known)
    found = [_read(f"{file}, publication {n}", {**defaults, **table}) for n, table in enumerate(tables, start=1)]
    try:
        # A version that is missing may be given by the run.
        check_publications([one.as_run(None, 0 if one.run_version is None else None) for one in found])
    except InvalidInputError as error:
        raise replace(error, message=f"{file}: {error}", location=str(file)) from error
    return found


def _partition(written: object) -> object:
    return read_partition(written) if isinstance(written, str) else written


_Partition = Annotated[dict[str, Any], BeforeValidator(_partition)]


def _strict(written: object) -> object:
    if isinstance(written, str) and "=" in written:
        return read_partition(written)
    if not isinstance(written, (bool, Mapping)):
        raise InvalidInputError(f"it must be true, false, or values such as 'region=eu', not {written!r}.")
    return written


class _Written(BaseModel):
    """The keys of a publication, with the kinds of their values."""

    model_config = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True)

    view: str
    name: str = ""
    rules: list[Annotated[Any, BeforeValidator(read_rule)]] = Field(default=[])
    partitions: list[_Partition] | None = None
    since: _Partition | None = None
    until: _Partition | None = None
    app_id: str | None = None
    run_version: int | None = None
    retract: bool = False
    strict: Annotated[bool | dict[str, Any], BeforeValidator(_strict)] = False
    parameters: dict[str, str] = Field(default={})
    record_reads: bool = False
    metastore_only: bool = False
    max_fingerprints: int = MAX_FINGERPRINTS
    notify: list[str] | str = Field(default=[])
    expected: str | list[str | int] | None = None
    late_after: str | None = None
    time_zone: str | None = None
    expected_columns: dict[str, str | list[str | int]] = Field(default={})
    known_empty: list[_Partition] = Field(default=[])


def _read(where: str, table: Mapping[str, Any]) -> Publication:
    if isinstance(table.get("view"), str):
        where += f" ({table['view']})"
    _refuse_unknown(where, table, _Written.model_fields)
    try:
        written = _Written.model_validate(dict(table))
    except ValidationError as error:
        [first, *_] = error.errors(include_url=False, include_input=False, include_context=False)
        key, *inside = first["loc"]
        item = f"[{inside[0] + 1}]" if inside and isinstance(inside[0], int) else ""
        problem = first["msg"].removeprefix("Value error, ")
        end = "" if problem.endswith((".", "^")) else "."
        raise InvalidInputError(f"{where}, key {key}{item}: {problem}{end}", key=str(key)) from error
    options = written.model_dump(exclude={"rules", "partitions", *EXPECTATION_OPTIONS})
    try:
        expected = expectation_of(**written.model_dump(include={*EXPECTATION_OPTIONS}))
        return Publication(rules=written.rules, candidates=written.partitions, expected=expected, **options)
    except InvalidInputError as error:
        raise replace(error, message=f"{where}: {error}") from error


def _refuse_unknown(where: str, table: Mapping[str, object], known: Any) -> None:
    for key in table:
        if key not in known:
            raise InvalidInputError(f"{where}: there is no key {key!r}. {did_you_mean(key, known)}", key=key)
