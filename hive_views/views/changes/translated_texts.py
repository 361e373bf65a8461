"""Texts of a view that are translated from another one of its texts: when asked for, and again when that one changes.

A translated text follows its source: whatever changes the source, its columns or where its names resolve translates it
again in the same commit. If that is refused, the text stays as it was and becomes stale.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hive_views import translation as rules
from hive_views.analysis import FindTables
from hive_views.errors import InvalidInputError, NotFoundError, TranslationRefusedError, UnsupportedFeatureError
from hive_views.hive.row import Column
from hive_views.messages.logs import logger_of
from hive_views.persisted import TRANSLATED
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import SQLViewRepresentation, ViewMetadata, ViewVersion
from hive_views.sql.dialects import ROW_DIALECTS, Dialect, check_dialect
from hive_views.sql.query import QueryText
from hive_views.sql.tables import other_catalog, referenced_tables, with_full_names
from hive_views.translation import Proof, Translation, TranslationRecord
from hive_views.translation.translation_record import texts_digest
from hive_views.views.row.version import (
    columns_in,
    hive_types,
    original_sql,
    spark_settings,
    stale_dialects,
    translations,
    up_to_date_translations,
)

log = logger_of(__name__)


@dataclass(frozen=True)
class AskedTranslations:
    """What a caller wants to be translated.

    Attributes:
        sources: by dialect, the one from whose text it is to be translated.
        allow: codes of differences that are accepted, also where texts are translated again.
        allow_in: codes that are accepted in some of the texts besides, by dialect.
        is_all: whether the caller says all of the view: no other texts are translated any more, and those that he
            gives are true.
        proofs: what engines have confirmed of translated texts.
    """

    sources: Mapping[Dialect, Dialect] = field(default_factory=dict)
    allow: frozenset[str] = frozenset()
    allow_in: Mapping[Dialect, frozenset[str]] = field(default_factory=dict)
    is_all: bool = False
    proofs: tuple[Proof, ...] = ()

    @property
    def is_any(self) -> bool:
        """Whether he says anything."""
        return bool(self.sources or self.proofs or self.allow or self.allow_in)

    def allowed(self, dialect: str) -> frozenset[str]:
        """The codes that are accepted in the text in a dialect."""
        return self.allow.union(*(codes for one, codes in self.allow_in.items() if one == dialect))


@dataclass(frozen=True)
class KnownToTranslations:
    """What texts are translated with, and compared with.

    Attributes:
        find: finds the columns of tables.
        udfs: functions of users: see ``translation.user_functions``.
        trino_catalog: what Trino calls the catalog in which it reads the tables of the metastore; None leaves names as
            they are.
        in_iceberg: finds out which tables and views Iceberg's catalogs have, whose names stay as they are: they
            resolve in the catalog in which Trino reads the view.
    """

    find: FindTables = lambda _: {}
    udfs: Mapping[str, Any] = field(default_factory=dict)
    trino_catalog: str | None = None
    in_iceberg: Callable[[Sequence[tuple[str, str]]], Collection[tuple[str, str]]] = lambda _: ()


def translations_asked(
    translate: Mapping[str, str] | None,
    allow: Collection[str] | Mapping[str, Collection[str]],
    proofs: Sequence[Proof] = (),
) -> AskedTranslations:
    """What a caller wants to be translated, in canonical spelling; ``allow`` may be by dialect.

    Raises:
        InvalidInputError: the translations are not dialects by dialects, a dialect is to be translated from itself or
            from a translated text, or a code is none.
    """
    if translate is not None and not isinstance(translate, Mapping):
        raise InvalidInputError(
            f"Give translate as a dictionary of dialects by dialects, {{'trino': 'hive'}}, not {translate!r}."
        )
    sources = {check_dialect(target): check_dialect(source) for target, source in (translate or {}).items()}
    for target, source in sources.items():
        if target == source:
            raise InvalidInputError(f"Cannot translate SQL from {source} to {target}: that is the same dialect.")
    if isinstance(allow, Mapping):
        by_dialect = {check_dialect(one): rules.allowed_codes(codes) for one, codes in allow.items() if codes}
        return AskedTranslations(sources, allow_in=by_dialect, proofs=tuple(proofs))
    return AskedTranslations(sources, rules.allowed_codes(allow) if allow else frozenset(), proofs=tuple(proofs))


def would_stay(name: TableIdentifier, base: ViewMetadata, asked: AskedTranslations, known: KnownToTranslations) -> bool:
    """Whether a view has the texts that are asked for, and would get the same ones if they were translated now.

    Raises:
        TranslationRefusedError, InvalidInputError, UnsupportedFeatureError: as ``TextTranslations.again``.
    """
    version = base.current_version
    records = up_to_date_translations(version)
    for target, source in asked.sources.items():
        record = records.get(target)
        if record is None or record.source != source or frozenset(record.allow) != asked.allowed(target):
            return False
    made = TextTranslations(name, base, asked, known)
    return all(made.again(target).text == original_sql(version, target) for target in asked.sources)


@dataclass(frozen=True)
class Frame:
    """What texts of a view depend on besides: its columns, and where and how its names are read."""

    columns: tuple[Column, ...]
    namespace: str
    catalog: str | None
    settings: Mapping[str, str]

    @classmethod
    def of(cls, version: ViewVersion, columns: Sequence[Column], namespace: str) -> Frame:
        """That of texts of a version with these columns; its names resolve in ``namespace`` if it does not say."""
        resolved = version.namespace_or(namespace)
        return cls(tuple(columns), resolved, other_catalog(version.default_catalog), spark_settings(version))

    def says_of(self, version: ViewVersion, columns: Sequence[Column], namespace: str) -> bool:
        """Whether it is that of a version with these columns, whatever their comments are."""
        other = Frame.of(version, columns, namespace)
        mine, theirs = ([(one.name, one.type) for one in each.columns] for each in (self, other))
        return mine == theirs and replace(self, columns=()) == replace(other, columns=())

    def as_read_by(self, dialect: str | None) -> Frame:
        """The same for a text that a row may carry, which Spark may have written, or another one."""
        return self if dialect in ROW_DIALECTS else replace(self, settings={})


@dataclass(frozen=True)
class Translated:
    """Texts of a version that are translated from others of it.

    Attributes:
        texts: by dialect, those that are new in this version.
        records: by dialect, those of all translated texts of the version.
    """

    texts: Mapping[str, QueryText]
    records: Mapping[str, TranslationRecord]

    def put_into(self, version: ViewVersion) -> ViewVersion:
        """The version with these texts, and with what is kept of them."""
        new = {one: SQLViewRepresentation(sql=str(text), dialect=one) for one, text in self.texts.items()}
        kept = [
            new.pop(one.dialect.lower(), one) if isinstance(one, SQLViewRepresentation) else one
            for one in version.representations
        ]
        summary = {key: value for key, value in version.summary.items() if not key.startswith(TRANSLATED)}
        return version.model_copy(
            update={"representations": (*kept, *new.values()), "summary": {**summary, **summary_of(self.records)}}
        )


def summary_of(records: Mapping[str, TranslationRecord]) -> dict[str, str]:
    """What the summary of a version says of its translated texts."""
    return {TRANSLATED + dialect: record.as_json() for dialect, record in records.items()}


class TextTranslations:
    """The translations of one change of a view.

    Args:
        name: of the view.
        base: what it is before the change; None for a new view.
        asked: what the caller wants.
        known: what translations are made with.
    """

    def __init__(
        self,
        name: TableIdentifier,
        base: ViewMetadata | None,
        asked: AskedTranslations,
        known: KnownToTranslations,
    ) -> None:
        self._name, self._asked, self._known = name, asked, known
        self._before = base.current_version if base else None
        self._columns = columns_in(base.current_schema, hive_types(base.current_version)) if base else ()

    def after(
        self,
        given: Mapping[str, str],
        kept: Collection[str],
        frame: Frame,
        *,
        dropped: Collection[str] = (),
        still_true: Collection[str] = (),
    ) -> Translated:
        """The texts that are translated in the version after the change.

        Args:
            given: the texts that the caller gives, by dialect.
            kept: the dialects whose texts stay unless they are given.
            frame: of the version after the change.
            dropped: the dialects whose texts the caller does not want any more.
            still_true: the dialects whose texts he has found to be right.

        Raises:
            TranslationRefusedError: what the caller wants is refused.
            InvalidInputError, NotFoundError: it cannot be asked for, or a proof is of other texts.
        """
        texts = {**{one: self._text_before(one) for one in kept if one not in dropped}, **given}
        found: dict[str, QueryText] = {}
        records: dict[str, TranslationRecord] = {}
        following = translations(self._before) if self._before and not self._asked.is_all else {}
        following = {one: record for one, record in following.items() if one not in {*self._asked.sources, *dropped}}
        self._check_followed({one: record for one, record in following.items() if one not in given})
        for target, source in self._asked.sources.items():
            self._check_asked(target, source, given, texts, dropped, still_true)
            allow = self._asked.allowed(target)
            translation = self._translate(texts[source], source, target, frame, allow)
            self._warn_of(translation)
            found[target] = QueryText(str(translation.text), target)
            records[target] = TranslationRecord.of(translation, texts[source], allow)
        for dialect, record in following.items():
            if record.source in texts:
                self._follow(dialect, record, given, texts, frame, found, records)
        return Translated(found, self._with_proofs(records, frame))

    def again(self, target: str) -> Translation:
        """A translated text of the view as it is, translated as if that were done now.

        Raises:
            TranslationRefusedError: there would be no text now.
            InvalidInputError, UnsupportedFeatureError: it cannot be translated, as its tables or columns are not known.
        """
        assert self._before is not None
        record = translations(self._before)[target]
        frame = Frame.of(self._before, self._columns, self._name.namespace)
        source = self._text_before(record.source)
        return self._translate(source, record.source, check_dialect(target), frame, record.allow)

    def _with_proofs(self, records: Mapping[str, TranslationRecord], frame: Frame) -> dict[str, TranslationRecord]:
        """The records with what is known of exactly their texts, for the same columns in the same place.

        Raises:
            InvalidInputError: a proof is of other texts.
        """
        before: dict[str, TranslationRecord] = {}
        if self._before and frame.says_of(self._before, self._columns, self._name.namespace):
            before = translations(self._before)
        proved = {
            dialect: record.with_proofs((*(before[dialect].proofs if dialect in before else ()), *self._asked.proofs))
            for dialect, record in records.items()
        }
        texts = {record.texts for record in records.values()}
        for proof in self._asked.proofs:
            if proof.digest not in texts:
                raise InvalidInputError(
                    f"Cannot keep what {proof.engine} has confirmed: it read other texts than those of {self._name}, "
                    f"which have changed since, or were not translated. Verify them again."
                )
        return proved

    def _follow(
        self,
        target: str,
        record: TranslationRecord,
        given: Mapping[str, str],
        texts: Mapping[str, str],
        frame: Frame,
        found: dict[str, QueryText],
        records: dict[str, TranslationRecord],
    ) -> None:
        dialect, before, source = check_dialect(target), self._text_before(target), texts[record.source]
        if self._is_unchanged(target, record, source, frame):
            if given.get(target, before) == before:
                records[target] = record
            if target not in texts:
                found[target] = QueryText(before, dialect)
            return
        if target in given:
            return  # by hand from now on
        allow = {*record.allow, *self._asked.allowed(target)}
        try:
            translation = self._translate(source, record.source, dialect, frame, allow)
        except (InvalidInputError, UnsupportedFeatureError) as error:
            if target not in texts and len(frame.columns) != len(self._columns):
                raise
            log.warning("view %s: the %s SQL stays as it was: %s", self._name, target, error.message)
            records[target] = record.without(texts_digest(source, record.source, before, target))
            if target not in texts:
                found[target] = QueryText(before, dialect)
            return
        self._warn_of(translation)
        found[target] = QueryText(str(translation.text), dialect)
        records[target] = TranslationRecord.of(translation, source, allow)

    def _warn_of(self, translation: Translation) -> None:
        """Say where a text treats values otherwise, once for each code, unless it did so before."""
        before = translations(self._before).get(translation.target) if self._before else None
        told = set(before.findings if before else ())
        for one in translation.findings:
            if one.reason.code not in told and not one.allowed:
                told.add(one.reason.code)
                log.warning("view %s: the %s SQL: %s", self._name, translation.target, one)

    def _is_unchanged(self, target: str, record: TranslationRecord, source: str, frame: Frame) -> bool:
        version = self._before
        assert version is not None
        return (
            target in up_to_date_translations(version)
            and source == self._text_before(record.source)
            and frame.as_read_by(record.source)
            == Frame.of(version, self._columns, self._name.namespace).as_read_by(record.source)
        )

    def _text_before(self, dialect: str) -> str:
        assert self._before is not None
        return original_sql(self._before, dialect) or ""

    def _check_followed(self, following: Mapping[str, TranslationRecord]) -> None:
        for dialect, record in following.items():
            if source := self._asked.sources.get(record.source):
                raise InvalidInputError(
                    f"Cannot translate the SQL of {self._name} from {source} to {record.source}: the {dialect} SQL is "
                    f"translated from it. Translate that from {source} too."
                )

    def _check_asked(
        self,
        target: str,
        source: str,
        given: Mapping[str, str],
        texts: Mapping[str, str],
        dropped: Collection[str],
        still_true: Collection[str],
    ) -> None:
        if target in given or target in dropped:
            other = "drop it" if target in dropped else "give its SQL"
            raise InvalidInputError(f"Cannot both translate the {target} SQL of {self._name} and {other}.")
        of_source = translations(self._before).get(source) if self._before and source not in given else None
        if source in self._asked.sources or of_source:
            first = self._asked.sources.get(check_dialect(source)) or (of_source.source if of_source else "")
            raise InvalidInputError(
                f"Cannot translate the SQL of {self._name} from {source} to {target}: the {source} SQL is itself "
                f"translated from {first}. Translate from {first}."
            )
        if source not in texts:
            has = f", only in {', '.join(texts)}" if texts else ""
            raise NotFoundError(
                f"Cannot translate the SQL of {self._name} from {source} to {target}: it has none in {source}{has}."
            )
        is_said_to_be_true = self._asked.is_all or source in {*given, *still_true}
        if self._before and source in stale_dialects(self._before) and not is_said_to_be_true:
            raise InvalidInputError(
                f"Cannot translate the SQL of {self._name} from {source} to {target}: the {source} SQL is stale, and "
                f"may mean something else than the view. Change it, or say that it is still true."
            )

    def _translate(
        self, text: str, source: Dialect, target: Dialect, frame: Frame, allow: Collection[str]
    ) -> Translation:
        """
        Raises:
            TranslationRefusedError: there is no text.
            InvalidInputError: its tables cannot be known, or it is not one query.
        """
        if frame.catalog:
            raise InvalidInputError(
                f"Cannot translate the SQL of {self._name} from {source} to {target}: its names resolve in the catalog "
                f"{frame.catalog}, whose tables are not known here."
            )
        query = QueryText(text, source)
        named = (name for name in referenced_tables(query, frame.namespace) if len(name) == 2)
        names = [(namespace.lower(), name.lower()) for namespace, name in named]
        translation = rules.translate(
            query,
            source,
            target,
            tables=self._known.find(names),
            namespace=frame.namespace,
            columns=frame.columns,
            allow=allow,
            settings=frame.as_read_by(source).settings,
            udfs=self._known.udfs,
        )
        if translation.text is None:
            raise TranslationRefusedError(
                f"Cannot translate the SQL of {self._name} from {source} to {target}: "
                f"{' '.join(map(str, translation.refusals))}",
                dialect=target,
                findings=translation.refusals,
                source=(source, text),
                identifier=str(self._name),
            )
        if target != "trino" or not self._known.trino_catalog:
            return translation
        full = with_full_names(
            QueryText(translation.text, target),
            [frame.namespace],
            self._known.trino_catalog,
            leaving=self._known.in_iceberg(names),
        )
        return replace(translation, text=full)
