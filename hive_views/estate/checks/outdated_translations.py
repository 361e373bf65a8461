"""Whether SQL that is translated from that in another dialect would still come out as it is.

It is translated again with the columns that the tables have now, which were read for other questions: it costs no call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import zip_longest

from hive_views.base_tables.declared_columns import DeclaredColumns
from hive_views.errors import HiveViewsError, SQLSyntaxError, TranslationRefusedError
from hive_views.estate.checks.findings import Finding, NotKnown
from hive_views.messages.remedy import Remedy
from hive_views.persisted import TRANSLATED
from hive_views.sql.query import QueryText
from hive_views.sql.tables import referenced_tables
from hive_views.translation import RULES_VERSION, TranslationRecord
from hive_views.views import remedies
from hive_views.views.changes.translated_texts import AskedTranslations, KnownToTranslations, TextTranslations
from hive_views.views.row.version import marked_stale, original_sql, translations
from hive_views.views.view import View

_SHOWN = 80


def check_translations(
    view: View, tables: DeclaredColumns, known: KnownToTranslations, broken: Collection[str]
) -> Iterator[Finding | NotKnown]:
    """Whether texts that are translated are up to date.

    Args:
        view: a managed view.
        tables: what is known of the columns of what its texts read.
        known: what translations are made with.
        broken: dialects whose texts cannot be read, which is a finding of its own.
    """
    version, name = view.current_version, str(view.identifier)
    records, up_to_date, marked = translations(version), view.translations, marked_stale(version)
    for dialect in version.dialects:
        if TRANSLATED + dialect not in version.summary:
            continue
        record = records.get(dialect)
        if record is None:
            problem = f"The record of how the {dialect} SQL was translated cannot be read."
            yield Finding("translation-record", name, problem, remedies.renew(name, dialect), {"dialect": dialect})
        elif dialect in up_to_date and dialect in marked:
            problem = f"The {dialect} SQL is translated from the {record.source} SQL, which is stale."
            yield _finding("text-stale", view, dialect, record, problem, remedies.renew(name, record.source))
        elif dialect not in up_to_date and dialect not in marked:
            problem = (
                f"The {dialect} SQL was translated from the {record.source} SQL, and one of them was changed since "
                f"without the other."
            )
            yield _finding(
                "translation-record", view, dialect, record, problem, _again_or_by_hand(view, dialect, record)
            )
        else:
            unknown = None if record.source in broken else _unknown(view, record, tables)
            if unknown is not None:
                reason = f"Whether the {dialect} SQL is up to date: {unknown}"
                yield NotKnown(name, "translation", reason)
            is_known = unknown is None and record.source not in broken
            again = TextTranslations(view.identifier, view.metadata, AskedTranslations(), known)
            yield from _translated_again(view, dialect, record, again if is_known else None)


def _translated_again(
    view: View, dialect: str, record: TranslationRecord, again: TextTranslations | None
) -> Iterator[Finding | NotKnown]:
    """What comes of translating again; ``again`` is None where that cannot be known."""
    text, refusal = None, None
    is_stale = dialect in view.stale_dialects
    try:
        text = again.again(dialect).text if again else None
    except (TranslationRefusedError, SQLSyntaxError) as error:
        refusal = error.message
    except HiveViewsError as error:
        yield NotKnown(str(view.identifier), "translation", error.message)
    if is_stale:
        why = f" It cannot be translated again. {refusal}" if refusal else ""
        why = " It can be translated again now." if text is not None else why
        problem = (
            f"The {dialect} SQL was translated from the {record.source} SQL, and did not change when that did.{why}"
        )
        yield _finding("text-stale", view, dialect, record, problem, _again_or_by_hand(view, dialect, record))
    elif refusal is not None:
        problem = f"The {dialect} SQL is translated from the {record.source} SQL, which would be refused now. {refusal}"
        yield _finding("translation-refused", view, dialect, record, problem, _again_or_by_hand(view, dialect, record))
    elif text is not None and text != original_sql(view.current_version, dialect):
        problem = (
            f"The {dialect} SQL is translated from the {record.source} SQL, and would be other SQL {_why(record)}: "
            f"{_first_difference(original_sql(view.current_version, dialect) or '', text)}."
        )
        remedy = remedies.translate_again(str(view.identifier), dialect, record.source, record.allow)
        yield _finding("outdated-translation", view, dialect, record, problem, remedy)


def _unknown(view: View, record: TranslationRecord, tables: DeclaredColumns) -> str | None:
    """Why it cannot be known what comes of a translation now: its tables are not known."""
    version = view.current_version
    query = QueryText(original_sql(version, record.source) or "", record.source)
    for name in referenced_tables(query, version.namespace_or(view.identifier.namespace)):
        key = tuple(part.lower() for part in name)
        if len(key) == 2 and key not in tables.columns:
            error = tables.unknown.get((key[0], key[1]))
            return error.message if error else f"the columns of {'.'.join(name)} are not known."
    return None


def _why(record: TranslationRecord) -> str:
    return "by newer rules" if record.rules_version != RULES_VERSION else "with the tables and settings of now"


def _first_difference(before: str, after: str) -> str:
    lines = zip_longest(before.splitlines(), after.splitlines(), fillvalue="")
    number, (old, new) = next((number, pair) for number, pair in enumerate(lines, 1) if pair[0] != pair[1])
    if not new:
        return f"without line {number}, {old.strip()[:_SHOWN]}"
    return f"line {number} would be {new.strip()[:_SHOWN]}"


def _again_or_by_hand(view: View, dialect: str, record: TranslationRecord) -> Remedy:
    name = str(view.identifier)
    return Remedy.of_all(
        [remedies.translate_again(name, dialect, record.source, record.allow), remedies.renew(name, dialect)]
    )


def _finding(code: str, view: View, dialect: str, record: TranslationRecord, problem: str, remedy: Remedy) -> Finding:
    details = {
        "dialect": dialect,
        "translated_from": record.source,
        "allow": list(record.allow),
        "rules_version": record.rules_version,
    }
    return Finding(code, str(view.identifier), problem, remedy, details)
