"""What one run of publishing is asked to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hive_views.base_tables.port import BaseTable
from hive_views.errors import InvalidInputError
from hive_views.persisted import OWN_PREFIX
from hive_views.publishing.directory_contents import ListDirectories
from hive_views.publishing.directory_contents import list_directories as list_locally
from hive_views.publishing.ledger.fencing import Run, published_by, run_of
from hive_views.publishing.ledger.recorded_rules import MAX_NAME
from hive_views.publishing.scope import EVERYTHING, Scope
from hive_views.readiness.rules import Rule, all_of
from hive_views.views.catalog import Identifier
from hive_views.views.partitions.view_partitions import Spec, check_parameters

MAX_FINGERPRINTS = 50_000
"""Of how many base partitions a run reads fingerprints at most, unless it is told otherwise.

A first run may declare years: the objects of so many partitions take a metastore some ten seconds.
"""


@dataclass(frozen=True)
class PublishRequest:
    """The arguments of one call of ``publish``, which explains them.

    Attributes:
        view: ``"namespace.name"`` of a partitioned view.
        rule: when a partition is ready.
        scope: which partitions are looked at.
        run: the run of an application that this is, where it is one.
        publication: what the rules are recorded as; None: by the application.
        list_directories: what lists the directories of base partitions; None: nothing does.
    """

    view: Identifier
    rule: Rule
    scope: Scope
    run: Run | None
    publication: str | None
    parameters: Mapping[str, str]
    base_tables: Mapping[str, BaseTable] | None
    retract: bool
    max_fingerprints: int
    list_directories: ListDirectories | None
    dry_run: bool

    @classmethod
    def of(
        cls,
        identifier: Identifier,
        *rules: Rule,
        candidates: Iterable[Spec] | None = None,
        since: Spec | None = None,
        until: Spec | None = None,
        dry_run: bool = False,
        app_id: str | None = None,
        run_version: int | None = None,
        publication: str | None = None,
        parameters: Mapping[str, str] | None = None,
        base_tables: Mapping[str, BaseTable] | None = None,
        retract: bool = False,
        fingerprints: bool = True,
        metastore_only: bool = False,
        max_fingerprints: int = MAX_FINGERPRINTS,
        list_directories: ListDirectories = list_locally,
    ) -> PublishRequest:
        """The request of a call with these arguments, which ``publish`` explains.

        Raises:
            InvalidInputError: there is no rule, half a run, a parameter with a name of ours, a publication whose name
                cannot be recorded, or a number of fingerprints below 0.
            InvalidPartitionError: a parameter that not every metastore can store.
        """
        return cls(
            identifier,
            all_of(*rules),
            Scope.of(candidates, since, until),
            run_of(app_id, run_version),
            checked_name(publication),
            checked_parameters(parameters),
            base_tables,
            retract,
            checked_number(max_fingerprints) if fingerprints else 0,
            None if metastore_only else list_directories,
            dry_run,
        )

    @property
    def published_by(self) -> str:
        """What the partitions that it declares say in ``hive-views.published-by``."""
        return published_by(self.run.app_id if self.run else None)

    @property
    def scope_to_read(self) -> Scope:
        """What base tables are read for; what is to be retracted is decided by all that they hold."""
        return EVERYTHING if self.retract else self.scope


def checked_name(publication: str | None) -> str | None:
    """The name of a publication; None where it has none.

    Raises:
        InvalidInputError: it is no text of 1 to 200 characters.
    """
    if publication is not None and (not isinstance(publication, str) or not 0 < len(publication) <= MAX_NAME):
        raise InvalidInputError(
            f"Cannot use {str(publication)[:80]!r} as the name of a publication: it is a text of 1 to {MAX_NAME} "
            f"characters."
        )
    return publication


def checked_number(max_fingerprints: int) -> int:
    """Of how many base partitions a run reads fingerprints.

    Raises:
        InvalidInputError: it is no whole number from 0.
    """
    if not isinstance(max_fingerprints, int) or isinstance(max_fingerprints, bool) or max_fingerprints < 0:
        raise InvalidInputError(f"Cannot read {max_fingerprints!r} fingerprints: it is a whole number from 0.")
    return max_fingerprints


def checked_parameters(parameters: Mapping[str, str] | None) -> Mapping[str, str]:
    """A user's parameters of partitions.

    Raises:
        InvalidInputError: a name is one of ours.
        InvalidPartitionError: not every metastore can store one.
    """
    check_parameters(parameters or {})
    for key in parameters or {}:
        if key.startswith(OWN_PREFIX):
            raise InvalidInputError(
                f"Cannot set the partition parameter {key!r}: names starting with {OWN_PREFIX} are ours.", key=key
            )
    return parameters or {}
