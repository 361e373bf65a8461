"""Kerberos: the SASL mechanism GSSAPI (RFC 4752) by the system's Kerberos library, and what its failures mean."""

from __future__ import annotations

import os

import gssapi
from gssapi.exceptions import GSSError, MissingCredentialsError
from thrift.transport.TTransport import TTransportException

from hive_views.metastore.thrift.sasl import RefusedError, SecurityLayer

__all__ = ["ON_REFUSAL", "GSSError", "GssapiMechanism", "advice_on", "credentials_of", "reason_of"]

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
_LOG_IN = "Run `kinit`, or set KRB5_CLIENT_KTNAME to a keytab, which is then used whenever a ticket is needed."
_ANOTHER_PRINCIPAL = (
    "Give the parts of the metastore's principal: service and hostname_override of Kerberos, settings kerberos_service "
    "and kerberos_hostname."
)
_CLOCK = "Synchronize the clock of this machine: it may differ from that of the KDC by five minutes at most."
_KDC = "Check the KDC of this realm in krb5.conf (KRB5_CONFIG, or /etc/krb5.conf), and that it can be reached."
_CLIENT = "Ask the administrator of the realm whether this user exists, is enabled, and has this keytab."
# Codes of the errors of the Kerberos library (krb5_err.et).
_BY_CODE = {
    -1765328377: _ANOTHER_PRINCIPAL,  # KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN
    -1765328352: _LOG_IN,  # KRB5KRB_AP_ERR_TKT_EXPIRED
    -1765328347: _CLOCK,  # KRB5KRB_AP_ERR_SKEW
    -1765328243: _LOG_IN,  # KRB5_CC_NOTFOUND
    -1765328230: _KDC,  # KRB5_REALM_UNKNOWN
    -1765328228: _KDC,  # KRB5_KDC_UNREACH
    -1765328164: _KDC,  # KRB5_REALM_CANT_RESOLVE
    -1765328160: _KDC,  # KRB5_CONFIG_NODEFREALM
}
_ANY = "Check that `klist` shows a valid ticket, that the clocks agree, and the parts of the metastore's principal."


def reason_of(error: GSSError) -> str:
    """What the Kerberos library says of a failure, in one line."""
    of_kerberos = error.get_all_statuses(error.min_code, False) if error.min_code else []
    return ", ".join(of_kerberos or error.get_all_statuses(error.maj_code, True)).rstrip(". ")


def credentials_of(error: GSSError) -> str:
    """Which ticket cache and which keytab were tried, and whose ticket there is, in two sentences."""
    cache = os.environ.get("KRB5CCNAME") or "the default one, as KRB5CCNAME is not set"
    keytab = os.environ.get("KRB5_CLIENT_KTNAME", "")
    if not keytab:
        keytab = "none, as KRB5_CLIENT_KTNAME is not set"
    elif not os.access(keytab.removeprefix("FILE:"), os.R_OK):
        keytab += ", which cannot be read"
    return f"Ticket cache: {cache}{_holder(error)}. Keytab: {keytab}."


def _holder(error: GSSError) -> str:
    # Where the ticket is what is missing, this would ask the KDC once more.
    if isinstance(error, MissingCredentialsError):
        return ""
    try:
        return f", with a ticket of {gssapi.Credentials(usage='initiate', mechs=[gssapi.MechType.kerberos]).name}"
    except GSSError:
        return ""


def advice_on(error: GSSError) -> str:
    """What to do about a failure, in a sentence."""
    otherwise = _CLIENT if isinstance(error, MissingCredentialsError) else _ANY
    return _BY_CODE.get(error.min_code - (1 << 32), otherwise)
