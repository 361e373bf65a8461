"""Random queries in the SQL that Hive and Spark have in common, with the columns that they return."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

NUMBERS = ("int", "bigint", "double")


@dataclass(frozen=True)
class Relation:
    """A table or view: its full name, and the names and types of its columns."""

    name: str
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Ref:
    """A column in scope: as written, its own name, its type."""

    text: str
    name: str
    type: str


Query = tuple[str, tuple[tuple[str, str], ...]]
"""The text, and the names and types of its columns."""


class Queries:
    """Queries on some relations."""

    def __init__(self, random: Random, relations: Sequence[Relation]) -> None:
        self._random = random
        self._relations = relations

    def any(self) -> Query:
        """A query of any shape."""
        shapes: list[Callable[[], Query | None]] = [
            *(self._plain, self._join, self._join, self._star, self._cte, self._union, self._lateral, self._grouped),
            *(self._derived, self._where_in, self._where_exists, self._window, self._join_star),
        ]
        while (query := self._random.choice(shapes)()) is None:
            pass
        return query

    # -- shapes -------------------------------------------------------------------------------------------------------

    def _plain(self) -> Query:
        relation = self._relation()
        scope = self._scope(relation)
        distinct = "DISTINCT " if self._chance(0.1) else ""
        selected, columns = self._items(scope)
        return f"SELECT {distinct}{selected} FROM {relation.name}{self._where(scope, 0.6)}", columns

    def _star(self) -> Query:
        relation = self._relation()
        return f"SELECT * FROM {relation.name}{self._where(self._scope(relation), 0.5)}", relation.columns

    def _join(self) -> Query | None:
        found = self._joined()
        if found is None:
            return None
        _, text, scope = found
        selected, columns = self._items(scope)
        return f"SELECT {selected} FROM {text}{self._where(scope, 0.4)}", columns

    def _join_star(self) -> Query | None:
        found = self._joined()
        if found is None:
            return None
        left, text, scope = found
        other = self._random.choice(scope[len(left.columns) :])
        new = self._new_name({name for name, _ in left.columns})
        return f"SELECT a.*, {other.text} AS {new} FROM {text}", (*left.columns, (new, other.type))

    def _cte(self) -> Query:
        inner = self._star() if self._chance(0.4) else self._plain()
        text, columns = inner
        if self._chance(0.3):
            return f"WITH q AS ({text}) SELECT * FROM q", columns
        scope = self._scope(Relation("q", columns))
        selected, found = self._items(scope)
        return f"WITH q AS ({text}) SELECT {selected} FROM q{self._where(scope, 0.4)}", found

    def _derived(self) -> Query:
        text, columns = self._star() if self._chance(0.3) else self._plain()
        scope = self._scope(Relation("q", columns), "q")
        selected, found = self._items(scope)
        return f"SELECT {selected} FROM ({text}) q{self._where(scope, 0.3)}", found

    def _union(self) -> Query | None:
        first, second = self._relation(), self._relation()
        left, right = self._scope(first), self._scope(second)
        pairs = [(one, two) for one in left for two in right if one.type == two.type]
        if not pairs:
            return None
        chosen = self._random.sample(pairs, min(len(pairs), self._random.randint(1, 3)))
        names: list[str] = []
        parts: list[tuple[str, str]] = []
        for one, two in chosen:
            name = one.name if one.name not in names else self._new_name(set(names))
            names.append(name)
            parts.append((_named(one, name), _named(two, name)))
        texts = [
            f"SELECT {', '.join(part[side] for part in parts)} FROM {relation.name}{self._where(scope, 0.3)}"
            for side, (relation, scope) in enumerate(((first, left), (second, right)))
        ]
        columns = tuple((name, one.type) for name, (one, _) in zip(names, chosen, strict=True))
        return " UNION ALL ".join(texts), columns

    def _lateral(self) -> Query | None:
        relation = self._relation(lambda one: any(type_ == "array<string>" for _, type_ in one.columns))
        if relation is None:
            return None
        scope = self._scope(relation, "t")
        array = self._random.choice([one for one in scope if one.type == "array<string>"])
        exploded = _Ref("l.item", "item", "string")
        selected, columns = self._items([one for one in scope if one.type != "array<string>"] or scope)
        names = {name for name, _ in columns}
        name = "item" if "item" not in names else self._new_name(names)
        lateral = f"LATERAL VIEW explode({array.text}) l AS item"
        where = self._where(scope, 0.3)
        text = f"SELECT {selected}, {_named(exploded, name)} FROM {relation.name} t {lateral}{where}"
        return text, (*columns, (name, "string"))

    def _grouped(self) -> Query | None:
        relation = self._relation()
        scope = self._scope(relation)
        possible = [one for one in scope if one.type != "array<string>"]
        if not possible:
            return None
        keys = self._random.sample(possible, min(len(possible), self._random.randint(1, 2)))
        names = {one.name for one in keys}
        columns = [(one.name, one.type) for one in keys]
        items = [one.text for one in keys]
        for _ in range(self._random.randint(1, 2)):
            text, type_ = self._aggregate(scope)
            name = self._new_name(names)
            names.add(name)
            items.append(f"{text} AS {name}")
            columns.append((name, type_))
        grouped = ", ".join(one.text for one in keys)
        having = " HAVING count(*) > 1" if self._chance(0.2) else ""
        where = self._where(scope, 0.4)
        return f"SELECT {', '.join(items)} FROM {relation.name}{where} GROUP BY {grouped}{having}", tuple(columns)

    def _where_in(self) -> Query | None:
        found = self._two_on_a_type()
        if found is None:
            return None
        one, left, two, right = found
        scope = self._scope(one, "a")
        selected, columns = self._items(scope)
        inner = f"SELECT b.{right.name} FROM {two.name} b"
        return f"SELECT {selected} FROM {one.name} a WHERE a.{left.name} IN ({inner})", columns

    def _where_exists(self) -> Query | None:
        found = self._two_on_a_type()
        if found is None:
            return None
        one, left, two, right = found
        selected, columns = self._items(self._scope(one, "a"))
        inner = f"SELECT 1 FROM {two.name} b WHERE b.{right.name} = a.{left.name}"
        return f"SELECT {selected} FROM {one.name} a WHERE EXISTS ({inner})", columns

    def _window(self) -> Query | None:
        relation = self._relation()
        scope = self._scope(relation)
        possible = [one for one in scope if one.type != "array<string>"]
        if not possible:
            return None
        by, order = self._random.choice(possible), self._random.choice(possible)
        selected, columns = self._items(scope)
        name = self._new_name({one for one, _ in columns})
        window = f"row_number() OVER (PARTITION BY {by.text} ORDER BY {order.text}) AS {name}"
        return f"SELECT {selected}, {window} FROM {relation.name}", (*columns, (name, "int"))

    # -- parts --------------------------------------------------------------------------------------------------------

    def _joined(self) -> tuple[Relation, str, list[_Ref]] | None:
        """The left relation ``a``, a join with ``b``, and the columns of both."""
        found = self._two_on_a_type()
        if found is None:
            return None
        one, left, two, right = found
        kind = self._random.choice(["JOIN", "JOIN", "LEFT JOIN"])
        text = f"{one.name} a {kind} {two.name} b ON a.{left.name} = b.{right.name}"
        scope = self._scope(one, "a") + self._scope(two, "b")
        if self._chance(0.4):
            # Names without a table: a column of the same name in the other one makes them ambiguous.
            names = [ref.name for ref in scope]
            scope = [_Ref(ref.name, ref.name, ref.type) if names.count(ref.name) == 1 else ref for ref in scope]
        return one, text, scope

    def _two_on_a_type(self) -> tuple[Relation, _Ref, Relation, _Ref] | None:
        one, two = self._relation(), self._relation()
        kinds = ("int", "bigint", "string")
        pairs = [
            (left, right)
            for left in self._scope(one)
            for right in self._scope(two)
            if left.type == right.type and left.type in kinds
        ]
        return (one, (pair := self._random.choice(pairs))[0], two, pair[1]) if pairs else None

    def _items(self, scope: Sequence[_Ref]) -> Query:
        """A select list of one to four columns."""
        items: list[str] = []
        columns: list[tuple[str, str]] = []
        names: set[str] = set()
        for _ in range(self._random.randint(1, 4)):
            text, name, type_ = self._item(scope)
            if name is None or name in names:
                name = self._new_name(names)
                text = f"{text} AS {name}"
            names.add(name)
            items.append(text)
            columns.append((name, type_))
        return ", ".join(items), tuple(columns)

    def _item(self, scope: Sequence[_Ref]) -> tuple[str, str | None, str]:
        ref = self._random.choice(scope)
        if self._chance(0.55):
            return ref.text, (ref.name if self._chance(0.8) else None), ref.type
        text, type_ = self._expression(ref, scope)
        return text, (ref.name if text == ref.text else None), type_

    def _expression(self, ref: _Ref, scope: Sequence[_Ref]) -> tuple[str, str]:
        of_type: dict[str, list[tuple[str, str]]] = {
            "string": [
                (f"upper({ref.text})", "string"),
                (f"concat({ref.text}, '-')", "string"),
                (f"substr({ref.text}, 1, 3)", "string"),
                (f"coalesce({ref.text}, '')", "string"),
                (f"length({ref.text})", "int"),
                (f"cast({ref.text} AS int)", "int"),
                (f"CASE WHEN {self._condition(scope)} THEN {ref.text} ELSE 'none' END", "string"),
            ],
            "int": [
                (f"{ref.text} + 1", "int"),
                (f"coalesce({ref.text}, 0)", "int"),
                (f"cast({ref.text} AS bigint)", "bigint"),
                (f"cast({ref.text} AS string)", "string"),
                (f"CASE WHEN {self._condition(scope)} THEN {ref.text} ELSE 0 END", "int"),
                (f"{ref.text} > 3", "boolean"),
            ],
            "bigint": [(f"{ref.text} + 1", "bigint"), (f"cast({ref.text} AS double)", "double")],
            "double": [(f"{ref.text} * 2.0E0", "double"), (f"cast({ref.text} AS string)", "string")],
            "date": [(f"year({ref.text})", "int"), (f"date_add({ref.text}, 1)", "date")],
            "timestamp": [(f"hour({ref.text})", "int"), (f"cast({ref.text} AS date)", "date")],
            "boolean": [(f"NOT {ref.text}", "boolean"), (f"CASE WHEN {ref.text} THEN 1 ELSE 0 END", "int")],
        }
        if found := re.fullmatch(r"decimal\((\d+),(\d+)\)", ref.type):
            precision, scale = map(int, found.groups())
            wider = f"decimal({min(precision + 1, 38)},{scale})"
            return self._random.choice([(f"{ref.text} + {ref.text}", wider), (f"cast({ref.text} AS double)", "double")])
        return self._random.choice(of_type.get(ref.type) or [(ref.text, ref.type)])

    def _aggregate(self, scope: Sequence[_Ref]) -> tuple[str, str]:
        ref = self._random.choice(scope)
        possible = [("count(*)", "bigint")]
        if ref.type in NUMBERS:
            possible += [(f"sum({ref.text})", "double" if ref.type == "double" else "bigint")]
            possible += [(f"avg({ref.text})", "double")]
        if ref.type in (*NUMBERS, "string", "date", "timestamp"):
            possible += [(f"max({ref.text})", ref.type), (f"count(DISTINCT {ref.text})", "bigint")]
        return self._random.choice(possible)

    def _where(self, scope: Sequence[_Ref], chance: float) -> str:
        return f" WHERE {self._condition(scope)}" if self._chance(chance) else ""

    def _condition(self, scope: Sequence[_Ref]) -> str:
        ref = self._random.choice(scope)
        values = {"int": "3", "bigint": "3", "double": "2.5E0", "string": "'x'", "date": "DATE '2026-08-21'"}
        possible = [f"{ref.text} IS NOT NULL"]
        if ref.type in values:
            possible += [f"{ref.text} > {values[ref.type]}", f"{ref.text} IN ({values[ref.type]})"]
        if ref.type == "boolean":
            possible = [ref.text]
        if ref.type == "string":
            possible += [f"{ref.text} LIKE 'x%'"]
        return self._random.choice(possible)

    def _scope(self, relation: Relation, alias: str | None = None) -> list[_Ref]:
        prefix = f"{alias}." if alias else ""
        return [_Ref(f"{prefix}{name}", name, type_) for name, type_ in relation.columns]

    def _relation(self, fits: Callable[[Relation], bool] = lambda _: True) -> Relation:
        """One of the relations, the last ones, of the level below, more often."""
        possible = [one for one in self._relations if fits(one)]
        if not possible:
            return None  # type: ignore[return-value]
        late = possible[-max(1, len(possible) // 3) :]
        return self._random.choice(late if self._chance(0.6) else possible)

    def _new_name(self, names: set[str]) -> str:
        return next(name for name in iter(lambda: f"c{self._random.randint(1, 99)}", "") if name not in names)

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability


def _named(ref: _Ref, name: str) -> str:
    return ref.text if ref.name == name else f"{ref.text} AS {name}"
