"""A catalog of the view ``sales.daily`` that waits for nothing long."""

from __future__ import annotations

import uuid
from typing import Any

from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings

NAME = TableIdentifier("sales", "daily")


def catalog_on(metastore: Metastore, warehouse: str | None = None, **settings: Any) -> ViewCatalog:
    # Calls are counted; whether a row is looked at again must not depend on the speed of a machine.
    counted = {"look_again_after_s": 3600.0}
    settings = {"retry_timeout_s": 5.0, "settle_timeout_s": 0.05, "mend_lock_timeout_s": 0.05, **counted, **settings}
    warehouse = warehouse or f"memory://{uuid.uuid4().hex}"
    catalog = ViewCatalog(metastore, warehouse=warehouse, settings=CommitSettings(**settings))
    catalog.create_namespace("sales", if_not_exists=True)
    return catalog
