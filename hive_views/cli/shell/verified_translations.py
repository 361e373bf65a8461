"""Translated SQL of a view that engines verify before it is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from typing import Any, TypeVar

import click

from hive_views.cli.shell.arguments import duration_given
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation
from hive_views.cli.shell.output import emit
from hive_views.cli.shell.progress import waiting
from hive_views.engines.connecting import dialect_of
from hive_views.engines.verifying import verify_view
from hive_views.messages.legible import legible_line
from hive_views.translation import Proof
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View

_Function = TypeVar("_Function", bound=Callable[..., Any])

engines_option = click.option(
    "--verify",
    "engines",
    metavar="ENGINE",
    multiple=True,
    help="Have an engine check the translated SQL: spark, trino://user@host:8080/catalog or hive://user@host:10000; "
    "repeatable.",
)
rows_option = click.option("--verify-rows", "rows", metavar="N", type=int, help="Run both queries, and compare N rows.")
timeout_option = click.option(
    "--timeout",
    metavar="DURATION",
    default="5m",
    show_default=True,
    callback=duration_given,
    help="How long Hive or Trino may take for each query.",
)


@dataclass(frozen=True)
class Verifying:
    """What engines are asked of translated SQL: addresses, how many rows are compared, and how long they may take."""

    engines: Sequence[str]
    rows: int | None
    timeout: timedelta

    def __bool__(self) -> bool:
        return bool(self.engines)


def verification_options(function: _Function) -> Any:
    """``--verify``, ``--verify-rows`` and ``--timeout``, as one argument ``verifying``, false if nothing is asked."""

    @wraps(function)
    def with_verifying(
        *arguments: Any, engines: Sequence[str], rows: int | None, timeout: timedelta, **named: Any
    ) -> Any:
        if rows is not None and not engines:
            raise click.UsageError("--verify-rows needs --verify.")
        return function(*arguments, verifying=Verifying(engines, rows, timeout), **named)

    return engines_option(rows_option(timeout_option(with_verifying)))


def change_with_proofs(
    invocation: Invocation,
    catalog: ViewCatalog,
    verifying: Verifying,
    change: Callable[[ViewCatalog, Sequence[Proof]], View],
) -> View:
    """The view after a change, with what engines confirm of its translated SQL; ends with 6 if they do not.

    The change is first made on a copy, whose SQL the engines get. Nothing is stored if one finds a difference.
    """
    if not verifying:
        return change(catalog, ())
    with catalog.dry_run() as copy:
        planned = change(copy, ())
    proofs: list[Proof] = []
    found: dict[str, Any] = {}
    is_verified = True
    for dialect, record in planned.translations.items():
        engines = [one for one in verifying.engines if dialect_of(one) in (dialect, record.source)]
        if dialect not in map(dialect_of, engines):
            continue
        with waiting("Verifying"):
            seconds = verifying.timeout.total_seconds()
            verified = verify_view(planned, dialect, engines, rows=verifying.rows, catalog=catalog, timeout_s=seconds)
        proofs += verified.proofs
        found[dialect] = verified.document()
        is_verified &= verified.is_verified
        if invocation.output != "json":
            for line in verified.lines():
                click.echo(legible_line(line), err=True)
    if not found:
        raise click.UsageError("--verify is for translated SQL in the dialect of the engine: there is none.")
    if not is_verified:
        document = {"identifier": str(planned.identifier), "changed": False, "verification": found}
        emit(invocation, document, f"{planned.identifier} is not changed: an engine finds a difference.")
        click.get_current_context().exit(ExitCode.CHECK_FAILED)
    return change(catalog, proofs)
