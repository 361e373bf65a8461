"""SHOW and DESCRIBE, in Hive's shapes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hive_views import View, ViewCatalog, execute, execute_script
from hive_views.errors import (
    InvalidInputError,
    InvalidPartitionError,
    NoSuchNamespaceError,
    NoSuchPartitionError,
    NoSuchViewError,
)
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage
from tests.support import plain_rows
from tests.support.views.quick_catalog import catalog_on
from tests.unit.ddl.statements.conftest import CLICKS, Run, plain_view


def test_show_views_lists_all_views_of_a_database_by_name(metastore: MemoryMetastore, run: Run, daily: str) -> None:
    metastore.create_row(plain_view("plain", "SELECT 1 AS a"))
    run("CREATE VIEW web.other AS SELECT 1 AS a")
    answer = run("SHOW VIEWS")
    assert (answer.columns, answer.rows) == (("tab_name",), (("daily",), ("plain",)))
    assert run("SHOW VIEWS IN web").rows == (("other",),)
    for pattern, names in {
        "d*": ["daily"],
        "DAILY|p*n": ["daily", "plain"],
        "*l*": ["daily", "plain"],
        "%L%": ["daily", "plain"],
        "d": [],
    }.items():
        assert [row[0] for row in run(f"SHOW VIEWS LIKE '{pattern}'").rows] == names
    with pytest.raises(NoSuchNamespaceError):
        run("SHOW VIEWS IN nowhere")


def test_show_partitions_sorts_as_text_and_filters_by_values(run: Run, daily: str) -> None:
    run("ALTER VIEW daily ADD PARTITION (ds='b', hr=2) PARTITION (ds='b', hr=10) PARTITION (ds='a', hr=2)")
    answer = run("SHOW PARTITIONS daily")
    assert answer.columns == ("partition",)
    assert [row[0] for row in answer.rows] == ["ds=a/hr=2", "ds=b/hr=10", "ds=b/hr=2"]
    assert [row[0] for row in run("SHOW PARTITIONS daily PARTITION (hr='02')").rows] == ["ds=a/hr=2", "ds=b/hr=2"]
    run("CREATE VIEW v AS SELECT 1 AS a")
    with pytest.raises(InvalidPartitionError, match="10241"):
        run("SHOW PARTITIONS v")


def test_show_tblproperties_gives_the_parameters_of_the_row(catalog: ViewCatalog, run: Run, daily: str) -> None:
    answer = run("SHOW TBLPROPERTIES daily")
    assert dict(answer.rows) == catalog.load_view(daily).row.parameters
    assert list(answer.rows) == sorted(answer.rows)
    assert run("SHOW TBLPROPERTIES daily ('team')").rows == (("team", "x"),)
    assert run("SHOW TBLPROPERTIES daily ('z')").rows == (("z", "Table sales.daily does not have property: z"),)


def test_show_columns_and_describe_list_partition_columns_last(run: Run, daily: str) -> None:
    assert run("SHOW COLUMNS IN daily").rows == (("u",), ("n",), ("ds",), ("hr",))
    assert run("SHOW COLUMNS FROM daily IN sales", namespace="web").columns == ("field",)
    answer = run("DESCRIBE daily")
    assert answer.columns == ("col_name", "data_type", "comment")
    assert answer.rows == (
        ("u", "bigint", "user"),
        ("n", "bigint", "how often"),
        ("ds", "string", "day"),
        ("hr", "int", None),
        ("", None, None),
        ("# Partition Information", None, None),
        ("# col_name", "data_type", "comment"),
        ("ds", "string", "day"),
        ("hr", "int", None),
    )
    run("CREATE VIEW v AS SELECT 1 AS a")
    assert run("DESC v").rows == (("a", "int", None),)


def test_describe_formatted_shows_what_is_in_the_row(catalog: ViewCatalog, run: Run, daily: str) -> None:
    row = catalog.load_view(daily).row
    rows = run("DESCRIBE FORMATTED daily").rows
    shown = {name.rstrip(":"): value for name, value, _ in rows if name and name.endswith(":")}
    assert (shown["Database"], shown["Owner"], shown["Table Type"]) == ("sales", row.owner, "VIRTUAL_VIEW")
    assert (shown["Original Query"], shown["Expanded Query"]) == (row.original_text, row.expanded_text)
    assert re.fullmatch(r"\w{3} \w{3} \d\d \d\d:\d\d:\d\d UTC \d{4}", str(shown["CreateTime"]))
    assert {name: value for empty, name, value in rows if empty == "" and name} == row.parameters
    headings = [name for name, *_ in rows if name and name.startswith("# ")]
    assert headings == [
        "# col_name",
        "# Partition Information",
        "# col_name",
        "# Detailed Table Information",
        "# Storage Information",
        "# View Information",
    ]


def test_describe_extended_shows_it_in_one_row(run: Run, daily: str) -> None:
    *_, (name, text, _) = run("DESCRIBE EXTENDED daily").rows
    assert name == "Detailed Table Information"
    assert "tableName:daily, dbName:sales" in str(text)
    assert "partitionKeys:[FieldSchema(name:ds, type:string, comment:day)" in str(text)


def test_describe_of_a_partition_shows_it_if_it_is_there(run: Run, daily: str) -> None:
    run("ALTER VIEW daily ADD PARTITION (ds='a', hr=2)")
    rows = run("DESCRIBE FORMATTED daily PARTITION (ds='a', hr='02')").rows
    assert ("Partition Value:", "[a, 2]", None) in rows
    assert "values:[a, 2]" in str(run("DESCRIBE EXTENDED daily PARTITION (ds='a', hr=2)").rows[-1][1])
    assert run("DESCRIBE daily PARTITION (ds='a', hr=2)").rows == run("DESCRIBE daily").rows
    with pytest.raises(NoSuchPartitionError, match="10006"):
        run("DESCRIBE daily PARTITION (ds='a', hr=3)")


def test_describe_of_a_column_goes_into_nested_types(run: Run) -> None:
    type_ = "struct<a:array<map<string,date>>,b:int>"
    run("CREATE VIEW v AS SELECT s FROM web.clicks", schema=[("s", type_, "nested")])
    assert run("DESCRIBE v s").rows == (("s", type_, "nested"),)
    assert run("DESCRIBE v S.b").rows == (("b", "int", None),)
    assert run("DESCRIBE v s.a.`$elem$`.`$value$`").rows == (("$value$", "date", None),)
    for column in ("t", "s.c", "s.b.c", "s.a.b"):
        with pytest.raises(InvalidInputError, match=re.escape(column)):
            run(f"DESCRIBE v {column}")


@pytest.mark.parametrize(
    "statement", ["SHOW PARTITIONS v", "SHOW COLUMNS IN v", "SHOW TBLPROPERTIES v", "SHOW CREATE TABLE v", "DESCRIBE v"]
)
def test_questions_about_what_is_not_there_are_refused(run: Run, statement: str) -> None:
    with pytest.raises(NoSuchViewError, match="10001"):
        run(statement)


def test_an_answer_is_a_table_for_people_too(run: Run, daily: str) -> None:
    table = run("SHOW COLUMNS IN daily").table()
    assert [column.header for column in table.columns] == ["field"]
    assert table.row_count == 4


# -- SHOW CREATE -----------------------------------------------------------------------------------------------------


def test_show_create_has_all_that_hives_own_loses(run: Run, daily: str) -> None:
    run("ALTER VIEW daily ADD DIALECT trino AS SELECT user_id, count(*), ds, hr FROM web.clicks GROUP BY 1, 3, 4")
    assert run("SHOW CREATE TABLE daily").rows == run("SHOW CREATE VIEW daily").rows
    ((text,),) = run("SHOW CREATE TABLE daily").rows
    assert (
        text
        == """\
CREATE VIEW sales.daily (
  u COMMENT 'user',
  n COMMENT 'how often',
  ds COMMENT 'day',
  hr
)
COMMENT 'by day'
PARTITIONED ON (ds, hr)
TBLPROPERTIES (
  'team' = 'x'
)
AS
SELECT user_id, count(*), ds, hr FROM web.clicks GROUP BY user_id, ds, hr
DIALECT trino AS
SELECT user_id, count(*), ds, hr FROM web.clicks GROUP BY 1, 3, 4;"""
    )


def test_show_create_says_which_database_bare_names_are_in(catalog: ViewCatalog, run: Run) -> None:
    run("CREATE VIEW sales.v AS SELECT page FROM clicks", namespace="web")
    ((text,),) = run("SHOW CREATE TABLE v").rows
    assert str(text).startswith("USE web;\nCREATE VIEW sales.v (")
    before = catalog.load_view("sales.v")
    execute_script(catalog, f"DROP VIEW sales.v; {text}")
    after = catalog.load_view("sales.v")
    assert after.row.expanded_text == before.row.expanded_text
    assert after.current_version.default_namespace == ("web",)


def test_show_create_of_a_view_without_a_hive_text_says_its_dialect(catalog: ViewCatalog, run: Run) -> None:
    catalog.create_view("sales.v", sql={"spark": "SELECT page FROM web.clicks"}, schema=[("page", "string")])
    ((text,),) = run("SHOW CREATE TABLE v").rows
    assert text == "CREATE VIEW sales.v (\n  page\n)\nDIALECT spark AS\nSELECT page FROM web.clicks;"
    run("DROP VIEW v")
    assert run(str(text)).changed
    assert catalog.load_view("sales.v").dialects == ("spark",)


def test_show_create_gives_types_only_where_they_are_not_certain_or_others(catalog: ViewCatalog, run: Run) -> None:
    declared = [("u", "bigint"), ("p", "varchar(7)"), ("x", "struct<a:int,order:date>"), ("hr", "int")]
    query = "SELECT user_id AS u, page AS p, own(price) AS x, hr FROM web.clicks"
    created = catalog.create_view("sales.v", sql={"hive": query}, schema=declared)
    ((text,),) = run("SHOW CREATE TABLE v").rows
    assert str(text).startswith(
        "CREATE VIEW sales.v (\n  u,\n  p VARCHAR(7),\n  x STRUCT<a:INT, `order`:DATE>,\n  hr\n)\nAS\n"
    )
    run("DROP VIEW v")
    run(str(text))
    assert catalog.load_view("sales.v").columns == created.columns


def test_show_create_of_texts_that_hide_where_they_end_gives_each_a_statement(catalog: ViewCatalog, run: Run) -> None:
    texts = {"hive": "SELECT page FROM web.clicks", "other:acme": "pages ( DIALECT trino AS SELECT 1"}
    catalog.create_view("sales.v", sql={**texts, "trino": "SELECT page FROM web.clicks"})
    ((text,),) = run("SHOW CREATE TABLE v").rows
    assert "\nALTER VIEW sales.v ADD DIALECT other:acme AS\npages ( DIALECT trino AS SELECT 1;\n" in str(text)
    execute_script(catalog, f"DROP VIEW sales.v; {text}")
    view = catalog.load_view("sales.v")
    assert {dialect: view.original_sql(dialect) for dialect in view.dialects} == {
        "hive": texts["hive"], "acme": texts["other:acme"], "trino": texts["hive"]
    }  # fmt: skip


@pytest.mark.parametrize("maker", ["hive-4.0.1", "spark-4.1.4", "trino-476"])
def test_an_adopted_view_keeps_its_row_when_what_show_create_prints_is_executed(maker: str) -> None:
    metastore = MemoryMetastore()
    plain_rows.fill(metastore, plain_rows.plain_views(maker))
    catalog = catalog_on(metastore)
    # Spark's has a setting of its session, which no statement says; Trino's has no other text than its own.
    name = catalog.adopt_view({"spark-4.1.4": "plain_views.time_zone"}.get(maker, "plain_views.simple")).identifier
    before = catalog.load_view(name)
    ((text,),) = execute(catalog, f"SHOW CREATE TABLE {name}").rows
    (*_, again) = execute_script(catalog, str(text).replace("CREATE VIEW", "CREATE OR REPLACE VIEW"))
    assert not again.changed
    assert catalog.load_view(name) == before


QUERIES = [
    "SELECT {columns} FROM web.clicks",
    "WITH `c` AS (SELECT * FROM web.clicks) SELECT {columns} FROM c -- behind; it",
    "(SELECT {columns} FROM web.clicks WHERE page = ';\\'--' ) ;",
    "SELECT /* ; */ {columns} FROM web.clicks WHERE page LIKE 'é;%' -- 'x",
    "\n  SELECT {columns}\n  FROM web.clicks;;  ",
]

texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12)
names = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=8)
keys = st.text("abcXYZ.-_ 'é\\\"", min_size=1, max_size=8).filter(lambda key: not key.startswith("view."))


@st.composite
def views(draw: st.DrawFn) -> dict[str, object]:
    """Arguments of ``create_view``: two to five columns under any names, in a random shape."""
    named = draw(st.lists(names, min_size=2, max_size=5, unique_by=lambda name: name.lower()))
    types = draw(st.lists(st.sampled_from(["bigint", "string", "varchar(7)", "date"]), min_size=5, max_size=5))
    comments = draw(st.lists(st.none() | texts, min_size=5, max_size=5))
    selected = ", ".join(f"c{number} AS x{number}" for number in range(len(named)))
    query = draw(st.sampled_from(QUERIES)).format(columns=selected)
    others = draw(st.lists(st.sampled_from(["spark", "trino", "other:unheardof"]), unique=True, max_size=2))
    return {
        "sql": {"hive": query, **dict.fromkeys(others, f"SELECT {selected} FROM web.clicks WHERE page = ';' -- it's")},
        "schema": [(name, types[at], comments[at]) for at, name in enumerate(named)],
        "partitioned_on": named[len(named) - draw(st.integers(0, len(named) - 1)) :],
        "comment": draw(st.none() | texts),
        "properties": draw(st.dictionaries(keys, texts, max_size=3)),
    }


def definition(view: View) -> tuple[object, ...]:
    """All that a view says, apart from when and where it was made."""
    # A semicolon and comments behind a query are no part of it.
    typed = {
        dialect: view.original_sql(dialect)
        .strip(" ;\n")
        .removesuffix("-- behind; it")
        .removesuffix("-- 'x")
        .removesuffix("-- it's")
        .strip()
        for dialect in view.dialects
    }
    return (
        view.columns,
        view.partitioned_on,
        view.comment,
        view.properties,
        typed,
        view.row.expanded_text,
        view.current_version.default_namespace,
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(views())
def test_what_show_create_prints_makes_the_same_view_again(tmp_path: Path, arguments: dict[str, object]) -> None:
    metastore = MemoryMetastore()
    metastore.create_namespace("web")
    numbers = tuple(Column(f"c{number}", "bigint") for number in range(5))
    metastore.create_row(replace(CLICKS, columns=(Column("page", "string"), *numbers)))
    catalog = ViewCatalog(metastore, MetadataStorage(), warehouse=str(tmp_path))
    created = catalog.create_view("default.v", **arguments)  # type: ignore[arg-type]
    ((text,),) = execute(catalog, "SHOW CREATE TABLE v").rows
    catalog.drop_view("default.v")
    # Nobody knows whether a text in an unknown dialect has bare names.
    assert str(text).startswith("USE") == ("unheardof" in created.dialects)
    execute_script(catalog, str(text))
    assert definition(catalog.load_view("default.v")) == definition(created)
    again = execute(catalog, str(text).removeprefix("USE default;").replace("CREATE", "CREATE OR REPLACE", 1))
    assert not again.changed
