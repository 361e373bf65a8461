"""The tables that plain views read: their definition for Hive and Spark alike, and their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.support.plain_rows import LAKE

DAYS = ("2026-08-21", "2026-08-22")
_CLICKS = {
    DAYS[0]: [(1, "/", "1.50", "2026-08-21 10:00:00"), (2, "/é", "2.25", "2026-08-21 23:30:00")],
    DAYS[1]: [(1, "/a b", "3.00", "2026-08-22 00:30:00")],
}
_USERS = [
    ("1", "ada", "x,y", "Paris,75001", "a:0.5", "1990-01-31", "a note", "abc", "true", "1", "2", "0.5", "0.25"),
    ("2", "bob", "z", "Rome,100", "b:1.5", "1985-12-01", "x", "de", "false", "3", "4", "1.5", "2.5"),
]
_DELIMITED = (
    "ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' COLLECTION ITEMS TERMINATED BY ',' MAP KEYS TERMINATED BY ':' "
    "STORED AS TEXTFILE"
)


def statements(directory: Path, lake: str = LAKE) -> list[str]:
    """What makes the tables in Hive and in Spark, on the files that ``write_files`` wrote."""
    clicks = (
        f"CREATE EXTERNAL TABLE {lake}.clicks (user_id BIGINT, page STRING, price DECIMAL(10,2), seen_at TIMESTAMP) "
        f"PARTITIONED BY (ds STRING) {_DELIMITED} LOCATION 'file:{directory}/clicks'"
    )
    users = (
        f"CREATE EXTERNAL TABLE {lake}.users (user_id INT, name STRING, tags ARRAY<STRING>, "
        "address STRUCT<city:STRING,zip:INT>, scores MAP<STRING,DOUBLE>, born DATE, note VARCHAR(20), code CHAR(3), "
        f"flag BOOLEAN, tiny TINYINT, small SMALLINT, ratio FLOAT, share DOUBLE) {_DELIMITED} "
        f"LOCATION 'file:{directory}/users'"
    )
    days = [
        f"ALTER TABLE {lake}.clicks ADD PARTITION (ds='{day}') LOCATION 'file:{directory}/clicks/ds={day}'"
        for day in DAYS
    ]
    return [f"CREATE DATABASE {lake} LOCATION 'file:{directory}'", clicks, *days, users]


def write_files(directory: Path) -> None:
    """Write the rows of both tables."""
    for day, rows in _CLICKS.items():
        _write(directory / "clicks" / f"ds={day}" / "rows.tsv", rows)
    _write(directory / "users" / "rows.tsv", _USERS)


def _write(file: Path, rows: Sequence[tuple[object, ...]]) -> None:
    file.parent.mkdir(parents=True)
    file.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
