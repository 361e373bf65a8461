"""What changes from one version of a view to another, as unified diffs."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, takewhile

from markupsafe import Markup

from hive_views.errors import CorruptMetadataError, NoSuchVersionError
from hive_views.hive.row import Column
from hive_views.messages.html import diff, html_block, paragraph
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import directories
from hive_views.views.row.content import RowContent
from hive_views.views.row.projection import user_properties
from hive_views.views.row.spark_row import SETTINGS_PREFIX
from hive_views.views.row.version import (
    columns_in,
    hive_types,
    original_sql,
    spark_settings,
    stale_dialects,
    translations,
)
from hive_views.views.view import View

# A line that a terminal wraps hides what changed in it.
_LONG_LINE = 72
_AROUND = 5
_SIMILAR = 0.5
_MOST_PAIRS = 2_000
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True)
class Definition:
    """One version as its author sees it. ``properties`` is None where no file has them any more."""

    label: str
    texts: Mapping[str, str]
    columns: tuple[str, ...]
    properties: Mapping[str, str] | None
    session: Mapping[str, str] = field(default_factory=dict)
    """What the row says of the Spark session in which its text means what it means."""
    namespace: str | None = None
    """Where names in the texts resolve, as the version says."""
    stale: tuple[str, ...] = ()
    """The dialects whose texts did not change when those in others did."""
    translated: tuple[str, ...] = ()
    """From what texts are translated, a line each."""

    @classmethod
    def of(
        cls, metadata: ViewMetadata, version: ViewVersion, *, properties_of: ViewMetadata | None, label: str = ""
    ) -> Definition:
        return cls(
            label=label or f"version {version.version_id}",
            texts={dialect: original_sql(version, dialect) or "" for dialect in version.dialects},
            columns=tuple(
                f"{column.name} {column.type}" + (f" '{column.comment}'" if column.comment else "")
                for column in columns_of(metadata, version)
            ),
            properties=user_properties(properties_of) if properties_of else None,
            session=session_of(version),
            namespace=".".join(filter(None, (version.default_catalog, *version.default_namespace))) or None,
            stale=stale_dialects(version),
            translated=tuple(
                f"{dialect}: {record.described()}" for dialect, record in sorted(translations(version).items())
            ),
        )


def session_of(version: ViewVersion) -> dict[str, str]:
    """The parameters of a version's row by which Spark reads its text: settings, names of columns, namespace."""
    found = RowContent.kept_by(version)
    if found is None:
        return {SETTINGS_PREFIX + name: value for name, value in spark_settings(version).items()}
    return {key: value for key, value in found.parameters.items() if key.startswith("view.")}


def columns_of(metadata: ViewMetadata, version: ViewVersion) -> tuple[Column, ...]:
    """The columns of a version in Hive's types; in Iceberg's, where an engine has used one that Hive does not have."""
    return columns_in(metadata.schema_of(version), hive_types(version))


NOTHING = Definition("nothing", {}, (), {})


def definition_at(storage: MetadataStorage, view: View, version_id: int) -> Definition:
    """A version of a view.

    Raises:
        NoSuchVersionError: there is none, or it has expired.
    """
    version = view.version(version_id)
    return Definition.of(view.metadata, version, properties_of=_last_file_of(storage, view, version_id))


@dataclass(frozen=True)
class Difference:
    """What differs between two versions in one part, or in the texts of several dialects alike.

    ``parts`` are its names: ``columns``, ``properties``, ``namespace``, ``stale dialects``, ``translations``, ``spark
    session``, or ``sql hive`` and others.
    ``words`` are the changed words of long lines.
    """

    parts: tuple[str, ...]
    before: str
    after: str
    lines: tuple[str, ...]
    words: tuple[str, ...]

    def unified(self, part: str) -> list[str]:
        """The lines of a unified diff, under a heading."""
        return [f"--- {self.before}, {part}", f"+++ {self.after}, {part}", *self.lines]

    def for_people(self) -> list[str]:
        """The same once for all dialects, and the changed words below."""
        return [*self.unified(self.heading), *self.words]

    def by_words(self) -> list[str]:
        """The lines of the diff, where a line that goes and a similar one that comes are one, which starts with ``~``.

        In it, words that go are between ``[-`` and ``-]``, those that come between ``{+`` and ``+}``, as ``git`` does.
        """
        shown: list[str] = []
        for is_new, block in groupby(self.lines, key=lambda line: line.startswith("+")):
            lines = list(block)
            gone = list(takewhile(lambda line: line.startswith("-"), reversed(shown)))[::-1] if is_new else []
            shown = shown[: len(shown) - len(gone)]
            shown += _merged([line[1:] for line in gone], [line[1:] for line in lines]) if gone else lines
        return shown

    @property
    def heading(self) -> str:
        """The parts as one."""
        dialects = [part.removeprefix("sql ") for part in self.parts]
        return f"sql {', '.join(dialects)}" if len(self.parts) > 1 else self.parts[0]


class Differences(tuple[Difference, ...]):
    """What differs between two versions, by part; ``str`` is a unified diff, and a notebook shows it in color."""

    def __str__(self) -> str:
        return "\n".join(line for one in self for line in one.for_people())

    def _repr_html_(self) -> str:
        if not self:
            return html_block("No differences")
        return html_block(f"From {self[0].before} to {self[0].after}", *self.in_html())

    def in_html(self) -> list[Markup]:
        """The differences as parts of what a notebook shows."""
        return [
            part
            for one in self
            for part in (paragraph(one.heading), diff(one.lines), *(diff([word]) for word in one.words))
        ]


def version_before(view: View) -> int:
    """The id of the version that was current before the current one.

    Raises:
        NoSuchVersionError: there was none.
    """
    earlier = [entry.version_id for entry in view.history[:-1]]
    if not earlier:
        raise NoSuchVersionError(
            f"View {view.identifier} has only had one version: there is nothing to compare it with.",
            identifier=str(view.identifier),
        )
    return earlier[-1]


def compare(before: Definition, after: Definition) -> Differences:
    """What differs: columns, properties, where names resolve, texts, which are stale, and which are translated.

    Equal changes of the texts of several dialects are one.
    """
    found: dict[tuple[str, ...], tuple[Sequence[str], Sequence[str]]] = {("columns",): (before.columns, after.columns)}
    if before.properties is not None and after.properties is not None:
        found["properties",] = _lines_of(before.properties), _lines_of(after.properties)
    if before.namespace is not None and after.namespace is not None:
        found["namespace",] = (before.namespace,), (after.namespace,)
    found["stale dialects",] = before.stale, after.stale
    found["translations",] = before.translated, after.translated
    found["spark session",] = _lines_of(before.session), _lines_of(after.session)
    texts: dict[tuple[str, str], list[str]] = defaultdict(list)
    for dialect in sorted({*before.texts, *after.texts}):
        texts[before.texts.get(dialect, ""), after.texts.get(dialect, "")].append(f"sql {dialect}")
    for (old, new), parts in texts.items():
        found[tuple(parts)] = tuple(old.splitlines()), tuple(new.splitlines())
    return Differences(
        Difference(parts, before.label, after.label, lines, tuple(_changed_words(old, new)))
        for parts, (old, new) in found.items()
        if (lines := _unified(old, new))
    )


def documents(differences: Iterable[Difference]) -> dict[str, list[str]]:
    """For programs: a unified diff by part."""
    return {part: one.unified(part) for one in differences for part in one.parts}


def _unified(old: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    # The first two lines name the files.
    return tuple(difflib.unified_diff(old, new, lineterm=""))[2:]


def _changed_words(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The changed words of lines in which they are hard to see, with those around them, marked as ``git`` does."""
    for tag, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "replace" and j - i == m - k:
            for before, after in zip(old[i:j], new[k:m], strict=True):
                if max(len(before), len(after)) > _LONG_LINE:
                    yield f"  changed: {_word_diff(_words(before), _words(after)).strip()}"


def _words(line: str) -> list[str]:
    return _WORD.findall(line)


def _merged(gone: Sequence[str], come: Sequence[str]) -> list[str]:
    """The lines of one place of a diff, similar ones as one."""
    if len(gone) * len(come) > _MOST_PAIRS:
        return [*(f"-{line}" for line in gone), *(f"+{line}" for line in come)]
    shown: list[str] = []
    new: list[str] = []
    start = 0
    for line in come:
        at = next((at for at in range(start, len(gone)) if _is_similar(gone[at], line)), None)
        if at is None:
            new.append(f"+{line}")
            continue
        changed = _word_diff(_words(gone[at]), _words(line), is_whole=True)
        shown += [*(f"-{one}" for one in gone[start:at]), *new, f"~{changed}"]
        new, start = [], at + 1
    return [*shown, *(f"-{one}" for one in gone[start:]), *new]


def _is_similar(before: str, after: str) -> bool:
    one, other = ([word for word in _words(line) if word.strip()] for line in (before, after))
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SIMILAR


def _word_diff(old: Sequence[str], new: Sequence[str], *, is_whole: bool = False) -> str:
    """What changes in a line; ``is_whole``: with all that stays, and not just the words around."""
    shown: list[str] = []
    changes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for number, (tag, i, j, k, m) in enumerate(changes):
        if tag == "equal":
            words = old[i:j]
            first = words[:_AROUND] if number else []
            last = words[-_AROUND:] if number < len(changes) - 1 else []
            has_all = is_whole or len(first) + len(last) >= len(words)
            shown += words if has_all else [*first, " ... ", *last]
            continue
        removed, added = "".join(old[i:j]), "".join(new[k:m])
        shown.append((f"[-{removed}-]" if removed else "") + (f"{{+{added}+}}" if added else ""))
    return "".join(shown)


def _lines_of(properties: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{key} = {value}" for key, value in sorted(properties.items()))


def _last_file_of(storage: MetadataStorage, view: View, version_id: int) -> ViewMetadata | None:
    """The last metadata file in which this version was current: properties have no versions of their own."""
    if version_id == view.metadata.current_version_id:
        return view.metadata
    locations = [
        location
        for directory in directories(view.metadata)
        for location in reversed(storage.list_metadata_files(directory))
    ]
    for location in locations:
        try:
            metadata = storage.read(location)
        except CorruptMetadataError:
            # A file that a killed writer left half-written is no version of anything.
            continue
        if metadata.view_uuid == view.uuid and metadata.current_version_id == version_id:
            return metadata
    return None
