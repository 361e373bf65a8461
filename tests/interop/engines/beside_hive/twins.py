"""Twin databases: in one Hive executes statements, in the other we do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hive_views import ViewCatalog, execute
from hive_views.errors import HiveViewsError, SQLSyntaxError
from hive_views.hive.row import Partition, Row
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.support.containers.engines import EngineError, Hive, Rows


@dataclass(frozen=True)
class Habit:
    """A difference that all views have, or all answers of a kind: a pattern of what is compared, and the reason."""

    what: str
    reason: str


HABITS = (
    Habit(
        r"parameter (uuid|table_type|(previous_)?metadata_location|hive-views\..+|view\.catalogAndNamespace\..+)",
        "a view of ours has a history, to which these lead, and tells Spark where its names resolve",
    ),
    Habit(
        r"parameter (bucketing_version|last_modified_by|last_modified_time)",
        "they mean nothing for a view; who changed it last is in its history",
    ),
    Habit(
        r"parameter (COLUMN_STATS_ACCURATE|num(Files|FilesErasureCoded|Partitions|Rows)|rawDataSize|totalSize)",
        "Hive's statistics claim that a view or its partition has no rows, which is not so",
    ),
    Habit(
        r"expanded text",
        "each has its own way to write the same query; Hive 4 leaves columns without aliases, which Spark cannot read",
    ),
    Habit(r"told of no comment", "a column without a comment has none, and not an empty one"),
    Habit(r"headings of FORMATTED", "there are headings above the first columns too, as above the partition columns"),
    Habit(r"padding of FORMATTED", "Hive fills its cells with blanks, for a terminal"),
    Habit(
        r"text of EXTENDED",
        "Hive prints all fields of its own object; we those that tell something of a view, with our parameters",
    ),
)

_TIME = "transient_lastDdlTime"
_APART = {"dbName", "tableName", "owner", "createTime", "id", "parameters", "viewExpandedText", "sd"}

Differences = dict[str, tuple[object, object]]
"""By what is compared: what Hive has, and what we have."""


@dataclass(frozen=True)
class Outcome:
    """What one side answered to a statement, and what it has after that.

    ``names`` are those of the databases, as they are in statements. ``error`` is None, "syntax", Hive's error number,
    or "other". ``views`` are those of its databases by name, each with its partitions by name.
    """

    names: Mapping[str, str]
    error: str | int | None
    message: str
    rows: Rows
    views: Mapping[str, tuple[Row, Mapping[str, Partition]]]


class Twins:
    """Two new databases for Hive and two for us, and the tables that both read.

    Args:
        hive: where statements are executed, in the current database of its session.
        catalog: where we execute them.
        name: a name that no database begins with.
        sources: what the statements call the databases with tables.
    """

    def __init__(
        self, hive: Hive, catalog: ViewCatalog, hms: HiveMetastore, name: str, sources: Mapping[str, str]
    ) -> None:
        self._hive, self._catalog, self._hms = hive, catalog, hms
        self._names = {
            side: {"db": f"{name}_{side}", "other": f"{name}_{side}_2", **sources} for side in ("hive", "ours")
        }
        for names in self._names.values():
            hive.rows(f"CREATE DATABASE {names['db']}")
            hive.rows(f"CREATE DATABASE {names['other']}")
        self._namespace = self._names["ours"]["db"]
        hive.rows(f"USE {self._names['hive']['db']}")

    def differences(self, statement: str) -> tuple[Differences, set[Habit]]:
        """Execute a statement on both sides, and compare."""
        return differences(statement, self.by_hive(statement), self.by_us(statement))

    def by_hive(self, statement: str) -> Outcome:
        """What Hive makes of it, in its database."""
        return self._outcome("hive", *self._asked(statement.format(**self._names["hive"])))

    def by_us(self, statement: str) -> Outcome:
        """What we make of it, in ours; of a query, what Hive reads there."""
        text = statement.format(**self._names["ours"])
        if text.startswith("SELECT"):
            return self._outcome("ours", *self._asked(text))
        error: str | int | None = None
        message, rows = "", []
        try:
            result = execute(self._catalog, text, namespace=self._namespace)
            self._namespace = result.namespace
            message, rows = result.done, list(result.rows)
        except HiveViewsError as refused:
            message = str(refused)
            number = re.search(r"\(Hive error (\d+)\)", message)
            error = int(number[1]) if number else "syntax" if isinstance(refused, SQLSyntaxError) else "other"
        return self._outcome("ours", error, message, rows)

    def close(self) -> None:
        """Leave Hive's session as it was."""
        self._hive.rows("USE default")

    def _asked(self, text: str) -> tuple[str | int | None, str, Rows]:
        try:
            return None, "", self._hive.rows(text)
        except EngineError as refused:
            message = str(refused)
            number = re.search(r"\[Error (\d+)\]|return code (10\d{3})\b", message)
            if "ParseException" in message:
                return "syntax", message, []
            return int(number[1] or number[2]) if number else "other", message, []

    def _outcome(self, side: str, error: str | int | None, message: str, rows: Rows) -> Outcome:
        names = self._names[side]
        views = {}
        for placeholder in ("db", "other"):
            namespace = names[placeholder]
            for row in self._hms.load_rows(namespace, self._hms.list_view_names(namespace)):
                views[f"{placeholder}.{row.identifier.name}"] = (row, self._partitions(row))
        return Outcome(names, error, message, rows, views)

    def _partitions(self, row: Row) -> dict[str, Partition]:
        names = self._hms.partition_names(row.identifier) if row.partition_keys else []
        return dict(zip(names, self._hms.load_partitions(row.identifier, names), strict=True)) if names else {}


def differences(statement: str, hive: Outcome, ours: Outcome) -> tuple[Differences, set[Habit]]:
    """In what the two differ, and which of all views' differences are among that, which are left out of the first."""
    facts = [_facts(statement, hive, ours), _facts(statement, ours, hive)]
    if ours.error == "other" and hive.error is not None:  # not all of our errors name Hive's number
        facts[0]["error"] = "other"
    found: Differences = {}
    habits = set()
    for what in sorted(facts[0].keys() | facts[1].keys()):
        values = (facts[0].get(what), facts[1].get(what))
        if values[0] == values[1]:
            continue
        habit = next((one for one in HABITS if re.search(rf"(^|: ){one.what}$", what)), None)
        if habit:
            habits.add(habit)
        else:
            found[what] = values
    return found, habits


def _facts(statement: str, outcome: Outcome, other: Outcome) -> dict[str, object]:
    """What is compared, by name; of views and partitions, only those that the other side has too."""
    facts = {"error": outcome.error, **_facts_of_rows(statement, outcome.rows)}
    facts |= {f"{name}: exists": True for name in outcome.views}
    for name in outcome.views.keys() & other.views.keys():
        row, partitions = outcome.views[name]
        facts |= {f"{name}: {what}": value for what, value in _facts_of_view(row).items()}
        facts[f"{name}: partitions"] = sorted(partitions)
        for partition in partitions.keys() & other.views[name][1].keys():
            found = partitions[partition]
            of_it = {**_rest(found.native), **_parameters(found.parameters)}
            facts |= {f"{name}: partition {partition}: {what}": value for what, value in of_it.items()}
    return {what: _neutral(value, outcome.names) for what, value in facts.items()}


def _neutral(value: object, names: Mapping[str, str]) -> object:
    """The value with the databases called as in the statements."""
    if isinstance(value, (list, tuple)):
        return type(value)(_neutral(each, names) for each in value)
    if isinstance(value, str):
        for placeholder, name in sorted(names.items(), key=lambda item: -len(item[1])):
            value = value.replace(name, f"{{{placeholder}}}")
    return value


def _facts_of_view(row: Row) -> dict[str, object]:
    descriptor = {**_rest(row.native.sd), "cols": list(row.columns)}
    return {
        **{f"row {field}": value for field, value in _rest(row.native).items()},
        **{f"descriptor {field}": value for field, value in descriptor.items()},
        "row partitionKeys": list(row.partition_keys),
        "has an owner": bool(row.owner),
        "has a time": bool(row.create_time_s),
        "expanded text": row.expanded_text,
        **_parameters(row.parameters),
    }


def _rest(struct: Any) -> dict[str, object]:
    """The fields of a struct of the metastore that are compared as they are; an absent descriptor is one of them."""
    found = {field: value for field, value in vars(struct).items() if field not in _APART}
    return {**found, "sd": None} if vars(struct).get("sd", ...) is None else found


def _parameters(parameters: Mapping[str, str]) -> dict[str, object]:
    return {f"parameter {key}": "a time" if key == _TIME else value for key, value in parameters.items()}


def _facts_of_rows(statement: str, rows: Rows) -> dict[str, object]:
    """The rows, and apart from them what Hive and we never report alike."""
    words = statement.upper().split()
    if words[0] == "SELECT":
        return {"rows": sorted(rows)}
    if words[:2] == ["SHOW", "TBLPROPERTIES"] and not statement.endswith(")"):
        return {f"rows: {what}": value for what, value in _parameters(dict(rows)).items()}
    if words[0] not in ("DESC", "DESCRIBE"):
        return {"rows": rows}
    facts: dict[str, object] = {}
    without = [
        comment for _, type_, comment in rows if type_ and not comment and words[1] not in ("EXTENDED", "FORMATTED")
    ]
    if without:
        facts["rows: told of no comment"] = without[0]
    if "EXTENDED" in words and rows:
        facts["rows: text of EXTENDED"] = rows[-1][1]
        rows = [*rows[:-1], (rows[-1][0], None, None)]
    if "FORMATTED" in words:
        facts["rows: headings of FORMATTED"] = rows[:1] == [("# col_name", "data_type", "comment")]
        facts["rows: padding of FORMATTED"] = any(cell and cell != cell.strip() for row in rows for cell in row)
        rows = [tuple(cell.strip() if cell else cell for cell in row) for row in rows]
        rows = rows[1:] if facts["rows: headings of FORMATTED"] else rows
        parameters = _parameters({key: value for empty, key, value in rows if not empty and key})
        facts |= {f"rows: {what}": value for what, value in parameters.items()}
        facts["rows: expanded text"] = [value for name, value, _ in rows if name == "Expanded Query:"]
        rows = [(name, value, comment) for name, value, comment in rows if name or not value]
        hidden = {"Expanded Query:": "a text", "CreateTime:": "a time"}
        rows = [(name, hidden.get(name, value), comment) for name, value, comment in rows]
    facts["rows"] = [(*row[:2], row[2] or None) for row in rows]
    return facts
