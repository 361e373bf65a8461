"""Projects that tests write, and what a metastore has of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hive_views.hive.row import POINTER, Column, Row
from hive_views.metastore.port import Metastore
from hive_views.project import Plan, plan
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.projection import user_properties
from hive_views.views.version_diff import columns_of


def write_project(directory: Path, files: Mapping[str, str], name: str = "web") -> Path:
    """Make a directory the project of these files, by view, and no others.

    A text that is a query is made the statement that creates the view.
    """
    for former in directory.rglob("*.sql"):
        former.unlink()
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "project.toml").write_text(f'name = "{name}"\n')
    for view, text in files.items():
        file = directory / f"{view.replace('.', '/')}.sql"
        file.parent.mkdir(exist_ok=True)
        is_query = text.startswith(("SELECT", "WITH"))
        file.write_text(f"CREATE OR REPLACE VIEW {view} AS\n{text}\n" if is_query else text, encoding="utf-8")
    return directory


def write_views(directory: Path, namespace: str, **views: str) -> Path:
    """The directory of a project with views of one namespace; each is given by what follows its name."""
    files = {f"{namespace}.{name}": f"CREATE OR REPLACE VIEW {name} {text}\n" for name, text in views.items()}
    return write_project(directory / "project", files, "tested")


def clicks_table(metastore: Metastore, *columns: tuple[str, str], name: str = "web.clicks") -> None:
    """The table ``web.clicks`` with ``id``, ``page`` and ``ds``, or with other columns."""
    typed = columns or (("id", "int"), ("page", "string"), ("ds", "string"))
    identifier = TableIdentifier.of(name)
    metastore.create_row(Row(identifier, "MANAGED_TABLE", columns=tuple(Column(*pair) for pair in typed)))


@dataclass(frozen=True)
class Content:
    """What a view is, to users; ``partitions`` are those that are declared."""

    texts: Mapping[str, str]
    namespace: str
    columns: tuple[tuple[str, str, str | None], ...]
    partitioned_on: tuple[str, ...]
    properties: Mapping[str, str]
    partitions: tuple[str, ...]


def content_of(catalog: ViewCatalog) -> dict[str, Content]:
    """What all views of a metastore are, by name."""
    found = {}
    for name in _managed(catalog.metastore):
        view = catalog.load_view(name)
        version = view.current_version
        found[str(name)] = Content(
            {dialect: view.original_sql(dialect) for dialect in view.dialects},
            version.namespace_or(name.namespace),
            tuple((one.name, one.type, one.comment) for one in columns_of(view.metadata, version)),
            view.partitioned_on,
            user_properties(view.metadata),
            tuple(sorted(catalog.metastore.partition_names(name))) if view.partitioned_on else (),
        )
    return found


def rows_of(metastore: Metastore) -> dict[TableIdentifier, Row]:
    """All rows of a metastore."""
    found = {}
    for namespace in metastore.list_namespaces():
        names = {*metastore.list_table_names(namespace), *metastore.list_view_names(namespace)}
        found |= {row.identifier: row for row in metastore.load_rows(namespace, sorted(names))}
    return found


def _managed(metastore: Metastore) -> list[TableIdentifier]:
    return sorted(name for name, row in rows_of(metastore).items() if POINTER in row.parameters)


def plan_files(catalog: ViewCatalog, directory: Path, files: Mapping[str, str], **options: Any) -> Plan:
    """The plan of a project of these files."""
    return plan(catalog, write_project(directory, files), **options)
