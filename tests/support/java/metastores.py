"""The metastore of tests that take any: an embedded one, or the one that is named in the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hive_views.metastore.embedded.local_metastore import LocalMetastore
from tests.support.java.spark_on_hive_4 import METASTORE_URI


@contextmanager
def embedded_or_named(directory: Path) -> Iterator[str]:
    """The URI of a real Hive 2.3.10 metastore below a directory, which ends afterwards, or of the one that is named."""
    if METASTORE_URI in os.environ:
        yield os.environ[METASTORE_URI]
        return
    with LocalMetastore(directory) as server:
        assert server.uri
        yield server.uri
