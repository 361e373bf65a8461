"""Queries by the thousand, for rules that hold for every query."""

from __future__ import annotations

from hypothesis import strategies as st

COLUMNS = ["a", "b", "`c d`", "x.a", "x.b", "x.s.f", "a.f"]
TABLES = ["t", "web.t", "`t u`", "db . `t`", "T"]
LITERALS = ["1", "1.5", "10L", "'x, FROM y'", '"it\'s"', "'é'", "'\\\\é😀'", "';'", "'it''s'"]
SPACES = [" ", "\n", " /* a, b FROM 'c */ ", " -- it's\n", " /* 😀 */ "]


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(COLUMNS + LITERALS))
    inner = expressions(depth - 1)
    form = draw(
        st.sampled_from(
            [
                "({0} + {1})",
                "({0})",
                "coalesce({0}, {1})",
                "CASE WHEN {0} > {1} THEN {0} ELSE {1} END",
                "cast({0} AS decimal(10, 2))",
                "({0} IN ({1}, 2))",
                "count(*)",
                "sum({0}) OVER (PARTITION BY {1} ORDER BY a)",
                "m['k']",
                "(SELECT max(a) FROM t)",
                "if({0} = 'FROM', {1}, b)",
            ]
        )
    )
    return form.format(draw(inner), draw(inner))


@st.composite
def selects(draw: st.DrawFn, depth: int = 1) -> tuple[str, int, bool]:
    """A SELECT, its number of columns, and whether a star hides some of them."""
    space = draw(st.sampled_from(SPACES))
    items = draw(st.lists(expressions(), min_size=1, max_size=4))
    aliases = draw(st.lists(st.sampled_from(["", "", " AS one", " two", " AS `three four`"]), min_size=4, max_size=4))
    written = [item + alias for item, alias in zip(items, aliases, strict=False)]
    starred = draw(st.integers(0, 5)) == 0
    if starred:
        written.append("x.*")
    source = draw(st.sampled_from(TABLES))
    if depth and draw(st.booleans()):
        inner, _, _ = draw(selects(depth=depth - 1))
        source = f"({inner})"
    head = draw(st.sampled_from(["SELECT", "SELECT DISTINCT", "select", "SELECT /*+ MAPJOIN(t) */"]))
    tail = draw(
        st.sampled_from(
            [
                "",
                " JOIN u ON x.a = u.a",
                " LATERAL VIEW explode(arr) t AS e",
                " WHERE a IN (SELECT a FROM web.u)",
                " GROUP BY a, b HAVING max(b) > 1",
                " WHERE b = 'é' LIMIT 3",
            ]
        )
    )
    comma = draw(st.sampled_from([", ", ",", " , -- c\n"]))
    text = f"{head}{space}{comma.join(written)}{space}FROM {source} x{tail}"
    return text, len(items) + starred, starred


@st.composite
def queries(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A query that Hive's grammar takes, and names for its columns."""
    text, width, _ = draw(selects())
    branches = draw(st.integers(0, 2))
    if branches:
        # Hive takes a limit behind the last branch only.
        text = text.removesuffix(" LIMIT 3")
    for _ in range(branches):
        text += draw(st.sampled_from([" UNION ALL ", "\nUNION\n"])) + "SELECT " + ", ".join(["a"] * width) + " FROM t"
    if not branches:
        text += draw(st.sampled_from(["", "", " ORDER BY a", " ORDER BY x.a, b DESC", " SORT BY b"])) * (
            "LIMIT" not in text
        )
    if draw(st.booleans()):
        text = f"WITH t AS (SELECT a, b FROM t), `w` AS (SELECT * FROM T) {text}"
    elif draw(st.booleans()):
        text = f"({text}\n)"
    text = draw(st.sampled_from(["", "  ", "-- head\n"])) + text + draw(st.sampled_from(["", ";", " -- end\n;", "\n"]))
    names = ["a", "b", "one", "two", "three four", "größe", "`", "_c0"]
    columns = draw(st.lists(st.sampled_from(names), min_size=width, max_size=width, unique=True))
    return text, columns


WORDS = """
SELECT FROM WHERE WITH AS ( ) , . * ; t a b.c `d` 'x' 1 1.e3 UNION ALL INSERT INTO VALUES TABLE EXPLAIN CREATE VIEW CASE
WHEN THEN END LATERAL explode ORDER BY HAVING GROUP LIMIT DISTINCT OVER /*+ */ -- [ ] { } $ ? : @ |> -> :: TRANSFORM
USING JOIN ON EXCEPT NOT IS PIVOT FOR IN INTERVAL DATE ' " ` é 😀 \\ # ! <=>
"""


def scraps() -> st.SearchStrategy[str]:
    """Words and signs of SQL in any order, most of them no query."""
    soup = st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join)
    return st.one_of(soup, soup.map("SELECT a FROM t ".__add__), soup.map("SELECT ".__add__), st.text(max_size=30))
