"""Statements of a migration: the forms of Hive and of Spark that change names and columns, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from hive_views.ddl.grammar.parse import parse_changes
from hive_views.ddl.grammar.statements import AlterViewAs, CreateView, DropView, Name, RenameView, UseNamespace
from hive_views.ddl.grammar.table_changes import (
    AddColumns,
    ChangeColumn,
    DropColumns,
    DropTable,
    NewColumn,
    Place,
    RenameTable,
    ReplaceColumns,
)
from hive_views.errors import SQLSyntaxError
from hive_views.hive.row import Column

T = Name("web", "users")


@pytest.mark.parametrize(
    ("sql", "statement"),
    [
        ("DROP COLUMN iso", DropColumns(T, ("iso",))),
        ("DROP COLUMNS IF EXISTS (a, `b c`)", DropColumns(T, ("a", "b c"), if_exists=True)),
        ("DROP COLUMN a, b", DropColumns(T, ("a", "b"))),
        ("RENAME COLUMN a TO b", ChangeColumn(T, "a", to="b")),
        ("RENAME TO web.people", RenameTable(T, Name("web", "people"))),
        ("CHANGE a b bigint COMMENT 'x' AFTER c CASCADE", ChangeColumn(T, "a", "b", "bigint", "x", Place("c"))),
        ("CHANGE COLUMN a a decimal(10, 2) FIRST", ChangeColumn(T, "a", "a", "decimal(10,2)", None, Place(None))),
        ("CHANGE first comment int", ChangeColumn(T, "first", "comment", "int")),
        ("CHANGE COLUMN a TYPE LONG", ChangeColumn(T, "a", type="bigint")),
        ("ALTER COLUMN a TYPE timestamp_ntz", ChangeColumn(T, "a", type="timestamp")),
        ("ALTER a TYPE double precision", ChangeColumn(T, "a", type="double")),
        ("ALTER COLUMN a COMMENT 'x'", ChangeColumn(T, "a", comment="x")),
        ("ALTER COLUMN a AFTER b", ChangeColumn(T, "a", place=Place("b"))),
        ("ALTER COLUMN a DROP NOT NULL", ChangeColumn(T, "a")),
        (
            "REPLACE COLUMNS (a int, b array<struct<x: INT COMMENT 'q', `y`: map<string, int>>> COMMENT 'z') RESTRICT",
            ReplaceColumns(T, (Column("a", "int"), Column("b", "array<struct<x:int,y:map<string,int>>>", "z"))),
        ),
        (
            "ADD COLUMNS (x int, y timestamp with local time zone) CASCADE",
            AddColumns(T, (NewColumn(Column("x", "int")), NewColumn(Column("y", "timestamp with local time zone")))),
        ),
        (
            "ADD COLUMN x int NOT NULL COMMENT 'new' AFTER id, y STRUCT<a: INT> FIRST",
            AddColumns(
                T,
                (
                    NewColumn(Column("x", "int", "new"), Place("id")),
                    NewColumn(Column("y", "struct<a:int>"), Place(None)),
                ),
            ),
        ),
    ],
)
def test_alter_table_in_the_forms_of_both_engines(sql: str, statement: Any) -> None:
    [found] = parse_changes(f"ALTER TABLE web.users {sql}")
    assert found.statement == statement


def test_a_migration_has_several_statements() -> None:
    script = """-- a migration
        USE sales;
        DROP TABLE IF EXISTS web.users PURGE;
        ALTER VIEW a AS SELECT ';' AS x; ALTER VIEW a RENAME TO b;
        CREATE OR REPLACE VIEW c AS SELECT 1 AS x;
        DROP VIEW d;
    """
    found = parse_changes(script)
    kinds = [UseNamespace, DropTable, AlterViewAs, RenameView, CreateView, DropView]
    assert [type(one.statement) for one in found] == kinds
    assert [one.line for one in found] == [2, 3, 4, 4, 5, 6]
    assert found[1].statement == DropTable(T, if_exists=True)


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("ALTER TABLE t SET TBLPROPERTIES ('a'='b')", "found 'SET', expected ADD COLUMNS, DROP COLUMN"),
        ("ALTER TABLE t ADD PARTITION (ds='1')", "Only statements that change names, columns or views are supported"),
        ("INSERT INTO t SELECT 1", "Only statements that change names, columns or views are supported"),
        ("ALTER VIEW v SET TBLPROPERTIES ('a'='b')", "expected ALTER VIEW ... AS or ALTER VIEW ... RENAME TO"),
        ("ALTER TABLE t ALTER COLUMN s.x TYPE int", "Fields inside a column are not supported"),
        ("ALTER TABLE t ADD COLUMNS (x foo)", "Hive has no such type"),
        ("ALTER TABLE t ADD COLUMNS (x array<int)", "expected '>'"),
        ("ALTER TABLE t DROP COLUMN", "expected a column"),
        ("ALTER TABLE t ALTER COLUMN a", "expected TYPE, COMMENT"),
        ("DROP DATABASE d", "expected TABLE or VIEW"),
    ],
)
def test_what_is_not_supported_is_refused_at_its_place(sql: str, problem: str) -> None:
    with pytest.raises(SQLSyntaxError) as caught:
        parse_changes(sql)
    assert problem in str(caught.value)
    assert caught.value.column is not None
