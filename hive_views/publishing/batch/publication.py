"""One publication: a view, when its partitions are ready, and how it is published.

What lives here: the value, and which publications do not go together. What must not: reading files, publishing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.hive.partition_values import normalise_value
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.publishing.ledger.fencing import run_of
from hive_views.publishing.request import MAX_FINGERPRINTS, PublishRequest, checked_number
from hive_views.readiness.rules import Rule, all_of
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.partitions import Spec


@dataclass(frozen=True)
class Publication:
    """What one call of ``publish`` is given; the fields are its arguments.

    Attributes:
        view: ``namespace.name``.
        rules: all of them must let a partition pass.
        name: what it is called in reports and by ``only``; by default the view.
        strict: refuse a view that reads a whole partitioned table for each of its partitions; only Spark knows.
            Judged by a partition that the view has, or by values that are given here instead of True: a view without
            partitions whose partition columns are constants in its query needs them.
        record_reads: store with each partition that is added which base partitions the view's query reads for it
            (``hive-views.reads``). Spark is asked for that, so the publication runs in a Spark job only.

    Raises:
        InvalidInputError: the view's name is none, there is no rule, strict has no value, or ``max_fingerprints`` is no
            number from 0.
    """

    view: str
    rules: Sequence[Rule]
    name: str = ""
    candidates: Sequence[Spec] | None = None
    since: Spec | None = None
    until: Spec | None = None
    app_id: str | None = None
    run_version: int | None = None
    retract: bool = False
    strict: bool | Spec = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    record_reads: bool = False
    metastore_only: bool = False
    max_fingerprints: int = MAX_FINGERPRINTS

    def __post_init__(self) -> None:
        object.__setattr__(self, "view", str(TableIdentifier.of(self.view)))
        object.__setattr__(self, "name", self.name or self.view)
        all_of(*self.rules)
        checked_number(self.max_fingerprints)
        if not isinstance(self.strict, bool) and not self.strict:
            raise InvalidInputError("strict is true, false, or values of partition columns, and not nothing.")

    def as_run(self, app_id: str | None, run_version: int | None) -> Publication:
        """This publication in a run of this application and version; without an application there is no version."""
        app_id = app_id or self.app_id
        if run_version is None or app_id is None:
            run_version = self.run_version
        return replace(self, app_id=app_id, run_version=run_version)

    def request(self, *, dry_run: bool = False) -> PublishRequest:
        """What a run of this publication is asked to do.

        Raises:
            InvalidInputError, InvalidPartitionError: as ``PublishRequest.of``.
        """
        return PublishRequest.of(
            self.view,
            *self.rules,
            candidates=self.candidates,
            since=self.since,
            until=self.until,
            retract=self.retract,
            dry_run=dry_run,
            app_id=self.app_id,
            run_version=self.run_version,
            publication=self.name if self.name != self.view else None,
            parameters=self.parameters,
            metastore_only=self.metastore_only,
            max_fingerprints=self.max_fingerprints,
        )


def check_publications(publications: Sequence[Publication]) -> None:
    """Refuse publications of which one would undo, hide or overrule another.

    Two of one view must be kept apart by their bounds or by the partitions they are given: else one declares what the
    other lets wait. They also need two names and two applications: the second run of one version does nothing. Nor may
    each of some require the next one's view.

    Raises:
        InvalidInputError: two do not go together, or an application comes without a version; nothing was looked at.
    """
    for number, one in enumerate(publications, start=1):
        _refuse_half_a_run(number, one)
    by_view: dict[str, list[tuple[int, Publication]]] = {}
    for number, one in enumerate(publications, start=1):
        by_view.setdefault(one.view, []).append((number, one))
    for same in by_view.values():
        for (first, one), (second, other) in itertools.combinations(same, 2):
            _refuse_contradiction(f"Publications {first} and {second} are both of {one.view}", one, other)
    named: dict[str, int] = {}
    for number, one in enumerate(publications, start=1):
        if one.name in named:
            raise InvalidInputError(
                f"Publications {named[one.name]} and {number} are both called {one.name!r}; give each a name of its "
                f"own.",
            )
        named[one.name] = number
    in_waves(publications)


def chosen(publications: Sequence[Publication], names: Iterable[str]) -> list[Publication]:
    """Those of these names, or of views with these names; all of them where no name is given.

    Raises:
        InvalidInputError: nothing has this name.
    """
    names = list(names)
    known = {name for one in publications for name in (one.name, one.view)}
    for name in names:
        if name not in known:
            raise InvalidInputError(f"There is no publication {name!r}. {did_you_mean(name, known)}")
    return [one for one in publications if not names or one.name in names or one.view in names]


def in_waves(publications: Sequence[Publication]) -> list[list[Publication]]:
    """Publications that may run at once, and behind them those that require a view which these publish.

    Raises:
        InvalidInputError: each of some requires the next one's view, so that none would ever be first.
    """
    waves: list[list[Publication]] = []
    left = list(publications)
    while left:
        coming = {one.view for one in left}
        wave = [one for one in left if not (_required(one) - {one.view}) & coming]
        if not wave:
            names = ", ".join(one.name for one in left)
            raise InvalidInputError(f"Publications wait for each other's views in a circle: among {names}.")
        waves.append(wave)
        done = {id(one) for one in wave}
        left = [one for one in left if id(one) not in done]
    return waves


def _required(publication: Publication) -> set[str]:
    asked = (required for rule in publication.rules for required in rule.requirements())
    return {named.name for required in asked for named in required.tables()}


def _refuse_half_a_run(number: int, one: Publication) -> None:
    try:
        run_of(one.app_id, one.run_version)
    except InvalidInputError as error:
        raise InvalidInputError(f"Publication {number} ({one.name}): {error}") from error


def _refuse_contradiction(both: str, one: Publication, other: Publication) -> None:
    if not _apart(one, other):
        raise InvalidInputError(
            f"{both} and may judge the same partitions differently. Give one `until` and the other a later `since`, or "
            f"write one publication with the rules of both.",
            identifier=one.view,
        )
    if one.app_id is not None and one.app_id == other.app_id:
        raise InvalidInputError(
            f"{both} for the application {one.app_id!r}, and the second run of a version does nothing. Give each an "
            f"app_id of its own.",
            identifier=one.view,
        )


def _apart(one: Publication, other: Publication) -> bool:
    """Whether it is certain, without knowing the view's columns, that no partition is looked at by both."""
    if one.candidates is not None and other.candidates is not None:
        mine, others = ({_comparable(spec) for spec in both.candidates or ()} for both in (one, other))
        return not mine & others
    return _ends_before(one.until, other.since) or _ends_before(other.until, one.since)


def _ends_before(until: Spec | None, since: Spec | None) -> bool:
    if not until or not since:
        return False
    end, start = _comparable(until), _comparable(since)
    columns = [name for name, _ in end]
    kinds = [type(value) for _, value in end]
    # Several columns are compared in the view's order, which is not known here.
    one_column = len(columns) == 1 and columns == [name for name, _ in start]
    return one_column and kinds == [type(value) for _, value in start] and end < start


def _comparable(spec: Spec) -> tuple[tuple[str, Any], ...]:
    """The values by column: whole numbers as numbers, dates as dates, anything else as text."""
    texts = {str(name).lower(): str(value) for name, value in spec.items()}
    return tuple((name, _typed(text)) for name, text in sorted(texts.items()))


def _typed(text: str) -> int | date | str:
    if text.isascii() and text.isdigit():
        return int(text)
    with suppress(InvalidPartitionError):
        return date.fromisoformat(normalise_value(text, "date", key="date"))
    return text
