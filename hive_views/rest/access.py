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
_USERS = ("owner", "proxy-user")


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
        proxy_user: the user for whom the server acts on the metastore; None where it acts as itself.
    """

    name: str
    role: Role
    owner: str | None = None
    proxy_user: str | None = None

    def check_may(self, *, write: bool) -> None:
        """
        Raises:
            RequestError: the caller may only read.
        """
        if write and self.role is not Role.READ_WRITE:
            raise RequestError(403, "ForbiddenException", f"The token {self.name!r} is read-only.")

    def own_key(self, key: str | None) -> str | None:
        """An idempotency key as it is recorded. A user who repeats a request of another one is not told its result."""
        # No header has this character.
        return f"{self.proxy_user}\0{key}" if key is not None and self.proxy_user is not None else key


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

    @property
    def proxy_users(self) -> frozenset[str]:
        """The users for whom the server acts on the metastore."""
        return frozenset(caller.proxy_user for caller in self._callers.values() if caller.proxy_user is not None)

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
    ``role`` (``read-only`` or ``read-write``) and, if wanted, ``owner``, of the views that it creates, and
    ``proxy-user``, for whom the server acts on the metastore, and who is the owner unless another is given.

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
    unknown = sorted(set(given) - {"token", "role", *_USERS})
    if unknown:
        raise InvalidInputError(
            f"Cannot use {unknown[0]!r} (tokens.{name} of {file}): it has token, role, {' and '.join(_USERS)}."
        )
    try:
        role = Role(given.get("role"))
    except ValueError:
        roles = " or ".join(one.value for one in Role)
        raise InvalidInputError(f"Cannot use the role of tokens.{name} of {file}: it must be {roles}.") from None
    owner, proxy_user = (_user(one, given, f"tokens.{name} of {file}") for one in _USERS)
    return Caller(name, role, owner or proxy_user, proxy_user)


def _user(key: str, given: Mapping[str, object], source: str) -> str | None:
    user = given.get(key)
    if user is None or (isinstance(user, str) and user and user.isprintable() and user == user.strip()):
        return user
    raise InvalidInputError(f"Cannot use the {key} of {source}: it must be the name of a user.")


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
