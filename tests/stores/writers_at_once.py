"""Several writers of one new name, which begin at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from hive_views.errors import AlreadyExistsError
from hive_views.storage.files import Files


def not_refused(new_files: Callable[[], Files], location: str) -> list[bytes]:
    """What those of eight writers wrote that were not told that there is such a file."""
    contents = [b"%d" % number for number in range(8)]
    start = threading.Barrier(len(contents))

    def write(content: bytes) -> bytes | None:
        files = new_files()
        start.wait()
        try:
            files.write(location, content)
        except AlreadyExistsError:
            return None
        return content

    with ThreadPoolExecutor(len(contents)) as pool:
        return [content for content in pool.map(write, contents) if content is not None]
