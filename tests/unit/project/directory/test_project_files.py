"""A directory of SQL files is read as views, with all mistakes at their places."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from hive_views.ddl.grammar.statements import OutputColumn
from hive_views.errors import InvalidInputError, NoSuchTableError, SQLSyntaxError, UncertainColumnsError
from hive_views.messages.remedy import Remedy
from hive_views.project import FileError, Project, read_project
from hive_views.sql.query import QueryText
from hive_views.sql.syntax_errors import syntax_error
from tests.unit.project.directory.projects import write_project

DAILY = """-- by Ann
CREATE OR REPLACE VIEW daily (user_id COMMENT 'who', clicks bigint, ds)
COMMENT 'clicks a day'
PARTITIONED ON (ds)
TBLPROPERTIES ('team' = 'search')
AS
SELECT user_id, count(*) AS clicks, ds  -- all of them
FROM ${env}_web.clicks GROUP BY user_id, ds
DIALECT trino AS
SELECT user_id, count(*) AS clicks, ds FROM ${env}_web.clicks GROUP BY 1, 3;
"""


def test_a_file_is_a_view(tmp_path: Path) -> None:
    project, errors = read_project(write_project(tmp_path, {"sales/daily.sql": DAILY}))
    assert errors == ()
    [view] = project.definitions.values()
    assert str(view.view) == "sales.daily"
    assert dict(view.texts) == {
        "hive": "SELECT user_id, count(*) AS clicks, ds  -- all of them\nFROM dev_web.clicks GROUP BY user_id, ds",
        "trino": "SELECT user_id, count(*) AS clicks, ds FROM dev_web.clicks GROUP BY 1, 3",
    }
    assert view.columns == (OutputColumn("user_id", "who"), OutputColumn("clicks", type="bigint"), OutputColumn("ds"))
    assert (view.comment, view.partitioned_on, dict(view.properties)) == ("clicks a day", ("ds",), {"team": "search"})
    assert (view.namespace, view.file, view.line) == ("sales", "sales/daily.sql", 2)
    assert project.texts[view.file] == DAILY.replace("${env}", "dev")
    for dialect, text in view.texts.items():
        assert project.texts[view.file][view.starts[dialect] :].startswith(text)


def test_variables_of_the_call_take_precedence_and_must_be_declared(tmp_path: Path) -> None:
    directory = write_project(tmp_path, {"sales/v.sql": "CREATE VIEW v AS SELECT '${env}' AS a"})
    project, _ = read_project(directory, {"env": "prod"})
    assert project.definitions["sales.v"].texts == {"hive": "SELECT 'prod' AS a"}
    with pytest.raises(InvalidInputError, match=r"declares no variable 'envy'\. Did you mean 'env'\?"):
        read_project(directory, {"envy": "prod"})


def test_what_is_no_variable_stays(tmp_path: Path) -> None:
    text = "SELECT '$${env} $$${env} ${hivevar:x} ${1} $env {env} ${}' AS a"
    project, errors = read_project(write_project(tmp_path, {"sales/v.sql": f"CREATE VIEW v AS {text}"}))
    assert errors == ()
    assert (
        project.definitions["sales.v"].texts["hive"] == "SELECT '${env} $${env} ${hivevar:x} ${1} $env {env} ${}' AS a"
    )


@pytest.mark.parametrize(
    ("path", "text", "view", "namespace"),
    [
        ("sales/v.sql", "CREATE VIEW V AS SELECT a FROM t", "sales.v", "sales"),
        ("Sales/V.SQL", "CREATE VIEW v AS SELECT a FROM t;\n;", "sales.v", "sales"),
        ("sales/v.sql", "USE web; CREATE VIEW sales.v AS SELECT a FROM t", "sales.v", "web"),
        ("sales/v.sql", "USE ${env}_sales;\nCREATE VIEW v AS SELECT a FROM t", "dev_sales.v", "dev_sales"),
        ("sales/v.sql", "CREATE VIEW ${env}_sales.v AS SELECT a FROM t", "dev_sales.v", "sales"),
        ("my-views/v.sql", "USE web; CREATE VIEW v AS SELECT a FROM t", "web.v", "web"),
        ("sales/v.sql", "\ufeffCREATE VIEW v AS SELECT a FROM t", "sales.v", "sales"),
    ],
)
def test_where_names_are(tmp_path: Path, path: str, text: str, view: str, namespace: str) -> None:
    project, errors = read_project(write_project(tmp_path, {path: text}))
    assert errors == ()
    assert [(name, one.namespace) for name, one in project.definitions.items()] == [(view, namespace)]


MISTAKES: dict[str, tuple[str, str, int | None, int | None, str]] = {
    "syntax": ("sales/v.sql", "CREATE VIEW v AS\nSELECT a FRM t WHERE (", 2, 14, "'t' is not allowed here"),
    "syntax behind a variable": ("sales/v.sql", "CREATE VIEW ${env}_x.v AZ SELECT 1", 1, 24, "Found 'AZ', expected"),
    "no such variable": (
        "sales/v.sql",
        "CREATE VIEW v AS\n  SELECT ${evn}",
        2,
        10,
        "no variable evn. Did you mean ${env}?",
    ),
    "other name": ("sales/v.sql", "-- w\nCREATE VIEW w AS SELECT 1", 2, 1, "The file of the view w is w.sql"),
    "if not exists": ("sales/v.sql", "CREATE VIEW IF NOT EXISTS v AS SELECT 1", 1, 1, "Leave out IF NOT EXISTS"),
    "two views": ("sales/v.sql", "CREATE VIEW v AS SELECT 1;\nCREATE VIEW w AS SELECT 1", 2, 1, "a file of its own"),
    "a change": (
        "sales/v.sql",
        "CREATE VIEW v AS SELECT 1;\n\n DROP VIEW v",
        3,
        2,
        "in one statement: CREATE OR REPLACE",
    ),
    "two databases": ("sales/v.sql", "USE a; USE b; CREATE VIEW v AS SELECT 1", 1, 8, "USE stands once, before"),
    "late USE": ("sales/v.sql", "CREATE VIEW v AS SELECT 1; USE b", 1, 28, "USE stands once, before"),
    "nothing": ("sales/v.sql", "-- later\n", 1, 1, "It has no statement"),
    "USE alone": ("sales/v.sql", "USE a;", 1, 1, "It has no statement"),
    "a table": ("sales/v.sql", "CREATE TABLE t (a INT)", 1, 8, "Found 'TABLE', expected VIEW"),
    "folder": ("my-views/v.sql", "CREATE VIEW v AS SELECT 1", 1, 1, "'my-views' is not named like a namespace"),
    "database": ("sales/v.sql", "USE `a-b`; CREATE VIEW v AS SELECT 1", 1, 1, "Cannot use 'a-b' as a namespace"),
    "reserved": (
        "sales/v.sql",
        "CREATE VIEW v TBLPROPERTIES ('EXTERNAL'='TRUE') AS SELECT 1",
        1,
        1,
        "property 'EXTERNAL'",
    ),
    "top": ("v.sql", "CREATE VIEW v AS SELECT 1", None, None, "not in the folder of a namespace"),
    "too deep": ("sales/more/v.sql", "CREATE VIEW v AS SELECT 1", None, None, "not in the folder of a namespace"),
    "two texts": ("sales/v.sql", "CREATE VIEW v AS SELECT 1 DIALECT hive AS SELECT 2", 1, 35, "one text in hive"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_each_mistake_has_its_place_as_the_author_sees_it(tmp_path: Path, case: str) -> None:
    path, text, line, column, message = MISTAKES[case]
    project, [error] = read_project(write_project(tmp_path, {path: text}))
    assert (error.file, error.line, error.column) == (path, line, column)
    assert message in error.message
    assert project.definitions == {}
    if line is None:
        assert error.excerpt is None
        return
    shown, caret = (error.excerpt or "").split("\n")
    assert shown == text.split("\n")[line - 1]
    assert caret == f"{' ' * ((column or 0) - 1)}^"


def test_all_errors_of_all_files_are_found_at_once(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a/v.sql": "CREATE VIEW v AS SELECT ${x}, ${y}",
        "b/v.sql": "CREATE VIEW v AS SELEC 1",
        "b/w.sql": "CREATE VIEW w AS SELECT 1 AS a",
        "c/v.sql": b"CREATE VIEW v AS SELECT '\xe4'",
    }
    settings = 'nam = "clicks"\n[variables]\nx-1 = "1"\n2y = 2\nz = 3\n'
    project, errors = read_project(write_project(tmp_path, files, settings))
    assert [(one.file, one.line, one.column) for one in errors] == [
        ("project.toml", None, None),
        ("project.toml", 1, 1),
        ("project.toml", 4, 1),
        ("project.toml", 5, 1),
        ("a/v.sql", 1, 25),
        ("a/v.sql", 1, 31),
        ("b/v.sql", 1, 18),
        ("c/v.sql", 1, 26),
    ]
    assert "There is no name: write name = " in errors[0].message
    assert "no key 'nam'. Did you mean 'name'?" in errors[1].message
    assert "byte 0xe4 is not UTF-8" in errors[-1].message
    assert list(project.definitions) == ["b.w"]
    assert str(errors[4]).startswith("a/v.sql:1:25: There is no variable x.")


def test_two_files_for_one_view_name_each_other(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a/v.sql": "CREATE VIEW v AS SELECT 1",
        "b/other.sql": "-- too\nCREATE VIEW `A`.v AS SELECT 2",
    }
    project, [error] = read_project(write_project(tmp_path, files))
    assert (error.file, error.line) == ("b/other.sql", 2)
    assert error.message == "a/v.sql defines a.v as well: keep one of the two files."
    assert project.definitions["a.v"].file == "a/v.sql"


@pytest.mark.parametrize("name", ["", "a b", "ä", "x" * 65, "a.b"])
def test_the_name_of_a_project_is_one_that_a_lock_has(tmp_path: Path, name: str) -> None:
    _, [error] = read_project(write_project(tmp_path, {}, f'\n name = "{name}"\n'))
    assert (error.line, error.column) == (2, 2)
    assert "cannot be the name of a project" in error.message


def test_what_is_no_toml_has_its_place(tmp_path: Path) -> None:
    _, [error] = read_project(
        write_project(tmp_path, {"a/v.sql": "CREATE VIEW v AS SELECT ${x}"}, 'name = "a"\nb = \n')
    )
    assert (error.file, error.line, error.column) == ("project.toml", 2, 5)


def test_a_directory_that_is_no_project_says_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r'no project\.toml in it\. Write one with the line name = "\.\.\."'):
        read_project(write_project(tmp_path, {"a/v.sql": "CREATE VIEW v AS SELECT 1"}, None))
    with pytest.raises(InvalidInputError, match="There is no directory"):
        read_project(tmp_path / "nothing")


def test_hidden_files_and_other_files_are_no_part_of_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        **dict.fromkeys([".git/v.sql", "a/.b/v.sql", "a/.v.sql", "a/v.txt", "publications.toml"], "x"),
        "README": b"\xff",
    }
    assert read_project(write_project(tmp_path, files)) == (Project(read_project(tmp_path)[0].settings, {}, {}), ())


def test_links_are_refused_rather_than_left_out(tmp_path: Path) -> None:
    real = write_project(tmp_path / "real", {"a/v.sql": "CREATE VIEW v AS SELECT 1"})
    directory = write_project(tmp_path / "project", {"b/w.sql": "CREATE VIEW w AS SELECT 1"})
    (directory / "a").symlink_to(real / "a")
    (directory / "b" / "v.sql").symlink_to(real / "a" / "v.sql")
    (directory / "LICENSE").symlink_to(real / "project.toml")
    _, errors = read_project(directory)
    assert [(one.file, one.line) for one in errors] == [("a", None), ("b/v.sql", None)]
    # The directory itself may be behind one.
    (tmp_path / "link").symlink_to(real)
    assert list(read_project(tmp_path / "link")[0].definitions) == ["a.v"]


def test_what_cannot_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = write_project(tmp_path, {"a/v.sql": "CREATE VIEW v AS SELECT 1", "b/v.sql": "x"})
    scan, read = os.scandir, Path.read_bytes

    def refused(path: object) -> PermissionError:
        return PermissionError(errno.EACCES, "Permission denied", str(path))

    def scandir(path: str) -> Any:
        if Path(path).name == "b":
            raise refused(path)
        return scan(path)

    def read_bytes(path: Path) -> bytes:
        if path.name == "v.sql":
            raise refused(path)
        return read(path)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    _, errors = read_project(directory)
    assert [(one.file, one.message) for one in errors] == [
        ("a/v.sql", "It cannot be read: Permission denied."),
        ("b", "It cannot be read: Permission denied."),
    ]


def test_errors_of_a_text_are_placed_in_its_file(tmp_path: Path) -> None:
    project, _ = read_project(write_project(tmp_path, {"sales/daily.sql": DAILY}))
    daily = project.definitions["sales.daily"]

    def placed(error: SQLSyntaxError | NoSuchTableError | UncertainColumnsError) -> FileError:
        return project.error_in(daily, error)

    hive, trino = daily.texts["hive"], daily.texts["trino"]
    of_syntax = syntax_error(hive, "hive", "there is no column ds.", hive.rindex("ds"))
    assert (placed(of_syntax).line, placed(of_syntax).column) == (8, 42)
    assert placed(of_syntax).message == "There is no column ds."
    table = syntax_error(trino, "trino", "there is no table or view dev_web.clicks.", trino.index("dev_web"))
    missing = NoSuchTableError(table.message, offset=table.offset, dialect="trino")
    assert (placed(missing).line, placed(missing).column) == (10, 45)
    assert placed(missing).message == "There is no table or view dev_web.clicks."
    remedy = Remedy.alike("Write its type.")
    uncertain = placed(UncertainColumnsError("clicks has no certain type.", remedy=remedy))
    assert (uncertain.line, uncertain.column) == (2, 1)
    assert uncertain.message == "clicks has no certain type. Write its type."


def test_a_text_that_is_part_of_another_has_its_own_place(tmp_path: Path) -> None:
    text = "CREATE VIEW v AS SELECT 1 AS a DIALECT trino AS SELECT 1 AS a DIALECT spark AS SELECT 1 AS a"
    project, errors = read_project(write_project(tmp_path, {"s/v.sql": text}))
    assert errors == ()
    starts = project.definitions["s.v"].starts
    assert [starts[one] for one in ("hive", "trino", "spark")] == [17, 48, 79]
    assert isinstance(project.definitions["s.v"].texts["trino"], QueryText)
