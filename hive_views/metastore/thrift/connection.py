"""Connections to a Hive Metastore: the Thrift client, a connection after its handshake, and the pool they share."""

from __future__ import annotations

import os
import ssl
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import tenacity
from hmsclient import HMSClient
from thrift.transport.TTransport import TBufferedTransport, TTransportException

from hive_views.errors import (
    Answer,
    AuthenticationError,
    CommitFailedError,
    HiveViewsError,
    MetastoreUnavailableError,
    PermissionDeniedError,
)
from hive_views.messages.remedy import Remedy
from hive_views.metastore.thrift._bindings.hms import HiveViewsMetastore
from hive_views.metastore.thrift.auth import TLS, Auth, advice_on
from hive_views.metastore.thrift.failures import ANSWERS, WIRE_FAILURES, Call, is_passing, result_of, text_of, translate
from hive_views.metastore.thrift.http_messages import HttpCredentialsError, HttpStatusError, checked
from hive_views.metastore.thrift.proxy_user import KerberosProxy
from hive_views.metastore.thrift.wire import (
    BINARY,
    WANTS_AUTHENTICATION,
    WANTS_TLS,
    Endpoint,
    MetastoreProtocol,
    MetastoreSocket,
    Timeouts,
    check_ways,
)

# More than these stay only as long as they are in use again and again: threads at work connect once each, and what a
# burst has left is closed soon after.
_KEPT_IDLE = 8
# A load balancer, an address translation or a firewall on the way forgets a connection that was silent for long, and
# most do so silently: what is sent next is lost, and of a write nobody knows whether it was. Their shortest usual
# time-outs are 30 to 60 s. A client at work is never silent for so long, and after a pause a round trip is nothing.
_FRESH_S = 10.0
_REFUSALS = (AuthenticationError, PermissionDeniedError)
_AUTHENTICATE = Remedy(
    in_python="Give auth=Kerberos() or auth=Plain(user, password).",
    in_shell="Use the setting auth = kerberos, or auth = plain with user and password.",
)
_USE_TLS = Remedy(in_python="Give tls=TLS(...).", in_shell="Use the setting tls = true.")
# A metastore that requires authentication may simply close the connection.
_AUTHENTICATE_DIFFERENTLY = Remedy(
    in_python="It may require Kerberos (auth=Kerberos()), a password (auth=Plain(user, password)) or TLS "
    "(tls=TLS(...), with cert_file= where it asks for a certificate), or not be a metastore.",
    in_shell="It may require Kerberos (setting auth = kerberos), a password (auth = plain, user and password) or TLS "
    "(tls = true, with tls_cert_file where it asks for a certificate), or not be a metastore.",
)
_CONNECT_DIFFERENTLY = Remedy.alike(
    "It may be a metastore without HTTP (write thrift://), or require TLS (write thrift+https://)."
)


class MetastoreClient(HiveViewsMetastore.Client, HMSClient):  # type: ignore[misc]
    """hmsclient's client, with bindings of our own for the calls that carry rows, partitions and locks.

    hmsclient has every call of Hive 2.3, of which ``getName`` is made here. Its structs lack what newer servers send: a
    row that was read and written back by them would lose those fields. So ours come first.
    """

    def __init__(self, protocol: MetastoreProtocol) -> None:
        HMSClient.__init__(self, iprot=protocol)


class Connection:
    """One open connection, after its handshake. Not thread-safe.

    Raises:
        MetastoreUnavailableError: nothing answers there, or something that is no metastore.
        AuthenticationError: it rejected the credentials.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        auth: Auth,
        tls: TLS | None,
        timeouts: Timeouts,
        http_headers: Mapping[str, str] | None = None,
    ) -> None:
        self.endpoint = endpoint
        self._timeouts = timeouts
        # A server that is stopped takes connections all the same; only its first answer shows that it is there.
        self._handshake = replace(timeouts, read_s=min(timeouts.read_s, timeouts.connect_s))
        self._used_s = time.time()
        over_http = endpoint.scheme != BINARY
        if over_http:
            # Commands that need no HTTP start without its library.
            from hive_views.metastore.thrift.http_transport import HttpTransport  # noqa: PLC0415

            self._socket: MetastoreSocket = HttpTransport(
                endpoint, self._handshake, tls, auth=auth, headers=http_headers or {}
            )
        else:
            self._socket = MetastoreSocket(endpoint, self._handshake, tls)
        try:
            self._socket.open()
            transport = TBufferedTransport(self._socket) if over_http else auth.open(self._socket, endpoint.host)
            self._client: Any = MetastoreClient(MetastoreProtocol(transport))
            if over_http:
                # Each request says who asks. Whether path and credentials are right is known before the first write.
                self._ask_for_name()
            elif auth.ugi is not None:
                self.ask("set_ugi", auth.ugi)
            self._socket.timeouts = timeouts
        except ssl.SSLCertVerificationError as error:
            self.close()
            raise AuthenticationError(
                f"Cannot trust the metastore at {endpoint}: {error.verify_message.rstrip('.')}. {advice_on(error)}",
                server=str(endpoint),
            ) from error
        except (*ANSWERS, *WIRE_FAILURES) as error:
            self.close()
            raise _not_connected(endpoint, error) from error
        except BaseException:
            self.close()
            raise

    @property
    def sent(self) -> bool:
        """Whether the last request has left completely."""
        return self._socket.sent

    @property
    def is_open(self) -> bool:
        """Whether the server has not closed or reset it, as far as our end knows."""
        return self._socket.isOpen()

    @property
    def is_fresh(self) -> bool:
        """Whether it was used so recently that nothing on the way can have dropped it."""
        # Of the clock on the wall: the others stand still while a machine sleeps.
        return 0 <= time.time() - self._used_s < _FRESH_S

    def answers(self) -> bool:
        """Whether the server still answers, asked for its name: that every server knows, without its database."""
        self._socket.timeouts = self._handshake
        try:
            self._ask_for_name()
        except WIRE_FAILURES:
            return False
        except BaseException:
            self.close()
            raise
        self._socket.timeouts = self._timeouts
        return True

    def _ask_for_name(self) -> None:
        with suppress(*ANSWERS):  # it cannot say, but it is there
            self.ask("getName", ())

    def ask(self, method: str, arguments: Sequence[Any]) -> Any:
        self._socket.sent = False
        try:
            return getattr(self._client, method)(*arguments)
        finally:
            self._used_s = time.time()

    def close(self) -> None:
        self._socket.close()


def _not_connected(endpoint: Endpoint, error: Exception) -> HiveViewsError:
    reason = text_of(error).rstrip(". ")
    if reason == WANTS_AUTHENTICATION:
        return AuthenticationError(
            f"Cannot use the metastore at {endpoint}: {reason}.", remedy=_AUTHENTICATE, server=str(endpoint)
        )
    if reason == WANTS_TLS:
        return MetastoreUnavailableError(
            f"The metastore at {endpoint} cannot be used: {reason}.", remedy=_USE_TLS, server=str(endpoint)
        )
    if isinstance(error, HttpStatusError):
        kind = AuthenticationError if isinstance(error, HttpCredentialsError) else MetastoreUnavailableError
        return kind(f"The metastore at {endpoint} cannot be used: {reason}.", remedy=error.remedy, server=str(endpoint))
    hint = "Check the address, and that a metastore runs there."
    if isinstance(error, ssl.SSLError):
        hint = advice_on(error)
    elif _has_type(error, TTransportException.END_OF_FILE) or isinstance(error, ConnectionResetError | BrokenPipeError):
        return MetastoreUnavailableError(
            f"The metastore at {endpoint} cannot be used: {reason}.",
            remedy=_AUTHENTICATE_DIFFERENTLY if endpoint.scheme == BINARY else _CONNECT_DIFFERENTLY,
            server=str(endpoint),
        )
    return MetastoreUnavailableError(
        f"The metastore at {endpoint} cannot be used: {reason}. {hint}", server=str(endpoint)
    )


def _is_of_the_server(error: BaseException) -> bool:
    """Whether a server that is asked again will do the same again: keep silent, find no end, or be out of service."""
    return isinstance(error, HttpStatusError) or _has_type(
        error, TTransportException.TIMED_OUT, TTransportException.SIZE_LIMIT
    )


def _has_type(error: BaseException, *kinds: int) -> bool:
    return isinstance(error, TTransportException) and error.type in kinds


_AGAIN_IF_PASSING = tenacity.Retrying(
    retry=tenacity.retry_if_exception(lambda error: error.__cause__ is not None and is_passing(error.__cause__)),
    wait=tenacity.wait_random_exponential(multiplier=0.05, max=1),
    stop=tenacity.stop_after_attempt(5),
    reraise=True,
)


class ConnectionPool:
    """Connections for any number of threads and processes, opened when needed, the youngest used first.

    Args:
        endpoints: the metastores, all of one database; the first that really answers is used.
        http_headers: sent with each request, where an address is one of HTTP.
        on_call: called with the method of each request, but for those that a connection itself needs: its handshake,
            and after a pause the question whether the server is still there.

    Attributes:
        find_again: called if none of them can be used; returns the addresses at which the metastore is now.
    """

    find_again: Callable[[], Sequence[Endpoint]] | None = None

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        *,
        auth: Auth,
        tls: TLS | None,
        timeouts: Timeouts,
        http_headers: Mapping[str, str] | None = None,
        on_call: Callable[[str], None] | None = None,
    ) -> None:
        check_ways(endpoints, auth, tls)
        self._http_headers = checked(http_headers or {})
        self._endpoints = tuple(endpoints)
        self._auth = auth
        self._tls = tls
        self._timeouts = timeouts
        self._on_call = on_call
        self._answering = 0
        # By process: a child of a fork starts with none. It leaves its parent's alone, not even closing them.
        self._idle_of: dict[int, deque[Connection]] = {}
        self._closed = False

    @property
    def endpoint(self) -> Endpoint:
        """The metastore that answered last; after a silence the one that is asked next."""
        return self._endpoints[self._answering]

    def call(self, call: Call, *arguments: Any, only_if: Callable[[Endpoint], bool] | None = None) -> Any:
        """Make a call and give its answer. A read is repeated where that may help, a write never.

        ``only_if`` is asked of the server to which the connection leads that would carry a write.

        Raises:
            HiveViewsError: as ``failures.RULES`` say; that of a write without an answer has the field ``server``.
            CommitFailedError: ``only_if`` does not accept the server; nothing was sent.
        """
        if call.writes:
            connection = self._take()
            if only_if is not None and not only_if(connection.endpoint):
                self._give_back(connection)
                raise CommitFailedError(
                    f"The metastore at {connection.endpoint} replaced another server while {call.about} was being "
                    f"changed, so the change was not sent. Try again.",
                    answer=Answer.NOT_SENT,
                    identifier=call.about,
                )
            return self._ask(connection, call, arguments)
        return _AGAIN_IF_PASSING(self._read, call, arguments)

    def close(self) -> None:
        """Close what is idle now and, when it comes back, what is in use. A later call connects again, for itself."""
        self._closed = True
        self._drop_idle()

    def _read(self, call: Call, arguments: Sequence[Any]) -> Any:
        # Outside of the try: where no server can be reached, trying again at once only doubles the wait.
        connection = self._take()
        try:
            return self._ask(connection, call, arguments)
        except MetastoreUnavailableError as error:
            cause = error.__cause__
            if not isinstance(cause, WIRE_FAILURES) or (_is_of_the_server(cause) and len(self._endpoints) == 1):
                raise
        # The idle connections have probably lost the same server.
        self._drop_idle()
        return self._ask(self._connect(), call, arguments)

    def _ask(self, connection: Connection, call: Call, arguments: Sequence[Any]) -> Any:
        try:
            if self._on_call is not None:
                self._on_call(call.method)
            answer = connection.ask(call.method, arguments)
        except ANSWERS as error:
            if is_passing(error):
                # It is the thread behind this connection that is confused, and it stays so.
                connection.close()
            else:
                self._give_back(connection)
            result = result_of(error, call)
            if result is not None:
                return result
            raise translate(error, call) from error
        except WIRE_FAILURES as error:
            connection.close()
            if _is_of_the_server(error):
                self._pass_over(connection.endpoint)
            failure = translate(error, call, sent=connection.sent)
            failure.server = str(connection.endpoint)
            raise failure from error
        except BaseException:
            # Half an answer may still be on its way; the next user of this connection would read it as its own.
            connection.close()
            raise
        self._give_back(connection)
        return answer

    @property
    def _idle(self) -> deque[Connection]:
        return self._idle_of.setdefault(os.getpid(), deque())

    def _take(self) -> Connection:
        while (connection := self._pop_idle()) is not None:
            if connection.is_open:
                if connection.is_fresh or connection.answers():
                    return connection
                # Those that have been idle for longer were probably lost with it, and each would cost a time-out.
                self._drop_idle()
            connection.close()
        try:
            return self._connect()
        except HiveViewsError as error:
            error.answer = Answer.NOT_SENT
            raise

    def _pop_idle(self) -> Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _give_back(self, connection: Connection) -> None:
        idle = self._idle
        # Another server may have taken over meanwhile: who notes what that one can do must not reach this one.
        if self._closed or connection.endpoint != self.endpoint:
            connection.close()
            return
        idle.append(connection)
        with suppress(IndexError):  # other threads take and give too
            while len(idle) > _KEPT_IDLE and not idle[0].is_fresh:
                idle.popleft().close()

    def _drop_idle(self) -> None:
        while (connection := self._pop_idle()) is not None:
            connection.close()

    def _pass_over(self, useless: Endpoint) -> None:
        """Ask the other servers first from now on."""
        if len(self._endpoints) > 1 and self.endpoint == useless:
            self._drop_idle()
            self._answering = (self._answering + 1) % len(self._endpoints)

    def _connect(self) -> Connection:
        try:
            return self._connect_to_one()
        except MetastoreUnavailableError:
            if not self._has_moved():
                raise
        return self._connect_to_one()

    def _has_moved(self) -> bool:
        found = tuple(self.find_again()) if self.find_again is not None else ()
        if not found or found == self._endpoints:
            return False
        self._drop_idle()
        self._endpoints, self._answering = found, 0
        return True

    def _connection_to(self, endpoint: Endpoint) -> Connection:
        connect = partial(Connection, endpoint, tls=self._tls, timeouts=self._timeouts, http_headers=self._http_headers)
        return self._auth.connect(connect) if isinstance(self._auth, KerberosProxy) else connect(auth=self._auth)

    def _connect_to_one(self) -> Connection:
        failures: list[HiveViewsError] = []
        first = self._answering
        for offset in range(len(self._endpoints)):
            number = (first + offset) % len(self._endpoints)
            try:
                connection = self._connection_to(self._endpoints[number])
            except (MetastoreUnavailableError, AuthenticationError) as error:
                failures.append(error)
            else:
                self._answering = number
                return connection
        # A refusal says more than a silence.
        failures.sort(key=lambda failure: not isinstance(failure, _REFUSALS))
        if len(failures) == 1 or isinstance(failures[0], _REFUSALS):
            raise failures[0]
        raise MetastoreUnavailableError("No metastore can be used. " + " ".join(map(str, failures))) from failures[0]
