"""How values are written on the command line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import click

from hive_views.cli.shell.invocation import Invocation
from hive_views.errors import InvalidInputError, InvalidSchemaError
from hive_views.hive.columns import ColumnsInput
from hive_views.hive.durations import read_duration
from hive_views.hive.partition_names import read_partition
from hive_views.messages.legible import legible, legible_line
from hive_views.spec.schema import Schema
from hive_views.sql.dialects import check_dialect

_Function = TypeVar("_Function", bound=Callable[..., Any])

_COLUMN = re.compile(r"\s*(`[^`]+`|\S+)\s+(.+?)(?:\s+(?:comment\s+)?'((?:[^']|'')*)')?\s*", re.IGNORECASE | re.DOTALL)


def duration_given(_: click.Context, __: click.Parameter, text: str | None) -> timedelta | None:
    """A number with a unit, as the callback of an option."""
    if text is None:
        return None
    found = read_duration(text)
    if found is not None:
        return found
    raise click.BadParameter(f"{text!r} is not a number with a unit, such as 30d, 12h, 90min or 60s.")


def script_options(function: _Function) -> _Function:
    """``SQL`` or ``--file``, and the options that say how statements are read."""
    options = (
        click.argument("sql", required=False),
        click.option("-f", "--file", metavar="FILE", help="Read the statements from FILE, or from stdin if it is -."),
        click.option(
            "--database", default="default", show_default=True, metavar="NAME", help="Database of unqualified names."
        ),
        click.option("--dialect", default="hive", show_default=True, help="Dialect of the queries: hive or spark."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def script_given(invocation: Invocation, sql: str | None, file: str | None, *, hint: str = "--file") -> str:
    """The text of a script, which errors show as that of its file; ``hint`` is what they call its argument."""
    if (sql is None) == (file is None):
        raise click.UsageError("Specify either SQL or --file.")
    name, text = "SQL", sql or ""
    if file is not None:
        try:
            with click.open_file(file, encoding="utf-8-sig") as lines:
                name, text = file, lines.read()
        except (OSError, UnicodeDecodeError) as error:
            raise click.BadParameter(legible_line(f"cannot read {file}: {error}."), param_hint=hint) from error
    invocation.script = (name, text)
    return text


def _pair(text: str, what: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator or not key:
        raise click.BadParameter(f"{text!r} is not {what}.")
    return key, value


def texts_option(*, required: bool) -> Callable[[_Function], _Function]:
    """``--sql DIALECT=FILE``, several times: the texts by dialect."""

    def read(ctx: click.Context, _: click.Parameter, values: Sequence[str]) -> dict[str, str]:
        texts = ctx.ensure_object(Invocation).texts
        for value in values:
            dialect, file = _pair(value, "DIALECT=FILE")
            with as_usage():
                dialect = check_dialect(dialect)
            if dialect in texts:
                raise click.BadParameter(f"dialect {dialect!r} is given twice.")
            try:
                with click.open_file(file, encoding="utf-8-sig") as lines:
                    texts[dialect] = (file, lines.read())
            except (OSError, UnicodeDecodeError) as error:
                raise click.BadParameter(legible_line(f"cannot read {file}: {error}.")) from error
        return {dialect: text for dialect, (_, text) in texts.items()}

    return click.option(
        "--sql",
        "texts",
        multiple=True,
        required=required,
        metavar="DIALECT=FILE",
        callback=read,
        help="The query in a dialect (hive, spark, trino, ..., or other:NAME), read from FILE, or from stdin if FILE "
        "is -; once per dialect.",
    )


def translation_options(function: _Function) -> _Function:
    """``--translate DIALECT[=SOURCE]`` and ``--allow CODE``, several times each."""

    def read(_: click.Context, __: click.Parameter, values: Sequence[str]) -> dict[str, str | None]:
        asked: dict[str, str | None] = {}
        for value in values:
            dialect, separator, source = value.partition("=")
            with as_usage():
                dialect = check_dialect(dialect)
                if dialect in asked:
                    raise click.BadParameter(f"dialect {dialect!r} is given twice.")
                asked[dialect] = check_dialect(source) if separator else None
        return asked

    translate = click.option(
        "--translate",
        "asked",
        multiple=True,
        metavar="DIALECT[=SOURCE]",
        callback=read,
        help="Dialect whose SQL is translated from that in another one (hive or, without it, spark), now and whenever "
        "that changes; repeatable.",
    )
    allow = click.option(
        "--allow",
        multiple=True,
        metavar="CODE",
        help="Accept differences with this code in what is translated; repeatable.",
    )
    return translate(allow(function))


def with_sources(asked: Mapping[str, str | None], written: Collection[str]) -> dict[str, str]:
    """By dialect, the one that its SQL is translated from: where none is given, the first of ``hive`` and ``spark``.

    Args:
        asked: as ``--translate`` gives it.
        written: the dialects in which there is SQL that is not itself translated.
    """
    found: dict[str, str] = {}
    for target, source in asked.items():
        others = [one for one in ("hive", "spark") if one not in asked]
        found[target] = source or next(
            (one for one in others if one in written), "hive" if target != "hive" else "spark"
        )
    return found


def schema_options(function: _Function) -> _Function:
    """``--column``, ``--schema`` and ``--schema-from-spark``."""

    def read_columns(_: click.Context, __: click.Parameter, values: Sequence[str]) -> list[tuple[str, ...]]:
        return [_column(value) for value in values]

    columns = click.option(
        "--column",
        "columns",
        multiple=True,
        metavar="'NAME TYPE [COMMENT]'",
        callback=read_columns,
        help="A column in Hive's syntax, such as \"clicks bigint 'how often'\"; once per column, in the query's order.",
    )
    schema = click.option(
        "--schema",
        "schema_file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="JSON file with an Iceberg schema, or with columns as `show --output json` lists them.",
    )
    from_spark = click.option(
        "--schema-from-spark", is_flag=True, help="Derive the columns of the query with a local Spark session."
    )
    return columns(schema(from_spark(function)))


def _column(text: str) -> tuple[str, ...]:
    found = _COLUMN.fullmatch(text)
    if not found:
        raise click.BadParameter(f"{text!r} is not a name and a type, such as \"clicks bigint 'how often'\".")
    name, type_, comment = found.groups()
    return (name.strip("`"), type_) if comment is None else (name.strip("`"), type_, comment.replace("''", "'"))


def columns_given(columns: list[tuple[str, ...]], schema_file: Path | None, *, from_spark: bool) -> ColumnsInput | None:
    """The columns by ``--column`` or ``--schema``; None where there are none, or Spark is to derive them.

    Raises:
        click.UsageError: more than one of the options was given.
        InvalidSchemaError: the file has no columns.
    """
    if sum(map(bool, (columns, schema_file, from_spark))) > 1:
        raise click.UsageError("Specify at most one of --column, --schema and --schema-from-spark.")
    return read_schema(schema_file) if schema_file else columns or None


def read_schema(file: Path) -> ColumnsInput:
    """The columns in a JSON file.

    Raises:
        InvalidSchemaError: neither an Iceberg schema nor a list of columns with name, type and comment.
    """
    try:
        found = json.loads(file.read_bytes())
        if isinstance(found, dict) and "fields" in found:
            # A version gives a schema its id, whatever it had.
            return Schema.model_validate({"schema-id": 0, **found})
        found = found["columns"] if isinstance(found, dict) else found
        return [(one["name"], one["type"], one.get("comment")) for one in found]
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidSchemaError(
            f"Cannot read {file}: it is neither an Iceberg schema nor a list of objects with name, type and comment "
            f"({error}).",
            location=str(file),
        ) from error


def version_options(default: str) -> Callable[[_Function], _Function]:
    """``--version``, ``--tag`` and ``--as-of``, of which one may be given.

    Args:
        default: which version it is where none of them is given; "" where one of them must be.
    """
    shown = f" [default: {default}]" if default else ""
    version = click.option("--version", type=int, metavar="ID", help=f"The version with this ID{shown}.")
    tag = click.option("--tag", metavar="TAG", help="The version with this tag.")
    as_of = click.option(
        "--as-of",
        metavar="TIME",
        help="The version that was current at this time, such as 2026-08-01T12:00; UTC unless a time zone is given.",
    )
    return lambda function: version(tag(as_of(function)))


def read_pairs(_: click.Context, __: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    """Callback of options that take KEY=VALUE."""
    return dict(_pair(value, "KEY=VALUE") for value in values)


def read_names(_: click.Context, __: click.Parameter, values: Sequence[str]) -> list[str]:
    """Callback of options that take names, one each or comma-separated."""
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


def read_dialects(ctx: click.Context, parameter: click.Parameter, values: Sequence[str]) -> list[str]:
    """Callback of options that take dialects, one each or comma-separated."""
    with as_usage():
        return [check_dialect(name) for name in read_names(ctx, parameter, values)]


def read_spec(text: str) -> dict[str, str]:
    """The values of a partition: ``ds=2026-08-21,hr=7``, or its name as Hive writes it (``ds=2026-08-21/hr=7``)."""
    with as_usage():
        return read_partition(text)


def read_specs(values: Iterable[str]) -> list[dict[str, str]]:
    """Partitions from arguments; ``-`` stands for the lines of stdin."""
    lines: list[str] = []
    for value in values:
        lines += _lines_of_stdin() if value == "-" else [value]
    return [read_spec(line) for line in lines if line.strip()]


def _lines_of_stdin() -> list[str]:
    try:
        return sys.stdin.read().splitlines()
    except UnicodeDecodeError as error:
        raise click.BadParameter(f"cannot read stdin: {error}.") from error


@contextmanager
def as_usage() -> Iterator[None]:
    """Report wrong input as the wrong value of an option."""
    try:
        yield
    except InvalidInputError as error:
        raise click.BadParameter(legible(str(error))) from error
