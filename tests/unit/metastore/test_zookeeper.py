"""Addresses of ZooKeeper; what it knows is asked of a real one in ``tests/servers``."""

from __future__ import annotations

import sys

import pytest

from hive_views.errors import InvalidInputError, UnsupportedFeatureError
from hive_views.metastore.open import open_metastore


@pytest.mark.parametrize("uri", ["zookeeper://", "zookeeper:///hive_metastore", "zookeeper://a?x", "zookeeper://u@a/x"])
def test_what_is_no_address_of_zookeeper_is_refused(uri: str) -> None:
    with pytest.raises(InvalidInputError, match="write zookeeper://host:2181/hive_metastore"):
        open_metastore(uri)


def test_without_its_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kazoo.client", None)
    with pytest.raises(UnsupportedFeatureError, match=r"hive_views\[zookeeper\]"):
        open_metastore("zookeeper://a")
