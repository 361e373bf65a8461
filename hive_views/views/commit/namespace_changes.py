"""Changes of namespaces, each sent once, and their outcomes.

A server's answer proves nothing: Hive calls listeners after its transaction, and an exception in one of them becomes
the answer. So after any failure of a request that was sent, the namespace is read back; if that does not show the
outcome either, it is unknown. A metastore cannot compare before it alters: of two concurrent changes, the last one
wins.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial

from hive_views.errors import (
    AlreadyExistsError,
    CommitStateUnknownError,
    HiveViewsError,
    InvalidInputError,
    NoSuchNamespaceError,
    PermissionDeniedError,
    UnavailableError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import COMMENT, NamespaceRow
from hive_views.metastore.port import Namespaces
from hive_views.persisted import CREATED_WITH, OWN_PREFIX
from hive_views.views.commit.verdict import Found, Verdict, settled

LOCATION = "location"
OWNER = "hive.metastore.database.owner"
"""Properties that are no parameters of a database, beside the comment; as Iceberg's HiveCatalog calls them."""

# What else a server answers, it says before it changes anything.
_UNCLEAR = (UnavailableError, UnsupportedFeatureError)

_Judge = Callable[[NamespaceRow | None], Found]


def properties_of(row: NamespaceRow) -> dict[str, str]:
    """What a namespace is, with all that users may know."""
    own = {LOCATION: row.location, OWNER: row.owner, COMMENT: row.comment}
    shown = {key: value for key, value in row.parameters.items() if not key.startswith(OWN_PREFIX)}
    return {**shown, **{key: value for key, value in own.items() if value}}


def row_with(name: str, properties: Mapping[str, str]) -> NamespaceRow:
    """A namespace of these properties.

    Raises:
        InvalidInputError: the name of a property is reserved.
    """
    _check_names(properties)
    owner, comment = properties.get(OWNER) or None, properties.get(COMMENT)
    return NamespaceRow(name, properties.get(LOCATION) or None, owner, comment, _parameters(properties))


def check_update(updates: Mapping[str, str], removals: Collection[str]) -> None:
    """
    Raises:
        InvalidInputError: these properties cannot be set or removed, whatever the namespace is.
    """
    if LOCATION in removals or LOCATION in updates:
        raise InvalidInputError("Cannot change the location of a namespace: its tables and views stay where they are.")
    if OWNER in removals or not updates.get(OWNER, "somebody"):
        raise InvalidInputError("Cannot remove the owner of a namespace: give it another one.")
    _check_names([*removals, *updates])


def updated(row: NamespaceRow, updates: Mapping[str, str], removals: Collection[str]) -> NamespaceRow:
    """A namespace with some properties set and others removed."""
    parameters = {**row.parameters, **_parameters(updates)}
    return replace(
        row,
        owner=updates.get(OWNER, row.owner),
        comment=None if COMMENT in removals else updates.get(COMMENT, row.comment),
        parameters={key: value for key, value in parameters.items() if key not in removals},
    )


def _check_names(keys: Iterable[str]) -> None:
    reserved = next((key for key in keys if key.startswith(OWN_PREFIX)), None)
    if reserved:
        raise InvalidInputError(
            f"Cannot use the property {reserved!r}: names that start with {OWN_PREFIX} are reserved."
        )


def _parameters(properties: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in properties.items() if key not in (LOCATION, OWNER, COMMENT)}


def create(metastore: Namespaces, wanted: NamespaceRow, request: str | None = None) -> None:
    """Create a namespace; without a location, where the metastore puts it.

    Args:
        metastore: where.
        wanted: the namespace.
        request: what the request is known by when it is sent again.

    Raises:
        AlreadyExistsError: there is one, which this request has not created.
        CommitStateUnknownError: it may have been created, or may still be.
    """
    parameters = {**wanted.parameters, CREATED_WITH: request} if request else wanted.parameters

    def send() -> None:
        metastore.create_namespace(
            wanted.name, wanted.location, owner=wanted.owner, comment=wanted.comment, parameters=parameters
        )

    def judge(found: NamespaceRow | None) -> Found:
        if found is None:
            return Found.NOT_OURS
        # Without a request, one that is there may be somebody else's.
        return Found.OURS if request and found.parameters.get(CREATED_WITH) == request else Found.UNREADABLE

    try:
        _sent(metastore, wanted.name, send, judge)
    except AlreadyExistsError:
        with suppress(HiveViewsError):
            if _looked(metastore, wanted.name, judge)[0] is Found.OURS:
                return
        raise


def alter(metastore: Namespaces, before: NamespaceRow, wanted: NamespaceRow) -> None:
    """Replace the owner, the comment and the parameters of a namespace.

    Args:
        metastore: where.
        before: as it was found.
        wanted: the same with others.

    Raises:
        NoSuchNamespaceError: there is none.
        UnsupportedFeatureError: the metastore cannot change the comment.
        CommitStateUnknownError: it may have been changed, or may still be.
    """

    def judge(found: NamespaceRow | None) -> Found:
        return Found.OURS if found == wanted else Found.NOT_OURS if found == before else Found.UNREADABLE

    _sent(metastore, wanted.name, lambda: metastore.alter_namespace(wanted), judge)


def drop(metastore: Namespaces, namespace: str) -> None:
    """Drop an empty namespace.

    Raises:
        NoSuchNamespaceError: there is none.
        NamespaceNotEmptyError: there is something in it.
        CommitStateUnknownError: it may still be dropped.
    """

    def judge(found: NamespaceRow | None) -> Found:
        return Found.OURS if found is None else Found.NOT_OURS

    _sent(metastore, namespace, lambda: metastore.drop_namespace(namespace), judge)


def _sent(metastore: Namespaces, namespace: str, send: Callable[[], None], judge: _Judge) -> None:
    """Send a change once.

    Args:
        metastore: where.
        namespace: which.
        send: sends it.
        judge: what the namespace as it is found then, if it is, shows.
    """
    try:
        send()
    except _UNCLEAR as failure:
        unreadable = partial(_unreadable, failure)
        verdict = settled(failure, lambda: _looked(metastore, namespace, judge), unreadable).verdict
        if verdict is Verdict.APPLIED:
            return
        if verdict is Verdict.NOT_APPLIED:
            raise
        raise CommitStateUnknownError(
            f"It is unknown whether namespace {namespace} was changed. Check it. {failure}", answer=failure.answer
        ) from failure


def _looked(metastore: Namespaces, namespace: str, judge: _Judge) -> tuple[Found, NamespaceRow | None]:
    try:
        found = metastore.load_namespace(namespace)
    except NoSuchNamespaceError:
        return judge(None), None
    return judge(found), found


def _unreadable(failure: HiveViewsError, error: HiveViewsError) -> Found:
    # A metastore asks for permissions before it changes anything.
    is_denied = isinstance(failure, PermissionDeniedError) and isinstance(error, PermissionDeniedError)
    return Found.NOT_OURS if is_denied else Found.UNREADABLE
