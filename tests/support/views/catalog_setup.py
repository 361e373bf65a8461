"""What the contract of the catalog is tried on: a metastore, a warehouse, and one definition of a view."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import fsspec
import pytest

from hive_views.errors import NoSuchTableError
from hive_views.hive.row import VIRTUAL_VIEW, Column, Row
from hive_views.metastore.port import Metastore
from hive_views.persisted import WHEREABOUTS_SUFFIX
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.locking import LockMode
from hive_views.views.view import View

SELECT = "SELECT user_id, count(*) AS clicks, ds FROM web.clicks GROUP BY user_id, ds"
BETTER = "SELECT user_id, count(DISTINCT page) AS clicks, ds FROM web.clicks GROUP BY user_id, ds"
COLUMNS = [("user_id", "bigint"), ("clicks", "bigint", "how often"), ("ds", "string")]
WIDER = "SELECT user_id, country, count(*) AS clicks, ds FROM web.clicks GROUP BY user_id, country, ds"
WIDER_COLUMNS = [("user_id", "bigint"), ("country", "string"), ("clicks", "bigint", "how often"), ("ds", "string")]


class CatalogSetup:
    """Inherit CatalogContract, give a fixture ``metastore``, and say how this server differs from Hive 2.3.10."""

    lock: LockMode = "auto"
    changes_columns_in_one_call = True
    """Whether the columns of a view with bare partitions can change by one call, as by one of Iceberg Java."""
    stores_descriptors = False
    """Whether partitions get an empty storage descriptor, since a listener of the server asks for one."""

    holds_any_text = True
    """Not so the official schema for MySQL and MariaDB, which is latin1."""

    @pytest.fixture
    def metastore(self) -> Metastore:
        raise NotImplementedError("a fixture of the class that inherits this")

    @pytest.fixture
    def warehouse(self, tmp_path: Path) -> str:
        return f"file://{tmp_path}/warehouse"

    @pytest.fixture
    def settings(self) -> CommitSettings:
        return CommitSettings(lock=self.lock, retry_timeout_s=10.0, settle_timeout_s=0.2, mend_lock_timeout_s=0.2)

    @pytest.fixture
    def catalog(self, metastore: Metastore, warehouse: str, settings: CommitSettings) -> ViewCatalog:
        return ViewCatalog(metastore, MetadataStorage(), warehouse=warehouse, settings=settings)

    @pytest.fixture
    def namespace(self, metastore: Metastore) -> str:
        name = f"catalog_{uuid.uuid4().hex[:12]}"
        metastore.create_namespace(name)
        return name

    @pytest.fixture
    def view(self, catalog: ViewCatalog, namespace: str) -> View:
        """``<namespace>.daily`` with a ``hive`` and a ``trino`` text, not partitioned."""
        return create(catalog, f"{namespace}.daily")

    @pytest.fixture
    def partitioned(self, catalog: ViewCatalog, namespace: str) -> View:
        """``<namespace>.by_day``, the same partitioned on ``ds``."""
        return create(catalog, f"{namespace}.by_day", partitioned_on=["ds"])


def create(catalog: ViewCatalog, name: str, **changes: Any) -> View:
    """The usual view, apart from ``changes``."""
    return catalog.create_view(name, **{"sql": {"hive": SELECT, "trino": SELECT}, "schema": COLUMNS, **changes})


def plain_view_row(namespace: str, name: str) -> Row:
    """A view as Hive makes it, without a metadata file."""
    return Row(
        identifier=TableIdentifier(namespace, name),
        table_type=VIRTUAL_VIEW,
        owner="hive",
        columns=(Column("u", "bigint", "user"), Column("ds", "string")),
        input_format="org.apache.hadoop.mapred.TextInputFormat",
        output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        original_text="select user_id, ds from web.hclicks",
        expanded_text="SELECT `user_id` AS `u`, `ds` AS `ds` FROM (select `hclicks`.`user_id`, `hclicks`.`ds` "
        "from `web`.`hclicks`) `made_by_hive`",
        parameters={"comment": "made by hive", "k": "v"},
    )


def table_row(namespace: str, name: str, **parameters: str) -> Row:
    """A table without any data, or with ``table_type`` one of Iceberg."""
    return replace(
        plain_view_row(namespace, name),
        table_type="EXTERNAL_TABLE",
        original_text=None,
        expanded_text=None,
        parameters={"EXTERNAL": "TRUE", **parameters},
    )


def row_of(catalog: ViewCatalog, name: str | TableIdentifier) -> Row | None:
    try:
        return catalog.metastore.load_row(TableIdentifier.of(name))
    except NoSuchTableError:
        return None


def files_of(catalog: ViewCatalog) -> list[str]:
    """All files below the warehouse, whatever they are, without the notes of what became of views."""
    assert catalog.warehouse
    fs, path = fsspec.core.url_to_fs(catalog.warehouse)
    fs.invalidate_cache()
    return sorted(file for file in fs.find(path) if not file.endswith(WHEREABOUTS_SUFFIX))


def content_of(view: View) -> tuple[object, ...]:
    """What a view says, without what distinguishes its commits and its row from others of the same view."""
    metadata = view.metadata
    return (
        view.uuid,
        view.location,
        view.properties,
        view.partitioned_on,
        metadata.versions,
        metadata.schemas,
        view.history,
    )


@contextmanager
def nothing_written(catalog: ViewCatalog, *names: str | TableIdentifier) -> Iterator[None]:
    """The rows of these names and all files of the warehouse are the same afterwards."""
    before = [row_of(catalog, name) for name in names], files_of(catalog)
    yield
    assert ([row_of(catalog, name) for name in names], files_of(catalog)) == before
