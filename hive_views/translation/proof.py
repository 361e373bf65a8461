"""What an engine has confirmed of a translated text, bound to exactly this text and the one that it was made from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import Enum
from typing import Any

from hive_views.sql.query import QueryText


class Checked(str, Enum):
    """What was compared."""

    COLUMNS = "columns"
    """The engine analyzed the translated text; names, order and types of its columns are those of the original."""

    ROWS = "rows"
    """The same, and both texts were run, and returned the same rows."""


@dataclass(frozen=True)
class EngineRelease:
    """An engine that was asked.

    Attributes:
        name: as people call it.
        version: its release; None where it does not say.
    """

    name: str
    version: str | None = None

    def __str__(self) -> str:
        return f"{self.name} {self.version}" if self.version else self.name


@dataclass(frozen=True)
class Proof:
    """What an engine has confirmed of a translated text.

    Attributes:
        checked: what was compared.
        engine: that read the translated text.
        digest: of both texts and their dialects; see ``digest_of``.
        beside: the engine that ran the original text; None where no rows were compared.
        rows: how many rows were compared; likewise.
        is_complete: whether these were all rows of both texts; likewise.
    """

    checked: Checked
    engine: EngineRelease
    digest: str
    beside: EngineRelease | None = None
    rows: int | None = None
    is_complete: bool | None = None

    def is_of(self, original: QueryText, translated: QueryText) -> bool:
        """Whether it was made of exactly these two texts."""
        return self.digest == digest_of(original, translated)

    def document(self) -> dict[str, Any]:
        """As JSON, which ``read_proof`` reads."""
        document: dict[str, Any] = {
            "checked": self.checked.value,
            "digest": self.digest,
            "engine": dict(vars(self.engine)),
        }
        if self.beside is not None:
            document |= {"beside": dict(vars(self.beside)), "rows": self.rows, "is_complete": self.is_complete}
        return document

    def __str__(self) -> str:
        if self.beside is None:
            return f"{self.engine} accepts it, and finds the same columns"
        which = f"all {self.rows:,}" if self.is_complete else f"the first {self.rows:,}, of more"
        return f"{self.engine} returns the same rows as {self.beside}: {which}"


def digest_of(original: QueryText, translated: QueryText) -> str:
    """A digest of two texts and their dialects: that of others is another one."""
    texts = json.dumps([[str(one.dialect), str(one)] for one in (original, translated)])
    return f"sha256:{hashlib.sha256(texts.encode()).hexdigest()}"


def read_proof(document: object) -> Proof | None:
    """A proof from its JSON; None for anything else, which proves nothing."""
    try:
        return _proof(document)
    except (KeyError, TypeError, ValueError):
        return None


def _proof(document: Any) -> Proof:
    checked, digest = Checked(document["checked"]), document["digest"]
    if not isinstance(digest, str):
        raise TypeError(digest)
    engine = _release(document["engine"])
    if checked is Checked.COLUMNS:
        return Proof(checked, engine, digest)
    rows, is_complete = document["rows"], document["is_complete"]
    if type(rows) is not int or type(is_complete) is not bool or rows < 0:
        raise TypeError(document)
    return Proof(checked, engine, digest, _release(document["beside"]), rows, is_complete)


def _release(document: Any) -> EngineRelease:
    name, version = document["name"], document.get("version")
    if not isinstance(name, str) or not isinstance(version, str | None):
        raise TypeError(document)
    return EngineRelease(name, version)
