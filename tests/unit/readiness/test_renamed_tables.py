"""Tables get other names in the text of a rule, and nothing else changes."""

from __future__ import annotations

import pytest

from hive_views.errors import InvalidInputError
from hive_views.readiness.rule_expressions import with_renamed_tables


def rename(table: str) -> str:
    return table.replace("web.", "site.")


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        ('requires("web.clicks", ds=column("ds"))', 'requires("site.clicks", ds=column("ds"))'),
        (
            "~quiet_for('web.a', seconds=1) & requires('x.web.b')",
            "~quiet_for(\"site.a\", seconds=1) & requires('x.web.b')",
        ),
        (
            'requires("web.a", ds=values_of("web.b", "web.c")) |\n  # "web.x"\n marked_done("ö.b", by="web.y")',
            'requires("site.a", ds=values_of("site.b", "web.c")) |\n  # "web.x"\n marked_done("ö.b", by="web.y")',
        ),
    ],
)
def test_tables_are_renamed_and_nothing_else(rule: str, wanted: str) -> None:
    def but_kept(table: str) -> str:
        return table if table.startswith("x.") else rename(table)

    assert with_renamed_tables(rule, but_kept) == wanted


@pytest.mark.parametrize("rule", ["requires(", "(" * 5000])
def test_what_is_no_expression_is_refused(rule: str) -> None:
    with pytest.raises(InvalidInputError, match="Cannot read the rule"):
        with_renamed_tables(rule, rename)
