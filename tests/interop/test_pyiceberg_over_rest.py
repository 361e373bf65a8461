"""PyIceberg over REST, beside our API on the same rows."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.exceptions import (
    BadRequestError,
    ForbiddenError,
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NoSuchViewError,
    RESTError,
    ViewAlreadyExistsError,
)
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType
from pyiceberg.view.metadata import SQLViewRepresentation, ViewRepresentation, ViewVersion

from hive_views import ViewCatalog
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.processes.rest_server import rest_server
from tests.support.views.catalog_setup import table_row

proves = partial(pytest.mark.matrix, engine="PyIceberg 0.12.0 over REST", server="2.3.10 on Derby")

SCHEMA = Schema(NestedField(5, "id", LongType(), required=True, doc="Ω"), NestedField(6, "ds", StringType()))
READ_WRITE, READ_ONLY = "a token that may write", "a token that may read"


@pytest.fixture(scope="module")
def server(metastore_uri: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of two catalogs, ``one`` and ``two``, that are one metastore, with tokens."""
    directory = tmp_path_factory.mktemp("serve")
    config, tokens = directory / "config.toml", directory / "tokens.toml"
    config.write_text("".join(f'[catalogs.{name}]\nuri = "{metastore_uri}"\n' for name in ("one", "two")))
    tokens.write_text(
        f'[tokens.etl]\ntoken = "{READ_WRITE}"\nrole = "read-write"\nowner = "ann"\n'
        f'[tokens.reports]\ntoken = "{READ_ONLY}"\nrole = "read-only"\n'
    )
    tokens.chmod(0o600)
    with rest_server(config, directory, "one", "two", "--tokens", str(tokens)) as server:
        yield server.address


@pytest.fixture(scope="module")
def connect(server: str) -> Callable[..., Catalog]:
    return partial(load_catalog, "theirs", type="rest", uri=server, warehouse="one", token=READ_WRITE)


@pytest.fixture
def theirs(connect: Callable[..., Catalog]) -> Catalog:
    return connect()


def version(sql: str, dialect: str = "spark", namespace: str = "default") -> ViewVersion:
    text = ViewRepresentation(SQLViewRepresentation(type="sql", sql=sql, dialect=dialect))
    return ViewVersion(schema_id=0, representations=[text], default_namespace=(namespace,), summary={"made": "by hand"})


@proves(operation="create_view, load_view, list_views, view_exists, drop_view", result="a view of ours")
def test_a_view_is_created_loaded_listed_and_dropped(theirs: Catalog, catalog: ViewCatalog, namespace: str) -> None:
    name = f"{namespace}.v"
    made = theirs.create_view(
        name, SCHEMA, version("SELECT id, ds FROM clicks", namespace=namespace), properties={"a": "Ω"}
    )
    ours = catalog.load_view(name)
    assert str(made.uuid()) == ours.uuid
    assert (ours.properties, ours.owner) == ({"a": "Ω"}, "ann")
    assert [(c.name, c.type, c.comment) for c in ours.columns] == [("id", "bigint", "Ω"), ("ds", "string", None)]
    assert ours.row.expanded_text == f"SELECT id AS `id`, ds AS `ds` FROM `{namespace}`.`clicks`"
    assert ours.differences == ()
    assert theirs.list_views(namespace) == [(namespace, "v")]
    assert theirs.view_exists(name)
    with pytest.raises(ViewAlreadyExistsError):
        theirs.create_view(name, SCHEMA, version("SELECT 1 AS id, '' AS ds"))
    with pytest.raises(RESTError, match="NoSuchNamespaceException: Namespace does not exist: none_such"):
        theirs.create_view("none_such.v", SCHEMA, version("SELECT 1 AS id, '' AS ds"))
    catalog.alter_view(name, sql={"trino": "SELECT id, ds FROM clicks"})
    loaded = theirs.load_view(name)
    assert [text.root.dialect for text in loaded.current_version().representations] == ["spark", "trino"]
    assert len(loaded.history()) == 2
    theirs.drop_view(name)
    assert not theirs.view_exists(name)
    for verb in (theirs.load_view, theirs.drop_view):
        with pytest.raises(NoSuchViewError):
            verb(name)


@proves(operation="register_view", result="the view, with its uuid and its history")
def test_a_view_is_registered(theirs: Catalog, catalog: ViewCatalog, namespace: str) -> None:
    ours = catalog.create_view(f"{namespace}.v", sql={"hive": "SELECT 1 AS one"}, schema=[("one", "int")])
    catalog.drop_view(ours.identifier)
    theirs.register_view(f"{namespace}.w", ours.metadata_location)
    found = catalog.load_view(f"{namespace}.w")
    assert (found.uuid, found.history, found.differences) == (ours.uuid, ours.history, ())
    with pytest.raises(ViewAlreadyExistsError):
        theirs.register_view(f"{namespace}.w", ours.metadata_location)


@proves(operation="create_view with what a row cannot hold", result="refused, with the reason; nothing is created")
@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"view_version": version("SELECT 1", dialect="hive")}, "1 output columns .* the schema has 2"),
        ({"view_version": version("DROP TABLE t", dialect="hive")}, "only reads|one query|SELECT"),
        ({"properties": {"metadata_location": "x"}}, "Cannot set property 'metadata_location'"),
        ({"location": "no place"}, "a URI or an absolute path"),
    ],
)
def test_what_a_row_cannot_hold_is_refused(
    theirs: Catalog, catalog: ViewCatalog, namespace: str, given: dict[str, object], reason: str
) -> None:
    view: dict[str, object] = {"view_version": version("SELECT 1 AS id, '' AS ds"), **given}
    with pytest.raises(BadRequestError, match=reason):
        theirs.create_view(f"{namespace}.v", SCHEMA, **view)  # type: ignore[arg-type]
    assert not catalog.view_exists(f"{namespace}.v")


@proves(operation="namespaces: create, list, load, update, drop", result="databases of the metastore")
def test_namespaces(theirs: Catalog, hms: HiveMetastore, catalog: ViewCatalog, tmp_path: Path) -> None:
    name = f"theirs_{uuid.uuid4().hex[:12]}"
    theirs.create_namespace(name, {"comment": "Ω", "team": "web", "location": f"file:{tmp_path}"})
    theirs.create_namespace_if_not_exists(name)
    with pytest.raises(NamespaceAlreadyExistsError):
        theirs.create_namespace(name)
    assert (name,) in theirs.list_namespaces()
    assert theirs.list_namespaces(name) == []
    assert theirs.namespace_exists(name)
    assert not theirs.namespace_exists("none_such")
    row = hms.load_namespace(name)
    assert (row.comment, row.parameters, row.location) == ("Ω", {"team": "web"}, f"file:{tmp_path}")
    summary = theirs.update_namespace_properties(name, removals={"team", "none"}, updates={"team 2": "é"})
    assert (summary.updated, summary.removed, summary.missing) == (["team 2"], ["team"], ["none"])
    properties = theirs.load_namespace_properties(name)
    assert (properties["team 2"], properties["location"], "team" in properties) == ("é", f"file:{tmp_path}", False)
    with pytest.raises(RESTError, match="UnsupportedOperationException"):
        # Hive 2.3 keeps the comment that a database was created with.
        theirs.update_namespace_properties(name, updates={"comment": "two"})
    with pytest.raises(BadRequestError, match="location"):
        theirs.update_namespace_properties(name, updates={"location": f"file:{tmp_path}/elsewhere"})
    catalog.create_view(f"{name}.v", sql={"hive": "SELECT 1 AS one"}, schema=[("one", "int")])
    with pytest.raises(NamespaceNotEmptyError):
        theirs.drop_namespace(name)
    theirs.drop_view(f"{name}.v")
    theirs.drop_namespace(name)
    for verb in (theirs.drop_namespace, theirs.load_namespace_properties, theirs.list_views, theirs.list_namespaces):
        with pytest.raises(NoSuchNamespaceError, match=name):
            verb(name)


@pytest.fixture
def table(hms: HiveMetastore, namespace: str, tmp_path: Path) -> str:
    """An Iceberg table of the metastore with three rows; PyIceberg writes it, beside one of Hive."""
    files = InMemoryCatalog("files", warehouse=f"file://{tmp_path}/tables")
    files.create_namespace("s")
    rows = pa.table({"id": [1, 2, 3], "ds": ["a", "b", "b"]})
    written = files.create_table("s.t", rows.schema)
    written.append(rows)
    hms.create_row(table_row(namespace, "events", table_type="ICEBERG", metadata_location=written.metadata_location))
    hms.create_row(table_row(namespace, "of_hive"))
    return f"{namespace}.events"


@proves(operation="list_tables, load_table, table_exists, scan", result="Iceberg tables of the metastore are read")
def test_iceberg_tables_are_read(theirs: Catalog, namespace: str, table: str) -> None:
    assert theirs.list_tables(namespace) == [(namespace, "events")]
    assert theirs.table_exists(table)
    assert theirs.load_table(table).scan(row_filter="ds = 'b'").to_arrow().to_pylist() == [
        {"id": 2, "ds": "b"},
        {"id": 3, "ds": "b"},
    ]
    for name in ("of_hive", "none"):
        assert not theirs.table_exists(f"{namespace}.{name}")
        with pytest.raises(NoSuchTableError):
            theirs.load_table(f"{namespace}.{name}")


@proves(
    operation="create_table, append, drop_table, rename_table",
    result="refused: tables are read-only; nothing is changed",
)
def test_tables_are_not_written(theirs: Catalog, hms: HiveMetastore, namespace: str, table: str) -> None:
    before = hms.load_row(TableIdentifier(namespace, "events"))
    for write in (
        lambda: theirs.create_table(f"{namespace}.more", SCHEMA),
        lambda: theirs.drop_table(table),
        lambda: theirs.rename_table(table, f"{namespace}.more"),
        lambda: theirs.load_table(table).append(pa.table({"id": [4], "ds": ["c"]})),
    ):
        with pytest.raises(NotImplementedError, match="Server does not support endpoint"):
            write()
    assert hms.load_row(TableIdentifier(namespace, "events")) == before


class TestDoors:
    def test_without_a_token_nothing_is_answered(self, connect: Callable[..., Catalog]) -> None:
        for token in ("another, which nobody knows", None):
            with pytest.raises(Exception, match="NotAuthorizedException"):
                connect(token=token).list_namespaces()

    def test_a_token_that_may_read_does_not_write(
        self, connect: Callable[..., Catalog], catalog: ViewCatalog, namespace: str
    ) -> None:
        reader = connect(token=READ_ONLY)
        made = catalog.create_view(f"{namespace}.v", sql={"hive": "SELECT 1 AS one"}, schema=[("one", "int")])
        assert reader.load_view(f"{namespace}.v").uuid() == uuid.UUID(made.uuid)
        with pytest.raises(ForbiddenError, match="is read-only"):
            reader.drop_view(f"{namespace}.v")
        assert catalog.view_exists(f"{namespace}.v")

    def test_a_catalog_is_chosen_by_its_warehouse(
        self, connect: Callable[..., Catalog], catalog: ViewCatalog, namespace: str
    ) -> None:
        catalog.create_view(f"{namespace}.v", sql={"hive": "SELECT 1 AS one"}, schema=[("one", "int")])
        for warehouse, name in (("one", None), ("two@mine", "mine")):
            chosen = connect(warehouse=warehouse)
            assert chosen.properties["prefix"] == warehouse
            assert chosen.load_view(f"{namespace}.v").current_version().default_catalog == name
        with pytest.raises(Exception, match=r"There is no catalog 'three'.* one, two"):
            connect(warehouse="three")
