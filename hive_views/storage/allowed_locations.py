"""Which locations a server may use for its clients.

A client of a server gives locations as texts, and the server opens them with its own credentials. fsspec opens far more
than lakes: web addresses, archives, other storages behind a chain of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

from hive_views.errors import InvalidInputError
from hive_views.storage.locations import OF_HOSTS, is_uri, normalised_location, split_location

# What Hadoop and Iceberg have file systems for; and fsspec's own, of this process alone. Not webhdfs, which makes a web
# address of any host.
_STORES = frozenset(
    (
        *("abfs", "abfss", "adl", "az", "cosn", "file", "gcs", "gs", "hdfs", "memory", "o3fs", "obs", "oci", "ofs"),
        *("oss", "s3", "s3a", "s3n", "viewfs", "wasb", "wasbs"),
    )
)
# What begins a URI of the others: a bucket of the store that the server is configured for, if it is this and no more.
_BUCKET = re.compile(r"[A-Za-z0-9_$-]+")
_DOTTED_BUCKET = re.compile(r"[A-Za-z0-9_.-]+")
_WITH_DOTS = ("gcs", "gs", "memory", "s3")
_WEB = ("http", "https")


class AllowedLocations:
    """The locations that may be used.

    Args:
        directories: these, and everything in them. Without any, all locations on the storages of lakes; those that a
            client names only on hosts that the server has from others.

    Raises:
        InvalidInputError: one is no URI, or a web address.
    """

    def __init__(self, directories: Sequence[str] = ()) -> None:
        self._given = tuple(directories)
        self._directories = tuple(normalised_location(one) for one in directories)
        if "" in self._directories:
            refused = self._given[self._directories.index("")]
            raise InvalidInputError(
                f"Cannot allow {refused!r}: give a URI or an absolute path, such as s3://lake/views."
            )
        for given, plain in zip(self._given, self._directories, strict=True):
            if plain.partition(":")[0] in _WEB:
                raise InvalidInputError(
                    f"Cannot allow {given!r}: the files of views are on a storage, such as s3://lake/views or "
                    f"webhdfs://namenode:9870/views, not on a web server."
                )

    def check_redirect(self, response: Any, **_: object) -> None:
        """Refuse redirects of HTTP to other hosts; a hook of requests.

        Raises:
            InvalidInputError: it redirects to a host that no allowed location names.
        """
        target = response.headers.get("Location", "")
        # To requests a back-slash ends the name of a host, to urlsplit it is part of it.
        host = target if "\\" in target else urlsplit(target).hostname
        if host and host not in {urlsplit(one).hostname for one in self._given}:
            response.close()
            raise InvalidInputError(
                f"Cannot follow {response.url.partition('?')[0]} to {host}: this server only "
                f"uses {', '.join(self._given)} (--allowed-location)."
            )

    def check(self, location: str) -> None:
        """
        Raises:
            InvalidInputError: the location is not allowed.
        """
        plain = normalised_location(location)
        if not location.startswith("/") and not is_uri(location):
            raise InvalidInputError(f"Cannot use {location}: it is relative. Give a URI.", location=location)
        if not self._directories:
            if not plain or plain.partition(":")[0] not in _STORES:
                raise InvalidInputError(
                    f"Cannot use {location}: this server only accepts HDFS, object storage and local disks. "
                    f"Allow other storage when it is started (--allowed-location).",
                    location=location,
                )
        elif not any(plain == one or plain.startswith(f"{one}/") for one in self._directories):
            raise InvalidInputError(
                f"Cannot use {location}: this server only uses {', '.join(self._given)} (--allowed-location).",
                location=location,
            )

    def check_named(self, location: str, own: Callable[[], Iterable[str]]) -> None:
        """As ``check``, for a location that a client names: it must not choose a host or an account.

        Args:
            own: gives locations that the server does not have from its clients.

        Raises:
            InvalidInputError: the location is not allowed.
        """
        self.check(location)
        host = None if self._directories else _host(location)
        if host and host not in map(_host, own()):
            raise InvalidInputError(
                f"Cannot use {location}: neither the warehouse of this server nor the namespace is on {host}. Where "
                f"clients may name it, start the server with it and with all else that it uses (--allowed-location).",
                location=location,
            )


def _host(location: str) -> str:
    """The host or account that a location names; nothing where it is on what the server is configured for."""
    scheme, authority, _ = split_location(location)
    if scheme in OF_HOSTS:
        return authority
    is_bucket = (_DOTTED_BUCKET if scheme in _WITH_DOTS else _BUCKET).fullmatch(authority)
    return "" if is_bucket else authority.rpartition("@")[2]
