"""Which engines have to read a view's text, and texts that are refused before anything is called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from hive_views import TableIdentifier, View, ViewCatalog, execute
from hive_views.cli import cli
from hive_views.errors import InvalidInputError, SQLSyntaxError
from hive_views.hive.row import POINTER, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import FOR_ENGINE
from tests.support.failing.faulty_metastore import FaultyMetastore
from tests.support.processes.rest_client import VIEW, VIEWS, creation, replacement, rest_client
from tests.support.views.foreign_writers import spark_set_properties
from tests.support.views.quick_catalog import NAME, catalog_on

TEXT = "SELECT a FROM t"
SAMPLE = "SELECT a FROM t TABLESAMPLE (1M) s"
STORED = "SELECT a AS `a` FROM `sales`.`t` TABLESAMPLE (1M) s"
BAD = ["SELECT a FROM", "SELECT a FROM t LIMIT x", "WITH q AS (SELECT a FROM r), r AS (SELECT 1 AS a) SELECT a FROM q"]
FOR_HIVE = {FOR_ENGINE: "hive"}
COLUMNS = [("a", "int")]


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def catalog(calls: list[str]) -> ViewCatalog:
    catalog = catalog_on(FaultyMetastore(MemoryMetastore(), on_call=calls.append))
    catalog.metastore.create_row(Row(TableIdentifier("sales", "t"), "EXTERNAL_TABLE", columns=(Column("a", "int"),)))
    return catalog


@pytest.fixture
def view(catalog: ViewCatalog) -> View:
    return catalog.create_view(NAME, sql={"hive": TEXT, "trino": TEXT}, schema=COLUMNS)


class TestViewsForHive:
    def test_what_spark_cannot_read_is_stored_where_the_property_says_that_it_need_not(
        self, catalog: ViewCatalog
    ) -> None:
        with pytest.raises(SQLSyntaxError, match="which only Hive has"):
            catalog.create_view(NAME, sql={"hive": SAMPLE}, schema=COLUMNS)
        made = catalog.create_view(NAME, sql={"hive": SAMPLE}, schema=COLUMNS, properties=FOR_HIVE)
        assert made.row.expanded_text == STORED
        assert made.row.parameters[FOR_ENGINE] == "hive"
        assert made.properties == FOR_HIVE

    def test_the_property_stays_and_is_taken_away(self, catalog: ViewCatalog) -> None:
        catalog.create_view(NAME, sql={"hive": SAMPLE}, schema=COLUMNS, properties=FOR_HIVE)
        other = {"hive": SAMPLE.replace("1M", "2M")}
        assert catalog.replace_view(NAME, sql=other).current_version.version_id == 2
        changed = catalog.alter_view(NAME, remove_properties=[FOR_ENGINE], comment="the text is not touched")
        assert (changed.properties, changed.current_version.version_id) == ({"comment": changed.comment}, 2)
        with pytest.raises(SQLSyntaxError, match="which only Hive has"):
            catalog.replace_view(NAME, sql={"hive": SAMPLE.replace("1M", "3M")})
        with pytest.raises(SQLSyntaxError, match="which only Hive has"):
            catalog.alter_view(NAME, sql={"hive": SAMPLE.replace("1M", "3M")})
        catalog.alter_view(NAME, sql={"hive": SAMPLE.replace("1M", "3M")}, set_properties=FOR_HIVE)
        with pytest.raises(SQLSyntaxError, match="which only Hive has"):
            catalog.alter_view(NAME, sql={"hive": SAMPLE}, remove_properties=[FOR_ENGINE])

    def test_a_text_that_is_there_goes_through_every_commit(self, catalog: ViewCatalog) -> None:
        stored = {"hive": STORED}
        catalog.create_view(NAME, sql=stored, schema=COLUMNS, properties=FOR_HIVE)
        catalog.alter_view(NAME, remove_properties=[FOR_ENGINE])
        catalog.alter_view(NAME, comment="by day")
        row = catalog.metastore.load_row(NAME)
        catalog.metastore.swap_row(spark_set_properties(row, comment="by Spark"), expected=row.parameters[POINTER])
        adopted = catalog.repair_view(NAME, on_drift="adopt")
        assert (adopted.comment, adopted.row.expanded_text) == ("by Spark", STORED)
        assert catalog.rename_view(NAME, "sales.other").row.expanded_text == STORED

    @pytest.mark.parametrize("value", ["spark", "Hive", ""])
    def test_the_property_says_hive_or_nothing(self, catalog: ViewCatalog, value: str) -> None:
        with pytest.raises(InvalidInputError, match="it is 'hive'"):
            catalog.create_view(NAME, sql={"hive": TEXT}, schema=COLUMNS, properties={FOR_ENGINE: value})

    def test_statements_have_it_in_their_properties(self, catalog: ViewCatalog) -> None:
        statement = f"CREATE VIEW daily {{}} AS {SAMPLE}"
        with pytest.raises(SQLSyntaxError, match="which only Hive has"):
            execute(catalog, statement.format(""), namespace="sales")
        made = f"TBLPROPERTIES ('{FOR_ENGINE}'='hive')"
        execute(catalog, statement.format(made), namespace="sales")
        execute(catalog, f"ALTER VIEW daily AS {SAMPLE.replace('1M', '2M')}", namespace="sales")
        execute(catalog, f"ALTER VIEW daily UNSET TBLPROPERTIES ('{FOR_ENGINE}')", namespace="sales")
        with pytest.raises(SQLSyntaxError, match="which only Hive has"):
            execute(catalog, f"ALTER VIEW daily AS {SAMPLE}", namespace="sales")
        execute(catalog, f"ALTER VIEW daily SET TBLPROPERTIES ('{FOR_ENGINE}'='hive')", namespace="sales")
        execute(catalog, f"ALTER VIEW daily AS {SAMPLE}", namespace="sales")

    def test_the_command_has_an_option_for_it(self, tmp_path: Path) -> None:
        (tmp_path / "v.sql").write_text("SELECT floor(current_timestamp TO day) AS a")

        def create(*options: str) -> tuple[int, str]:
            sql = ["--sql", f"hive={tmp_path / 'v.sql'}", "--column", "a timestamp", *options]
            done = CliRunner().invoke(
                cli, ["--uri", "memory:", "--warehouse", str(tmp_path), "create", "default.v", *sql]
            )
            return done.exit_code, done.output

        code, output = create()
        assert code == 2
        assert "--for hive" in output
        assert create("--for", "hive")[0] == 0

    def test_clients_over_rest_have_it_in_their_properties(self) -> None:
        client = rest_client()
        text = "SELECT id, ds FROM clicks TABLESAMPLE (1M) s"
        refused = client.post(VIEWS, json=creation(dialect="hive", sql=text))
        assert refused.status_code == 400
        assert "which only Hive has" in refused.text
        for_hive = creation(dialect="hive", sql=text) | {"properties": FOR_HIVE}
        assert client.post(VIEWS, json=for_hive).status_code == 200


@pytest.mark.parametrize("text", BAD)
class TestNothingIsCalledForATextThatIsNone:
    def test_by_the_verbs(self, catalog: ViewCatalog, view: View, calls: list[str], text: str) -> None:
        verbs: list[Callable[[], object]] = [
            lambda: catalog.replace_view(NAME, sql={"hive": text}),
            lambda: catalog.replace_view(NAME, sql={"hive": text, "trino": TEXT}, schema=COLUMNS, on_drift="adopt"),
            lambda: catalog.alter_view(NAME, sql={"hive": text}),
            lambda: catalog.create_view("sales.other", sql={"hive": text}),
            lambda: catalog.create_view("sales.other", sql={"hive": text}, schema=COLUMNS),
        ]
        calls.clear()
        for verb in verbs:
            with pytest.raises(SQLSyntaxError):
                verb()
        assert calls == []

    @pytest.mark.parametrize(
        "statement",
        [
            "CREATE VIEW other AS {}",
            "CREATE VIEW IF NOT EXISTS daily AS {}",
            "CREATE OR REPLACE VIEW daily AS {}",
            "ALTER VIEW daily AS {}",
            "ALTER VIEW daily ADD DIALECT hive AS {}",
            "ALTER VIEW daily REPLACE DIALECT hive AS {}",
        ],
    )
    def test_by_statements(self, catalog: ViewCatalog, view: View, calls: list[str], text: str, statement: str) -> None:
        calls.clear()
        with pytest.raises(SQLSyntaxError):
            execute(catalog, statement.format(text), namespace="sales")
        assert calls == []

    def test_over_rest(self, text: str) -> None:
        calls: list[str] = []
        client = rest_client(FaultyMetastore(MemoryMetastore(), on_call=calls.append))
        view_uuid = client.post(VIEWS, json=creation(dialect="hive")).json()["metadata"]["view-uuid"]
        calls.clear()
        replaced = client.post(VIEW, json=replacement(view_uuid, dialect="hive", sql=text))
        made = client.post(VIEWS, json=creation("other", dialect="hive", sql=text))
        assert (replaced.status_code, made.status_code) == (400, 400)
        assert calls == []
