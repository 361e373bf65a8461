"""The URIs that name a metastore."""

from __future__ import annotations

import pickle

import pytest

from hive_views import ViewCatalog
from hive_views.errors import InvalidInputError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.open import default_warehouse, open_metastore
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.support.processes.another_user import NAMELESS, run_as


@pytest.mark.parametrize("uri", ["thrift://a:9083", "thrift://a:9083,thrift://b", "thrift://a,b:9084"])
def test_thrift_names_servers_and_connects_with_the_first_call_only(uri: str) -> None:
    metastore = open_metastore(uri)
    assert isinstance(metastore, HiveMetastore)
    assert repr(pickle.loads(pickle.dumps(metastore))) == repr(metastore)


@pytest.mark.parametrize("uri", ["memory:", "memory://"])
def test_memory_is_a_new_metastore_each_time(uri: str) -> None:
    first, second = open_metastore(uri), open_metastore(uri)
    assert isinstance(first, MemoryMetastore)
    first.create_namespace("sales")
    assert second.list_namespaces() == ["default"]


@pytest.mark.parametrize("uri", ["", "a:9083", "http://a", "jdbc:hive2://a", "memory://x", "/data/views"])
def test_another_scheme_is_refused_and_the_known_ones_are_named(uri: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        open_metastore(uri)
    for scheme in ("thrift://", "local:///", "memory:"):
        assert scheme in str(refusal.value)


@pytest.mark.parametrize("uri", ["local://", "local://data/views", "local://./views"])
def test_the_path_of_an_embedded_metastore_is_absolute(uri: str) -> None:
    with pytest.raises(InvalidInputError, match="is absolute"):
        open_metastore(uri)


@pytest.mark.parametrize(
    ("uri", "warehouse"),
    [
        ("local:///data/ms", "file:///data/ms/views"),
        ("local:///data/ms/", "file:///data/ms/views"),
        ("thrift://a", None),
    ],
)
def test_views_of_an_embedded_metastore_are_beside_it_unless_a_warehouse_is_given(
    uri: str, warehouse: str | None
) -> None:
    assert default_warehouse(uri) == warehouse


def test_two_metastores_in_memory_share_no_directory() -> None:
    ours, others = default_warehouse("memory:"), default_warehouse("memory:")
    assert (ours or "").startswith("memory://")
    assert ours != others


def test_connect_refuses_an_unknown_way_to_lock_before_it_opens_anything() -> None:
    with pytest.raises(InvalidInputError, match="auto, always, never"):
        ViewCatalog.connect("memory:", lock="nevr")  # type: ignore[arg-type]


def test_connect_hands_on_warehouse_owner_lock_and_time_outs() -> None:
    with ViewCatalog.connect(
        "memory:", warehouse="memory://lake", owner="etl", lock="never", retry_timeout_s=3, storage_options={"a": 1}
    ) as catalog:
        assert catalog.warehouse == "memory://lake"
        assert (catalog.settings.owner, catalog.settings.lock) == ("etl", "never")
        assert catalog.settings.retry_timeout_s == 3
        view = catalog.create_view("default.v", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
        assert view.owner == "etl"
        assert view.location == "memory://lake/default.db/v"


@pytest.mark.peer("root")
def test_a_user_without_a_name_or_a_home_connects() -> None:
    """As in Kubernetes, where a container runs under a number."""
    ended = run_as(
        NAMELESS,
        """
from hive_views import load_catalog

def owner():
    with load_catalog(uri="memory:") as catalog:
        return catalog.settings.owner

owner()  # All that is imported on the way has been read then.
become()
print(owner())
""",
    )
    assert ended.stderr == ""
    assert ended.stdout.split() == [str(NAMELESS)]
