"""Kerberos over HTTP (SPNEGO, RFC 4559), as WebHDFS asks for it. Needs the package ``requests-gssapi``."""

from __future__ import annotations

from typing import Any

from gssapi import MechType
from requests_gssapi import HTTPSPNEGOAuth
from requests_gssapi.exceptions import SPNEGOExchangeError

from hive_views.messages.kerberos import GSSError, explain

_ON_UNKNOWN_PRINCIPAL = (
    "The address must have the host that is in the server's principal, HTTP/host; behind a load balancer, give it as "
    "storage_options.kerb_kwargs = {'target_name': 'HTTP@host'}."
)


class NoTicketError(OSError):
    """There is no ticket for a server.

    Attributes:
        status_code: of HTTP, what the server has answered.
    """

    status_code = 401


class Spnego(HTTPSPNEGOAuth):  # type: ignore[misc]
    """Answers one request for a ticket: with that of the cache, or one that is requested with a keytab.

    Each HTTP request needs its own, since it holds the state of the exchange. It is Kerberos alone, as Hadoop accepts
    it, since a failure behind the negotiation of a mechanism has no code of Kerberos's any more.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"mech": MechType.kerberos, **options})

    def generate_request_header(self, response: Any, host: str, is_preemptive: bool = False) -> str:
        """
        Raises:
            NoTicketError: the Kerberos library has none; otherwise that would be in the log alone.
        """
        try:
            return str(super().generate_request_header(response, host, is_preemptive))
        except SPNEGOExchangeError as e:
            if not isinstance(e.__context__, GSSError):
                raise
            if response is not None:
                # It is not read any more.
                response.close()
            explained = explain(e.__context__, _ON_UNKNOWN_PRINCIPAL).rstrip(".")
            raise NoTicketError(f"{host} asks for Kerberos: {explained}") from e.__context__
