"""Names of databases are replaced where they stand in a text, and not a byte else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive_views.errors import HiveViewsError, InvalidInputError, SQLSyntaxError, UnsupportedFeatureError
from hive_views.sql.namespaces import replace_namespaces, unknown_catalog
from hive_views.sql.query import QueryText
from hive_views.sql.tables import referenced_tables
from tests.unit.sql.unread_names import UNREAD_NAMES

# «x» stands for a database in the places where it has to be replaced.
REPLACED = [
    ("hive", "SELECT a FROM «old».t"),
    ("hive", "SELECT a FROM «`old`».t -- old.t"),
    (
        "hive",
        "SELECT  a,\n 'old.t' AS old, /* old.t */ \"old.t\" FROM «OLD» . `t` old JOIN other.old ON old.a = other.a",
    ),
    ("hive", "WITH old AS (SELECT 1 AS a), t AS (SELECT * FROM «old».u) SELECT old.a, t.b FROM old JOIN t"),
    (
        "hive",
        "SELECT * FROM (SELECT a FROM «old».t UNION ALL SELECT a FROM kept.t) old WHERE a IN (SELECT b FROM «old».u)",
    ),
    ("hive", "SELECT «old».f(a, «old».g(b)) FROM «old».t LATERAL VIEW explode(«old».h(c)) old AS d"),
    ("hive", "SELECT old.t.a.b FROM x.old old"),
    ("hive", "SELECT /*+ MAPJOIN(old) */ a FROM «old».t TABLESAMPLE(BUCKET 1 OUT OF 4 ON a) s"),
    ("hive", "SELECT 'h\u00e9 \\' old.t', `a old.b` FROM «old».`t`"),
    ("hive", "SELECT a FROM ((«old».t)) WHERE b = 1;  -- old.t"),
    ("spark", "SELECT «old».t.a, «`old`».`t`.b, «old».t.c.d[0].e, «old».t.* FROM «old».t"),
    ("spark", "SELECT a FROM spark_catalog.«old».t JOIN iceberg.old.t USING (a)"),
    ("spark", "SELECT spark_catalog.«old».t.a, spark_catalog.«old».f(a) FROM spark_catalog.«old».t"),
    ("spark", "SELECT t.a FROM «old».t WHERE EXISTS (SELECT 1 FROM «old».u WHERE u.a = «old».t.a)"),
    ("spark", "SELECT a FROM «old».t VERSION AS OF 3"),
    ("spark", "SELECT * FROM «old».t PIVOT (sum(x) FOR y IN (1, 2))"),
    ("spark", "SELECT * FROM «old».rows_of(3) JOIN VALUES (1) AS old(a) ON true"),
    ("spark", "SELECT old.a FROM parquet.`/x/old/t` old"),
    ("trino", 'SELECT «"old"»."t"."a", "old.t", \'old.t\' FROM «"old"»."t"'),
    ("trino", 'SELECT hive.«old».t.a, lake.old.t.b FROM hive.«old».t, lake.old.t, hive.«"old"».u'),
    ("trino", "SELECT u.a FROM «old».t CROSS JOIN UNNEST(«old».t.list) AS u (a)"),
    ("trino", "WITH RECURSIVE old (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM old) SELECT old.n FROM old, «old».t"),
    ("presto", "SELECT a FROM «old».t"),
]


def with_names(marked: str, name: str, quoted: str | None = None) -> str:
    text = marked
    for opening in ("«`old`»", '«"old"»'):
        quote = opening[1]
        text = text.replace(opening, f"{quote}{name}{quote}")
    return text.replace("«OLD»", quoted or name).replace("«old»", quoted or name)


def with_new_names(text: str, dialect: str, names: dict[str, str], namespace: str, **catalogs: Any) -> str:
    return replace_namespaces(QueryText(text, dialect), names, namespace, **catalogs)


@pytest.mark.parametrize(("dialect", "marked"), REPLACED)
def test_databases_are_replaced_and_nothing_else(dialect: str, marked: str) -> None:
    text = marked.replace("«", "").replace("»", "")
    assert with_new_names(text, dialect, {"old": "new", "unused": "x"}, "default") == with_names(marked, "new")


@pytest.mark.parametrize(("dialect", "marked"), REPLACED)
def test_a_name_gets_quotes_where_it_needs_them(dialect: str, marked: str) -> None:
    text = marked.replace("«", "").replace("»", "")
    quoted = '"order"' if dialect in ("trino", "presto") else "`order`"
    assert with_new_names(text, dialect, {"old": "order"}, "default") == with_names(marked, "order", quoted)


def test_two_databases_can_change_places() -> None:
    text = "SELECT a.x FROM a.t JOIN b.t ON a.t.x = b.t.x"
    assert with_new_names(text, "spark", {"a": "b", "b": "a"}, "d") == ("SELECT a.x FROM b.t JOIN a.t ON b.t.x = a.t.x")


def test_a_column_of_a_table_that_is_named_without_its_database_is_found() -> None:
    text = "SELECT old.t.a, kept.t.b FROM t"
    assert with_new_names(text, "spark", {"old": "new"}, "old") == "SELECT new.t.a, kept.t.b FROM t"
    assert with_new_names(text, "spark", {"old": "new"}, "kept") == text


def test_names_of_another_catalog_stay_also_where_it_is_the_default() -> None:
    text = "SELECT a FROM lake.old.t JOIN hive.old.u"
    wanted = "SELECT a FROM lake.old.t JOIN hive.new.u"
    assert with_new_names(text, "trino", {"old": "new"}, "d", default_catalog="Lake") == wanted


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM old.t",
        "SELECT old.t.a FROM old.t JOIN hive.old.u",
        "SELECT old.f(a) FROM kept.t",
        "SELECT a FROM TABLE(old.f(3))",
    ],
)
def test_a_name_in_a_catalog_that_may_be_the_metastore_is_refused(text: str) -> None:
    with pytest.raises(
        InvalidInputError, match="a database of the default catalog Lake, and it is unknown whether"
    ) as error:
        with_new_names(text, "trino", {"old": "new"}, "d", default_catalog="Lake")
    assert error.value.remedy == unknown_catalog("Lake")
    assert with_new_names(text, "trino", {"elsewhere": "new"}, "d", default_catalog="Lake") == text


def test_a_catalog_that_is_said_to_be_the_metastore_is_one_more() -> None:
    text = "SELECT a FROM lake.old.t JOIN old.u"
    wanted = "SELECT a FROM lake.new.t JOIN new.u"
    catalogs = ("hive", "lake")
    assert with_new_names(text, "trino", {"old": "new"}, "d", default_catalog="Lake", catalogs=catalogs) == wanted


def test_hive_knows_no_catalog_in_which_its_names_could_be() -> None:
    text = "SELECT a FROM old.t"
    assert with_new_names(text, "Hive", {"old": "new"}, "d", default_catalog="Lake") == "SELECT a FROM new.t"


@pytest.mark.parametrize("text", ["SELECT a FROM identifier ('old.t')", "SELECT IDENTIFIER('old' || '.f')(a) FROM t"])
def test_a_name_that_is_computed_is_refused_where_the_database_may_be_meant(text: str) -> None:
    with pytest.raises(SQLSyntaxError, match="IDENTIFIER may name a database; write the name itself"):
        with_new_names(text, "spark", {"old": "new"}, "d")
    assert with_new_names(text, "spark", {"elsewhere": "new"}, "d") == text
    assert "new.t" in with_new_names("SELECT 'identifier(' FROM old.t -- IDENTIFIER(", "spark", {"old": "new"}, "d")


@pytest.mark.parametrize(("dialect", "text"), UNREAD_NAMES)
def test_a_table_that_the_parser_does_not_see_is_refused_where_the_database_may_be_meant(
    dialect: str, text: str
) -> None:
    with pytest.raises(SQLSyntaxError, match="may be followed by the name of a table"):
        with_new_names(text, dialect, {"old": "new"}, "d")
    assert with_new_names(text, dialect, {"elsewhere": "new"}, "d") == text


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (
            "trino",
            "SELECT * FROM TABLE(exclude_columns(input => TABLE(SELECT * FROM old.t), columns => DESCRIPTOR(b)))",
        ),
        ("trino", "SELECT a FROM TABLE(old.f(3)) UNION TABLE old.t"),
        ("trino", "SELECT identifier(a) FROM (TABLE old.t)"),
        ("spark", "SELECT * FROM f(TABLE(SELECT * FROM old.t))"),
        ("spark", "SELECT t.table, table AS x, max(table) FROM old.t WHERE a = 'TABLE(t)' -- TABLE(t)"),
        ("spark", "SELECT stream, `stream`(a), x.stream(a), `identifier`(a) FROM old.t stream"),
        ("hive", "SELECT a FROM TABLE(VALUES (1)) x (a) JOIN old.t"),
    ],
)
def test_what_looks_like_such_a_table_is_read(dialect: str, text: str) -> None:
    assert with_new_names(text, dialect, {"old": "new"}, "d") == text.replace("old.", "new.")


@pytest.mark.parametrize("text", ["SELECT * FROM old.t.snapshots", "SELECT * FROM spark_catalog.`OLD`.t.history"])
def test_a_table_within_a_table_of_spark_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="old is the first part of a three-part name"):
        with_new_names(text, "spark", {"old": "new"}, "d")


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("trino", "SELECT old.t.a FROM old.t, UNNEST(old.t.list) AS old (t)"),
        ("spark", "SELECT old.t.a FROM old.t JOIN x.y old"),
    ],
)
def test_a_name_that_may_be_a_database_or_an_alias_is_refused(dialect: str, text: str) -> None:
    with pytest.raises(SQLSyntaxError, match="old may be a database or an alias here"):
        with_new_names(text, dialect, {"old": "new"}, "d")


def test_a_new_name_that_is_an_alias_of_the_query_is_refused_where_it_would_mean_that() -> None:
    with pytest.raises(InvalidInputError, match="no longer a valid query"):
        with_new_names("SELECT old.t.a FROM old.t JOIN x.y new", "spark", {"old": "new"}, "d")


def test_two_tables_of_one_query_do_not_become_one() -> None:
    with pytest.raises(
        InvalidInputError, match=r"old\.t and new\.t, which one query reads, would become the same table"
    ):
        with_new_names("SELECT a FROM old.t JOIN new.t", "hive", {"old": "new"}, "d")
    with pytest.raises(InvalidInputError, match="would become the same table"):
        with_new_names("SELECT a FROM old.t JOIN t", "hive", {"old": "new"}, "new")


@pytest.mark.parametrize("text", ["SELECT FROM WHERE old.t", "SELECT a FROM old.t; SELECT 1", "SELECT 'old"])
def test_a_text_that_may_name_the_database_and_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(SQLSyntaxError):
        with_new_names(text, "hive", {"old": "new"}, "d")
    assert with_new_names(text, "hive", {"elsewhere": "new"}, "d") == text


def test_a_text_in_a_dialect_that_nobody_here_reads_is_refused_only_where_it_may_name_the_database() -> None:
    with pytest.raises(UnsupportedFeatureError, match="impala"):
        with_new_names("SELECT a FROM old.t", "impala", {"old": "new"}, "d")
    assert with_new_names("SELECT a FROM older.t_old", "impala", {"old": "new"}, "d") == "SELECT a FROM older.t_old"


BLANKS = st.sampled_from([" ", "\n", "  ", " /* old.t 'x */ ", "\t-- old.u\n"])
NAMES = st.sampled_from(["old", "OLD", "`old`"])
OTHERS = st.sampled_from(["kept", "`kept`", "older", "old_2"])


@st.composite
def queries(draw: st.DrawFn) -> tuple[str, str]:
    """A query, and what has to become of it."""
    pieces: list[tuple[str, str]] = []

    def add(text: str) -> None:
        pieces.append((text, text))
        blank = draw(BLANKS)
        pieces.append((blank, blank))

    def add_table(name: str) -> None:
        if draw(st.booleans()):
            written = draw(NAMES)
            pieces.append((written, "`new`" if written.startswith("`") else "new"))
        else:
            other = draw(OTHERS)
            pieces.append((other, other))
        add(f".{name}")

    add("SELECT")
    add(draw(st.sampled_from(["a", "'old.t'", "count(*)", "a.old", '"old.x"', "old.a"])))
    add("AS")
    add(draw(st.sampled_from(["old", "b", "`old`"])))
    add("FROM")
    add_table("t1")
    add(draw(st.sampled_from(["old", "a"])))
    for number in range(draw(st.integers(0, 3))):
        add("JOIN")
        add_table(f"u{number}")
        add(f"x{number}")
        add("ON")
        add(f"x{number}.old = 'old'")
    if draw(st.booleans()):
        add("WHERE")
        add("b IN (SELECT")
        add("old")
        add("FROM")
        add_table("v")
        add(")")
    return "".join(before for before, _ in pieces), "".join(after for _, after in pieces)


@given(queries())
@settings(max_examples=300, deadline=None)
def test_any_query_keeps_all_bytes_but_the_names(query: tuple[str, str]) -> None:
    text, wanted = query
    replaced = with_new_names(text, "hive", {"old": "new"}, "d")
    assert replaced == wanted
    before, after = (referenced_tables(QueryText(one, "hive"), "d") for one in (text, replaced))
    assert [("new" if space.lower() == "old" else space, name) for space, name in before] == list(after)


@given(st.text(alphabet="SELCT FROMold.t`'\"()*-/,\n", max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_is_replaced_or_refused(text: str) -> None:
    try:
        replaced = with_new_names(text, "hive", {"old": "new"}, "d")
    except HiveViewsError:
        return
    assert replaced.replace("new", "old").lower() == text.lower()
