"""Greek, Japanese and emoji on PostgreSQL, and on MariaDB with its latin1 schema: kept, or reported as lost."""

from __future__ import annotations

import logging
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import (
    InvalidInputError,
    InvalidPartitionError,
)
from hive_views.hive.row import POINTER
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View
from tests.support.containers.metastores import MetastoreServer

ANY_SCRIPT = "Ωμέγα 日本語 \U0001f4cf"
LITERAL = f"SELECT user_id, '{ANY_SCRIPT}' AS clicks, ds FROM web.clicks"
COLUMNS = [("user_id", "bigint"), ("clicks", "string"), ("ds", "string")]


def holds_any_text(server: MetastoreServer) -> bool:
    return server.kind == "postgres"


def newcomer(server: MetastoreServer) -> ViewCatalog:
    """It knows no file yet, so that all it has comes from the row and the storage."""
    return ViewCatalog(server.client, MetadataStorage())


def is_ascii(view: View) -> bool:
    parameters = {name: value for name, value in view.row.parameters.items() if name.startswith("hive-views.")}
    parameters |= {name: view.row.parameters[name] for name in (POINTER, "uuid")}
    return all(name.isascii() and value.isascii() for name, value in parameters.items())


def test_a_literal_in_any_script_is_right_in_the_row_of_every_database(
    server: MetastoreServer, catalog: ViewCatalog, namespace: str
) -> None:
    """Escaped as \\uXXXX, which Hive and Spark read back the same; as typed it may be lost, and that is reported."""
    created = catalog.create_view(f"{namespace}.v", sql={"hive": LITERAL}, schema=COLUMNS)
    loaded = newcomer(server).load_view(f"{namespace}.v")
    assert loaded.original_sql("hive") == LITERAL
    expanded = loaded.row.expanded_text or ""
    assert expanded.isascii()
    # What Hive makes of the escapes is proved in tests/interop; here, that they are all there.
    assert (
        expanded.encode().decode("unicode-escape").encode("utf-16", "surrogatepass").decode("utf-16").count(ANY_SCRIPT)
    )
    lost = [(found.kind, found.what) for found in loaded.differences]
    assert lost == ([] if holds_any_text(server) else [("needs repair", "original text")])
    assert [(found.kind, found.what) for found in created.differences] == lost
    assert is_ascii(loaded)


def test_comments_and_names_in_any_script_are_kept_or_the_loss_is_reported_with_the_fields(
    server: MetastoreServer, catalog: ViewCatalog, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    text = "SELECT `größe`, `μέτρο` FROM web.clicks"
    with caplog.at_level(logging.WARNING, "hive_views"):
        created = catalog.create_view(
            f"{namespace}.v",
            sql={"hive": text},
            schema=[("größe", "bigint", "日本語"), ("μέτρο", "string", "\U0001f4cf")],
            comment=ANY_SCRIPT,
            properties={"team": "Ωμέγα"},
        )
    loaded = newcomer(server).load_view(f"{namespace}.v")
    assert loaded.schema.names == ("größe", "μέτρο")
    assert (loaded.comment, loaded.properties["team"]) == (ANY_SCRIPT, "Ωμέγα"), "the file has it all"
    lost = {found.what for found in loaded.differences}
    assert {found.kind for found in loaded.differences} <= {"needs repair"}
    if holds_any_text(server):
        assert lost == set()
        assert "did not keep" not in caplog.text
    else:
        assert lost == {"columns", "expanded text", "original text", "parameter comment", "parameter team"}
        assert {found.what for found in created.differences} == lost
        for what in lost:
            assert f"did not keep {what}" in caplog.text
    assert is_ascii(loaded)


def test_a_view_whose_row_lost_text_goes_on_being_changed(
    server: MetastoreServer, catalog: ViewCatalog, namespace: str
) -> None:
    catalog.create_view(f"{namespace}.v", sql={"hive": LITERAL}, schema=COLUMNS, comment=ANY_SCRIPT)
    changed = newcomer(server).alter_view(f"{namespace}.v", comment="plain")
    assert changed.original_sql("hive") == LITERAL
    catalog.partitions(
        catalog.replace_view(f"{namespace}.v", sql={"hive": LITERAL}, partitioned_on=["ds"]).identifier
    ).add([{"ds": "2026-08-21"}])
    assert newcomer(server).load_view(f"{namespace}.v").comment == "plain"


def test_partition_values_in_any_script_are_kept_or_refused_and_the_outcome_is_known(
    server: MetastoreServer, catalog: ViewCatalog, namespace: str
) -> None:
    """A latin1 database makes the server try for 20 s before it says no; the default time-outs are longer."""
    catalog.create_view(
        f"{namespace}.v",
        sql={"hive": "SELECT 1 AS a, 'x' AS ds"},
        schema=[("a", "int"), ("ds", "string")],
        partitioned_on=["ds"],
    )
    with closing(HiveMetastore(server.uri)) as metastore:
        partitions = ViewCatalog(metastore).partitions(f"{namespace}.v")
        if holds_any_text(server):
            assert partitions.add([{"ds": ANY_SCRIPT}]) == [partitions.name_of({"ds": ANY_SCRIPT})]
            assert partitions.values() == [{"ds": ANY_SCRIPT}]
            assert partitions.drop([{"ds": ANY_SCRIPT}]) == [partitions.name_of({"ds": ANY_SCRIPT})]
            return
        with pytest.raises(InvalidPartitionError, match="cannot hold"):
            partitions.add([{"ds": ANY_SCRIPT}])
        assert partitions.names() == []
        assert partitions.add([{"ds": "é"}]) == [partitions.name_of({"ds": "é"})]


def test_a_location_that_is_not_ascii_is_refused_before_anything_is_written(
    server: MetastoreServer, namespace: str, tmp_path: Path
) -> None:
    place = f"{tmp_path}/Ωμέγα"
    with pytest.raises(InvalidInputError, match="ASCII"):
        ViewCatalog(server.client, warehouse=place)
    view: dict[str, Any] = {"sql": {"hive": "SELECT 1 AS a"}, "schema": [("a", "int")]}
    with pytest.raises(InvalidInputError, match="ASCII"):
        ViewCatalog(server.client).create_view(f"{namespace}.v", location=place, **view)
    assert server.client.list_view_names(namespace) == []
    assert list(tmp_path.iterdir()) == []


def test_a_parameter_of_a_partition_that_is_not_ascii_is_refused_before_anything_is_written(
    server: MetastoreServer, catalog: ViewCatalog, namespace: str
) -> None:
    catalog.create_view(f"{namespace}.v", sql={"hive": LITERAL}, schema=COLUMNS, partitioned_on=["ds"])
    with pytest.raises(InvalidPartitionError, match="ASCII"):
        catalog.partitions(f"{namespace}.v").add([{"ds": "a"}], parameters={"by": "Ω"})
    assert catalog.partitions(f"{namespace}.v").names() == []
