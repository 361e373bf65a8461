"""Errors on stderr: as text, or as one line of JSON."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from typing import Any

import click

from hive_views.cli.shell.exit_codes import ExitCode, exit_code_of
from hive_views.cli.shell.findings_of_translation import finding_document, refusal_lines, refusal_sentence
from hive_views.cli.shell.invocation import Invocation
from hive_views.errors import HiveViewsError, NoSuchTableError, SQLSyntaxError, TranslationRefusedError
from hive_views.messages.credentials import hide_credentials
from hive_views.messages.enumerated import first_of
from hive_views.messages.legible import legible, legible_json
from hive_views.sql.syntax_errors import excerpt

_MAX_NAMES = 10
# Shown elsewhere, or only of use in Python.
_NO_DETAILS = ("message", "remedy", "answer", "script")


class Interrupted(click.ClickException):
    """The user interrupted a change that takes several steps.

    Args:
        message: what was done, and how to do the rest.
        **details: the same for JSON.
    """

    exit_code = ExitCode.INTERRUPTED

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details = details


def show_error(error: BaseException, invocation: Invocation) -> ExitCode:
    """Print an error, with JSON output as the last line of stderr, and return the exit code."""
    code = _code_of(error)
    if invocation.verbose and not isinstance(error, click.ClickException | click.Abort):
        click.echo(legible(hide_credentials("".join(traceback.format_exception(error)))), err=True, nl=False)
    if invocation.output == "json":
        document = {
            "class": type(error).__name__,
            "code": code.name.lower(),
            "exit_code": int(code),
            "message": _message(error, verbose=invocation.verbose),
            "details": _plain(_details(error)),
        }
        click.echo(legible_json(json.dumps({"error": document})), err=True)
    elif isinstance(error, click.UsageError):
        error.show()
    else:
        message = _message(error, verbose=invocation.verbose)
        if isinstance(error, TranslationRefusedError):
            message = refusal_sentence(error)
        click.echo(f"{click.style('Error:', fg='red')} {legible(message)}", err=True)
        if isinstance(error, HiveViewsError):
            click.echo(legible(details_below(error, invocation)), err=True, nl=False)
    return code


def _code_of(error: BaseException) -> ExitCode:
    if isinstance(error, HiveViewsError):
        return exit_code_of(error)
    if isinstance(error, click.Abort):
        return ExitCode.INTERRUPTED
    return ExitCode(error.exit_code) if isinstance(error, click.ClickException) else ExitCode.ERROR


def _message(error: BaseException, *, verbose: bool) -> str:
    if isinstance(error, HiveViewsError):
        return error.shell_message
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, click.Abort):
        return "Interrupted."
    more = "" if verbose else " Run `hive-views --verbose ...` for the traceback."
    return hide_credentials(
        f"Unexpected error, in hive-views or on this machine: {type(error).__name__}: {error}.{more}"
    )


def _details(error: BaseException) -> dict[str, Any]:
    if isinstance(error, HiveViewsError):
        found = {one.name: getattr(error, one.name) for one in fields(error) if one.name not in _NO_DETAILS}
        if isinstance(error, TranslationRefusedError):
            found |= {"source": error.source[0], "findings": [finding_document(one) for one in error.findings]}
        return {name: value for name, value in found.items() if value not in (None, (), [], "", False)}
    return error.details if isinstance(error, Interrupted) else {}


def _plain(value: Any) -> Any:
    """The value as JSON: other types become strings, and passwords are hidden."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    return value if isinstance(value, bool | int | float) else hide_credentials(str(value))


def details_below(error: HiveViewsError, invocation: Invocation) -> str:
    """What is shown below the message of an error: positions in the SQL, and what was done before it."""
    if isinstance(error, TranslationRefusedError):
        texts = {error.source[0]: invocation.script} if invocation.script else invocation.texts
        lines = "".join(f"{line}\n" for line in refusal_lines(error, texts))
        return hide_credentials(lines) + _done_before(error)
    return _pointer_to(error, invocation) + _done_before(error)


def _done_before(error: HiveViewsError) -> str:
    done = [("added", error.added), ("dropped", error.dropped)]
    return "".join(f"Before that, {first_of(names, _MAX_NAMES)} had been {verb}.\n" for verb, names in done if names)


def _pointer_to(error: HiveViewsError, invocation: Invocation) -> str:
    """The line of SQL with the error, and a caret under its position; "" if that is unknown."""
    if not isinstance(error, (SQLSyntaxError, NoSuchTableError)) or error.line is None:
        return ""
    source = invocation.script or invocation.texts.get(error.dialect or "")
    if source is None:
        return ""
    file, text = source
    if error.line > text.count("\n") + 1:
        return ""
    return f"{file}:{error.line}:{error.column or 1}\n{excerpt(text, error)}\n"
