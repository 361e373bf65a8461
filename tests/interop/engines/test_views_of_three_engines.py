"""Plain views that Hive 4, Spark and Trino made in one metastore are taken over, kept, and given back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

from hive_views import ViewCatalog
from hive_views.estate import (
    adopt,
    backup,
    check,
    clean,
    copy_views,
    describe_views,
    hand_back,
    list_dropped,
    move_views,
    report,
    restore,
    undrop,
)
from hive_views.estate.each.outcomes import Outcomes, State
from hive_views.hive.row import Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.commit.engine import CommitSettings
from tests.interop.engines.conftest import SparkProcess
from tests.support.containers.engines import EngineError, Hive, Trino
from tests.support.plain_rows.compared import assert_adopted, assert_same

EACH = 2
"""How many views of each kind; that more are adopted than one call reads is proved elsewhere (test_adopt_many.py)."""
KINDS: Mapping[str, Mapping[str, str]] = {
    "hive": {
        "columns": "CREATE VIEW {v} (who COMMENT 'the user {n}', what) COMMENT 'no. {n}' TBLPROPERTIES ('team'='web') "
        "AS SELECT user_id, page FROM {web}.clicks WHERE user_id <> {n}",
        "star": "CREATE VIEW {v} AS SELECT * FROM {web}.clicks WHERE user_id <> {n}",
        "unaliased": "CREATE VIEW {v} AS SELECT user_id + {n}, count(*) FROM {web}.clicks GROUP BY user_id",
        "partitioned": "CREATE VIEW {v} (who COMMENT 'the user', ds) COMMENT 'by day' PARTITIONED ON (ds) "
        "TBLPROPERTIES ('team'='web') AS SELECT user_id + {n}, ds FROM {web}.clicks",
        "union": "CREATE VIEW {v} AS SELECT page, {n} AS n FROM {web}.clicks UNION ALL SELECT 'none', {n}",
        "on_view": "CREATE VIEW {v} AS SELECT who FROM {space}.hive_columns_{n}",
    },
    "spark": {
        "columns": "CREATE VIEW {v} (who COMMENT 'the user {n}', What) COMMENT 'no. {n}' TBLPROPERTIES ('team'='web') "
        "AS SELECT user_id, page FROM {web}.clicks WHERE user_id <> {n}",
        "star": "CREATE VIEW {v} AS SELECT * FROM {web}.clicks WHERE user_id <> {n}",
        "except": "CREATE VIEW {v} AS SELECT * EXCEPT (page), {n} :: int AS n FROM {web}.clicks",
        "cast": "CREATE VIEW {v} AS SELECT try_cast(page AS int) AS n, user_id + {n} AS next FROM {web}.clicks",
        "on_view": "CREATE VIEW {v} AS SELECT user_id FROM {space}.hive_star_{n}",
    },
    "trino": {
        "columns": "CREATE VIEW {v} COMMENT 'no. {n}' AS SELECT user_id AS who, page FROM {web}.clicks",
        "star": "CREATE VIEW {v} AS SELECT * FROM {web}.clicks WHERE user_id <> {n}",
        "functions": "CREATE VIEW {v} AS SELECT approx_distinct(page) AS pages, {n} AS n FROM {web}.clicks GROUP BY ds",
        "invoker": "CREATE VIEW {v} SECURITY INVOKER AS SELECT count_if(user_id > {n}) AS more FROM {web}.clicks",
        "on_view": "CREATE VIEW {v} AS SELECT who FROM {space}.trino_columns_{n}",
    },
}
SAMPLE = [f"{maker}_{kind}_0" for maker, kinds in KINDS.items() for kind in kinds]
"""One view of each kind, which the engines are asked for."""

ALL = EACH * len(SAMPLE)

Ask = Callable[[str], Any]


class Site:
    """The views in one database, seen by engines and as rows."""

    def __init__(self, engines: Mapping[str, Ask], hms: HiveMetastore, space: str) -> None:
        self.engines = engines
        self.hms = hms
        self.space = space

    def make(self, web: str) -> None:
        """Each engine makes its views, at the same time as the others."""

        def make(maker: str, kinds: Iterable[str]) -> None:
            for kind in kinds:
                for number in range(EACH):
                    statement, view = KINDS[maker][kind], f"{self.space}.{maker}_{kind}_{number}"
                    self.engines[maker](statement.format(v=view, web=web, space=self.space, n=number))

        def on_tables(maker: str) -> None:
            make(maker, [kind for kind in KINDS[maker] if kind != "on_view"])

        with ThreadPoolExecutor(len(KINDS)) as pool:
            list(pool.map(on_tables, KINDS))
            list(pool.map(lambda maker: make(maker, ["on_view"]), KINDS))
        for number in range(EACH):
            view = f"{self.space}.hive_partitioned_{number}"
            self.engines["hive"](f"ALTER VIEW {view} ADD PARTITION (ds='2026-08-21') PARTITION (ds='2026-08-22')")

    def rows(self) -> dict[str, Row]:
        names = self.hms.list_view_names(self.space)
        batches = (names[start : start + 100] for start in range(0, len(names), 100))
        return {row.identifier.name: row for batch in batches for row in self.hms.load_rows(self.space, batch)}

    def answers(self) -> dict[tuple[str, str], Any]:
        """What each engine answers for one view of each kind, or that it refuses it."""

        def ask(engine: str) -> dict[tuple[str, str], Any]:
            return {(engine, name): self._answer(engine, name) for name in SAMPLE}

        with ThreadPoolExecutor(len(KINDS)) as pool:
            return {key: answer for found in pool.map(ask, KINDS) for key, answer in found.items()}

    def _answer(self, engine: str, name: str) -> Any:
        try:
            return sorted(self.engines[engine](f"SELECT * FROM {self.space}.{name}"), key=repr)
        except EngineError:
            return "refused"


def test_the_views_of_three_engines_are_adopted_checked_copied_moved_kept_and_released(
    hive: Hive,
    trino: Trino,
    spark_4: SparkProcess,
    hms: HiveMetastore,
    namespace: str,
    web: str,
    tmp_path: Path,
) -> None:
    engines: dict[str, Ask] = {"hive": hive.rows, "spark": spark_4.rows, "trino": trino.rows}
    # What is cleaned has to be an hour old.
    settings = CommitSettings(clock_ms=lambda: int((time.time() + 7200) * 1000))
    catalog = ViewCatalog(hms, warehouse=str(tmp_path / "views"), settings=settings)
    site = Site(engines, hms, namespace)
    site.make(web)
    before, answers = site.rows(), site.answers()
    assert len(before) == ALL
    of_trino = [name for name in SAMPLE if name.startswith("trino")]
    assert all(answers[name.partition("_")[0], name] != "refused" for name in SAMPLE)
    assert all(answers[by, name] == "refused" for by in ("hive", "spark") for name in of_trino)
    show_partitions = f"SHOW PARTITIONS {namespace}.hive_partitioned_0"
    partitions = hive.rows(show_partitions)
    assert len(partitions) == 2
    assert {one.kind for one in describe_views(catalog, f"{namespace}.*")} == {"plain"}

    adopted = adopt(catalog, f"{namespace}.*")
    assert_all(adopted, State.DONE)
    assert all(one.view.startswith(f"{namespace}.{one.details['dialect']}_") for one in adopted)
    for name, row in site.rows().items():
        assert_adopted(before[name], row)
    assert site.answers() == answers
    assert hive.rows(show_partitions) == partitions
    assert catalog.partitions(f"{namespace}.hive_partitioned_0").names() == ["ds=2026-08-21", "ds=2026-08-22"]
    assert {one.kind for one in describe_views(catalog, f"{namespace}.*")} == {"managed"}
    assert check(catalog, f"{namespace}.*").findings == ()

    copied, moved = (Site(engines, hms, f"{namespace}_{what}") for what in ("copied", "moved"))
    for other in (copied, moved):
        catalog.create_namespace(other.space, location=f"file:{tmp_path}/{other.space}")
    assert_all(copy_views(catalog, catalog, f"{namespace}.*", names={namespace: copied.space}), State.DONE)
    assert check(catalog, f"{copied.space}.*").findings == ()
    assert_all(move_views(catalog, catalog, f"{copied.space}.*", names={copied.space: moved.space}), State.DONE)
    assert {one.kind for one in describe_views(catalog, f"{copied.space}.*")} == {"plain"}

    archive = str(tmp_path / "backup.zip")
    assert_all(backup(catalog, archive, f"{namespace}.*", f"{moved.space}.*"), State.DONE, 2 * ALL)
    for name in SAMPLE:
        catalog.drop_view(f"{moved.space}.{name}", purge=True)
    restored = restore(catalog, archive)
    assert {one.view for one in restored.of(State.DONE)} == {f"{moved.space}.{name}" for name in SAMPLE}
    assert len(restored.of(State.UNCHANGED)) == 2 * ALL - len(SAMPLE)

    changed = [f"{moved.space}.{name}" for name in SAMPLE]
    for name in changed:
        for team in ("search", "ads"):
            # The file before the current one stays.
            catalog.alter_view(name, set_properties={"team": team})
    cleaned = clean(catalog, f"{moved.space}.*", older_than=timedelta(hours=1))
    assert not cleaned.failed
    assert {one.view for one in cleaned if one.details["files"]} == set(changed)
    for name in changed:
        catalog.drop_view(name)
    assert {str(one.identifier) for one in list_dropped(catalog, f"{moved.space}.*")} == set(changed)
    assert_all(undrop(catalog, f"{moved.space}.*"), State.DONE, len(changed))
    assert catalog.partitions(f"{moved.space}.hive_partitioned_0").names() == ["ds=2026-08-21", "ds=2026-08-22"]
    # These views were copied, moved, restored and brought back: what one of them loses, the engines miss here.
    assert moved.answers() == answers

    page = tmp_path / "views.html"
    report(catalog, f"{namespace}.*", f"{moved.space}.*").write(str(page))
    shown = page.read_text(encoding="utf-8")
    assert all(f"{space}.{name}" in shown for space in (namespace, moved.space) for name in before)

    assert_all(hand_back(catalog, f"{namespace}.*"), State.DONE)
    for name, row in site.rows().items():
        assert_same(before[name], row)
    assert site.answers() == answers


def assert_all(outcomes: Outcomes, state: State, count: int = ALL) -> None:
    others = [str(one) for one in outcomes if one.state is not state]
    assert (len(outcomes), others) == (count, [])
