"""Rows of plain views that real engines made, adopted: the row stays, field by field, and comes back when released."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from hive_views.errors import (
    AlreadyExistsError,
    BrokenViewError,
    CommitFailedError,
    CommitStateUnknownError,
    InvalidInputError,
    MetastoreUnavailableError,
    NotAdoptableError,
)
from hive_views.estate import undrop
from hive_views.estate.each.outcomes import State
from hive_views.estate.transfer.renaming import with_other_namespaces
from hive_views.estate.transfer.snapshot import ViewSnapshot
from hive_views.hive.row import COMMENT, DDL_TIME, POINTER, PREVIOUS_POINTER, TABLE_TYPE, VIEW_UUID, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.thrift.structs import from_row
from hive_views.persisted import OWN_PREFIX
from hive_views.views import conversions
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.creation import import_view
from hive_views.views.row.plain_view import plain_view_of
from hive_views.views.row.trino_view import document_in, text_with
from hive_views.views.version_diff import compare, definition_at
from hive_views.views.view import View
from tests.support.plain_rows import PlainView, plain_view, plain_views
from tests.support.views import foreign_writers
from tests.support.views.catalog_setup import plain_view_row, table_row
from tests.support.views.quick_catalog import catalog_on

OURS = {POINTER, PREVIOUS_POINTER, TABLE_TYPE, VIEW_UUID, DDL_TIME}
HIVE = plain_view_row("sales", "made_by_hive")


def foreign(parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters that this library has not added."""
    return {key: value for key, value in parameters.items() if key not in OURS and not key.startswith(OWN_PREFIX)}


def assert_same_to_readers(found: Row, before: Row) -> None:
    """All fields of the struct, and all parameters that are not ours."""
    assert foreign(found.parameters) == foreign(before.parameters)
    plain = (replace(row, parameters={}) for row in (found, before))
    assert next(plain) == next(plain)


def put(catalog: ViewCatalog, row: Row) -> Row:
    catalog.create_namespace(row.identifier.namespace, if_not_exists=True)
    catalog.metastore.create_row(row)
    return catalog.metastore.load_row(row.identifier)


@pytest.fixture
def catalog() -> ViewCatalog:
    return catalog_on(MemoryMetastore())


def adopted(catalog: ViewCatalog, row: Row = HIVE) -> View:
    return catalog.adopt_view(put(catalog, row).identifier)


# -- rows that real engines made --------------------


WITHOUT_COUNTERPART = ("of_constants", "not_of_hive", "variant", "types_of_trino")
"""Views with a column of a type that Iceberg does not have: void, an interval, variant."""
GOOD = [view for view in plain_views() if view.error is None and view.name not in WITHOUT_COUNTERPART]


@pytest.mark.parametrize("view", GOOD, ids=lambda view: view.id)
def test_every_view_that_an_engine_can_read_is_adopted_and_its_row_stays(view: PlainView, catalog: ViewCatalog) -> None:
    before = put(catalog, view.row)
    if view.partitions:
        catalog.metastore.add_partitions(before.identifier, view.declared, if_not_exists=False)
    made = conversions.adopt(catalog.engine, before.identifier, row=before)
    after = catalog.metastore.load_row(before.identifier)
    assert_same_to_readers(after, before)
    assert made.row.parameters[POINTER] == after.parameters[POINTER]
    loaded = catalog.load_view(before.identifier)
    assert loaded.differences == ()
    catalog.alter_view(before.identifier, set_properties={"added": "here"})
    after = catalog.metastore.load_row(before.identifier)
    assert_same_to_readers(
        replace(after, parameters={k: v for k, v in after.parameters.items() if k != "added"}), before
    )
    catalog.alter_view(before.identifier, remove_properties=["added"])
    catalog.release_view(before.identifier)
    after = catalog.metastore.load_row(before.identifier)
    assert {**after.parameters, DDL_TIME: ""} == {**before.parameters, DDL_TIME: ""}
    assert_same_to_readers(after, before)
    assert (
        len(catalog.metastore.partition_names(before.identifier)) == len(view.partitions) if view.partitions else True
    )


@pytest.mark.parametrize("view", GOOD, ids=lambda view: view.id)
def test_the_struct_that_is_written_differs_in_parameters_alone(view: PlainView) -> None:
    catalog = catalog_on(MemoryMetastore())
    made = conversions.adopt(catalog.engine, view.row.identifier, row=view.row, dry_run=True)
    written, found = from_row(made.row), view.struct
    written.parameters, found.parameters = None, None
    assert written == found


@pytest.mark.parametrize("name", WITHOUT_COUNTERPART)
def test_a_view_with_a_type_that_no_metadata_file_can_say_is_left(name: str) -> None:
    for view in plain_views():
        if view.name == name:
            with pytest.raises(NotAdoptableError, match=r"counterpart|no such type") as caught:
                plain_view_of(view.row)
            assert not isinstance(caught.value, BrokenViewError)


def test_a_dry_run_judges_a_row_without_a_call_and_writes_nothing() -> None:
    calls: list[str] = []
    catalog = ViewCatalog(MemoryMetastore(on_call=calls.append), warehouse="memory://adopt-dry-run")
    view = conversions.adopt(catalog.engine, HIVE.identifier, row=HIVE, dry_run=True)
    said = {"comment": "made by hive", "k": "v", "hive.metastore.table.owner": "hive"}
    assert (view.dialects, view.properties) == (("hive",), said)
    assert calls == []
    assert catalog.storage.list_metadata_files(f"{view.location}/metadata") == []


def test_adopting_takes_no_more_than_three_calls() -> None:
    calls: list[str] = []
    catalog = catalog_on(MemoryMetastore(on_call=calls.append))
    catalog.adopt_view(put(catalog, HIVE).identifier)
    view = plain_view("hive-4.0.1", next(one.name for one in plain_views("hive-4.0.1") if one.partitions))
    row = put(catalog, view.row)
    catalog.metastore.add_partitions(row.identifier, view.declared, if_not_exists=False)
    calls.clear()
    conversions.adopt(catalog.engine, row.identifier, row=row)
    assert [call for call in calls if call != "enforces_swap"] == ["partition_names", "load_row", "swap_row"]


def test_the_journal_begins_with_the_partitions_of_the_row(catalog: ViewCatalog) -> None:
    view = next(one for one in plain_views("hive-4.0.1") if one.partitions and one.error is None)
    row = put(catalog, view.row)
    catalog.metastore.add_partitions(row.identifier, view.declared, if_not_exists=False)
    catalog.adopt_view(row.identifier)
    declared = catalog.metastore.partition_names(row.identifier)
    last = catalog.load_view(row.identifier).metadata_location
    catalog.metastore.drop_row(row.identifier)
    catalog.register_view(row.identifier, last)
    assert sorted(catalog.partitions(row.identifier).restore().added) == sorted(declared)


# -- what is left, and what is broken --------------------


TRINO = plain_view("by-hand", "presto").row
SPARK = plain_view("by-hand", "spark_2_4").row
DOCUMENT = document_in(TRINO.original_text)


def with_parameters(row: Row, **parameters: str) -> Row:
    return replace(row, parameters={**row.parameters, **parameters})


LEFT = {
    "a table": table_row("sales", "t"),
    "a materialized view": replace(HIVE, table_type="MATERIALIZED_VIEW"),
    "a materialized view of Trino": with_parameters(TRINO, **{COMMENT: "Presto Materialized View"}),
    "a type that Iceberg has not": replace(HIVE, columns=(Column("u", "uniontype<int>"), Column("ds", "string"))),
    "a view of Iceberg": with_parameters(HIVE, table_type="ICEBERG-VIEW", metadata_location="s3://lake/1.json"),
}
BROKEN = {
    "no text": replace(HIVE, expanded_text=None),
    "no query": replace(HIVE, expanded_text="SELECT FROM WHERE"),
    "fewer columns": replace(HIVE, columns=HIVE.columns[:1]),
    "another alias": replace(HIVE, columns=(Column("u", "bigint"), Column("other", "string"))),
    "another cast": replace(HIVE, expanded_text="SELECT cast(a AS int) AS `u`, cast(b AS string) AS `ds` FROM t.t"),
    "base64 that is damaged": replace(TRINO, original_text="/* Presto View: ey?? */"),
    "a document without a query": replace(TRINO, original_text=text_with({"columns": []})),
    "Trino's columns": replace(TRINO, original_text=text_with({**DOCUMENT, "columns": DOCUMENT["columns"][:1]})),
    "half of Trino's form": with_parameters(TRINO, **{COMMENT: "mine"}),
    "Spark's names of columns": with_parameters(SPARK, **{"view.query.out.numCols": "3"}),
    "Spark's schema": with_parameters(SPARK, **{"spark.sql.sources.schema.part.0": "{"}),
    "a column that Spark's query has not": with_parameters(SPARK, **{"view.query.out.col.0": "gone"}),
    "a view that has lost its pointer": with_parameters(HIVE, table_type="ICEBERG-VIEW", uuid="a"),
}


@pytest.mark.parametrize("kind", LEFT)
def test_what_is_no_plain_view_is_left(kind: str) -> None:
    with pytest.raises(NotAdoptableError) as caught:
        plain_view_of(LEFT[kind])
    assert not isinstance(caught.value, BrokenViewError)


@pytest.mark.parametrize("kind", BROKEN)
def test_what_contradicts_itself_is_named_as_broken(kind: str) -> None:
    with pytest.raises(BrokenViewError, match=BROKEN[kind].identifier.name):
        plain_view_of(BROKEN[kind])


@pytest.mark.parametrize(
    "text",
    [
        "SELECT *, 1 AS `ds` FROM `web`.`t`",
        "select count(1), `t`.`ds` from `web`.`t` group by `t`.`ds`",
        "SELECT `u` AS `u`, `ds` AS `ds` FROM (select a as `u`, sum(b) over (partition by c) as `ds` from `w`.`t`) `v`",
        "select `u`, `ds` from `w`.`t` union all select 1, 'a' from `w`.`s`",
    ],
)
def test_what_is_not_certain_passes(text: str) -> None:
    columns = (Column("_c0" if "count" in text else "u", "bigint"), Column("ds", "string"))
    assert plain_view_of(replace(HIVE, columns=columns, expanded_text=text)).sql == text


# -- afterwards --------------------


def test_a_replacement_makes_a_row_of_ours_and_rolling_back_gives_the_one_that_was_found(catalog: ViewCatalog) -> None:
    before = adopted(catalog, SPARK).row
    catalog.replace_view(
        before.identifier, sql={"spark": "SELECT user_id, page FROM plain_lake.clicks WHERE page > 'b'"}
    )
    after = catalog.metastore.load_row(before.identifier)
    assert "view.query.out.numCols" not in after.parameters
    assert after.parameters["view.catalogAndNamespace.part.1"] == "plain_views"
    catalog.roll_back_view(before.identifier, to_version=1)
    assert_same_to_readers(catalog.metastore.load_row(before.identifier), before)


def test_the_diff_says_what_a_replacement_takes_from_the_session_of_spark(catalog: ViewCatalog) -> None:
    row = with_parameters(SPARK, **{"view.sqlConfig.spark.sql.session.timeZone": "Asia/Tokyo"})
    name = adopted(catalog, row).identifier
    catalog.replace_view(name, sql={"spark": "SELECT user_id, page FROM plain_lake.clicks WHERE page > 'b'"})
    view = catalog.load_view(name)
    found = compare(*(definition_at(catalog.storage, view, version) for version in (1, 2)))
    (session,) = (one for one in found if one.parts == ("spark session",))
    assert "-view.sqlConfig.spark.sql.session.timeZone = Asia/Tokyo" in session.lines


@pytest.mark.parametrize(("maker", "name"), [("by-hand", "spark_2_4"), ("by-hand", "impala"), ("by-hand", "presto")])
def test_other_names_of_databases_are_in_the_row_of_an_adopted_view_too(maker: str, name: str) -> None:
    catalog = catalog_on(MemoryMetastore())
    view = adopted(catalog, plain_view(maker, name).row)
    snapshot = ViewSnapshot(view.identifier, view.row, metadata=view.metadata)
    moved = with_other_namespaces(snapshot, {"plain_lake": "lake_2", "plain_views": "views_2"})
    catalog.create_namespace("views_2")
    made = import_view(catalog.engine, moved.identifier, moved.metadata, row=moved.row)
    assert made.differences == ()
    texts = str(made.row.original_text if name != "presto" else document_in(made.row.original_text))
    assert "lake_2" in texts
    assert not {"plain_lake", "plain_views"} & set(re.findall(r"\w+", f"{texts} {made.row.expanded_text}"))
    assert made.row.parameters.get("view.default.database", "lake_2") == "lake_2"


def test_a_text_of_another_dialect_leaves_the_row_as_it_is(catalog: ViewCatalog) -> None:
    before = adopted(catalog, SPARK).row
    view = catalog.alter_view(before.identifier, sql={"trino": "SELECT user_id, page FROM plain_lake.clicks"})
    assert view.dialects == ("spark", "trino")
    assert_same_to_readers(catalog.metastore.load_row(before.identifier), before)


def test_an_alter_view_behind_an_adopted_file_is_drift_and_is_adopted_as_it_is(catalog: ViewCatalog) -> None:
    before = adopted(catalog, SPARK).row
    columns = (Column("user_id", "bigint"), Column("page", "string"))
    changed = foreign_writers.spark_alter_view_as(before, "SELECT user_id, page FROM clicks WHERE page > 'b'", columns)
    # Spark writes the schema in the form in which it found it.
    parameters = {k: v for k, v in changed.parameters.items() if not k.startswith("spark.sql.sources.schema.")}
    schema = {"fields": [{"name": "user_id", "type": "long"}, {"name": "page", "type": "string"}]}
    changed = replace(changed, parameters={**parameters, "spark.sql.sources.schema": json.dumps(schema)})
    catalog.metastore.swap_row(changed, expected=None)
    assert any(one.kind == "drifted" for one in catalog.load_view(before.identifier).differences)
    with pytest.raises(CommitFailedError):
        catalog.repair_view(before.identifier)
    view = catalog.repair_view(before.identifier, on_drift="adopt")
    assert view.dialects == ("spark",)
    assert_same_to_readers(catalog.metastore.load_row(before.identifier), changed)
    assert catalog.load_view(before.identifier).differences == ()


BY_ITS_ENGINE = {
    "Trino's COMMENT ON VIEW": (
        TRINO,
        lambda row: replace(row, original_text=text_with({**DOCUMENT, "comment": "by Trino"})),
    ),
    "another text in Trino's form": (
        TRINO,
        lambda row: replace(
            row, original_text=text_with({**DOCUMENT, "originalSql": "SELECT 1 AS user_id, 'b' AS page"})
        ),
    ),
    "Hive's CREATE OR REPLACE VIEW": (
        HIVE,
        lambda row: foreign_writers.hive_create_or_replace(row, "SELECT `u` AS `u`, `ds` AS `ds` FROM `web`.`other`"),
    ),
}


@pytest.mark.parametrize("who", BY_ITS_ENGINE)
def test_what_its_own_engine_makes_of_an_adopted_view_is_taken_as_it_is_or_undone(who: str) -> None:
    before, change = BY_ITS_ENGINE[who]
    for on_drift in ("adopt", "overwrite"):
        catalog = catalog_on(MemoryMetastore())
        found = adopted(catalog, before).row
        catalog.metastore.swap_row(change(found), expected=None)
        view = catalog.repair_view(found.identifier, on_drift=on_drift)  # type: ignore[arg-type]
        wanted = change(found) if on_drift == "adopt" else found
        assert_same_to_readers(catalog.metastore.load_row(found.identifier), wanted)
        assert catalog.load_view(found.identifier).differences == ()
        assert view.comment == ("by Trino" if "COMMENT" in who and on_drift == "adopt" else found_comment(found))


def found_comment(row: Row) -> str | None:
    """The comment of a view, which is not that of the row in Trino's form."""
    return None if "presto_view" in row.parameters else row.parameters.get(COMMENT)


def test_sparks_alter_view_on_an_adopted_view_of_hive_makes_a_row_of_ours(catalog: ViewCatalog) -> None:
    found = adopted(catalog).row
    columns = (Column("u", "bigint"), Column("ds", "string"))
    changed = foreign_writers.spark_alter_view_as(found, "SELECT u, ds FROM web.other", columns)
    catalog.metastore.swap_row(changed, expected=None)
    view = catalog.repair_view(found.identifier, on_drift="adopt")
    assert view.dialects == ("hive",)
    assert "view.query.out.numCols" not in view.row.parameters
    assert view.row.columns[0].comment == "user"
    assert catalog.load_view(found.identifier).differences == ()


def test_trinos_document_is_rewritten_with_its_other_fields_until_there_is_a_text_for_hive(
    catalog: ViewCatalog,
) -> None:
    name = adopted(catalog, TRINO).identifier
    commented = catalog.alter_view(name, comment="Clicks").row
    assert document_in(commented.original_text) == {**DOCUMENT, "comment": "Clicks"}
    assert commented.parameters[COMMENT] == "Presto View"
    text = "SELECT user_id, page FROM plain_lake.clicks WHERE page > 'b'"
    altered = catalog.replace_view(name, sql={"trino": text}).row
    assert document_in(altered.original_text) == {**DOCUMENT, "comment": "Clicks", "originalSql": text}
    row = catalog.alter_view(name, sql={"hive": text}).row
    assert "presto_view" not in row.parameters
    assert (row.parameters[COMMENT], [column.name for column in row.columns]) == ("Clicks", ["user_id", "page"])
    assert catalog.load_view(name).differences == ()


def test_a_view_of_ours_is_not_made_into_one_that_only_trino_reads(catalog: ViewCatalog) -> None:
    name = adopted(catalog).identifier
    catalog.alter_view(name, set_properties={"replace.drop-dialect.allowed": "true"})
    with pytest.raises(InvalidInputError, match="add 'hive'"):
        catalog.replace_view(name, sql={"trino": "SELECT 1 AS u, 'a' AS ds"})


# -- histories that are there already --------------------


def test_a_released_view_is_not_given_a_new_history_unless_that_is_asked_for(catalog: ViewCatalog) -> None:
    view = adopted(catalog)
    last = catalog.alter_view(view.identifier, sql={"trino": "SELECT u, ds FROM web.hclicks"}).metadata_location
    catalog.release_view(view.identifier)
    with pytest.raises(AlreadyExistsError, match="a new history") as caught:
        catalog.adopt_view(view.identifier)
    assert caught.value.location == last
    catalog.register_view(view.identifier, last, overwrite=True)
    assert catalog.load_view(view.identifier).uuid == view.uuid
    catalog.release_view(view.identifier)
    assert catalog.adopt_view(view.identifier, new_history=True).uuid != view.uuid


@pytest.mark.parametrize("life", ["nothing", "tagged", "property set and removed", "renamed"])
def test_a_view_that_was_adopted_and_released_is_taken_up_again_and_not_started_over(
    catalog: ViewCatalog, life: str
) -> None:
    """Its one version is that of the row, as in the file of an adoption that was killed."""
    view = adopted(catalog)
    name = view.identifier
    if life == "tagged":
        catalog.tag_view(name, "keep")
    elif life == "property set and removed":
        catalog.alter_view(name, set_properties={"team": "search"})
        catalog.alter_view(name, remove_properties=["team"])
    elif life == "renamed":
        catalog.rename_view(name, "sales.other")
        catalog.rename_view("sales.other", name)
    last = catalog.load_view(name)
    catalog.release_view(name)
    row = catalog.metastore.load_row(name)
    for arguments in ({}, {"row": row, "dry_run": True}):
        with pytest.raises(AlreadyExistsError, match="a new history") as caught:
            conversions.adopt(catalog.engine, name, **arguments)  # type: ignore[arg-type]
        assert "undrop" in str(caught.value)
        assert "new_history=True" in str(caught.value)
    assert catalog.metastore.load_row(name) == row
    assert [one.state for one in undrop(catalog, str(name))] == [State.DONE]
    again = catalog.load_view(name)
    assert (again.uuid, again.history, again.tags) == (last.uuid, last.history, last.tags)


def test_what_spark_put_in_the_place_of_a_view_is_not_given_a_new_history(catalog: ViewCatalog) -> None:
    catalog.create_view("sales.v", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    row = catalog.metastore.load_row(catalog.load_view("sales.v").identifier)
    catalog.metastore.drop_row(row.identifier)
    catalog.metastore.create_row(foreign_writers.spark_create_or_replace(row, "SELECT 1 AS a"))
    with pytest.raises(AlreadyExistsError):
        catalog.adopt_view("sales.v")


def test_an_adoption_that_was_killed_before_its_swap_is_done_again(catalog: ViewCatalog) -> None:
    before = put(catalog, HIVE)
    left = catalog.adopt_view(before.identifier).metadata_location
    catalog.metastore.swap_row(before, expected=None)
    view = catalog.adopt_view(before.identifier)
    assert view.metadata_location > left
    assert catalog.load_view(before.identifier).differences == ()


# -- other writers, and answers that do not come --------------------


class Interposed(MemoryMetastore):
    """Runs something before or after its next swap."""

    def __init__(self) -> None:
        super().__init__()
        self.before_swap = lambda: None
        self.after_swap = lambda: None

    def swap_row(self, *args, **options):  # type: ignore[no-untyped-def]  # as the one that it is
        before, self.before_swap = self.before_swap, lambda: None
        before()
        swapped = super().swap_row(*args, **options)
        after, self.after_swap = self.after_swap, lambda: None
        after()
        return swapped


def test_a_change_between_look_and_swap_is_judged_again(catalog: ViewCatalog) -> None:
    metastore = Interposed()
    catalog = catalog_on(metastore)
    before = put(catalog, with_parameters(HIVE, **{DDL_TIME: "1555555555"}))
    text = "SELECT `a` AS `u`, `b` AS `ds` FROM `web`.`other`"

    def alter() -> None:
        changed = replace(before, expanded_text=text, parameters={**before.parameters, DDL_TIME: "1555555556"})
        MemoryMetastore.swap_row(metastore, changed, expected=None)

    metastore.before_swap = alter
    view = conversions.adopt(catalog.engine, before.identifier, row=before)
    assert view.sql_for("hive").sql == text
    assert metastore.load_row(before.identifier).expanded_text == text
    assert len(catalog.storage.list_metadata_files(f"{view.location}/metadata")) == 1


@pytest.mark.parametrize("kind", [{"compares_swap": False}, {"enforces_swap": False}])
def test_where_no_swap_is_checked_a_lock_protects(kind: dict[str, bool]) -> None:
    calls: list[str] = []
    catalog = catalog_on(MemoryMetastore(on_call=calls.append, **kind))
    before = put(catalog, HIVE)
    assert_same_to_readers(catalog.adopt_view(before.identifier).row, before)
    assert "lock" in calls
    catalog.release_view(before.identifier)
    assert POINTER not in catalog.metastore.load_row(before.identifier).parameters


def test_where_a_swap_is_checked_no_lock_is_taken_unless_that_is_asked_for() -> None:
    for lock, locks in (("auto", 0), ("always", 1)):
        calls: list[str] = []
        catalog = catalog_on(MemoryMetastore(on_call=calls.append), lock=lock)
        catalog.adopt_view(put(catalog, HIVE).identifier)
        assert calls.count("lock") == locks


def test_of_two_adopters_one_is_told_that_the_view_is_adopted() -> None:
    metastore = Interposed()
    catalog = catalog_on(metastore)
    before = put(catalog, HIVE)
    metastore.before_swap = lambda: catalog.adopt_view(before.identifier) and None  # type: ignore[func-returns-value]
    with pytest.raises(NotAdoptableError, match="already a managed view"):
        catalog.adopt_view(before.identifier)
    assert catalog.load_view(before.identifier).differences == ()


def test_an_adoption_whose_answer_is_lost_is_found_to_have_landed() -> None:
    metastore = Interposed()
    catalog = catalog_on(metastore)
    before = put(catalog, HIVE)

    def lose() -> None:
        raise MetastoreUnavailableError("The connection was lost.")

    metastore.after_swap = lose
    assert (
        catalog.adopt_view(before.identifier).metadata_location == catalog.load_view(HIVE.identifier).metadata_location
    )


def test_an_adoption_without_any_answer_is_unknown_and_its_file_stays() -> None:
    metastore = Interposed()
    catalog = catalog_on(metastore)
    before = put(catalog, HIVE)

    def lose() -> None:
        raise MetastoreUnavailableError("The connection was lost.")

    metastore.before_swap = lose
    with pytest.raises(CommitStateUnknownError) as caught:
        catalog.adopt_view(before.identifier)
    assert catalog.storage.read(str(caught.value.metadata_location)).current_version.dialects == ("hive",)
    assert catalog.adopt_view(before.identifier).dialects == ("hive",)


def test_a_release_that_was_killed_between_its_swaps_is_ended_by_another_one() -> None:
    metastore = Interposed()
    catalog = catalog_on(metastore)
    view = adopted(catalog)

    def kill() -> None:
        raise KeyboardInterrupt

    metastore.after_swap = kill
    with pytest.raises(KeyboardInterrupt):
        catalog.release_view(view.identifier)
    catalog.release_view(view.identifier)
    assert POINTER not in metastore.load_row(view.identifier).parameters


def test_a_commit_that_read_before_a_release_is_refused() -> None:
    metastore = Interposed()
    catalog = catalog_on(metastore, lock="never")
    view = adopted(catalog)
    metastore.before_swap = lambda: catalog.release_view(view.identifier)
    with pytest.raises(LookupError):
        catalog.alter_view(view.identifier, set_properties={"team": "search"})
    assert foreign(metastore.load_row(view.identifier).parameters) == foreign(HIVE.parameters)
