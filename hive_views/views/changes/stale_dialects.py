"""Which texts of a new version are stale: they did not change when those in other dialects did.

A text stays stale, whatever versions follow, until it is changed or its owner says that it is still true. A text that
was stale and is changed catches up with the others, which are therefore not stale after it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from hive_views.analysis import FindTables, is_same_meaning, is_same_wording
from hive_views.errors import HiveViewsError, InvalidInputError, NotFoundError
from hive_views.persisted import ORIGINAL_SQL, SPARK_SETTINGS, STALE_DIALECTS, TRANSLATED
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.updates import AddViewVersion, Update
from hive_views.sql.dialects import check_dialect
from hive_views.sql.query import QueryText
from hive_views.sql.tables import other_catalog
from hive_views.views.changes.translated_texts import AskedTranslations, KnownToTranslations
from hive_views.views.row.version import (
    original_sql,
    row_dialect,
    spark_settings,
    stale_dialects,
    tables_read,
    translations,
    up_to_date_translations,
)

_SAID_OF_TEXTS = (ORIGINAL_SQL, SPARK_SETTINGS, TRANSLATED)


@dataclass
class Claims:
    """What the caller of one change says of the texts of a view, and what can be proved of them.

    Attributes:
        same_meaning: the change does not change what the view says.
        still_true: the dialects whose texts say the same as those that have changed.
        asked: what is to be translated.
        known: with what two texts are proved to be the same, and texts are translated.
        stale_at_first: the dialects that were stale when the change was first made. After a lost race, only they
            follow the others: the caller has not seen what the other writer did.
    """

    same_meaning: bool = False
    still_true: Collection[str] = ()
    asked: AskedTranslations = field(default_factory=AskedTranslations)
    known: KnownToTranslations = field(default_factory=KnownToTranslations)
    stale_at_first: Collection[str] | None = field(default=None, init=False)


def dialects_given(dialects: Sequence[str], argument: str) -> tuple[str, ...]:
    """Dialects of a caller, in canonical spelling.

    Raises:
        InvalidInputError: they are not a list, or one is not known.
    """
    if isinstance(dialects, str) or not isinstance(dialects, Sequence):
        raise InvalidInputError(f"Give {argument} as a list of dialects, [{dialects!r}].")
    return tuple(dict.fromkeys(check_dialect(one) for one in dialects))


def refuse_missing(base: ViewMetadata, dialects: Collection[str], identifier: TableIdentifier) -> None:
    """
    Raises:
        NotFoundError: the view has no text in one of the dialects.
    """
    has = base.current_version.dialects
    for dialect in sorted(dialects):
        if dialect not in has:
            raise NotFoundError(f"View {identifier} has no SQL in dialect {dialect}, only in {', '.join(has)}.")


def marking_stale(base: ViewMetadata, updates: Sequence[Update], claims: Claims | None = None) -> list[Update]:
    """The same updates of ``base``, with versions that say which of their texts are stale."""
    claims = claims or Claims()
    if claims.stale_at_first is None:
        claims.stale_at_first = stale_dialects(base.current_version)
    return [
        AddViewVersion(_marked(base, one.version, claims)) if isinstance(one, AddViewVersion) else one
        for one in updates
    ]


def _marked(base: ViewMetadata, version: ViewVersion, claims: Claims) -> ViewVersion:
    following = up_to_date_translations(version)
    # A text that is the only one, but for those that follow it, has nothing to agree with.
    several = len(set(version.dialects) - following.keys()) > 1
    stale: set[str] = set()
    if several:
        stale = _stale_after(base, version, claims) - {*claims.still_true, *following}
        # What is translated says what its source says.
        stale |= {one for one, record in following.items() if record.source in stale} - set(claims.still_true)
        # What cannot be translated again says what its source said, however little of that has changed.
        refused = {one: record for one, record in translations(version).items() if one not in following}
        same = {one for one, record in refused.items() if claims.same_meaning and record.texts}
        stale |= refused.keys() - same - set(claims.still_true)
    # A text that is true although it could not be translated again is its owner's from now on.
    own = {TRANSLATED + one for one in translations(version).keys() - following.keys() - stale}
    summary = {key: value for key, value in version.summary.items() if key != STALE_DIALECTS and key not in own}
    if stale:
        summary[STALE_DIALECTS] = json.dumps(sorted(stale))
    return version.model_copy(update={"summary": summary})


def _stale_after(base: ViewMetadata, version: ViewVersion, claims: Claims) -> set[str]:
    """Of the texts that people write: those that are translated now have no part in it."""
    before, content = base.current_version, _content(version)
    if _content(before) == content:
        return set(stale_dialects(before))
    if any(STALE_DIALECTS not in one.summary and _content(one) == content for one in base.versions):
        return set()  # as after a roll back
    both = (set(before.dialects) & set(version.dialects)) - up_to_date_translations(version).keys()
    changed = {dialect for dialect in both if not _is_same(before, version, dialect)}
    was_stale, kept = set(stale_dialects(before)), both - changed
    leading = changed - (was_stale & {*(claims.stale_at_first or ())})
    if not leading or claims.same_meaning:
        return was_stale & kept
    return {one for one in kept if not all(_agree(version, one, other, claims.known.find) for other in leading)}


def _content(version: ViewVersion) -> Mapping[str, object]:
    """All that its texts depend on; the columns have no part in whether they agree."""
    said = {key: value for key, value in version.summary.items() if key.startswith(_SAID_OF_TEXTS)}
    return {**version.model_dump(include={"representations", "default_catalog", "default_namespace"}), "said": said}


def _is_same(before: ViewVersion, after: ViewVersion, dialect: str) -> bool:
    """Whether a text says what it did: if it has only been given other names of columns, it does."""
    if dialect == row_dialect(after) and spark_settings(before) != spark_settings(after):
        return False  # '1' + 1 has another type in ANSI mode, a timestamp another value in a zone
    same = [
        is_same_wording(one, other, dialect)
        for one, other in zip(_texts(before, dialect), _texts(after, dialect), strict=True)
    ]
    if _place(before) == _place(after):
        return any(same)
    if not same[0]:
        return False
    read_before, read = (tables_read(one, _texts(one, dialect)[0], dialect) for one in (before, after))
    return read_before == read


def _texts(version: ViewVersion, dialect: str) -> tuple[str, str]:
    """As engines read it, and as typed."""
    stored = version.sql_in(dialect)
    assert stored is not None
    return stored.sql, original_sql(version, dialect) or stored.sql


def _place(version: ViewVersion) -> tuple[str | None, tuple[str, ...]]:
    return other_catalog(version.default_catalog), version.default_namespace


def _agree(version: ViewVersion, one: str, other: str, find: FindTables) -> bool:
    if other_catalog(version.default_catalog) or spark_settings(version):
        return False
    with suppress(HiveViewsError):
        # The text for Hive as it is stored has the view's names of columns.
        found, wanted = (QueryText(_texts(version, dialect)[1], dialect) for dialect in (one, other))
        return is_same_meaning(found, wanted, version.namespace_or(""), find)
    return False
