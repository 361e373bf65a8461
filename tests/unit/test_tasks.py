"""The page of tasks: its commands are run one after the other as they are typed, and do what the page says of them.

Only the places are the test's own: metastores in memory, a bucket of views and one of archives in its directory.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

import pytest
from click.testing import CliRunner

from hive_views.cli import cli
from hive_views.config import Settings
from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.batch.publications_file import _Written
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.readmes import examples, text_of

PAGE = "hive_views/tasks.md"
OLD, NEW = "thrift://metastore:9083", "thrift://new-metastore:9083"
NOW_MS = int(datetime(2026, 8, 21, 23, 30, tzinfo=timezone.utc).timestamp() * 1000)
CLICKS = TableIdentifier("web", "clicks")
BETTER = "SELECT user_id, ds FROM web.clicks WHERE user_id > 0"
COLUMNS = [("user_id", "bigint"), ("ds", "string")]
ARCHIVE = "views-2026-08-21.zip"
RELEASE = r"\d{8}T\d{6}-[0-9a-f]{6}"


@dataclass
class World:
    """A day in August, with a table of clicks and two views, of which one reads the other."""

    path: Path
    metastores: dict[str, MemoryMetastore] = field(default_factory=dict)
    days: set[str] = field(default_factory=set)

    @property
    def lake(self) -> ViewCatalog:
        return self.connect(OLD, f"file://{self.path}/lake/views")

    def connect(self, uri: str, warehouse: str | None) -> ViewCatalog:
        if uri not in self.metastores:
            self.metastores[uri] = MemoryMetastore()
            self.make_clicks(self.metastores[uri])
            for day in self.days:
                self.load(day)
        catalog = ViewCatalog(self.metastores[uri], warehouse=warehouse)
        catalog.settings = replace(catalog.settings, clock_ms=lambda: NOW_MS)
        return catalog

    def make_clicks(self, metastore: MemoryMetastore) -> None:
        metastore.create_namespace("web")
        columns, keys = (Column("user_id", "bigint"),), (Column("ds", "string"),)
        location = f"file:{self.path}/clicks"
        table = Row(CLICKS, "EXTERNAL_TABLE", "me", columns=columns, partition_keys=keys, location=location)
        metastore.create_row(table)

    def load(self, day: str, content: str = "1") -> None:
        """Write a day of clicks, as a job does; again, if it is there."""
        directory = self.path / "clicks" / f"ds={day}"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "part-0").write_text(content)
        self.days.add(day)
        partition = Partition((day,), has_descriptor=True, location=f"file:{directory}")
        for metastore in self.metastores.values():
            metastore.add_partitions(CLICKS, [partition], if_not_exists=True)

    def forget(self, *views: str) -> None:
        """What another program does that drops a view, or all of a database."""
        for view in views:
            self.metastores[OLD].drop_row(TableIdentifier.of(view))

    def drop_database(self) -> None:
        self.forget(*(str(one) for one in self.lake.list_views("sales")))
        self.metastores[OLD].drop_namespace("sales")

    def run(self, line: str, *, ends_with: int = 0) -> str:
        words = shlex.split(line.replace("s3:/", str(self.path)), comments=True)
        assert words[0] == "hive-views", line
        ended = CliRunner().invoke(cli, words[1:], prog_name="hive-views")
        assert ended.exit_code == ends_with, (line, ended.output, ended.exception)
        return ended.stdout

    def run_all(self, block: str) -> str:
        """What the last command of a block prints; each one succeeds."""
        return [self.run(line) for line in block.splitlines()][-1]


def blocks(heading: str, language: str = "shell") -> list[str]:
    return [one.text for one in examples(PAGE, language, heading)]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    for name in [name for name in os.environ if name.startswith("HIVE_VIEWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HIVE_CONF_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    world = World(tmp_path)
    # A metastore in memory lives in one process, and each call of the command connects anew.
    monkeypatch.setattr(Settings, "connect", lambda settings: world.connect(settings.uri, settings.warehouse))
    for place in ("backups", "lake"):
        (tmp_path / place).mkdir()
    config, publications = (one.text for one in examples(PAGE, "toml"))
    (tmp_path / "hive-views.toml").write_text(config.replace("s3:/", str(tmp_path)))
    (tmp_path / "publications.toml").write_text(publications)
    for name in ("daily", "weekly"):
        (tmp_path / f"{name}.sql").write_text(BETTER)
    lake = world.lake
    lake.create_namespace("sales")
    for view, base in (("daily", "web.clicks"), ("weekly", "sales.daily")):
        query = f"SELECT user_id, ds FROM {base}"
        lake.create_view(f"sales.{view}", sql={"hive": query}, schema=COLUMNS, partitioned_on=["ds"])
    world.load("2026-08-20")
    world.run("hive-views publish --file publications.toml")
    assert lake.partitions("sales.weekly").names() == ["ds=2026-08-20"]
    return world


def state_of(catalog: ViewCatalog) -> dict[str, tuple[str, list[str]]]:
    """The views by their uuids and partitions."""
    names = catalog.list_views("sales")
    return {str(one): (catalog.load_view(one).uuid, catalog.partitions(one).names()) for one in names}


def test_a_nightly_backup(world: World) -> None:
    [block] = blocks("Back up every night")
    dry, real, listed = block.splitlines()
    assert "1 archive kept" in world.run(dry)
    assert not (world.path / "backups" / ARCHIVE).exists()
    assert "1 archive kept, 0 deleted" in world.run(real)
    assert "2 views, backed up at 2026-08-21" in world.run(listed)
    (world.path / "backups/views-2026-08-01.zip").write_text("somebody's")
    again = json.loads(world.run(f"{real} --overwrite --output json", ends_with=1))["rotation"]
    assert [len(again[key]) for key in ("kept", "deleted", "problems")] == [1, 0, 1]
    world.lake.storage.delete(world.lake.load_view("sales.daily").metadata_location)
    assert json.loads(world.run(f"{dry} --overwrite --output json", ends_with=1))["rotation"] is None


def test_disasters(world: World) -> None:
    dropped, database, files, metastore, bucket = blocks("After a disaster")
    world.run(blocks("Back up every night")[0].splitlines()[1])
    before = state_of(world.lake)

    world.lake.drop_view("sales.daily")
    world.run_all(dropped)
    assert state_of(world.lake) == before

    world.drop_database()
    world.run_all(database)
    assert state_of(world.lake) == before

    world.drop_database()
    shutil.rmtree(world.path / "lake/views/sales.db")
    world.run_all(files)
    assert state_of(world.lake) == before

    late = {"sql": {"hive": "SELECT user_id, ds FROM web.clicks"}, "schema": COLUMNS, "partitioned_on": ["ds"]}
    world.lake.create_view("sales.late", **late)
    created_since = state_of(world.lake)
    changed_since = world.lake.replace_view("sales.weekly", sql={"hive": BETTER})
    del world.metastores[OLD]
    world.lake.list_namespaces()
    world.run_all(metastore)
    assert state_of(world.lake) == created_since
    assert len(world.lake.load_view("sales.weekly").history) == 1
    world.run(f"hive-views register sales.weekly {changed_since.metadata_location} --overwrite")
    assert world.lake.load_view("sales.weekly").history == changed_since.history
    assert state_of(world.lake) == created_since
    world.lake.drop_view("sales.late")

    shutil.rmtree(world.path / "lake/views")
    assert "file-missing" in world.run("hive-views check", ends_with=6)
    world.run_all(bucket)
    assert state_of(world.lake) == before
    assert "nothing found" in world.run("hive-views check")
    world.run("hive-views publish --file publications.toml")


def test_what_breaks_if_a_column_goes(world: World) -> None:
    one, several = blocks("What breaks if I drop this column?")[0].splitlines()
    (world.path / "migration.sql").write_text("USE web; DROP TABLE clicks;")
    before = state_of(world.lake)
    told = world.run(one, ends_with=6)
    assert "2 views read what changes, 2 would break: 1 column-gone, 1 source-broken." in told
    assert "2 declared partitions of 2 views hang on them." in told
    assert world.run(several.partition(" > ")[0], ends_with=6).count("<failure") == 2
    assert state_of(world.lake) == before


def test_a_move_to_another_metastore(world: World) -> None:
    before = state_of(world.lake)
    world.run_all(blocks("Move to another metastore")[0])
    assert state_of(world.connect(NEW, None)) == before
    assert "sales.daily  (plain)" in world.run("hive-views list")


def test_a_release_and_its_undo(world: World) -> None:
    export, release, by_hand = blocks("Release several views, and undo the release")
    world.run_all(export)
    plan, apply, releases, undo = release.splitlines()
    file = world.path / "views/sales/daily.sql"
    file.write_text(file.read_text().replace("FROM web.clicks", "FROM web.clicks WHERE user_id > 0"))
    world.run(plan, ends_with=6)
    world.run(apply)
    assert BETTER in str(world.lake.load_view("sales.daily").original_sql("hive"))
    assert "changed" in world.run("hive-views revalidate sales.weekly")
    [found] = re.findall(RELEASE, world.run(releases))
    world.run(re.sub(RELEASE, found, undo))
    assert BETTER not in str(world.lake.load_view("sales.daily").original_sql("hive"))

    *changes, roll_back = by_hand.splitlines()
    world.run_all("\n".join(changes))
    assert BETTER in str(world.lake.load_view("sales.weekly").original_sql("hive"))
    world.run(roll_back)
    assert BETTER not in str(world.lake.load_view("sales.weekly").original_sql("hive"))


def test_the_views_that_use_a_column_are_found(world: World) -> None:
    direct, through, lineage = (world.run(line) for line in blocks("Find the views that use a column")[0].splitlines())
    assert "1 view uses web.clicks.user_id." in direct
    assert "and 1 view through it" in through
    assert "sales.weekly" in through
    assert lineage == "user_id\n  sales.daily.user_id\n    web.clicks.user_id\n"


def test_what_is_late_is_told(world: World) -> None:
    publish, status = blocks("Be told when something is late")[0].splitlines()
    world.run(publish)
    world.run(status)
    world.run("hive-views partitions drop sales.daily ds=2026-08-20")
    world.metastores[OLD].drop_partitions(CLICKS, ["ds=2026-08-20"], if_exists=False)
    world.run(publish)
    assert "late since 2026-08-21 06:00" in world.run(status, ends_with=6)
    events = [json.loads(line)["data"] for line in (world.path / "events.jsonl").read_text().splitlines()]
    assert [(one["kind"], one["view"], one["partition"]) for one in events] == [
        ("late", "sales.daily", "ds=2026-08-20")
    ]


def test_earlier_days_are_published_and_one_is_declared_again(world: World) -> None:
    earlier, again = blocks("Publish earlier days, or days again")
    for day in ("2026-08-18", "2026-08-19"):
        world.load(day)
    for line, days in zip(earlier.splitlines(), (["18", "20"], ["18", "19", "20"]), strict=True):
        world.run(line)
        assert world.lake.partitions("sales.daily").names() == [f"ds=2026-08-{day}" for day in days]

    plan, *republish = again.splitlines()
    for number, line in enumerate(republish):
        world.load("2026-08-20", f"other {number}")
        assert "ds=2026-08-20" in world.run(plan)
        assert "changed" in world.run("hive-views revalidate sales.daily")
        assert "sales.weekly" in world.run(line)
        assert "changed" not in world.run("hive-views revalidate --all")


def test_the_table_has_every_key_of_a_publication() -> None:
    section = text_of(PAGE).partition("## Every key of publications.toml")[2]
    rows = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
    listed = [key for row in rows for key in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(_Written.model_fields)
