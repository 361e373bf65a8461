"""An archive of the classes that an embedded metastore loads, for tests that start many: each in half the time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from hive_views.metastore.embedded.home import Home, lock_directory
from hive_views.metastore.embedded.java import find_jars
from hive_views.metastore.embedded.server_process import end_java, hive_settings, launch_java, start_hive

OPTIONS = "JDK_JAVA_OPTIONS"
_TIMEOUT_S = 300


def archive_classes(java: Path, directory: Path) -> Path:
    """Run a metastore once below a directory; Java writes the archive when it ends."""
    home, archive = Home(directory / "home"), directory / "classes.jsa"
    home.prepare()
    lock = lock_directory(home.derby, fcntl.LOCK_EX)
    assert lock is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OPTIONS, f"-XX:ArchiveClassesAtExit={archive} {_quiet()}")
        process = launch_java(home, str(java), str(find_jars()), lock)
    os.close(lock)
    try:
        start_hive(process, hive_settings(home))
        assert process.stdin
        process.stdin.close()
        process.wait(_TIMEOUT_S)
    finally:
        end_java(process)
    assert archive.exists()
    return archive


def with_classes(archive: Path) -> str:
    """The value of ``OPTIONS`` by which Java takes what it can of an archive."""
    return f"-XX:SharedArchiveFile={archive} {_quiet()}"


def _quiet() -> str:
    # What Java says of an archive would be on the standard output, where the port of its bridge is expected.
    return f"-Xlog:disable {os.environ.get(OPTIONS, '')}".strip()
