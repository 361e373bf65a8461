"""Many plain views on a real metastore, some of them broken: adopted, named, counted, killed in between."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.integration.conftest import Run
from tests.support.failing.adopting_many import adopt_all_though_killed
from tests.support.plain_rows.broken import BROKEN, sound_row


@pytest.fixture(scope="module")
def calls() -> list[str]:
    return []


@pytest.fixture(scope="module")
def counted(metastore_uri: str, calls: list[str]) -> Iterator[HiveMetastore]:
    metastore = HiveMetastore(metastore_uri, on_call=calls.append)
    yield metastore
    metastore.close()


@pytest.fixture
def catalog(counted: HiveMetastore, tmp_path: Path) -> ViewCatalog:
    return ViewCatalog(counted, warehouse=f"{tmp_path}/views")


@pytest.fixture
def space(catalog: ViewCatalog, tmp_path: Path) -> str:
    name = f"many_{uuid.uuid4().hex[:12]}"
    catalog.create_namespace(name, location=f"file:{tmp_path}")
    return name


def test_all_sound_views_are_adopted_and_all_broken_ones_named_though_the_first_run_was_killed(
    catalog: ViewCatalog, space: str, calls: list[str], metastore_uri: str
) -> None:
    """The benchmarks do it with 3,000."""
    adopt_all_though_killed(catalog, calls, metastore_uri, space, views=250, each_broken=3)


def test_the_commands_adopt_and_release_and_end_with_1_where_a_view_is_broken(
    catalog: ViewCatalog, space: str, run: Run
) -> None:
    for name in ("a", "b"):
        catalog.metastore.create_row(sound_row(TableIdentifier(space, name)))
    catalog.metastore.create_row(BROKEN["text_does_not_parse"](TableIdentifier(space, "broken")))

    planned = run("adopt", "--namespace", space, "--dry-run", "--output", "json")
    assert planned.code == 1
    assert json.loads(planned.out)["counts"] == {"planned": 2, "failed": 1}

    ended = run("adopt", f"{space}.*")
    assert ended.code == 1
    assert "3 views: 2 adopted, 1 failed (BrokenViewError)." in ended.out
    assert f"{space}.broken" in ended.out
    assert run("list", "--managed", f"{space}.*").out.split() == [f"{space}.a", f"{space}.b"]

    assert run("adopt", f"{space}.a", f"{space}.b", "--output", "json").document["counts"] == {"unchanged": 2}
    released = run("hand-back", f"{space}.a", "--output", "json").document
    assert released["counts"] == {"done": 1}
    file = released["views"][0]["metadata_location"]
    assert catalog.storage.read(file).view_uuid
    shown = run("show", f"{space}.a")
    assert shown.code == 3
    assert "hive-views " in shown.err
    assert run("register", f"{space}.a", file, "--overwrite").code == 0
    assert catalog.load_view(f"{space}.a").differences == ()
