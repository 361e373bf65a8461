"""Views that were dropped come back whole, and never over one that is there."""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from hive_views.errors import (
    AlreadyExistsError,
    CommitFailedError,
    CorruptMetadataError,
    InvalidInputError,
    NoSuchNamespaceError,
    NoSuchViewError,
    StorageUnavailableError,
    ViewDriftedError,
)
from hive_views.estate import check, list_dropped, undrop
from hive_views.estate.adopting import adopt
from hive_views.estate.checks.last_file import CODES_OF_FILES
from hive_views.estate.each.outcomes import Outcome, State
from hive_views.hive.row import POINTER, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import OWN_PREFIX
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import FileInfo
from hive_views.storage.metadata_files import Listed
from hive_views.views.catalog import ViewCatalog
from hive_views.views.conversions import bring_back
from hive_views.views.recovery.recoverable import find_by_name
from hive_views.views.view import View
from tests.support.failing.faulty_metastore import Fault, FaultyMetastore, Killed, killed_after, killed_before
from tests.support.views.catalog_setup import BETTER, COLUMNS, SELECT, plain_view_row, table_row
from tests.support.views.foreign_writers import (
    hive_unset_property,
    replace_by_spark,
    spark_create_or_replace,
    spark_set_properties,
)
from tests.support.views.quick_catalog import NAME, catalog_on


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    return catalog_on(MemoryMetastore(), warehouse=str(tmp_path))


@pytest.fixture
def view(catalog: ViewCatalog) -> View:
    """Two versions, the first with a tag, and two partitions."""
    catalog.create_view(NAME, sql={"hive": SELECT}, schema=COLUMNS, partitioned_on=["ds"], properties={"team": "web"})
    catalog.tag_view(NAME, "release-1")
    catalog.partitions(NAME).add([{"ds": "2026-08-21"}, {"ds": "2026-08-22"}])
    return catalog.replace_view(NAME, sql={"hive": BETTER})


@pytest.fixture
def replaced(catalog: ViewCatalog, view: View) -> View:
    """Spark has put another view in its place."""
    replace_by_spark(
        catalog.metastore, view.identifier, f"{SELECT} LIMIT 7", theirs="1", transient_lastDdlTime="1785585600"
    )
    return view


def one(outcomes: Iterator[Outcome] | object) -> Outcome:
    [outcome] = outcomes  # type: ignore[misc]
    assert isinstance(outcome, Outcome)
    return outcome


def content(view: View) -> tuple[object, ...]:
    properties = {key: value for key, value in view.metadata.properties.items() if not key.startswith(OWN_PREFIX)}
    return view.uuid, view.history, view.versions, view.columns, view.partitioned_on, properties, view.tags


def test_a_dropped_view_comes_back_with_history_tags_and_partitions(catalog: ViewCatalog, view: View) -> None:
    catalog.drop_view(NAME)
    outcome = one(undrop(catalog, "sales.daily"))
    assert (outcome.state, outcome.details["partitions_added"]) == (State.DONE, 2)
    assert outcome.reason == "It is back at version 2. Declared again: 2 partitions."
    back = catalog.load_view(NAME)
    assert content(back) == content(view)
    assert catalog.partitions(NAME).names() == ["ds=2026-08-21", "ds=2026-08-22"]
    assert one(undrop(catalog, "sales.daily")).state is State.UNCHANGED


def test_a_lost_pointer_comes_back_and_foreign_parameters_stay(catalog: ViewCatalog, view: View) -> None:
    row = hive_unset_property(catalog.metastore.load_row(NAME), POINTER)
    catalog.metastore.swap_row(replace(row, parameters={**row.parameters, "theirs": "1"}), expected=None)
    assert one(undrop(catalog, "sales.daily")).state is State.DONE
    back = catalog.load_view(NAME)
    assert content(back) == content(view)
    assert back.differences == ()
    assert back.row.parameters["theirs"] == "1"
    assert len(catalog.partitions(NAME).names()) == 2


def test_spark_unsets_the_pointer_and_says_nothing_else(catalog: ViewCatalog, view: View) -> None:
    """It adds a copy of the columns, and the typed text is lost."""
    row = spark_set_properties(hive_unset_property(catalog.metastore.load_row(NAME), POINTER))
    catalog.metastore.swap_row(row, expected=None)
    assert [found.document()["now"] for found in list_dropped(catalog)] == ["without its pointer"]
    assert one(undrop(catalog, "sales.daily")).state is State.DONE
    back = catalog.load_view(NAME)
    assert (content(back), back.differences) == (content(view), ())


def test_what_somebody_wrote_into_a_row_without_its_pointer_is_decided_about(catalog: ViewCatalog, view: View) -> None:
    row = hive_unset_property(catalog.metastore.load_row(NAME), POINTER)
    text = f"{view.row.expanded_text} LIMIT 7"
    catalog.metastore.swap_row(replace(row, original_text=text, expanded_text=text), expected=None)
    assert isinstance(one(undrop(catalog, "sales.daily")).error, ViewDriftedError)
    assert one(undrop(catalog, "sales.daily", on_drift="adopt")).details["version_id"] == 3
    assert "LIMIT 7" in (catalog.load_view(NAME).row.expanded_text or "")


def test_a_released_view_is_not_listed_and_comes_back_with_its_history(catalog: ViewCatalog, view: View) -> None:
    """A plain view that says what the last file says."""
    row = catalog.metastore.load_row(NAME)
    ours = ("uuid", "table_type", POINTER, "previous_metadata_location")
    plain = {k: v for k, v in row.parameters.items() if k not in ours and not k.startswith(OWN_PREFIX)}
    catalog.metastore.swap_row(replace(row, parameters={**plain, "a": "1"}), expected=None, parameter="a")
    assert catalog.list_views("sales") == []
    assert list_dropped(catalog) == ()
    assert one(undrop(catalog, "sales.daily")).state is State.DONE
    assert content(catalog.load_view(NAME)) == content(view)
    assert len(catalog.partitions(NAME).names()) == 2


def test_what_another_engine_put_in_its_place_is_not_overwritten_unasked(catalog: ViewCatalog, replaced: View) -> None:
    before = catalog.metastore.load_row(NAME)
    for dry_run in (True, False):
        failed = one(undrop(catalog, "sales.daily", dry_run=dry_run))
        assert failed.state is State.FAILED
        assert isinstance(failed.error, ViewDriftedError)
        assert "LIMIT 7" in str(failed.error)
        assert "on_drift='adopt'" in str(failed.error)
    assert catalog.metastore.load_row(NAME) == before


def test_adopted_it_is_the_newest_version_on_top_of_the_history(catalog: ViewCatalog, replaced: View) -> None:
    outcome = one(undrop(catalog, "sales.daily", on_drift="adopt"))
    assert (outcome.state, outcome.details["version_id"]) == (State.DONE, 3)
    back = catalog.load_view(NAME)
    assert back.differences == ()
    assert "LIMIT 7" in (back.row.expanded_text or "")
    assert [entry.version_id for entry in back.history] == [1, 2, 3]
    assert back.versions[:2] == replaced.versions
    assert back.partitioned_on == ("ds",), "Spark cannot declare partition columns, so it has not taken them away"
    assert len(catalog.partitions(NAME).names()) == 2
    assert back.properties == replaced.properties
    assert back.row.parameters["theirs"] == "1"
    assert catalog.roll_back_view(NAME, to_version=2).columns == replaced.columns


def test_overwritten_the_view_is_as_it_was(catalog: ViewCatalog, replaced: View) -> None:
    assert one(undrop(catalog, "sales.daily", on_drift="overwrite")).state is State.DONE
    back = catalog.load_view(NAME)
    assert content(back) == content(replaced)
    assert back.differences == ()
    assert len(catalog.partitions(NAME).names()) == 2


def test_the_error_of_a_missing_view_names_the_verb_that_brings_it_back(catalog: ViewCatalog, view: View) -> None:
    catalog.drop_view(NAME)
    with pytest.raises(
        NoSuchViewError, match=r"hive_views\.estate\.undrop\(catalog, 'sales\.daily'\) brings the view back"
    ):
        catalog.load_view(NAME)
    again = catalog.register_view(NAME, view.metadata_location)
    replace_by_spark(catalog.metastore, again.identifier, "SELECT 7")
    with pytest.raises(NoSuchViewError, match=r"on_drift='adopt'"):
        catalog.load_view(NAME)


def test_a_view_that_took_the_name_meanwhile_is_left_alone(catalog: ViewCatalog, view: View) -> None:
    catalog.drop_view(NAME)
    found = find_by_name(catalog.engine, NAME)
    assert found
    catalog.create_view(NAME, sql={"hive": "SELECT 7 AS seven"}, schema=[("seven", "int")])
    for on_drift in ("fail", "overwrite"):
        with pytest.raises(AlreadyExistsError):
            bring_back(catalog.engine, found, on_drift=on_drift)  # type: ignore[arg-type]
    assert catalog.load_view(NAME).schema.names == ("seven",)


def test_a_view_that_came_back_meanwhile_in_place_of_a_plain_one_is_left_alone(
    catalog: ViewCatalog, replaced: View
) -> None:
    """``register_view(overwrite=True)`` takes the place of whatever is there."""
    found = find_by_name(catalog.engine, NAME)
    assert found
    catalog.register_view(NAME, replaced.metadata_location, overwrite=True)
    later = catalog.replace_view(NAME, sql={"hive": f"{BETTER} LIMIT 1"})
    for on_drift in ("fail", "adopt", "overwrite"):
        with pytest.raises(AlreadyExistsError):
            bring_back(catalog.engine, found, on_drift=on_drift)  # type: ignore[arg-type]
    assert catalog.load_view(NAME).metadata_location == later.metadata_location


def test_a_row_that_changes_while_it_is_decided_about_is_not_overwritten(
    catalog: ViewCatalog, replaced: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find_by_name(catalog.engine, NAME)
    assert found
    listing = catalog.storage.list_together

    def change_then_list(directories: Collection[str]) -> Listed:
        row = catalog.metastore.load_row(NAME)
        if "LIMIT 8" not in (row.expanded_text or ""):
            text = f"{SELECT} LIMIT 8"
            catalog.metastore.swap_row(
                replace(row, original_text=text, expanded_text=text), expected=None, parameter="theirs"
            )
        return listing(directories)

    monkeypatch.setattr(catalog.storage, "list_together", change_then_list)
    with pytest.raises(CommitFailedError, match="by another writer after it was read"):
        bring_back(catalog.engine, found, on_drift="overwrite")
    assert "LIMIT 8" in (catalog.metastore.load_row(NAME).expanded_text or "")


def test_what_can_be_brought_back_is_listed_from_the_directories(catalog: ViewCatalog, replaced: View) -> None:
    catalog.create_namespace("web")
    for name in ("sales.weekly", "sales.purged", "sales.renamed", "sales.moved", "sales.live", "web.gone"):
        catalog.create_view(name, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    catalog.drop_view("sales.weekly")
    catalog.drop_view("sales.purged", purge=True)
    catalog.rename_view("sales.renamed", "sales.other")
    catalog.rename_view("sales.moved", "web.moved")
    catalog.drop_view("web.gone")
    catalog.metastore.create_row(plain_view_row("sales", "plain"))
    found = list_dropped(catalog)
    assert [str(one.identifier) for one in found] == ["sales.daily", "sales.weekly", "web.gone"]
    assert [one.document()["now"] for one in found] == ["a plain view", "gone", "gone"]
    assert found[0].document()["has_partitions"]
    assert [str(one.identifier) for one in list_dropped(catalog, "sales.w*")] == ["sales.weekly"]
    assert [str(one.identifier) for one in list_dropped(catalog, "*.gone", "sales.daily")] == [
        "sales.daily",
        "web.gone",
    ]
    with pytest.raises(NoSuchNamespaceError):
        list_dropped(catalog, "nowhere.*")


def test_all_that_is_listed_comes_back_and_a_failure_stops_nothing(catalog: ViewCatalog, replaced: View) -> None:
    for name in ("sales.a", "sales.z"):
        catalog.create_view(name, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
        catalog.drop_view(name)
    planned = undrop(catalog, "*.*", dry_run=True)
    assert [outcome.state for outcome in planned] == [State.PLANNED, State.FAILED, State.PLANNED]
    assert not catalog.view_exists("sales.a")
    outcomes = undrop(catalog, "*.*")
    assert [outcome.state for outcome in outcomes] == [State.DONE, State.FAILED, State.DONE]
    assert [str(one.identifier) for one in list_dropped(catalog)] == ["sales.daily"]
    assert one(undrop(catalog, "sales.*", on_drift="adopt")).state is State.DONE
    assert list_dropped(catalog) == ()


def test_of_what_was_never_there_nothing_is_made(catalog: ViewCatalog) -> None:
    catalog.metastore.create_row(plain_view_row("sales", "plain"))
    catalog.metastore.create_row(table_row("sales", "table"))
    outcomes = undrop(catalog, "sales.plain", "sales.table")
    assert [outcome.state for outcome in outcomes] == [State.LEFT, State.LEFT]
    with pytest.raises(InvalidInputError):
        undrop(catalog)
    with pytest.raises(InvalidInputError, match="on_drift"):
        undrop(catalog, "sales.never", on_drift="ask")  # type: ignore[arg-type]


def test_where_a_name_or_a_pattern_is_of_nothing_nothing_is_done(catalog: ViewCatalog, view: View) -> None:
    catalog.drop_view(NAME)
    with pytest.raises(
        NoSuchViewError, match=r"No files of a view sales\.never .* register_view\('sales\.never', file\)"
    ):
        undrop(catalog, "sales.daily", "sales.never")
    for pattern in ("sales.x*", "*.never"):
        with pytest.raises(NoSuchViewError):
            undrop(catalog, "sales.daily", pattern)
    assert not catalog.view_exists(NAME)
    for wrong in ("sales", "a.b.c*", "*"):
        with pytest.raises(InvalidInputError):
            undrop(catalog, wrong)
        with pytest.raises(InvalidInputError):
            list_dropped(catalog, wrong)


def test_once_all_are_back_a_pattern_of_live_views_has_nothing_to_do(catalog: ViewCatalog, view: View) -> None:
    catalog.drop_view(NAME)
    assert [outcome.state for outcome in undrop(catalog, "sales.*", "*.*")] == [State.DONE]
    assert list(undrop(catalog, "sales.*", "*.*")) == []
    there = one(undrop(catalog, "sales.daily"))
    assert (there.reason or "").startswith("It exists. If it has lost partitions: partitions('sales.daily').restore()")


@pytest.mark.parametrize("what", ["missing", "damaged", "another view's"])
@pytest.mark.parametrize("has_older", [True, False])
@pytest.mark.parametrize("dry_run", [True, False])
def test_a_live_view_without_its_file_is_not_said_to_be_there(
    catalog: ViewCatalog, view: View, tmp_path: Path, what: str, has_older: bool, dry_run: bool
) -> None:
    last = Path(view.metadata_location.removeprefix("file://"))
    read = last.read_bytes()
    if not has_older:
        for file in tmp_path.rglob("*.metadata.json"):
            file.unlink()
    if what == "missing":
        last.unlink(missing_ok=True)
    else:
        last.write_bytes(b"{" if what == "damaged" else of_another(read))
    fresh = catalog_on(catalog.metastore, catalog.warehouse)
    outcome = one(undrop(fresh, "sales.daily", dry_run=dry_run))
    [finding] = [found for found in check(fresh, "sales.daily").findings if found.code in CODES_OF_FILES]
    assert isinstance(outcome.error, CorruptMetadataError)
    assert (outcome.state, outcome.error.message, outcome.error.remedy) == (
        State.FAILED,
        finding.problem,
        finding.remedy,
    )
    assert ("register_view(" if has_older else "hive_views.estate.restore(") in str(finding.remedy)


def of_another(content: bytes) -> bytes:
    document = json.loads(gzip.decompress(content))
    return gzip.compress(json.dumps({**document, "view-uuid": str(UUID(int=1))}).encode())


def released(catalog: ViewCatalog, *gone: str) -> Row:
    """The view as a plain one, of which somebody has taken properties away."""
    catalog.release_view(NAME)
    row = catalog.metastore.load_row(TableIdentifier.of(NAME))
    for key in gone:
        row = hive_unset_property(row, key)
    catalog.metastore.swap_row(row, expected=None)
    return catalog.metastore.load_row(TableIdentifier.of(NAME))


@pytest.mark.parametrize("gone", [("comment",), ("comment", "team", "region")], ids=["one", "all"])
def test_properties_that_a_released_view_has_lost_do_not_come_back_unasked(
    catalog: ViewCatalog, view: View, gone: tuple[str, ...]
) -> None:
    catalog.alter_view(NAME, comment="of a day", set_properties={"region": "eu"})
    before = released(catalog, *gone)
    assert [found.document()["now"] for found in list_dropped(catalog)] == ["a plain view"]
    failed = one(undrop(catalog, "sales.daily"))
    assert isinstance(failed.error, ViewDriftedError)
    assert "parameter comment: found nothing, expected 'of a day'" in str(failed.error)
    assert catalog.metastore.load_row(NAME) == before


def test_adopted_a_released_view_is_without_the_property_that_was_taken_away(catalog: ViewCatalog, view: View) -> None:
    catalog.alter_view(NAME, comment="of a day")
    released(catalog, "comment")
    assert one(undrop(catalog, "sales.daily", on_drift="adopt")).state is State.DONE
    back = catalog.load_view(NAME)
    assert (back.comment, back.properties, back.differences) == (None, {"team": "web"}, ())


@pytest.mark.parametrize("maker", ["spark", "hive"])
@pytest.mark.parametrize("said", [{}, {"team": "web"}, {"team": "ads", "theirs": "1"}], ids=["none", "one", "changed"])
def test_adopted_a_view_that_was_recreated_keeps_the_properties_that_the_statement_did_not_name(
    catalog: ViewCatalog, maker: str, said: dict[str, str]
) -> None:
    """``CREATE VIEW ... TBLPROPERTIES ('team' = 'web')`` names one of them, as the script that made the view did."""
    name = TableIdentifier.of("sales.weekly")
    properties = {"team": "web", "region": "eu", "version.history.num-entries": "100"}
    view = catalog.create_view(
        name, sql={"hive": "SELECT 0 AS a"}, schema=[("a", "int")], comment="of a week", properties=properties
    )
    for number in range(1, 15):
        view = catalog.replace_view(name, sql={"hive": f"SELECT {number} AS a"})
    catalog.drop_view(name)
    row = spark_create_or_replace(view.row, "SELECT 77 AS a", session_database="sales")
    if maker == "hive":
        # The very text, which Hive's own row has without saying where its names resolve.
        row = replace(row, original_text=view.row.original_text, expanded_text=view.row.expanded_text, parameters={})
    catalog.metastore.create_row(replace(row, native=None, parameters={**row.parameters, **said}))
    assert one(undrop(catalog, str(name), on_drift="adopt")).state is State.DONE
    back = catalog.load_view(name)
    expected = {**properties, "comment": "of a week", **{key: said[key] for key in said.keys() & {"team"}}}
    assert (back.comment, back.properties, back.differences) == ("of a week", expected, ())
    assert back.versions[:15] == view.versions


def test_an_adopted_view_that_an_engine_recreated_with_the_same_text_keeps_its_properties(catalog: ViewCatalog) -> None:
    """A scheduled script says the same text each time; the row of a view that was adopted is the engine's own."""
    row = spark_create_or_replace(plain_view_row("sales", "weekly"), "SELECT 1 AS a", session_database="sales")
    row = replace(row, columns=(Column("a", "int"),), parameters={**row.parameters, "team": "web"})
    catalog.metastore.create_row(row)
    catalog.adopt_view(row.identifier)
    view = catalog.alter_view(row.identifier, comment="of a week", set_properties={"version.history.num-entries": "99"})
    catalog.drop_view(row.identifier)
    catalog.metastore.create_row(row)
    assert one(undrop(catalog, "sales.weekly", on_drift="adopt")).state is State.DONE
    assert catalog.load_view(row.identifier).properties == view.properties


def test_adopted_a_released_view_keeps_its_versions_whatever_was_taken_away(catalog: ViewCatalog, view: View) -> None:
    catalog.alter_view(NAME, set_properties={"version.history.num-entries": "50"})
    for number in range(12):
        view = catalog.replace_view(NAME, sql={"hive": f"{BETTER} LIMIT {number}"})
    released(catalog, "version.history.num-entries", "team")
    assert one(undrop(catalog, "sales.daily", on_drift="adopt")).state is State.DONE
    back = catalog.load_view(NAME)
    assert (back.versions, back.properties) == (view.versions, {"version.history.num-entries": "50"})


def test_a_notebook_shows_what_can_be_brought_back_as_a_table(catalog: ViewCatalog, view: View) -> None:
    catalog.drop_view(NAME)
    html = list_dropped(catalog)._repr_html_()
    assert "1 view can be brought back" in html
    for text in ("sales.daily", "<td>2</td>", "noted", "gone"):
        assert text in html
    assert "0 views" in list_dropped(catalog, "sales.x*")._repr_html_()


def test_the_rows_of_all_views_are_read_once_for_all_namespaces(tmp_path: Path) -> None:
    calls: list[str] = []
    catalog = catalog_on(MemoryMetastore(on_call=calls.append), warehouse=str(tmp_path))
    for number in range(9):
        catalog.create_namespace(f"n{number}")
        catalog.create_view(f"n{number}.v", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
        catalog.drop_view(f"n{number}.v")
    calls.clear()
    assert len(list_dropped(catalog)) == 9
    assert calls.count("list_view_names") == len(catalog.list_namespaces())


def test_many_are_found_in_few_calls(tmp_path: Path) -> None:
    calls: list[str] = []
    catalog = catalog_on(MemoryMetastore(on_call=calls.append), warehouse=str(tmp_path))
    for number in range(30):
        catalog.create_view(f"sales.v{number}", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
        catalog.drop_view(f"sales.v{number}")
    calls.clear()
    assert len(list_dropped(catalog)) == 30
    assert len(calls) < 12
    assert TableIdentifier("sales", "v0") == list_dropped(catalog)[0].identifier


def test_an_adopted_view_keeps_its_owner_and_a_created_one_has_that_of_new_views(tmp_path: Path) -> None:
    metastore = MemoryMetastore()
    catalog = catalog_on(metastore, warehouse=str(tmp_path), owner="who created it")
    metastore.create_row(replace(plain_view_row("sales", "plain"), owner="ada"))
    catalog.adopt_view("sales.plain")
    catalog.create_view(NAME, sql={"hive": SELECT}, schema=COLUMNS)
    for name in ("sales.plain", "sales.daily"):
        catalog.drop_view(name)
    later = catalog_on(metastore, warehouse=str(tmp_path), owner="who brings it back")
    assert undrop(later, "*.*").failed == ()
    owners = [later.load_view(name).owner for name in ("sales.plain", "sales.daily")]
    assert owners == ["ada", "who brings it back"]


def three_dropped(catalog: ViewCatalog) -> View:
    """Returns the second of them."""
    for name in ("sales.a", "sales.b", "sales.c"):
        catalog.create_view(name, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    view = catalog.load_view("sales.b")
    for name in ("sales.a", "sales.b", "sales.c"):
        catalog.drop_view(name)
    return view


def spoil(view: View, **document: object) -> None:
    file = Path(view.metadata_location.removeprefix("file://"))
    content = {**json.loads(gzip.decompress(file.read_bytes())), **document}
    file.write_bytes(gzip.compress(json.dumps(content).encode()))


@pytest.mark.parametrize(
    "wrong",
    [{"current-version-id": 77}, {"properties": {"hive-views.partitioned-on": "nonsense"}}],
    ids=["version", "columns"],
)
@pytest.mark.parametrize("in_its_place", [False, True], ids=["gone", "replaced"])
def test_a_last_file_of_which_no_view_can_be_made_fails_its_view_alone(
    catalog: ViewCatalog, wrong: dict[str, object], in_its_place: bool
) -> None:
    view = three_dropped(catalog)
    spoil(view, **wrong)
    later = catalog_on(catalog.metastore, warehouse=catalog.warehouse)
    if in_its_place:
        later.metastore.create_row(plain_view_row("sales", "b"))
        assert "replaced-row" not in check(later).counts
        assert ("sales.b", "file") in [(one.view, one.about) for one in check(later).not_known]
        assert adopt(later, "sales.b").failed, "a new history would put the former one away"
    found = list_dropped(later)
    assert [str(one.identifier) for one in found] == ["sales.a", "sales.c"]
    assert [str(identifier) for identifier in found.not_known] == ["sales.b"]
    assert [one.state for one in undrop(later, "sales.*", dry_run=True)] == [State.PLANNED, State.FAILED, State.PLANNED]
    outcomes = undrop(later, "sales.*")
    assert [one.state for one in outcomes] == [State.DONE, State.FAILED, State.DONE]
    assert f"Cannot create a view from {view.metadata_location}" in (outcomes.failed[0].reason or "")
    assert [one.state for one in undrop(later, "sales.b")] == [State.FAILED]


def test_an_earlier_file_is_not_taken_for_the_last_one(catalog: ViewCatalog, view: View) -> None:
    catalog.drop_view(NAME)
    spoil(view, **{"current-version-id": 77})
    later = catalog_on(catalog.metastore, warehouse=catalog.warehouse)
    assert isinstance(one(undrop(later, "sales.daily")).error, CorruptMetadataError)
    with pytest.raises(NoSuchViewError):
        later.load_view(NAME)


def test_a_directory_that_may_not_be_read_fails_its_view_alone(
    catalog: ViewCatalog, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The directory of another team, in a namespace that all may read."""
    three_dropped(catalog)
    listing = catalog.storage.list_infos

    def refused(directory: str) -> Sequence[FileInfo]:
        if directory.endswith("/b/metadata"):
            raise StorageUnavailableError(f"Permission denied: {directory}.", location=directory)
        return listing(directory)

    monkeypatch.setattr(catalog.storage, "list_infos", refused)
    assert [str(found.identifier) for found in list_dropped(catalog)] == ["sales.a", "sales.c"]
    assert "whether sales.b can be brought back is unknown: Permission denied" in caplog.text
    assert [outcome.state for outcome in undrop(catalog, "sales.a", "sales.b")] == [State.DONE, State.FAILED]
    assert [outcome.state for outcome in undrop(catalog, "sales.b*", "sales.c")] == [State.FAILED, State.DONE]
    assert [outcome.state for outcome in undrop(catalog, "sales.*")] == [State.FAILED]


def test_a_view_that_a_run_which_was_ended_left_without_partitions_is_named_by_the_next(
    catalog: ViewCatalog, view: View
) -> None:
    catalog.drop_view(NAME)
    found = find_by_name(catalog.engine, NAME)
    assert found
    bring_back(catalog.engine, found)
    left = one(undrop(catalog, "sales.*"))
    assert (left.state, left.details["partitions_lost"]) == (State.LEFT, ["ds=2026-08-21", "ds=2026-08-22"])
    assert "partitions('sales.daily').restore()" in (left.reason or "")
    catalog.partitions(NAME).restore()
    catalog.partitions(NAME).drop([{"ds": "2026-08-21"}])
    assert list(undrop(catalog, "sales.*")) == []


@pytest.mark.parametrize(("fault", "lost"), [(killed_before, ["ds=2026-08-21", "ds=2026-08-22"]), (killed_after, [])])
def test_a_run_that_is_killed_while_it_declares_partitions_leaves_none_that_the_next_does_not_name(
    catalog: ViewCatalog, view: View, fault: Fault, lost: list[str]
) -> None:
    catalog.drop_view(NAME)
    metastore = FaultyMetastore(catalog.metastore)
    metastore.on("add_partitions", fault)
    with pytest.raises(Killed):
        undrop(catalog_on(metastore, warehouse=catalog.warehouse), NAME)
    later = catalog_on(catalog.metastore, warehouse=catalog.warehouse)
    assert [left.details["partitions_lost"] for left in undrop(later, "sales.*")] == ([lost] if lost else [])
    restored = later.partitions(NAME).restore()
    assert (restored.added, restored.uncertain) == (lost, [])
    assert later.partitions(NAME).names() == ["ds=2026-08-21", "ds=2026-08-22"]


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_view_that_another_run_has_brought_back_and_dropped_meanwhile_does_not_lose_what_was_changed_between(
    catalog: ViewCatalog, view: View, *, is_replaced: bool
) -> None:
    def drop() -> None:
        catalog.drop_view(NAME)
        if is_replaced:
            catalog.metastore.create_row(plain_view_row("sales", "daily"))

    drop()
    found = find_by_name(catalog.engine, NAME)
    assert found
    undrop(catalog, NAME, on_drift="overwrite")
    catalog.alter_view(NAME, comment="more")
    drop()
    with pytest.raises(CommitFailedError):
        bring_back(catalog.engine, found, on_drift="overwrite")
    undrop(catalog, NAME, on_drift="overwrite")
    assert catalog.load_view(NAME).comment == "more"


def test_views_of_a_database_that_is_gone_itself_are_listed_and_come_back_with_it(
    catalog: ViewCatalog, view: View
) -> None:
    catalog.drop_view(NAME)
    catalog.metastore.drop_namespace("sales")
    (left,) = list_dropped(catalog)
    assert (str(left.identifier), left.document()["namespace_exists"]) == ("sales.daily", False)
    for names in (["sales.daily"], ["sales.*"], ["*.*"]):
        assert [str(one.identifier) for one in list_dropped(catalog, *names)] == ["sales.daily"]
        for dry_run in (True, False):
            with pytest.raises(NoSuchNamespaceError, match="pass create_namespaces=True"):
                undrop(catalog, *names, dry_run=dry_run)
        assert one(undrop(catalog, *names, create_namespaces=True, dry_run=True)).state is State.PLANNED
    assert "sales" not in catalog.list_namespaces()
    assert one(undrop(catalog, "sales.*", create_namespaces=True)).state is State.DONE
    assert content(catalog.load_view(NAME)) == content(view)
    assert catalog.partitions(NAME).names() == ["ds=2026-08-21", "ds=2026-08-22"]


def test_a_database_that_never_was_is_missing_and_one_without_views_has_none(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    (tmp_path / "tables.db" / "clicks").mkdir(parents=True)
    assert list_dropped(catalog) == list_dropped(catalog, "tables.*") == ()
    for names in (["never.v"], ["never.*"]):
        with pytest.raises(NoSuchNamespaceError):
            list_dropped(catalog, *names)
        with pytest.raises(NoSuchNamespaceError):
            undrop(catalog, *names, create_namespaces=True)


def test_the_answer_says_how_the_last_file_is_known_and_what_may_be_wrong_about_it(
    catalog: ViewCatalog, view: View
) -> None:
    catalog.drop_view(NAME)
    sure = one(undrop(catalog, "sales.daily"))
    assert (sure.details["known_by"], sure.details["doubts"]) == ("note", [])
    catalog.metastore.drop_row(NAME)
    for dry_run in (True, False):
        unsure = one(undrop(catalog, "sales.daily", dry_run=dry_run))
        assert unsure.details["known_by"] == "search"
        assert "may belong to a change that never completed" in (unsure.reason or "")
