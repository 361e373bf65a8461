"""A writer as a process of its own, for tests that run many of them or kill one: commits texts, prints each when done.

What lives here: ``python writer_process.py URI WAREHOUSE NAME LOCK WRITER COUNT``. What must not: assertions.
"""

from __future__ import annotations

import sys

from hive_views.catalog import ViewCatalog
from hive_views.commit import CommitSettings
from hive_views.metastore.hms import HiveMetastore


def main(uri: str, warehouse: str, name: str, lock: str, writer: str, count: str) -> None:
    settings = CommitSettings(lock=lock, retry_timeout_s=120.0)  # type: ignore[arg-type]
    with ViewCatalog(HiveMetastore(uri), warehouse=warehouse, settings=settings) as catalog:
        for number in range(int(count)):
            text = f"SELECT user_id, '{writer}-{number}' AS clicks, ds FROM web.clicks"
            catalog.replace_view(name, sql={"hive": text})
            print(f"{writer}-{number}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
