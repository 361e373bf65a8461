"""The stores of these tests, each behind a server that spoils what a test chooses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import fsspec
import pytest

from hive_views.storage.files import Files
from tests.support.failing.scripted_http import Said, ScriptedHttp
from tests.support.processes.object_store_server import ObjectStoreServer

STORES = ("S3", "Azure", "GCS")
NAMES = {"s3": "S3", "azure": "Azure", "gcs": "GCS"}
EACH = [
    pytest.param("s3", marks=pytest.mark.peer("moto")),
    pytest.param("azure", marks=pytest.mark.peer("azurite")),
    pytest.param("gcs", marks=pytest.mark.peer("fake-gcs-server")),
]


@dataclass
class Store:
    """A new bucket or container of one kind of store.

    Attributes:
        kind: ``s3``, ``azure`` or ``gcs``.
        server: the server that it is on.
        before: in front of that, where all requests of ``options`` pass.
        lake: its location.
    """

    kind: str
    server: ObjectStoreServer
    before: ScriptedHttp
    lake: str

    @property
    def options(self) -> dict[str, Any]:
        return self.server.options_at(self.before.url)

    @property
    def upload(self) -> str:
        """The method of a request that writes a file."""
        return "POST" if self.kind == "gcs" else "PUT"

    def fs_of_users(self, *, is_of_another_process: bool = False) -> Any:
        """The file system that a user's own code gets, which fsspec shares within a process and which keeps listings.

        Args:
            is_of_another_process: one that shares nothing with those of this process.
        """
        # Given as False, it would count as an option of one's own.
        alone = {"skip_instance_cache": True} if is_of_another_process else {}
        return fsspec.filesystem(self.lake.partition(":")[0], **alone, **self.server.options)

    def new_files(self) -> Files:
        return Files(self.options)

    def say_once(self, said: Said, method: str) -> None:
        """The next request of this method is answered so, and not done."""
        left = [said]
        self.before.says = lambda asked, path: left.pop() if asked == method and left else None

    def spoil_once(self, method: str, **changes: Any) -> None:
        """The next request of this method is done, and its answer is another."""
        left = [changes]
        self.before.spoils = lambda asked, answer: replace(answer, **left.pop()) if asked == method and left else answer

    def requests(self, method: str) -> list[str]:
        return [one for one in self.before.requests if one.startswith(f"{method} ")]
