"""Partitions that their writer has marked as done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hive_views.errors import InvalidInputError
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.observations import DetailRequest, Mark, Need, Observations
from hive_views.readiness.reasons import unmarked_text
from hive_views.readiness.rule_expressions import shown
from hive_views.readiness.rules.composition import Rule
from hive_views.readiness.rules.requirements import KnownEmpty, Requirement, checked_known_empty, described
from hive_views.readiness.rules.truth import HOLDS, Judged, Truth, fails, unknown

_EVENT = Mark("event")
_SUCCESS = "_SUCCESS"
_KINDS = ("parameter", "event", "success-file", "paimon")


@dataclass(frozen=True, eq=False, repr=False)
class Marked(Requirement):
    """Made by ``marked_done``."""

    mark: Mark = _EVENT

    def written(self) -> str:
        name = None if self.mark.name == _SUCCESS and self.mark.by == "success-file" else self.mark.name or None
        value = self.mark.value if self.mark.by == "parameter" else None
        return self._described("marked_done", by=self.mark.by, name=name, value=value)

    @property
    def is_costly(self) -> bool:
        return True

    @property
    def needs(self) -> Need:
        return "parameters" if self.mark.by == "parameter" else "marks"

    def request_details(self, candidates: Sequence[Candidate], observed: Observations, request: DetailRequest) -> None:
        coverage = observed.coverages[self]
        for candidate in candidates:
            if coverage.missing(candidate) is None:
                request.add_mark(self.table, self.mark, coverage.partitions(candidate))

    def judge(self, observed: Observations) -> Callable[[Candidate], Judged]:
        are_there = super().judge(observed)
        coverage = observed.coverages[self]
        marked = observed.details.marked.get((self.table, self.mark), frozenset())
        columns = coverage.open_columns()

        def judged(candidate: Candidate) -> Judged:
            there = are_there(candidate)
            if there.truth is not Truth.YES:
                return there
            unmarked = [values for values in coverage.partitions(candidate) if values not in marked]
            if not unmarked:
                return HOLDS
            differing = [{name: values[position] for position, name in columns} for values in unmarked]
            reason = f"{coverage.table}: {unmarked_text(coverage.where(candidate), differing, str(self.mark))}"
            # The metastore forgets events after some days.
            return unknown(reason) if self.mark.by == "event" else fails(reason)

        return judged

    def held(self, candidate: Candidate, observed: Observations) -> str:
        coverage = observed.coverages[self]
        where = coverage.where(candidate)
        return f"{coverage.table}: {f'all of {where}' if where else 'all'} is marked done ({self.mark})"


def marked_done(
    table: str,
    columns: Mapping[str, object] | None = None,
    /,
    *,
    by: str,
    name: str | None = None,
    value: object = None,
    known_empty: KnownEmpty = (),
    format: str | None = None,  # noqa: A002 - the word of the base tables
    **more_columns: object,
) -> Rule:
    """The partitions that are described, as in ``requires``, must be there, and each of them must be marked as done.

    Args:
        table: ``namespace.name``, or a location.
        columns: partition columns whose names cannot be keywords.
        by: how its writer marks a partition: ``"parameter"``, a parameter of the partition in the metastore (``name``,
            ``value``); ``"event"``, the metastore's LOAD_DONE (``markPartitionForEvent``, Paimon's mark-event; the
            metastore forgets it after some days); ``"success-file"``, an empty file in the partition's directory
            (``_SUCCESS``, or ``name``; Spark and Hive write it where a job writes one partition by its path);
            ``"paimon"``, Paimon's done-partition, a partition of the metastore that ends in ``.done``. Since events are
            forgotten, ``negate`` of ``"event"`` waits as long as the partitions are there, marked or not.
        name: of the parameter or file.
        value: of the parameter; compared without case, so that True is ``true``.
        known_empty: as in ``requires``.
        format: the format that the table must have.
        more_columns: partition columns.

    Raises:
        InvalidInputError: as ``requires``; no such mark, or a name or value that does not belong to it.
    """
    if by not in _KINDS:
        raise InvalidInputError(
            f"Cannot look for marks by={shown(by)} of {table}: by must be one of {', '.join(_KINDS)}.", table=table
        )
    if (by == "parameter") != (value is not None) or (by == "parameter" and not name):
        raise InvalidInputError(
            f"marked_done({shown(table)}, by={shown(by)}): name= and value= belong to by='parameter', and it "
            f"needs both.",
            table=table,
        )
    if by in ("event", "paimon") and name is not None:
        raise InvalidInputError(f"marked_done({shown(table)}, by={shown(by)}) takes no name=.", table=table)
    if by == "success-file":
        name = name or _SUCCESS
    if name is not None and (not isinstance(name, str) or (by == "success-file" and "/" in name)):
        raise InvalidInputError(f"Cannot look for a mark {shown(name)}: give its name, without a path.", table=table)
    try:
        text = "" if value is None else str(value).lower()
    except ValueError as error:  # a number with too many digits
        raise InvalidInputError(
            f"Cannot look for a mark with value={shown(value)} of {table}: {error}.", table=table
        ) from error
    mark = Mark(by, name or "", text)  # type: ignore[arg-type]  # one of _KINDS
    holes = checked_known_empty(table, known_empty)
    return described(Marked, table, columns, more_columns, format, known_empty=holes, mark=mark)
