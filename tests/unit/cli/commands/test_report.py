"""The command ``report``: one file is written, and what cannot be is refused before anything is looked at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hive_views.cli import main


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["--uri", "memory:", *arguments])
    return int(ended.value.code or 0)


def test_the_page_is_written_and_its_path_and_counts_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "views.html"
    assert run("report", str(out), "--output", "json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["report"] == str(out)
    assert told["counts"]["views"] == 0
    assert out.read_text("utf-8").startswith("<!doctype html>")


def test_a_directory_and_a_missing_one_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("report", str(tmp_path)) == 2
    assert "it is a directory" in capsys.readouterr().err
    assert run("report", str(tmp_path / "missing" / "views.html")) == 2
    assert "there is no directory" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_is_there_and_a_forgotten_one_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "views.html"
    out.write_text("old")
    assert run("report", str(out)) == 4
    assert "With --overwrite it is replaced." in capsys.readouterr().err
    assert out.read_text() == "old"
    assert run("report", str(out), "--overwrite") == 0
    assert out.read_text("utf-8").startswith("<!doctype html>")
    monkeypatch.chdir(tmp_path)
    assert run("report", "sales.one") == 2
    assert "Name the page first, then the views." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [out]


def test_the_content_is_written_as_json_beside_the_page_or_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, content = tmp_path / "views.html", tmp_path / "views.json"
    assert run("report", str(page), "--json", str(content), "--output", "json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["report"], told["json"]) == (str(page), str(content))
    assert json.loads(content.read_text("utf-8"))["counts"] == told["counts"]
    page.unlink()
    assert run("report", str(page), "--json", str(content)) == 4
    assert list(tmp_path.iterdir()) == [content], "nothing is written if one of the files is there"
    assert run("report", str(page), "--json", str(tmp_path / "views.txt")) == 2
    assert run("report", str(content), "--overwrite") == 0
    assert json.loads(content.read_text("utf-8"))["version"] == 1


def test_an_address_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("report", str(tmp_path / "views.html"), "--view-url", "catalog/{view}") == 2
    assert "begins with https:// or http://" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
