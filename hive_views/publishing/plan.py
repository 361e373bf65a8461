"""What to declare, what waits and why: the outcome of judging a view's candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from hive_views.base_tables.port import Snapshot
from hive_views.errors import InvalidInputError
from hive_views.hive.partition_dates import calendar_for_notebooks
from hive_views.messages.html import Tone, badge, html_block, table
from hive_views.publishing.ledger.inputs import Input, write_inputs
from hive_views.readiness.coverage import UnnamedPartitions
from hive_views.readiness.dependency_digest import DependencyDigest

# Of the text of a saved plan: it rises with each change of the fields.
FORMAT_VERSION = 2

_PlanT = TypeVar("_PlanT")
_TONES: Mapping[str, Tone] = {"waiting": "warn", "retract": "bad", "ready": "new", "kept": "soft", "published": "good"}


@dataclass(frozen=True)
class TableFacts:
    """What a plan read of a table at ``listed_at_ms`` since 1970: how many partitions, of all or of those it needs."""

    format: str
    snapshot: Snapshot | None
    partitions: int
    listed_at_ms: int
    table_id: str | None = None
    definition: str | None = None


@dataclass(frozen=True)
class Plan:
    """What a run would do, by names of partitions.

    Attributes:
        view: the view's name.
        view_uuid: the view that it was made for; another one may have the name later.
        ready: what is to be declared, with the number of base partitions that it depends on by table.
        waiting: what is not ready, and why.
        already_published: candidates that are declared already.
        tables: what was read of each base table.
        fingerprints: of what the metastore has of the base partitions that ready ones depend on, by table.
        directories: of what lay in their directories, by table.
        retract: published partitions that have lost base partitions which they need.
        kept: published partitions for which the rules no longer hold, and why they stay declared.
        asked: what was found of the base partitions that ready ones depend on, by table (``Input.asked``).
        judged: of each partition to retract, a hash of what was recorded with it when that was decided.
        unnamed: by table, the partitions that were listed and name no partition of the view.
        rule: a hash of the rule that they were judged by; "" where it has no string form that can be read back.
        format_version: of the saved text.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    view: str
    view_uuid: str
    ready: Mapping[str, Mapping[str, int]]
    waiting: Mapping[str, tuple[str, ...]]
    already_published: tuple[str, ...]
    tables: Mapping[str, TableFacts]
    fingerprints: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    retract: tuple[str, ...] = ()
    kept: Mapping[str, str] = field(default_factory=dict)
    asked: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    judged: Mapping[str, str] = field(default_factory=dict)
    unnamed: Mapping[str, UnnamedPartitions] = field(default_factory=dict)
    directories: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    rule: str = ""
    format_version: int = FORMAT_VERSION

    def __str__(self) -> str:
        lines = [self._heading()]
        lines += [f"  ready    {name}" for name in self.ready]
        lines += [f"  waiting  {name}: {'; '.join(reasons)}" for name, reasons in self.waiting.items()]
        lines += [f"  retract  {name}" for name in self.retract]
        lines += [f"  kept     {name}: {reason}" for name, reason in self.kept.items()]
        lines += [f"  unnamed  {table}: {unnamed}" for table, unnamed in self.unnamed.items()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [(name, "ready", "") for name in self.ready]
        rows += [(name, "waiting", "; ".join(reasons)) for name, reasons in self.waiting.items()]
        rows += [(name, "retract", "it has lost base partitions that it needs") for name in self.retract]
        rows += [(name, "kept", reason) for name, reason in self.kept.items()]
        states = {**dict.fromkeys(self.already_published, "published"), **{name: state for name, state, _ in rows}}
        rows += [(name, "unnamed", str(unnamed)) for name, unnamed in self.unnamed.items()]
        shown = [(name, badge(state, _TONES.get(state, "soft")), why) for name, state, why in rows]
        return html_block(
            self._heading(),
            calendar_for_notebooks(states, _TONES),
            table(("partition", "state", "why"), shown),
        )

    def _heading(self) -> str:
        already = len(self.already_published)
        return f"{self.view}: {len(self.ready)} ready, {len(self.waiting)} waiting, {already} already published"

    def to_json(self) -> str:
        """The plan as a JSON object, to be saved and applied later."""
        return _JSON.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Plan:
        """The plan that ``to_json`` wrote.

        Raises:
            InvalidInputError: it is not what ``to_json`` writes, or what another version of it wrote.
        """
        return read_saved_plan(_JSON, text, FORMAT_VERSION, "Plan.to_json")

    def inputs_of(self, name: str) -> str:
        """What a ready partition depends on, as JSON that any metastore can hold: ASCII, at most 4,000 characters."""
        fingerprints, asked = self.fingerprints.get(name, {}), self.asked.get(name, {})
        directories = self.directories.get(name, {})
        return write_inputs(
            {
                table: Input(
                    self.tables[table].format,
                    count,
                    self.tables[table].listed_at_ms,
                    self.tables[table].snapshot,
                    fingerprints.get(table),
                    self.tables[table].table_id,
                    DependencyDigest.read_all(asked.get(table, {})),
                    directories.get(table),
                    self.tables[table].definition,
                )
                for table, count in self.ready[name].items()
            }
        )


@dataclass(frozen=True)
class _Saved:
    """What is read of a saved plan before its fields, which may be those of another version."""

    format_version: int


def read_saved_plan(as_saved: TypeAdapter[_PlanT], text: str | bytes, version: int, writer: str) -> _PlanT:
    """The plan that ``writer`` wrote, with this version of its fields; InvalidInputError: it is another text."""
    try:
        saved = _SAVED.validate_json(text, strict=True).format_version
        if saved != version:
            raise InvalidInputError(
                f"Cannot read a plan: it has the format version {saved}, and this hive_views reads {version}. "
                f"Make a new plan.",
                location="format_version",
            )
        return as_saved.validate_json(text, strict=True)
    except ValidationError as e:
        [first, *_] = e.errors(include_url=False, include_input=False)
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidInputError(
            f"Cannot read a plan: {where or 'the text'}: {first['msg']}. Give what {writer} wrote.",
            location=where,
        ) from e


_SAVED = TypeAdapter(_Saved)
_JSON = TypeAdapter(Plan)
