"""Views that Spark 3 and 4 made are adopted and released, and a plain Spark reads in them what it read before."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hive_views import ViewCatalog
from hive_views.errors import ViewDriftedError
from hive_views.estate import adopt, hand_back
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.plain_rows import PlainView, plain_views
from tests.support.plain_rows.compared import assert_adopted, assert_same
from tests.support.plain_rows.lake import statements, write_files

# PySpark leaves the socket of every collect() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

UNLIKE_ANY = {"of_constants", "not_of_hive", "variant"}
"""Views with types that neither Hive nor Iceberg has."""

ELSEWHERE = {"spark.sql.session.timeZone": "Pacific/Auckland", "spark.sql.ansi.enabled": "false"}
"""A session that is as unlike the one that a view was made in as it can be."""


@dataclass
class World:
    """The recorded views of one Spark in a namespace of their own, on tables of their own."""

    catalog: ViewCatalog
    namespace: str
    lake: str
    spark: Any
    views: list[PlainView]

    def row(self, view: PlainView) -> Row:
        return self.catalog.metastore.load_row(TableIdentifier(self.namespace, view.name))

    def answers(self, views: Iterable[PlainView], **settings: str) -> dict[str, Any]:
        """What a session answers for each view: its columns and rows, or the kind of error."""
        session = self.spark.newSession()
        for name, value in settings.items():
            session.conf.set(name, value)
        return {view.name: self._answer(session, view) for view in views}

    def _answer(self, session: Any, view: PlainView) -> Any:
        from pyspark.errors import PySparkException

        try:
            # Analyzed once, which is most of the work.
            found = session.table(f"{self.namespace}.{view.name}")
            columns = [(one.name, one.dataType.simpleString(), one.metadata.get("comment")) for one in found.schema]
            rows = [[_plain(value) for value in row] for row in found.collect()]
        except PySparkException as error:
            return str(error).strip().split(" ", 1)[0]
        return columns, sorted(rows, key=repr)


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


@pytest.fixture(scope="module")
def lake(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    name = f"lake_{uuid.uuid4().hex[:12]}"
    directory = tmp_path_factory.mktemp("lake")
    write_files(directory)
    for statement in statements(directory, name):
        spark.sql(statement)
    return name


@pytest.fixture(params=[pytest.param("spark-3.5.8", marks=pytest.mark.pinned), "spark-4.1.4"])
def world(
    request: pytest.FixtureRequest, hms: HiveMetastore, namespace: str, lake: str, spark: Any, tmp_path: Path
) -> World:
    views = [view.moved(namespace, lake) for view in plain_views(request.param)]
    for view in views:
        hms.create_row(view.row)
    return World(ViewCatalog(hms, warehouse=str(tmp_path / "views")), namespace, lake, spark, views)


def test_spark_reads_adopted_and_released_views_as_the_spark_that_made_them(world: World) -> None:
    before = {view.name: world.row(view) for view in world.views}
    set_up = [view for view in world.views if view.settings]
    answers, elsewhere = world.answers(world.views), world.answers(set_up, **ELSEWHERE)
    for view in world.views:
        if view.error is None:
            assert answers[view.name][1] == view.answer, view.id

    outcomes = adopt(world.catalog, f"{world.namespace}.*")
    assert {one.view: one.reason for one in outcomes.failed} == {}
    left = {one.view.partition(".")[2] for one in outcomes if one.state is not State.DONE}
    assert left <= UNLIKE_ANY
    assert world.answers(world.views) == answers
    assert world.answers(set_up, **ELSEWHERE) == elsewhere
    for view in world.views:
        if view.name not in left:
            assert_adopted(before[view.name], world.row(view))

    assert not hand_back(world.catalog, f"{world.namespace}.*").failed
    for view in world.views:
        assert_same(before[view.name], world.row(view))


def test_a_setting_that_spark_records_no_more_is_not_put_back(
    hms: HiveMetastore, namespace: str, spark: Any, tmp_path: Path
) -> None:
    """Spark records what a session changed; the same text in another session is another query, and tells it nowhere."""
    catalog, view = ViewCatalog(hms, warehouse=str(tmp_path / "views")), f"{namespace}.v"
    text, escaped = r"SELECT length('\t') AS n", "spark.sql.parser.escapedStringLiterals"
    creating, altering = spark.newSession(), spark.newSession()
    creating.conf.set(escaped, "true")
    creating.sql(f"CREATE VIEW {view} AS {text}")
    catalog.adopt_view(view)
    assert spark.table(view).first().n == 2
    altering.sql(f"ALTER VIEW {view} AS {text}")
    assert spark.table(view).first().n == 1
    difference = catalog.load_view(view).differences[0]
    assert (difference.kind, difference.what) == ("drifted", f"parameter view.sqlConfig.{escaped}")
    with pytest.raises(ViewDriftedError):
        catalog.alter_view(view, set_properties={"team": "growth"})
    catalog.alter_view(view, set_properties={"team": "growth"}, on_drift="adopt")
    assert spark.table(view).first().n == 1
    assert not catalog.load_view(view).differences
    catalog.roll_back_view(view, to_version=1)
    assert spark.table(view).first().n == 2


def test_a_text_that_spark_writes_in_another_database_moves_no_other_text(
    hms: HiveMetastore, namespace: str, lake: str, spark: Any, tmp_path: Path
) -> None:
    catalog, view = ViewCatalog(hms, warehouse=str(tmp_path / "views")), f"{namespace}.v"
    session = spark.newSession()
    session.sql(f"CREATE VIEW {namespace}.first_page AS SELECT user_id, page FROM {lake}.clicks WHERE page = '/'")
    session.sql(f"USE {lake}")
    session.sql(f"CREATE VIEW {view} AS SELECT user_id, page FROM clicks")
    catalog.adopt_view(view)
    catalog.alter_view(view, sql={"trino": "SELECT user_id, page FROM clicks"})
    assert spark.table(view).count() == 3
    session.sql(f"USE {namespace}")
    session.sql(f"ALTER VIEW {view} AS SELECT user_id, page FROM first_page")
    adopted = catalog.repair_view(view, on_drift="adopt")
    assert [tuple(row) for row in spark.table(view).collect()] == [(1, "/")]
    assert adopted.current_version.default_namespace == (lake,)
    assert adopted.stale_dialects == ("trino",)
    assert adopted.sql_for("trino").sql == "SELECT user_id, page FROM clicks"
    assert adopted.sql_for("spark").sql == f"SELECT user_id, page FROM `{namespace}`.first_page"
    assert not catalog.load_view(view).differences
