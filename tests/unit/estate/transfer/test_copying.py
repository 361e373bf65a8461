"""Views are copied into another catalog or other databases, in order, compared, and a run can be repeated."""

from __future__ import annotations

import gc
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import pytest
from click.testing import CliRunner

from hive_views.cli import cli
from hive_views.errors import (
    Answer,
    CorruptMetadataError,
    InvalidInputError,
    MetastoreUnavailableError,
    NoSuchIcebergViewError,
    NoSuchNamespaceError,
    StorageUnavailableError,
    ViewAlreadyExistsError,
)
from hive_views.estate.each.order import in_order
from hive_views.estate.each.outcomes import Outcome, Outcomes, State
from hive_views.estate.each.selection import select_rows
from hive_views.estate.transfer.copying import copy_views, move_views
from hive_views.estate.transfer.existing import REPLACE_OR_SKIP
from hive_views.estate.transfer.importing import OnConflict
from hive_views.estate.transfer.snapshot import ViewSnapshot, read_snapshots
from hive_views.hive.row import POINTER, TABLE_TYPE, Column, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import REDECLARED_SUFFIX, UNREPORTED_SUFFIX
from hive_views.publishing.ledger.recorded_rules import hash_of_rule
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.ownership import incarnation_of, publishing_directory
from hive_views.views import remedies
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.changing import commit_own_properties
from hive_views.views.commit.creation import import_view
from hive_views.views.row.released import half_released
from hive_views.views.row.trino_view import document_in, text_with
from tests.support.views.foreign_writers import hive_unset_property, spark_create_or_replace
from tests.support.views.quick_catalog import catalog_on

CLICKS = "SELECT user_id, ds FROM web.clicks"
COLUMNS = [("user_id", "bigint"), ("ds", "string")]
RULE = 'requires("web.clicks", ds=column("ds"))'


@pytest.fixture
def source() -> ViewCatalog:
    """``sales.base`` is read by ``sales.middle``, and that by ``sales.a_top``."""
    source = catalog_on(MemoryMetastore())
    for name, read in (("base", "web.clicks"), ("middle", "base"), ("a_top", "sales.middle")):
        text = CLICKS.replace("web.clicks", read)
        keys = ["ds"] if name == "base" else []
        source.create_view(
            f"sales.{name}",
            sql={"hive": f"{text} WHERE ds <> 'web.x'", "trino": text},
            schema=COLUMNS,
            partitioned_on=keys,
        )
    source.alter_view("sales.base", sql={"hive": f"{CLICKS} WHERE user_id > 0 -- web.clicks"})
    inputs = json.dumps({"web.clicks": {"partitions": 1}}, separators=(",", ":"))
    parameters = {"hive-views.inputs": inputs, "hive-views.published-rule": hash_of_rule(RULE)}
    source.partitions("sales.base").add([{"ds": "1"}, {"ds": "2"}], parameters=parameters)
    rules = json.dumps({"publication": "p", "published-by": "p", "rules": RULE}, separators=(",", ":"))
    commit_own_properties(source.engine, "sales.base", lambda _: {"hive-views.published-with.p": rules})
    return source


@pytest.fixture
def target() -> ViewCatalog:
    target = catalog_on(MemoryMetastore())
    for name in ("shop", "site"):
        target.create_namespace(name)
    return target


def states(outcomes: Outcomes) -> dict[str, State]:
    return {one.view: one.state for one in outcomes}


def all_of(catalog: ViewCatalog, pattern: str = "*.*") -> dict[str, ViewSnapshot]:
    found = read_snapshots(catalog, select_rows(catalog.metastore, [pattern]))
    return {str(one.identifier): one for one in found if isinstance(one, ViewSnapshot)}


def test_views_are_copied_after_those_that_they_read_and_the_comparison_is_the_report(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    outcomes = copy_views(source, target, "sales.*")
    assert [one.view for one in outcomes] == ["sales.base", "sales.middle", "sales.a_top"]
    assert {one.state for one in outcomes} == {State.DONE}
    assert outcomes[0].reason == "sales.base is the same: 2 versions, 2 partitions."
    assert outcomes[0].details["differences"] == []
    assert target.load_view("sales.base").history == source.load_view("sales.base").history
    assert target.partitions("sales.base").names() == ["ds=1", "ds=2"]


def test_a_repeated_run_finds_all_done_and_writes_nothing(source: ViewCatalog, target: ViewCatalog) -> None:
    copy_views(source, target, "sales.*", names={"web": "site"})
    before = all_of(target)
    assert set(states(copy_views(source, target, "sales.*", names={"web": "site"})).values()) == {State.UNCHANGED}
    assert all_of(target) == before


def test_databases_get_their_new_names_wherever_they_are_named(source: ViewCatalog, target: ViewCatalog) -> None:
    outcomes = copy_views(source, target, "sales.*", names={"sales": "shop", "web": "site"})
    assert {one.state for one in outcomes} == {State.DONE}
    assert outcomes[0].details["to"] == "shop.base"
    view = target.load_view("shop.base")
    assert view.original_sql("hive") == "SELECT user_id, ds FROM site.clicks WHERE user_id > 0 -- web.clicks"
    assert view.sql_for("trino").sql == "SELECT user_id, ds FROM site.clicks"
    first = view.version(1).sql_in("hive")
    assert first
    assert "`site`.`clicks`" in first.sql
    assert "'web.x'" in first.sql
    assert [version.default_namespace for version in view.versions] == [("shop",), ("shop",)]
    assert json.loads(view.metadata.properties["hive-views.published-with.p"])["rules"] == RULE.replace("web", "site")
    ((_, partition), _) = target.partitions("shop.base").load()
    assert json.loads(partition.parameters["hive-views.inputs"]) == {"site.clicks": {"partitions": 1}}
    assert partition.parameters["hive-views.published-rule"] == hash_of_rule(RULE.replace("web", "site"))
    # One-part names stay, and resolve in the new database.
    assert target.load_view("shop.middle").original_sql("trino") == "SELECT user_id, ds FROM base"
    assert target.load_view("shop.middle").tables() == ("shop.base",)
    assert target.load_view("shop.a_top").tables() == ("shop.middle",)
    assert target.load_view("shop.a_top").differences == ()


def test_views_are_copied_into_another_database_of_the_same_catalog(source: ViewCatalog) -> None:
    source.create_namespace("dev")
    before = all_of(source, "sales.*")
    assert copy_views(source, source, "sales.*", names={"sales": "dev"}).failed == ()
    assert all_of(source, "sales.*") == before
    assert source.load_view("dev.a_top").tables() == ("dev.middle",)


def test_a_view_is_not_copied_to_itself(source: ViewCatalog) -> None:
    before = all_of(source)
    outcomes = copy_views(source, source, "sales.*", on_conflict="replace")
    assert set(states(outcomes).values()) == {State.FAILED}
    assert "to itself" in str(outcomes[0].reason)
    assert "names={'sales': ...}" in str(outcomes[0].reason)
    assert all_of(source) == before


@pytest.mark.parametrize("nth", [1, 2, 3])
@pytest.mark.parametrize("verb", [copy_views, move_views])
def test_a_commit_meanwhile_does_not_hide_that_source_and_target_are_one_view(
    source: ViewCatalog, verb: Callable[..., Outcomes], nth: int
) -> None:
    def change(call: str) -> None:
        calls[call] += 1
        if call == "load_rows" and calls[call] == nth:
            source.alter_view("sales.base", comment="newer")

    calls: Counter[str] = Counter()
    # Another address of one server.
    there = MemoryMetastore()
    there.__dict__ = source.metastore.__dict__
    target = ViewCatalog(there, warehouse=source.warehouse, settings=source.settings)
    there._on_call = change
    outcomes = verb(source, target, "sales.*", on_conflict="replace")
    there._on_call = None
    assert set(states(outcomes).values()) == {State.FAILED}
    assert calls["load_rows"] == 3
    assert "to itself" in str(outcomes[0].reason)
    assert source.load_view("sales.base").comment == "newer"


@pytest.mark.parametrize("on_conflict", ["refuse", "replace"])
def test_databases_do_not_change_places_in_one_metastore(source: ViewCatalog, on_conflict: OnConflict) -> None:
    source.create_namespace("dev")
    source.create_view("dev.base", sql={"hive": "SELECT 1 AS a"})
    before = all_of(source)
    names = {"sales": "dev", "dev": "sales"}
    outcomes = copy_views(source, source, "*.base", names=names, on_conflict=on_conflict)
    assert [one.view for one in outcomes.failed] == ["dev.base", "sales.base"]
    assert "to dev.base, which is to be copied as well" in str(outcomes[1].reason)
    assert all_of(source) == before


def test_a_view_of_a_later_batch_that_is_changed_meanwhile_is_not_replaced_by_what_it_was() -> None:
    catalog = catalog_on(MemoryMetastore())
    for number in range(101):
        catalog.create_view(f"sales.v{number:03}", sql={"hive": "SELECT 1 AS a"})

    def change(_: Outcome, done: int, __: int) -> None:
        if done == 1:
            catalog.replace_view("sales.v100", sql={"hive": "SELECT 99 AS a"})

    outcomes = copy_views(catalog, catalog, "sales.*", on_conflict="replace", on_outcome=change)
    assert set(states(outcomes).values()) == {State.FAILED}
    assert len(catalog.load_view("sales.v100").versions) == 2


def test_a_view_is_copied_as_it_is_when_its_turn_comes(target: ViewCatalog) -> None:
    source = catalog_on(MemoryMetastore())
    for number in range(102):
        source.create_view(f"sales.v{number:03}", sql={"hive": "SELECT 1 AS a"})

    def change(_: Outcome, done: int, __: int) -> None:
        if done == 1:
            source.replace_view("sales.v100", sql={"hive": "SELECT 99 AS a"})
            source.drop_view("sales.v101")

    outcomes = copy_views(source, target, "sales.*", on_outcome=change)
    assert [one.view for one in outcomes.failed] == ["sales.v101"]
    assert outcomes.failed[0].reason == "View sales.v101 was dropped or renamed in the meantime."
    assert target.load_view("sales.v100").sql_for("hive").sql == "SELECT 99 AS a"


@pytest.mark.parametrize("where", ["source", "target"])
def test_where_a_call_for_many_rows_fails_they_are_asked_for_in_parts(where: str) -> None:
    def fail(verb: str) -> None:
        calls[verb] += 1
        if verb == "load_rows" and calls[verb] == failing:
            raise CorruptMetadataError("The answer is none.")

    calls: Counter[str] = Counter()
    failing = 0
    metastores = {"source": MemoryMetastore(), "target": MemoryMetastore()}
    source, target = (catalog_on(one) for one in metastores.values())
    for number in range(101):
        source.create_view(f"sales.v{number:03}", sql={"hive": "SELECT 1 AS a"})
    # Rows of all are read before the first batch; then those of a batch in both.
    failing = 3 if where == "source" else 1
    metastores[where]._on_call = fail
    outcomes = copy_views(source, target, "sales.*")
    assert Counter(states(outcomes).values()) == {State.DONE: 101}


def test_a_dry_run_names_every_namespace_that_is_missing(source: ViewCatalog) -> None:
    source.create_namespace("web")
    source.create_view("web.of_sales", sql={"hive": "SELECT user_id FROM sales.base"}, schema=[("user_id", "bigint")])
    target, names = catalog_on(MemoryMetastore()), {"sales": "shop", "web": "site", "lake": "pond"}
    with pytest.raises(NoSuchNamespaceError, match=r"namespace shop\. pond, site does not exist either"):
        copy_views(source, target, "sales.*", names=names, dry_run=True)
    planned = copy_views(source, target, "sales.*", names=names, dry_run=True, create_namespaces=True)
    reasons = {one.view: str(one.reason) for one in planned}
    missing = "Namespace shop would be created. It would read namespace site, which does not exist."
    assert missing in reasons["sales.base"]
    assert "site" not in reasons["sales.middle"]
    assert target.list_namespaces() == ["default", "sales"]


def test_only_so_many_views_are_in_memory_as_rows_are_read_in_a_call(target: ViewCatalog) -> None:
    source = catalog_on(MemoryMetastore())
    for number in range(250):
        source.create_view(f"sales.v{number:03}", sql={"hive": "SELECT 1 AS a"})
    alive: list[int] = []

    def count(_: Outcome, done: int, __: int) -> None:
        if done in (1, 250):
            gc.collect()
            alive.append(sum(isinstance(one, ViewSnapshot) for one in gc.get_objects()))

    assert move_views(source, target, "sales.*", on_outcome=count).failed == ()
    # Each as it was read; as it is wanted only until the batch has been compared.
    assert max(alive) <= 100


def test_the_current_version_alone_is_copied_where_that_is_asked_for(source: ViewCatalog, target: ViewCatalog) -> None:
    assert copy_views(source, target, "sales.base", history=False, partitions=False).failed == ()
    view = target.load_view("sales.base")
    assert [version.version_id for version in view.versions] == [2]
    assert [entry.version_id for entry in view.history] == [2]
    assert target.partitions("sales.base").names() == []


def test_two_views_that_would_have_one_name_are_refused_before_anything_is_written(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    source.create_namespace("web")
    source.create_view("web.base", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    with pytest.raises(InvalidInputError, match=r"sales\.base and web\.base would become shop\.base"):
        copy_views(source, target, "*.*", names={"sales": "shop", "web": "shop"})
    assert target.list_views("shop") == []


def test_a_database_that_the_target_has_not_is_told_before_anything_is_written(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    with pytest.raises(NoSuchNamespaceError, match=r"nowhere\. Create it, or pass create_namespaces=True"):
        copy_views(source, target, "sales.*", names={"sales": "nowhere"})
    with pytest.raises(NoSuchNamespaceError, match="Did you mean 'shop'"):
        copy_views(source, target, "sales.*", names={"sales": "shopp"})


@pytest.mark.parametrize("verb", [copy_views, move_views])
def test_a_database_that_the_target_has_not_is_created_where_that_is_asked_for(
    source: ViewCatalog, target: ViewCatalog, verb: Callable[..., Outcomes]
) -> None:
    options: dict[str, Any] = {"names": {"sales": "nowhere"}, "create_namespaces": True}
    assert set(states(verb(source, target, "sales.*", dry_run=True, **options)).values()) == {State.PLANNED}
    assert "nowhere" not in target.list_namespaces()
    assert verb(source, target, "sales.*", **options).failed == ()
    assert len(target.list_views("nowhere")) == 3


@pytest.mark.parametrize(
    "options", [{"on_conflict": "overwrite"}, {"names": {"sales": "a b"}}, {"names": {"sales": "a", "Sales": "b"}}]
)
def test_arguments_that_cannot_be_used_are_refused(
    source: ViewCatalog, target: ViewCatalog, options: dict[str, object]
) -> None:
    with pytest.raises(InvalidInputError):
        copy_views(source, target, "sales.*", **options)  # type: ignore[arg-type]


def test_plain_views_and_tables_are_left_and_what_cannot_be_read_fails_alone(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    source.metastore.create_row(Row(TableIdentifier("sales", "plain"), "VIRTUAL_VIEW", original_text=CLICKS))
    source.storage.delete(source.load_view("sales.middle").metadata_location)
    outcomes = copy_views(source, target, "sales.*")
    assert outcomes.of(State.LEFT)[0].error.remedy == remedies.adopt("sales.plain")  # type: ignore[union-attr]
    assert states(outcomes) == {
        "sales.a_top": State.DONE,
        "sales.base": State.DONE,
        "sales.middle": State.FAILED,
        "sales.plain": State.LEFT,
    }


def test_a_text_that_may_name_a_database_and_cannot_be_read_fails_alone_and_nothing_is_written(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    source.alter_view("sales.middle", sql={"impala": "SELECT STRAIGHT_JOIN a FROM web.clicks"})
    outcomes = copy_views(source, target, "sales.*", names={"web": "site"})
    assert states(outcomes)["sales.middle"] is State.FAILED
    assert "impala SQL of version 2 of sales.middle" in str(outcomes.failed[0].reason)
    assert [view.name for view in target.list_views("sales")] == ["a_top", "base"]


def test_a_name_that_is_taken_is_refused_skipped_or_replaced(source: ViewCatalog, target: ViewCatalog) -> None:
    target.create_view("sales.base", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    before = target.load_view("sales.base")
    refused = copy_views(source, target, "sales.*")
    assert Counter(states(refused).values()) == {State.DONE: 2, State.FAILED: 1}
    assert isinstance(refused.failed[0].error, ViewAlreadyExistsError)
    assert refused.failed[0].error.remedy == REPLACE_OR_SKIP  # type: ignore[union-attr]
    skipped = copy_views(source, target, "sales.*", on_conflict="skip").of(State.LEFT)
    assert [one.view for one in skipped] == ["sales.base"]
    assert skipped[0].reason == refused.failed[0].error.message  # type: ignore[union-attr]
    assert target.load_view("sales.base") == before
    assert copy_views(source, target, "sales.*", on_conflict="replace").failed == ()
    assert target.load_view("sales.base").uuid == before.uuid


def test_a_dry_run_says_the_same_and_writes_nothing(source: ViewCatalog, target: ViewCatalog) -> None:
    outcomes = copy_views(source, target, "sales.*", dry_run=True)
    assert set(states(outcomes).values()) == {State.PLANNED}
    assert target.list_views("sales") == []
    assert outcomes.dry_run


def test_a_name_that_is_taken_meanwhile_fails_alone(source: ViewCatalog) -> None:
    def taken(verb: str) -> None:
        if verb == "create_row" and not others:
            others.append(verb)
            metastore.create_row(rival)

    rival = Row(TableIdentifier("sales", "base"), "VIRTUAL_VIEW", original_text="SELECT 1", expanded_text="SELECT 1")
    others: list[str] = []
    metastore = MemoryMetastore(on_call=taken)
    target = catalog_on(metastore)
    outcomes = copy_views(source, target, "sales.*")
    assert states(outcomes)["sales.base"] is State.FAILED
    assert Counter(states(outcomes).values()) == {State.DONE: 2, State.FAILED: 1}
    assert metastore.load_row(rival.identifier).original_text == "SELECT 1"
    files = target.storage.list_metadata_files(f"{target.warehouse}/sales.db/base/metadata")
    assert files == []


def test_a_target_that_goes_away_half_way_ends_the_run_and_the_next_one_finishes_it(source: ViewCatalog) -> None:
    def fail(verb: str) -> None:
        calls[verb] += 1
        if calls["create_row"] > 1 and not mended:
            raise MetastoreUnavailableError("gone")

    calls: Counter[str] = Counter()
    mended: list[bool] = []
    # A lock would be left to expire, and be waited for.
    target = catalog_on(MemoryMetastore(on_call=fail, grants_locks=False))
    outcomes = copy_views(source, target, "sales.*")
    assert State.DONE not in states(outcomes).values()
    assert State.NOT_TRIED in states(outcomes).values()
    mended.append(True)
    again = copy_views(source, target, "sales.*")
    assert again.failed == ()
    assert states(again)["sales.base"] is State.UNCHANGED


def test_an_unreachable_target_is_reported_before_anything_is_written(source: ViewCatalog) -> None:
    def fail(_: str) -> None:
        raise MetastoreUnavailableError("gone")

    target = ViewCatalog(MemoryMetastore(on_call=fail), warehouse="memory://nowhere")
    with pytest.raises(MetastoreUnavailableError):
        copy_views(source, target, "sales.*")


def test_a_target_that_is_not_writable_fails_each_view_and_leaves_no_row(
    source: ViewCatalog, target: ViewCatalog, tmp_path: object
) -> None:
    blocked = f"{tmp_path}/file"
    with open(blocked, "w", encoding="utf-8") as file:  # noqa: PTH123 - a file where a directory should be
        file.write("")
    unwritable = ViewCatalog(target.metastore, warehouse=blocked, settings=target.settings)
    outcomes = copy_views(source, unwritable, "sales.*")
    assert {type(one.error) for one in outcomes} == {StorageUnavailableError}
    assert target.list_views("sales") == []


def test_what_a_copy_lacks_is_the_report(source: ViewCatalog) -> None:
    class Lossy(MemoryMetastore):
        """Loses partitions, as somebody who drops them meanwhile does."""

        def partition_names(self, identifier, prefix=None):  # type: ignore[no-untyped-def]
            return super().partition_names(identifier, prefix)[1:]

    outcomes = copy_views(source, catalog_on(Lossy()), "sales.base")
    assert states(outcomes) == {"sales.base": State.FAILED}
    assert outcomes[0].reason == "sales.base differs from the source: partition ds=1 is missing."
    assert outcomes[0].details["differences"] == ["partition ds=1 is missing"]


def test_views_that_read_themselves_through_others_are_copied_and_reported(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    rows = {str(row.identifier): row for row in select_rows(source.metastore, ["sales.*"])}
    base = replace(rows["sales.base"], expanded_text="SELECT user_id, ds FROM `sales`.`a_top`")
    order, circular = in_order([base, rows["sales.middle"], rows["sales.a_top"]])
    assert sorted(map(str, order)) == ["sales.a_top", "sales.base", "sales.middle"]
    assert circular == set(order)


def test_the_order_is_known_from_rows_of_every_dialect(source: ViewCatalog) -> None:
    spark = {"spark": "SELECT user_id FROM top LEFT ANTI JOIN z USING (user_id)"}
    source.create_view("sales.a_spark", sql=spark, schema=[("user_id", "bigint")])
    source.create_view("sales.top", sql={"hive": "SELECT user_id FROM web.clicks"}, schema=[("user_id", "bigint")])
    row = source.metastore.load_row(TableIdentifier("sales", "top"))
    document = {"originalSql": "SELECT 1 AS a FROM a_spark", "columns": [], "schema": "sales"}
    parameters = {"presto_view": "true", "comment": "Presto View"}
    trino = replace(
        row, identifier=TableIdentifier("sales", "a"), original_text=text_with(document), parameters=parameters
    )
    rows = select_rows(source.metastore, ["sales.*"])
    order, circular = in_order([trino, *rows])
    names = [name.name for name in order]
    assert names.index("top") < names.index("a_spark") < names.index("a")
    assert not circular


def test_many_views_take_few_calls(source: ViewCatalog) -> None:
    calls: Counter[str] = Counter()
    reads: Counter[str] = Counter()
    many = catalog_on(MemoryMetastore(on_call=lambda verb: reads.update([verb])))
    for number in range(150):
        many.create_view(f"sales.v{number:03}", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    target = catalog_on(MemoryMetastore(on_call=lambda verb: calls.update([verb])))
    calls.clear()
    reads.clear()
    assert copy_views(many, target, "sales.*").failed == ()
    # All of them to know the order, and each hundred again when its turn comes.
    assert reads == {"list_view_names": 1, "load_rows": 4}
    # What is there, and what was written, a hundred in a call.
    assert calls == {"list_namespaces": 1, "load_namespace": 1, "load_rows": 4, "lock": 150, "create_row": 150}


def test_views_are_moved_with_their_uuid_and_released_where_they_were(source: ViewCatalog, target: ViewCatalog) -> None:
    before = all_of(source, "sales.*")
    assert set(states(move_views(source, target, "sales.*", dry_run=True)).values()) == {State.PLANNED}
    outcomes = move_views(source, target, "sales.*")
    assert {one.state for one in outcomes} == {State.DONE}
    assert outcomes[0].reason == "sales.base is the same: 2 versions, 2 partitions. The source is now a plain view."
    after = all_of(target, "sales.*")
    assert {name: one.metadata.view_uuid for name, one in after.items()} == {
        name: one.metadata.view_uuid for name, one in before.items()
    }
    assert source.list_views("sales") == []
    plain = source.metastore.load_row(TableIdentifier("sales", "base"))
    assert plain.expanded_text == before["sales.base"].row.expanded_text
    assert len(source.metastore.partition_names(plain.identifier)) == 2
    with pytest.raises(NoSuchIcebergViewError, match=r"\(2 versions\) still exists. If it was moved, it is in another"):
        source.load_view("sales.base")
    again = move_views(source, target, "sales.*")
    assert {(one.state, one.reason) for one in again} == {
        (State.UNCHANGED, f"It was moved to {name}.") for name in after
    }
    assert all_of(target, "sales.*") == after
    assert source.list_views("sales") == []


def test_a_plain_view_that_another_view_is_in_place_of_is_left_without_advice_that_would_part_them(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    copy_views(source, target, "sales.base")
    source.release_view("sales.base")
    [outcome] = move_views(source, target, "sales.base")
    assert (outcome.state, outcome.error) == (State.LEFT, None)
    assert outcome.reason == "sales.base is a plain view, and sales.base is a managed view."


def test_a_move_that_was_interrupted_before_the_release_is_finished_by_the_next(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    def fail(verb: str) -> None:
        if verb == "swap_row" and not mended:
            raise MetastoreUnavailableError("gone")

    mended: list[bool] = []
    here = MemoryMetastore(on_call=fail, grants_locks=False)
    copy_views(source, catalog := catalog_on(here), "sales.*")
    assert set(states(move_views(catalog, target, "sales.*")).values()) == {State.FAILED}
    mended.append(True)
    assert set(states(move_views(catalog, target, "sales.*")).values()) == {State.DONE}
    assert catalog.list_views("sales") == []


@pytest.mark.parametrize("what", ["text", "partition"])
def test_a_view_that_is_changed_while_it_is_moved_is_not_released(source: ViewCatalog, what: str) -> None:
    def change(verb: str) -> None:
        if verb == "create_row" and not changed:
            changed.append(verb)
            if what == "text":
                source.alter_view("sales.base", comment="newer")
            else:
                source.partitions("sales.base").add([{"ds": "3"}])

    changed: list[str] = []
    target = catalog_on(MemoryMetastore(on_call=change))
    outcomes = move_views(source, target, "sales.*")
    assert states(outcomes)["sales.base"] is State.FAILED
    assert "in the meantime" in str(outcomes.failed[0].reason) or "while it was moved" in str(outcomes.failed[0].reason)
    assert [view.name for view in source.list_views("sales")] == ["base"]
    # Partitions are added to the copy; another comment makes it another view.
    assert bool(move_views(source, target, "sales.base").failed) == (what == "text")
    if what == "text":
        assert move_views(source, target, "sales.base", on_conflict="replace").failed == ()
    assert source.list_views("sales") == []


@pytest.mark.parametrize("who", ["ALTER VIEW", "CREATE OR REPLACE VIEW", "unset pointer", "released", "dropped"])
def test_a_view_that_an_engine_changes_after_it_was_copied_is_not_released(
    source: ViewCatalog, target: ViewCatalog, who: str
) -> None:
    """All rows are read at the start of a run, and an engine's ALTER VIEW leaves the pointer alone."""
    name = TableIdentifier("sales", "middle")

    def change(_: Outcome, so_far: int, __: int) -> None:
        if so_far != 1:
            return
        row = source.metastore.load_row(name)
        if who == "ALTER VIEW":
            source.metastore.swap_row(replace(row, expanded_text="SELECT 42 AS `user_id`, 'x' AS `ds`"), expected=None)
        elif who == "unset pointer":
            source.metastore.swap_row(hive_unset_property(row, POINTER), expected=None)
        elif who == "released":
            source.release_view(name)
        else:
            source.metastore.drop_row(name)
            if who == "CREATE OR REPLACE VIEW":
                source.metastore.create_row(spark_create_or_replace(row, "SELECT 42 AS user_id, 'x' AS ds"))
        found.extend([source.metastore.load_row(name)] if who != "dropped" else [])

    found: list[Row] = []
    outcomes = move_views(source, target, "sales.*", names={"sales": "shop"}, on_outcome=change)
    assert states(outcomes) == {
        "sales.base": State.DONE,
        "sales.middle": State.FAILED,
        "sales.a_top": State.DONE,
    }
    assert ("in the meantime" if who != "dropped" else "no view") in str(outcomes.failed[0].reason)
    if found:
        assert source.metastore.load_row(name) == found[0]


@pytest.mark.parametrize("placed", [True, False])
def test_a_move_that_was_killed_between_the_swaps_of_a_release_is_finished_by_the_next(
    source: ViewCatalog, target: ViewCatalog, *, placed: bool
) -> None:
    name = TableIdentifier("sales", "base")
    before = all_of(source)["sales.base"]
    if placed:
        copied = import_view(target.engine, name, before.metadata, row=before.row, view_uuid=before.metadata.view_uuid)
        assert copied.differences == ()
    source.metastore.swap_row(half_released(source.metastore.load_row(name)), expected=None)
    assert states(move_views(source, target, "sales.base", dry_run=True)) == {"sales.base": State.PLANNED}
    outcomes = move_views(source, target, "sales.base")
    assert states(outcomes) == {"sales.base": State.DONE}, outcomes[0].reason
    plain = source.metastore.load_row(name)
    assert POINTER not in plain.parameters
    assert plain.expanded_text == before.row.expanded_text
    assert all_of(target)["sales.base"].metadata.view_uuid == before.metadata.view_uuid
    assert states(move_views(source, target, "sales.base")) == {"sales.base": State.UNCHANGED}


@pytest.mark.parametrize(
    ("what", "on_conflict"),
    [
        ("version", "refuse"),
        ("version", "skip"),
        ("version", "replace"),
        ("earlier version", "replace"),
        ("partition", "refuse"),
        ("partition", "replace"),
        ("partition dropped", "refuse"),
        ("property", "replace"),
    ],
)
def test_a_target_that_went_on_after_a_release_was_begun_is_left_as_it_is_and_the_source_released(
    source: ViewCatalog, target: ViewCatalog, what: str, on_conflict: OnConflict
) -> None:
    row = source.metastore.load_row(TableIdentifier("sales", "base"))
    assert move_views(source, target, "sales.base").failed == ()
    source.metastore.swap_row(half_released(row), expected=None)
    if what == "version":
        # As many as let the versions of the source expire.
        for number in range(9):
            target.alter_view("sales.base", sql={"hive": f"SELECT {number} AS user_id, 'x' AS ds"})
    elif what == "earlier version":
        target.roll_back_view("sales.base", to_version=1)
    elif what == "partition":
        target.partitions("sales.base").add([{"ds": "9"}])
    elif what == "partition dropped":
        target.partitions("sales.base").drop([{"ds": "1"}])
    else:
        target.alter_view("sales.base", comment="newer")
    before = all_of(target)
    arguments: dict[str, Any] = {"on_conflict": on_conflict}
    assert states(move_views(source, target, "sales.base", dry_run=True, **arguments)) == {"sales.base": State.PLANNED}
    outcomes = move_views(source, target, "sales.base", **arguments)
    assert states(outcomes) == {"sales.base": State.DONE}, outcomes[0].reason
    assert "sales.base has taken its place. It has changed since: " in str(outcomes[0].reason)
    assert all_of(target) == before
    assert POINTER not in source.metastore.load_row(row.identifier).parameters


@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("on_conflict", ["refuse", "skip", "replace"])
def test_a_move_never_replaces_what_the_same_view_became_in_the_target(
    source: ViewCatalog, target: ViewCatalog, on_conflict: OnConflict, *, begun: bool
) -> None:
    snapshot = all_of(source)["sales.base"]
    import_view(target.engine, "sales.base", snapshot.metadata, row=snapshot.row, view_uuid=snapshot.metadata.view_uuid)
    target.alter_view("sales.base", sql={"hive": "SELECT 2 AS user_id, 'x' AS ds"})
    source.alter_view("sales.base", sql={"hive": "SELECT 3 AS user_id, 'x' AS ds"})
    if begun:
        row = source.metastore.load_row(TableIdentifier("sales", "base"))
        source.metastore.swap_row(half_released(row), expected=None)
    before = all_of(target), source.metastore.load_row(snapshot.identifier)
    outcomes = move_views(source, target, "sales.base", on_conflict=on_conflict)
    assert (all_of(target), source.metastore.load_row(snapshot.identifier)) == before
    if on_conflict == "skip":
        assert states(outcomes) == {"sales.base": State.LEFT}
        return
    assert states(outcomes) == {"sales.base": State.FAILED}
    assert outcomes[0].error
    assert "hive_views.estate.hand_back(source, 'sales.base') completes the move" in str(outcomes[0].error)
    assert "with newer commits" in str(outcomes[0].reason)


def test_a_release_is_not_ended_while_the_target_cannot_be_read(source: ViewCatalog, target: ViewCatalog) -> None:
    row = source.metastore.load_row(TableIdentifier("sales", "base"))
    assert move_views(source, target, "sales.base").failed == ()
    source.metastore.swap_row(half := half_released(row), expected=None)
    target.storage.files.delete(target.load_view("sales.base").metadata_location)
    for on_conflict in get_args(OnConflict):
        outcomes = move_views(source, target, "sales.base", on_conflict=on_conflict)
        assert states(outcomes) == {"sales.base": State.FAILED}
        assert isinstance(outcomes[0].error, CorruptMetadataError)
    assert source.metastore.load_row(row.identifier).parameters[POINTER] == half.parameters[POINTER]


def test_an_earlier_state_of_the_same_view_is_replaced_where_that_is_asked_for(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    snapshot = all_of(source)["sales.base"]
    import_view(target.engine, "sales.base", snapshot.metadata, row=snapshot.row, view_uuid=snapshot.metadata.view_uuid)
    source.alter_view("sales.base", sql={"hive": "SELECT 3 AS user_id, 'x' AS ds"})
    row = source.metastore.load_row(snapshot.identifier)
    source.metastore.swap_row(half_released(row), expected=None)
    refused = move_views(source, target, "sales.base")
    assert refused[0].error
    assert refused[0].error.remedy == REPLACE_OR_SKIP
    assert move_views(source, target, "sales.base", on_conflict="replace").failed == ()
    assert target.load_view("sales.base").current_version.version_id == 3


def test_a_view_that_the_metastore_answers_for_with_an_error_fails_alone(source: ViewCatalog) -> None:
    class Refusing(MemoryMetastore):
        def create_row(self, row: Row) -> Any:
            if row.identifier.name == "base":
                raise MetastoreUnavailableError("Put request failed: value too long", answer=Answer.FAILED)
            return super().create_row(row)

    target = catalog_on(Refusing())
    for left in (State.DONE, State.UNCHANGED):
        assert states(copy_views(source, target, "sales.*")) == {
            "sales.base": State.FAILED,
            "sales.middle": left,
            "sales.a_top": left,
        }


@pytest.mark.parametrize("verb", [copy_views, move_views])
@pytest.mark.parametrize("lost", [[POINTER], [TABLE_TYPE], [POINTER, TABLE_TYPE]])
def test_a_view_that_has_lost_its_file_fails_and_is_not_left_as_a_plain_one(
    source: ViewCatalog, target: ViewCatalog, verb: Callable[..., Outcomes], lost: list[str]
) -> None:
    row = source.metastore.load_row(TableIdentifier("sales", "base"))
    kept = {key: value for key, value in row.parameters.items() if key not in lost}
    source.metastore.swap_row(replace(row, parameters=kept), expected=None)
    outcomes = verb(source, target, "sales.base")
    assert states(outcomes) == {"sales.base": State.FAILED}
    assert outcomes[0].error
    assert outcomes[0].error.remedy == remedies.undrop("sales.base")
    assert target.list_views("sales") == []


def test_a_view_whose_release_was_interrupted_is_not_copied(source: ViewCatalog, target: ViewCatalog) -> None:
    row = half_released(source.metastore.load_row(TableIdentifier("sales", "base")))
    source.metastore.swap_row(row, expected=None)
    assert states(copy_views(source, target, "sales.base")) == {"sales.base": State.FAILED}


@pytest.mark.parametrize("verb", [copy_views, move_views])
def test_a_view_that_becomes_a_plain_one_before_its_turn_fails(
    source: ViewCatalog, verb: Callable[..., Outcomes]
) -> None:
    name = TableIdentifier("sales", "base")

    def change(call: str) -> None:
        row = source.metastore.load_row(name)
        if call == "list_namespaces" and POINTER in row.parameters:
            source.metastore.drop_row(name)
            source.metastore.create_row(spark_create_or_replace(row, "SELECT 42 AS user_id, 'x' AS ds"))

    target = catalog_on(MemoryMetastore(on_call=change))
    outcomes = verb(source, target, "sales.base")
    assert states(outcomes) == {"sales.base": State.FAILED}
    assert "sales.base was replaced or handed back in the meantime" in str(outcomes[0].reason)
    assert target.list_views("sales") == []


def test_a_partition_that_is_declared_while_the_source_is_released_is_reported(target: ViewCatalog) -> None:
    name = TableIdentifier("sales", "base")

    class Busy(MemoryMetastore):
        def swap_row(self, row: Row, *, expected: str | None, **options: Any) -> Any:
            done = super().swap_row(row, expected=expected, **options)
            if POINTER not in row.parameters:
                super().add_partitions(name, [Partition(("2",))], if_not_exists=True)
            return done

    source = catalog_on(Busy())
    sql = {"hive": "SELECT 1 AS a, 'x' AS ds"}
    source.create_view(name, sql=sql, schema=[("a", "int"), ("ds", "string")], partitioned_on=["ds"])
    source.partitions(name).add([{"ds": "1"}])
    outcomes = move_views(source, target, "sales.base")
    assert states(outcomes) == {"sales.base": State.FAILED}
    assert "is now a plain view" in str(outcomes[0].reason)
    assert "partition ds=2 is missing" in str(outcomes[0].reason)


@pytest.mark.parametrize("what", ["text", "partition dropped"])
def test_a_view_that_was_changed_while_it_was_moved_is_moved_by_following_the_advice(
    source: ViewCatalog, what: str
) -> None:
    def change(verb: str) -> None:
        if verb == "create_row" and not changed:
            changed.append(verb)
            if what == "text":
                source.alter_view("sales.base", sql={"hive": "SELECT 3 AS user_id, 'x' AS ds"})
            else:
                source.partitions("sales.base").drop([{"ds": "1"}])

    changed: list[str] = []
    target = catalog_on(MemoryMetastore(on_call=change))
    for _ in range(2):
        outcomes = move_views(source, target, "sales.base")
        assert states(outcomes) == {"sales.base": State.FAILED}
        assert "on_conflict='replace'" in str(outcomes[0].reason)
    assert move_views(source, target, "sales.base", on_conflict="replace").failed == ()
    assert not source.view_exists("sales.base")


@pytest.mark.parametrize("what", ["text", "property"])
def test_a_view_that_was_changed_after_its_release_was_interrupted_is_not_moved(
    source: ViewCatalog, target: ViewCatalog, what: str
) -> None:
    source.alter_view("sales.base", set_properties={"team": "search"})
    row = half_released(source.metastore.load_row(TableIdentifier("sales", "base")))
    row = replace(row, expanded_text="SELECT 42") if what == "text" else hive_unset_property(row, "team")
    source.metastore.swap_row(row, expected=None)
    found = source.metastore.load_row(row.identifier)
    outcomes = move_views(source, target, "sales.base")
    assert states(outcomes) == {"sales.base": State.FAILED}
    assert "differs from the last file" in str(outcomes[0].reason)
    assert source.metastore.load_row(row.identifier) == found
    assert target.list_views("sales") == []


def test_a_source_is_not_given_up_for_a_copy_whose_file_is_gone(source: ViewCatalog, target: ViewCatalog) -> None:
    uuid = source.load_view("sales.base").uuid
    snapshot = all_of(source)["sales.base"]
    import_view(target.engine, "sales.base", snapshot.metadata, row=snapshot.row, view_uuid=uuid)
    target.partitions("sales.base").add(
        [{"ds": "1"}, {"ds": "2"}], parameters=lambda name: snapshot.partitions_by_name[name].parameters
    )
    # It is remembered, and not there.
    target.storage.files.delete(target.load_view("sales.base").metadata_location)
    assert states(move_views(source, target, "sales.base")) == {"sales.base": State.FAILED}
    assert source.view_exists("sales.base")


@pytest.mark.parametrize(
    ("suffix", "reason"), [(UNREPORTED_SUFFIX, "not yet reported"), (REDECLARED_SUFFIX, "declare them again")]
)
def test_a_view_that_an_interrupted_run_has_left_notes_of_is_not_moved(
    source: ViewCatalog, target: ViewCatalog, suffix: str, reason: str
) -> None:
    metadata = source.load_view("sales.base").metadata
    note = f"{publishing_directory(metadata)}/{incarnation_of(metadata)}-note{suffix}"
    source.storage.write_bytes(note, b"{}")
    outcomes = move_views(source, target, "sales.base")
    assert states(outcomes) == {"sales.base": State.FAILED}
    assert reason in str(outcomes[0].reason)
    assert target.list_views("sales") == []
    source.storage.delete(note)
    assert move_views(source, target, "sales.base").failed == ()


def test_a_view_is_not_moved_onto_itself(source: ViewCatalog) -> None:
    before = all_of(source)
    assert set(states(move_views(source, source, "sales.*")).values()) == {State.FAILED}
    assert all_of(source) == before


def test_what_differs_after_a_move_is_not_released(source: ViewCatalog) -> None:
    class Lossy(MemoryMetastore):
        """Loses partitions."""

        def partition_names(self, identifier, prefix=None):  # type: ignore[no-untyped-def]
            return super().partition_names(identifier, prefix)[1:]

    assert states(move_views(source, catalog_on(Lossy()), "sales.base")) == {"sales.base": State.FAILED}
    assert source.view_exists("sales.base")


def test_the_row_of_an_adopted_view_is_kept_as_it_was_found_but_for_the_names(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    text = "SELECT `clicks`.`user_id`, 'web.x' AS `ds` FROM `web`.`clicks`"
    row = Row(
        TableIdentifier("sales", "adopted"),
        "VIRTUAL_VIEW",
        columns=(Column("user_id", "bigint"), Column("ds", "string")),
        input_format="org.apache.hadoop.mapred.TextInputFormat",
        output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        original_text="SELECT user_id, 'web.x' AS ds FROM web.clicks -- typed",
        expanded_text=text,
        parameters={"theirs": "kept"},
    )
    source.metastore.create_row(row)
    source.adopt_view("sales.adopted")
    outcomes = copy_views(source, target, "sales.adopted", names={"web": "site", "sales": "shop"})
    assert outcomes.failed == ()
    found = target.metastore.load_row(TableIdentifier("shop", "adopted"))
    assert found.expanded_text == text.replace("`web`", "`site`")
    assert found.original_text == "SELECT user_id, 'web.x' AS ds FROM site.clicks -- typed"
    assert found.parameters["theirs"] == "kept"
    assert target.load_view("shop.adopted").differences == ()


def test_a_view_whose_names_are_in_a_catalog_that_may_be_the_metastore_is_copied_when_that_is_known(
    source: ViewCatalog, target: ViewCatalog
) -> None:
    columns = [{"name": "user_id", "type": "bigint"}]
    text = "SELECT user_id FROM clicks JOIN lake.web.users USING (user_id)"
    document = {"originalSql": text, "catalog": "lake", "schema": "web", "columns": columns}
    row = Row(
        TableIdentifier("sales", "by_trino"),
        "VIRTUAL_VIEW",
        columns=(Column("dummy", "string"),),
        original_text=text_with(document),
        expanded_text="/* Presto View */",
        parameters={"presto_view": "true", "comment": "Presto View"},
    )
    source.metastore.create_row(row)
    source.adopt_view("sales.by_trino")
    refused = copy_views(source, target, "sales.by_trino", names={"web": "site"})
    assert states(refused) == {"sales.by_trino": State.FAILED}
    assert "whether lake is this metastore" in str(refused[0].reason)
    assert target.list_views("sales") == []
    assert copy_views(source, target, "sales.by_trino", names={"sales": "shop"}).failed == ()
    known = copy_views(source, target, "sales.by_trino", names={"web": "site"}, metastore_catalogs=["Lake"])
    assert known.failed == ()
    found = document_in(target.metastore.load_row(row.identifier).original_text)
    assert found["schema"] == "site"
    assert found["originalSql"] == text.replace("web", "site")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sales.*"], "Specify the target"),
        (["sales.*", "--map", "sales=a", "--map", "SALES=b"], "sales cannot become both a and b"),
        (["--to", "memory:"], "Specify the views"),
        (["sales.*", "--map", "a"], "OLD=NEW"),
        (["sales.*", "--map", "a=b", "--warehouse", "x"], "--to as well"),
    ],
)
def test_the_command_says_what_is_wanting(arguments: list[str], said: str) -> None:
    ended = CliRunner().invoke(cli, ["--uri", "memory:", "copy", *arguments])
    assert ended.exit_code == 2
    assert said in ended.output


@pytest.mark.parametrize("verb", [copy_views, move_views])
def test_the_former_name_of_the_choice_still_works_and_warns(
    source: ViewCatalog, target: ViewCatalog, verb: Callable[..., Outcomes]
) -> None:
    target.create_view("sales.base", sql={"hive": "SELECT 2 AS a"}, schema=[("a", "int")])
    with pytest.warns(DeprecationWarning, match=rf"if_exists= of {verb.__name__}\(\) is now called on_conflict="):
        outcomes = verb(source, target, "sales.base", if_exists="skip", dry_run=True)
    assert [one.state for one in outcomes] == [State.LEFT]


def test_the_choice_counts_before_its_former_name(source: ViewCatalog, target: ViewCatalog) -> None:
    target.create_view("sales.base", sql={"hive": "SELECT 2 AS a"}, schema=[("a", "int")])
    with pytest.warns(DeprecationWarning, match="now called on_conflict="):
        outcomes = copy_views(source, target, "sales.base", on_conflict="skip", if_exists="replace")
    assert [one.state for one in outcomes] == [State.LEFT]


def test_the_former_option_of_the_choice_still_works_and_warns() -> None:
    arguments = ["--uri", "memory:", "copy", "--all", "--to", "memory:", "--if-exists=skip"]
    ended = CliRunner().invoke(cli, arguments)
    assert ended.exit_code == 3
    assert ended.stderr.startswith("Warning: --if-exists of copy is deprecated. Use --on-conflict.\n")


def test_the_command_opens_both_catalogs() -> None:
    ended = CliRunner().invoke(cli, ["--uri", "memory:", "copy", "--all", "--to", "memory:"])
    assert ended.exit_code == 3
    assert "No view matches" in ended.output
