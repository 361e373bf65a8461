"""What a request to a metastore over HTTP carries, and what its statuses mean."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

from thrift.transport.TTransport import TTransportException

from hive_views.errors import Answer, AuthenticationError, InvalidInputError
from hive_views.messages.remedy import Remedy
from hive_views.metastore.thrift.auth import JWT, Auth, Plain

_ACTOR = "x-actor-username"
"""Who asks, as a metastore without authentication believes it."""
_LONGEST_SAID = 200
_CREDENTIALS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.PROXY_AUTHENTICATION_REQUIRED)
# What is refused so was not carried out: these come before anything is read of the body.
_NOT_CARRIED_OUT = (*_CREDENTIALS, HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
_CHECK_PATH = Remedy.alike(
    "Check the path of its address: by default /metastore (metastore.client.thrift.http.path of the server)."
)
_REMEDIES: Mapping[int, Remedy] = {
    HTTPStatus.UNAUTHORIZED: Remedy(
        in_python="Give credentials that are valid now: auth=JWT(token_file=...), or auth=Plain(user, password) where "
        "a gateway asks for a password.",
        in_shell="Use credentials that are valid now: settings auth = jwt with token-file (or the variable HMS_JWT), "
        "or auth = plain with user and password where a gateway asks for a password.",
    ),
    HTTPStatus.FORBIDDEN: Remedy(
        in_python="It knows who asks, and does not permit it: ask its administrator, or give another auth=.",
        in_shell="It knows who asks, and does not permit it: ask its administrator, or change the settings auth, "
        "token-file or user.",
    ),
    HTTPStatus.NOT_FOUND: _CHECK_PATH,
    # What the metastore itself answers there.
    HTTPStatus.METHOD_NOT_ALLOWED: _CHECK_PATH,
    # What a metastore that takes tokens answers to a password.
    HTTPStatus.INTERNAL_SERVER_ERROR: Remedy(
        in_python="Its log says why. A metastore that takes tokens fails so on a password: give auth=JWT(...).",
        in_shell="Its log says why. A metastore that takes tokens fails so on a password: use the setting auth = jwt.",
    ),
    HTTPStatus.PROXY_AUTHENTICATION_REQUIRED: Remedy.alike(
        "Name user and password in the proxy's address (HTTPS_PROXY, HTTP_PROXY), or leave it out by NO_PROXY."
    ),
}


class HttpStatusError(TTransportException):  # type: ignore[misc]
    """An answer over HTTP that is none of the metastore's Thrift service.

    Attributes:
        remedy: what to do; None where the status does not tell.
        is_refusal: whether the request was certainly not carried out.
    """

    def __init__(self, status: int, reason: str, said: str, who: str) -> None:
        shown = f"{status} {reason}".strip() + (f" ({said})" if said else "")
        super().__init__(TTransportException.UNKNOWN, f"a request {who} was answered with HTTP status {shown}")
        self.remedy = _REMEDIES.get(status)
        self.is_refusal = status in _NOT_CARRIED_OUT


class HttpCredentialsError(HttpStatusError):
    """Other credentials would be accepted, or some."""


def status_error(status: int, reason: str, said: str, who: str) -> HttpStatusError:
    """The error of a status; ``said`` is what the server says about it, ``who`` who asked."""
    kind = HttpCredentialsError if status in _CREDENTIALS else HttpStatusError
    return kind(status, reason, said, who)


def identity_of(auth: Auth) -> dict[str, str]:
    """The headers that say who asks.

    Raises:
        AuthenticationError: a file with a token cannot be read; nothing was sent.
        InvalidInputError: a metastore over HTTP does not know this kind of authentication.
    """
    if isinstance(auth, JWT):
        return {"Authorization": f"Bearer {_token_of(auth)}"}
    if isinstance(auth, Plain):
        pair = f"{auth.username}:{auth.password}".encode()
        return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
    if auth.ugi is None:
        raise InvalidInputError(
            f"Cannot use {type(auth).__name__} over HTTP, where a metastore takes tokens: give JWT, or write "
            f"thrift://host:9083 for the binary protocol."
        )
    return checked({_ACTOR: auth.ugi[0]})


def describe(auth: Auth) -> str:
    """Who asks, in an error; never the secret."""
    if isinstance(auth, JWT):
        return f"with the token in {auth.token_file}" if auth.token_file else "with a token"
    if isinstance(auth, Plain):
        return f"with the password of {auth.username!r}"
    return "without credentials"


def checked(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers, which HTTP can send.

    Raises:
        InvalidInputError: one has a name or a value that it cannot; the value is not shown.
    """
    for name, value in headers.items():
        if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.ASCII):
            raise InvalidInputError(f"Cannot send a header of the name {name!r}: use letters, digits and hyphens.")
        if not (value.isascii() and value.isprintable()):
            raise InvalidInputError(
                f"Cannot send the header {name}: its value has line breaks or non-ASCII characters.", key=name
            )
    return dict(headers)


def text_of_body(content_type: str, body: bytes, secrets: Mapping[str, str]) -> str:
    """What a server says about its status, in one short line; nothing where it is a page, or repeats a secret."""
    if not content_type.startswith("text/plain") and not body.startswith(b"Authentication error"):
        return ""
    line = " ".join(body.decode("utf-8", "replace").split())[:_LONGEST_SAID].rstrip(".")
    # Parts of a token may be quoted too.
    return "" if any(word in line for value in secrets.values() for word in value.split()[1:]) else line


def _token_of(auth: JWT) -> str:
    token, where = auth.token, "it"
    if auth.token_file is not None:
        where = f"the file {auth.token_file} (token_file)"
        try:
            token = Path(auth.token_file).expanduser().read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not ASCII"
            raise AuthenticationError(
                f"Cannot read the token in {auth.token_file} (token_file): {reason}.", answer=Answer.NOT_SENT
            ) from None
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise AuthenticationError(
            f"Cannot use the token: {where} is empty, or has spaces, line breaks or non-ASCII characters.",
            answer=Answer.NOT_SENT,
        )
    return token
