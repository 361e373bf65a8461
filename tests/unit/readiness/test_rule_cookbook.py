"""The rules of the cookbook in ``hive_views/publishing/README.md``, each judged on tables that have what it asks for.

All of them hold for 21 August 2026, and for 22 August none.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

import pytest

import hive_views
from hive_views import ViewCatalog, plan_publish, read_rule
from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.errors import RuleSyntaxError
from hive_views.hive.partition_names import partition_name
from hive_views.hive.row import Column, Partition, Row
from hive_views.readiness import rules
from hive_views.readiness.language import rule_text
from hive_views.spec.identifiers import TableIdentifier
from tests.support.readmes import examples

FILE = "hive_views/publishing/README.md"
READY, WAITING = "2026-08-21", "2026-08-22"
HOURS = [f"{hour:02}" for hour in range(24)]
NAMES = {name: getattr(rules, name) for name in rules.__all__ if name[0].islower()}

# The partition columns of the views that the rules are for, and their partitions of the two days.
VIEWS: Mapping[str, tuple[dict[str, str], dict[str, str]]] = {
    "sales.daily": ({"ds": READY}, {"ds": WAITING}),
    "sales.by_hour": ({"ds": READY, "hr": "07"}, {"ds": WAITING, "hr": "07"}),
    "sales.by_date": ({"year": "2026", "month": "8", "day": "21"}, {"year": "2026", "month": "8", "day": "22"}),
    "sales.compact": ({"dt": "20260821"}, {"dt": "20260822"}),
    "sales.hourly": ({"ds": READY, "hr": "00"}, {"ds": WAITING, "hr": "00"}),
}

# Hive tables: their partition columns, and what they have of the two days.
HIVE: Mapping[str, tuple[str, list[tuple[str, ...]]]] = {
    "clicks": ("ds hr", [*((READY, hour) for hour in HOURS), *((WAITING, hour) for hour in HOURS[:7])]),
    "visits": ("ds region", [(READY, "eu"), (READY, "us")]),
    "regions": ("region", [("eu",), ("us",)]),
    "calls": ("ds hr", [*((READY, hour) for hour in HOURS if hour not in ("02", "03")), (WAITING, "00")]),
    "exports": ("format ds", [("csv", READY), ("json", WAITING)]),
    "days": ("day", [("20260821",)]),
    "parts": ("year month day", [("2026", "8", "21")]),
    "hits": ("ts_hour", [(f"{READY}-{hour}",) for hour in HOURS]),
    "holidays": ("ds", [(WAITING,)]),
}


def read_rules() -> Iterator[tuple[str, Any]]:
    """Each rule of the cookbook, as it is written, with the rule that it makes."""
    for example in examples(FILE, "python", "Rules by example"):
        for statement in ast.parse(example.text).body:
            source = ast.get_source_segment(example.text, statement)
            assert isinstance(statement, ast.Expr), f"{source} is no rule"
            yield source or "", eval(compile(ast.Expression(statement.value), FILE, "eval"), dict(NAMES))


RULES = list(read_rules())


def with_history(name: str, format_: str, **first: Any) -> MemoryTableWithHistory:
    """A table that got the first day long ago; what is appended next comes now."""
    now_ms = round(datetime.now(timezone.utc).timestamp() * 1000)
    clock = iter((now_ms - 86_400_000, now_ms))
    table = MemoryTableWithHistory(name, [Column("ds", "string")], format=format_, clock_ms=lambda: next(clock))
    table.append((READY,), **first)
    return table


@pytest.fixture
def catalog() -> ViewCatalog:
    catalog = ViewCatalog.connect("memory:")
    for namespace in ("web", "sales"):
        catalog.create_namespace(namespace)
    for table, (columns, values) in HIVE.items():
        add_hive_table(catalog, table, columns.split(), [Partition(one, has_descriptor=True) for one in values])
    checked = Partition((READY,), {"quality": "checked"}, has_descriptor=True, location="memory://marked/ready")
    unmarked = Partition((WAITING,), has_descriptor=True, location="memory://marked/waiting")
    done = Partition((f"{READY}.done",), has_descriptor=True, location="memory://marked/done")
    add_hive_table(catalog, "marked", ["ds"], [checked, unmarked, done])
    catalog.metastore.mark_load_done(TableIdentifier("web", "marked"), f"ds={READY}")
    catalog.storage.files.write("memory://marked/ready/_SUCCESS", b"")
    for view, (ready, _) in VIEWS.items():
        keys = list(ready)
        catalog.create_view(
            view,
            sql={"hive": f"SELECT 1 AS one, {', '.join(keys)} FROM web.clicks"},
            schema=[("one", "int"), *((key, "string") for key in keys)],
            partitioned_on=keys,
        )
    catalog.partitions("sales.hourly").add([{"ds": READY, "hr": hour} for hour in HOURS])
    return catalog


def add_hive_table(catalog: ViewCatalog, name: str, columns: Iterable[str], partitions: list[Partition]) -> None:
    identifier = TableIdentifier("web", name)
    keys = tuple(Column(one, "string") for one in columns)
    catalog.metastore.create_row(
        Row(identifier, "EXTERNAL_TABLE", columns=(), partition_keys=keys, location=f"memory://{name}")
    )
    catalog.metastore.add_partitions(identifier, partitions, if_not_exists=False)


@pytest.fixture
def others() -> dict[str, MemoryTableWithHistory]:
    """Tables of other formats."""
    five_past_midnight_in_berlin = datetime(2026, 8, 21, 22, 5, tzinfo=timezone.utc)
    customers = with_history("s3://lake/customers", "delta", records=1000)
    orders = with_history("web.orders", "iceberg", properties={"job": "nightly", "ds": READY})
    for table in (customers, orders):
        table.append((WAITING,), records=1)
    audited = with_history("web.orders.branch_audit", "iceberg")
    reached_ms = round(five_past_midnight_in_berlin.timestamp() * 1000)
    sales = with_history("web.sales", "paimon", watermark_ms=reached_ms)
    return {table.name: table for table in (customers, orders, audited, sales)}


def view_for(source: str) -> str:
    """The view that has the columns which a rule names; of several, the one with the fewest."""
    named = {
        call.args[0].value
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "column"
        and isinstance(call.args[0], ast.Constant)
    }
    return next(view for view, (ready, _) in VIEWS.items() if named <= set(ready))


@pytest.mark.parametrize(("source", "rule"), RULES, ids=[source for source, _ in RULES])
def test_a_rule_of_the_cookbook_holds_for_the_day_that_is_complete_only(
    source: str, rule: Any, catalog: ViewCatalog, others: dict[str, MemoryTableWithHistory]
) -> None:
    view = view_for(source)
    ready, waiting = (partition_name(list(one), list(one.values())) for one in VIEWS[view])
    plan = plan_publish(catalog, view, rule, candidates=VIEWS[view], base_tables=others)
    assert list(plan.ready) == [ready]
    assert list(plan.waiting) == [waiting]


@pytest.mark.parametrize(("source", "rule"), RULES, ids=[source for source, _ in RULES])
def test_a_rule_of_the_cookbook_is_the_same_as_a_text(source: str, rule: Any) -> None:
    if "lambda" in source:
        with pytest.raises(RuleSyntaxError, match="a function is given by its name"):
            read_rule(source)
    else:
        assert read_rule(source) == rule
        assert read_rule(rule_text(rule)) == rule


def test_every_rule_is_in_the_cookbook() -> None:
    used = " ".join(source for source, _ in RULES)
    assert [name for name in NAMES if f"{name}(" not in used] == []
    assert set(NAMES) <= set(hive_views.__all__)


def test_every_rule_of_the_cookbook_has_a_line_that_says_what_it_is_for() -> None:
    for example in examples(FILE, "python", "Rules by example"):
        tokens = tokenize.generate_tokens(io.StringIO(example.text).readline)
        comments = {token.start[0] for token in tokens if token.type == tokenize.COMMENT}
        for statement in ast.parse(example.text).body:
            assert statement.lineno - 1 in comments, ast.unparse(statement)
