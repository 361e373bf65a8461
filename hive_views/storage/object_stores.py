"""Object stores: their protocols, and the variables and options that configure their clients."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hive_views.storage.locations import is_within

# Beside the keys.
_ENDPOINT_IN_CONNECTION_STRING = re.compile(r"(?:^|;)BlobEndpoint=([^;]+)")


@dataclass(frozen=True)
class ObjectStore:
    """One kind of object store.

    Attributes:
        container: what it calls the first part of a path.
        access_variables: variables of the environment that its client takes credentials from.
        endpoint_variables: those that it takes the address of the server from, the first that is set.
        access_options: the same as keys of ``storage_options``.
        endpoint_options: the same as keys of ``storage_options``.
    """

    container: str
    access_variables: tuple[str, ...]
    endpoint_variables: tuple[str, ...]
    access_options: tuple[str, ...]
    endpoint_options: tuple[str, ...]

    def endpoint(self, options: Mapping[str, Any]) -> str | None:
        """The server that the client is configured for; None for that of the cloud."""
        given = {**(options.get("client_kwargs") or {}), **options}
        found = [given.get(name) for name in self.endpoint_options]
        found += [os.environ.get(name) for name in self.endpoint_variables]
        connection = given.get("connection_string") or os.environ.get("AZURE_STORAGE_CONNECTION_STRING", "")
        if "AZURE_STORAGE_CONNECTION_STRING" in self.access_variables:
            found += _ENDPOINT_IN_CONNECTION_STRING.findall(str(connection))
        return next((str(one) for one in found if one), None)

    def credentials_from(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """The names of the variables and options for credentials that are set; never their values, which are secret."""
        return _given(self.access_variables, self.access_options, options)

    def configured_by(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """As ``credentials_from``, and those that the address of the server comes from."""
        return self.credentials_from(options) + _given(self.endpoint_variables, self.endpoint_options, options)


def _given(variables: Iterable[str], names: Iterable[str], options: Mapping[str, Any]) -> tuple[str, ...]:
    given = {**(options.get("client_kwargs") or {}), **options}
    named = (f"storage_options.{name}" for name in names if given.get(name))
    return (*(name for name in variables if os.environ.get(name)), *named)


_S3 = ObjectStore(
    "bucket",
    (
        *("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
        *("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"),
    ),
    ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
    ("key", "secret", "token", "profile", "anon"),
    ("endpoint_url",),
)
_GCS = ObjectStore(
    "bucket",
    ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT"),
    ("STORAGE_EMULATOR_HOST",),
    ("token", "project"),
    ("endpoint_url",),
)
_AZURE = ObjectStore(
    "container",
    (
        *("AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY"),
        *("AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_CLIENT_ID", "AZURE_STORAGE_CLIENT_SECRET"),
        *("AZURE_STORAGE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID"),
    ),
    ("AZURE_STORAGE_ACCOUNT_HOST",),
    (
        *("connection_string", "account_name", "account_key", "sas_token", "credential", "anon"),
        *("client_id", "client_secret", "tenant_id"),
    ),
    ("account_host",),
)
_BY_PROTOCOL = {
    **dict.fromkeys(("s3", "s3a", "s3n"), _S3),
    **dict.fromkeys(("gs", "gcs"), _GCS),
    **dict.fromkeys(("abfs", "abfss", "az", "wasb", "wasbs"), _AZURE),
}


def object_store_of(location: str) -> ObjectStore | None:
    """The kind of object store that a location is on; None for a file system with directories."""
    return _BY_PROTOCOL.get(location.partition(":")[0].lower())


def is_s3(store: ObjectStore) -> bool:
    """Whether it is S3, or one that speaks as S3 does."""
    return store is _S3


def options_at(location: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the client for a location.

    A mapping under the name of a scheme (``s3``) or under a location (``s3://lake``) has the options for what is there,
    and those alone: clients refuse options of others, or take them for their own. The rest is for everything else.
    """
    own = {name: one for name, one in options.items() if isinstance(one, Mapping) and _is_place(name)}
    here = [name for name in own if _is_at(location, name)]
    if here:
        return dict(own[max(here, key=len)])
    return {name: one for name, one in options.items() if name not in own}


def _is_place(name: str) -> bool:
    return "://" in name or name in _BY_PROTOCOL


def _is_at(location: str, place: str) -> bool:
    if "://" in place:
        return is_within(f"{location}/file", place)
    return object_store_of(location) is _BY_PROTOCOL[place]


def container_of(location: str) -> str:
    """The bucket or container of a location on an object store, without the account."""
    return location.partition("://")[2].partition("/")[0].partition("@")[0]
