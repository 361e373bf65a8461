"""A random estate: tables, and views on them and on each other in levels; the same for the same seed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.interop.estates.queries import Queries, Relation

LEVELS = 6
_FORMATS = ("orc", "parquet", "textfile")
_POOL = (
    ("id", "int"),
    ("user_id", "bigint"),
    ("amount", "decimal(10,2)"),
    ("price", "double"),
    ("page", "string"),
    ("country", "string"),
    ("code", "varchar(7)"),
    ("day", "date"),
    ("at", "timestamp"),
    ("is_new", "boolean"),
    ("tags", "array<string>"),
    ("quantity", "int"),
    ("name", "string"),
)
_KEY_TYPES = ("string", "int")
MAKERS = ("hive text", "hive text", "hive text", "hive text", "spark text", "renamed", "partitioned", "Spark", "Hive")


@dataclass(frozen=True)
class Table:
    """A table of Hive's; ``columns`` without the partition column, which is called ``ds`` where there is one."""

    name: str
    columns: tuple[tuple[str, str], ...]
    is_partitioned: bool
    format: str

    @property
    def relation(self) -> Relation:
        """All its columns."""
        return Relation(self.name, (*self.columns, ("ds", "string")) if self.is_partitioned else self.columns)


@dataclass(frozen=True)
class MadeView:
    """A view of the estate.

    Attributes:
        name: ``namespace.name``.
        level: 1 for one on tables only.
        text: its query.
        columns: as the view has them; the names are others than the query's if ``maker`` is ``renamed``.
        maker: this library with a text of ``hive`` or ``spark``, or the engine that makes it as a plain view.
        keys: the names of its partition columns.
    """

    name: str
    level: int
    text: str
    columns: tuple[tuple[str, str], ...]
    maker: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Estate:
    """Tables and views, in an order in which they can be made."""

    tables: tuple[Table, ...]
    views: tuple[MadeView, ...]

    def mentions(self, name: str) -> int:
        """How many views name a table or view."""
        return sum(bool(re.search(rf"\b{re.escape(name)}\b", view.text)) for view in self.views)

    def readers(self, name: str) -> list[str]:
        """The views that read a table or view, directly or through others, in their order; if it is a view, it too."""
        found = [name]
        for view in self.views:
            if view.name not in found and any(re.search(rf"\b{re.escape(one)}\b", view.text) for one in found):
                found.append(view.name)
        return [view.name for view in self.views if view.name in found]


def generate(seed: int, namespace: str, views: int, tables: int = 8, makers: Sequence[str] = MAKERS) -> Estate:
    """The estate of a seed in a namespace."""
    random = Random(seed)
    made_tables = tuple(_table(random, f"{namespace}.t{number}") for number in range(tables))
    made: list[MadeView] = []
    for level in range(1, LEVELS + 1):
        below = [
            *(table.relation for table in made_tables),
            *(Relation(view.name, view.columns) for view in made if view.level < level),
        ]
        queries = Queries(random, below)
        count = views // LEVELS + (level <= views % LEVELS)
        made += [_view(random, queries, f"{namespace}.v{level}_{number}", level, makers) for number in range(count)]
    return Estate(made_tables, tuple(made))


def _table(random: Random, name: str) -> Table:
    columns = [("id", "int"), *random.sample(_POOL[1:], random.randint(5, 8))]
    random.shuffle(columns)
    return Table(name, tuple(columns), random.random() < 0.5, random.choice(_FORMATS))


def _view(random: Random, queries: Queries, name: str, level: int, makers: Sequence[str]) -> MadeView:
    text, columns = queries.any()
    maker = random.choice(makers)
    keys: tuple[str, ...] = ()
    if maker == "renamed":
        columns = tuple((f"{column}_of", type_) for column, type_ in columns)
    elif maker == "partitioned" and len(columns) > 1 and columns[-1][1] in _KEY_TYPES:
        keys = (columns[-1][0],)
    return MadeView(name, level, text, columns, maker, keys)
