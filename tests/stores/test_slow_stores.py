"""A store whose every answer takes long: verdicts are right, nothing is given up, and many views are asked for at once.

Answers are given in rounds: what was asked since the last one is answered together. So the number of rounds is how
often a verb waited for the store, whatever the time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import hive_views
from hive_views import ViewCatalog, column, publish, requires
from hive_views.estate.each.outcomes import Outcomes
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.commit.engine import CommitSettings
from tests.support.failing.scripted_http import ScriptedHttp
from tests.support.processes.s3_server import S3Server

TEXT, COLUMNS = {"hive": "SELECT 1 AS a, 'x' AS ds"}, [("a", "int"), ("ds", "string")]
# So that another writer can be faster.
WITHOUT_LOCKS = CommitSettings(lock="never")
VIEWS = 8


class Rounds:
    """When the answers of a store are given, and how often that was."""

    def __init__(self, length_s: float) -> None:
        self.count = 0
        self._length_s, self._ends_s = length_s, 0.0
        self._guard = threading.Lock()

    def wait(self) -> None:
        with self._guard:
            now_s = time.monotonic()
            if now_s >= self._ends_s:
                self.count, self._ends_s = self.count + 1, now_s + self._length_s
            left_s = self._ends_s - now_s
        time.sleep(left_s)


@contextmanager
def slow(
    s3: S3Server, catalog: ViewCatalog, length_s: float, on_request: Callable[[str], object] = lambda _: None
) -> Iterator[tuple[ViewCatalog, Rounds]]:
    """The same views for a process that has read nothing of them, to which the store answers in rounds."""
    rounds, before = Rounds(length_s), ScriptedHttp(behind=s3.url)

    def says(method: str, _: str) -> None:
        rounds.wait()
        on_request(method)

    before.says = says
    storage = MetadataStorage(s3.options_at(before.url))
    try:
        yield ViewCatalog(catalog.metastore, storage, warehouse=catalog.warehouse, settings=WITHOUT_LOCKS), rounds
    finally:
        before.close()


def new_catalog(s3: S3Server) -> ViewCatalog:
    metastore = MemoryMetastore()
    metastore.create_namespace("sales")
    storage, warehouse = MetadataStorage(s3.options), f"s3://{s3.new_bucket()}/views"
    return ViewCatalog(metastore, storage, warehouse=warehouse, settings=WITHOUT_LOCKS)


def create(catalog: ViewCatalog, name: str) -> None:
    catalog.create_view(name, sql=TEXT, schema=COLUMNS, partitioned_on=["ds"])


# -- a second for every answer -----------------------------------------------------------------------------------------


def load(s3: S3Server, catalog: ViewCatalog) -> int:
    with slow(s3, catalog, 1.0) as (remote, rounds):
        assert remote.load_view("sales.v").metadata.current_version_id == 1
    return rounds.count


def commit_while_others_do(s3: S3Server, catalog: ViewCatalog) -> int:
    """Another writer is faster, and commits while the first file of this one is on its way."""
    fast = iter([lambda: catalog.alter_view("sales.v", set_properties={"by": "others"})])

    def overtake(method: str) -> None:
        if method == "PUT" and (commit := next(fast, None)):
            commit()

    with slow(s3, catalog, 1.0, overtake) as (remote, rounds):
        remote.alter_view("sales.v", comment="mine")
    view = catalog.load_view("sales.v")
    assert (view.comment, view.properties["by"]) == ("mine", "others")
    return rounds.count


def publish_a_day(s3: S3Server, catalog: ViewCatalog) -> int:
    create(catalog, "sales.base")
    catalog.partitions("sales.base").add([{"ds": "one"}])
    with slow(s3, catalog, 1.0) as (remote, rounds):
        assert publish(remote, "sales.v", requires("sales.base", ds=column("ds"))).added == ("ds=one",)
    assert catalog.partitions("sales.v").names() == ["ds=one"]
    return rounds.count


# How often each waits for the store at most. The one that loses a race deletes its file, and begins again; publishing a
# view for the first time notes the rule.
MOST_ROUNDS = {load: 1, commit_while_others_do: 5, publish_a_day: 6}


def test_a_store_that_takes_a_second_for_every_answer_delays_verbs_and_fails_none(s3: S3Server) -> None:
    def rounds_of(verb: Callable[[S3Server, ViewCatalog], int]) -> int:
        catalog = new_catalog(s3)
        create(catalog, "sales.v")
        return verb(s3, catalog)

    with ThreadPoolExecutor(len(MOST_ROUNDS)) as pool:
        waited = dict(zip(MOST_ROUNDS, pool.map(rounds_of, MOST_ROUNDS), strict=True))
    assert {verb: found for verb, found in waited.items() if found > MOST_ROUNDS[verb]} == {}


# -- many views --------------------------------------------------------------------------------------------------------


def test_many_views_are_not_waited_for_one_after_the_other(s3: S3Server) -> None:
    catalog, elsewhere = new_catalog(s3), new_catalog(s3)
    names, archive = [f"sales.v{number:02d}" for number in range(VIEWS)], f"{catalog.warehouse}/backups/views.zip"
    for name in names:
        create(catalog, name)
        catalog.partitions(name).add([{"ds": "one"}])
    waited: dict[str, int] = {}

    def count(verb: str, do: Callable[[ViewCatalog], Any], of: ViewCatalog = catalog) -> None:
        with slow(s3, of, 0.1) as (remote, rounds):
            done = do(remote)
        assert not isinstance(done, Outcomes) or (len(done), done.failed) == (VIEWS, ())
        waited[verb] = rounds.count

    count("describe", hive_views.estate.describe_views)
    count("check", hive_views.estate.check)
    count("clean", lambda remote: hive_views.estate.clean(remote, "sales.*"))
    count("backup", lambda remote: hive_views.estate.backup(remote, archive))
    count("restore", lambda remote: hive_views.estate.restore(remote, archive), elsewhere)
    for name in names:
        catalog.drop_view(name)
    count("list --dropped", hive_views.estate.list_dropped)
    count("undrop", lambda remote: hive_views.estate.undrop(remote, "sales.*"))
    # About half of the requests: who asks for one view after the other waits for each.
    most = {"describe": 6, "check": 6, "clean": 12, "backup": 10, "restore": 36, "list --dropped": 18, "undrop": 60}
    assert {verb: found for verb, found in waited.items() if found > most[verb]} == {}
    for one in (catalog, elsewhere):
        assert all(one.partitions(name).names() == ["ds=one"] for name in names)
