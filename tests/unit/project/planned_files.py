"""A project whose files are written and planned on a catalog in memory, and steps committed one after the other."""

from __future__ import annotations

from pathlib import Path

from hive_views.hive.row import Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.project.planning.make_plan import plan
from hive_views.project.plans.project_plan import Plan
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.views.quick_catalog import catalog_on
from tests.unit.project.project_directory import carried_out

_TAGS = Column("tags", "array<struct<a:int,b:decimal(10,2)>>")


def catalog_with_users(directory: Path) -> ViewCatalog:
    """A catalog with the table ``web.users`` (id int, n bigint, iso string, tags array)."""
    metastore = MemoryMetastore(warehouse=f"file://{directory}/m")
    catalog = catalog_on(metastore, f"file://{directory}/v", owner="ada")
    catalog.create_namespace("web")
    columns = (Column("id", "int"), Column("n", "bigint"), Column("iso", "string"), _TAGS)
    metastore.create_row(Row(TableIdentifier("web", "users"), "MANAGED_TABLE", "ada", f"file:{directory}/u", columns))
    return catalog


class ProjectFiles:
    """The files of the project ``web``, whose views are in the database of this name."""

    def __init__(self, catalog: ViewCatalog, directory: Path) -> None:
        self.catalog, self.directory = catalog, directory
        self.write("project.toml", 'name = "web"\n')

    def write(self, path: str, text: str) -> None:
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def view(self, name: str, query: str, *, columns: str = "", clauses: str = "") -> None:
        """The file of a view. What follows the columns is on the second line, and the query on the last ones."""
        self.write(f"web/{name}.sql", f"CREATE OR REPLACE VIEW {name} {columns}\n{clauses} AS\n{query}\n")

    def plan(self, **options: object) -> Plan:
        return plan(self.catalog, self.directory, **options)  # type: ignore[arg-type]

    def apply(self) -> None:
        """The steps of a plan, without its lock."""
        carried_out(self.catalog, self.plan())
