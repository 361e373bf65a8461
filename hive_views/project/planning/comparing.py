"""Whether a view is what its file says, and whether somebody else has changed it since the last apply."""

from __future__ import annotations

from collections.abc import Iterator

from hive_views.ddl.declared_view import has_bare_names, translated_of
from hive_views.errors import HiveViewsError
from hive_views.hive.row import COMMENT, DDL_TIME
from hive_views.persisted import ORIGINAL_SQL, PROJECT, ROW_AS_FOUND
from hive_views.project.applying.release_mark import differing_from, last_mark
from hive_views.project.directory.view_definition import ViewDefinition
from hive_views.project.plans.project_plan import Action, Drift, LastChange
from hive_views.sql import parser
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.hive_grammar.lexer import extent_of_query
from hive_views.sql.query import QueryText
from hive_views.sql.tables import referenced_tables
from hive_views.views.row.reserved_properties import is_settable
from hive_views.views.version_diff import columns_of
from hive_views.views.view import View


def is_as_declared(wanted: ViewDefinition, view: View) -> bool:
    """Whether nothing has to be done: texts, columns, partition columns, comment and properties are those of the file.

    Of a translated text, from what it is translated is compared; ``would_differ`` tells whether it still is its
    translation.

    The types of columns are compared where the file gives them; whether those of the tables have changed is told by
    ``check``.
    """
    return not view.has_drifted and not any(True for _ in _differing(wanted, view))


def action_for(wanted: ViewDefinition, view: View) -> Action:
    """What has to be done to a view that is not as its file says."""
    parts = set(_differing(wanted, view))
    for_plain_readers = next((one for one in ROW_DIALECTS if one in {*wanted.texts, *wanted.translations}), None)
    changes_rows = {"columns", "partition columns", "namespace", f"sql {for_plain_readers}"}
    return Action.REPLACE if view.has_drifted or parts & changes_rows else Action.ALTER


def _differing(wanted: ViewDefinition, view: View) -> Iterator[str]:
    version = view.current_version
    texts = {dialect.lower(): _trimmed(view.original_sql(dialect), dialect) for dialect in view.dialects}
    translated = {one.dialect: one for one in translated_of(view)}
    for dialect in sorted({*texts, *wanted.texts, *wanted.translations}):
        if dialect in translated or dialect in wanted.translations:
            is_same = translated.get(dialect) == wanted.translations.get(dialect)
        else:
            is_same = texts.get(dialect) == wanted.texts.get(dialect)
        if not is_same:
            yield f"sql {dialect}"
    resolved = namespace_of(view) or version.namespace_or(view.identifier.namespace)
    if resolved != wanted.namespace and any(map(has_bare_names, wanted.texts.values())):
        yield "namespace"
    if _has_other_columns(wanted, view):
        yield "columns"
    if tuple(key.lower() for key in wanted.partitioned_on) != view.partitioned_on:
        yield "partition columns"
    if (wanted.comment or None) != (view.comment or None):
        yield "comment"
    said = {key: value for key, value in view.properties.items() if key != COMMENT and is_settable(key)}
    if said != dict(wanted.properties):
        yield "properties"


def _trimmed(text: str, dialect: str) -> str:
    """As a file gives the text back: without spaces and comments at its ends."""
    try:
        start, end, _ = extent_of_query(text, 0, parser.lexis(dialect))
    except HiveViewsError:
        return text
    return text[start:end]


def namespace_of(view: View) -> str | None:
    """Where names without a database resolve in the texts of a view; None if no database explains them.

    A view that Hive made does not say it, but Hive keeps its text with full names as well.
    """
    version = view.current_version
    said = version.namespace_or(view.identifier.namespace)
    if ROW_AS_FOUND not in version.summary or f"{ORIGINAL_SQL}hive" not in version.summary:
        return said
    typed, full = QueryText(view.original_sql("hive"), "hive"), QueryText(view.sql_for("hive").sql, "hive")
    try:
        meant = _names(full, said)
        candidates = (said, *sorted({name[0] for name in meant}))
        return next((one for one in candidates if _names(typed, one) == meant), None)
    except HiveViewsError:
        return said


def _names(text: QueryText, namespace: str) -> set[tuple[str, ...]]:
    return {tuple(part.lower() for part in name) for name in referenced_tables(text, namespace)}


def _has_other_columns(wanted: ViewDefinition, view: View) -> bool:
    columns = columns_of(view.metadata, view.current_version)
    if wanted.columns is None:
        dialect = next((one for one in ROW_DIALECTS if one in wanted.texts), None)
        names = wanted.texts[dialect].output_names if dialect else None
        if names is not None and len(names) == len(columns):
            pairs = zip(names, columns, strict=True)
            # Hive makes up the names of expressions, and where a star is, the tables say them.
            if any(name is not None and name.lower() != column.name.lower() for name, column in pairs):
                return True
        return any(column.comment for column in columns)
    if [one.name.lower() for one in wanted.columns] != [one.name.lower() for one in columns]:
        return True
    pairs_of = list(zip(wanted.columns, columns, strict=True))
    if any((one.comment or None) != (column.comment or None) for one, column in pairs_of):
        return True
    return any(one.type is not None and one.type.lower() != column.type.lower() for one, column in pairs_of)


def drift_of(view: View, project: str) -> Drift | None:
    """What somebody else has changed since the last apply of a project; None if nothing, or if there was none."""
    owner = view.metadata.properties.get(PROJECT)
    if owner is not None and owner != project:
        return Drift(f"project {owner}", None, (f"It belongs to the project {owner}.",), project=owner)
    if view.has_drifted:
        changed = tuple(str(one) for one in view.differences if one.kind == "drifted")
        seconds = view.row.parameters.get(DDL_TIME, "")
        at_ms = int(seconds) * 1000 if seconds.isdigit() else None
        return Drift("an engine, behind the metadata file", at_ms, changed, is_of_row=True)
    found = last_mark(view.metadata, project)
    if found is None:
        return None
    version, mark = found
    what = differing_from(view.metadata, version, mark)
    if not what:
        return None
    last = view.history[-1]
    is_of_version = last.version_id != version.version_id
    engine = view.current_version.summary.get("engine-name", "somebody")
    return Drift(
        engine if is_of_version else "somebody",
        last.timestamp_ms if is_of_version else None,
        tuple(f"{part} changed" for part in what),
    )


def last_change_of(view: View, project: str) -> LastChange | None:
    """Who has changed a view last, if no release of a project has written it yet."""
    if last_mark(view.metadata, project) is not None:
        return None
    return LastChange(view.current_version.summary.get("engine-name", "somebody"), view.history[-1].timestamp_ms)
