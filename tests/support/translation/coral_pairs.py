"""The pairs of Coral's tests, which are in a file beside the checkout: their texts, and tables for them with our rows.

Each text reads databases of its own instead of those that it names, and the bodies of views instead of the views.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from hive_views.hive.row import Column

FILE = Path(__file__).parents[4] / "shared" / "fixtures" / "coral_pairs.json"

_ACCEPTABLE = ("identical", "equal-normalised", "A-", "C-")
_NOT_IN_TRINO = re.compile(r"\bxpath", re.IGNORECASE)
_CODE_OF_JAVA = re.compile(r"\b(reflect|java_method)\b")
_VIEW = re.compile(
    r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?(\S+)\s.*?\bAS\s+(SELECT.*)",
    re.IGNORECASE | re.DOTALL,
)
_COMPUTED, _COMPUTED_TABLES = "coral_trino_hive_test", ("tableone", "tabletwo")
"""The tables whose numbers are computed with."""
_BEHIND = r"(?P<alias>\s+(?:AS\s+)?(?!(?:CROSS|FULL|INNER|JOIN|LATERAL|LEFT|ON|RIGHT|UNION|WHERE)\b)\w+)?"


@dataclass(frozen=True)
class Text:
    """A query of one of the pairs.

    Attributes:
        number: of the pair.
        sql: the query, on the databases of ``Pairs.tables``.
        acceptable: whether the reference says that a plain translator answers right, so that there is no reason to
            refuse it.
    """

    number: int
    sql: str
    acceptable: bool

    @property
    def on_mild_tables(self) -> str:
        """The query on ``Pairs.mild_tables``."""
        return re.sub(rf"\b{_COMPUTED}\.(?={'|'.join(_COMPUTED_TABLES)})", f"{_COMPUTED}_mild.", self.sql)


class Pairs:
    """What the file has."""

    def __init__(self) -> None:
        self._file: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))

    def texts(self, source: str, target: str) -> list[Text]:
        """The queries of the pairs in a source dialect, for a target dialect.

        Besides those that Coral was given, those that it made of texts of Hive.
        """
        given = [
            Text(pair["id"], self._at_home(pair["source_sql"], pair["schema"]), _is_acceptable(pair))
            for pair in self._pairs(source, target)
        ]
        made = [pair for pair in self._pairs("hive", source) if pair["expected_sql"]] if source != "hive" else []
        return given + [Text(pair["id"], self._at_home(pair["expected_sql"], pair["schema"]), False) for pair in made]

    def _pairs(self, source: str, target: str) -> list[dict[str, Any]]:
        pairs: list[dict[str, Any]] = self._file["pairs"]
        return [one for one in pairs if (one["source_dialect"], one["target_dialect"]) == (source, target)]

    @cached_property
    def tables(self) -> dict[tuple[str, str], list[Column]]:
        """The columns of the tables, by database and name."""
        return {
            (_database(schema, name.split(".")[0]), name.split(".")[1]): [
                Column(column.lower(), re.sub(r"\s+", "", type_.lower())) for column, type_ in table["columns"].items()
            ]
            for schema, tables in self._file["data"].items()
            if schema != "coral-hive"
            for name, table in tables.items()
        }

    @cached_property
    def mild_tables(self) -> dict[tuple[str, str], list[Column]]:
        """Tables with small numbers, for texts that fail for large ones."""
        return {(f"{_COMPUTED}_mild", name): self.tables[_COMPUTED, name] for name in _COMPUTED_TABLES}

    def _at_home(self, sql: str, schema: str) -> str:
        """The query of a text that may be a view's statement, without views, on our databases."""
        found = _VIEW.fullmatch(sql)
        sql = self._inlined(found[2] if found else sql, self._views(schema))
        for name in self._file["data"][schema]:
            database, table = name.split(".")
            written = rf"""(?<![\w`"])(?:[`"]?{database}[`"]?\.|(?<=\bFROM\s)|(?<=\bJOIN\s))([`"]?){table}\b(?!\s*\.)"""
            sql = re.sub(written, rf"{_database(schema, database)}.\1{table}", sql, flags=re.IGNORECASE)
        return sql

    def _inlined(self, sql: str, views: dict[str, str]) -> str:
        before = ""
        while sql != before:
            before = sql
            for name, body in views.items():
                named = rf"\b(FROM|JOIN)\s+{re.escape(name)}\b{_BEHIND}"
                sql = re.sub(named, partial(_with_body, name.split(".")[-1], body), sql, flags=re.IGNORECASE)
        return sql

    def _views(self, schema: str) -> dict[str, str]:
        found = map(_VIEW.fullmatch, self._file["schemas"][schema])
        views = {one[1].lower(): one[2] for one in found if one}
        plain = {f"default.{name}": body for name, body in views.items() if "." not in name}
        return {**plain, **views}


def _with_body(name: str, body: str, at: re.Match[str]) -> str:
    return f"{at[1]} ({body}) {at['alias'] or name}"


def _database(schema: str, name: str) -> str:
    return f"{schema.replace('-', '_').replace('.', '_')}_{name}"


def _is_acceptable(pair: dict[str, Any]) -> bool:
    """As the reference has it: by the classes of a review to Trino, and to Spark by equal rows of the text itself."""
    baseline = pair.get("baseline") or {}
    if pair["target_dialect"] == "trino":
        is_right = str(baseline.get("reviewed_class")).startswith(_ACCEPTABLE)
        return is_right and not _NOT_IN_TRINO.search(pair["source_sql"])
    is_right = (baseline.get("spark_4_3_vs_hive") or {}).get("ansi_off") is True
    return is_right and not _CODE_OF_JAVA.search(pair["source_sql"])
