"""The files of a project as a revision of git has them, which need not be checked out."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hive_views.errors import HiveViewsError, InvalidInputError, NotFoundError
from hive_views.project import read_project
from tests.unit.project.directory.projects import write_project

pytestmark = pytest.mark.peer("git")


@pytest.fixture(autouse=True)
def _git_is_there() -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")


def git(directory: Path, *arguments: str) -> str:
    own = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    named = [part for key in ("user.name", "user.email") for part in ("-c", f"{key}=ann")]
    command = ["git", "-C", str(directory), *named, *arguments]
    ended = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **own})
    return ended.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """With two commits: the first has a view ``v`` and is tagged; the second has changed it, and has another."""
    top = tmp_path / "a repository"
    write_project(top / "väter" / "views", {"sales/v.sql": "CREATE VIEW v AS SELECT 1 AS a\r\n", ".x/y.sql": "x"})
    (top / "väter" / "views" / "LICENSE").symlink_to("../LICENSE")
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "One")
    git(top, "tag", "v1")
    write_project(
        top / "väter" / "views",
        {
            "sales/v.sql": "CREATE VIEW v AS SELECT 2 AS a",
            "sales/new\nname.sql": "CREATE VIEW sales.w AS SELECT 'ä' AS a",
        },
    )
    git(top, "add", "-A")
    git(top, "commit", "-qm", "Two")
    return top


def texts_in(directory: Path, revision: str | None) -> dict[str, str]:
    project, errors = read_project(directory, git_revision=revision)
    assert errors == ()
    return {name: one.texts["hive"] for name, one in project.definitions.items()}


def test_a_revision_is_read_without_a_checkout(repository: Path) -> None:
    directory = repository / "väter" / "views"
    write_project(directory, {"sales/v.sql": "CREATE VIEW v AS SELECT 3 AS a"})
    assert texts_in(directory, "v1") == {"sales.v": "SELECT 1 AS a"}
    assert texts_in(directory, "HEAD") == {"sales.w": "SELECT 'ä' AS a", "sales.v": "SELECT 2 AS a"}
    assert texts_in(directory, "main~1") == texts_in(directory, git(repository, "rev-parse", "v1"))
    assert texts_in(directory, None)["sales.v"] == "SELECT 3 AS a"
    project, _ = read_project(directory, {"env": "x"}, "v1")
    assert project.texts == {"sales/v.sql": "CREATE VIEW v AS SELECT 1 AS a\r\n"}


def test_the_directory_need_not_exist_any_more(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(repository, "rm", "-rqf", "väter")
    assert not (repository / "väter").exists()
    git(repository, "commit", "-qm", "Gone")
    monkeypatch.chdir(repository)
    assert texts_in(Path("väter/views"), "v1") == {"sales.v": "SELECT 1 AS a"}
    with pytest.raises(NotFoundError, match="The revision HEAD has no directory väter/views"):
        read_project("väter/views", git_revision="HEAD")


def test_a_project_may_be_a_whole_repository_with_or_without_a_work_tree(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare")
    assert texts_in(tmp_path / "bare" / "väter" / "views", "v1") == {"sales.v": "SELECT 1 AS a"}
    top = write_project(tmp_path / "whole", {"s/v.sql": "CREATE VIEW v AS SELECT 1 AS a"})
    git(top, "init", "-q")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "One")
    assert texts_in(top, "HEAD") == {"s.v": "SELECT 1 AS a"}


def test_a_hook_of_another_repository_does_not_lead_astray(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/no/such")
    monkeypatch.setenv("GIT_INDEX_FILE", "/no/such/index")
    assert texts_in(repository / "väter" / "views", "v1") == {"sales.v": "SELECT 1 AS a"}


def test_links_and_submodules_are_refused_rather_than_left_out(repository: Path, tmp_path: Path) -> None:
    directory = repository / "väter" / "views"
    (directory / "web").symlink_to("sales")
    (directory / "sales" / "l.sql").symlink_to("v.sql")
    git(repository, "add", "-A")
    commit = git(repository, "rev-parse", "v1")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{commit},väter/views/sub")
    git(repository, "commit", "-qm", "Links")
    project, errors = read_project(directory, git_revision="HEAD")
    assert {one.file for one in errors} == {"web", "sales/l.sql", "sub"}
    assert set(project.definitions) == {"sales.v", "sales.w"}


@pytest.mark.parametrize(
    ("revision", "error", "message"),
    [
        ("v2", NotFoundError, "There is no revision 'v2' in the repository of .*views"),
        ("HEAD:väter", NotFoundError, "There is no revision 'HEAD:väter'"),
        ("--output=x", InvalidInputError, "'--output=x' is not a revision"),
        ("", InvalidInputError, "'' is not a revision"),
    ],
)
def test_what_is_no_revision_is_named(
    repository: Path, revision: str, error: type[HiveViewsError], message: str
) -> None:
    with pytest.raises(error, match=message):
        read_project(repository / "väter" / "views", git_revision=revision)


def test_what_is_no_repository_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="not a git repository"):
        read_project(write_project(tmp_path, {}), git_revision="HEAD")


def test_without_git_the_error_names_it(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/no/such")
    with pytest.raises(InvalidInputError, match="needs the program git, which is not installed"):
        read_project(repository / "väter" / "views", git_revision="HEAD")
