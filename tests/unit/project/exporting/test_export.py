"""Views are written as files that are read back as what they are, and nothing of an author's is lost."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive_views.errors import AlreadyExistsError, InvalidInputError, NoSuchViewError
from hive_views.estate import adopt
from hive_views.estate.each.outcomes import Outcomes, State
from hive_views.hive.row import POINTER
from hive_views.metastore.memory import MemoryMetastore
from hive_views.project import export, read_project
from hive_views.project.planning.make_plan import plan
from hive_views.spec.metadata import SQLViewRepresentation
from hive_views.sql.query import QueryText
from hive_views.views.catalog import ViewCatalog
from tests.support.plain_rows import fill, plain_views
from tests.support.views import rich_catalog
from tests.support.views.projects import clicks_table
from tests.support.views.quick_catalog import catalog_on
from tests.unit.project.directory.projects import write_project


@pytest.fixture
def catalog() -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore())
    catalog.create_namespace("web")
    catalog.create_view(
        "web.clicks", sql={"hive": "SELECT 1 AS a, '2026' AS ds"}, schema=[("a", "int"), ("ds", "string")]
    )
    catalog.create_view(
        "sales.daily", sql={"hive": "SELECT a, ds FROM web.clicks"}, schema=[("a", "int"), ("ds", "string")]
    )
    return catalog


def states(outcomes: Outcomes) -> dict[str, State]:
    return {one.view: one.state for one in outcomes}


def test_a_view_is_the_statement_that_a_person_would_have_written(catalog: ViewCatalog, tmp_path: Path) -> None:
    text = "SELECT a AS clicks, -- how many\n       ds\nFROM web.clicks"
    catalog.create_view(
        "sales.rich",
        sql={"hive": f"  {text} ;", "trino": "SELECT 1, ds FROM web.clicks -- of Trino's"},
        schema=[("clicks", "bigint", "who's"), ("ds", "string")],
        partitioned_on=["ds"],
        comment="clicks",
        properties={"team": "search", "contact": "ann"},
    )
    outcomes = export(catalog, tmp_path / "my views")
    assert states(outcomes) == dict.fromkeys(("sales.daily", "sales.rich", "web.clicks"), State.DONE)
    assert outcomes[1].details == {"file": "sales/rich.sql"}
    assert (tmp_path / "my views" / "project.toml").read_text() == 'name = "my_views"\n'
    assert (tmp_path / "my views" / "sales" / "daily.sql").read_text() == (
        "CREATE OR REPLACE VIEW daily\nAS\nSELECT a, ds FROM web.clicks;\n"
    )
    assert (tmp_path / "my views" / "sales" / "rich.sql").read_text() == (
        "CREATE OR REPLACE VIEW rich (\n  clicks BIGINT COMMENT 'who\\'s',\n  ds\n)\nCOMMENT 'clicks'\n"
        "PARTITIONED ON (ds)\nTBLPROPERTIES (\n  'contact' = 'ann',\n  'team' = 'search'\n)\n"
        f"AS\n{text}\nDIALECT trino AS\nSELECT 1, ds FROM web.clicks;\n"
    )
    assert not (tmp_path / "my views" / "publications.toml").exists()
    made = plan(catalog, tmp_path / "my views")
    assert (made.steps, made.errors) == ((), ())


def test_what_is_exported_again_stays_as_it_is(catalog: ViewCatalog, tmp_path: Path) -> None:
    export(catalog, tmp_path)
    ours = "-- Ann's: never touch\ncreate view Daily as select a, ds from web.clicks"
    write_project(tmp_path, {"sales/daily.sql": ours.replace("select a, ds from", "SELECT a, ds FROM")}, None)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*.*")}
    outcomes = export(catalog, tmp_path, force=True)
    assert states(outcomes) == dict.fromkeys(("sales.daily", "web.clicks"), State.UNCHANGED)
    assert {file: file.read_bytes() for file in tmp_path.rglob("*.*")} == before


def test_a_file_that_says_something_else_is_replaced_only_by_force(catalog: ViewCatalog, tmp_path: Path) -> None:
    write_project(tmp_path, {"sales/daily.sql": "CREATE VIEW daily AS SELECT 1 AS a, ds FROM web.clicks"})
    [failed, _] = export(catalog, tmp_path)
    assert (failed.state, failed.error_type) == (State.FAILED, "AlreadyExistsError")
    assert "daily.sql says something else of sales.daily than the metastore." in (failed.reason or "")
    assert failed.error is not None
    assert "--force replaces the file" in failed.error.shell_message
    assert (tmp_path / "web" / "clicks.sql").exists()
    assert states(export(catalog, tmp_path, force=True, dry_run=True))["sales.daily"] is State.PLANNED
    assert "SELECT 1" in (tmp_path / "sales" / "daily.sql").read_text()
    assert states(export(catalog, tmp_path, force=True))["sales.daily"] is State.DONE
    assert "SELECT a, ds" in (tmp_path / "sales" / "daily.sql").read_text()
    assert sorted(path.name for path in (tmp_path / "sales").iterdir()) == ["daily.sql"]


@pytest.mark.parametrize("text", ["CREATE VIEW daily AS SELEC", "", "CREATE VIEW web.other AS SELECT 1 AS a"])
def test_a_file_in_the_way_is_not_overwritten(catalog: ViewCatalog, tmp_path: Path, text: str) -> None:
    write_project(tmp_path, {"sales/daily.sql": text})
    assert states(export(catalog, tmp_path))["sales.daily"] is State.FAILED
    assert (tmp_path / "sales" / "daily.sql").read_text() == text


def test_a_file_with_variables_is_never_replaced_and_stays_if_it_says_the_same(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    settings_ = 'name = "x"\n[variables]\nns = "sales"\n'
    same = "CREATE VIEW ${ns}.daily AS SELECT a, ds FROM web.clicks"
    write_project(tmp_path, {"of_env/daily.sql": same}, settings_)
    assert states(export(catalog, tmp_path, "sales.*", force=True)) == {"sales.daily": State.UNCHANGED}
    of_test = settings_.replace('"sales"', '"test"')
    (tmp_path / "project.toml").write_text(of_test)
    given = {"ns": "sales"}
    assert states(export(catalog, tmp_path, "sales.*", variables=given)) == {"sales.daily": State.UNCHANGED}
    with pytest.raises(InvalidInputError, match="declares no variable 'nn'"):
        export(catalog, tmp_path, variables={"nn": "sales"})
    write_project(tmp_path, {"of_env/daily.sql": same.replace("a, ds", "ds")}, settings_)
    [failed] = export(catalog, tmp_path, "sales.daily", force=True)
    assert "has variables: change it by hand" in (failed.reason or "")
    assert not (tmp_path / "sales").exists()


def test_another_view_in_the_file_is_not_overwritten_even_by_force(catalog: ViewCatalog, tmp_path: Path) -> None:
    write_project(tmp_path, {"sales/daily.sql": "CREATE VIEW web.other AS SELECT 1 AS a"})
    [failed] = export(catalog, tmp_path, "sales.daily", force=True)
    assert "daily.sql defines web.other: rename that file." in (failed.reason or "")


def test_links_are_not_written_through(catalog: ViewCatalog, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    write_project(tmp_path / "project", {})
    (tmp_path / "project" / "sales").symlink_to(tmp_path / "elsewhere")
    [failed] = export(catalog, tmp_path / "project", "sales.daily", force=True)
    assert "symbolic link" in (failed.reason or "")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_looks_like_a_variable_is_escaped(catalog: ViewCatalog, tmp_path: Path) -> None:
    text = "SELECT '${name} $${name} ${hivevar:x} $${1}' AS a, ds FROM web.clicks"
    catalog.alter_view("sales.daily", sql={"hive": text.replace("AS a", "AS a")})
    export(catalog, tmp_path, "sales.daily")
    assert "'$${name} $$${name} ${hivevar:x} $$${1}'" in (tmp_path / "sales" / "daily.sql").read_text()
    project, errors = read_project(tmp_path)
    assert errors == ()
    assert project.definitions["sales.daily"].texts == {"hive": text}


def test_names_that_resolve_elsewhere_have_a_use(catalog: ViewCatalog, tmp_path: Path) -> None:
    sql = {"spark": "SELECT a FROM clicks"}
    catalog.create_view("sales.bare", sql=sql, schema=[("a", "int")], default_namespace="web")
    catalog.create_view(
        "sales.full", sql={"spark": "SELECT a FROM web.clicks"}, schema=[("a", "int")], default_namespace="web"
    )
    export(catalog, tmp_path)
    assert (tmp_path / "sales" / "bare.sql").read_text() == (
        "USE web;\n\nCREATE OR REPLACE VIEW sales.bare\nDIALECT spark AS\nSELECT a FROM clicks;\n"
    )
    assert "USE" not in (tmp_path / "sales" / "full.sql").read_text()
    assert plan(catalog, tmp_path).steps == ()


def test_one_of_everything(tmp_path: Path) -> None:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=f"file://{tmp_path}/warehouse")
    rich_catalog.fill(catalog)
    seen: list[str] = []
    outcomes = export(catalog, tmp_path / "views", on_outcome=lambda one, _, __: seen.append(one.view))
    assert seen == [one.view for one in outcomes]
    by_state = {state: {one.view for one in outcomes.of(state)} for state in State if outcomes.of(state)}
    assert by_state == {
        State.DONE: {
            "sales.daily",
            "sales.weekly",
            "sales.revenue",
            "sales.hostile",
            "staging.clicks",
            "staging.users",
        },
        State.LEFT: {"staging.orders"},
        State.FAILED: {"sales.drifted", "sales.without_file", "sales.pointer_lost"},
    }
    [left] = outcomes.of(State.LEFT)
    assert left.error is not None
    assert "`hive-views adopt staging.orders`" in left.error.shell_message
    assert "behind its metadata file" in {one.view: one.reason or "" for one in outcomes}["sales.drifted"]
    made = plan(catalog, tmp_path / "views")
    assert (made.steps, made.errors) == ((), ())


@pytest.mark.parametrize("maker", ["hive-4.0.1", "spark-4.1.4", "trino-476"])
def test_adopted_views_of_each_engine_are_exported(tmp_path: Path, maker: str) -> None:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=f"file://{tmp_path}/warehouse")
    fill(catalog.metastore, plain_views(maker))
    adopted = {one.view for one in adopt(catalog, "plain_views.*").of(State.DONE)}
    outcomes = export(catalog, tmp_path / "views")
    # What only Spark 4 reads, no statement here can say.
    unreadable = {"plain_views.pipes"} & adopted
    assert {one.view for one in outcomes.of(State.DONE)} == adopted - unreadable
    assert {one.view for one in outcomes.failed} == unreadable
    made = plan(catalog, tmp_path / "views")
    assert (made.steps, made.errors) == ((), ())
    assert all("owner" not in file.read_text() for file in tmp_path.glob("views/*/*.sql"))


def test_the_database_of_a_hive_view_is_that_in_which_hive_found_its_tables(tmp_path: Path) -> None:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=f"file://{tmp_path}/warehouse")
    fill(catalog.metastore, plain_views("hive-4.0.1"))
    adopt(catalog, "plain_views.unqualified")
    export(catalog, tmp_path / "views", "plain_views.unqualified")
    assert (tmp_path / "views" / "plain_views" / "unqualified.sql").read_text() == (
        "USE plain_lake;\n\nCREATE OR REPLACE VIEW plain_views.unqualified\nAS\n"
        "SELECT clicks.user_id, name FROM clicks, users;\n"
    )


def test_rows_are_read_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = catalog_on(MemoryMetastore())
    for number in range(105):
        columns = [("a", "int"), ("b", "int")]
        catalog.create_view(f"sales.v{number}", sql={"hive": f"SELECT {number} AS a, 1 + 1"}, schema=columns)
    calls = Counter[str]()

    def counted(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def counting(*arguments: object) -> object:
            calls[name] += 1
            return call(*arguments)

        return counting

    for name in ("load_row", "load_rows", "list_view_names", "list_namespaces", "load_namespace", "list_table_names"):
        monkeypatch.setattr(catalog.metastore, name, counted(name, getattr(catalog.metastore, name)))
    outcomes = export(catalog, tmp_path, "sales.*")
    assert states(outcomes) == {f"sales.v{number}": State.DONE for number in range(105)}
    assert (calls["load_row"], calls["load_rows"]) == (0, 2)
    assert calls.total() <= 6


def test_a_project_that_cannot_be_read_is_mended_first(catalog: ViewCatalog, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"project\.toml cannot be used: project\.toml:1:8: It is not TOML"):
        export(catalog, write_project(tmp_path / "a", {}, "name = \n"))
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInputError, match="is a file"):
        export(catalog, tmp_path / "file")
    with pytest.raises(NoSuchViewError):
        export(catalog, tmp_path / "b", "sales.nothing")
    assert not (tmp_path / "b").exists()


def test_without_views_there_is_nothing_to_export(tmp_path: Path) -> None:
    assert export(catalog_on(MemoryMetastore()), tmp_path / "b").summary() == "There was nothing to be exported."


def test_a_file_of_another_is_not_overwritten_in_a_race(
    catalog: ViewCatalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.link

    def link(source: str, target: str, **more: object) -> None:
        Path(target).write_text("theirs")
        real(source, target)

    monkeypatch.setattr(os, "link", link)
    write_project(tmp_path, {})
    [failed] = export(catalog, tmp_path, "sales.daily")
    assert isinstance(failed.error, AlreadyExistsError)
    assert (tmp_path / "sales" / "daily.sql").read_text() == "theirs"
    assert sorted(path.name for path in (tmp_path / "sales").iterdir()) == ["daily.sql"]


ANY_TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00") | st.sampled_from("'\"\\`$${}\n;-/*"),
    max_size=12,
)
TEXTS = {
    "hive": [
        "SELECT a, ds FROM clicks",
        "SELECT a, ds FROM web.clicks -- x",
        "  SELECT '${a};' AS a, ds FROM web.clicks ;",
    ],
    "spark": ["SELECT a, ds\r\nFROM clicks", "SELECT /* AS */ `a`, ds FROM web.clicks"],
    "trino": ['SELECT "a", ds FROM clicks', "SELECT a, '$${x}' AS dialect FROM web.clicks"],
    "acme": ["READ clicks AS OF 1; -- in no dialect that is known here", "$ { DIALECT }"],
}


@st.composite
def views(draw: st.DrawFn) -> Iterator[dict[str, object]]:
    first = draw(st.sampled_from(["hive", "spark"]))
    others = draw(st.sets(st.sampled_from(sorted({*TEXTS} - {first}))))
    texts = {one: draw(st.sampled_from(TEXTS[one])) for one in (first, *others)}
    targets = ["hive", "trino"] if "${" in texts[first] else ["hive", "spark", "trino"]  # Spark puts a value there
    translated = draw(st.sets(st.sampled_from(targets))) - texts.keys()
    return {  # type: ignore[return-value]
        "translate": dict.fromkeys(translated, first),
        "allow": {one: draw(st.sets(st.sampled_from(["null-order", "session-settings"]))) for one in translated},
        "sql": {f"other:{one}" if one == "acme" else one: text for one, text in texts.items()},
        "schema": [(name, "string", draw(st.none() | ANY_TEXT)) for name in ("a", "ds")],
        "partitioned_on": draw(st.sampled_from([[], ["ds"]])),
        "comment": draw(st.none() | ANY_TEXT),
        "properties": draw(st.dictionaries(ANY_TEXT.map(lambda text: f"k{text}"), ANY_TEXT, max_size=3)),
        "default_namespace": draw(st.sampled_from(["sales", "web"])),
    }


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(st.sampled_from(["sales.v", "web.w", "sales.`select`", "sales.`9`"]), views(), min_size=1))
def test_whatever_a_view_is_its_file_is_read_back_as_that(
    tmp_path_factory: pytest.TempPathFactory, made: dict[str, dict[str, object]]
) -> None:
    catalog = catalog_on(MemoryMetastore())
    for namespace in ("web", "sales"):
        catalog.create_namespace(namespace, if_not_exists=True)
        if any(given["translate"] for given in made.values()):
            clicks_table(catalog.metastore, ("a", "string"), ("ds", "string"), name=f"{namespace}.clicks")
    for name, view in made.items():
        catalog.create_view(name, **view)  # type: ignore[arg-type]
    directory = tmp_path_factory.mktemp("project")
    outcomes = export(catalog, directory)
    assert [one.reason for one in outcomes.failed] == []
    project, errors = read_project(directory)
    assert errors == ()
    for name in made:
        view = catalog.load_view(name)
        read = project.definitions[str(view.identifier)]
        assert {*read.texts, *read.translations} == set(view.dialects)
        assert {one: (said.source, said.allow) for one, said in read.translations.items()} == {
            one: (record.source, record.allow) for one, record in view.translations.items()
        }
        for dialect, text in read.texts.items():
            assert isinstance(text, QueryText)
            assert text in view.original_sql(dialect)
        assert dict(read.properties) == {key: value for key, value in view.properties.items() if key != "comment"}
        assert (read.comment or None, read.partitioned_on) == (view.comment or None, view.partitioned_on)
    again = plan(catalog, directory)
    assert (again.steps, again.errors) == ((), ())
    assert {one.state for one in export(catalog, directory)} == {State.UNCHANGED}


def by_another_writer(catalog: ViewCatalog, name: str, **version: Any) -> None:
    """A view whose file says this of its version, as other writers may put it."""
    created = catalog.create_view(name, sql={"spark": "SELECT a FROM web.clicks"}, schema=[("a", "int")])
    metadata = created.metadata
    changed = metadata.current_version.model_copy(update=version)
    location = created.metadata_location.replace("/00000-", "/00001-")
    catalog.storage.write(location, metadata.model_copy(update={"versions": (changed,)}))
    parameters = {**created.row.parameters, POINTER: location}
    catalog.metastore.swap_row(replace(created.row, parameters=parameters), expected=None)


def test_a_view_that_no_file_can_say_fails_alone(catalog: ViewCatalog, tmp_path: Path) -> None:
    def text(dialect: str) -> SQLViewRepresentation:
        return SQLViewRepresentation(sql="SELECT a FROM web.clicks", dialect=dialect)

    by_another_writer(catalog, "sales.in_ice", default_catalog="ice")
    by_another_writer(catalog, "sales.nothing", representations=())
    by_another_writer(catalog, "sales.odd", representations=(text("spark"), text("no dialect!")))
    reasons = {one.view: one.reason or "" for one in export(catalog, tmp_path).failed}
    assert set(reasons) == {"sales.in_ice", "sales.nothing", "sales.odd"}
    assert {path.stem for path in tmp_path.glob("*/*.sql")} == {"daily", "clicks"}


def test_what_is_part_of_a_view_and_not_of_its_file_is_told(catalog: ViewCatalog, tmp_path: Path) -> None:
    catalog.create_view(
        "sales.two",
        sql={"hive": "SELECT a FROM web.clicks", "trino": "SELECT a FROM web.clicks"},
        schema=[("a", "int")],
    )
    catalog.alter_view("sales.two", sql={"hive": "SELECT a + 1 AS a FROM web.clicks"})
    [one] = export(catalog, tmp_path, "sales.two")
    assert (one.state, one.reason) == (State.DONE, "Its SQL in trino is stale.")
