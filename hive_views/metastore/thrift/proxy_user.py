"""Acting for another user: a proxy user, as Hadoop calls it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from thrift.transport.TTransport import TTransportBase

from hive_views.errors import Answer, AuthenticationError, HiveViewsError, InvalidInputError, PermissionDeniedError
from hive_views.fork_safe_lock import ForkSafeLock
from hive_views.metastore.thrift.auth import Auth, Kerberos, NoAuth, open_by_ticket, open_by_token
from hive_views.metastore.thrift.failures import ANSWERS, WIRE_FAILURES, Call, text_of, translate
from hive_views.metastore.thrift.hadoop_tokens import TOKEN_FILE, Token, decode

_WHY = "The metastore's log says why."
_REFUSED = re.compile(r"User: (?P<user>\S+) is not allowed to impersonate|for super-user: (?P<other>\S+) from")


class _Connection(Protocol):
    @property
    def endpoint(self) -> Any: ...

    @property
    def sent(self) -> bool: ...

    def ask(self, method: str, arguments: Sequence[Any]) -> Any: ...

    def close(self) -> None: ...


_Opened_co = TypeVar("_Opened_co", bound=_Connection, covariant=True)


class _Opens(Protocol[_Opened_co]):
    def __call__(self, *, auth: Auth) -> _Opened_co: ...


def acting_for(auth: Auth, proxy_user: str) -> Auth:
    """The authentication by which a connection acts for another user.

    Raises:
        InvalidInputError: a metastore knows no proxy users with this kind of authentication, or the name is empty.
    """
    if not proxy_user.strip():
        raise InvalidInputError("The name of a proxy user must not be empty.")
    if isinstance(auth, NoAuth):
        return replace(auth, user=proxy_user, groups=())
    if isinstance(auth, Kerberos):
        return KerberosProxy(auth, proxy_user)
    raise InvalidInputError(
        f"Cannot act for {proxy_user!r} with {type(auth).__name__}: a metastore permits proxy users with Kerberos, and "
        f"without authentication. Use one of these (auth), or leave out proxy_user (the variable HADOOP_PROXY_USER "
        f"too) and use the credentials of {proxy_user!r}."
    )


class KerberosProxy:
    """Another user, by a delegation token that is requested with our own ticket, as Hive's own client does it.

    One token serves all connections, until a metastore refuses it because it has expired, or because the metastore
    was restarted and keeps its tokens in memory; then another one is requested.
    """

    ugi = None

    def __init__(self, kerberos: Kerberos, user: str) -> None:
        self._ticket = _ByTicket(kerberos)
        self._user = user
        self._token: Token | None = None
        self._requesting = ForkSafeLock()

    def open(self, wire: TTransportBase, host: str) -> TTransportBase:
        """As ``Auth.open``, with the token that there is."""
        if self._token is None:
            raise AuthenticationError(f"There is no delegation token of {self._user!r} yet.")
        return open_by_token(wire, host, self._token, "that was requested for a proxy user,", _WHY)

    def connect(self, open_connection: _Opens[_Opened_co]) -> _Opened_co:
        """The connection for the other user, which a function opens with an authentication.

        Raises:
            PermissionDeniedError: the metastore does not permit us to act for that user.
            AuthenticationError: there is no ticket.
            MetastoreUnavailableError: as the function.
        """
        token = self._token
        if token is not None:
            try:
                return open_connection(auth=self)
            except AuthenticationError:
                # Why does not matter: if it is something else, the ticket will be refused too.
                pass
        with self._requesting:
            if self._token is token:
                self._token = self._request(open_connection(auth=self._ticket))
        return open_connection(auth=self)

    def _request(self, connection: _Connection) -> Token:
        try:
            return decode(connection.ask("get_delegation_token", (self._user, self._user)))
        except (*ANSWERS, *WIRE_FAILURES) as error:
            raise self._failure_of(error, connection) from error
        finally:
            connection.close()

    def _failure_of(self, error: Exception, connection: _Connection) -> HiveViewsError:
        refused = _REFUSED.search(text_of(error))
        if refused is None:
            return translate(error, Call("get_delegation_token", self._user), sent=connection.sent)
        us = re.split("[/@]", refused["user"] or refused["other"])[0]
        return PermissionDeniedError(
            f"The metastore at {connection.endpoint} does not permit us to act for {self._user!r}: "
            f"{text_of(error).rstrip('. ')}. Its core-site.xml permits it by hadoop.proxyuser.{us}.hosts (the hosts "
            f"that we come from) and hadoop.proxyuser.{us}.groups, or .users (for whom we may act).",
            answer=Answer.NOT_SENT,
            server=str(connection.endpoint),
            server_text=text_of(error),
        )


@dataclass(frozen=True)
class _ByTicket:
    """Kerberos by a ticket alone: tokens that are requested by tokens would outlive every ticket."""

    kerberos: Kerberos
    ugi = None

    def open(self, wire: TTransportBase, host: str) -> TTransportBase:
        hint = " A delegation token is not enough to act for a proxy user." if TOKEN_FILE in os.environ else ""
        return open_by_ticket(self.kerberos, wire, host, hint)
