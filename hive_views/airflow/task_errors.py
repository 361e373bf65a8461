"""Errors of the library as Airflow treats them: trying again does not help where the call itself is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from airflow.sdk.exceptions import AirflowFailException

from hive_views.errors import (
    AuthenticationError,
    InvalidInputError,
    PermissionDeniedError,
    UnavailableError,
    UnsupportedFeatureError,
)


@contextmanager
def no_retry_of_invalid_calls() -> Iterator[None]:
    """Fail a task at once, whatever retries it has, if its arguments are invalid or cannot be carried out."""
    try:
        yield
    except (InvalidInputError, UnsupportedFeatureError) as error:
        raise AirflowFailException(str(error)) from error


def is_outage(error: Exception) -> bool:
    """Whether the metastore may answer later, without anybody doing anything about the call or its credentials."""
    return isinstance(error, UnavailableError) and not isinstance(error, (AuthenticationError, PermissionDeniedError))
