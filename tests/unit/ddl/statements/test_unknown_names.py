"""An unknown table or column is an error with its place and the nearest name, before anything is written."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from deltalake import DeltaTable, Field, Schema

from hive_views import TableIdentifier, ViewCatalog, execute_script
from hive_views.errors import NoSuchTableError, SQLSyntaxError, UncertainColumnsError
from hive_views.hive.row import Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage
from tests.unit.ddl.statements.conftest import CLICKS, Run


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("web.clickss", r"there is no table or view web\.clickss\. Did you mean 'web\.clicks'\?"),
        ("clicks", r"there is no table or view sales\.clicks\. Did you mean 'web\.clicks'\?"),
        ("webb.clicks", r"there is no table or view webb\.clicks\. Did you mean 'web\.clicks'\?"),
        ("wbe.nothing", r"there is no table or view wbe\.nothing\. Did you mean 'web\.nothing'\?"),
        ("web.zzz", r"there is no table or view web\.zzz\."),
    ],
)
def test_an_unknown_table_is_named_with_its_place_and_the_nearest(
    catalog: ViewCatalog, table: str, problem: str
) -> None:
    query = f"SELECT page\nFROM web.clicks c\n  JOIN {table} d ON c.page = d.page"
    with pytest.raises(NoSuchTableError, match=rf"^Cannot use this hive SQL at line 3, column 8: {problem}$") as error:
        catalog.create_view("sales.v", sql={"hive": query})
    found = error.value
    assert (found.line, found.column, found.offset, found.dialect) == (3, 8, query.index(f"{table} d"), "hive")
    assert found.identifier == (table if "." in table else f"sales.{table}")
    assert not catalog.view_exists("sales.v")


def test_a_metastore_that_lists_nothing_leaves_the_error_about_the_table(
    catalog: ViewCatalog, metastore: MemoryMetastore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metastore, "list_namespaces", lambda: metastore.load_namespace("gone"))
    with pytest.raises(NoSuchTableError, match=r"there is no table or view web\.clickss\.$"):
        catalog.create_view("sales.v", sql={"hive": "SELECT page FROM web.clickss"})


@pytest.mark.parametrize(
    ("query", "kind", "place"),
    [
        ("SELECT pagee FROM web.clicks", SQLSyntaxError, "pagee"),
        ("SELECT page FROM web.clicks WHERE hour = 1", SQLSyntaxError, "hour"),
        ("SELECT page FROM web.nothing", NoSuchTableError, "web.nothing"),
    ],
)
def test_in_a_script_the_place_is_that_in_the_script(
    catalog: ViewCatalog, run: Run, query: str, kind: type[SQLSyntaxError | NoSuchTableError], place: str
) -> None:
    script = f"CREATE VIEW a AS SELECT 1 AS x;\n\n  CREATE VIEW b AS\n   {query};\nCREATE VIEW c AS {query}"
    with pytest.raises(kind, match=rf"at line 4, column {3 + query.index(place) + 1}: ") as error:
        execute_script(catalog, script, namespace="sales")
    assert error.value.offset == script.index(place)
    assert error.value.line == 4
    statement = f"CREATE VIEW b AS {query}"
    with pytest.raises(kind) as error:
        run(statement)
    assert error.value.offset == statement.index(place)
    assert error.value.column == statement.index(place) + 1


def test_the_place_is_in_the_text_of_the_dialect_that_has_the_mistake(run: Run) -> None:
    query = "SELECT pagee FROM web.clicks"
    statement = f"CREATE VIEW b DIALECT trino AS {query}\nDIALECT spark AS {query}"
    with pytest.raises(SQLSyntaxError, match="spark SQL at line 2, column 25: ") as error:
        run(statement)
    assert error.value.offset == statement.rindex("pagee")


def test_a_replacement_with_more_columns_names_what_is_unknown(catalog: ViewCatalog) -> None:
    before = catalog.create_view("sales.v", sql={"hive": "SELECT page FROM web.clicks"}).metadata
    with pytest.raises(SQLSyntaxError, match=r"Did you mean 'hr'\?"):
        catalog.replace_view("sales.v", sql={"hive": "SELECT page, hrr FROM web.clicks"})
    with pytest.raises(NoSuchTableError, match="clickss"):
        catalog.replace_view("sales.v", sql={"hive": "SELECT page, hr FROM web.clickss"})
    assert catalog.load_view("sales.v").metadata == before


def test_tables_of_a_query_are_read_in_one_call_for_each_database(tmp_path: Path) -> None:
    calls: Counter[str] = Counter()
    metastore = MemoryMetastore(on_call=lambda verb: calls.update([verb]))
    catalog = ViewCatalog(metastore, MetadataStorage(), warehouse=str(tmp_path))
    for namespace in ("web", "other", "sales"):
        metastore.create_namespace(namespace)
    rows = [
        CLICKS.identifier,
        *(TableIdentifier("web", f"t{number}") for number in range(5)),
        TableIdentifier("other", "u"),
    ]
    for name in rows:
        metastore.create_row(Row(**{**vars(CLICKS), "identifier": name}))
    joined = " ".join(f"JOIN {name} ON {name.name}.page = clicks.page" for name in rows[1:])
    calls.clear()
    catalog.create_view("sales.v", sql={"hive": f"SELECT clicks.page FROM web.clicks {joined}"})
    assert calls["load_rows"] == 2


def delta_row(location: Path, name: str = "events") -> Row:
    parameters = {"spark.sql.sources.provider": "delta"}
    path = {"path": str(location)}
    return Row(TableIdentifier("web", name), "EXTERNAL_TABLE", parameters=parameters, serde_parameters=path)


def test_columns_of_a_delta_table_are_derived_and_those_that_hive_does_not_have_are_named(
    catalog: ViewCatalog, metastore: MemoryMetastore, tmp_path: Path
) -> None:
    fields = [
        Field("userId", "long"),
        Field("ds", "string"),
        Field("at", "timestamp_ntz"),
        Field("price", "decimal(9,3)"),
    ]
    DeltaTable.create(tmp_path / "events", Schema(fields), partition_by=["ds"])
    metastore.create_row(delta_row(tmp_path / "events"))
    query = "SELECT e.*, 1 AS one FROM (SELECT userId, ds, price FROM web.events) e"
    view = catalog.create_view("sales.v", sql={"hive": query})
    assert [(one.name.lower(), one.type) for one in view.columns] == [
        ("userid", "bigint"), ("ds", "string"), ("price", "decimal(9,3)"), ("one", "int")
    ]  # fmt: skip
    problem = r"not certain: at \(Spark: timestamp_ntz; Hive has no type timestamp_ntz\)\. A CAST"
    with pytest.raises(UncertainColumnsError, match=problem) as error:
        catalog.create_view("sales.w", sql={"hive": "SELECT * FROM web.events"})
    assert error.value.columns == ["at"]
    assert "--column" in error.value.shell_message
    assert "schema=" in str(error.value)
    with pytest.raises(SQLSyntaxError, match=r"Did you mean 'userid'\?"):
        catalog.create_view("sales.w", sql={"hive": "SELECT user_id FROM web.events"})


def test_a_delta_table_that_cannot_be_read_says_why(
    catalog: ViewCatalog, metastore: MemoryMetastore, tmp_path: Path
) -> None:
    metastore.create_row(delta_row(tmp_path / "nothing"))
    with pytest.raises(UncertainColumnsError, match=r"\* \(.*There is no Delta table web\.events") as error:
        catalog.create_view("sales.v", sql={"hive": "SELECT * FROM web.events"})
    assert "CAST" not in str(error.value)
    assert catalog.create_view("sales.v", sql={"hive": "SELECT CAST(a AS int) AS a FROM web.events"}).columns
    log = tmp_path / "broken" / "_delta_log"
    log.mkdir(parents=True)
    action = {"metaData": {"id": "1", "schemaString": '{"fields": [{"name": "a"}]}', "partitionColumns": []}}
    (log / f"{0:020d}.json").write_text(json.dumps(action))
    metastore.create_row(delta_row(tmp_path / "broken", "broken"))
    with pytest.raises(UncertainColumnsError, match=r"Cannot read the schema of web\.broken"):
        catalog.create_view("sales.w", sql={"hive": "SELECT * FROM web.broken"})
