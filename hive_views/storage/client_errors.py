"""Errors of storage clients as errors of this library: the kind of failure, where, and which setting to check."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hive_views.errors import StorageFailure, StorageUnavailableError
from hive_views.messages.credentials import hide_credentials, hide_credentials_of
from hive_views.storage.object_stores import ObjectStore, container_of, is_s3, object_store_of, options_at

# Codes of S3 and Azure, as in their lists of error responses; GCS has HTTP's alone.
_CODES = {
    **dict.fromkeys(("NoSuchBucket", "ContainerNotFound", "ContainerBeingDeleted"), StorageFailure.NO_CONTAINER),
    **dict.fromkeys(
        (
            *("ExpiredToken", "ExpiredTokenException", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId"),
            *("SignatureDoesNotMatch", "AuthorizationHeaderMalformed", "RequestTimeTooSkewed", "RequestExpired"),
            *("InvalidAuthenticationInfo", "AuthenticationFailed", "NoAuthenticationInformation"),
        ),
        StorageFailure.CREDENTIALS,
    ),
    **dict.fromkeys(
        (
            *("AccessDenied", "AllAccessDisabled", "AccountProblem", "AuthorizationFailure"),
            *("AuthorizationPermissionMismatch", "InsufficientAccountPermissions"),
        ),
        StorageFailure.FORBIDDEN,
    ),
    **dict.fromkeys(
        ("SlowDown", "ServerBusy", "RequestLimitExceeded", "TooManyRequests", "Throttling", "ThrottlingException"),
        StorageFailure.THROTTLED,
    ),
    **dict.fromkeys(("PermanentRedirect", "TemporaryRedirect", "301", "307", "308"), StorageFailure.UNREACHABLE),
    "IncompleteBody": StorageFailure.CUT_SHORT,
    # An expired token, where the answer has no body (HEAD).
    "400": StorageFailure.CREDENTIALS,
}
_STATUSES = {
    401: StorageFailure.CREDENTIALS,
    403: StorageFailure.FORBIDDEN,
    407: StorageFailure.CREDENTIALS,
    **dict.fromkeys((429, 500, 502, 503, 504), StorageFailure.THROTTLED),
}
# Of each package, which is optional, what it raises; a class below one of these is as it, unless it is named itself.
_CLASSES_OF: Mapping[str, Mapping[StorageFailure, Sequence[str]]] = {
    "botocore": {
        StorageFailure.CREDENTIALS: (
            *("NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError", "ProfileNotFound"),
            *("TokenRetrievalError", "SSOTokenLoadError", "UnauthorizedSSOTokenError"),
        ),
        StorageFailure.CUT_SHORT: (
            *("IncompleteReadError", "ResponseStreamingError", "ChecksumError", "FlexibleChecksumError"),
        ),
        StorageFailure.UNREACHABLE: ("ConnectionError", "HTTPClientError"),
    },
    "aiohttp": {
        StorageFailure.CUT_SHORT: ("ClientPayloadError",),
        StorageFailure.UNREACHABLE: ("ClientConnectionError",),
    },
    "azure": {
        StorageFailure.CREDENTIALS: ("ClientAuthenticationError",),
        StorageFailure.CUT_SHORT: ("IncompleteReadError",),
        StorageFailure.UNREACHABLE: ("ServiceRequestError", "ServiceResponseError"),
    },
    "google": {
        StorageFailure.CREDENTIALS: ("DefaultCredentialsError", "RefreshError"),
        StorageFailure.UNREACHABLE: ("TransportError",),
    },
    "gcsfs": {StorageFailure.CUT_SHORT: ("ChecksumError",)},
    "requests": {
        StorageFailure.CUT_SHORT: ("ChunkedEncodingError",),
        StorageFailure.UNREACHABLE: ("ConnectionError", "Timeout"),
    },
}
_CLASSES = {
    (package, name): failure
    for package, failures in _CLASSES_OF.items()
    for failure, names in failures.items()
    for name in names
}

# On S3 whoever may not list is not told that a file is missing.
_OF_FILES_THAT_MAY_BE_MISSING = ("read", "look for", "look at")

_SAID = {
    StorageFailure.NO_CONTAINER: "there is no {where}",
    StorageFailure.CREDENTIALS: "{where} rejected the credentials, or none are set",
    StorageFailure.FORBIDDEN: "{where} denied access",
    StorageFailure.THROTTLED: "{where} is throttling requests, or out of service",
    StorageFailure.UNREACHABLE: "{where} cannot be reached",
    StorageFailure.CUT_SHORT: "the response of {where} was cut short",
}


def unavailable(
    verb: str,
    location: str,
    error: BaseException,
    options: Mapping[str, Any] | None = None,
    *,
    failure: StorageFailure | None = None,
) -> StorageUnavailableError:
    """The error of this library for one of a client.

    Args:
        verb: what was tried, ``read``.
        options: of fsspec, which say the endpoint; none of their secrets is repeated.
        failure: what is known of it beside what the client says.
    """
    failure, store = failure or failure_of(error), object_store_of(location)
    given = options_at(location, options or {})
    # Azure's client adds the document that the server sent.
    text = hide_credentials_of(location, str(error).partition("\nContent: ")[0]) or type(error).__name__
    message = f"Cannot {verb} {location}: {text}."
    if store is not None and failure is not StorageFailure.OTHER:
        endpoint = store.endpoint(given)
        where = f"{store.container} {container_of(location)}{f' at {hide_credentials(endpoint)}' if endpoint else ''}"
        message = f"Cannot {verb} {location}: {_said(failure, text, where)} {_advice(failure, store, given)}"
        if failure is StorageFailure.FORBIDDEN and verb in _OF_FILES_THAT_MAY_BE_MISSING and is_s3(store):
            message += " Without permission to list (s3:ListBucket), S3 says this of a file that does not exist, too."
    return StorageUnavailableError(message, location=location, failure=failure)


def is_without_container(error: BaseException) -> bool:
    """Whether the client says that there is no such bucket, where it may have called it a missing file."""
    return failure_of(error) is StorageFailure.NO_CONTAINER


def is_without_file(error: BaseException) -> bool:
    """Whether the client says that the file alone is missing."""
    return any(_code(one) in ("BlobNotFound", "NoSuchKey") for one in _chain(error))


def is_conflict(error: BaseException) -> bool:
    """Whether S3 refuses a new file for another one of the name that is just being written; its advice is to repeat."""
    return any(_code(one) == "ConditionalRequestConflict" for one in _chain(error))


def failure_of(error: BaseException) -> StorageFailure:
    """The kind of failure that an exception of a client, or one that it was raised from, reports."""
    chain = tuple(_chain(error))
    by_code = (_CODES[code] for one in chain if (code := _code(one)) in _CODES)
    by_class = (failure for one in chain for kind in type(one).__mro__ if (failure := _CLASSES.get(_name_of(kind))))
    by_status = (_STATUSES[status] for one in chain if (status := _status(one)) in _STATUSES)
    by_python = (failure for one in chain if (failure := _of_python(one)))
    return next((found for each in (by_code, by_class, by_status, by_python) for found in each), StorageFailure.OTHER)


def _name_of(kind: type) -> tuple[str, str]:
    return kind.__module__.partition(".")[0], kind.__name__


def _of_python(error: BaseException) -> StorageFailure | None:
    if isinstance(error, PermissionError):
        return StorageFailure.FORBIDDEN
    # A refused name of a host is an OSError as any other, and gcsfs has no class for 403.
    if isinstance(error, ConnectionError | TimeoutError | asyncio.TimeoutError) or type(error).__name__ == "gaierror":
        return StorageFailure.UNREACHABLE
    if isinstance(error, RecursionError):
        # botocore asks for the region of a bucket after a redirect, which a server that redirects all redirects too.
        return StorageFailure.UNREACHABLE
    if isinstance(error, OSError) and str(error).startswith("Forbidden: "):
        return StorageFailure.FORBIDDEN
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _code(error: BaseException) -> str | None:
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):
        return str((response.get("Error") or {}).get("Code"))
    code = getattr(error, "error_code", None)
    # Azure's client has an enumeration of them.
    return None if code is None else str(getattr(code, "value", code))


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):
        return (response.get("ResponseMetadata") or {}).get("HTTPStatusCode")
    found = getattr(error, "status_code", None) or getattr(error, "code", None)
    return found if isinstance(found, int) else None


def _said(failure: StorageFailure, text: str, where: str) -> str:
    return f"{_SAID[failure].format(where=where)} ({' '.join(text.split()).rstrip('.')})."


def _advice(failure: StorageFailure, store: ObjectStore, options: Mapping[str, Any]) -> str:
    if failure is StorageFailure.THROTTLED:
        return "Try again later, or with fewer requests at once."
    if failure is StorageFailure.CUT_SHORT:
        return "The incomplete response was discarded. Try again."
    variables, option = " or ".join(store.endpoint_variables), store.endpoint_options[0]
    address = f"{variables} in the environment, {option} in storage_options"
    if failure is StorageFailure.NO_CONTAINER:
        return f"A {store.container} is never created here: check its name and the endpoint ({address})."
    if failure is StorageFailure.UNREACHABLE:
        return f"Check the network and the endpoint ({address})."
    if given := store.credentials_from(options):
        return f"The credentials come from {', '.join(given)}."
    return (
        f"Neither {', '.join(store.access_variables[:4])} in the environment nor {', '.join(store.access_options[:3])} "
        f"in storage_options is set, so that the client looks in its own files and asks the machine."
    )
