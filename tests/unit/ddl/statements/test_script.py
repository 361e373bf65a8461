"""Scripts: order, USE, the first error, going on, and running again."""

from __future__ import annotations

import pickle

import pytest

from hive_views import StatementResult, ViewCatalog, execute, execute_script
from hive_views.errors import HiveViewsError, InvalidInputError, NoSuchNamespaceError, NoSuchTableError, SQLSyntaxError
from tests.unit.ddl.statements.conftest import Run

SCRIPT = """-- views of the day
USE web;
CREATE VIEW a AS SELECT page FROM clicks;

CREATE VIEW b AS
  SELECT nothing FROM nowhere;
CREATE VIEW c AS SELECT page FROM a;
"""


def test_statements_are_executed_in_order_and_use_holds_for_those_behind_it(catalog: ViewCatalog) -> None:
    results = execute_script(
        catalog,
        "CREATE VIEW v AS SELECT 1 AS a; USE web; CREATE VIEW v AS SELECT page FROM clicks; USE sales; "
        "SHOW VIEWS IN web",
    )
    assert [result.view for result in results] == ["default.v", None, "web.v", None, None]
    assert [result.namespace for result in results] == ["default", "web", "web", "sales", "sales"]
    assert results[-1].rows == (("v",),)


def test_use_of_one_call_is_not_remembered_but_reported(catalog: ViewCatalog, run: Run) -> None:
    assert run("USE WEB").namespace == "web"
    assert run("CREATE VIEW v AS SELECT 1 AS a").view == "sales.v"
    with pytest.raises(NoSuchNamespaceError):
        run("USE nowhere")


def test_a_script_stops_at_its_first_error_which_says_what_was_done(catalog: ViewCatalog) -> None:
    with pytest.raises(
        NoSuchTableError, match=r"Statement 3 of 4, on line 5: .*web\.nowhere.*\(2 statements before it succeeded\.\)"
    ) as error:
        execute_script(catalog, SCRIPT)
    stopped = error.value.script
    assert stopped is not None
    assert (stopped.statement, stopped.line) == (3, 5)
    assert stopped.text == "CREATE VIEW b AS\n  SELECT nothing FROM nowhere"
    assert [result.view for result in stopped.done] == [None, "web.a"]
    assert catalog.view_exists("web.a")
    assert not catalog.view_exists("web.c")
    assert pickle.loads(pickle.dumps(error.value)).script == stopped


def test_a_script_goes_on_behind_what_was_done(catalog: ViewCatalog) -> None:
    with pytest.raises(NoSuchTableError):
        execute_script(catalog, SCRIPT)
    mended = SCRIPT.replace("nothing FROM nowhere", "page FROM clicks")
    # USE is not left out.
    assert [result.view for result in execute_script(catalog, mended, skip=2)] == [None, "web.b", "web.c"]
    with pytest.raises(InvalidInputError, match="skip"):
        execute_script(catalog, mended, skip=-1)


def test_a_script_of_statements_that_can_be_repeated_changes_nothing_the_second_time(catalog: ViewCatalog) -> None:
    script = """USE web;
        CREATE OR REPLACE VIEW v PARTITIONED ON (ds) TBLPROPERTIES ('k' = 'v') AS SELECT page, ds FROM clicks;
        ALTER VIEW v ADD IF NOT EXISTS PARTITION (ds = '2026-08-01');
        CREATE VIEW IF NOT EXISTS w AS SELECT page FROM v;
        DROP VIEW IF EXISTS x"""
    execute_script(catalog, script)
    before = catalog.load_view("web.v"), catalog.load_view("web.w")
    assert not any(result.changed for result in execute_script(catalog, script))
    assert (catalog.load_view("web.v"), catalog.load_view("web.w")) == before


def test_nothing_is_done_if_a_statement_cannot_be_read(catalog: ViewCatalog) -> None:
    with pytest.raises(SQLSyntaxError) as error:
        execute_script(catalog, "CREATE VIEW v AS SELECT 1 AS a;\nCREATE TABLE t (a int)")
    assert (error.value.line, error.value.column) == (2, 8)
    assert not catalog.view_exists("default.v")


def test_the_place_in_a_query_is_given_as_that_in_the_script(catalog: ViewCatalog) -> None:
    with pytest.raises(SQLSyntaxError, match="at line 3, column 40:") as error:
        execute_script(catalog, "\n\nCREATE VIEW v AS SELECT page AS a FROM 'clicks'; SHOW VIEWS", namespace="web")
    assert (error.value.line, error.value.column) == (3, 40)
    assert error.value.script is not None
    assert error.value.script.line == 3


def test_an_empty_script_does_nothing(catalog: ViewCatalog) -> None:
    assert execute_script(catalog, " -- nothing\n;; ") == []


def test_one_statement_is_one(catalog: ViewCatalog) -> None:
    for text in ("SHOW VIEWS; SHOW VIEWS", "", "SELECT 1"):
        with pytest.raises(SQLSyntaxError):
            execute(catalog, text)
    assert isinstance(execute(catalog, "SHOW VIEWS;"), StatementResult)


@pytest.mark.parametrize("arguments", [{"namespace": "a.b"}, {"dialect": "no dialect"}])
def test_a_database_and_a_dialect_must_be_names(catalog: ViewCatalog, arguments: dict[str, str]) -> None:
    for executed in (execute, execute_script):
        with pytest.raises(HiveViewsError):
            executed(catalog, "SHOW VIEWS", **arguments)


def test_a_dry_run_of_a_script_finds_what_the_real_one_would(catalog: ViewCatalog, run: Run, daily: str) -> None:
    script = """CREATE VIEW sales.v AS SELECT page FROM web.clicks;
        CREATE VIEW sales.w AS SELECT page FROM sales.v;
        ALTER VIEW sales.daily ADD PARTITION (ds = 'a', hr = 1);
        DROP VIEW sales.daily;
        SHOW VIEWS IN sales"""
    run("CREATE VIEW untouched AS SELECT 1 AS a")
    before = catalog.load_view(daily)
    dry = execute_script(catalog.dry_run(), script)
    assert catalog.load_view(daily) == before
    assert run("SHOW VIEWS").rows == (("daily",), ("untouched",))
    assert dry[-1].rows == (("untouched",), ("v",), ("w",))
    assert execute_script(catalog, script) == dry
