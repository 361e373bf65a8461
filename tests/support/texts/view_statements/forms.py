"""Every form of every statement, and the value it is read as."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from hive_views.ddl.grammar.statements import (
    AddDialect,
    AddPartitions,
    AddTranslation,
    AlterViewAs,
    Comparison,
    CreateView,
    DescribeView,
    DropDialect,
    DropPartitions,
    DropView,
    KeepDialect,
    Name,
    OutputColumn,
    PartitionValues,
    PublishView,
    RenameView,
    ReplaceDialect,
    ReplaceTranslation,
    RollBackView,
    SetProperties,
    ShowColumns,
    ShowCreateView,
    ShowPartitions,
    ShowProperties,
    ShowViews,
    TranslatedText,
    UnsetProperties,
    UseNamespace,
    ViewStatement,
)
from hive_views.readiness.rules import column, requires
from hive_views.sql.query import QueryText

V = Name(None, "v")
DV = Name("d", "v")


COMMENT_AND_DECIMAL = (OutputColumn("comment", None, "string"), OutputColumn("b", None, "decimal(10,0)"))


def create(query: str = "SELECT 1", **clauses: object) -> CreateView:
    return CreateView(**{"name": V, "query": QueryText(query, "hive"), **clauses})  # type: ignore[arg-type]


def add(**values: object) -> AddPartitions:
    return AddPartitions(V, (PartitionValues(tuple(values.items())),))  # type: ignore[arg-type]


def drop(*comparisons: Comparison, if_exists: bool = False) -> DropPartitions:
    return DropPartitions(V, (comparisons,), if_exists)


def spec(**values: object) -> PartitionValues:
    return PartitionValues(tuple(values.items()))  # type: ignore[arg-type]


FORMS: list[tuple[str, ViewStatement]] = [
    # CREATE VIEW
    ("CREATE VIEW v AS SELECT 1", create()),
    ("create view V as select 1", create("select 1", name=Name(None, "V"))),
    ("CREATE VIEW d.v AS SELECT 1", create(name=DV)),
    ("CREATE VIEW `d` . `v` AS SELECT 1", create(name=DV)),
    ("CREATE VIEW `a``b` AS SELECT 1", create(name=Name(None, "a`b"))),
    ("CREATE VIEW `é 😀` AS SELECT 1", create(name=Name(None, "é 😀"))),
    ("CREATE VIEW 2024_clicks AS SELECT 1", create(name=Name(None, "2024_clicks"))),
    ("CREATE VIEW comment COMMENT 'x' AS SELECT 1", create(name=Name(None, "comment"), comment="x")),
    ("CREATE VIEW IF NOT EXISTS v AS SELECT 1", create(if_not_exists=True)),
    ("CREATE VIEW IF ! EXISTS v AS SELECT 1", create(if_not_exists=True)),
    ("CREATE OR REPLACE VIEW v AS SELECT 1", create(replace=True)),
    ("CREATE VIEW v (a) AS SELECT 1", create(columns=(OutputColumn("a"),))),
    (
        "CREATE VIEW v (a COMMENT 'one', `b c` comment \"two\", comment COMMENT 'c') AS SELECT 1",
        create(columns=(OutputColumn("a", "one"), OutputColumn("b c", "two"), OutputColumn("comment", "c"))),
    ),
    ("CREATE VIEW v (a COMMENT '') AS SELECT 1", create(columns=(OutputColumn("a", ""),))),
    ("CREATE VIEW v COMMENT 'it''s' AS SELECT 1", create(comment="its")),
    ("CREATE VIEW v COMMENT 'it\\'s' AS SELECT 1", create(comment="it's")),
    ("CREATE VIEW v COMMENT 'a'\"b\"'c' AS SELECT 1", create(comment="abc")),
    (r"CREATE VIEW v COMMENT '\n\t\r\b\0\Z\\\q\%\_\"' AS SELECT 1", create(comment='\n\t\r\b\0\x1a\\q\\%\\_"')),
    (r"CREATE VIEW v COMMENT '\001\177\200\08\u00e9\ud83d\ude00' AS SELECT 1", create(comment="\x01\x7f200\x008é😀")),
    ("CREATE VIEW v COMMENT 'é\n;--/*' AS SELECT 1", create(comment="é\n;--/*")),
    ("CREATE VIEW v PARTITIONED ON (ds) AS SELECT 1", create(partitioned_on=("ds",))),
    ("CREATE VIEW v PARTITIONED ON (ds, `h r`) AS SELECT 1", create(partitioned_on=("ds", "h r"))),
    ("CREATE VIEW v TBLPROPERTIES ('k'='v') AS SELECT 1", create(properties=(("k", "v"),))),
    (
        "CREATE VIEW v TBLPROPERTIES ('k'='v', \"j\" == \"w\", 'k'='x') AS SELECT 1",
        create(properties=(("k", "x"), ("j", "w"))),
    ),
    (
        "CREATE OR REPLACE VIEW d.v(a COMMENT'x',ds)COMMENT'c'PARTITIONED ON(ds)TBLPROPERTIES('k'='v')AS SELECT 1",
        create(
            name=DV,
            replace=True,
            columns=(OutputColumn("a", "x"), OutputColumn("ds")),
            comment="c",
            partitioned_on=("ds",),
            properties=(("k", "v"),),
        ),
    ),
    ("CREATE VIEW v AS WITH c AS (SELECT 1 AS a) SELECT a FROM c", create("WITH c AS (SELECT 1 AS a) SELECT a FROM c")),
    ("CREATE VIEW v AS (SELECT 1)", create("(SELECT 1)")),
    ("CREATE VIEW v AS SELECT 1 UNION ALL SELECT 2", create("SELECT 1 UNION ALL SELECT 2")),
    (
        "CREATE VIEW v AS SELECT /*+ MAPJOIN(t) */ a  FROM t -- end\n",
        create("SELECT /*+ MAPJOIN(t) */ a  FROM t"),
    ),
    ("CREATE VIEW v AS SELECT a FROM t WHERE b = ';' /* ; */", create("SELECT a FROM t WHERE b = ';'")),
    ("CREATE VIEW v AS\n\n  SELECT 'é😀'\t\tAS a", create("SELECT 'é😀'\t\tAS a")),
    # ALTER VIEW
    ("ALTER VIEW v AS SELECT 1", AlterViewAs(V, QueryText("SELECT 1", "hive"))),
    ("ALTER VIEW d.v SELECT 1", AlterViewAs(DV, QueryText("SELECT 1", "hive"))),
    ("ALTER VIEW v (SELECT 1)", AlterViewAs(V, QueryText("(SELECT 1)", "hive"))),
    (
        "ALTER VIEW v AS WITH c AS (SELECT 1 AS x) SELECT x FROM c",
        AlterViewAs(V, QueryText("WITH c AS (SELECT 1 AS x) SELECT x FROM c", "hive")),
    ),
    ("ALTER VIEW v SET TBLPROPERTIES ('a'='b', 'c'='')", SetProperties(V, (("a", "b"), ("c", "")))),
    ("ALTER VIEW v AS SET TBLPROPERTIES ('a'='b')", SetProperties(V, (("a", "b"),))),
    ("ALTER VIEW v UNSET TBLPROPERTIES ('a', \"b\", 'a')", UnsetProperties(V, ("a", "b"))),
    ("ALTER VIEW v UNSET TBLPROPERTIES IF EXISTS ('a')", UnsetProperties(V, ("a",), if_exists=True)),
    ("ALTER VIEW v UNSET TBLPROPERTIES ('a'='x', 'b'='y')", UnsetProperties(V, ("a", "b"))),
    ("ALTER VIEW v RENAME TO d.w", RenameView(V, Name("d", "w"))),
    ("ALTER VIEW d.v AS RENAME TO w", RenameView(DV, Name(None, "w"))),
    ("ALTER VIEW add ADD PARTITION (ds='1')", AddPartitions(Name(None, "add"), (spec(ds="1"),))),
    ("ALTER VIEW v ADD PARTITION (ds='1', `h r`=2)", AddPartitions(V, (spec(**{"ds": "1", "h r": 2}),))),
    (
        "ALTER VIEW v ADD IF NOT EXISTS PARTITION (ds='1') PARTITION(ds='2')\nPARTITION (ds==3)",
        AddPartitions(V, (spec(ds="1"), spec(ds="2"), spec(ds=3)), if_not_exists=True),
    ),
    ("ALTER VIEW v AS ADD PARTITION (ds='1')", add(ds="1")),
    ("ALTER VIEW v ADD PARTITION (a='x' \"y\"'z')", add(a="xyz")),
    ("ALTER VIEW v ADD PARTITION (a='x' -- between\n 'y')", add(a="xy")),
    ("ALTER VIEW v ADD PARTITION (a=10L, b=1S, c=1Y, d=007)", add(a=10, b=1, c=1, d=7)),
    ("ALTER VIEW v ADD PARTITION (a=9223372036854775808)", add(a=2**63)),
    (
        "ALTER VIEW v ADD PARTITION (a=1.50, b=1., c=1BD, d=1e2BD)",
        add(a=Decimal("1.50"), b=Decimal(1), c=Decimal(1), d=Decimal(100)),
    ),
    ("ALTER VIEW v ADD PARTITION (a=1e3, b=1.5E-2, c=1D, d=1.e1)", add(a=1e3, b=1.5e-2, c=1.0, d=10.0)),
    ("ALTER VIEW v ADD PARTITION (a=true, b=FALSE, c=null)", add(a=True, b=False, c=None)),
    (
        "ALTER VIEW v ADD PARTITION (a=date '2026-8-1', b=DATE\"2026-08-01\")",
        add(a=date(2026, 8, 1), b=date(2026, 8, 1)),
    ),
    (
        "ALTER VIEW v ADD PARTITION (a=timestamp '2026-08-01 1:02:03.5')",
        add(a=datetime(2026, 8, 1, 1, 2, 3, 500_000)),  # noqa: DTZ001
    ),
    ("ALTER VIEW v DROP PARTITION (ds='1')", drop(Comparison("ds", "=", "1"))),
    ("ALTER VIEW v AS DROP IF EXISTS PARTITION (ds='1') PURGE", drop(Comparison("ds", "=", "1"), if_exists=True)),
    (
        "ALTER VIEW v DROP PARTITION (a==1, b!=2, c<>3, d<4, e<=5, f>6, g>=7, a<'x' 'y')",
        drop(
            Comparison("a", "=", 1),
            Comparison("b", "!=", 2),
            Comparison("c", "!=", 3),
            Comparison("d", "<", 4),
            Comparison("e", "<=", 5),
            Comparison("f", ">", 6),
            Comparison("g", ">=", 7),
            Comparison("a", "<", "xy"),
        ),
    ),
    (
        "ALTER VIEW v DROP PARTITION (ds>'1'), PARTITION (ds=date '2026-01-01')",
        DropPartitions(V, ((Comparison("ds", ">", "1"),), (Comparison("ds", "=", date(2026, 1, 1)),))),
    ),
    # DROP VIEW
    ("DROP VIEW v", DropView(V)),
    ("DROP VIEW IF EXISTS d.v", DropView(DV, if_exists=True)),
    ("DROP /* a /* nested */ b */ VIEW -- end\r\n v -- end", DropView(V)),
    ("DROP VIEW $KEY$", DropView(Name(None, "$KEY$"))),
    # SHOW
    ("SHOW VIEWS", ShowViews()),
    ("SHOW VIEWS IN d", ShowViews("d")),
    ("SHOW VIEWS FROM d LIKE 'x*|y'", ShowViews("d", "x*|y")),
    ("SHOW VIEWS 'x*'", ShowViews(None, "x*")),
    ("SHOW VIEWS LIKE x", ShowViews(None, "x")),
    ("SHOW VIEWS views", ShowViews(None, "views")),
    ("SHOW VIEWS IN d x", ShowViews("d", "x")),
    ("SHOW PARTITIONS d.v", ShowPartitions(DV)),
    ("SHOW PARTITIONS v PARTITION (ds='1', hr=2)", ShowPartitions(V, spec(ds="1", hr=2))),
    ("SHOW TBLPROPERTIES v", ShowProperties(V)),
    ("SHOW TBLPROPERTIES d.v ('k;')", ShowProperties(DV, "k;")),
    ("SHOW COLUMNS FROM v", ShowColumns(V)),
    ("SHOW COLUMNS IN d.v", ShowColumns(DV)),
    ("SHOW COLUMNS FROM v IN d", ShowColumns(DV)),
    ("SHOW CREATE TABLE d.v", ShowCreateView(DV)),
    # DESCRIBE
    ("DESCRIBE v", DescribeView(V)),
    ("DESC d.v", DescribeView(DV)),
    ("DESCRIBE EXTENDED v", DescribeView(V, "extended")),
    ("DESCRIBE FORMATTED d.v", DescribeView(DV, "formatted")),
    ("DESCRIBE formatted", DescribeView(Name(None, "formatted"))),
    ("DESCRIBE formatted.v", DescribeView(Name("formatted", "v"))),
    ("DESCRIBE FORMATTED formatted", DescribeView(Name(None, "formatted"), "formatted")),
    ("DESCRIBE EXTENDED formatted v", DescribeView(Name(None, "formatted"), "extended", column=("v",))),
    ("DESCRIBE formatted PARTITION (ds=1)", DescribeView(Name(None, "formatted"), partition=spec(ds=1))),
    ("DESCRIBE schema", DescribeView(Name(None, "schema"))),
    ("DESCRIBE v 2c", DescribeView(V, column=("2c",))),
    ("DESCRIBE FORMATTED v PARTITION (ds='1')", DescribeView(V, "formatted", spec(ds="1"))),
    ("DESCRIBE v PARTITION (ds='1') a.`b`.$elem$", DescribeView(V, None, spec(ds="1"), ("a", "b", "$elem$"))),
    # USE
    ("USE d", UseNamespace("d")),
    ("USE `default`", UseNamespace("default")),
]
"""In the grammar of Hive 2.3's parser as well."""

OURS: list[tuple[str, ViewStatement]] = [
    ("SHOW CREATE VIEW v", ShowCreateView(V)),
    (
        "CREATE VIEW v (a BIGINT COMMENT 'x', b, `c d` struct<x: array<varchar(7)>, `y z`: map<int,date>>) AS SELECT 1",
        create(
            columns=(
                OutputColumn("a", "x", "bigint"),
                OutputColumn("b"),
                OutputColumn("c d", None, "struct<x:array<varchar(7)>,y z:map<int,date>>"),
            )
        ),
    ),
    ("CREATE VIEW v (comment STRING, b DECIMAL) AS SELECT 1", create(columns=COMMENT_AND_DECIMAL)),
    (
        """CREATE VIEW v AS SELECT 1 -- hive's
        DIALECT Trino AS SELECT '\\' AS "a" /* b */ dialect `spark` as (SELECT r'\\')""",
        create(others=(QueryText("SELECT '\\' AS \"a\"", "trino"), QueryText("(SELECT r'\\')", "spark"))),
    ),
    (
        "CREATE VIEW v DIALECT trino AS WITH t AS (SELECT 1 AS a) SELECT a FROM t DIALECT other:acme AS what; ",
        CreateView(
            V, QueryText("WITH t AS (SELECT 1 AS a) SELECT a FROM t", "trino"), others=(QueryText("what", "acme"),)
        ),
    ),
    (
        "CREATE VIEW v AS SELECT 1 DIALECT Trino TRANSLATED from Hive ALLOW 'b', 'a', 'b' DIALECT other:acme AS what",
        create(others=(QueryText("what", "acme"),), translated=(TranslatedText("trino", "hive", ("a", "b")),)),
    ),
    (
        """CREATE OR REPLACE VIEW v dialect hive translated from spark DIALECT spark AS SELECT r'\\'
        dialect trino translated from `spark`;""",
        CreateView(
            V,
            QueryText("SELECT r'\\'", "spark"),
            replace=True,
            translated=(TranslatedText("hive", "spark"), TranslatedText("trino", "spark")),
        ),
    ),
    ("ALTER VIEW v ROLL BACK TO VERSION 3", RollBackView(V, 3)),
    ('ALTER VIEW v ADD DIALECT trino AS SELECT "a" FROM t', AddDialect(V, QueryText('SELECT "a" FROM t', "trino"))),
    ("ALTER VIEW v ADD DIALECT Trino AS SELECT '\\' -- ;", AddDialect(V, QueryText("SELECT '\\'", "trino"))),
    ("ALTER VIEW v REPLACE DIALECT spark AS SELECT r'\\', 1", ReplaceDialect(V, QueryText("SELECT r'\\', 1", "spark"))),
    (
        "ALTER VIEW v ADD DIALECT `other:my-own` AS whatever 'a;b' it is",
        AddDialect(V, QueryText("whatever 'a;b' it is", "my-own")),
    ),
    ("ALTER VIEW v REPLACE DIALECT Other:ACME AS whatever", ReplaceDialect(V, QueryText("whatever", "acme"))),
    ("ALTER VIEW v ADD DIALECT trino TRANSLATED FROM hive", AddTranslation(V, TranslatedText("trino", "hive"))),
    (
        "ALTER VIEW v REPLACE DIALECT trino TRANSLATED FROM spark ALLOW 'a';",
        ReplaceTranslation(V, TranslatedText("trino", "spark", ("a",))),
    ),
    ("ALTER VIEW v DROP DIALECT Trino", DropDialect(V, "trino")),
    ("ALTER VIEW v KEEP DIALECT other:acme", KeepDialect(V, "acme")),
    ("PUBLISH VIEW v WHEN requires('web.clicks')", PublishView(V, requires("web.clicks"))),
    (
        """
        PUBLISH VIEW d.v SINCE (ds='2026-08-01') UNTIL (ds=date '2026-08-31') WHEN
            requires("web.c", ds=column("ds"), hr=range(24), r="a;b'c")  -- the hours; all of them
            & requires("web.users", day=column("ds"))  # it's "so
        """,
        PublishView(
            DV,
            requires("web.c", ds=column("ds"), hr=range(24), r="a;b'c") & requires("web.users", day=column("ds")),
            since=spec(ds="2026-08-01"),
            until=spec(ds=date(2026, 8, 31)),
        ),
    ),
    (
        "PUBLISH VIEW v PARTITION (ds='1'), PARTITION (ds='2') WHEN requires('w.t', hr=[8, 9, 10])",
        PublishView(V, requires("w.t", hr=[8, 9, 10]), candidates=(spec(ds="1"), spec(ds="2"))),
    ),
]
"""Beyond the grammar of Hive 2.3."""
