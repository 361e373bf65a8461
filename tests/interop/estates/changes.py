"""Random changes of tables and views, each as the statement that says it and as what it makes of the metastore."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from tests.interop.estates.generating import Estate, MadeView, Table
from tests.interop.estates.queries import Queries, Relation

_OTHER_TYPES = {
    "int": ("bigint", "string", "double", "date"),
    "bigint": ("string", "int", "double"),
    "decimal(10,2)": ("decimal(14,4)", "decimal(6,2)", "double", "string"),
    "double": ("string", "decimal(10,2)"),
    "string": ("int", "varchar(10)", "array<string>", "boolean"),
    "varchar(7)": ("string", "varchar(9)"),
    "date": ("string", "timestamp"),
    "timestamp": ("string", "date"),
    "boolean": ("string", "int"),
    "array<string>": ("array<int>", "string"),
}
_KINDS = {"drop": 3, "rename": 1, "type": 6, "add": 2, "drop table": 1, "rename table": 1, "text": 4}
"""With how often each is chosen."""


@dataclass(frozen=True)
class Change:
    """A change of one table or view.

    Attributes:
        kind: what is done, for figures.
        statement: in SQL.
        name: of the table or view.
        columns: what the table has afterwards; None if it has gone.
        renamed: the new name of the table.
        view: what the view is afterwards.
    """

    kind: str
    statement: str
    name: str
    columns: tuple[tuple[str, str], ...] | None = None
    renamed: str | None = None
    view: MadeView | None = None


def change_at_random(random: Random, estate: Estate) -> Change:
    """A change of a table or view of an estate."""
    [kind] = random.choices([*_KINDS], [*_KINDS.values()])
    if kind == "text":
        return _new_text(random, estate)
    # Of tables that many views read, mostly.
    [table] = random.choices(estate.tables, [1 + estate.mentions(one.name) for one in estate.tables])
    if kind == "drop table":
        return Change(kind, f"DROP TABLE {table.name}", table.name)
    if kind == "rename table":
        new = f"{table.name}_old"
        return Change(kind, f"ALTER TABLE {table.name} RENAME TO {new}", table.name, table.columns, renamed=new)
    return _of_columns(random, table, kind, estate)


def _of_columns(random: Random, table: Table, kind: str, estate: Estate) -> Change:
    columns = list(table.columns)
    readers = [view.text for view in estate.views if table.name in view.text]
    weights = [1 + sum(name in text for text in readers) for name, _ in columns]
    [place] = random.choices(range(len(columns)), weights)
    name, type_ = columns[place]
    if kind == "add":
        # A name of another table's makes names without a table ambiguous.
        others = {column for other in estate.tables for column in other.columns if column[0] not in dict(columns)}
        new, new_type = random.choice([*sorted(others), ("fresh", "int")])
        statement = f"ALTER TABLE {table.name} ADD COLUMNS ({new} {new_type})"
        return Change(kind, statement, table.name, (*columns, (new, new_type)))
    if kind == "drop":
        del columns[place]
        return Change(kind, f"ALTER TABLE {table.name} DROP COLUMN {name}", table.name, tuple(columns))
    if kind == "rename":
        columns[place] = (f"{name}_new", type_)
        statement = f"ALTER TABLE {table.name} RENAME COLUMN {name} TO {name}_new"
        return Change(kind, statement, table.name, tuple(columns))
    other = random.choice(_OTHER_TYPES[type_])
    columns[place] = (name, other)
    statement = f"ALTER TABLE {table.name} CHANGE COLUMN {name} {name} {other}"
    return Change(f"{type_} -> {other}", statement, table.name, tuple(columns))


def _new_text(random: Random, estate: Estate) -> Change:
    """A new text of a view: one column less, or one of another type; or a query that has nothing of the former one."""
    possible = [one for one in estate.views if one.maker == "hive text" and not one.text.startswith("WITH")]
    [view] = random.choices(possible, [1 + 10 * estate.mentions(one.name) for one in possible])
    below = [Relation(table.name, table.relation.columns) for table in estate.tables]
    kind = random.choice(["less", "type", "other"])
    if kind == "other" or len(view.columns) == 1:
        text, columns = Queries(random, below).any()
    else:
        listed = [name for name, _ in view.columns]
        columns = view.columns
        place = random.randrange(len(columns))
        if kind == "less":
            columns = (*columns[:place], *columns[place + 1 :])
            listed = [name for name, _ in columns]
        elif columns[place][1] != "array<string>":
            name = columns[place][0]
            new = "bigint" if columns[place][1] == "int" else "string"
            listed[place] = f"cast({name} AS {new}) AS {name}"
            columns = (*columns[:place], (name, new), *columns[place + 1 :])
        text = f"SELECT {', '.join(listed)} FROM ({view.text}) former"
    changed = replace(view, text=text, columns=columns)
    return Change(f"text: {kind}", f"CREATE OR REPLACE VIEW {view.name} AS {text}", view.name, view=changed)
