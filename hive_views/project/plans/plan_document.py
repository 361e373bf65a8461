"""Plans as JSON: to be shown, kept in a file, and applied later, exactly as they were made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from pydantic import TypeAdapter, ValidationError

from hive_views.errors import InvalidInputError
from hive_views.messages.remedy import Remedy
from hive_views.project.plans.project_plan import PLAN_FORMAT, PLAN_FORMAT_OF_TRANSLATIONS, Plan
from hive_views.spec.strict_json import read_json
from hive_views.storage.atomic_writes import copy_durably

_FORMAT, _SUM = "format-version", "sha256"
_PLAN_AGAIN = Remedy(
    in_python="Plan again, and save the plan with hive_views.project.write_plan.",
    in_shell="Plan again: `hive-views plan DIR -o FILE`.",
)


def to_document(plan: Plan) -> dict[str, Any]:
    """A plan as JSON holds it, with a checksum, by which one that was changed since is found."""
    found = _PLAN.dump_python(plan, mode="json")
    has_translations = [_drop_empty(step) for step in found["steps"]]
    document = {_FORMAT: PLAN_FORMAT_OF_TRANSLATIONS if any(has_translations) else PLAN_FORMAT, **found}
    return {**document, _SUM: _sum_of(document)}


def _drop_empty(step: dict[str, Any]) -> bool:
    """Whether a step has translations; the keys for those of one without any are left out, as before there were any."""
    places = [one for one in ((step, "translated"), (step["definition"], "translations")) if one[0] is not None]
    kept = [part[key] or part.pop(key) for part, key in places]
    return any(kept)


def from_document(document: object) -> Plan:
    """The plan that ``to_document`` wrote.

    Raises:
        InvalidInputError: it is no plan, one of another format version, or was changed since.
    """
    if not isinstance(document, dict) or _FORMAT not in document:
        raise _unreadable("it is not the JSON of a plan")
    content = dict(document)
    if content[_FORMAT] not in (PLAN_FORMAT, PLAN_FORMAT_OF_TRANSLATIONS):
        raise _unreadable(
            f"it has the format version {content[_FORMAT]}, and this hive_views reads versions {PLAN_FORMAT} and "
            f"{PLAN_FORMAT_OF_TRANSLATIONS}"
        )
    if content.pop(_SUM, None) != _sum_of(content):
        raise _unreadable("it was changed since it was written, or is damaged (its checksum differs)")
    del content[_FORMAT]
    try:
        return _PLAN.validate_json(json.dumps(content), strict=True)
    except ValidationError as error:
        [first, *_] = error.errors(include_url=False, include_input=False)
        where = ".".join(map(str, first["loc"]))
        raise _unreadable(f"{where}: {first['msg']}") from error


def write_plan(plan: Plan, path: str | Path) -> None:
    """Write a plan to a file, completely or not at all; a file that is there is replaced.

    Raises:
        InvalidInputError: the file cannot be written.
    """
    text = json.dumps(to_document(plan), indent=1, ensure_ascii=False)
    try:
        with NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(f"{text}\n")
            file.flush()
            copy_durably(Path(file.name), Path(path), overwrite=True)
    except OSError as error:
        raise InvalidInputError(f"Cannot write the plan to {path}: {error.strerror}.") from error


def read_plan(path: str | Path) -> Plan:
    """The plan in a file that ``write_plan`` or the command has written.

    Raises:
        InvalidInputError: the file cannot be read, or as ``from_document``.
    """
    try:
        document = read_json(Path(path).read_bytes())
    except OSError as error:
        raise InvalidInputError(f"Cannot read the plan {path}: {error.strerror}.") from error
    except ValueError as error:
        raise _unreadable(f"it is not JSON ({error})", path) from error
    try:
        return from_document(document)
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error.message}", location=str(path), remedy=_PLAN_AGAIN) from error


def _unreadable(why: str, path: str | Path | None = None) -> InvalidInputError:
    where = f"{path}: " if path else ""
    return InvalidInputError(f"{where}Cannot read a plan: {why}.", remedy=_PLAN_AGAIN)


def _sum_of(document: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


_PLAN = TypeAdapter(Plan)
