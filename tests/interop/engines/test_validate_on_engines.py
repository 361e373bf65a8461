"""The texts of a project, analyzed by Hive and by Trino before it is applied."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hive_views import ViewCatalog
from hive_views.cli import cli
from hive_views.errors import InvalidInputError, UnavailableError
from hive_views.project.validating.validate_project import validate
from hive_views.project.validating.validation import ValidatedText, Validation, Verdict
from tests.interop.engines.conftest import Engines
from tests.support.containers.engines import Hive, Trino
from tests.support.views.projects import write_views

VALID, INVALID, NOT_VALIDATED = Verdict.VALID, Verdict.INVALID, Verdict.NOT_VALIDATED


def _by_view(found: Validation) -> dict[str, ValidatedText]:
    return {one.view.name: one for one in found.texts}


def test_hive_analyzes_views_before_they_are_applied(
    hive: Hive, engines: Engines, catalog: ViewCatalog, namespace: str, web: str, tmp_path: Path
) -> None:
    project = write_views(
        tmp_path,
        namespace,
        # A statement of Hive cannot define a name twice, and a definition in it can have none of its own.
        daily=f"(who, clicks INT, ds) AS WITH c AS (SELECT * FROM {web}.clicks) "
        "SELECT user_id, count(*), ds FROM c GROUP BY user_id, ds",
        # MORE is a keyword, which the text in the row has in backticks.
        busy="AS WITH c AS (SELECT * FROM daily) SELECT c.*, c.clicks * 1.5 AS more FROM c "
        f"JOIN {namespace}.daily ON daily.who = c.who -- all of it",
        third="AS SELECT `more` FROM busy ORDER BY `more` LIMIT 3",
        wrong="AS SELECT ds,\n  clickz FROM busy",
        of_spark="AS SELECT 1 AS a DIALECT spark AS SELECT 2 AS a",
    )
    found = _by_view(validate(catalog, project, hive.address))
    verdicts = {"daily": VALID, "busy": VALID, "third": VALID, "wrong": INVALID, "of_spark": VALID}
    assert {name: one.verdict for name, one in found.items()} == verdicts
    assert found["wrong"].place == f"{namespace}/wrong.sql:2:3"
    assert "Invalid table alias or column reference 'clickz'" in str(found["wrong"].message)
    assert found["daily"].differences == ("Column clicks is bigint by Hive, and int in the plan.",)

    # The same from the shell.
    command = ["--uri", engines.metastore.uri, "validate", str(project), "--engine", hive.address]
    ended = CliRunner().invoke(cli, command)
    assert ended.exit_code == 6, ended.output
    assert f"{namespace}/wrong.sql:2:3: {namespace}.wrong, hive: [Error 10004]: Invalid" in ended.stdout
    assert ended.stdout.splitlines()[-1] == "Hive: 4 texts valid, 1 invalid."
    assert not catalog.list_views(namespace)


def test_trino_analyzes_views_before_they_are_applied(
    trino: Trino, catalog: ViewCatalog, namespace: str, web: str, tmp_path: Path
) -> None:
    project = write_views(
        tmp_path,
        namespace,
        daily=f"(who, clicks, ds) AS SELECT user_id, count(*), ds FROM {web}.clicks GROUP BY user_id, ds "
        f"DIALECT trino AS WITH c AS (SELECT * FROM hive.{web}.clicks) "
        "SELECT user_id, count(*), ds FROM c GROUP BY 1, 3",
        busy=f'AS SELECT daily.*, clicks AS again FROM daily DIALECT trino AS (SELECT "daily".*, d.clicks AS again '
        f"FROM daily JOIN {namespace}.daily AS d (who, clicks, b) ON d.who = daily.who ORDER BY 1 -- all of it\n)",
        wrong="AS SELECT ds FROM busy DIALECT trino AS SELECT ds,\n  clickz FROM busy",
        wider="AS SELECT 1 AS a DIALECT trino AS SELECT 1 AS a, 2 AS b",
        named="AS SELECT 1 AS a DIALECT trino AS SELECT 'x' AS b",
        of_hive="AS SELECT 1 AS a",
        reader="AS SELECT a FROM of_hive DIALECT trino AS SELECT a FROM of_hive",
    )
    found = _by_view(validate(catalog, project, f"{trino.address}/hive"))
    assert {name: one.verdict for name, one in found.items()} == {
        "daily": VALID,
        "busy": VALID,
        "wrong": INVALID,
        "wider": VALID,
        "named": VALID,
        "of_hive": NOT_VALIDATED,
        "reader": NOT_VALIDATED,
    }
    assert found["wrong"].place == f"{namespace}/wrong.sql:2:3"
    assert found["wrong"].message == "Column 'clickz' cannot be resolved"
    [said] = found["wider"].differences
    assert said.startswith("Trino accepts it, but the plan does not: ")
    assert found["named"].differences == (
        "Column 1 is called b by Trino, and a in the plan.",
        "Column a is varchar(1) by Trino, and int in the plan.",
    )
    assert str(found["reader"].message).startswith(f"It reads {namespace}.of_hive, which has no text in the dialect")
    assert not catalog.list_views(namespace)
    with pytest.raises(InvalidInputError, match="Trino cannot use the catalog nothing: Catalog 'nothing' not found"):
        validate(catalog, project, f"{trino.address}/nothing")


@pytest.mark.parametrize("address", ["trino://nobody@127.0.0.1:1/hive", "hive://nobody:Secret9@127.0.0.1:1"])
def test_an_engine_that_does_not_answer_is_told_without_the_password(
    catalog: ViewCatalog, namespace: str, tmp_path: Path, address: str
) -> None:
    project = write_views(tmp_path, namespace, v="AS SELECT 1 AS a DIALECT trino AS SELECT 1 AS a")
    with pytest.raises(UnavailableError) as failed:
        validate(catalog, project, address)
    assert "127.0.0.1" in str(failed.value)
    assert "Secret9" not in str(failed.value)
