"""The file of publications of a project: what is recorded with views, in the form that ``publish --file`` reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.hive.durations import duration_text
from hive_views.hive.partition_values import normalise_partial_spec
from hive_views.publishing.batch.publication import Publication
from hive_views.publishing.batch.publications_file import read_publications
from hive_views.publishing.ledger.recorded_rules import RecordedRules, recorded_rules, text_of_rule
from hive_views.readiness.expectation import Expectation
from hive_views.readiness.rules import all_of
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.view import View

PUBLICATIONS = "publications.toml"
_HEAD = "# When partitions of views are published: hive-views publish --file publications.toml\n"
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class NewPublications:
    """What becomes of the file.

    Attributes:
        text: what is to be written; None if nothing has to be.
        notes: by view, which of its publications the file does not say so, and why.
    """

    text: str | None
    notes: Mapping[TableIdentifier, list[str]]


def new_publications(path: Path, views: Sequence[View]) -> NewPublications:
    """The file with the publications that are recorded with these views; what it has already stays as it is.

    Raises:
        InvalidInputError: the file cannot be read.
    """
    before = path.read_bytes().decode("utf-8-sig") if path.exists() else ""
    there = {(one.view, one.name): one for one in (read_publications(path) if before else ())}
    notes: dict[TableIdentifier, list[str]] = {}
    found = [(view, _missing(view, there, notes.setdefault(view.identifier, []))) for view in views]
    missing = [(view, wanted) for view, wanted in found if wanted]
    if not missing:
        return NewPublications(None, notes)
    text = before.rstrip("\n") + "\n" if before else _HEAD
    whole = _with(text, [one for _, wanted in missing for one in wanted])
    if not _problem(whole, missing):
        return NewPublications(whole, notes)
    # Some contradict others: those of the views before them are taken.
    written = False
    for view, wanted in missing:
        if problem := _problem(longer := _with(text, wanted), [(view, wanted)]):
            notes[view.identifier].append(f"Its publications are not in {PUBLICATIONS}: {problem}")
        else:
            text, written = longer, True
    return NewPublications(text if written else None, notes)


def _missing(view: View, there: Mapping[tuple[str, str], Publication], notes: list[str]) -> list[Publication]:
    missing = []
    try:
        for record in recorded_rules(view.metadata.properties):
            try:
                wanted = _publication(view, record)
            except InvalidInputError as error:
                notes.append(f"Its publication {record.publication} is not in {PUBLICATIONS}: {error.message}")
                continue
            if (one := there.get((wanted.view, wanted.name))) is None:
                missing.append(wanted)
            elif not _is_same(one, wanted, view):
                notes.append(
                    f"{PUBLICATIONS} says something else of its publication {record.publication} than what it was last "
                    f"published with: {record.rule}."
                )
    except HiveViewsError as error:  # no record, or bounds of columns that the view has no more
        notes.append(f"Its publications are not in {PUBLICATIONS}: {error.message}")
        return []
    return missing


def _publication(view: View, record: RecordedRules) -> Publication:
    """
    Raises:
        InvalidInputError: it cannot be said in a file.
    """
    if record.candidates_given:
        raise InvalidInputError("each of its runs was given the partitions to publish.")
    recorded = Publication.of_record(view, publication=record.publication)
    return replace(recorded, since=record.since or None, until=record.until or None)


def _with(text: str, added: Sequence[Publication]) -> str:
    return "\n".join([text, *map(_table, added)])


def _problem(text: str, added: Sequence[tuple[View, Sequence[Publication]]]) -> str | None:
    """Why the text would not be read back as these publications; None if it would."""
    with TemporaryDirectory() as directory:
        file = Path(directory, PUBLICATIONS)
        file.write_bytes(text.encode())
        try:
            read = {(one.view, one.name): one for one in read_publications(file)}
            is_same = all(_is_same(read[one.view, one.name], one, view) for view, wanted in added for one in wanted)
        except HiveViewsError as error:
            return error.message.removeprefix(f"{file}: ")
    return None if is_same else "what stands below [defaults] would be added to them."


def _is_same(one: Publication, other: Publication, view: View) -> bool:
    return _compared(one, view) == _compared(other, view)


def _compared(one: Publication, view: View) -> tuple[Any, ...]:
    bounds = (normalise_partial_spec(bound or {}, view.partition_keys) for bound in (one.since, one.until))
    return (*bounds, text_of_rule(all_of(*one.rules)), one.app_id, one.expected)


def _table(one: Publication) -> str:
    return "[[publication]]\n" + "".join(f"{key} = {value}\n" for key, value in _keys(one))


def _keys(one: Publication) -> Iterator[tuple[str, str]]:
    yield "view", _text(one.view)
    if one.name != one.view:
        yield "name", _text(one.name)
    text, _ = text_of_rule(all_of(*one.rules))
    yield "rules", f"[{_text(text)}]"
    for key, value in (("since", one.since), ("until", one.until), ("app_id", one.app_id)):
        if value:
            yield key, _value(value)
    if one.expected is not None:
        yield from _expectation(one.expected)


def _expectation(expected: Expectation) -> Iterator[tuple[str, str]]:
    yield "expected", _value(expected.every)
    if expected.late_after:
        yield "late_after", _text(duration_text(expected.late_after))
    if expected.time_zone != "UTC":
        yield "time_zone", _text(expected.time_zone)
    if expected.columns:
        yield "expected_columns", _value(expected.columns)
    if expected.known_empty:
        yield "known_empty", _value([{key: list(one) for key, one in hole.items()} for hole in expected.known_empty])


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(str(key))} = {_value(one)}' for key, one in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return _text(str(value))


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quoted(key)


def _text(text: str) -> str:
    return f"'{text}'" if '"' in text and "'" not in text and text.isprintable() else _quoted(text)


def _quoted(text: str) -> str:
    # Strings of JSON are those of TOML, but for one character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
