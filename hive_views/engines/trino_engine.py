"""Trino, over its own protocol."""

from __future__ import annotations

import getpass
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from hive_views.engines.address import EngineAddress
from hive_views.engines.engine_protocol import EngineColumn, QueryRefusedError, Rows, RowsWanted
from hive_views.engines.engine_values import reader_of
from hive_views.errors import InvalidInputError, InvalidSchemaError, UnavailableError, UnsupportedFeatureError
from hive_views.sql import parser
from hive_views.sql.query import QueryText
from hive_views.views.row.trino_types import hive_of_trino

_PLACE = re.compile(r"^line \d+:\d+: ")
# The text begins on the second line, so that its columns are its own. Nothing is read: LIMIT 0 is planned as no rows.
_WRAPPED = "SELECT * FROM (\n{query}\n) {order} LIMIT {limit}"
# Errors of the user's that say nothing about the text.
_NOT_OF_TEXT = ("PERMISSION_DENIED", "EXCEEDED_TIME_LIMIT", "USER_CANCELED")


class TrinoEngine:
    """Trino; names resolve in the catalog of its address."""

    name = "Trino"
    dialect = "trino"
    dialects: tuple[str, ...] = ("trino",)
    reads_translated = True
    takes_with_in_subqueries = True

    def __init__(self, connection: Any, address: EngineAddress) -> None:
        self._connection, self._address = connection, address
        self.catalogs: tuple[str, ...] = (str(address.catalog).lower(), "hive")

    def version(self) -> str | None:
        """As ``Engine`` says."""
        try:
            return str(self._ask("SELECT version()")[0][0][0])
        except QueryRefusedError:
            return None

    def columns(self, query: QueryText) -> tuple[EngineColumn, ...]:
        """As ``Engine`` says."""
        _, described = self._ask(_wrapped(query, "", 0))
        return tuple(EngineColumn(one[0], _hive_type(one[0], one[1])) for one in described)

    def rows(self, query: QueryText, wanted: RowsWanted) -> Rows:
        """As ``Engine`` says; in the time zone UTC."""
        order = ", ".join(f"{at + 1} ASC NULLS FIRST" for at in wanted.order)
        found, _ = self._ask(_wrapped(query, f"ORDER BY {order}" if order else "", wanted.limit))
        readers = [reader_of(one) for one in wanted.types]
        return tuple(tuple(read(value) for read, value in zip(readers, row, strict=True)) for row in found)

    def _ask(self, statement: str) -> tuple[list[Any], list[Any]]:
        """Rows as the protocol has them, and what it says of the columns."""
        import requests  # noqa: PLC0415 - what Trino's client is made of
        from trino import exceptions  # noqa: PLC0415 - an optional package

        # Not made Python's, whose times do not hold all of Trino's.
        cursor = self._connection.cursor(legacy_primitive_types=True)
        try:
            cursor.execute(statement)
            return cursor.fetchall(), cursor.description
        except exceptions.TrinoUserError as error:
            message = self._address.without_password(str(error.message))
            if error.error_name in _NOT_OF_TEXT:
                raise UnavailableError(f"Trino did not answer: {message}") from error
            line, column = error.error_location or (None, None)
            raise QueryRefusedError(_PLACE.sub("", message), line and max(line - 1, 1), column) from error
        except (exceptions.Error, exceptions.HttpError, requests.RequestException) as error:
            reason = getattr(error, "message", None) or str(error)
            raise UnavailableError(f"Trino failed: {self._address.without_password(reason)}") from error


def _wrapped(query: QueryText, order: str, limit: int) -> str:
    return _WRAPPED.format(query=str(query).rstrip().rstrip(";"), order=order, limit=limit)


def _hive_type(column: str, type_: str) -> str:
    try:
        return hive_of_trino(type_, column=column)
    except InvalidSchemaError:
        return type_


def _session(ca_cert: str | None) -> Any:
    """A session that trusts the given certificates, even where REQUESTS_CA_BUNDLE names others."""
    import requests  # noqa: PLC0415 - what Trino's client is made of

    session = requests.Session()
    if ca_cert is None:
        return session
    merge = session.merge_environment_settings

    def merged(url: Any, proxies: Any, stream: Any, verify: Any, cert: Any) -> Any:
        return {**merge(url, proxies, stream, verify, cert), "verify": ca_cert}

    session.merge_environment_settings = merged  # type: ignore[method-assign]
    return session


@contextmanager
def trino_at(address: EngineAddress, timeout_s: float) -> Iterator[TrinoEngine]:
    """Trino at an address.

    Raises:
        UnsupportedFeatureError: its client is missing.
        InvalidInputError: it has no such catalog.
        UnavailableError: it does not answer, or refuses the user.
    """
    try:
        from trino import auth, dbapi  # noqa: PLC0415 - an optional package
    except ImportError as error:
        raise UnsupportedFeatureError(
            f"Trino is reached with its Python client, which cannot be imported ({error}). "
            f"Install it with: pip install 'hive_views[trino]'"
        ) from error
    user = address.user or getpass.getuser()
    connection = closing(
        dbapi.Connection(
            host=address.host,
            port=address.port,
            user=user,
            catalog=address.catalog,
            http_scheme="https" if address.tls else "http",
            auth=auth.BasicAuthentication(user, address.password) if address.password else None,
            http_session=_session(address.ca_cert),
            source="hive-views",
            timezone="UTC",
            request_timeout=timeout_s,
            max_attempts=1,
            session_properties={"query_max_run_time": f"{timeout_s:.0f}s"},
        )
    )
    with connection as opened:
        engine = TrinoEngine(opened, address)
        # What is wrong with the server or its catalog is told once, and not of each text.
        catalog = parser.quoted_name(str(address.catalog), "trino")
        try:
            engine.columns(QueryText(f"SELECT 1 FROM {catalog}.information_schema.schemata", "trino"))  # noqa: S608
        except QueryRefusedError as error:
            raise InvalidInputError(f"Trino cannot use the catalog {address.catalog}: {error}") from error
        yield engine
