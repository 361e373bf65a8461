"""Hive, by HiveServer2."""

from __future__ import annotations

import getpass
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hive_views.errors import SQLSyntaxError, UnavailableError, UnsupportedFeatureError
from hive_views.project.engines.address import EngineAddress
from hive_views.project.engines.engine_protocol import EngineColumn, QueryRefusedError
from hive_views.sql.expand import as_in_row
from hive_views.sql.query import QueryText
from hive_views.sql.text_edits import Edit, edited

_PLACE = re.compile(r"\b[Ll]ine (\d+):(\d+) ")
_REFUSED = re.compile(r"FAILED: (?:\w*SemanticException|ParseException) (.*)", re.DOTALL)
_POLL_S = 0.05
# Of these the protocol says the name only.
_WITHOUT_PARTS = ("ARRAY", "MAP", "STRUCT", "UNION", "VARCHAR", "CHAR", "TIMESTAMPLOCALTZ", "USER")


class HiveEngine:
    """HiveServer2 in one session."""

    name = "Hive"
    dialects: tuple[str, ...] = ("hive",)
    catalogs: tuple[str, ...] = ()
    reads_translated = False
    takes_with_in_subqueries = False

    def __init__(self, cursor: Any, address: EngineAddress, timeout_s: float) -> None:
        self._cursor, self._address, self._timeout_s = cursor, address, timeout_s

    def columns(self, query: QueryText) -> tuple[EngineColumn, ...]:
        """As ``Engine`` says."""
        row_text = query
        with suppress(SQLSyntaxError):  # Hive says what is wrong
            # As readers get it from the row, where names that are keywords of Hive are in backticks.
            row_text = QueryText(as_in_row(query), query.dialect)
        try:
            self._ask(_without_rows(row_text))
            return tuple(_column(one) for one in self._cursor.description or ())
        except QueryRefusedError as refused:
            try:
                self._ask(f"EXPLAIN {query}", prefix=len("EXPLAIN "))  # for the place in the text as typed
            except QueryRefusedError as placed:
                # It may also have mistakes that the text in the row has not.
                raise (placed if str(placed) == str(refused) else QueryRefusedError(str(refused))) from None
            # Two columns of one name are no mistake, unless the query is a subquery.
            if query.output_names is None:
                raise
            names = enumerate(query.output_names)
            return tuple(EngineColumn(name or f"_c{number}", None) for number, name in names)

    def _ask(self, statement: str, prefix: int = 0) -> None:
        from impala.error import Error as HiveError  # noqa: PLC0415 - an optional package
        from thrift.Thrift import TException  # noqa: PLC0415 - comes with it

        deadline = time.monotonic() + self._timeout_s
        try:
            self._cursor.execute_async(statement)
            while self._cursor.is_executing():
                if time.monotonic() > deadline:
                    self._cursor.cancel_operation()
                    raise UnavailableError(f"Hive did not analyze it in {self._timeout_s:.0f} s.")
                time.sleep(_POLL_S)
            self._cursor.fetchall()
        except (HiveError, TException, OSError) as error:
            message = self._address.without_password(str(error))
            refused = _REFUSED.search(message)
            if refused is None:
                raise UnavailableError(f"Hive failed: {message}") from error
            reason, place = refused[1].strip(), _PLACE.search(refused[1])
            line, column = (int(place[1]), int(place[2]) + 1) if place else (None, None)
            if column is not None and line == 1:
                column = max(column - prefix, 1)
            raise QueryRefusedError(_PLACE.sub("", reason).splitlines()[0], line, column) from error


def _without_rows(query: QueryText) -> str:
    """The query in another with LIMIT 0; in front stays its WITH, which Hive does not take in a subquery."""
    try:
        outline = query.outline
    except SQLSyntaxError:
        return f"SELECT * FROM (\n{query}\n) `q` LIMIT 0"  # noqa: S608 - the query is what is asked about
    body = [Edit(outline.body, outline.body, "SELECT * FROM (")]
    brackets = [Edit(one, one + 1, "") for one in outline.brackets]
    return f"{edited(outline.text, [*brackets, *body])}\n) `q` LIMIT 0"


def _column(described: tuple[Any, ...]) -> EngineColumn:
    name, type_ = str(described[0]).rpartition(".")[2], str(described[1])
    if type_ == "DECIMAL":
        return EngineColumn(name, f"decimal({described[4]},{described[5]})")
    return EngineColumn(name, None if type_ in _WITHOUT_PARTS else type_.lower())


@contextmanager
def hive_at(address: EngineAddress, timeout_s: float) -> Iterator[HiveEngine]:
    """HiveServer2 at an address.

    Raises:
        UnsupportedFeatureError: its client is missing.
        UnavailableError: it does not answer, or refuses the user.
    """
    try:
        from impala import dbapi  # noqa: PLC0415 - an optional package
        from impala.error import Error as HiveError  # noqa: PLC0415 - likewise
        from thrift.Thrift import TException  # noqa: PLC0415 - comes with it
    except ImportError as error:
        raise UnsupportedFeatureError(
            f"HiveServer2 is reached with impyla, which cannot be imported ({error}). "
            f"Install it with: pip install 'hive_views[hive]'"
        ) from error
    mechanism = {"nosasl": "NOSASL", "plain": "PLAIN", "ldap": "LDAP", "kerberos": "GSSAPI"}[address.auth]
    try:
        connection = dbapi.connect(
            host=address.host,
            port=address.port,
            timeout=timeout_s,
            use_ssl=address.tls,
            ca_cert=address.ca_cert,
            verify_cert=True,
            auth_mechanism=mechanism,
            user=address.user or getpass.getuser(),
            password=address.password or "",
            kerberos_service_name=address.kerberos_service_name,
            use_http_transport=address.http_path is not None,
            http_path=address.http_path or "",
        )
        try:
            cursor = connection.cursor()
        except BaseException:
            connection.close()
            raise
    except (HiveError, TException, OSError, ValueError) as error:
        raise UnavailableError(
            f"HiveServer2 at {address.host}:{address.port} does not answer with auth={address.auth}"
            f"{' and TLS' if address.tls else ''}: {address.without_password(str(error))}"
        ) from error
    try:
        yield HiveEngine(cursor, address, timeout_s)
    finally:
        cursor.close()
        connection.close()
