"""The analyses that are kept: only what has changed is analyzed again, and nothing wrong is ever used."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.estate.analyses import kept
from hive_views.estate.analyses.analyses_of_views import Analyses, analyses_of
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.unit.estate_of_clicks import CLICKS, USERS, clicks_estate

DAILY = TableIdentifier("sales", "daily")
ALL = ["sales.daily", "sales.everything", "sales.joined", "sales.monthly", "sales.weekly"]
Look = Callable[..., list[str]]


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: list[str]) -> ViewCatalog:
    monkeypatch.setenv("HIVE_VIEWS_CACHE_DIR", str(tmp_path / "cache"))
    return clicks_estate(f"file://{tmp_path}/warehouse", MemoryMetastore(on_call=calls.append))


@pytest.fixture
def look(catalog: ViewCatalog) -> Look:
    """The views that were analyzed anew."""

    def looked(*patterns: str) -> list[str]:
        analyzed: list[str] = []
        analyses_of(catalog, *patterns, on_outcome=lambda outcome, *_: analyzed.append(outcome.view))
        return sorted(analyzed)

    return looked


def file(catalog: ViewCatalog) -> Path:
    found = kept.file_for(catalog.metastore)
    assert found is not None
    return found


def shown(found: Analyses) -> dict[str, object]:
    return {str(name): one for name, one in found.views.items()}


def test_what_has_not_changed_is_analyzed_once_and_its_file_is_not_read_again(
    catalog: ViewCatalog, look: Look, calls: list[str], tmp_path: Path
) -> None:
    assert look() == ALL
    fresh = shown(analyses_of(catalog))
    for metadata in (tmp_path / "warehouse").rglob("*.metadata.json"):
        metadata.rename(f"{metadata}.away")
    again = ViewCatalog(catalog.metastore, warehouse=catalog.warehouse)
    calls.clear()
    found = analyses_of(again)
    assert shown(found) == fresh
    assert found.unreadable == {}
    assert calls.count("load_row") == 0
    assert calls.count("load_rows") <= 3
    assert look() == []


def test_a_view_that_was_changed_is_analyzed_again_and_no_other(catalog: ViewCatalog, look: Look) -> None:
    look()
    catalog.replace_view("sales.weekly", sql={"spark": "SELECT p AS top, n + 1 AS n FROM sales.daily"})
    assert look() == ["sales.weekly"]
    row = catalog.metastore.load_row(TableIdentifier("sales", "monthly"))
    catalog.metastore.swap_row(replace(row, expanded_text="SELECT n AS m FROM sales.weekly WHERE n > 1"), expected=None)
    assert look() == ["sales.monthly"]
    catalog.alter_view("sales.daily", sql={"trino": "SELECT page AS p, 1 AS n, ds FROM web.clicks"})
    assert look() == ["sales.daily"]


def test_a_table_that_was_changed_lets_its_readers_be_analyzed_again(catalog: ViewCatalog, look: Look) -> None:
    look()
    row = catalog.metastore.load_row(USERS)
    # An unqualified page is of two tables now.
    catalog.metastore.swap_row(replace(row, columns=(*row.columns, Column("page", "string"))), expected=None)
    assert look() == ["sales.joined"]
    catalog.metastore.drop_row(CLICKS)
    assert look() == ["sales.daily", "sales.everything", "sales.joined"]


def test_a_view_that_is_gone_is_forgotten_but_not_by_a_look_at_others(catalog: ViewCatalog, look: Look) -> None:
    look()
    assert look("sales.w*", "sales.monthly") == []
    assert look() == []
    size = len(kept.read_kept(file(catalog)))
    catalog.drop_view("sales.everything")
    look()
    assert len(kept.read_kept(file(catalog))) == size - 1


def replaced(content: bytes, old: bytes, new: bytes) -> bytes:
    return zlib.compress(zlib.decompress(content).replace(old, new))


@pytest.mark.parametrize(
    "damaged",
    [
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: b"garbage" + content,
        lambda content: zlib.compress(b"no JSON\n" * 3),
        lambda content: zlib.compress(zlib.decompress(content) + b"\n{"),
        lambda content: zlib.compress(
            zlib.decompress(content).replace(b'"analysis-version": ', b'"analysis-version": 9')
        ),
        lambda content: zlib.compress(zlib.decompress(content).replace(b'"texts":', b'"texte":')),
        # One bit.
        lambda content: content[:40] + bytes([content[40] ^ 4]) + content[41:],
    ],
    ids=["empty", "cut", "garbage", "no JSON", "half an entry", "later version", "other content", "one bit"],
)
def test_a_damaged_file_is_never_used(damaged: Callable[[bytes], bytes], catalog: ViewCatalog, look: Look) -> None:
    look()
    right = shown(analyses_of(catalog))
    path = file(catalog)
    path.write_bytes(damaged(path.read_bytes()))
    assert shown(analyses_of(catalog)) == right
    look()
    assert look() == []


def test_an_entry_of_another_view_is_not_used(catalog: ViewCatalog, look: Look) -> None:
    look()
    path = file(catalog)
    header, *lines = zlib.decompress(path.read_bytes()).splitlines()
    lines[1::2] = lines[3::2] + lines[1:2]
    path.write_bytes(zlib.compress(b"\n".join([header, *lines])))
    assert [str(one.view) for one in analyses_of(catalog).views.values()] == ALL


def test_nothing_is_kept_where_nothing_can_be_written(
    catalog: ViewCatalog, look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setenv("HIVE_VIEWS_CACHE_DIR", str(tmp_path / "a file" / "cache"))
    assert look() == ALL
    assert look() == ALL


def test_the_file_is_of_the_user_alone_and_has_no_password(catalog: ViewCatalog, look: Look) -> None:
    look()
    path = file(catalog)
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0
    assert json.loads(zlib.decompress(path.read_bytes()).splitlines()[0])["format-version"] == 1
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_several_at_once_leave_a_whole_file(catalog: ViewCatalog, look: Look) -> None:
    threads = [threading.Thread(target=analyses_of, args=(catalog, name)) for name in ALL * 2]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert set(kept.read_kept(file(catalog))) <= {TableIdentifier.of(name) for name in ALL}
    look()
    assert look() == []


def test_a_file_that_cannot_be_read_is_told_and_looked_at_again(
    catalog: ViewCatalog, look: Look, tmp_path: Path
) -> None:
    [metadata] = (tmp_path / "warehouse" / "sales.db" / "daily").rglob("*.metadata.json")
    metadata.rename(f"{metadata}.away")
    fresh = ViewCatalog(catalog.metastore, warehouse=catalog.warehouse)
    assert [*analyses_of(fresh).unreadable] == [DAILY]
    Path(f"{metadata}.away").rename(metadata)
    found = analyses_of(fresh)
    assert found.unreadable == {}
    assert [one.dialect for one in found.views[DAILY].texts] == ["hive", "trino"]
