"""The options with which ``deltalake`` opens a storage that fsspec knows.

What is not given here, ``object_store`` takes from where the clouds' own clients do: environment, instance metadata.
The variables AZURE_STORAGE_CONNECTION_STRING and STORAGE_EMULATOR_HOST it does not know.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hive_views.errors import UnsupportedFeatureError
from hive_views.storage.object_stores import object_store_of, options_at

_S3 = {
    "key": "AWS_ACCESS_KEY_ID",
    "secret": "AWS_SECRET_ACCESS_KEY",
    "token": "AWS_SESSION_TOKEN",
    "endpoint_url": "AWS_ENDPOINT_URL",
    "region_name": "AWS_REGION",
    "anon": "AWS_SKIP_SIGNATURE",
}
# To gcsfs, these are where to look for credentials, and both look there without them.
_GOOGLE_LOOKS = (None, "google_default", "cloud")
_AZURE = {
    "account_name": "AZURE_STORAGE_ACCOUNT_NAME",
    "account_key": "AZURE_STORAGE_ACCOUNT_KEY",
    "sas_token": "AZURE_STORAGE_SAS_TOKEN",
    "tenant_id": "AZURE_STORAGE_TENANT_ID",
    "client_id": "AZURE_STORAGE_CLIENT_ID",
    "client_secret": "AZURE_STORAGE_CLIENT_SECRET",
    "anon": "AZURE_SKIP_SIGNATURE",
}
_IN_CONNECTION_STRING = {
    "AccountName": "AZURE_STORAGE_ACCOUNT_NAME",
    "AccountKey": "AZURE_STORAGE_ACCOUNT_KEY",
    "SharedAccessSignature": "AZURE_STORAGE_SAS_TOKEN",
    "BlobEndpoint": "AZURE_STORAGE_ENDPOINT",
}
_NAMES = {"s3": _S3, "s3a": _S3, "az": _AZURE, "abfs": _AZURE, "abfss": _AZURE}
# It does not know the first, and has another client, with other options, for the second.
_SCHEMES = {"s3n": "s3a", "gcs": "gs"}


def object_store_uri(location: str) -> str:
    """A location as ``object_store`` knows it."""
    if location.startswith("file:/") and not location.startswith("file://"):
        # Hadoop writes local URIs with one slash.
        return f"file://{location.removeprefix('file:')}"
    scheme, separator, rest = location.partition("://")
    return f"{_SCHEMES.get(scheme, scheme)}{separator}{rest}"


def object_store_options(location: str, options: Mapping[str, Any]) -> dict[str, str]:
    """The options of fsspec that have a counterpart; those without one are left out.

    Raises:
        UnsupportedFeatureError: the credentials for Google's storage are of a kind that only fsspec can use.
    """
    scheme = object_store_uri(location).partition("://")[0]
    options = options_at(location, options)
    given = {**(options.get("client_kwargs") or {}), **options}
    if scheme == "gs":
        return _of_google(location, given)
    names = _NAMES.get(scheme, {})
    translated = {name: _text(given[key]) for key, name in names.items() if given.get(key) not in (None, "", False)}
    if names is _AZURE:
        translated |= _of_connection_string(given)
    if translated.get("AWS_ENDPOINT_URL", "").startswith("http://"):
        translated["AWS_ALLOW_HTTP"] = "true"
    if translated.get("AZURE_STORAGE_ENDPOINT", "").startswith("http://"):
        translated["allow_http"] = "true"
    return translated


def _of_google(location: str, options: Mapping[str, Any]) -> dict[str, str]:
    store, credentials = object_store_of(location), options.get("token")
    endpoint = store.endpoint(options) if store else None
    found: dict[str, str] = {}
    if endpoint:
        # As gcsfs does with the variable of emulators.
        found["GOOGLE_BASE_URL"] = endpoint if "://" in endpoint else f"http://{endpoint}"
        if found["GOOGLE_BASE_URL"].startswith("http://"):
            found["allow_http"] = "true"
    if credentials == "anon" or (credentials is None and endpoint == os.environ.get("STORAGE_EMULATOR_HOST", "")):
        return {**found, "GOOGLE_SKIP_SIGNATURE": "true"}
    if isinstance(credentials, Mapping):
        return {**found, "GOOGLE_SERVICE_ACCOUNT_KEY": json.dumps(dict(credentials))}
    if isinstance(credentials, str) and Path(credentials).is_file():
        return {**found, "GOOGLE_SERVICE_ACCOUNT": credentials}
    if credentials not in _GOOGLE_LOOKS:
        raise UnsupportedFeatureError(
            f"Cannot read the Delta table at {location} with the token in storage_options: deltalake takes the key of "
            f"a service account, as a file or a mapping, or looks for credentials if there is no token."
        )
    return found


def _of_connection_string(options: Mapping[str, Any]) -> dict[str, str]:
    """What Azure's connection string says, which to its own client goes before all else."""
    text = str(options.get("connection_string") or os.environ.get("AZURE_STORAGE_CONNECTION_STRING", ""))
    said = dict(part.split("=", 1) for part in text.split(";") if "=" in part)
    return {name: said[key].rstrip("/;") for key, name in _IN_CONNECTION_STRING.items() if said.get(key)}


def _text(value: object) -> str:
    return "true" if value is True else str(value)
