"""The verbs of Iceberg clients, what others do meanwhile, and what a bystander sees of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from hive_views.errors import CorruptMetadataError, NoSuchIcebergViewError
from hive_views.hive.row import Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import SQLViewRepresentation, ViewVersion
from hive_views.spec.schema import NestedField, Schema
from hive_views.spec.updates import LAST_ADDED, AddViewVersion, SetCurrentViewVersion, SetProperties
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.client_catalog import ClientCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.locking import LockMode
from tests.faults.saved import Saved, no_files
from tests.support.failing.faulty_storage import FaultyFileSystem
from tests.support.views import foreign_writers

DAILY = TableIdentifier("sales", "daily")
FRESH = TableIdentifier("sales", "fresh")
RENAMED = TableIdentifier("sales", "renamed")
MOVED = TableIdentifier("sales", "moved")
COLUMNS = [("id", "int"), ("ds", "string")]
SCHEMA = Schema(
    schema_id=0,
    fields=(
        NestedField(id=1, name="id", required=False, type="int"),
        NestedField(id=2, name="ds", required=False, type="string"),
    ),
)


def a_text(said: str) -> str:
    return f"SELECT 1 AS id, '{said}' AS ds"


@dataclass(frozen=True)
class Seen:
    """A view without ids and times: the texts that were current, the oldest first, and what the row says besides."""

    texts: tuple[str, ...]
    properties: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None


State = Mapping[str, Seen | None]
"""All views by name; None for a plain one."""


class World:
    """A metastore in memory with one view, and servers on it that know nothing of each other.

    ``saved`` has what was made once, by the arguments: whoever makes many worlds begins with the same files.
    """

    saved: ClassVar[dict[object, tuple[Saved, str, str]]] = {}

    def __init__(self, lock: LockMode = "auto", **server: bool) -> None:
        FaultyFileSystem.clear()
        no_files()
        self.server = MemoryMetastore(**server, lock_timeout_s=0.0, warehouse="faulty://warehouse")  # type: ignore[arg-type]
        self.server.create_namespace("sales")
        self.lock = lock
        key = lock, frozenset(server.items())
        if key in self.saved:
            saved, self.uuid, self.first_file = self.saved[key]
            saved.put_into(self.server)
            return
        view = self.catalog().create_view(DAILY, sql={"spark": a_text("first")}, schema=COLUMNS)
        self.uuid, self.first_file = view.uuid, view.metadata_location
        self.catalog().replace_view(DAILY, sql={"spark": a_text("second")})
        self.saved[key] = Saved.of(self.server), self.uuid, self.first_file

    def catalog(self, metastore: Metastore | None = None, lock: LockMode | None = None) -> ViewCatalog:
        settings = CommitSettings(
            lock=lock or self.lock,
            retry_timeout_s=1.0,
            settle_timeout_s=0.05,
            mend_lock_timeout_s=0.0,
            owner="tests",
            look_again_after_s=0.0,
        )
        warehouse = "faulty://warehouse/sales.db"
        return ViewCatalog(metastore or self.server, MetadataStorage(), warehouse=warehouse, settings=settings)

    def client(self, metastore: Metastore | None = None) -> ClientCatalog:
        """A server that has just been started."""
        return ClientCatalog(self.catalog(metastore).engine)

    def look(self) -> State:
        return {name: self._seen(TableIdentifier("sales", name)) for name in self.server.list_view_names("sales")}

    def _seen(self, name: TableIdentifier) -> Seen | None:
        try:
            view = self.catalog().load_view(name)
        except NoSuchIcebergViewError:
            return None
        except CorruptMetadataError as error:
            raise AssertionError(f"{name} is lost: {error}") from error
        texts = {one.version_id: _text(one) for one in view.versions}
        row: Row = self.server.load_row(name)
        current = tuple(texts[entry.version_id] for entry in view.history)
        return Seen(current, dict(view.properties), row.parameters.get("comment"))


def _text(version: ViewVersion) -> str:
    (representation,) = version.representations
    assert isinstance(representation, SQLViewRepresentation)
    return representation.sql.partition("'")[2].partition("'")[0]


def _version(said: str) -> ViewVersion:
    return ViewVersion(
        version_id=1,
        timestamp_ms=1,
        schema_id=0,
        summary={},
        default_namespace=("sales",),
        representations=(SQLViewRepresentation(type="sql", sql=a_text(said), dialect="spark"),),
    )


Request = Callable[[World, ClientCatalog, "str | None"], object]

VERBS: dict[str, Request] = {
    "create": lambda world, client, key: client.create(
        FRESH, _version("fresh"), SCHEMA, properties={}, location=None, key=key
    ),
    "commit": lambda world, client, key: client.commit(
        DAILY,
        [AddViewVersion(_version("third")), SetCurrentViewVersion(LAST_ADDED), SetProperties({"mine": "1"})],
        view_uuid=world.uuid,
        key=key,
    ),
    "register": lambda world, client, key: client.register(FRESH, world.first_file, overwrite=False, key=key),
    "register over": lambda world, client, key: client.register(DAILY, world.first_file, overwrite=True, key=key),
    "rename": lambda world, client, key: client.rename(DAILY, RENAMED, key=key),
    "drop": lambda world, client, key: client.drop(DAILY, key=key),
}
"""What a client asks a server for."""


def _at(world: World) -> TableIdentifier | None:
    """Where the view is that all of this is about, or what came after it."""
    names = world.server.list_view_names("sales")
    return next((one for one in (FRESH, RENAMED, DAILY) if one.name in names), None)


def _commits(world: World) -> None:
    name = _at(world)
    if name:
        world.catalog(lock="never").alter_view(name, set_properties={"theirs": "1"}, on_drift="overwrite")


def _alters(world: World) -> None:
    name = _at(world)
    if name:
        row = foreign_writers.spark_set_properties(world.server.load_row(name), comment="by Spark")
        world.server.swap_row(row, expected=None)


def _recreates(world: World) -> None:
    name = _at(world)
    if name:
        world.catalog(lock="never").drop_view(name)
        world.catalog(lock="never").create_view(name, sql={"spark": a_text("recreated")}, schema=COLUMNS)


def _moves(world: World) -> None:
    name = _at(world)
    if name and MOVED.name not in world.server.list_view_names("sales"):
        world.catalog(lock="never").rename_view(name, MOVED)


def _drops(world: World) -> None:
    name = _at(world)
    if name:
        world.catalog(lock="never").drop_view(name)


RIVALS: dict[str, Callable[[World], None]] = {
    "commits": _commits,
    "alters as Spark does": _alters,
    "drops and recreates": _recreates,
    "renames": _moves,
    "drops": _drops,
}
"""What somebody else does, who takes no lock."""
