"""What a random project says: views as values, and the files that say them, in any style."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TABLE = "web.clicks"
IDS = ("id", "CAST(id AS STRING) AS id", "CAST(id AS BIGINT) AS id", "*")


@dataclass(frozen=True)
class Wanted:
    """A view of a project.

    Attributes:
        source: the table, or a view, that it reads.
        id: how its first column comes about; one of ``IDS``.
        longer: of the pages that it has.
        trino: the same in its text for Trino; None without one.
        comment: of the view.
        column_comment: of its first column; None without a column list.
        properties: in the order of the file.
        is_partitioned: by ``ds``.
    """

    source: str = TABLE
    id: str = "id"
    longer: int = 0
    trino: int | None = None
    comment: str | None = None
    column_comment: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    is_partitioned: bool = False

    @property
    def texts(self) -> dict[str, str]:
        columns = "*" if self.id == "*" else f"{self.id}, page, ds"
        found = {"hive": f"SELECT {columns}\nFROM {self.source}\nWHERE length(page) > {self.longer}"}
        if self.trino is not None:
            found["trino"] = f"SELECT * FROM {self.source} WHERE length(page) > {self.trino}"
        return found


@dataclass(frozen=True)
class Style:
    """How a file is written, which means nothing."""

    is_lower: bool = False
    has_comments: bool = False
    is_reversed: bool = False
    is_loose: bool = False
    has_or_replace: bool = True


def file_of(name: str, wanted: Wanted, style: Style) -> str:
    """The file of a view."""
    namespace, _, bare = name.partition(".")
    named = {
        (False, False): name,
        (True, False): f"`{namespace.upper()}`.`{bare.upper()}`",
        (False, True): bare.upper(),
        (True, True): f"`{bare}`",
    }[style.is_lower, style.is_loose]
    parts = [f"CREATE {'OR REPLACE ' if style.has_or_replace else ''}VIEW {named}"]
    if wanted.column_comment is not None:
        first = "ID" if style.is_lower else "`id`"
        parts.append(f"({first} COMMENT '{wanted.column_comment}', page, DS)")
    if wanted.comment is not None:
        parts.append(f"COMMENT '{wanted.comment}'")
    if wanted.is_partitioned:
        parts.append(f"PARTITIONED ON ({'DS' if style.is_reversed else 'ds'})")
    if wanted.properties:
        pairs = reversed(wanted.properties) if style.is_reversed else wanted.properties
        parts.append(f"TBLPROPERTIES ({', '.join(f'{key!r} = {value!r}' for key, value in pairs)})")
    parts.append("AS")
    words = [part.lower() if style.is_lower and part == "AS" else part for part in parts]
    between = "\n\n  " if style.is_loose else "\n"
    if style.has_comments:
        words.insert(1, "-- which view this is; and ' a quote")
    space = "\n\n\n" if style.is_loose else "\n"
    text = f"{between.join(words)}{space}{wanted.texts['hive']}{space}"
    if wanted.trino is not None:
        text += f"{'dialect' if style.is_lower else 'DIALECT'} trino AS{space}{wanted.texts['trino']}{space}"
    if style.has_comments:
        text = f"-- {name}: what it is for\n/* and\n more */\n{text}-- the end\n"
    return f"{text};\n" if style.is_reversed and not style.has_comments else text


def would_circle(files: Mapping[str, Wanted], name: str, source: str) -> bool:
    """Whether a view would read itself if it read this."""
    while source in files:
        if source == name:
            return True
        source = files[source].source
    return source == name
