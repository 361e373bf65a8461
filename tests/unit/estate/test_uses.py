"""Which views use a table or a column: directly and through others, in every dialect, in which clause and line."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from hive_views.errors import InvalidIdentifierError, InvalidInputError, NoSuchTableError
from hive_views.estate import uses
from hive_views.hive.row import Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.unit.estate_of_clicks import clicks_estate, plain


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    return clicks_estate(f"file://{tmp_path}")


def found(catalog: ViewCatalog, name: str, *, through: bool = False) -> dict[str, list[str]]:
    """By view, each text's clauses with their lines."""
    return {
        str(one.view): [f"{place.dialect} {place}" for place in one.places]
        for one in uses(catalog, name, through=through)
    }


def test_a_column_is_found_in_every_clause_of_every_dialect_with_its_line(catalog: ViewCatalog) -> None:
    assert found(catalog, "web.clicks.page") == {
        "sales.daily": [
            *("hive SELECT line 1", "hive WHERE line 3", "hive GROUP BY line 4"),
            *("trino SELECT line 1", "trino GROUP BY line 1"),
        ],
        "sales.everything": ["spark SELECT line 1"],
        "sales.joined": ["hive SELECT line 1"],
    }
    assert found(catalog, "WEB.Clicks.User_id")["sales.joined"] == ["hive JOIN line 1"]
    assert found(catalog, "web.users.country") == {"sales.joined": ["hive SELECT line 1"]}


def test_a_table_is_used_by_all_that_read_it(catalog: ViewCatalog) -> None:
    assert [*found(catalog, "web.clicks")] == ["sales.daily", "sales.everything", "sales.joined"]
    assert [*found(catalog, "sales.weekly")] == ["sales.monthly"]


def test_through_others_with_the_way_and_the_columns_made_of_it(catalog: ViewCatalog) -> None:
    through = {str(one.view): one for one in uses(catalog, "web.clicks.page", through=True) if not one.is_direct}
    assert [*through] == ["sales.monthly", "sales.weekly"]
    weekly, monthly = through["sales.weekly"], through["sales.monthly"]
    assert [str(one) for one in weekly.path] == ["sales.weekly", "sales.daily", "web.clicks"]
    assert (weekly.columns, [one.column for one in weekly.places]) == (("top",), ["sales.daily.p"])
    # Its own column is made of a count; but the page decides which rows are counted.
    assert (monthly.columns, monthly.places, monthly.decides_rows) == ((), (), True)


def test_a_view_that_reads_other_columns_of_a_view_does_not_use_one_through_it(catalog: ViewCatalog) -> None:
    catalog.create_view(
        "sales.ids", sql={"spark": "SELECT user_id FROM sales.everything"}, schema=[("user_id", "bigint")]
    )
    catalog.create_view(
        "sales.pages", sql={"spark": "SELECT page AS q FROM sales.everything"}, schema=[("q", "string")]
    )
    through = {str(one.view): one.columns for one in uses(catalog, "web.clicks.page", through=True)}
    assert through["sales.pages"] == ("q",)
    assert "sales.ids" not in through


def test_a_plain_view_s_columns_are_called_as_the_view_calls_them(catalog: ViewCatalog) -> None:
    [use] = uses(catalog, "sales.weekly.n")
    assert (str(use.view), use.columns) == ("sales.monthly", ("total",))


def test_columns_used_by_a_view_in_a_circle_are_found_and_the_search_ends(catalog: ViewCatalog) -> None:
    catalog.metastore.create_row(plain("web.a", "SELECT x FROM web.b", ("x", "int")))
    catalog.metastore.create_row(plain("web.b", "SELECT x FROM web.a", ("x", "int")))
    assert found(catalog, "web.a.x", through=True) == {"web.b": ["hive SELECT line 1"]}
    assert [*found(catalog, "web.a", through=True)] == ["web.b"]


def test_a_star_over_a_table_whose_columns_nobody_knows_uses_every_column(catalog: ViewCatalog) -> None:
    delta = Row(TableIdentifier("web", "d"), "EXTERNAL_TABLE", "ada", "file:/d", parameters={"provider": "delta"})
    catalog.metastore.create_row(delta)
    catalog.metastore.create_row(plain("web.all_d", "SELECT * FROM web.d", ("x", "int")))
    catalog.metastore.create_row(plain("web.some_d", "SELECT d.x, y FROM web.d JOIN web.gone", ("x", "int")))
    report = uses(catalog, "web.d.z")
    assert [str(one.view) for one in report] == ["web.all_d"]
    assert report[0].places[0].line is None
    # A name without its table may be one of its columns.
    assert ["web.some_d" in one.view for one in report.not_known] == [True]


def test_what_cannot_be_read_is_told(catalog: ViewCatalog) -> None:
    catalog.metastore.create_row(plain("web.broken", "SELEC nonsense", ("x", "int")))
    catalog.create_view("web.other", sql={"hive": "SELECT 1 AS x", "other:acme": "FROM x"}, schema=[("x", "int")])
    report = uses(catalog, "web.clicks.page")
    assert {one.view for one in report.not_known} == {"web.broken", "web.other"}
    assert len(report) == 3


def test_what_nobody_uses_has_to_exist(catalog: ViewCatalog) -> None:
    with pytest.raises(InvalidInputError, match=r"web.users has no column contry.*Did you mean 'country'"):
        uses(catalog, "web.users.contry")
    with pytest.raises(NoSuchTableError, match=r"no table or view web\.nothing"):
        uses(catalog, "web.nothing")
    with pytest.raises(InvalidIdentifierError, match="two parts"):
        uses(catalog, "page")
    assert uses(catalog, "sales.monthly") == ()


def test_a_table_that_is_gone_is_still_used(catalog: ViewCatalog) -> None:
    catalog.metastore.drop_row(TableIdentifier("web", "users"))
    assert [*found(catalog, "web.users")] == ["sales.joined"]


def test_uses_can_be_sent_and_shown(catalog: ViewCatalog) -> None:
    report = uses(catalog, "web.clicks.page", through=True)
    sent = pickle.loads(pickle.dumps(report))
    assert (sent, sent.document()) == (report, report.document())
    assert report.summary() == "3 views use web.clicks.page, and 2 views through these."
    assert "sales.weekly" in report._repr_html_()
