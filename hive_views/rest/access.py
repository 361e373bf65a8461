"""Authentication and authorization: bearer tokens and their roles."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hive_views.config import REST_READ_ONLY_TOKEN, REST_TOKEN, read_toml
from hive_views.errors import InvalidInputError
from hive_views.rest.request_errors import RequestError

_SHORTEST = 16


class Role(Enum):
    """What a token allows."""

    READ_ONLY = "read-only"
    READ_WRITE = "read-write"


@dataclass(frozen=True)
class Caller:
    """The client of a request, by its token.

    Attributes:
        name: of the token, for the log.
        role: what it allows.
        owner: of the views that it creates.
    """

    name: str
    role: Role
    owner: str | None = None

    def check_may(self, *, write: bool) -> None:
        """
        Raises:
            RequestError: the caller may only read.
        """
        if write and self.role is not Role.READ_WRITE:
            raise RequestError(403, "ForbiddenException", f"The token {self.name!r} is read-only.")


ANYBODY = Caller("-", Role.READ_WRITE)


class Access:
    """The tokens of a server; without any, everyone who can reach it may do everything.

    Args:
        callers: by the SHA-256 of their tokens.
    """

    def __init__(self, callers: Mapping[bytes, Caller]) -> None:
        self._callers = dict(callers)

    @property
    def is_open(self) -> bool:
        """Whether there are no tokens."""
        return not self._callers

    def caller(self, authorization: str | None) -> Caller:
        """The client that sends this header.

        Raises:
            RequestError: it has no token, or an unknown one.
        """
        if self.is_open:
            return ANYBODY
        kind, _, token = (authorization or "").partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            raise RequestError(401, "NotAuthorizedException", "Send a token: Authorization: Bearer TOKEN.")
        digest = _digest(token.strip())
        # All are compared, so that the time says nothing.
        found = [caller for known, caller in self._callers.items() if hmac.compare_digest(known, digest)]
        if not found:
            raise RequestError(401, "NotAuthorizedException", "The token is not valid.")
        return found[0]


def load_access(file: Path | None, environment: Mapping[str, str] | None = None) -> Access:
    """The tokens of a file and of the environment.

    The file is TOML, and readable by its owner only: a table ``[tokens.NAME]`` for each token, with ``token``,
    ``role`` (``read-only`` or ``read-write``) and, for the owner of the views that it creates, ``owner``.

    Raises:
        InvalidInputError: the file cannot be read, others can read it too, or its content is wrong.
    """
    variables = os.environ if environment is None else environment
    callers: dict[bytes, Caller] = {}
    for variable, role in ((REST_TOKEN, Role.READ_WRITE), (REST_READ_ONLY_TOKEN, Role.READ_ONLY)):
        if variables.get(variable):
            _add(callers, Caller(role.value, role), variables[variable], f"the environment variable {variable}")
    if file is not None:
        _check_private(file)
        content = read_toml(file)
        tokens = content.pop("tokens", None)
        if content or not isinstance(tokens, dict) or not all(isinstance(one, dict) for one in tokens.values()):
            raise InvalidInputError(f"Cannot use {file}: it must have a table [tokens.NAME] for each token.")
        for name, one in tokens.items():
            _add(callers, _caller(name, one, file), one.get("token"), f"tokens.{name} of {file}")
    return Access(callers)


def _caller(name: str, given: Mapping[str, object], file: Path) -> Caller:
    unknown = sorted(set(given) - {"token", "role", "owner"})
    if unknown:
        raise InvalidInputError(f"Cannot use {unknown[0]!r} (tokens.{name} of {file}): it has token, role and owner.")
    try:
        role = Role(given.get("role"))
    except ValueError:
        roles = " or ".join(one.value for one in Role)
        raise InvalidInputError(f"Cannot use the role of tokens.{name} of {file}: it must be {roles}.") from None
    owner = given.get("owner")
    if owner is not None and (not isinstance(owner, str) or not owner):
        raise InvalidInputError(f"Cannot use the owner of tokens.{name} of {file}: it must be the name of a user.")
    return Caller(name, role, owner)


def _add(callers: dict[bytes, Caller], caller: Caller, token: object, source: str) -> None:
    # No header can send other texts unchanged.
    is_text = isinstance(token, str) and token.isascii() and token.isprintable() and token == token.strip()
    if not isinstance(token, str) or not is_text or len(token) < _SHORTEST:
        raise InvalidInputError(
            f"Cannot use the token of {source}: it must have at least {_SHORTEST} characters, all of them ASCII, and "
            f"neither begin nor end with a space."
        )
    if _digest(token) in callers:
        raise InvalidInputError(f"The token of {source} is also that of {callers[_digest(token)].name!r}.")
    callers[_digest(token)] = caller


def _check_private(file: Path) -> None:
    try:
        mode = file.stat().st_mode
    except OSError as error:
        raise InvalidInputError(f"Cannot read the file of tokens {file}: {error.strerror}.") from error
    if os.name == "posix" and mode & 0o077:
        raise InvalidInputError(f"Others can read the file of tokens {file}. Restrict it: chmod 600 {file}")


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
