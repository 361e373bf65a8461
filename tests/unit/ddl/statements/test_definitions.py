"""CREATE VIEW, ALTER VIEW AS, dialects and roll back, with Hive's rules and what Hive lacks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_views import TableIdentifier, ViewCatalog
from hive_views.ddl.execute import execute_statement
from hive_views.ddl.grammar.parse import parse_statement
from hive_views.ddl.session import Session
from hive_views.errors import (
    AlreadyExistsError,
    DialectDroppedError,
    HiveViewsError,
    InvalidInputError,
    InvalidSchemaError,
    NoSuchIcebergViewError,
    NoSuchTableError,
    NoSuchViewError,
    NotFoundError,
    SQLSyntaxError,
    UncertainColumnsError,
    ViewAlreadyExistsError,
)
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.schema import NestedField, Schema
from tests.unit.ddl.statements.conftest import CLICKS, Run, plain_view

DAILY = "SELECT user_id, count(*), ds, hr FROM web.clicks GROUP BY user_id, ds, hr"


def columns(catalog: ViewCatalog, name: str) -> list[tuple[str, str, str | None]]:
    return [(column.name, column.type, column.comment) for column in catalog.load_view(name).columns]


# -- CREATE VIEW -----------------------------------------------------------------------------------------------------


def test_a_created_view_has_what_every_clause_says(catalog: ViewCatalog, daily: str) -> None:
    view = catalog.load_view(daily)
    assert columns(catalog, daily) == [
        ("u", "bigint", "user"),
        ("n", "bigint", "how often"),
        ("ds", "string", "day"),
        ("hr", "int", None),
    ]
    assert view.partitioned_on == ("ds", "hr")
    assert (view.comment, view.properties["team"]) == ("by day", "x")
    assert view.original_sql("hive") == DAILY
    assert "count(*) AS `n`" in view.sql_for("hive").sql


def test_without_a_column_list_columns_have_hives_names_and_no_comments(catalog: ViewCatalog, run: Run) -> None:
    run("CREATE VIEW v AS SELECT c.user_id, count(*), max(ds) AS Last FROM web.clicks c GROUP BY c.user_id")
    assert columns(catalog, "sales.v") == [
        ("user_id", "bigint", None),
        ("_c1", "bigint", None),
        ("last", "string", None),
    ]


def test_a_star_is_the_columns_of_the_table_and_then_its_partition_columns(catalog: ViewCatalog, run: Run) -> None:
    run("CREATE VIEW v PARTITIONED ON (ds, hr) AS SELECT * FROM web.clicks")
    assert [name for name, _, _ in columns(catalog, "sales.v")] == ["user_id", "page", "price", "ds", "hr"]
    run("CREATE VIEW w AS SELECT * FROM v")
    assert columns(catalog, "sales.w") == columns(catalog, "sales.v")


def test_names_of_the_query_are_in_the_current_database_and_not_in_that_of_the_view(
    catalog: ViewCatalog, run: Run
) -> None:
    run("CREATE VIEW sales.v AS SELECT page FROM clicks", namespace="web")
    view = catalog.load_view("sales.v")
    assert "FROM `web`.`clicks`" in view.sql_for("hive").sql
    assert view.current_version.default_namespace == ("web",)
    assert view.tables() == ("web.clicks",)
    with pytest.raises(NoSuchTableError, match=r"web\.nothing.*10001"):
        run("CREATE VIEW sales.w AS SELECT page FROM nothing", namespace="web")


@pytest.mark.parametrize(
    ("sql", "kind", "expected"),
    [
        ("CREATE VIEW v (x, y, z) AS SELECT page FROM web.clicks", InvalidSchemaError, "10089"),
        ("CREATE VIEW v (x) AS SELECT * FROM web.clicks", InvalidSchemaError, "10089"),
        ("CREATE VIEW v (x, y) AS SELECT page, page FROM web.clicks", InvalidSchemaError, "page.*10036"),
        ("CREATE VIEW v (x, X) AS SELECT page, ds FROM web.clicks", InvalidSchemaError, "the same name"),
        ("CREATE VIEW v AS SELECT * FROM web.clicks a JOIN web.clicks b ON a.ds = b.ds", InvalidSchemaError, "10036"),
        ("CREATE VIEW v PARTITIONED ON (baz) AS SELECT page, ds FROM web.clicks", InvalidSchemaError, "baz"),
        ("CREATE VIEW v PARTITIONED ON (page, ds) AS SELECT page, ds FROM web.clicks", InvalidSchemaError, "10092"),
        ("CREATE VIEW v PARTITIONED ON (page) AS SELECT page, ds FROM web.clicks", InvalidSchemaError, "10093"),
        ("CREATE VIEW v PARTITIONED ON (hr, ds) AS SELECT page, ds, hr FROM web.clicks", InvalidSchemaError, "10093"),
        ("CREATE VIEW web.clicks AS SELECT 1 AS a", AlreadyExistsError, "10073"),
        ("CREATE VIEW daily AS SELECT 1 AS a", ViewAlreadyExistsError, "10073"),
        ("CREATE OR REPLACE VIEW web.clicks AS SELECT 1 AS a", NoSuchIcebergViewError, "table.*10218"),
        ("CREATE VIEW v AS SELECT a FROM nothing", NoSuchTableError, r"sales\.nothing.*10001"),
        ("CREATE VIEW v TBLPROPERTIES ('uuid' = 'x') AS SELECT 1 AS a", InvalidInputError, "uuid"),
        ("CREATE VIEW nowhere.v AS SELECT 1 AS a", NotFoundError, "nowhere.*10072"),
        ("USE nowhere", NotFoundError, "nowhere.*10072"),
        ("SHOW VIEWS IN nowhere", NotFoundError, "nowhere.*10072"),
        ("ALTER VIEW nothing AS SELECT 1 AS a", NoSuchViewError, "10216"),
        ("ALTER VIEW nothing RENAME TO other", NoSuchViewError, "10001"),
        ("ALTER VIEW web.clicks AS SELECT 1 AS a", NoSuchIcebergViewError, "table.*10132"),
    ],
)
def test_what_hive_refuses_is_refused_with_hives_number(
    run: Run, daily: str, sql: str, kind: type[HiveViewsError], expected: str
) -> None:
    with pytest.raises(kind, match=f"(?s){expected}"):
        run(sql)


def test_if_not_exists_leaves_whatever_exists_alone(catalog: ViewCatalog, run: Run, daily: str) -> None:
    before = catalog.load_view(daily)
    for name in ("daily", "web.clicks"):
        result = run(f"CREATE VIEW IF NOT EXISTS {name} AS SELECT nonsense FROM nothing")
        assert not result.changed
        assert result.done.endswith("unchanged: it already exists.")
    assert catalog.load_view(daily) == before
    assert run("CREATE VIEW IF NOT EXISTS v AS SELECT 1 AS a").changed


def test_types_that_are_not_certain_are_named_and_never_guessed(catalog: ViewCatalog, run: Run) -> None:
    problem = (
        r"these columns.*: total \(Hive: decimal\(2,1\), Spark: decimal\(3,2\); Hive drops .*\), OWN\(user_id\) \(the "
        r"result of own is not known\)\. A CAST .* CREATE VIEW takes types in its column list, .*schema="
    )
    with pytest.raises(InvalidSchemaError, match=problem) as error:
        run("CREATE VIEW v AS SELECT 1.50 AS total, page, own(user_id) FROM web.clicks")
    assert error.value.columns == ["total", "OWN(user_id)"]
    assert not catalog.view_exists("sales.v")


def test_given_columns_are_taken_and_a_column_list_renames_them(catalog: ViewCatalog, run: Run) -> None:
    query = "SELECT price * 2 AS total, ds FROM web.clicks"
    run(f"CREATE VIEW v AS {query}", schema=[("total", "decimal(13,2)", "twice"), ("ds", "string")])
    assert columns(catalog, "sales.v") == [("total", "decimal(13,2)", "twice"), ("ds", "string", None)]
    run(f"CREATE VIEW w (a, b COMMENT 'c') AS {query}", schema=[("total", "decimal(13,2)", "twice"), ("ds", "string")])
    assert columns(catalog, "sales.w") == [("a", "decimal(13,2)", "twice"), ("b", "string", "c")]
    fields = (NestedField(id=1, name="total", type="decimal(13, 2)"), NestedField(id=2, name="ds", type="string"))
    for number, schema in enumerate(
        (Schema(schema_id=0, fields=fields), fields, [Column("t", "bigint"), Column("d", "date")])
    ):
        run(f"CREATE VIEW x{number} (a, b COMMENT 'c') AS {query}", schema=schema)
        assert [(name, comment) for name, _, comment in columns(catalog, f"sales.x{number}")] == [
            ("a", None),
            ("b", "c"),
        ]


AVRO = "org.apache.hadoop.hive.serde2.avro.AvroSerDe"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"parameters": {"spark.sql.sources.provider": "delta"}}, "delta"),
        ({"parameters": {"table_type": "ICEBERG"}}, "iceberg"),
        ({"columns": (Column("col", "array<string>"),)}, "engine"),
        ({"serde_library": "com.example.OwnSerDe"}, "OwnSerDe"),
        ({"serde_library": AVRO, "parameters": {"avro.schema.url": "file:/a.avsc"}}, "AvroSerDe"),
        ({"serde_library": AVRO, "serde_parameters": {"avro.schema.literal": "{}"}}, "AvroSerDe"),
        ({"serde_library": AVRO, "columns": (Column("page", "array<tinyint>"),)}, "AvroSerDe"),
    ],
)
def test_a_table_whose_row_does_not_report_its_columns_is_refused(
    metastore: MemoryMetastore, run: Run, change: dict[str, object], expected: str
) -> None:
    name = TableIdentifier("web", "other")
    metastore.create_row(replace(CLICKS, identifier=name, **change))
    with pytest.raises(HiveViewsError, match=rf"web\.other.*{expected}.*schema="):
        run("CREATE VIEW v AS SELECT page FROM web.other")


def test_a_table_in_another_catalog_and_another_dialect_ask_for_the_columns(run: Run) -> None:
    with pytest.raises(InvalidSchemaError, match=r"lake\.web\.t"):
        run("CREATE VIEW v AS SELECT a FROM lake.web.t", dialect="spark")
    with pytest.raises(InvalidSchemaError, match="trino"):
        run("CREATE VIEW v AS SELECT a FROM web.clicks", dialect="trino")


# -- Types in the column list ----------------------------------------------------------------------------------------


def test_a_type_of_the_column_list_decides_and_the_others_are_derived(catalog: ViewCatalog, run: Run) -> None:
    run("CREATE VIEW v (a DECIMAL(9,2), b varchar(7) COMMENT 'page', c) AS SELECT own(price), page, hr FROM web.clicks")
    assert columns(catalog, "sales.v") == [("a", "decimal(9,2)", None), ("b", "varchar(7)", "page"), ("c", "int", None)]
    with pytest.raises(UncertainColumnsError, match="OWN") as error:
        run("CREATE VIEW w (a, b BIGINT) AS SELECT own(price), own(page) FROM web.clicks")
    assert error.value.columns == ["OWN(price)"]
    with pytest.raises(InvalidSchemaError, match="10089"):
        run("CREATE VIEW w (a INT, b INT) AS SELECT own(price) FROM web.clicks")


def test_with_all_types_the_columns_of_the_tables_need_not_be_known(
    catalog: ViewCatalog, metastore: MemoryMetastore, run: Run
) -> None:
    unknown = replace(CLICKS, identifier=TableIdentifier("web", "other"), serde_library="com.example.OwnSerDe")
    metastore.create_row(unknown)
    run("CREATE VIEW v (a BIGINT, b DATE) AS SELECT * FROM web.other")
    assert columns(catalog, "sales.v") == [("a", "bigint", None), ("b", "date", None)]
    with pytest.raises(UncertainColumnsError):
        run("CREATE VIEW w (a BIGINT, b) AS SELECT * FROM web.other")


def test_with_all_types_unknown_tables_and_columns_are_found_still(catalog: ViewCatalog, run: Run) -> None:
    with pytest.raises(NoSuchTableError, match="10001"):
        run("CREATE VIEW v (a BIGINT) AS SELECT a FROM web.nothing")
    with pytest.raises(SQLSyntaxError, match="10004"):
        run("CREATE VIEW v (a BIGINT) AS SELECT pagee FROM web.clicks")
    assert not catalog.view_exists("sales.v")


def test_types_of_the_list_come_before_those_that_are_given_or_found(catalog: ViewCatalog, run: Run) -> None:
    fields = (NestedField(id=1, name="total", type="decimal(13, 2)"), NestedField(id=2, name="ds", type="string"))
    query = "SELECT price * 2 AS total, ds FROM web.clicks"
    for number, schema in enumerate((fields, [("total", "double", None), ("ds", "string", None)])):
        run(f"CREATE VIEW v{number} (a BIGINT, b) AS {query}", schema=schema)
        assert columns(catalog, f"sales.v{number}") == [("a", "bigint", None), ("b", "string", None)]
    found: list[tuple[str, str, str | None]] = [("total", "decimal(14,2)", None), ("ds", "string", None)]
    statement = parse_statement(
        "CREATE VIEW w (a decimal(13,2), b) AS SELECT price * own(2), ds FROM web.clicks", "hive"
    )
    execute_statement(catalog, statement, Session("sales", columns_of=lambda *_: found))
    assert columns(catalog, "sales.w") == [("a", "decimal(13,2)", None), ("b", "string", None)]


# -- CREATE OR REPLACE -----------------------------------------------------------------------------------------------


def test_or_replace_makes_a_view_where_there_is_none(catalog: ViewCatalog, run: Run) -> None:
    assert run("CREATE OR REPLACE VIEW v AS SELECT 1 AS a").done == "Created sales.v: version 1."
    assert catalog.load_view("sales.v").metadata.current_version_id == 1


def test_or_replace_keeps_history_partitions_properties_and_comment(catalog: ViewCatalog, run: Run, daily: str) -> None:
    run("ALTER VIEW daily ADD PARTITION (ds = '2026-08-01', hr = 1)")
    before = catalog.load_view(daily)
    result = run(
        "CREATE OR REPLACE VIEW daily (u, pages, ds COMMENT 'day', hr) PARTITIONED ON (ds, hr) "
        "TBLPROPERTIES ('tier' = '1') AS "
        "SELECT user_id, count(DISTINCT page), ds, hr FROM web.clicks GROUP BY user_id, ds, hr"
    )
    after = catalog.load_view(daily)
    assert result.changed
    assert after.uuid == before.uuid
    assert [entry.version_id for entry in after.history] == [1, 2]
    assert (after.comment, after.properties["team"], after.properties["tier"]) == ("by day", "x", "1")
    assert catalog.partitions(daily).names() == ["ds=2026-08-01/hr=1"]


def test_or_replace_with_the_same_definition_changes_nothing(catalog: ViewCatalog, run: Run, daily: str) -> None:
    (text,) = (row[0] for row in run("SHOW CREATE TABLE daily").rows)
    before = catalog.load_view(daily)
    result = run(str(text).replace("CREATE VIEW", "CREATE OR REPLACE VIEW"))
    assert not result.changed
    assert catalog.load_view(daily).metadata_location == before.metadata_location


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE OR REPLACE VIEW daily (u, n, ds COMMENT 'day', hr) AS {DAILY}",
        f"CREATE OR REPLACE VIEW daily (u, n, ds, hr) PARTITIONED ON (hr) AS {DAILY}",
        "ALTER VIEW daily AS SELECT user_id, cast(ds AS date) AS ds, hr FROM web.clicks",
        "ALTER VIEW daily AS SELECT user_id, ds FROM web.clicks",
    ],
)
def test_partition_columns_do_not_change_while_there_are_partitions(
    catalog: ViewCatalog, run: Run, daily: str, statement: str
) -> None:
    run("ALTER VIEW daily ADD PARTITION (ds = '2026-08-01', hr = 1)")
    before = catalog.load_view(daily)
    with pytest.raises(InvalidSchemaError, match="10217"):
        run(statement)
    assert catalog.load_view(daily) == before


def test_comments_of_partition_columns_may_change_which_hive_refuses(
    catalog: ViewCatalog, run: Run, daily: str
) -> None:
    run("ALTER VIEW daily ADD PARTITION (ds = '2026-08-01', hr = 1)")
    run(f"CREATE OR REPLACE VIEW daily (u, n, ds COMMENT 'other', hr) PARTITIONED ON (ds, hr) AS {DAILY}")
    assert columns(catalog, daily)[2:] == [("ds", "string", "other"), ("hr", "int", None)]
    assert catalog.partitions(daily).names() == ["ds=2026-08-01/hr=1"]


def test_without_partitions_or_replace_can_partition_a_view_otherwise(
    catalog: ViewCatalog, run: Run, daily: str
) -> None:
    run(f"CREATE OR REPLACE VIEW daily (u, n, ds, hr) PARTITIONED ON (hr) AS {DAILY}")
    assert catalog.load_view(daily).partitioned_on == ("hr",)
    run(f"CREATE OR REPLACE VIEW daily (u, n, ds, hr) AS {DAILY}")
    assert catalog.load_view(daily).partitioned_on == ()


def test_a_text_in_another_dialect_is_not_lost_silently(catalog: ViewCatalog, run: Run) -> None:
    run("CREATE VIEW v AS SELECT page FROM web.clicks")
    run("ALTER VIEW v ADD DIALECT trino AS SELECT page FROM web.clicks")
    with pytest.raises(DialectDroppedError, match="trino"):
        run("CREATE OR REPLACE VIEW v AS SELECT ds FROM web.clicks")
    allowed = "TBLPROPERTIES ('replace.drop-dialect.allowed' = 'true')"
    run(f"CREATE OR REPLACE VIEW v {allowed} AS SELECT ds FROM web.clicks")
    assert catalog.load_view("sales.v").dialects == ("hive",)


# -- Several texts ---------------------------------------------------------------------------------------------------

TWO = """CREATE OR REPLACE VIEW v (page COMMENT 'p', ds) PARTITIONED ON (ds) TBLPROPERTIES ('k' = 'v') AS
SELECT {page}, ds FROM web.clicks
DIALECT trino AS
SELECT {page} AS "page", ds FROM web.clicks"""


def test_a_statement_with_several_texts_changes_nothing_the_second_time(catalog: ViewCatalog, run: Run) -> None:
    assert run(TWO.format(page="page")).changed
    first = catalog.load_view("sales.v")
    assert {one: first.original_sql(one) for one in first.dialects} == {
        "hive": "SELECT page, ds FROM web.clicks", "trino": 'SELECT page AS "page", ds FROM web.clicks'
    }  # fmt: skip
    again = run(TWO.format(page="page"))
    assert (again.changed, again.done) == (False, "sales.v is unchanged, at version 1.")
    assert catalog.load_view("sales.v") == first
    run(TWO.format(page="upper(page)"))
    after = catalog.load_view("sales.v")
    assert (after.stale_dialects, after.dialects, len(after.versions)) == ((), first.dialects, 2)
    assert not run(TWO.format(page="upper(page)")).changed


def test_a_view_that_was_made_by_several_statements_is_unchanged_by_one(catalog: ViewCatalog, run: Run) -> None:
    run("CREATE VIEW v (page COMMENT 'p', ds) PARTITIONED ON (ds) AS SELECT page, ds FROM web.clicks")
    run("ALTER VIEW v SET TBLPROPERTIES ('k' = 'v', 'other' = 'x')")
    run('ALTER VIEW v ADD DIALECT trino AS SELECT page AS "page", ds FROM web.clicks')
    before = catalog.load_view("sales.v")
    assert not run(TWO.format(page="page")).changed
    assert catalog.load_view("sales.v") == before
    with pytest.raises(AlreadyExistsError, match="10073"):
        run(TWO.format(page="page").replace("OR REPLACE", ""))


def test_or_replace_with_one_text_changed_of_several_marks_the_others_as_stale(catalog: ViewCatalog, run: Run) -> None:
    run(TWO.format(page="page"))
    changed = TWO.format(page="page").replace("SELECT page, ds", "SELECT lower(page), ds", 1)
    assert "Stale is the SQL in trino" in run(changed).done
    assert catalog.load_view("sales.v").stale_dialects == ("trino",)
    assert not run(changed).changed


def test_a_dialect_of_the_view_that_the_statement_leaves_out_is_refused(catalog: ViewCatalog, run: Run) -> None:
    run(TWO.format(page="page") + " DIALECT other:acme AS clicks | page")
    before = catalog.load_view("sales.v")
    with pytest.raises(DialectDroppedError, match="acme"):
        run(TWO.format(page="page"))
    assert catalog.load_view("sales.v") == before


def test_the_text_that_plain_readers_get_decides_the_columns_wherever_it_stands(catalog: ViewCatalog, run: Run) -> None:
    run('CREATE VIEW v DIALECT trino AS SELECT 1 AS "x", 2 AS "y" DIALECT spark AS SELECT page, hr FROM web.clicks')
    assert columns(catalog, "sales.v") == [("page", "string", None), ("hr", "int", None)]
    with pytest.raises(InvalidSchemaError, match=r"The trino SQL of sales\.w returns 1 column"):
        run('CREATE VIEW w AS SELECT page, hr FROM web.clicks DIALECT trino AS SELECT 1 AS "x"')


def test_none_of_the_texts_may_read_the_view_itself(run: Run) -> None:
    with pytest.raises(InvalidInputError, match="cycle"):
        run("CREATE VIEW v AS SELECT page FROM web.clicks DIALECT trino AS SELECT page FROM sales.v")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE OR REPLACE VIEW plain AS SELECT 1 AS a",
        "ALTER VIEW plain AS SELECT 1 AS a",
        "ALTER VIEW plain RENAME TO other",
        "DROP VIEW plain",
        "DROP VIEW IF EXISTS plain",
        "DESCRIBE plain",
    ],
)
def test_a_plain_view_is_left_to_the_engines(metastore: MemoryMetastore, run: Run, statement: str) -> None:
    metastore.create_row(plain_view("plain", "SELECT 1 AS a"))
    with pytest.raises(NoSuchIcebergViewError, match=r"plain view.*in Hive or Spark"):
        run(statement)
    assert metastore.load_row(TableIdentifier("sales", "plain")).expanded_text == "SELECT 1 AS a"


# -- cycles ----------------------------------------------------------------------------------------------------------


def test_a_view_that_would_read_itself_is_refused_with_the_way_to_it(metastore: MemoryMetastore, run: Run) -> None:
    run("CREATE VIEW v1 AS SELECT page FROM web.clicks")
    run("CREATE VIEW v2 AS SELECT page FROM v1")
    metastore.create_row(plain_view("v3", "SELECT `v2`.`page` FROM `sales`.`v2`"))
    cycle = r"Recursive view sales\.v1 detected \(cycle: sales\.v1 -> sales\.v3 -> sales\.v2 -> sales\.v1\)"
    for statement in ("CREATE OR REPLACE VIEW v1 AS", "ALTER VIEW v1 AS", "ALTER VIEW v1 REPLACE DIALECT hive AS"):
        with pytest.raises(InvalidInputError, match=cycle):
            run(f"{statement} SELECT a AS page FROM v3")
    with pytest.raises(InvalidInputError, match=r"cycle: sales\.v1 -> sales\.v1"):
        run("CREATE OR REPLACE VIEW v1 AS SELECT page FROM v1")


def test_a_new_view_closes_no_cycle_either(metastore: MemoryMetastore, run: Run) -> None:
    metastore.create_row(plain_view("v2", "SELECT a FROM sales.v1"))
    with pytest.raises(InvalidInputError, match="cycle"):
        run("CREATE VIEW v1 AS SELECT a FROM v2")


# -- ALTER VIEW AS ---------------------------------------------------------------------------------------------------


def test_alter_as_keeps_partition_columns_partitions_and_comments_by_name(
    catalog: ViewCatalog, run: Run, daily: str
) -> None:
    run("ALTER VIEW daily ADD PARTITION (ds = '2026-08-01', hr = 1)")
    run("ALTER VIEW daily AS SELECT user_id AS u, max(page) AS page, ds, hr FROM web.clicks GROUP BY user_id, ds, hr")
    assert columns(catalog, daily) == [
        ("u", "bigint", "user"),
        ("page", "string", None),
        ("ds", "string", "day"),
        ("hr", "int", None),
    ]
    assert catalog.partitions(daily).names() == ["ds=2026-08-01/hr=1"]


def test_alter_as_without_the_partition_columns_last_is_refused(run: Run, daily: str) -> None:
    with pytest.raises(InvalidSchemaError, match="10093"):
        run("ALTER VIEW daily AS SELECT ds, hr, page FROM web.clicks")


def test_alter_as_resolves_names_in_the_current_database(catalog: ViewCatalog, run: Run) -> None:
    run("CREATE VIEW v AS SELECT 1 AS a")
    run("ALTER VIEW sales.v AS SELECT page FROM clicks", namespace="web")
    assert "FROM `web`.`clicks`" in catalog.load_view("sales.v").sql_for("hive").sql


def test_alter_as_changes_one_dialect_and_only_if_the_columns_stay(catalog: ViewCatalog, run: Run) -> None:
    run("CREATE VIEW v AS SELECT page, ds FROM web.clicks")
    run("ALTER VIEW v ADD DIALECT trino AS SELECT page, ds FROM web.clicks")
    run("ALTER VIEW v AS SELECT upper(page) AS page, ds FROM web.clicks")
    view = catalog.load_view("sales.v")
    assert view.original_sql("hive").startswith("SELECT upper")
    assert view.sql_for("trino").sql == "SELECT page, ds FROM web.clicks"
    for query in ("SELECT page FROM web.clicks", "SELECT page, hr AS ds FROM web.clicks"):
        with pytest.raises(InvalidSchemaError, match="trino"):
            run(f"ALTER VIEW v AS {query}")
    assert catalog.load_view("sales.v") == view


def test_alter_as_in_a_dialect_without_a_text_points_to_add_dialect(run: Run) -> None:
    run("CREATE VIEW v AS SELECT page FROM web.clicks")
    with pytest.raises(NotFoundError, match="ADD DIALECT"):
        run("ALTER VIEW v AS SELECT page FROM web.clicks", dialect="spark")


# -- dialects and roll back ------------------------------------------------------------------------------------------


def test_dialects_are_added_and_replaced_and_each_knows_its_case(catalog: ViewCatalog, run: Run) -> None:
    run("CREATE VIEW v AS SELECT page FROM web.clicks")
    with pytest.raises(NotFoundError, match="ADD DIALECT"):
        run("ALTER VIEW v REPLACE DIALECT trino AS SELECT page FROM web.clicks")
    run("ALTER VIEW v ADD DIALECT trino AS SELECT page FROM web.clicks")
    with pytest.raises(AlreadyExistsError, match="REPLACE DIALECT"):
        run("ALTER VIEW v ADD DIALECT Trino AS SELECT page FROM web.clicks")
    run("ALTER VIEW v REPLACE DIALECT trino AS SELECT lower(page) FROM web.clicks")
    view = catalog.load_view("sales.v")
    assert view.sql_for("trino").sql == "SELECT lower(page) FROM web.clicks"
    assert view.original_sql("hive") == "SELECT page FROM web.clicks"


@pytest.mark.parametrize("dialect", ["trino", "other:unheardof"])
def test_a_text_with_bare_names_needs_the_database_of_the_other_texts(
    catalog: ViewCatalog, run: Run, dialect: str
) -> None:
    run("CREATE VIEW sales.v AS SELECT page FROM clicks", namespace="web")
    with pytest.raises(InvalidInputError, match="USE web"):
        run(f"ALTER VIEW sales.v ADD DIALECT {dialect} AS SELECT page FROM clicks", namespace="sales")
    run(f"ALTER VIEW sales.v ADD DIALECT {dialect} AS SELECT page FROM clicks", namespace="web")
    assert catalog.load_view("sales.v").sql_for(dialect.removeprefix("other:")).sql == "SELECT page FROM clicks"


def test_roll_back_makes_an_earlier_version_current(catalog: ViewCatalog, run: Run) -> None:
    run("CREATE VIEW v AS SELECT page FROM web.clicks")
    run("ALTER VIEW v AS SELECT ds FROM web.clicks")
    assert run("ALTER VIEW v ROLL BACK TO VERSION 1").done == "Rolled back sales.v: version 1."
    assert [entry.version_id for entry in catalog.load_view("sales.v").history] == [1, 2, 1]
    with pytest.raises(NotFoundError, match="no version 7"):
        run("ALTER VIEW v ROLL BACK TO VERSION 7")
