"""What a failure of Kerberos means, whichever server the ticket was for. Needs the package ``gssapi``."""

from __future__ import annotations

import os

import gssapi
from gssapi.exceptions import GSSError, MissingCredentialsError

__all__ = ["GSSError", "explain", "reason_of"]

_LOG_IN = "Run `kinit`, or set KRB5_CLIENT_KTNAME to a keytab, which is then used whenever a ticket is needed."
_CLOCK = "Synchronize the clock of this machine: it may differ from that of the KDC by five minutes at most."
_KDC = "Check the KDC of this realm in krb5.conf (KRB5_CONFIG, or /etc/krb5.conf), and that it can be reached."
_CLIENT = "Ask the administrator of the realm whether this user exists, is enabled, and has this keytab."
# Codes of the errors of the Kerberos library (krb5_err.et).
_UNKNOWN_PRINCIPAL = -1765328377  # KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN
_BY_CODE = {
    -1765328352: _LOG_IN,  # KRB5KRB_AP_ERR_TKT_EXPIRED
    -1765328347: _CLOCK,  # KRB5KRB_AP_ERR_SKEW
    -1765328243: _LOG_IN,  # KRB5_CC_NOTFOUND
    -1765328230: _KDC,  # KRB5_REALM_UNKNOWN
    -1765328228: _KDC,  # KRB5_KDC_UNREACH
    -1765328164: _KDC,  # KRB5_REALM_CANT_RESOLVE
    -1765328160: _KDC,  # KRB5_CONFIG_NODEFREALM
}
_ANY = "Check that `klist` shows a valid ticket, that the clocks agree, and the parts of the server's principal."


def explain(error: GSSError, on_unknown_principal: str) -> str:
    """What the Kerberos library says, which ticket cache and keytab were tried, and what to do, in some sentences.

    Args:
        on_unknown_principal: what to do where the realm does not know the server's principal.
    """
    return f"{reason_of(error)}. {_credentials(error)} {_advice(error, on_unknown_principal)}"


def reason_of(error: GSSError) -> str:
    """What the Kerberos library says of a failure, in one line."""
    of_kerberos = error.get_all_statuses(error.min_code, False) if error.min_code else []
    return ", ".join(of_kerberos or error.get_all_statuses(error.maj_code, True)).rstrip(". ")


def _credentials(error: GSSError) -> str:
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


def _advice(error: GSSError, on_unknown_principal: str) -> str:
    code = error.min_code - (1 << 32)
    if code == _UNKNOWN_PRINCIPAL:
        return on_unknown_principal
    return _BY_CODE.get(code, _CLIENT if isinstance(error, MissingCredentialsError) else _ANY)
