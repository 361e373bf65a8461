"""Lineage as a diagram of Mermaid: any name is a label, and none is syntax."""

from __future__ import annotations

import re

import pytest

from hive_views.analysis.mermaid import Diagram
from hive_views.analysis.query_analysis import TableColumn


def test_arrows_lead_from_what_is_read_to_what_is_made_of_it() -> None:
    diagram = Diagram()
    diagram.arrow(TableColumn(("web", "clicks"), "page"), TableColumn(("sales", "daily"), "p"))
    diagram.dotted(TableColumn(("web", "clicks"), "ds"), ("sales", "daily"), "WHERE")
    assert str(diagram) == (
        "flowchart LR\n"
        '  subgraph t0["web.clicks"]\n    c0["page"]\n    c1["ds"]\n  end\n'
        '  subgraph t1["sales.daily"]\n    c2["p"]\n  end\n'
        "  c0 --> c2\n"
        '  c1 -. "WHERE" .-> t1\n'
    )


@pytest.mark.parametrize("name", ['a"]; x', "`bold`", "<script>", "a\nend", "#quot;", "ünï", "end", "%%{init: {}}%%"])
def test_no_name_is_syntax(name: str) -> None:
    diagram = Diagram()
    diagram.node(TableColumn(("web", name), name))
    lines = str(diagram).splitlines()
    assert len(lines) == 4
    for label in re.findall(r'\["(.*)"\]$', "\n".join(lines), re.MULTILINE):
        assert not {*'"`<>\n%{}'} & {*label}
        assert re.sub(r"#(\d+);", lambda found: chr(int(found[1])), label).removeprefix("web.") == name
