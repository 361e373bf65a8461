"""Which error of the library is which status, in the words of Iceberg's REST specification.

To an Iceberg client any 5xx of a write means that nobody knows whether it was done, and it goes looking. So what
certainly was not done is never 5xx there, and what is not known always is.
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
    "default); until then a write of the same name waits for the setting lock-timeout-s, and may be 409."
)


@dataclass(eq=False)
class RequestError(Exception):
    """An answer that is no success: its status, the name that Iceberg gives the error, and a text for people.

    Where it ``closes`` the connection, what follows on it may be no request.
    """

    status: int
    type: str
    message: str
    closes: bool = False

    def document(self) -> dict[str, object]:
        message = self.message if len(self.message) <= _LONGEST else f"{self.message[:_LONGEST]}..."
        return {"error": {"message": message, "type": self.type, "code": self.status}}


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
    """The answer for an error.

    Args:
        error: what was raised.
        writes: whether the request was to change something.
        about: the name that the request was about, ``sales.daily``.
        namespace: the namespace that it was about.
    """
    if isinstance(error, UnavailableError):
        status, type_ = (424, "FailedDependencyException") if writes else (503, "ServiceUnavailableException")
        message = error.shell_message
        return RequestError(status, type_, f"{message} This attempt changed nothing." if writes else message)
    for rule in _RULES:
        if isinstance(error, rule.kind):
            iceberg_message = rule.iceberg_message.format(about=error.identifier or about, namespace=namespace)
            message = iceberg_message + error.shell_message
            # Namespaces have no locks.
            if isinstance(error, CommitStateUnknownError) and "." in about:
                message += _LOCK_MAY_STAY
            return RequestError(rule.status, rule.type, message)
    status = 400 if writes else 500
    return RequestError(status, "BadRequestException" if writes else "InternalServerError", error.shell_message)
