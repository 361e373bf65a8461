"""One publication: a view, when its partitions are ready, and how it is published."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.hive.partition_values import normalise_value, typed_value
from hive_views.hive.row import Column
from hive_views.messages.did_you_mean import did_you_mean
from hive_views.publishing.ledger.choosing import recorded_publication
from hive_views.publishing.ledger.fencing import NO_APPLICATION, published_by, run_of
from hive_views.publishing.notifying.receivers import Notify, receivers_of
from hive_views.publishing.request import MAX_FINGERPRINTS, PublishOptions, PublishRequest, checked_number
from hive_views.publishing.scope import EVERYTHING, Scope
from hive_views.readiness.expectation import Expectation
from hive_views.readiness.rules import Rule, all_of
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.partitions.view_partitions import Spec
from hive_views.views.view import View


@dataclass(frozen=True)
class Publication:
    """The arguments of one call of ``publish``; the fields are its arguments.

    Attributes:
        view: ``namespace.name``.
        rules: all of them must hold.
        expected: the partitions that have to be declared by a certain time.
        name: what it is called in reports and by ``only``; by default the view.
        strict: refuse a view that reads a whole partitioned table for each of its partitions, which only Spark can
            tell. It is judged by a partition that the view has, or by values given here instead of True: a view without
            partitions whose partition columns are constants in its query needs them.
        record_reads: store with each partition that is added which base partitions the view's query reads for it
            (``hive-views.reads``). Spark is asked for that, so the publication runs in a Spark job only.
        notify: who gets an event for each partition that is declared or retracted; ``Receiver`` objects once it is
            made.
        this_run: the partitions that this run looks at, if not those of the publication, which are recorded all the
            same (``with_overrides``).
        within: the bounds outside of which that run may not publish; None: there are none.
        record: the name of the recorded publication that this is, whose rules are read again (``of_record``).

    Raises:
        InvalidInputError: the view's name is invalid, there is no rule, strict has no value, or ``max_fingerprints`` is
            not a whole number, 0 or more, or somebody cannot be notified.
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
    notify: Notify = ()
    expected: Expectation | None = None
    this_run: Scope | None = None
    within: Scope | None = None
    record: str | None = None

    @classmethod
    def of_record(
        cls, view: View, *, publication: str | None = None, app_id: str | None = None, given: Scope = EVERYTHING
    ) -> Publication:
        """The publication that is recorded with a view, to be watched.

        Args:
            view: the view.
            publication: its name; None: the only one.
            app_id: the application that it must be of; None: any.
            given: what is to be looked at in place of the recorded bounds.

        Raises:
            InvalidInputError: as ``publish`` without rules.
        """
        recorded = recorded_publication(view, publication, app_id)
        PublishRequest.by_record(view, publication=recorded.publication, candidates=given.candidates)
        is_unnamed = recorded.publication == NO_APPLICATION
        return cls(
            str(view.identifier),
            [recorded.read_rule()],
            "" if is_unnamed else recorded.publication,
            given.candidates,
            given.since,
            given.until,
            None if recorded.published_by == NO_APPLICATION else recorded.published_by,
            record=recorded.publication,
            expected=recorded.expected,
        )

    def __post_init__(self) -> None:
        object.__setattr__(self, "view", str(TableIdentifier.of(self.view)))
        object.__setattr__(self, "name", self.name or self.view)
        all_of(*self.rules)
        checked_number(self.max_fingerprints)
        object.__setattr__(self, "notify", receivers_of(self.notify))
        if not isinstance(self.strict, bool) and not self.strict:
            raise InvalidInputError("strict must be true, false, or values of partition columns; it is empty.")

    def as_run(self, app_id: str | None, run_version: int | None) -> Publication:
        """This publication in a run of this application and version; without an application there is no version."""
        app_id = app_id or self.app_id
        if run_version is None or app_id is None:
            run_version = self.run_version
        return replace(self, app_id=app_id, run_version=run_version)

    def notifying(self, more: Notify, token: str | None) -> Publication:
        """This publication with more receivers; URLs without a token get this one."""
        receivers = receivers_of((*receivers_of(self.notify), *receivers_of(more)))
        return replace(self, notify=tuple(replace(one, token=one.token or token) for one in receivers))

    def request(self, *, dry_run: bool = False, is_run: bool = True) -> PublishRequest:
        """What a run of this publication is asked to do; raises as ``PublishRequest.of``.

        Without ``is_run`` it publishes for its application, but is no run of it.
        """
        own = {
            one.name: getattr(self, one.name) for one in fields(self) if one.name in PublishOptions.__optional_keys__
        }
        own |= {"publication": self.name if self.name != self.view else None, "dry_run": dry_run}
        if not is_run or (self.this_run is not None and self.run_version is None):
            own |= {"app_id": None, "run_version": None}
        request = PublishRequest.of(self.view, *self.rules, **cast("PublishOptions", own))
        if self.this_run is not None:
            request = replace(request, scope=self.this_run, within=self.within)
        return replace(request, published_by=published_by(self.app_id))

    def request_in_watch(self, view: View) -> PublishRequest:
        """What a round of ``watch`` is asked to do: the rules of a record may have been recorded anew since the last.
        InvalidInputError as ``PublishRequest.by_record``.
        """
        if self.record is None:
            return self.request(is_run=False)
        return PublishRequest.by_record(
            view,
            publication=self.record,
            candidates=self.candidates,
            since=self.since,
            until=self.until,
            retract=self.retract,
            metastore_only=self.metastore_only,
            max_fingerprints=self.max_fingerprints,
            notify=self.notify,
        )

    @property
    def scope(self) -> Scope:
        """The partitions that the publication looks at."""
        return Scope.of(self.candidates, self.since, self.until)


KeysOf = Callable[[str], Sequence[Column]]
"""The partition columns of a view."""

# What bounds are compared as, by what they look like most; types of one order have one that stands for them.
_READINGS = ("decimal(38,18)", "bigint", "date", "timestamp", "string")


def check_publications(publications: Sequence[Publication], keys_of: KeysOf | None = None) -> None:
    """Refuse publications of which one would undo, hide or overrule another.

    Two of one view must be separated by their bounds or by their candidates: otherwise one declares what the other
    keeps waiting. They also need different names and applications, since the second run of one version does nothing.
    Nor may publications require each other's views in a circle.

    Args:
        publications: all that are carried out together.
        keys_of: asked where bounds are apart as one type and not as another: 9 is before 10 as a number, and after it
            as a text. Without it, such bounds pass.

    Raises:
        InvalidInputError: two exclude each other, or an application has no version; nothing was looked at.
    """
    for number, one in enumerate(publications, start=1):
        _refuse_half_a_run(number, one)
    by_view: dict[str, list[tuple[int, Publication]]] = {}
    for number, one in enumerate(publications, start=1):
        by_view.setdefault(one.view, []).append((number, one))
    for same in by_view.values():
        for (first, one), (second, other) in itertools.combinations(same, 2):
            _refuse_contradiction(f"Publications {first} and {second} both publish {one.view}", one, other, keys_of)
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
    """Those with one of these names, or of views with these names; all if there are none. InvalidInputError: nothing
    has the name.
    """
    names = list(names)
    known = {name for one in publications for name in (one.name, one.view)}
    for name in names:
        if name not in known:
            raise InvalidInputError(f"There is no publication {name!r}. {did_you_mean(name, known)}")
    return [one for one in publications if not names or one.name in names or one.view in names]


def with_overrides(publications: Sequence[Publication], one: Publication, given: Scope) -> Publication:
    """One of the publications, in a run that looks at other partitions than it does, as for a backfill.

    The run declares them for the application of the publication, also without a version. If others of the publications
    are of the same view, it may not leave the bounds of this one.
    """
    is_alone = not any(other.view == one.view for other in publications if other is not one)
    return replace(one, this_run=one.scope.overridden(given), within=None if is_alone else one.scope)


def in_waves(publications: Sequence[Publication]) -> list[list[Publication]]:
    """Groups that may run at once, each after those whose views it requires. InvalidInputError: they wait for each
    other in a circle.
    """
    waves: list[list[Publication]] = []
    left = list(publications)
    while left:
        coming = {one.view for one in left}
        wave = [one for one in left if not (_required(one) - {one.view}) & coming]
        if not wave:
            names = ", ".join(one.name for one in left)
            raise InvalidInputError(f"Circular dependency: the publications {names} require each other's views.")
        waves.append(wave)
        done = {id(one) for one in wave}
        left = [one for one in left if id(one) not in done]
    return waves


def _required(publication: Publication) -> set[str]:
    asked = (required for rule in publication.rules for required in rule.requirements())
    return {named.name for required in asked for named in required.tables()}


def _refuse_half_a_run(number: int, one: Publication) -> None:
    if one.this_run is not None and one.run_version is None:
        return
    try:
        run_of(one.app_id, one.run_version)
    except InvalidInputError as error:
        raise InvalidInputError(f"Publication {number} ({one.name}): {error}") from error


def _refuse_contradiction(both: str, one: Publication, other: Publication, keys_of: KeysOf | None) -> None:
    if not _apart(one, other, keys_of):
        raise InvalidInputError(
            f"{both} and may judge the same partitions differently. Give one `until` and the other a later `since`, as "
            f"values of the column's type, or write one publication with the rules of both.",
            identifier=one.view,
        )
    if one.app_id is not None and one.app_id == other.app_id:
        raise InvalidInputError(
            f"{both} for the application {one.app_id!r}, and the second run of a version does nothing. Give each an "
            f"app_id of its own.",
            identifier=one.view,
        )


def _apart(one: Publication, other: Publication, keys_of: KeysOf | None) -> bool:
    """Whether no partition is looked at by both; without the view's columns, as far as values show their type."""
    if one.candidates is not None and other.candidates is not None:
        mine, others = ({_comparable(spec) for spec in both.candidates or ()} for both in (one, other))
        return not mine & others
    found = (_are_apart_as(type_, one, other) for type_ in _READINGS)
    readings = [is_apart for is_apart in found if is_apart is not None]
    if not readings or not readings[0] or all(readings) or keys_of is None:
        return bool(readings and readings[0])
    types = {key.name.lower(): key.type for key in keys_of(one.view)}
    # A column that the view does not have fails the run.
    return all(
        _are_apart_as(type_, one, other) is not False for name, type_ in types.items() if name in _columns_of(one)
    )


def _columns_of(one: Publication) -> set[str]:
    return {str(name).lower() for bound in (one.since, one.until) for name in bound or ()}


def _are_apart_as(type_: str, one: Publication, other: Publication) -> bool | None:
    """Whether their bounds are apart in a column of this type; None where they are no values of it."""
    try:
        return _ends_before(one.until, other.since, type_) or _ends_before(other.until, one.since, type_)
    except InvalidPartitionError:
        return None


def _ends_before(until: Spec | None, since: Spec | None, type_: str) -> bool:
    if not until or not since:
        return False
    end, start = ({str(name).lower(): value for name, value in bound.items()} for bound in (until, since))
    # Several columns are compared in the view's order, which is unknown here.
    if len(end) != 1 or end.keys() != start.keys():
        return False
    [(name, last)], [first] = end.items(), start.values()
    last_value, first_value = (typed_value(normalise_value(one, type_, key=name), type_) for one in (last, first))
    return last_value < first_value  # type: ignore[operator]  # of one type


def _comparable(spec: Spec) -> tuple[tuple[str, Any], ...]:
    """The values by column: what any type of column takes for one value is one."""
    texts = {str(name).lower(): str(value) for name, value in spec.items()}
    return tuple((name, _as_any_type(text)) for name, text in sorted(texts.items()))


def _as_any_type(text: str) -> object:
    for type_ in ("decimal(38,18)", "timestamp"):
        with suppress(InvalidPartitionError):
            return typed_value(normalise_value(text, type_, key="value"), type_)
    return text.rstrip(" ").lower()
