"""What Spark's analysed plan says of a query: the base columns of each output, and those that the query names.

A plan is read from its JSON, which is one call to Java for each query.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Source = tuple[str, str, str]
"""Database, table and column."""

_PARTS = ("child", "left", "right", "children", "plan", "cteDefs")
_GROUPING = ("BitwiseAnd", "ShiftRight", "AttributeReference", "Literal")
_EXACT_TYPE = "__CHAR_VARCHAR_TYPE_STRING"
_HIVE_NAMES = {"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint"}
_LEFT_ONLY = ("Except", "Intersect")


@dataclass
class _Node:
    """A node of the plan."""

    kind: str
    fields: Mapping[str, Any]
    below: list[_Node] = field(default_factory=list)

    @property
    def expressions(self) -> Iterator[list[Any]]:
        """The expressions in it, each as its nodes from the top."""
        for name, value in self.fields.items():
            if name not in _PARTS and name != "output":
                yield from _expressions(value)


@dataclass
class PlanSources:
    """The sources of a plan.

    Attributes:
        outputs: for each output column the base columns that its value is made of.
        named: the base columns in any expression of the plan.
        needed: those of ``named`` that some expression does more with than to hand them on.
        tables: the tables.
    """

    outputs: list[frozenset[Source]]
    named: frozenset[Source]
    needed: frozenset[Source]
    tables: frozenset[tuple[str, str]]


def analysed(spark: Any, query: str) -> tuple[list[tuple[str, str]], Callable[[], PlanSources]]:
    """The names and types of a query's columns by Spark's analyser, and what reads its plan, which takes far longer."""
    plan = spark._jsparkSession.sql(query).queryExecution().analyzed()
    fields = json.loads(plan.schema().json())["fields"]
    types = [(one["name"], _spelled(one["type"], one["metadata"])) for one in fields]
    return types, lambda: plan_sources(plan.toJSON())


def plan_sources(plan_json: str) -> PlanSources:
    """Read a plan, as ``queryExecution().analyzed().toJSON()`` gives it."""
    reader = _Reader()
    outputs = reader.outputs(_tree(json.loads(plan_json)))
    made_of = [reader.known.get(id_, frozenset()) for id_ in outputs]
    named = frozenset(reader.base[id_] for id_ in reader.named if id_ in reader.base)
    needed = frozenset(reader.base[id_] for id_ in reader.needed if id_ in reader.base)
    tables = frozenset(source[:2] for source in reader.base.values())
    return PlanSources(made_of, named, needed | frozenset[Source]().union(*made_of), tables)


class _Reader:
    def __init__(self) -> None:
        self.known: dict[int, frozenset[Source]] = {}
        self.base: dict[int, Source] = {}
        self.named: set[int] = set()
        self.needed: set[int] = set()
        self._common: dict[int, list[int]] = {}
        self._groups: dict[int, list[int]] = {}

    def outputs(self, node: _Node, parent: str = "") -> list[int]:
        """The ids of what a node puts out; what they are made of is known afterwards."""
        if node.kind == "SubqueryAlias" and (table := _table(node)):
            return self._base(table, node.below[0])
        below = [self.outputs(one, node.kind) for one in node.below]
        # Under GROUPING SETS the analyser hands on all columns there are.
        self._note(node, is_in_full=parent == "Expand")
        if node.kind in ("Union", "Intersect", "Except"):
            sides = below[:1] if node.kind in _LEFT_ONLY else below
            for ids in zip(*sides, strict=True):
                self.known[ids[0]] = frozenset[Source]().union(*map(self._of, ids))
            return below[0]
        if node.kind == "CTERelationDef":
            self._common[int(node.fields["id"])] = below[0]
            return below[0]
        if node.kind == "CTERelationRef":
            found = [_id(one) for one in node.fields["output"]]
            for id_, other in zip(found, self._common[int(node.fields["cteId"])], strict=True):
                self.known[id_] = self._of(other)
            return found
        if node.kind == "Expand":
            found = [_id(one) for one in node.fields["output"]]
            # Each row is the child's with some columns NULL, and the number of the grouping set.
            self.known |= {id_: self._of(other) for id_, other in zip(found, below[0], strict=False)}
            return found
        if node.kind == "Generate":
            made_of = self._made_of(node.fields["generator"])
            found = [_id(one) for one in node.fields["generatorOutput"]]
            self.known |= dict.fromkeys(found, made_of)
            return [*below[0], *found]
        if node.kind == "Join" and any(kind in str(node.fields["joinType"]) for kind in ("LeftSemi", "LeftAnti")):
            return below[0]
        return self._listed(node, [id_ for ids in below for id_ in ids] if node.kind == "Join" else below)

    def _listed(self, node: _Node, below: Any) -> list[int]:
        if node.kind == "Join":
            return list(below)
        if node.kind == "Aggregate":
            self._remember_groups(node)
        lists = ("projectList", "aggregateExpressions", "windowExpressions")
        listed = next((node.fields[name] for name in lists if name in node.fields), None)
        if listed is None:
            return list(below[-1]) if below else [_id(one) for one in node.fields.get("output") or ()]
        for one in listed:
            if _kind(one[0]) == "Alias":
                self.known[_id(one)] = self._made_of(one[1:])
        found = [_id(one) for one in listed]
        return [*below[0], *found] if "windowExpressions" in node.fields else found

    def _base(self, table: tuple[str, str], node: _Node) -> list[int]:
        """The columns of a table, which may have a projection on it that pads columns of type char."""
        columns = node.fields["projectList"] if node.kind == "Project" else node.fields["output"]
        for column in columns:
            self.base[_id(column)] = (*table, str(column[0]["name"]).lower())
            self.known[_id(column)] = frozenset([self.base[_id(column)]])
        return [_id(column) for column in columns]

    def _remember_groups(self, node: _Node) -> None:
        groups = node.fields["groupingExpressions"]
        names = [one[0].get("name") for one in groups]
        if "spark_grouping_id" in names:
            # Where sets are given twice, a number for each of them follows.
            place = names.index("spark_grouping_id")
            self._groups[_id(groups[place])] = [_id(one) for one in groups[:place]]

    def _made_of(self, expression: list[Any]) -> frozenset[Source]:
        found: set[Source] = set()
        for place, part in enumerate(expression):
            if _kind(part) == "AttributeReference":
                found |= self._of(_id([part]))
            elif "plan" in part:
                for id_ in self.outputs(_tree(part["plan"])):
                    found |= self._of(id_)
            elif tuple(map(_kind, expression[place : place + 4])) == _GROUPING:
                # grouping(a) is a bit of a number that the plan makes, whose columns are in the order of its bits.
                groups = self._groups.get(_id([expression[place + 2]]), [])
                found |= self._of(groups[-1 - int(expression[place + 3]["value"])]) if groups else frozenset()
        return frozenset(found)

    def _of(self, id_: int) -> frozenset[Source]:
        return self.known.get(id_, frozenset())

    def _note(self, node: _Node, *, is_in_full: bool) -> None:
        for expression in node.expressions if node.kind != "Expand" else ():
            ids = {_id([part]) for part in expression if _kind(part) == "AttributeReference"}
            is_handed_on = len(expression) == 1 and node.kind == "Project"
            if not (is_handed_on and is_in_full):
                self.named |= ids
            if not is_handed_on:
                self.needed |= ids
            if node.kind not in ("Project", "Aggregate", "Window"):
                for part in expression:
                    if "plan" in part:
                        self.outputs(_tree(part["plan"]))


def _spelled(type_: Any, metadata: Mapping[str, Any]) -> str:
    """A type of Spark's JSON as the metastore spells it; char and varchar are in the metadata of a column."""
    if _EXACT_TYPE in metadata:
        return str(metadata[_EXACT_TYPE])
    if isinstance(type_, str):
        return _HIVE_NAMES.get(type_, type_)
    if type_["type"] == "array":
        return f"array<{_spelled(type_['elementType'], {})}>"
    if type_["type"] == "map":
        return f"map<{_spelled(type_['keyType'], {})},{_spelled(type_['valueType'], {})}>"
    fields = (f"{one['name']}:{_spelled(one['type'], one['metadata'])}" for one in type_["fields"])
    return f"struct<{','.join(fields)}>"


def _tree(nodes: list[Any]) -> _Node:
    """A plan from the list of its nodes, each before those below it."""
    ahead = iter(nodes)

    def read() -> _Node:
        fields = next(ahead)
        return _Node(_kind(fields), fields, [read() for _ in range(fields["num-children"])])

    return read()


def _table(node: _Node) -> tuple[str, str] | None:
    """Database and name, if the alias is that of a table itself; a view has a query below it."""
    identifier, child = node.fields["identifier"], node.below[0]
    if not isinstance(identifier["qualifier"], str) or _kind_of_base(child) is None:
        return None
    return identifier["qualifier"].strip("[]").split(", ")[-1], identifier["name"].lower()


def _kind_of_base(node: _Node) -> str | None:
    node = node.below[0] if node.kind == "Project" else node
    return node.kind if node.kind in ("LogicalRelation", "HiveTableRelation") else None


def _expressions(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list) and value and isinstance(value[0], dict) and "class" in value[0]:
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _expressions(one)


def _kind(node: Mapping[str, Any]) -> str:
    return str(node["class"]).rpartition(".")[2] if "class" in node else ""


def _id(expression: list[Any]) -> int:
    return int(expression[0]["exprId"]["id"])
