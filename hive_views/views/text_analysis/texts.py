"""The texts of a view, managed or plain, each with where its names resolve."""

from __future__ import annotations

from dataclasses import dataclass

from hive_views.hive.row import Row
from hive_views.persisted import TEXT_DIALECT, TRINO_CATALOG
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.tables import other_catalog
from hive_views.views.row import spark_row
from hive_views.views.row.projection import UNREADABLE_TEXT
from hive_views.views.row.row_text import text_of
from hive_views.views.row.version import original_sql
from hive_views.views.view import View, is_iceberg_view


@dataclass(frozen=True)
class ViewText:
    """A text of a view.

    Attributes:
        view: ``namespace.name``.
        dialect: what it is written in.
        text: as engines are given it.
        typed: as its author typed it.
        namespace: where names of one part are.
        is_plain: whether the view has no metadata file.
        of_other_catalog: where names of two parts are, if that is not the metastore.
        is_readable: whether the parser here reads it as its engine does.
        damage: why there is no text.
    """

    view: str
    dialect: str
    text: str
    typed: str | None
    namespace: str
    is_plain: bool
    of_other_catalog: str | None = None
    is_readable: bool = True
    damage: str | None = None


def texts_of(row: Row, view: View | None) -> list[ViewText]:
    """The texts of a view: first the one that readers get from its row, if they get one."""
    found = [_of_row(row, view)] if (row.expanded_text or "").strip() not in ("", UNREADABLE_TEXT) else []
    if view is None:
        return found
    version = view.current_version
    namespace = version.namespace_or(row.identifier.namespace)
    return found + [
        ViewText(
            str(row.identifier),
            one.dialect.lower(),
            one.sql,
            None,
            namespace,
            is_plain=False,
            of_other_catalog=other_catalog(version.default_catalog),
        )
        for one in version.sql_representations
        if not (found and one.dialect.lower() == found[0].dialect)
    ]


def is_drifted(view: View) -> bool:
    """Whether the row, which plain readers read, is another view than the file."""
    return any(one.kind == "drifted" for one in view.differences)


def _of_row(row: Row, view: View | None) -> ViewText:
    text, version = text_of(row), view.current_version if view else None
    dialect, catalog, typed = text.dialect, text.catalog, None
    if dialect == "trino":
        if version and catalog == version.summary.get(TRINO_CATALOG):
            catalog = None
    else:
        if version and view and not is_drifted(view):
            own = next((one for one in ROW_DIALECTS if version.sql_in(one)), "hive")
            dialect = row.parameters.get(TEXT_DIALECT, own)
        typed = (original_sql(version, dialect) if version else None) or row.original_text
    return ViewText(
        str(row.identifier),
        dialect,
        text.sql,
        typed,
        # That a part of it is missing is a finding of its own.
        text.namespace[-1],
        is_plain=not is_iceberg_view(row),
        of_other_catalog=other_catalog(catalog),
        is_readable=dialect != "spark" or spark_row.is_readable(row),
        damage=text.unread.get("text") if dialect == "trino" else None,
    )
