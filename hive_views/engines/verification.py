"""What comes of a verification: proofs, and where engines differ, as values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

from hive_views.messages.enumerated import all_of
from hive_views.translation.proof import EngineRelease, Proof

_LONGEST_CELL = 200


class DifferenceKind(str, Enum):
    """What differs."""

    REFUSED = "refused"
    """An engine refuses the query, or it fails when it is run."""

    COLUMNS = "columns"
    """The query has other columns: their number, names or types."""

    ROWS = "rows"
    """The query returns other rows."""


@dataclass(frozen=True)
class DifferentRow:
    """A row of one of two texts that has no like among those of the other, beside the nearest of that one.

    Attributes:
        columns: the names of the columns that differ; () where the other text has no further row.
        original: the row of the original text; None where it has no further one. Values are those of
            ``engine_values``.
        translated: the row of the translated text; likewise.
    """

    columns: tuple[str, ...]
    original: tuple[Any, ...] | None
    translated: tuple[Any, ...] | None


@dataclass(frozen=True)
class Difference:
    """What an engine found otherwise.

    Attributes:
        kind: what differs.
        engine: that found it.
        says: what it is, a sentence each.
        names: of the columns of the query; () unless rows differ.
        rows: the first rows that differ; likewise.
    """

    kind: DifferenceKind
    engine: EngineRelease
    says: tuple[str, ...]
    names: tuple[str, ...] = ()
    rows: tuple[DifferentRow, ...] = ()


@dataclass(frozen=True)
class Verification:
    """What engines say of a translated text.

    Attributes:
        proofs: what was confirmed, to be kept with the text.
        differences: what was not; () where the translation is verified.
    """

    proofs: tuple[Proof, ...]
    differences: tuple[Difference, ...]

    @property
    def is_verified(self) -> bool:
        """Whether no engine found a difference."""
        return not self.differences

    def document(self) -> dict[str, Any]:
        """As JSON; cells are texts, nearly as SQL writes values."""
        return {
            "proofs": [one.document() for one in self.proofs],
            "differences": [
                {
                    "kind": one.kind.value,
                    "engine": dict(vars(one.engine)),
                    "says": list(one.says),
                    "rows": [
                        {
                            "columns": list(row.columns),
                            "original": _cells(one.names, row.original),
                            "translated": _cells(one.names, row.translated),
                        }
                        for row in one.rows
                    ],
                }
                for one in self.differences
            ],
        }

    def lines(self) -> Iterator[str]:
        """As text: differences first. Cells may have any characters."""
        for one in self.differences:
            yield from one.says
            for row in one.rows:
                if row.original is None or row.translated is None:
                    side = "translation" if row.original is None else "original"
                    yield f"  Only in the {side}: {_shown_row(one.names, row.original or row.translated or ())}"
                else:
                    yield f"  In {all_of(row.columns)}:"
                    yield f"    original:    {_shown_row(one.names, row.original)}"
                    yield f"    translation: {_shown_row(one.names, row.translated)}"
        yield from (f"Verified: {one}." for one in self.proofs)


def _cells(names: Sequence[str], row: tuple[Any, ...] | None) -> dict[str, str] | None:
    return None if row is None else {name: _shown(value) for name, value in zip(names, row, strict=True)}


def _shown_row(names: Sequence[str], row: tuple[Any, ...]) -> str:
    return ", ".join(f"{name} {_cut(_shown(value))}" for name, value in zip(names, row, strict=True))


def _cut(cell: str) -> str:
    return cell if len(cell) <= _LONGEST_CELL else f"{cell[:_LONGEST_CELL]}... ({len(cell):,} characters)"


def _shown(value: Any) -> str:
    """A value nearly as SQL writes it."""
    match value:
        case None:
            return "NULL"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bytes():
            return f"X'{value.hex()}'"
        case tuple():
            return f"[{', '.join(map(_shown, value))}]"
        case dict():
            return f"{{{', '.join(f'{_shown(key)}: {_shown(one)}' for key, one in value.items())}}}"
        case Decimal():
            return f"{value:f}"
        case _:
            return str(value).lower() if isinstance(value, bool) else str(value)
