"""Operators, which Hive and Spark bind otherwise: with the brackets of a row, both read what Hive reads as typed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from hive_views.sql.hive_grammar.queries import read_query
from hive_views.sql.hive_grammar.words import NotHiveError
from tests.support.java.hive_statements import HiveParser

pytestmark = pytest.mark.peer("java")

BINARY = [*("+", "-", "*", "/", "%", "DIV", "||", "||", "&", "|", "^", "=", "<>", "<", ">=", "<=>"), "AND", "OR"]
PREDICATES = ["{} LIKE {}", "{} NOT RLIKE {}", "{} IN ({}, d)", "{} NOT IN ({})", "{} BETWEEN {} AND d"]


def expression(chance: random.Random) -> str:
    text = chance.choice("abc")
    for _ in range(chance.randint(1, 4)):
        operand = chance.choice(["a", "b", "-c", "f(a)"])
        if chance.randrange(4):
            text = f"{text} {chance.choice(BINARY)} {operand}"
        else:
            text = chance.choice(PREDICATES).format(text, operand)
        # Of two NOT in a row, Hive's parser makes a tree that nothing can be done with.
        if not chance.randrange(6) and not text.startswith("NOT"):
            text = f"NOT {text}"
    return text


def with_all_brackets(node: Any) -> str:
    """An expression of Hive's tree as a text that can be read in one way only."""
    name = node.getText()
    children = [node.getChild(place) for place in range(node.getChildCount())]
    if name == "TOK_TABLE_OR_COL":
        return str(children[0].getText())
    if name == "TOK_FUNCTION":
        function = children[0].getText()
        if function.lower() == "between":
            negated = "NOT " if children[1].getText() == "KW_TRUE" else ""
            value, low, high = map(with_all_brackets, children[2:])
            return f"({value} {negated}BETWEEN {low} AND {high})"
        operands = [with_all_brackets(child) for child in children[1:]]
        if function.lower() == "in":
            return f"({operands[0]} IN ({', '.join(operands[1:])}))"
        return f"({' || '.join(operands)})" if function == "concat" else f"{function}({', '.join(operands)})"
    operands = [with_all_brackets(child) for child in children]
    return f"({name} {operands[0]})" if len(operands) == 1 else f"({f' {name} '.join(operands)})"


def test_hive_and_spark_read_a_row_as_hive_reads_the_text_as_typed(hive_jvm: Any, tmp_path: Path) -> None:
    hive = HiveParser(hive_jvm, tmp_path)
    spark = hive_jvm.org.apache.spark.sql.execution.SparkSqlParser()
    chance = random.Random(12)
    read = changed = 0
    for _ in range(300):
        sql = f"SELECT {expression(chance)}"
        try:
            row = read_query(sql).applied_to(sql)
        except NotHiveError:
            continue
        read += 1
        changed += row != sql
        typed, stored = hive.tree(sql), hive.tree(row)
        assert typed.toStringTree() == stored.toStringTree(), (sql, row)
        # TOK_QUERY, TOK_INSERT, TOK_SELECT behind a destination, TOK_SELEXPR.
        bracketed = with_all_brackets(typed.getChild(0).getChild(1).getChild(0).getChild(0))
        parsed = [spark.parseExpression(text).toString() for text in (row.removeprefix("SELECT "), bracketed)]
        assert parsed[0] == parsed[1], (sql, row, bracketed)
    assert read > 100
    assert changed > 30
