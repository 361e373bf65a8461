"""What reads what: a project's files and a metastore's views, as text, Mermaid, DOT and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hive_views import ViewCatalog, execute
from hive_views.errors import InvalidInputError, NoSuchViewError
from hive_views.project.dependency_graph import Graph, Kind, graph
from tests.support.views.projects import write_views


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ViewCatalog:
    """A view beside the project, which reads one of its views, and a view that reads nothing of it."""
    monkeypatch.setenv("HIVE_VIEWS_CACHE_DIR", str(tmp_path / "cache"))
    catalog = ViewCatalog.connect("memory:", warehouse=str(tmp_path / "views"))
    for namespace in ("sales", "web"):
        catalog.create_namespace(namespace)
    for name, text in (
        ("web.hits", "SELECT 1 AS a"),
        ("sales.daily", "SELECT a FROM web.hits"),
        ("web.board", "SELECT a FROM sales.daily"),
        ("web.other", "SELECT a FROM web.hits"),
    ):
        execute(catalog, f"CREATE VIEW {name} AS {text}")
    return catalog


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_views(
        tmp_path,
        "sales",
        daily="AS SELECT a FROM web.hits DIALECT trino AS SELECT a FROM web.gone",
        weekly="AS SELECT a FROM daily",
    )


def _kinds(found: Graph) -> dict[str, Kind]:
    return {str(name): kind for name, kind in found.kinds.items()}


def test_a_project_is_shown_with_what_it_reads_in_all_dialects_and_who_reads_it(
    catalog: ViewCatalog, project: Path
) -> None:
    found = graph(catalog, project)
    assert _kinds(found) == {
        "sales.daily": Kind.PROJECT,
        "sales.weekly": Kind.PROJECT,
        "web.board": Kind.VIEW,
        "web.gone": Kind.MISSING,
        "web.hits": Kind.VIEW,
    }
    assert [[str(one) for one in level] for level in found.levels] == [
        ["web.gone", "web.hits"],
        ["sales.daily"],
        ["sales.weekly", "web.board"],
    ]
    assert list(found.lines())[:3] == [
        "Level 0: 1 other view, 1 missing",
        "  web.gone      missing, reads 0, read by 1",
        "  web.hits      view, reads 0, read by 1",
    ]
    assert found.summary() == "4 views in 3 levels, on 0 tables; 1 missing."


def test_files_alone_need_no_metastore(project: Path) -> None:
    found = graph(None, project)
    assert {name for name, kind in _kinds(found).items() if kind is Kind.UNKNOWN} == {"web.gone", "web.hits"}
    with pytest.raises(InvalidInputError, match="give its directory"):
        graph(None, "sales.*")


def test_one_view_is_shown_with_all_that_it_reads_and_all_that_reads_it(catalog: ViewCatalog) -> None:
    assert list(graph(catalog, "web.board").lines()) == [
        "web.board (view)",
        "reads",
        "  sales.daily (view)",
        "    web.hits (view)",
        "is read by no view",
        "",
        "3 views in 3 levels, on 0 tables.",
    ]
    assert [*_kinds(graph(catalog, "web.hits"))] == ["sales.daily", "web.board", "web.hits", "web.other"]
    with pytest.raises(NoSuchViewError, match=r"There is no view or table web\.boards\. Did you mean 'web\.board'\?"):
        graph(catalog, "web.boards")


def test_a_cycle_is_shown_once_and_is_not_fatal(tmp_path: Path) -> None:
    project = write_views(
        tmp_path, "s", a="AS SELECT x FROM b", b="AS SELECT x FROM c", c="AS SELECT x FROM a", d="AS SELECT x FROM a"
    )
    found = graph(None, project)
    assert [line for line in found.lines() if line.startswith("Cycle")] == ["Cycle: s.a -> s.b -> s.c -> s.a"]
    assert sum(map(len, found.levels)) == 4
    # Below each, what has been shown is not followed again.
    assert len(list(graph(None, project, "s.a").lines())) < 20


def test_levels_of_three_hundred_views_are_a_line_each(tmp_path: Path) -> None:
    views = {f"v{n}": f"AS SELECT x FROM v{n // 3}" if n else "AS SELECT x FROM web.t" for n in range(300)}
    found = graph(None, write_views(tmp_path, "s", **views))
    lines = list(found.lines())
    assert len(lines) == 301 + 2 * len(found.levels) + 1
    assert lines[-1].startswith("300 views in ")


def test_diagrams_lead_from_what_is_read_to_its_readers(tmp_path: Path) -> None:
    # Names that are keywords of both languages.
    found = graph(None, write_views(tmp_path, "graph", click="AS SELECT a FROM subgraph.node"))
    assert found.mermaid() == 'flowchart LR\n  n0["graph.click"]\n  n1["subgraph.node"]\n  n1 --> n0\n'
    assert found.dot().splitlines()[2:] == [
        '  "graph.click" [shape=box];',
        '  "subgraph.node" [shape=box];',
        '  "subgraph.node" -> "graph.click";',
        "}",
    ]


def test_the_document_says_levels_and_both_directions(catalog: ViewCatalog) -> None:
    document: dict[str, Any] = graph(catalog, "sales.*").document()
    assert document["format-version"] == 1
    assert {
        "name": "sales.daily",
        "kind": "view",
        "level": 1,
        "reads": ["web.hits"],
        "read_by": ["web.board"],
    } in document["nodes"]
