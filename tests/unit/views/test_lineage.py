"""Where the columns of a view come from: through managed and plain views of every dialect, down to tables."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from hive_views.analysis.lineage import Lineage
from hive_views.errors import NoSuchIcebergViewError, NoSuchViewError, NotFoundError, UnsupportedFeatureError
from hive_views.hive.row import POINTER
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.unit.estate_of_clicks import clicks_estate, plain


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    return clicks_estate(f"file://{tmp_path}")


def base(lineage: Lineage) -> dict[str, list[str]]:
    return {name: [*map(str, lineage.base_columns(name))] for name in lineage.columns}


def filters(lineage: Lineage) -> dict[str, list[str]]:
    return {str(column): [one.value for one in clauses] for column, clauses in lineage.base_filters.items()}


def test_columns_are_followed_through_views_down_to_tables_step_by_step(catalog: ViewCatalog) -> None:
    lineage = catalog.load_view("sales.weekly").lineage()
    assert base(lineage) == {"top": ["web.clicks.page"], "n": []}
    assert [*map(str, lineage.columns["top"].sources)] == ["sales.daily.p"]
    assert [".".join(name) for name in lineage.steps] == ["sales.weekly", "sales.daily"]
    assert lineage.tables == (("web", "clicks"),)
    assert "\n".join(lineage.lines()).startswith("top\n  sales.daily.p\n    web.clicks.page\nn\n  sales.daily.n\n")


def test_what_decides_about_rows_is_apart_from_values(catalog: ViewCatalog) -> None:
    lineage = catalog.load_view("sales.weekly").lineage()
    assert filters(lineage) == {
        "web.clicks.ds": ["GROUP BY"],
        "web.clicks.page": ["WHERE", "GROUP BY"],
        "web.clicks.user_id": ["WHERE"],
    }
    joined = catalog.load_view("sales.joined").lineage()
    assert base(joined) == {"country": ["web.users.country"], "page": ["web.clicks.page"]}
    assert filters(joined) == {"web.clicks.user_id": ["JOIN"], "web.users.user_id": ["JOIN"]}


def test_a_filter_on_a_column_of_a_view_is_one_on_what_that_is_made_of(catalog: ViewCatalog) -> None:
    text = "SELECT n FROM sales.weekly WHERE top = 'home'"
    catalog.metastore.create_row(plain("sales.home", text, ("n", "bigint")))
    assert "WHERE" in filters(catalog.lineage("sales.home"))["web.clicks.page"]
    assert "  sales.weekly.top (WHERE)\n    sales.daily.p" in "\n".join(catalog.lineage("sales.home").lines())


def test_a_plain_view_has_its_own_names_of_columns_and_a_lineage(catalog: ViewCatalog) -> None:
    lineage = catalog.lineage("sales.monthly")
    assert [*map(str, lineage.columns["total"].sources)] == ["sales.weekly.n"]
    assert lineage.problems == {}


def test_one_column_alone(catalog: ViewCatalog) -> None:
    assert base(catalog.lineage("sales.joined", "Country")) == {"country": ["web.users.country"]}
    with pytest.raises(NotFoundError, match=r"sales\.joined has no column contry. Did you mean 'country'"):
        catalog.lineage("sales.joined", "contry")


def test_another_dialect_s_text_is_followed_if_asked_for(catalog: ViewCatalog) -> None:
    catalog.alter_view("sales.daily", sql={"trino": "SELECT upper(ds) AS p, 1 AS n, ds FROM web.clicks"})
    assert base(catalog.lineage("sales.weekly", "top")) == {"top": ["web.clicks.page"]}
    assert base(catalog.lineage("sales.weekly", "top", dialect="trino")) == {"top": ["web.clicks.ds"]}


def test_a_circle_is_said_and_ends(catalog: ViewCatalog) -> None:
    catalog.metastore.create_row(plain("web.a", "SELECT x FROM web.b WHERE x > 0", ("x", "int")))
    catalog.metastore.create_row(plain("web.b", "SELECT x FROM web.a", ("x", "int")))
    lineage = catalog.lineage("web.a")
    assert base(lineage) == {"x": []}
    assert lineage.problems[("web", "a")] == "Circular dependency: web.a -> web.b -> web.a."
    assert "(as above)" in "\n".join(lineage.lines())
    assert lineage.mermaid().startswith("flowchart LR\n")


def test_what_is_broken_on_the_way_is_said(catalog: ViewCatalog) -> None:
    broken = {
        "gone": ("SELECT x FROM web.nothing", "web.nothing, which does not exist"),
        "wrong": ("SELECT FROM WHERE", "line 1"),
        "no_column": ("SELECT contry FROM web.users", "contry"),
    }
    for name, (text, _) in broken.items():
        catalog.metastore.create_row(plain(f"web.{name}", text, ("x", "int")))
        catalog.metastore.create_row(plain(f"web.reads_{name}", f"SELECT x FROM web.{name}", ("x", "int")))
    for name, (_, why) in broken.items():
        lineage = catalog.lineage(f"web.reads_{name}")
        assert why in lineage.problems[("web", name)]
        assert why in [*lineage.lines()][-1]
    assert not catalog.lineage("web.reads_wrong").is_complete("x")
    row = catalog.metastore.load_row(TableIdentifier("sales", "daily"))
    Path(row.parameters[POINTER].removeprefix("file://")).unlink()
    again = ViewCatalog(catalog.metastore, warehouse=catalog.warehouse).lineage("sales.weekly")
    assert "does not exist" in again.problems[("sales", "daily")]
    assert base(again) == {"top": [], "n": []}
    assert not again.is_complete("top")


def test_many_ways_through_many_levels_are_each_told_once(catalog: ViewCatalog) -> None:
    catalog.metastore.create_row(
        plain("web.l0", "SELECT page AS x, page AS y FROM web.clicks", ("x", "int"), ("y", "int"))
    )
    for level in range(1, 25):
        text = f"SELECT x + y AS x, x - y AS y FROM web.l{level - 1}"
        catalog.metastore.create_row(plain(f"web.l{level}", text, ("x", "int"), ("y", "int")))
    lineage = catalog.lineage("web.l24")
    assert base(lineage) == {"x": ["web.clicks.page"], "y": ["web.clicks.page"]}
    assert len([*lineage.lines()]) < 200


def test_a_table_and_a_missing_view_have_none(catalog: ViewCatalog) -> None:
    with pytest.raises(NoSuchIcebergViewError, match="is a table"):
        catalog.lineage("web.clicks")
    with pytest.raises(NoSuchViewError):
        catalog.lineage("sales.nothing")


def test_a_copy_of_a_view_says_how_to_ask(catalog: ViewCatalog) -> None:
    copy = pickle.loads(pickle.dumps(catalog.load_view("sales.weekly")))
    with pytest.raises(UnsupportedFeatureError, match=r"catalog\.lineage"):
        copy.lineage()
    made = catalog.create_view("sales.new", sql={"hive": "SELECT page FROM web.clicks"}, schema=[("page", "string")])
    assert base(made.lineage()) == {"page": ["web.clicks.page"]}


def test_a_lineage_is_shown_sent_and_has_a_document(catalog: ViewCatalog) -> None:
    lineage = catalog.lineage("sales.weekly", "top")
    assert pickle.loads(pickle.dumps(lineage)) == lineage
    document = lineage.document()
    assert document["columns"] == [
        {"name": "top", "sources": ["sales.daily.p"], "base": ["web.clicks.page"], "is_complete": True}
    ]
    assert {"column": "web.clicks.user_id", "clauses": ["WHERE"]} in document["filters"]
    assert "web.clicks.page" in lineage._repr_html_()
