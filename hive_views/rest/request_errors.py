"""The HTTP status of each error of the library, with the error types of Iceberg's REST specification.

To an Iceberg client any 5xx of a write means that its outcome is unknown, and it reads the view again. So a write that
certainly failed is never 5xx here, and one whose outcome is unknown always is.
"""

from __future__ import annotations

from dataclasses import dataclass

from hive_views.errors import (
    AlreadyExistsError,
    CommitFailedError,
    CommitStateUnknownError,
    CorruptMetadataError,
    HiveViewsError,
    InvalidInputError,
    NamespaceNotEmptyError,
    NoSuchIcebergViewError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NoSuchVersionError,
    NoSuchViewError,
    NotFoundError,
    PartitionColumnsError,
    PermissionDeniedError,
    ReplacedViewError,
    TableAlreadyExistsError,
    UnavailableError,
    UnsupportedFeatureError,
    ViewAlreadyExistsError,
)

# Some messages repeat what a client has sent, which may be megabytes.
_LONGEST = 4000
_LOCK_MAY_STAY = (
    " The lock of this attempt may stay until the metastore lets it expire (hive.txn.timeout, five minutes by "
    "default); until then a write of the same name waits as long as the setting lock-timeout-s says, and may fail with "
    "409."
)


@dataclass(eq=False)
class RequestError(Exception):
    """A response that is not a success: its status, the name that Iceberg gives the error, and a text for people.

    ``closes`` the connection where what follows on it may not be a request.
    """

    status: int
    type: str
    message: str
    closes: bool = False

    def document(self) -> dict[str, object]:
        message = self.message if len(self.message) <= _LONGEST else f"{self.message[:_LONGEST]}..."
        return {"error": {"message": message, "type": self.type, "code": self.status}}


def bad_request(message: str, *, closes: bool = False) -> RequestError:
    """The error for a request that cannot be read."""
    return RequestError(400, "BadRequestException", message, closes)


@dataclass(frozen=True)
class _Rule:
    """``iceberg_message`` comes before the library's own: clients and their tests look for it."""

    kind: type[HiveViewsError]
    status: int
    type: str
    iceberg_message: str = ""


_RULES = (
    _Rule(ReplacedViewError, 409, "CommitFailedException"),
    _Rule(NoSuchIcebergViewError, 404, "NoSuchViewException", "View does not exist: {about}. "),
    _Rule(NoSuchViewError, 404, "NoSuchViewException", "View does not exist: {about}. "),
    _Rule(NoSuchTableError, 404, "NoSuchTableException", "Table does not exist: {about}. "),
    _Rule(NoSuchNamespaceError, 404, "NoSuchNamespaceException", "Namespace does not exist: {namespace}. "),
    _Rule(NoSuchVersionError, 400, "IllegalArgumentException"),
    _Rule(NotFoundError, 404, "NotFoundException"),
    _Rule(ViewAlreadyExistsError, 409, "AlreadyExistsException", "View already exists: {about}. "),
    _Rule(TableAlreadyExistsError, 409, "AlreadyExistsException", "Table with same name already exists: {about}. "),
    _Rule(AlreadyExistsError, 409, "AlreadyExistsException"),
    _Rule(NamespaceNotEmptyError, 409, "NamespaceNotEmptyException"),
    _Rule(CommitFailedError, 409, "CommitFailedException"),
    _Rule(PartitionColumnsError, 409, "CommitFailedException"),
    _Rule(InvalidInputError, 400, "IllegalArgumentException"),
    _Rule(UnsupportedFeatureError, 406, "UnsupportedOperationException"),
    _Rule(CorruptMetadataError, 422, "UnprocessableEntityException"),
    _Rule(CommitStateUnknownError, 500, "CommitStateUnknownException"),
)


def failure_of(error: HiveViewsError, *, writes: bool, about: str, namespace: str) -> RequestError:
    """The response for an error.

    Args:
        error: what was raised.
        writes: whether the request was to change something.
        about: the name that the request was about, ``sales.daily``.
        namespace: the namespace that it was about.
    """
    message = error.shell_message
    if isinstance(error, PermissionDeniedError):
        return RequestError(403, "ForbiddenException", message)
    if isinstance(error, UnavailableError):
        if writes:
            return RequestError(424, "FailedDependencyException", f"{message} This attempt changed nothing.")
        return RequestError(503, "ServiceUnavailableException", message)
    rule = next((rule for rule in _RULES if isinstance(error, rule.kind)), None)
    if rule is None:
        return bad_request(message) if writes else RequestError(500, "InternalServerError", message)
    message = rule.iceberg_message.format(about=error.identifier or about, namespace=namespace) + message
    # Namespaces have no locks.
    if isinstance(error, CommitStateUnknownError) and "." in about:
        message += _LOCK_MAY_STAY
    return RequestError(rule.status, rule.type, message)
