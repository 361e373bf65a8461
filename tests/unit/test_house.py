"""The house explains itself: names, heads of files, sizes, and what is named in texts."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "hive_views"
LONGEST = 420

TOP = {
    ".ci": "what is run before anything is pushed",
    ".dockerignore": "of images that are built from the project",
    ".gitignore": "git's",
    "CHANGELOG.md": "what users look for at the top",
    "LICENSE": "what tools look for at the top",
    "README.md": "likewise",
    "docker": "servers and engines to try it with",
    "hive_views": "the package",
    "pyproject.toml": "every tool's settings",
    "tests": "their own README says which",
    "thrift_idl": "what the bindings are generated from",
}
"""All that is at the top, and why."""

_OF_SQL = {"analysis/tree/typing", "translation/to_trino/expressions"}
SAME_NAMES = {
    **dict.fromkeys(("aggregates", "branches", "dates", "lambdas", "nested", "numbers", "strings"), _OF_SQL),
    "base_tables": {".", "spark"},
    "expressions": {"sql/hive_grammar", "translation/to_trino"},
    "from_clause": {"analysis/tree", "translation/to_trino/queries"},
    "generators": {"analysis/tree/typing", "translation/to_trino/queries"},
    "hive": {"base_tables", "spark/base_tables", "."},
    "iceberg": {"base_tables", "spark/base_tables"},
    "keys": {"base_tables/delta", "base_tables/iceberg", "base_tables/paimon"},
    "literals": {"ddl/grammar", "translation/to_trino/expressions"},
    "manifests": {"base_tables/iceberg", "base_tables/paimon"},
    "memory": {"metastore", "base_tables"},
    "opening": {"base_tables", "spark/base_tables"},
    "port": {"metastore", "base_tables"},
    "publishing": {".", "spark"},
    "queries": {"sql/hive_grammar", "translation/to_trino"},
    "row": {"hive", "views"},
    "schema_columns": {"base_tables/delta", "base_tables/iceberg", "base_tables/paimon"},
    "subqueries": {"sql", "translation/to_trino/expressions"},
    "table": {"base_tables/delta", "base_tables/iceberg", "base_tables/paimon"},
    "windows": {"sql/hive_grammar", "translation/to_trino/expressions"},
}
"""Modules and packages of one name, by where they are.

A part of SQL is called what it is wherever there are rules for it: its grammar, its types, its translation. A format's
part is called what it is in every format, and a table through Spark what it is without. A port and its twin
in memory are called so in both rooms that have them.
"""

NAMED = re.compile(r"(?<![\w./$*<>-])[\w-][\w./-]*\.(?:py|md)\b")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def modules() -> Iterator[Path]:
    """The files of the package but the generated ones."""
    return (path for path in sorted(PACKAGE.rglob("*.py")) if "_bindings" not in path.parts)


def place(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@cache
def head(path: Path) -> str:
    """What a file says of itself."""
    return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""


def files(*endings: str) -> list[Path]:
    """The files under version control."""
    found = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip("not a checkout")
    there = (ROOT / name for name in found.stdout.split("\0") if name)
    return [path for path in there if path.name.endswith(endings) and path.is_file()]


def test_no_two_modules_of_one_name_mean_different_things() -> None:
    places = defaultdict(set)
    for path in modules():
        named = path.parent if path.name == "__init__.py" else path
        if path.name != "__main__.py" and named != PACKAGE:
            places[named.stem].add(place(named.parent))
    several = {name: found for name, found in places.items() if len(found) > 1}
    assert several == {name: found for name, found in SAME_NAMES.items() if name in several}


def test_every_module_says_what_lives_in_it() -> None:
    assert [place(path) for path in modules() if not head(path)] == []


def test_every_package_says_more_than_a_line_of_itself() -> None:
    short = {place(path.parent) for path in modules() if path.name == "__init__.py" and "\n" not in head(path).strip()}
    assert short == set()


def test_no_logger_is_made_but_one_that_hides_passwords() -> None:
    made = {
        f"{place(path)}: {line}"
        for path in modules()
        for line in path.read_text("utf-8").splitlines()
        if re.match(r"\w+ = logging\.getLogger\(", line)
    }
    assert made == set()


def test_no_module_is_long() -> None:
    long = {place(path) for path in modules() if len(path.read_text("utf-8").splitlines()) > LONGEST}
    assert long == set()


def test_the_top_holds_what_tools_and_readers_look_for_there() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in files("")} <= set(TOP)


def test_every_file_that_a_head_or_a_document_names_is_there() -> None:
    names = {path.name for path in files("")}
    missing = set()
    for path in files(".py", ".md"):
        for name in NAMED.findall(head(path) if path.suffix == ".py" else path.read_text("utf-8")):
            above = [*path.relative_to(ROOT).parents, Path("hive_views"), Path("tests")]
            is_there = name in names or ("/" in name and any((ROOT / folder / name).is_file() for folder in above))
            if not is_there:
                missing.add((path.relative_to(ROOT).as_posix(), name))
    assert missing == set()


def test_every_link_of_a_document_leads_somewhere() -> None:
    missing = [
        (path.relative_to(ROOT).as_posix(), target)
        for path in files(".md")
        for target in LINK.findall(path.read_text("utf-8"))
        if "://" not in target and not target.startswith("mailto:") and not (path.parent / target).exists()
    ]
    assert missing == []


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports from, and what it takes from them as if it were a module, too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{one.name}" for one in node.names)
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names)


def test_no_test_module_is_imported() -> None:
    """What several tests share has a module of its own, whose import runs and collects nothing."""
    tests = re.compile(r"tests\.(\w+\.)*test_\w+")
    found = [
        (path.relative_to(ROOT).as_posix(), name)
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for name in imported(path)
        if tests.match(name)
    ]
    assert found == []


def test_what_several_kinds_of_tests_import_is_in_support() -> None:
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        own = path.relative_to(ROOT / "tests").parts[0]
        for name in imported(path):
            package, _, kind = name.partition(".")
            if package == "tests" and kind.partition(".")[0] not in {own, "support"}:
                found.append((path.relative_to(ROOT).as_posix(), name))
    assert found == []


def test_what_one_kind_of_test_imports_alone_is_in_its_folder() -> None:
    tests = ROOT / "tests"
    importers = defaultdict(set)
    for path in sorted(tests.rglob("*.py")):
        for name in imported(path):
            importers[name].add(path.relative_to(tests).parts[0])
            importers[name.rpartition(".")[0]].add(path.relative_to(tests).parts[0])
    found = {}
    for path in sorted((tests / "support").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if len(importers[name]) == 1 and importers[name] != {"support"}:
            found[name] = importers[name]
    assert found == {}
