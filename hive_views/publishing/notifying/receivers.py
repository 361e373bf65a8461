"""Who is told of events: a local file, which gets a line for each, or a URL, which gets a POST for each.

Redirects are not followed and proxies not used: a token goes to the host that was named, and nowhere else.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import http.client
import json
import os
import socket
import stat
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

import tenacity

from hive_views.errors import InvalidInputError
from hive_views.messages.credentials import hide_credentials
from hive_views.messages.remedy import Remedy
from hive_views.publishing.notifying.events import Event
from hive_views.storage.locations import absolute_location, is_uri, split_location

_WEB = ("http", "https")
WAIT_S = 10.0
"""For a connection, for each part of an answer, and for the lock of a file."""
WHOLE_S = 30.0
"""For a whole answer."""
_MOST_BYTES = 1 << 16
_PASSING = (http.HTTPStatus.REQUEST_TIMEOUT, http.HTTPStatus.TOO_MANY_REQUESTS)
# Then it is not the event, but the receiver.
_MOST_REFUSED = 3
_TOKEN = Remedy(in_python="Pass a token.", in_shell="Set HIVE_VIEWS_NOTIFY_TOKEN.")
LEFT_ALONE_S = 60.0
"""How long a receiver that failed is not asked by this process, so that many views do not each wait for it."""

_failed_at: dict[str, float] = {}


class _NotTakenError(Exception):
    """An event was not taken; ``is_passing``: it may be the next time."""

    def __init__(self, why: str, *, is_passing: bool) -> None:
        super().__init__(why)
        self.is_passing = is_passing


@dataclass(frozen=True)
class Delivery:
    """What came of events.

    Attributes:
        taken: the ids of those that were taken.
        failure: why others were not; "" if all were.
        was_asked: False if the receiver was left alone.
    """

    taken: frozenset[str]
    failure: str = ""
    was_asked: bool = True


@dataclass(frozen=True)
class Receiver:
    """A file or URL that events are sent to.

    Args:
        target: a path or ``file:`` URI of a local file, to which a line is appended for each event; or an ``http:`` or
            ``https:`` URL, which gets a POST for each, as ``application/cloudevents+json``.
        token: sent to the URL as a bearer token; never shown.

    Raises:
        InvalidInputError: it is another scheme (an object store cannot append), no usable URL, or the token has other
            characters than those of a header.
    """

    target: str
    token: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        target = self.target
        if not isinstance(target, str) or not target.isprintable() or not target.strip():
            raise InvalidInputError("Cannot notify an empty name, or one with control characters: name a file or URL.")
        scheme = target.partition(":")[0].lower() if is_uri(target) else "file"
        if scheme in _WEB:
            _check_url(target)
        elif scheme == "file":
            absolute = absolute_location(target if is_uri(target) else str(Path(target).expanduser().resolve()))
            if not split_location(absolute)[2]:
                raise InvalidInputError(f"Cannot notify {target}: it names no file.")
            object.__setattr__(self, "target", absolute)
        else:
            raise InvalidInputError(
                f"Cannot notify {hide_credentials(target)}: nothing can be appended to a file there. Name a local "
                f"file or the http(s) URL of a program that writes there."
            )
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and " " not in self.token):
            raise InvalidInputError(
                "Cannot use the token for receivers: it has spaces, line breaks or non-ASCII characters."
            )

    def __str__(self) -> str:
        """Without path and query of a URL, which may be secret."""
        if self.is_file:
            return self.target
        parts = urlsplit(self.target)
        return f"{parts.scheme}://{parts.netloc}"

    def __repr__(self) -> str:
        return f"Receiver({str(self)!r})"

    @property
    def key(self) -> str:
        """What notes name it by: no secret of its URL, and the same whatever the token is."""
        return hashlib.sha256(self.target.encode()).hexdigest()[:16]

    @property
    def is_file(self) -> bool:
        """Whether it is a file of the machine that sends."""
        return self.target.startswith("file:")

    @property
    def has_failed(self) -> bool:
        """Whether it did not take what this process sent last."""
        return self.target in _failed_at

    def deliver(self, events: Sequence[Event]) -> Delivery:
        """Send events in their order; stops at what will not pass soon, and then leaves the receiver alone for a while.

        What the receiver does raises nothing.
        """
        if not events:
            return Delivery(frozenset())
        failed_at = _failed_at.get(self.target)
        if failed_at is not None and time.monotonic() - failed_at < LEFT_ALONE_S:
            return Delivery(frozenset(), "it has failed a moment ago", was_asked=False)
        taken: set[str] = set()
        send = self._append if self.is_file else self._post
        try:
            send(events, taken)
        except _NotTakenError as failure:
            _failed_at[self.target] = time.monotonic()
            return Delivery(frozenset(taken), str(failure))
        _failed_at.pop(self.target, None)
        return Delivery(frozenset(taken))

    def _append(self, events: Iterable[Event], taken: set[str]) -> None:
        path = Path("/", split_location(self.target)[2])
        try:
            # Without a reader, a pipe fails instead of waiting for one.
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
            with os.fdopen(descriptor, "ab", 0) as file:
                is_regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
                if is_regular:
                    _lock(descriptor)
                start = b"" if not is_regular or _ends_whole(path) else b"\n"
                for event in events:
                    line = start + json.dumps(event).encode() + b"\n"
                    if file.write(line) != len(line):
                        raise OSError(errno.ENOSPC, "only a part of a line could be written")
                    start = b""
                    taken.add(event["id"])
                if is_regular:
                    os.fsync(descriptor)
        except OSError as error:
            taken.clear()
            raise _NotTakenError(error.strerror or str(error), is_passing=False) from error

    def _post(self, events: Iterable[Event], taken: set[str]) -> None:
        parts = urlsplit(self.target)
        path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        headers = {"Content-Type": "application/cloudevents+json; charset=utf-8", "User-Agent": "hive_views"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        kind = http.client.HTTPSConnection if parts.scheme.lower() == "https" else http.client.HTTPConnection
        last: _NotTakenError | None = None
        in_a_row = 0
        with closing(kind(parts.hostname or "", parts.port, timeout=WAIT_S)) as connection:
            for event in events:
                failure = _failure_of(connection, path, json.dumps(event).encode(), headers)
                if failure is None:
                    taken.add(event["id"])
                last, in_a_row = failure or last, in_a_row + 1 if failure else 0
                if failure and (failure.is_passing or in_a_row == _MOST_REFUSED):
                    break
        if last:
            raise last


_AGAIN_IF_PASSING = tenacity.Retrying(
    retry=tenacity.retry_if_exception(lambda error: isinstance(error, _NotTakenError) and error.is_passing),
    wait=tenacity.wait_exponential(multiplier=0.5),
    stop=tenacity.stop_after_attempt(3),
    reraise=True,
)


def _failure_of(
    connection: http.client.HTTPConnection, path: str, body: bytes, headers: Mapping[str, str]
) -> _NotTakenError | None:
    """Post an event, again if that may help; returns why it was not taken."""
    try:
        _AGAIN_IF_PASSING(_post_once, connection, path, body, headers)
    except _NotTakenError as failure:
        return failure
    return None


def _post_once(connection: http.client.HTTPConnection, path: str, body: bytes, headers: Mapping[str, str]) -> None:
    try:
        with _cut_after(WHOLE_S, connection):
            connection.request("POST", path, body, dict(headers))
            with connection.getresponse() as answer:
                if not answer.will_close:
                    answer.read(_MOST_BYTES)
                is_read = answer.isclosed()
            # What is left of an answer would be taken for the next one.
            if not is_read:
                connection.close()
    except (OSError, ValueError, http.client.HTTPException) as error:
        connection.close()
        said = getattr(error, "strerror", None) or type(error).__name__
        raise _NotTakenError(f"no answer ({said})", is_passing=True) from error
    if 200 <= answer.status < 300:
        return
    text = f"it answered {answer.status}"
    if 300 <= answer.status < 400:
        text += ", and redirects are not followed"
    raise _NotTakenError(text, is_passing=answer.status >= 500 or answer.status in _PASSING)


@contextmanager
def _cut_after(seconds: float, connection: http.client.HTTPConnection) -> Iterator[None]:
    """Cut the connection after a time, however slowly the other side goes on to send."""

    def cut() -> None:
        with suppress(OSError, AttributeError):
            connection.sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@tenacity.retry(
    retry=tenacity.retry_if_exception_type(BlockingIOError),
    wait=tenacity.wait_fixed(0.05),
    stop=tenacity.stop_after_delay(WAIT_S),
    reraise=True,
)
def _lock(descriptor: int) -> None:
    """Keep other processes of ours away, as lines are whole on local disks only; the end of the file gives it back."""
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _ends_whole(path: Path) -> bool:
    """Whether a file ends with a whole line, which it does not after a disk was full."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _check_url(target: str) -> None:
    try:
        parts = urlsplit(target)
        is_usable = bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        parts, is_usable = urlsplit(""), False
    if not is_usable or not target.isascii() or " " in target or parts.fragment:
        raise InvalidInputError(
            f"Cannot notify {hide_credentials(target)}: it is no URL of a receiver, https://HOST[:PORT]/PATH, in ASCII."
        )
    if "@" in parts.netloc:
        raise InvalidInputError(
            f"Cannot notify {parts.hostname}: a user or password in the URL would be shown to others.", remedy=_TOKEN
        )


Notify: TypeAlias = str | Receiver | Iterable[str | Receiver] | None
"""Receivers as a caller gives them: one or several, each a path, a URL, or made already."""


def receivers_of(given: Notify, token: str | None = None) -> tuple[Receiver, ...]:
    """The receivers, each once; ``token`` is that of URLs that are text. InvalidInputError: as ``Receiver``."""
    several = (given,) if isinstance(given, (str, Receiver)) else given or ()
    made = [one if isinstance(one, Receiver) else Receiver(one, token) for one in several]
    return tuple({one.target: one for one in made}.values())
