"""What a catalog should hold, as plain values: the model that the state machine walks beside the real one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

NARROW = ("user_id", "clicks", "ds")
WIDE = ("user_id", "country", "clicks", "ds")

TEXTS = {
    NARROW: [
        f"SELECT user_id, count(*) AS clicks, ds FROM web.clicks GROUP BY user_id, ds HAVING count(*) > {limit}"
        for limit in range(4)
    ],
    WIDE: [
        f"SELECT user_id, country, count(*) AS clicks, ds FROM web.t{number} GROUP BY user_id, country, ds"
        for number in range(4)
    ],
}


@dataclass(frozen=True)
class Definition:
    """What makes two versions one: texts as typed, columns, where names resolve, whether Spark's settings stay.

    And which text did not change when the other one did.
    """

    namespace: str
    hive: str
    trino: str
    columns: tuple[str, ...]
    hive_by_spark: bool = False
    stale: str | None = None


@dataclass
class ModelView:
    """One view: its versions by number, which was current when, its properties and declared partitions.

    ``files`` counts the metadata files that were written for its row, ``left`` those of rows before it; ``journal`` is
    what was declared by us, whether or not a row has it now.
    """

    versions: dict[int, Definition]
    history: list[int]
    partitioned: bool
    properties: dict[str, str] = field(default_factory=dict)
    partitions: set[str] = field(default_factory=set)
    journal: set[str] = field(default_factory=set)
    files: int = 1
    left: int = 0
    needs_repair: bool = False
    drifted_to: str | None = None

    @property
    def current(self) -> Definition:
        return self.versions[self.history[-1]]

    def define(self, definition: Definition) -> bool:
        """Make the definition the current one; False when it is already."""
        definition = replace(definition, stale=self._stale_in(definition))
        known = [number for number, version in self.versions.items() if version == definition]
        number = known[0] if known else max(self.versions) + 1
        self.versions[number] = definition
        return self.activate(number)

    def _stale_in(self, definition: Definition) -> str | None:
        before = self.current
        if replace(definition, stale=before.stale) == before:
            return before.stale
        if replace(definition, stale=None) in self.versions.values() or definition.hive == definition.trino:
            return None
        changed = [one for one in ("hive", "trino") if getattr(before, one) != getattr(definition, one)]
        if len(changed) != 1:
            return None if changed else before.stale
        return None if changed == [before.stale] else {"hive": "trino", "trino": "hive"}[changed[0]]

    def activate(self, number: int) -> bool:
        if number == self.history[-1]:
            return False
        self.history.append(number)
        return True

    def set_properties(self, properties: dict[str, str]) -> bool:
        changed = {**self.properties, **properties} != self.properties
        self.properties |= properties
        return changed

    def committed(self, changed: bool) -> None:
        """One more file, and a row as it should be, unless there was nothing to do."""
        if changed or self.needs_repair or self.drifted_to is not None:
            self.files += 1
        self.needs_repair, self.drifted_to = False, None

    def registered(self) -> None:
        """A new row, with a copy of the file: what only the row had is gone."""
        self.left, self.files = self.left + self.files, 1
        self.partitions = set()
        self.needs_repair, self.drifted_to = False, None

    def adopt(self) -> bool:
        assert self.drifted_to is not None
        return self.define(replace(self.current, hive=self.drifted_to, hive_by_spark=True))
