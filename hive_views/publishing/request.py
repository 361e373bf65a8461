"""What a call of ``publish`` or ``plan_publish`` is asked to do: its options, checked once, and passed on whole."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypedDict

from typing_extensions import Unpack

from hive_views.base_tables.port import BaseTable
from hive_views.errors import InvalidInputError
from hive_views.messages.remedy import Remedy
from hive_views.persisted import OWN_PREFIX
from hive_views.publishing.directory_contents import ListDirectories, list_directories
from hive_views.publishing.ledger.choosing import recorded_publication
from hive_views.publishing.ledger.fencing import NO_APPLICATION, Run, published_by, run_of
from hive_views.publishing.ledger.recorded_rules import GIVE_RULES, MAX_NAME, recorded_rules
from hive_views.publishing.notifying.receivers import Notify, Receiver, receivers_of
from hive_views.publishing.scope import EVERYTHING, Scope
from hive_views.readiness.expectation import Expectation
from hive_views.readiness.rules import Rule, all_of
from hive_views.spec.identifiers import Identifier
from hive_views.views.partitions.view_partitions import Spec, check_parameters
from hive_views.views.view import View

MAX_FINGERPRINTS = 50_000
"""Of how many base partitions a run reads fingerprints at most, unless it is told otherwise.

A first run may declare years: the objects of so many partitions take a metastore some ten seconds.
"""


class RevalidateOptions(TypedDict, total=False):
    """The keyword arguments of ``revalidate``, which explains them."""

    candidates: Iterable[Spec] | None
    since: Spec | None
    until: Spec | None
    base_tables: Mapping[str, BaseTable] | None
    metastore_only: bool
    list_directories: ListDirectories


class PlanOptions(RevalidateOptions, total=False):
    """The keyword arguments of ``plan_publish``; ``publish`` explains them."""

    retract: bool
    fingerprints: bool
    max_fingerprints: int
    app_id: str | None
    expected: Expectation | None


class PublishOptions(PlanOptions, total=False):
    """The keyword arguments of ``publish``, which explains them."""

    dry_run: bool
    run_version: int | None
    publication: str | None
    parameters: Mapping[str, str] | None
    notify: Notify


@dataclass(frozen=True)
class PublishRequest:
    """One call of ``publish`` or ``plan_publish``.

    Attributes:
        view: ``"namespace.name"`` of a partitioned view.
        rule: when a partition is ready.
        scope: which partitions are looked at.
        recorded_scope: those that the publication looks at, to be recorded with its rules; ``scope``, unless this run
            looks at others. None: nothing is recorded.
        within: the bounds outside of which a partition may be another publication's, and is refused; None: there are
            none.
        run: the run of an application that this is, where it is one.
        published_by: what the partitions that it declares say in ``hive-views.published-by``.
        publication: what the rules are recorded as; None: by the application.
        record_inputs: whether the plan says what each ready partition depends on.
        max_fingerprints: of how many base partitions fingerprints are read.
        list_directories: what lists the directories of base partitions; None: nothing does.
        receivers: who is told what was declared and retracted.
        expected: the partitions that have to be declared by now, whatever the tables hold; None: none.
    """

    view: Identifier
    rule: Rule
    scope: Scope
    recorded_scope: Scope | None
    within: Scope | None
    run: Run | None
    published_by: str
    publication: str | None
    parameters: Mapping[str, str]
    base_tables: Mapping[str, BaseTable] | None
    retract: bool
    record_inputs: bool
    max_fingerprints: int
    list_directories: ListDirectories | None
    dry_run: bool
    expected: Expectation | None
    receivers: tuple[Receiver, ...]

    @classmethod
    def of(cls, identifier: Identifier, *rules: Rule, **options: Unpack[PublishOptions]) -> PublishRequest:
        """The request of a call of ``publish`` with these arguments.

        Raises:
            InvalidInputError: there is no rule, half a run, a parameter with a name of ours, a publication whose name
                cannot be recorded, a number of fingerprints below 0, or nobody who can be notified.
            InvalidPartitionError: a parameter that not every metastore can store.
            TypeError: there is no such option.
        """
        refuse_unknown_options(options, PublishOptions.__optional_keys__)
        most = options.get("max_fingerprints", MAX_FINGERPRINTS) if options.get("fingerprints", True) else 0
        dry_run = options.get("dry_run", False)
        scope = scope_of(options)
        return cls(
            view=identifier,
            rule=all_of(*rules),
            scope=scope,
            recorded_scope=scope,
            within=None,
            run=run_of(options.get("app_id"), options.get("run_version")),
            published_by=published_by(options.get("app_id")),
            publication=checked_name(options.get("publication")),
            parameters=checked_parameters(options.get("parameters")),
            base_tables=options.get("base_tables"),
            retract=options.get("retract", False),
            record_inputs=not dry_run,
            max_fingerprints=checked_number(most),
            list_directories=lister_of(options),
            dry_run=dry_run,
            receivers=receivers_of(options.get("notify")),
            expected=options.get("expected"),
        )

    @classmethod
    def by_record(cls, view: View, **options: Unpack[PublishOptions]) -> PublishRequest:
        """The request of a call of ``publish`` without rules: by those that are recorded with the view.

        It records nothing. Its partitions are those of the recorded application, of which it is a run only with a
        version: then it is fenced as any other.

        Raises:
            InvalidInputError: as ``of`` and ``recorded_publication``; or the record is of given candidates, and there
                are none.
        """
        recorded = recorded_publication(view, options.get("publication"), options.pop("app_id", None))
        given = scope_of(options)
        if options.get("expected") is not None:
            raise InvalidInputError(
                f"What is expected of {view.identifier} is recorded with its rules, and they are not given.",
                remedy=GIVE_RULES,
                identifier=str(view.identifier),
            )
        options["expected"] = recorded.expected
        if recorded.candidates_given and given.candidates is None:
            raise InvalidInputError(
                f"Each run of the publication {recorded.publication} of {view.identifier} is given its partitions, so "
                f"it is unknown which to consider.",
                remedy=Remedy(in_python="Give candidates=[{...}].", in_shell="Give each with --partition."),
                identifier=str(view.identifier),
            )
        if options.get("run_version") is not None and recorded.published_by != NO_APPLICATION:
            options["app_id"] = recorded.published_by
        return replace(
            cls.of(view.identifier, recorded.read_rule(), **options),
            scope=recorded.scope.overridden(given),
            recorded_scope=None,
            within=recorded.scope if len(recorded_rules(view.metadata.properties)) > 1 else None,
            published_by=recorded.published_by,
            publication=recorded.publication,
        )

    @classmethod
    def of_plan(cls, identifier: Identifier, *rules: Rule, **options: Unpack[PlanOptions]) -> PublishRequest:
        """The request of a call of ``plan_publish``, which belongs to no run yet; raises as ``of``."""
        refuse_unknown_options(options, PlanOptions.__optional_keys__)
        app_id, record_inputs = options.pop("app_id", None), options.setdefault("fingerprints", False)
        request = cls.of(identifier, *rules, **options)
        return replace(request, published_by=published_by(app_id), record_inputs=record_inputs)

    @property
    def scope_to_read(self) -> Scope:
        """What base tables are read for; what is to be retracted is decided by all that they hold."""
        return EVERYTHING if self.retract else self.scope


def refuse_unknown_options(given: Collection[str], known: Collection[str]) -> None:
    """Raise a TypeError that names the nearest option, as Python does for arguments."""
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise TypeError(
                f"Got an unexpected keyword argument {name!r}.{f' Did you mean {near[0]!r}?' if near else ''}"
            )


def scope_of(options: RevalidateOptions) -> Scope:
    """The partitions that a call looks at."""
    return Scope.of(options.get("candidates"), options.get("since"), options.get("until"))


def lister_of(options: RevalidateOptions) -> ListDirectories | None:
    """What lists directories for a call; None where the metastore alone is asked."""
    return None if options.get("metastore_only") else options.get("list_directories", list_directories)


def checked_name(publication: str | None) -> str | None:
    """The name of a publication, if it has one. InvalidInputError: it is no text of 1 to 200 characters."""
    if publication is not None and (not isinstance(publication, str) or not 0 < len(publication) <= MAX_NAME):
        raise InvalidInputError(
            f"Cannot use {str(publication)[:80]!r} as the name of a publication: it must be a string of 1 to "
            f"{MAX_NAME} characters."
        )
    return publication


def checked_number(max_fingerprints: int) -> int:
    """The most base partitions that fingerprints are read of. InvalidInputError: it is no whole number from 0."""
    if not isinstance(max_fingerprints, int) or isinstance(max_fingerprints, bool) or max_fingerprints < 0:
        raise InvalidInputError(
            f"Cannot use max_fingerprints={max_fingerprints!r}: it must be a whole number, 0 or more."
        )
    return max_fingerprints


def checked_parameters(parameters: Mapping[str, str] | None) -> Mapping[str, str]:
    """A user's parameters of partitions. InvalidInputError: a name is reserved. InvalidPartitionError: not every
    metastore can store one.
    """
    check_parameters(parameters or {})
    for key in parameters or {}:
        if key.startswith(OWN_PREFIX):
            raise InvalidInputError(
                f"Cannot set the partition parameter {key!r}: names starting with {OWN_PREFIX} are reserved.", key=key
            )
    return parameters or {}
