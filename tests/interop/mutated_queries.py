"""Queries for views, written for it and mutated at random (seeded), and what both of Hive's parsers make of them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hive_views.errors import InvalidSchemaError, SQLSyntaxError
from hive_views.sql.expand import expand
from hive_views.sql.hive_grammar.queries import read_query
from hive_views.sql.hive_grammar.words import NotHiveError
from hive_views.sql.query import QueryText
from tests.support.java.statement_verdicts import is_deep, is_text

Complaint = Callable[[str], str | None]
"""What a parser of Hive has against a text; None when it takes it."""

QUERIES: list[str] = json.loads(Path(__file__).with_name("mutated_queries.json").read_text(encoding="utf-8"))

NAME_PLACES = (
    "SELECT t.{}, a AS {} FROM t WHERE b > {}",
    "SELECT a {}, b FROM {}",
    "SELECT {}.a FROM (SELECT a FROM t) {} LATERAL VIEW explode(x) y AS {}",
    "WITH {} AS (SELECT 1 AS a) SELECT a FROM {}",
    "SELECT {}(a) FROM t",
)
"""Where a name can stand."""

STRICTER = (
    # One text, two meanings: brackets or another word decide which is meant.
    "Hive 2.3 applies IS NULL to the last operand only",
    "as a kind of join",
    "Spark INTERSECT first",
    "Hive treats",
    "Hive allows",
    # Spark's parser refuses it, or no compiler of Hive takes it.
    "which only Hive has",
    "neither Hive nor Spark allows",
    "Hive 2.3 has no LIKE ANY",
    "found 'datetime', expected 'a type'",
    # Scripts, functions over tables, UNIQUEJOIN and properties of a table in a query: Spark reads none of them.
    "runs a script",
    "found 'transform'",
    "found 'map'",
    "found 'reduce'",
    "found 'uniquejoin'",
    "found '(', which the grammar",
    # Hive reads 1.5 with the alias L, in which nobody would look for one.
    "found 'AS', which the grammar",
    # A query around it gives the columns their names, and Hive 2.3 does not take such brackets there.
    "remove the parentheses",
    "exactly one pair of parentheses",
)
"""Parts of our errors for texts that both parsers take."""

UNREAD = (
    "put a space between them",
    "is not allowed here",
    "near ",
    "it cannot be parsed",
    "it is not a query",
    "cannot be told apart",
    "found 'FROM', expected SELECT",
    "found 'from', expected SELECT",
    "cannot be named",
    "write it in backticks",
    "has no columns",
    "the SQL of a view cannot have variables",
)
"""Parts of the errors of sqlglot, which does not read all that Hive does."""

_WORDS = re.compile(r"\s+|\w+|'[^']*'|`[^`]*`|.", re.DOTALL)
_SPICE = [
    *("'", '"', "`", "(", ")", ",", ".", "*", "=", "<>", "!", "-", "+", "||", "&", "|", "^", "::", "<", "<=>", "--"),
    *("\n", "\u00a0", "é", "/*", "*/", "[0]", ".b", "1", "1.5", "1L", ".5", "`c d`", "date 'd'", "interval", "time"),
    *("is null", "is true", "not", "like", "in", "between", "and", "or", "as", "order by", "sort by", "cluster by"),
    *("distribute by", "limit 3", "group by", "having", "union all", "union", "intersect", "select", "from", "where"),
    *("join", "left join", "on", "using", "distinct", "all", "with", "over (order by a)", "case when", "then", "else"),
    *("end", "cast(", "day", "true", "exists (select 1)", "lateral view explode(x) y", "user", "desc", "nulls last"),
]


def mutated(count: int, seed: int) -> Iterator[str]:
    """So many texts, each one of QUERIES with one to three changes; the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        words = _WORDS.findall(chance.choice(QUERIES))
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(words) + 1)
            step = chance.randrange(4)
            if step == 0:
                del words[place : place + chance.randint(1, 2)]
            elif step == 1:
                words.insert(place, f" {chance.choice(_SPICE)} ")
            elif step == 2:
                other = _WORDS.findall(chance.choice(QUERIES))
                first = chance.randrange(len(other))
                words[place:place] = [" ", *other[first : first + chance.randint(1, 10)], " "]
            elif place < len(words):
                words[place] = chance.choice(_WORDS.findall(chance.choice(QUERIES)))
        sql = "".join(words)
        # Hive's parser takes twice as long with each bracket inside another.
        if is_text(sql) and not is_deep(sql):
            yield sql


def stored(sql: str) -> str:
    """The text that a row gets, whose columns are called c0, c1 and so on.

    Raises:
        SQLSyntaxError, InvalidSchemaError: it gets none.
    """
    width = sum(len(item.names) or 1 for item in QueryText(sql, "hive").outline.items)
    return expand(QueryText(sql, "hive"), columns=[f"c{n}" for n in range(width)], namespace="web", view_name="v")


def row_problem(sql: str, parsers: Sequence[Complaint]) -> str | None:
    """A row that one of the parsers refuses, or a text that all take and we refuse for no reason that stays."""
    try:
        text = stored(sql)
    except InvalidSchemaError:
        return None
    except SQLSyntaxError as error:
        stays = any(reason in str(error) for reason in (*STRICTER, *UNREAD))
        taken = not stays and not any(parse(f"CREATE VIEW v AS {sql}") for parse in parsers)
        return f"{sql!r}\nrefused: {error}" if taken else None
    found = [complaint for parse in parsers if (complaint := parse(text))]
    return f"{sql!r}\nstored: {text!r}\nHive: {found[0]}" if found else None


def grammar_problem(sql: str, parsers: Sequence[Complaint]) -> str | None:
    """As row_problem, for the grammar alone: also where sqlglot reads nothing."""
    try:
        text = read_query(sql).applied_to(sql)
    except (NotHiveError, SQLSyntaxError) as error:
        stays = any(reason in str(error) for reason in STRICTER)
        taken = not stays and not any(parse(sql) for parse in parsers)
        return f"{sql!r}\nrefused: {error}" if taken else None
    found = [complaint for parse in parsers if (complaint := parse(text))]
    return f"{sql!r}\nread as: {text!r}\nHive: {found[0]}" if found else None
