"""Properties, names, partitions, publishing and DROP VIEW."""

from __future__ import annotations

import pytest

from hive_views import TableIdentifier, ViewCatalog, execute
from hive_views.errors import (
    HiveViewsError,
    InvalidInputError,
    InvalidPartitionError,
    NoSuchIcebergViewError,
    NoSuchTableError,
    NoSuchViewError,
    PartitionAlreadyExistsError,
    ViewAlreadyExistsError,
)
from hive_views.hive.row import Partition
from hive_views.metastore.memory import MemoryMetastore
from tests.unit.ddl.statements.conftest import Run


@pytest.fixture
def filled(catalog: ViewCatalog, run: Run, daily: str) -> str:
    """``sales.daily`` with two days of the hours 2 and 10, and a third day."""
    hours = "(ds='2026-08-01', hr=2) (ds='2026-08-01', hr=10) (ds='2026-08-02', hr=02) (ds='2026-08-02', hr='10')"
    run(f"ALTER VIEW daily ADD {hours.replace('(', 'PARTITION (')} PARTITION (hr=7, ds='2026-08-03')")
    return daily


# -- properties and names --------------------------------------------------------------------------------------------


def test_properties_are_set_and_unset(catalog: ViewCatalog, run: Run, daily: str) -> None:
    assert run("ALTER VIEW daily SET TBLPROPERTIES ('a' = '1', 'comment' = 'new')").changed
    view = catalog.load_view(daily)
    assert (view.properties["a"], view.comment, view.properties["team"]) == ("1", "new", "x")
    assert not run("ALTER VIEW daily SET TBLPROPERTIES ('a' = '1')").changed
    run("ALTER VIEW daily UNSET TBLPROPERTIES ('a', 'team')")
    assert set(catalog.load_view(daily).properties) == {"comment"}


def test_unset_of_what_is_not_there_wants_if_exists(catalog: ViewCatalog, run: Run, daily: str) -> None:
    with pytest.raises(InvalidInputError, match=r"nothing.*10215"):
        run("ALTER VIEW daily UNSET TBLPROPERTIES ('team', 'nothing')")
    assert catalog.load_view(daily).properties["team"] == "x"
    run("ALTER VIEW daily UNSET TBLPROPERTIES IF EXISTS ('team', 'nothing')")
    assert "team" not in catalog.load_view(daily).properties


def test_a_new_name_without_its_database_is_in_the_current_one(catalog: ViewCatalog, run: Run, filled: str) -> None:
    assert run("ALTER VIEW sales.daily RENAME TO renamed", namespace="web").view == "web.renamed"
    assert len(catalog.partitions("web.renamed").names()) == 5
    run("CREATE VIEW v AS SELECT 1 AS a")
    with pytest.raises(ViewAlreadyExistsError):
        run("ALTER VIEW v RENAME TO web.renamed")


def test_drop_view_drops_and_of_what_does_not_exist_says_so(catalog: ViewCatalog, run: Run, filled: str) -> None:
    assert run("DROP VIEW daily").changed
    with pytest.raises(NoSuchViewError):
        catalog.load_view(filled)
    for statement in ("DROP VIEW daily", "DROP VIEW IF EXISTS daily"):
        result = run(statement)
        assert not result.changed
        assert result.done == "There is no view sales.daily to drop."


def test_a_view_whose_file_is_lost_can_be_dropped(catalog: ViewCatalog, run: Run, daily: str) -> None:
    catalog.storage.delete(catalog.load_view(daily).metadata_location)
    assert execute(ViewCatalog(catalog.metastore), "DROP VIEW sales.daily").changed
    assert run("SHOW VIEWS").rows == ()


def test_drop_view_of_a_table_is_refused_and_with_if_exists_does_nothing(metastore: MemoryMetastore, run: Run) -> None:
    with pytest.raises(NoSuchIcebergViewError, match="table"):
        run("DROP VIEW web.clicks")
    assert not run("DROP VIEW IF EXISTS web.clicks").changed
    assert metastore.load_row(TableIdentifier("web", "clicks"))


# -- ADD PARTITION ---------------------------------------------------------------------------------------------------


def test_added_partitions_are_named_as_hive_spells_them(catalog: ViewCatalog, run: Run, daily: str) -> None:
    result = run("ALTER VIEW daily ADD PARTITION (ds = 20260801, HR = '07') PARTITION (hr = 8, ds = 'a' 'b')")
    assert result.partitions == ("ds=20260801/hr=7", "ds=ab/hr=8")
    assert catalog.partitions(daily).names() == list(result.partitions)


def test_if_not_exists_adds_the_rest(run: Run, filled: str) -> None:
    statement = "PARTITION (ds='2026-08-03', hr=7) PARTITION (ds='2026-08-03', hr=8)"
    with pytest.raises(PartitionAlreadyExistsError):
        run(f"ALTER VIEW daily ADD {statement}")
    assert run(f"ALTER VIEW daily ADD IF NOT EXISTS {statement}").partitions == ("ds=2026-08-03/hr=8",)
    result = run(f"ALTER VIEW daily ADD IF NOT EXISTS {statement}")
    assert (result.changed, result.done) == (False, "No partition of sales.daily was added.")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("ADD PARTITION (ds = 'good', hr = 1) PARTITION (ds = 'x', hr = 'abc')", "10248"),
        ("ADD PARTITION (ds = 'good', hr = 1) PARTITION (ds = 'x')", "hr"),
        ("ADD PARTITION (ds = 'good', hr = 1) PARTITION (ds = 'x', hr = 1, v = 2)", "v"),
        ("ADD PARTITION (ds = 'good', hr = 1) PARTITION (ds = NULL, hr = 1)", "NULL"),
        ("ADD PARTITION (ds = 'good', hr = 1) PARTITION (ds = '', hr = 1)", "empty"),
        ("ADD PARTITION (ds = 'good', hr = 1) PARTITION (ds = '__HIVE_DEFAULT_PARTITION__', hr = 1)", "10111"),
        ("DROP PARTITION (v > 1)", "v is not a partition column"),
        ("DROP PARTITION (v = 1)", "v"),
        ("DROP PARTITION (hr > 'abc')", "10248"),
        ("DROP PARTITION (hr > NULL)", "NULL"),
        ("DROP PARTITION (ds < '__HIVE_DEFAULT_PARTITION__')", "use = or !="),
    ],
)
def test_values_that_hive_refuses_or_that_mean_nothing_are_refused_and_nothing_changes(
    catalog: ViewCatalog, run: Run, filled: str, change: str, expected: str
) -> None:
    before = catalog.partitions(filled).names()
    with pytest.raises(InvalidPartitionError, match=expected):
        run(f"ALTER VIEW daily {change}")
    assert catalog.partitions(filled).names() == before


def test_partitions_of_a_table_or_an_unpartitioned_view_cannot_be_added(run: Run) -> None:
    with pytest.raises(NoSuchIcebergViewError, match="10132"):
        run("ALTER VIEW web.clicks ADD PARTITION (ds = 'x', hr = 1)")
    run("CREATE VIEW v AS SELECT 1 AS a")
    with pytest.raises(InvalidPartitionError):
        run("ALTER VIEW v ADD PARTITION (ds = 'x')")


# -- DROP PARTITION --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("specs", "dropped"),
    [
        ("(ds = '2026-08-01', hr = 10)", ["ds=2026-08-01/hr=10"]),
        ("(hr = '02')", ["ds=2026-08-01/hr=2", "ds=2026-08-02/hr=2"]),
        # As numbers 10 is not less than 7, as text it is.
        ("(hr < 7)", ["ds=2026-08-01/hr=2", "ds=2026-08-02/hr=2"]),
        ("(ds > '2026-08-01', hr >= 7)", ["ds=2026-08-02/hr=10", "ds=2026-08-03/hr=7"]),
        ("(ds <= '2026-08-01', hr != 2)", ["ds=2026-08-01/hr=10"]),
        ("(ds = '2026-08-03'), (DS = '2026-08-01', hr <> 10)", ["ds=2026-08-01/hr=2", "ds=2026-08-03/hr=7"]),
        ("(hr = 2, hr = 10)", []),
        ("(hr > 1, hr < 7, ds = '2026-08-01') PURGE", ["ds=2026-08-01/hr=2"]),
    ],
)
def test_partitions_that_fulfil_all_comparisons_of_a_spec_are_dropped(
    catalog: ViewCatalog, run: Run, filled: str, specs: str, dropped: list[str]
) -> None:
    before = catalog.partitions(filled).names()
    listed = specs.replace("(", "PARTITION (")
    assert sorted(run(f"ALTER VIEW daily DROP {listed}").partitions) == dropped
    assert catalog.partitions(filled).names() == [name for name in before if name not in dropped]


def test_drop_of_what_is_not_there_does_nothing_and_says_so(run: Run, filled: str) -> None:
    for exists in ("", "IF EXISTS "):
        result = run(f"ALTER VIEW daily DROP {exists}PARTITION (ds = '2030-01-01')")
        assert (result.changed, result.partitions) == (False, ())
        assert result.done == "No partition of sales.daily was dropped."


def test_the_partition_of_null_is_found_by_its_name_alone(
    catalog: ViewCatalog, metastore: MemoryMetastore, run: Run, filled: str
) -> None:
    null = Partition(("__HIVE_DEFAULT_PARTITION__", "3"))
    metastore.add_partitions(TableIdentifier.of(filled), [null], if_not_exists=False)
    assert run("ALTER VIEW daily DROP PARTITION (ds != '2026-08-01', hr = 3)").partitions == ()
    dropped = run("ALTER VIEW daily DROP PARTITION (ds = '__hive_default_partition__', hr > 0)").partitions
    assert dropped == ("ds=__HIVE_DEFAULT_PARTITION__/hr=3",)


# -- PUBLISH ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def loaded(metastore: MemoryMetastore) -> None:
    """The hours 0 to 3 of one day and the hour 0 of the next are in ``web.clicks``."""
    hours = [("2026-08-01", str(hour)) for hour in range(4)] + [("2026-08-02", "0")]
    partitions = [Partition(values, has_descriptor=True) for values in hours]
    metastore.add_partitions(TableIdentifier("web", "clicks"), partitions, if_not_exists=False)


def test_publish_declares_what_is_complete_and_says_what_the_rest_waits_for(
    catalog: ViewCatalog, run: Run, loaded: None
) -> None:
    run("CREATE VIEW web.days PARTITIONED ON (ds) AS SELECT page, ds FROM web.clicks")
    rule = 'requires("web.clicks", ds=column("ds"), hr=range(4))'
    result = run(f"PUBLISH VIEW days WHEN {rule}", namespace="web")
    assert result.partitions == ("ds=2026-08-01",)
    assert result.columns == ("partition", "state", "waiting_for")
    assert [row[:2] for row in result.rows] == [("ds=2026-08-01", "added"), ("ds=2026-08-02", "waiting")]
    assert "hr" in str(result.rows[1][2])
    assert catalog.partitions("web.days").names() == ["ds=2026-08-01"]
    again = run(f"PUBLISH VIEW web.days UNTIL (ds = '2026-08-01') WHEN {rule};")
    assert (again.changed, again.rows) == (False, (("ds=2026-08-01", "already published", None),))


def test_publish_looks_at_the_candidates_it_is_given(run: Run, daily: str, loaded: None) -> None:
    listed = "PARTITION (ds = '2026-08-01', hr = 1), PARTITION (ds = '2026-08-02', hr = 1)"
    rule = "requires('web.clicks', ds=column('ds'), hr=column('hr'))"
    result = run(f"PUBLISH VIEW daily {listed} WHEN {rule}")
    assert [row[:2] for row in result.rows] == [("ds=2026-08-01/hr=1", "added"), ("ds=2026-08-02/hr=1", "waiting")]
    since = run(f"PUBLISH VIEW daily SINCE (ds = '2026-08-02') WHEN {rule}")
    assert since.partitions == ("ds=2026-08-02/hr=0",)


def test_publish_without_rules_uses_the_recorded_ones(run: Run, daily: str, loaded: None) -> None:
    with pytest.raises(InvalidInputError, match=r"never published.* after WHEN"):
        run("PUBLISH VIEW daily")
    rule = "requires('web.clicks', ds=column('ds'), hr=column('hr'))"
    assert run(f"PUBLISH VIEW daily SINCE (ds = '2026-08-02') WHEN {rule}").partitions == ("ds=2026-08-02/hr=0",)
    assert run("PUBLISH VIEW daily").partitions == ()
    assert run("PUBLISH VIEW daily PARTITION (ds = '2026-08-01', hr = 3)").partitions == ("ds=2026-08-01/hr=3",)
    assert len(run("PUBLISH VIEW daily SINCE (ds = '2026-08-01');").partitions) == 3


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("PUBLISH VIEW nothing WHEN requires('web.clicks', ds=column('ds'))", NoSuchViewError),
        ("PUBLISH VIEW daily WHEN requires('web.nothing', ds=column('ds'), hr=column('hr'))", NoSuchTableError),
        ("PUBLISH VIEW daily WHEN requires('web.clicks', ds=column('ds'), region='eu')", InvalidInputError),
    ],
)
def test_publish_refuses_what_it_cannot_judge(run: Run, daily: str, statement: str, kind: type[HiveViewsError]) -> None:
    with pytest.raises(kind):
        run(statement)
