"""Hive, by HiveServer2."""

from __future__ import annotations

import getpass
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hive_views.engines.address import EngineAddress
from hive_views.engines.engine_protocol import EngineColumn, QueryRefusedError, Rows, RowsWanted
from hive_views.engines.engine_values import NESTED, Reader, reader_of
from hive_views.errors import SQLSyntaxError, UnavailableError, UnsupportedFeatureError
from hive_views.hive.types import HiveType
from hive_views.sql.expand import as_in_row
from hive_views.sql.query import QueryText
from hive_views.sql.text_edits import Edit, edited

_PLACE = re.compile(r"\b[Ll]ine (\d+):(\d+) ")
_REFUSED = re.compile(r"FAILED: (?:\w*SemanticException|ParseException) (.*)", re.DOTALL)
_POLL_S = 0.05
_TEXTS = ("string", "varchar", "char")
# Of these the protocol says the name only.
_WITHOUT_PARTS = ("ARRAY", "MAP", "STRUCT", "UNION", "VARCHAR", "CHAR", "TIMESTAMPLOCALTZ", "USER")


class HiveEngine:
    """HiveServer2 in one session."""

    name = "Hive"
    dialect = "hive"
    dialects: tuple[str, ...] = ("hive",)
    catalogs: tuple[str, ...] = ()
    reads_translated = False
    takes_with_in_subqueries = False

    def __init__(self, cursor: Any, address: EngineAddress, timeout_s: float) -> None:
        self._cursor, self._address, self._timeout_s = cursor, address, timeout_s

    def version(self) -> str | None:
        """As ``Engine`` says."""
        try:
            return str(self._ask("SELECT version()")[0][0]).split(" ", 1)[0]
        except QueryRefusedError:
            return None

    def columns(self, query: QueryText) -> tuple[EngineColumn, ...]:
        """As ``Engine`` says."""
        try:
            self._ask(_around(query, "SELECT * FROM (", "\n) `q` LIMIT 0"))
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

    def rows(self, query: QueryText, wanted: RowsWanted) -> Rows:
        """As ``Engine`` says; its times are in the time zone of the server."""
        nested = [name for name, one in zip(wanted.names, wanted.types, strict=True) if one.name in NESTED]
        if nested:
            raise UnsupportedFeatureError(
                f"Cannot compare rows of column {nested[0]}: Hive returns arrays, maps and structs as texts, in which "
                f"NULL and other values are the same. Verify a text without it, or the columns only."
            )
        names = [f"`{name.replace('`', '``')}`" for name in wanted.names]
        sent = ", ".join(_sent(name, one) for name, one in zip(names, wanted.types, strict=True))
        order = ", ".join(f"{names[at]} ASC NULLS FIRST" for at in wanted.order)
        before = f"SELECT {sent} FROM (SELECT * FROM ("  # noqa: S608 - names of columns in backticks
        found = self._ask(_around(query, before, f"\n) `q` ORDER BY {order} LIMIT {wanted.limit}) `r`"))
        readers = [_reader(one) for one in wanted.types]
        return tuple(tuple(read(value) for read, value in zip(readers, row, strict=True)) for row in found)

    def _ask(self, statement: str, prefix: int = 0) -> list[Any]:
        from impala.error import Error as HiveError  # noqa: PLC0415 - an optional package
        from thrift.Thrift import TException  # noqa: PLC0415 - comes with it

        deadline = time.monotonic() + self._timeout_s
        try:
            self._cursor.execute_async(statement)
            while self._cursor.is_executing():
                if time.monotonic() > deadline:
                    self._cursor.cancel_operation()
                    raise UnavailableError(f"Hive did not answer in {self._timeout_s:.0f} s.")
                time.sleep(_POLL_S)
            return list(self._cursor.fetchall())
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


def _around(query: QueryText, before: str, after: str) -> str:
    """The query in another one; in front stays its WITH, which Hive does not take in a subquery."""
    read = query
    with suppress(SQLSyntaxError):  # Hive says what is wrong
        # As readers get it from the row, where names that are keywords of Hive are in backticks.
        read = QueryText(as_in_row(query), query.dialect)
    try:
        outline = read.outline
    except SQLSyntaxError:
        return f"{before}\n{read}{after}"
    body = [Edit(outline.body, outline.body, before)]
    brackets = [Edit(one, one + 1, "") for one in outline.brackets]
    return f"{edited(outline.text, [*brackets, *body])}{after}"


def _sent(column: str, type_: HiveType) -> str:
    """How the values of a column are asked for: jobs write lines of text, in which texts need a form of their own."""
    if type_.name == "binary":
        return f"hex({column})"
    return f"hex(CAST({column} AS string))" if type_.name in _TEXTS else f"CAST({column} AS string)"


def _reader(type_: HiveType) -> Reader:
    read = reader_of(type_)
    if type_.name == "binary":
        return lambda value: read(None if value is None else bytes.fromhex(value))
    if type_.name in _TEXTS:
        return lambda value: read(None if value is None else bytes.fromhex(value).decode("utf-8", "surrogateescape"))
    return read


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
