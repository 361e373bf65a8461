"""A translated text, verified on engines: its columns, and on request rows of both texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from hive_views.engines.column_differences import differences
from hive_views.engines.connecting import connecting, dialect_of
from hive_views.engines.engine_protocol import Engine, EngineColumn, QueryRefusedError, Rows, RowsWanted
from hive_views.engines.engine_values import FRACTIONS, NESTED, order_of, type_of
from hive_views.engines.row_differences import Row, differing_columns, without_like
from hive_views.engines.verification import Difference, DifferenceKind, DifferentRow, Verification
from hive_views.errors import InvalidInputError, NotFoundError, UnsupportedFeatureError
from hive_views.hive.types import HiveType
from hive_views.messages.counted import counted
from hive_views.messages.enumerated import all_of
from hive_views.spec.identifiers import check_namespace
from hive_views.sql.dialects import check_dialect
from hive_views.sql.query import QueryText
from hive_views.sql.subqueries import subquery_edits
from hive_views.sql.text_edits import edited
from hive_views.translation.proof import Checked, EngineRelease, Proof, digest_of
from hive_views.translation.translation_result import Translation
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View

_SHOWN = 3
_COMPARED = 1000

Columns = Sequence[tuple[str, str]]
WantedColumns = Sequence[tuple[str, str | None]]
"""Names and Hive types; None for a type that is not known."""


def verify(
    translation: Translation,
    engines: Sequence[Any],
    *,
    rows: int | None = None,
    catalog: ViewCatalog | None = None,
    timeout_s: float = 300.0,
) -> Verification:
    """What engines say of a translated query. Nothing is written.

    ``verify(translation, ["hive://ann@host:10000", "trino://ann@host:8080/hive"], rows=100).is_verified``

    Args:
        translation: that of a query, which was not refused.
        engines: of the dialect of the translated query, which analyze it, and of the original's: a SparkSession;
            ``"spark"`` for a local one; ``"trino://user@host:8080/catalog"``, where the catalog is the metastore;
            ``"hive://user@host:10000"``. A password may be in the environment variable ``HIVE_VIEWS_ENGINE_PASSWORD``.
        rows: run both queries, and compare as many rows; None runs none.
        catalog: whose tables a local Spark reads.
        timeout_s: how long Hive or Trino may take for each query, in seconds; Spark is waited for.

    Raises:
        InvalidInputError: the translation was refused, no engine reads the translated query, rows are to be compared
            and none reads the original, or an address is none.
        UnsupportedFeatureError: rows of the query cannot be compared, with the reason, or a client is missing.
        UnavailableError: an engine does not answer.
    """
    if translation.text is None:
        raise InvalidInputError("Cannot verify a translation that was refused: it has no text.")
    return verify_texts(
        QueryText(translation.original, translation.source),
        QueryText(translation.text, translation.target),
        engines,
        namespace=translation.namespace,
        columns=translation.columns,
        rows=rows,
        catalog=catalog,
        timeout_s=timeout_s,
    )


def verify_view(
    view: View,
    dialect: str,
    engines: Sequence[Any],
    *,
    rows: int | None = None,
    catalog: ViewCatalog | None = None,
    timeout_s: float = 300.0,
) -> Verification:
    """As ``verify``, for a text of a view that was translated (``View.translations``).

    ``catalog.alter_view(name, proofs=verify_view(view, "trino", ["trino://..."]).proofs)`` keeps the result with it.

    Args:
        view: which one.
        dialect: of the translated text.
        engines: as for ``verify``.
        rows: likewise.
        catalog: likewise.
        timeout_s: likewise.

    Raises:
        NotFoundError: the view has no translated text in the dialect, or one of the texts has changed since.
        InvalidInputError, UnsupportedFeatureError, UnavailableError: as ``verify``.
    """
    record = view.translations.get(check_dialect(dialect))
    if record is None:
        raise NotFoundError(f"View {view.identifier} has no {dialect} SQL that is translated from another one.")
    return verify_texts(
        QueryText(view.original_sql(record.source), record.source),
        QueryText(view.original_sql(dialect), dialect),
        engines,
        namespace=view.current_version.namespace_or(view.identifier.namespace),
        columns=[(one.name, one.type) for one in view.columns],
        rows=rows,
        catalog=catalog,
        timeout_s=timeout_s,
    )


def verify_texts(
    original: QueryText,
    translated: QueryText,
    engines: Sequence[Any],
    *,
    namespace: str,
    columns: WantedColumns = (),
    rows: int | None = None,
    catalog: ViewCatalog | None = None,
    timeout_s: float = 300.0,
) -> Verification:
    """As ``verify``, for two texts.

    Args:
        original: a query.
        translated: that query in another dialect.
        engines: likewise.
        namespace: the namespace of one-part names.
        columns: names and Hive types, None for one that is not known, that the translated query has to have; the
            original may call them otherwise, as that of a view whose columns have names. What is not known is asked of
            an engine of the original's dialect.
        rows: likewise.
        catalog: likewise.
        timeout_s: likewise.

    Raises:
        InvalidInputError: also where a type is not known, and no engine reads the original.
        UnsupportedFeatureError: as ``verify``.
        UnavailableError: likewise.
    """
    namespace = check_namespace(namespace)
    _check(original, translated, engines, columns, rows)
    with ExitStack() as stack:
        connections = [connecting(one, catalog, timeout_s) for one in dict.fromkeys(engines)]
        in_use = [stack.enter_context(one) for one in connections]
        originals, translations = (
            [_Asked.of(one, text, namespace) for one in in_use if one.dialect == text.dialect]
            for text in (original, translated)
        )
        return _verified(originals, translations, digest_of(original, translated), columns, rows)


def _check(
    original: QueryText, translated: QueryText, engines: Sequence[Any], columns: WantedColumns, rows: int | None
) -> None:
    """Refuse what cannot be verified, before any engine is connected to."""
    if isinstance(engines, str):
        raise InvalidInputError("Give engines as a list of them.")
    if rows is not None and rows < 1:
        raise InvalidInputError(f"Cannot compare {rows} rows: give at least 1, or leave it out to run nothing.")
    dialects = [dialect_of(one) for one in engines]
    pair = (original.dialect, translated.dialect)
    for dialect in dialects:
        if dialect not in pair:
            raise InvalidInputError(
                f"An engine of the dialect {dialect} cannot verify a translation from {pair[0]} to {pair[1]}."
            )
    if translated.dialect not in dialects:
        raise InvalidInputError(f"Give an engine that reads the translated SQL, which is of the dialect {pair[1]}.")
    if original.dialect in dialects:
        return
    unknown = [name for name, type_ in columns if type_ is None]
    if rows is not None or unknown or not columns:
        reason = "to compare rows, both texts are run"
        if rows is None:
            reason = f"the type of {all_of(unknown)} is not known" if unknown else "the columns are not known"
        raise InvalidInputError(f"Also give an engine that reads the original SQL, of the dialect {pair[0]}: {reason}.")


@dataclass(frozen=True)
class _Asked:
    """One of the two texts, and an engine that reads it.

    Attributes:
        engine: it.
        release: its name and version.
        text: with full names of tables.
        names: those of its columns, once they were asked for.
    """

    engine: Engine
    release: EngineRelease
    text: QueryText
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, engine: Engine, text: QueryText, namespace: str) -> _Asked:
        full = edited(text, subquery_edits(text, namespace, {}, engine.catalogs))
        return cls(engine, EngineRelease(engine.name, engine.version()), QueryText(full, text.dialect))

    def columns(self) -> tuple[EngineColumn, ...] | Difference:
        try:
            return self.engine.columns(self.text)
        except QueryRefusedError as error:
            return self.difference(DifferenceKind.REFUSED, f"{self.release} refuses the {self._what}: {error}")

    def rows(self, wanted: RowsWanted) -> Rows | Difference:
        try:
            return self.engine.rows(self.text, replace(wanted, names=self.names))
        except QueryRefusedError as error:
            return self.difference(DifferenceKind.REFUSED, f"{self.release} fails to run the {self._what}: {error}")

    def with_columns(
        self, seen: Sequence[EngineColumn] | Difference, wanted: Columns, *, has_names: bool
    ) -> _Asked | Difference:
        """It, with the columns that it finds, where these are those that are wanted.

        With ``has_names``, a view gives them its names, whatever they are called in the text.
        """
        if isinstance(seen, Difference):
            return seen
        said = differences(self.engine.name, seen, wanted, has_names=has_names, where="in the original")
        if len(seen) != len(wanted):
            said = (f"{self.release} finds {counted(len(seen), 'column')} in the {self._what}, not {len(wanted)}.",)
        if said:
            return self.difference(DifferenceKind.COLUMNS, *said)
        return replace(self, names=tuple(one.name for one in seen))

    def difference(self, kind: DifferenceKind, *says: str) -> Difference:
        return Difference(kind, self.release, says)

    @property
    def _what(self) -> str:
        return f"{self.text.dialect} SQL"


def _verified(
    originals: Sequence[_Asked], translations: Sequence[_Asked], digest: str, columns: WantedColumns, rows: int | None
) -> Verification:
    seen = [one.columns() for one in originals]
    for columns_seen in seen:
        if not isinstance(columns_seen, Difference):
            columns = _completed(columns, columns_seen)
    refused = [one for one in seen if isinstance(one, Difference)]
    if refused:
        return Verification((), tuple(refused))
    wanted = _known(columns)
    read = [one.with_columns(found, wanted, has_names=True) for one, found in zip(originals, seen, strict=True)]
    others = [one.with_columns(one.columns(), wanted, has_names=False) for one in translations]
    found: list[Proof | Difference] = [one for one in (*read, *others) if isinstance(one, Difference)]
    accepted = [one for one in read if isinstance(one, _Asked)]
    for other in others:
        if isinstance(other, _Asked):
            if rows is None:
                found.append(Proof(Checked.COLUMNS, other.release, digest))
            else:
                found += [_compared(one, other, digest, wanted, rows) for one in accepted]
    return Verification(
        tuple(one for one in found if isinstance(one, Proof)),
        tuple(one for one in found if isinstance(one, Difference)),
    )


def _completed(columns: WantedColumns, seen: Sequence[EngineColumn]) -> WantedColumns:
    """The columns with what is not known of them as an engine finds it."""
    if not columns:
        return [(one.name, one.type) for one in seen]
    if len(columns) != len(seen):
        return columns
    return [(name, type_ or one.type) for (name, type_), one in zip(columns, seen, strict=True)]


def _known(columns: WantedColumns) -> Columns:
    unknown = [name for name, type_ in columns if type_ is None]
    if unknown:
        raise UnsupportedFeatureError(
            f"Cannot verify the types of the columns: no engine says that of {all_of(unknown)}. Give it with columns=, "
            f"or cast it in the original."
        )
    return [(name, type_) for name, type_ in columns if type_ is not None]


def _compared(original: _Asked, translated: _Asked, digest: str, columns: Columns, most: int) -> Proof | Difference:
    """Rows of both texts: all, or, where there are more than ``most``, those that come first in one order."""
    types = [type_of(name, type_) for name, type_ in columns]
    wanted = RowsWanted((), types, order_of(types), most + 1)
    mine = original.rows(wanted)
    if isinstance(mine, Difference):
        return mine
    theirs = translated.rows(wanted)
    if isinstance(theirs, Difference):
        return theirs
    counts = [
        f"more than {counted(most, 'row')}" if len(one) > most else counted(len(one), "row") for one in (mine, theirs)
    ]
    is_cut = min(len(mine), len(theirs)) > most
    if is_cut:
        for rows in (mine, theirs):
            _check_first(rows, columns, types, most)
        mine, theirs = mine[:most], theirs[:most]
    left, others = without_like(mine, theirs, types)
    if not left and not others:
        return Proof(Checked.ROWS, translated.release, digest, original.release, len(mine), not is_cut)
    says = (
        f"{original.release} returns {counts[0]} for the original, and {translated.release} {counts[1]} for the "
        f"translation. Rows of only one of them{f', among the first {most:,}' if is_cut else ''}: {len(left):,} and "
        f"{len(others):,}."
    )
    names = tuple(name for name, _ in columns)
    return Difference(
        DifferenceKind.ROWS, translated.release, (says,), names, tuple(_side_by_side(left, others, names, types))
    )


def _check_first(rows: Rows, columns: Columns, types: Sequence[HiveType], most: int) -> None:
    """Make sure that the order decides which rows are the first ones, even if it does not compare all columns."""
    others = [name for (name, _), type_ in zip(columns, types, strict=True) if type_.name in NESTED]
    order = [at for at in order_of(types) if types[at].name not in FRACTIONS]
    last, next_ = rows[most - 1], rows[most]
    if others and all(last[at] == next_[at] for at in order):
        raise UnsupportedFeatureError(
            f"Cannot compare the first {counted(most, 'row')}: engines do not order by {all_of(others)}, and the other "
            f"columns do not decide which rows come first. Compare at least as many rows as the query returns, or "
            f"verify it without {'this column' if len(others) == 1 else 'these columns'}."
        )


def _side_by_side(
    left: list[Row], others: list[Row], names: tuple[str, ...], types: Sequence[HiveType]
) -> Iterator[DifferentRow]:
    """The first rows without a like, each beside the one of the other side that differs in the fewest columns."""
    rest = others[:_COMPARED]
    for row in left[:_SHOWN]:
        if not rest:
            yield DifferentRow((), row, None)
            continue
        nearest = min(rest, key=lambda other: len(differing_columns(row, other, types)))
        rest.remove(nearest)
        differing = differing_columns(row, nearest, types)
        yield DifferentRow(tuple(names[at] for at in differing), row, nearest)
    for row in rest[: max(_SHOWN - len(left), 0)]:
        yield DifferentRow((), None, row)
