"""Notes of requests that cannot be recorded with their view, because it is gone or may be."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from hive_views.errors import CorruptMetadataError, HiveViewsError
from hive_views.hive.row import POINTER, VIEW_UUID, Row
from hive_views.messages.logs import logger_of
from hive_views.persisted import FILE_FORMAT, OWNS, REQUEST_SUFFIX
from hive_views.spec.strict_json import read_json
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import is_note_of_request, requests_directory

log = logger_of(__name__)

REQUESTS_REMEMBERED = timedelta(days=1)
"""For how long at least a note stays."""


@dataclass(frozen=True)
class ViewIdentity:
    """What distinguishes a view from others that have had its name, or will.

    Attributes:
        owns: the incarnation of its row; None for a row that is not ours, and may become so.
        view_uuid: of the view; several rows may have it.
        pointer: to its metadata file, as it was then.
    """

    owns: str | None
    view_uuid: str | None
    pointer: str | None

    @classmethod
    def of(cls, row: Row) -> ViewIdentity:
        return cls(row.parameters.get(OWNS), row.parameters.get(VIEW_UUID), row.parameters.get(POINTER))

    def is_of(self, row: Row) -> bool:
        """Whether it is the view that has the row now."""
        now = ViewIdentity.of(row)
        if self.owns:
            return now.owns == self.owns
        return (now.view_uuid or now.pointer) == (self.view_uuid or self.pointer)


class RequestNote:
    """The note of one request about a view of one name.

    Args:
        storage: of its file.
        location: the directory in which a view of this name is made.
        request: the request (``request_hash``).
        clock_ms: the time, in milliseconds since 1970.
    """

    def __init__(self, storage: MetadataStorage, location: str, request: str, clock_ms: Callable[[], int]) -> None:
        self.request = request
        self._storage = storage
        self._directory = requests_directory(location)
        self._file = f"{self._directory}/{request}{REQUEST_SUFFIX}"
        self._clock_ms = clock_ms

    def read(self) -> ViewIdentity | None:
        """The view that the request was to rename or drop, or has made; None where that is unknown, or damaged.

        Raises:
            StorageUnavailableError: the storage failed or refused.
        """
        with suppress(CorruptMetadataError, ValueError, TypeError, KeyError):
            noted: dict[str, Any] = read_json(self._storage.read_bytes(self._file))
            said = [noted[key] for key in ("owns", "view-uuid", "pointer")]
            if all(one is None or isinstance(one, str) for one in said):
                return ViewIdentity(*said)
        return None

    def write(self, identity: ViewIdentity) -> None:
        """Note the view; notes that are old go.

        Raises:
            AlreadyExistsError: another one is noted.
            StorageUnavailableError: the storage failed or refused.
        """
        noted = {"owns": identity.owns, "view-uuid": identity.view_uuid, "pointer": identity.pointer}
        self._storage.write_bytes(self._file, json.dumps({"format-version": FILE_FORMAT, **noted}).encode())
        try:
            self._forget_old()
        except HiveViewsError as error:
            log.warning("old notes in %s could not be deleted: %s", self._directory, error)

    def _forget_old(self) -> None:
        oldest_ms = self._clock_ms() - REQUESTS_REMEMBERED // timedelta(milliseconds=1)
        for info in self._storage.list_infos(self._directory):
            is_old = info.modified_at_ms is not None and info.modified_at_ms < oldest_ms
            if is_old and is_note_of_request(info.location):
                self._storage.delete(info.location)
