"""Kerberos: the SASL mechanism GSSAPI (RFC 4752) by the system's Kerberos library."""

from __future__ import annotations

import gssapi
from thrift.transport.TTransport import TTransportException

from hive_views.messages.kerberos import GSSError, explain, reason_of
from hive_views.metastore.thrift.sasl import RefusedError, SecurityLayer

__all__ = ["ON_REFUSAL", "ON_UNKNOWN_PRINCIPAL", "GSSError", "GssapiMechanism", "explain"]

# The layers of RFC 4752, the strongest first: what a Hadoop cluster calls privacy, integrity and authentication.
_ENCRYPTED, _SIGNED, _UNPROTECTED = 4, 2, 1
# All that the three bytes for the length of a frame can say.
_LONGEST_FRAME_BYTES = (1 << 24) - 1
_FLAGS = gssapi.RequirementFlag


class GssapiMechanism:
    """A client's side of SASL GSSAPI, which takes the strongest layer that the server offers.

    The ticket is that of the default cache, or is requested with the keytab of ``KRB5_CLIENT_KTNAME``.
    """

    name = "GSSAPI"

    def __init__(self, service: str, host: str) -> None:
        self.is_complete = False
        self.layer: SecurityLayer | None = None
        self._context = gssapi.SecurityContext(
            name=gssapi.Name(f"{service}@{host}", gssapi.NameType.hostbased_service),
            mech=gssapi.MechType.kerberos,
            flags=_FLAGS.mutual_authentication
            | _FLAGS.integrity
            | _FLAGS.confidentiality
            | _FLAGS.replay_detection
            | _FLAGS.out_of_sequence_detection,
            usage="initiate",
        )

    def respond(self, challenge: bytes) -> bytes:
        if not self._context.complete:
            return self._context.step(challenge or None) or b""
        offer = self._context.unwrap(challenge).message
        chosen = next((layer for layer in (_ENCRYPTED, _SIGNED, _UNPROTECTED) if offer[:1] and offer[0] & layer), None)
        if chosen is None:
            raise RefusedError("it offers no protection that SASL GSSAPI knows")
        if chosen != _UNPROTECTED:
            self.layer = GssapiLayer(self._context, int.from_bytes(offer[1:4], "big"), encrypted=chosen == _ENCRYPTED)
        longest = _LONGEST_FRAME_BYTES if self.layer else 0
        self.is_complete = True
        return bytes(self._context.wrap(bytes([chosen]) + longest.to_bytes(3, "big"), encrypt=False).message)


class GssapiLayer:
    """Frames that are signed, and encrypted where the server offers it."""

    def __init__(self, context: gssapi.SecurityContext, longest_frame: int, *, encrypted: bool) -> None:
        self._context = context
        self._encrypted = encrypted
        self.largest: int = context.get_wrap_size_limit(longest_frame, encrypted)

    def wrap(self, data: bytes) -> bytes:
        try:
            return bytes(self._context.wrap(data, encrypt=self._encrypted).message)
        except GSSError as error:
            raise TTransportException(message=f"the request cannot be protected: {reason_of(error)}") from error

    def unwrap(self, data: bytes) -> bytes:
        try:
            return bytes(self._context.unwrap(data).message)
        except GSSError as error:
            raise TTransportException(message=f"its response was changed on the way: {reason_of(error)}") from error


ON_REFUSAL = (
    "The metastore's log says why: most often its keytab lacks the current key of this principal, or its clock differs "
    "by more than five minutes."
)
ON_UNKNOWN_PRINCIPAL = (
    "Give the parts of the metastore's principal: service and hostname_override of Kerberos, settings kerberos_service "
    "and kerberos_hostname."
)
