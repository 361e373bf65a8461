"""What is recorded with views of their publications is in a file that publish reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.base_tables.memory import MemoryBaseTable
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.project import export
from hive_views.publishing.batch.publication import Publication
from hive_views.publishing.batch.publications_file import read_publications
from hive_views.publishing.ledger.recorded_rules import RecordedRules, recorded_rules, text_of_rule
from hive_views.publishing.publish import publish
from hive_views.readiness.expectation import Expectation
from hive_views.readiness.rules import all_of, column, requires, when
from hive_views.views.catalog import ViewCatalog
from tests.support.views.quick_catalog import catalog_on

CLICKS = {"web.clicks": MemoryBaseTable("web.clicks", [Column("ds", "string")], [("2026-08-01",), ("2026-08-02",)])}
RULE = requires("web.clicks", ds=column("ds"))
BY_HAND = "# by Ann\n[[publication]]\nview = \"sales.daily\"\nrules = [\"requires('web.clicks', ds=column('ds'))\"]\n"


@pytest.fixture
def catalog() -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore())
    for name in ("daily", "other"):
        sql = {"hive": "SELECT 1 AS a, '2026-08-01' AS ds"}
        schema = [("a", "int"), ("ds", "string")]
        catalog.create_view(f"sales.{name}", sql=sql, schema=schema, partitioned_on=["ds"])
    return catalog


def compared(one: Publication) -> tuple[object, ...]:
    rules = text_of_rule(all_of(*one.rules))
    return one.view, one.name, rules, dict(one.since or {}), dict(one.until or {}), one.app_id, one.expected


def recorded(catalog: ViewCatalog) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for name in ("sales.daily", "sales.other"):
        view = catalog.load_view(name)
        records: list[RecordedRules] = recorded_rules(view.metadata.properties)
        for one in records:
            publication = Publication.of_record(view, publication=one.publication)
            found.append(compared(replace(publication, since=one.since, until=one.until)))
    return found


def test_all_that_is_recorded_is_read_back(catalog: ViewCatalog, tmp_path: Path) -> None:
    hard = RULE | requires("web.clicks", ds="it's \"\u2028\x7f\\ ${env} ä")
    # The four must not judge one partition.
    first, last = {"ds": "2026-07-31"}, {"ds": "2027-01-01"}
    holidays = Expectation(
        "0 3 * * 1-5", "90min", "Europe/Berlin", {"ds": "yyyy-MM-dd"}, [{"ds": ("2026-12-25", "2026-12-26")}]
    )
    publish(catalog, "sales.daily", RULE, base_tables=CLICKS, until=first)
    named = {"publication": 'odd "name"', "app_id": "nightly", "run_version": 1}
    publish(catalog, "sales.daily", hard, base_tables=CLICKS, since={"ds": "2026-08-01"}, **named)
    publish(catalog, "sales.other", RULE, base_tables=CLICKS, until=first, expected=Expectation(("2026-07-01", "7")))
    since = {"ds": "2026-08-01"}
    publish(
        catalog, "sales.other", RULE, base_tables=CLICKS, publication="e", since=since, until=last, expected=holidays
    )
    publish(catalog, "sales.other", RULE, base_tables=CLICKS, publication="w", since={"ds": "2027-01-02"})
    outcomes = export(catalog, tmp_path)
    assert [one.reason for one in outcomes] == [None, None]
    written = read_publications(tmp_path / "publications.toml")
    assert len(written) == 5
    assert sorted(map(compared, written), key=str) == sorted(recorded(catalog), key=str)
    before = (tmp_path / "publications.toml").read_bytes()
    export(catalog, tmp_path, force=True)
    assert (tmp_path / "publications.toml").read_bytes() == before


def test_what_stands_in_the_file_stays_and_what_is_missing_is_added(catalog: ViewCatalog, tmp_path: Path) -> None:
    publish(catalog, "sales.daily", RULE, base_tables=CLICKS)
    publish(catalog, "sales.other", RULE, base_tables=CLICKS)
    (tmp_path / "publications.toml").write_text(BY_HAND)
    export(catalog, tmp_path)
    assert (tmp_path / "publications.toml").read_text() == (
        f'{BY_HAND}\n[[publication]]\nview = "sales.other"\nrules = [\'requires("web.clicks", ds=column("ds"))\']\n'
    )


def test_a_publication_that_the_file_says_otherwise_is_told(catalog: ViewCatalog, tmp_path: Path) -> None:
    publish(catalog, "sales.daily", RULE & requires("web.clicks", ds="2026-08-01"), base_tables=CLICKS)
    (tmp_path / "publications.toml").write_text(BY_HAND)
    daily, _ = export(catalog, tmp_path, force=True)
    assert daily.state is State.DONE
    assert "says something else of its publication hive_views than what it was last published with" in daily.reason
    assert (tmp_path / "publications.toml").read_text() == BY_HAND


def test_publications_that_contradict_each_other_are_left_out_alone(catalog: ViewCatalog, tmp_path: Path) -> None:
    for publication in ("a", "b"):
        publish(catalog, "sales.daily", RULE, base_tables=CLICKS, publication=publication)
    publish(catalog, "sales.other", RULE, base_tables=CLICKS)
    daily, other = export(catalog, tmp_path)
    assert "not in publications.toml: Publications 1 and 2 both publish sales.daily" in daily.reason
    assert other.reason is None
    assert [one.view for one in read_publications(tmp_path / "publications.toml")] == ["sales.other"]


def test_what_is_added_to_all_by_defaults_is_not_mistaken(catalog: ViewCatalog, tmp_path: Path) -> None:
    publish(catalog, "sales.daily", RULE, base_tables=CLICKS)
    text = '[defaults]\nsince = "ds=2026-08-05"\n\n' + BY_HAND.replace("daily", "other")
    (tmp_path / "publications.toml").write_text(text)
    daily, _ = export(catalog, tmp_path)
    assert "what stands below [defaults] would be added to them" in daily.reason
    assert (tmp_path / "publications.toml").read_text() == text


def is_workday(_: object) -> bool:
    return True


def test_what_no_file_can_say_is_told(catalog: ViewCatalog, tmp_path: Path) -> None:
    publish(catalog, "sales.daily", RULE, base_tables=CLICKS, candidates=[{"ds": "2026-08-01"}])
    publish(catalog, "sales.other", RULE & when(is_workday), base_tables=CLICKS)
    daily, other = export(catalog, tmp_path)
    assert "each of its runs was given the partitions to publish" in (daily.reason or "")
    assert "Its publication hive_views is not in publications.toml" in (other.reason or "")
    assert not (tmp_path / "publications.toml").exists()


def test_records_that_cannot_be_used_leave_the_views(catalog: ViewCatalog, tmp_path: Path) -> None:
    publish(catalog, "sales.daily", RULE, base_tables=CLICKS, since={"ds": "2026-08-02"})
    columns = [("ds", "string"), ("a", "int")]
    catalog.partitions("sales.daily").drop([{"ds": "2026-08-02"}])
    catalog.replace_view(
        "sales.daily", sql={"hive": "SELECT '2026' AS ds, 1 AS a"}, schema=columns, partitioned_on=["a"]
    )
    daily, other = export(catalog, tmp_path)
    assert (daily.state, other.state) == (State.DONE, State.DONE)
    assert "Its publications are not in publications.toml: " in daily.reason
