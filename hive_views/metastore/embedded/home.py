"""The directory of an embedded metastore: what is in it, and who holds which lock on it.

Which processes live is known from locks of the kernel alone (``flock``), which no crash and no ``kill -9`` leaves
behind:

- the server process and its Java hold ``derby/`` exclusively, for as long as one of them lives;
- the server process alone holds the directory itself, so that a Java whose server process was killed, and which is
  about to end, is not taken for a server;
- every process that uses the server holds ``warehouse/`` shared; the server ends when it gets it exclusively.

The directories themselves are locked, so there are no lock files to clean up.
"""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from hive_views.errors import InvalidInputError, MetastoreUnavailableError, UnsupportedFeatureError

_LOG_TAIL_LINES = 30
_CONNECTIONS = Path("/proc/self/net/tcp")


@dataclass(frozen=True)
class Record:
    """What a running server writes about itself; ``token`` is also its answer to the call ``getName``."""

    port: int
    pid: int
    token: str

    @property
    def uri(self) -> str:
        return f"thrift://127.0.0.1:{self.port}"


class Home:
    """The directory of an embedded metastore and the files in it.

    Attributes:
        keep: its presence keeps the server running when it is not used.
        stop: its presence stops the server immediately.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.derby, self.warehouse = path / "derby", path / "warehouse"
        self.log, self.record = path / "metastore.log", path / "metastore.json"
        self.keep, self.stop = path / "metastore.keep", path / "metastore.stop"

    def prepare(self) -> None:
        """Make the directories that are missing.

        Raises:
            InvalidInputError: a file is where a directory should be.
            MetastoreUnavailableError: they cannot be made.
        """
        try:
            self.derby.mkdir(parents=True, exist_ok=True)
            self.warehouse.mkdir(exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise InvalidInputError(
                f"Cannot keep a metastore in {self.path}: {error.filename} is a file. Give a directory.",
                location=str(self.path),
            ) from error
        except OSError as error:
            raise MetastoreUnavailableError(
                f"Cannot create the directories of a metastore in {self.path}: {error}.", location=str(self.path)
            ) from error

    def read_record(self) -> Record | None:
        try:
            return Record(**json.loads(self.record.read_bytes()))
        except FileNotFoundError:
            return None

    def write_record(self, record: Record) -> None:
        draft = self.record.with_suffix(".draft")
        draft.write_text(json.dumps(asdict(record)))
        draft.replace(self.record)

    def clear(self) -> None:
        """Remove what only a running server needs. The caller holds ``derby/``."""
        for file in (self.record, self.keep, self.stop):
            file.unlink(missing_ok=True)

    def log_tail(self) -> str:
        if not self.log.exists():
            return "(there is no log)"
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-_LOG_TAIL_LINES:])


def knows_owners_of_connections() -> bool:
    """Whether this system reports whose a connection on this machine is, as Linux does."""
    return _CONNECTIONS.exists()


def lock_directory(directory: Path, kind: int) -> int | None:
    """An open descriptor that holds the directory (``LOCK_SH`` or ``LOCK_EX``); None while another's lock forbids it.

    The lock ends when the last copy of the descriptor is closed, by whatever means; copies pass to forked children.

    Raises:
        UnsupportedFeatureError: the file system has no such locks (NFS).
    """
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError as error:
        os.close(descriptor)
        raise UnsupportedFeatureError(
            f"Cannot keep a metastore in {directory.parent}: its file system cannot lock directories "
            f"({error.strerror}). Choose a directory on a local disk.",
            location=str(directory),
        ) from error
    return descriptor


def is_locked(directory: Path, kind: int) -> bool:
    """Whether another lock prevents this kind of lock now."""
    descriptor = lock_directory(directory, kind)
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is None
