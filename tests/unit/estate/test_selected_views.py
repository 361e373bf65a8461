"""Views are selected by names and patterns, and a verb goes on after one that fails."""

from __future__ import annotations

import threading

import pytest
from click.testing import CliRunner

from hive_views import ViewCatalog
from hive_views.cli import cli
from hive_views.errors import (
    Answer,
    BrokenViewError,
    HiveViewsError,
    InvalidInputError,
    MetastoreUnavailableError,
    NoSuchNamespaceError,
    NoSuchViewError,
)
from hive_views.estate.each.outcomes import Outcome, Outcomes, State, each, ignore
from hive_views.estate.each.selection import ALL_VIEWS, select_rows
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from tests.support.views.quick_catalog import catalog_on


@pytest.fixture
def metastore() -> Metastore:
    metastore = MemoryMetastore()
    catalog = catalog_on(metastore)
    catalog.create_namespace("web")
    for name in ("sales.daily", "sales.weekly", "web.daily", "web.clicks"):
        catalog.create_view(name, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    return metastore


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["sales.daily"], ["sales.daily"]),
        (["sales.*"], ["sales.daily", "sales.weekly"]),
        (["*.daily"], ["sales.daily", "web.daily"]),
        (["sales.[dw]*", "web.click?"], ["sales.daily", "sales.weekly", "web.clicks"]),
        (["sales.*", "sales.daily"], ["sales.daily", "sales.weekly"]),
        (["SALES.Daily", "w*.*"], ["sales.daily", "web.clicks", "web.daily"]),
        ([ALL_VIEWS], ["sales.daily", "sales.weekly", "web.clicks", "web.daily"]),
    ],
)
def test_names_and_patterns_select_views(metastore: Metastore, patterns: list[str], found: list[str]) -> None:
    assert [str(row.identifier) for row in select_rows(metastore, patterns)] == found


def test_an_unknown_name_is_refused_with_the_nearest(metastore: Metastore) -> None:
    with pytest.raises(NoSuchViewError, match=r"sales\.dayly\. Did you mean 'sales\.daily'\?"):
        select_rows(metastore, ["web.*", "sales.dayly"])


@pytest.mark.parametrize("pattern", ["sales.x*", "*.nothing", "sal*.monthly"])
def test_a_pattern_that_matches_nothing_is_refused(metastore: Metastore, pattern: str) -> None:
    with pytest.raises(NoSuchViewError):
        select_rows(metastore, [pattern])


def test_a_namespace_that_is_missing_is_refused(metastore: Metastore) -> None:
    with pytest.raises(NoSuchNamespaceError):
        select_rows(metastore, ["nowhere.*"])


def test_an_empty_namespace_has_no_view_of_a_pattern(metastore: Metastore) -> None:
    metastore.create_namespace("empty")
    with pytest.raises(NoSuchViewError):
        select_rows(metastore, ["empty.*"])


def test_a_namespace_alone_is_no_pattern_and_the_error_says_what_is(metastore: Metastore) -> None:
    with pytest.raises(InvalidInputError, match=r"All views of a namespace are 'sales\.\*'") as error:
        select_rows(metastore, ["sales"])
    assert str(error.value).endswith("All views of a namespace are 'sales.*'.")


@pytest.mark.parametrize("patterns", [[], ["sales"], ["*"], ["a.*.c"], [".*"]])
def test_what_is_no_pattern_is_refused(metastore: Metastore, patterns: list[str]) -> None:
    with pytest.raises(InvalidInputError):
        select_rows(metastore, patterns)


def test_a_view_that_fails_does_not_stop_the_others() -> None:
    def do(name: str) -> Outcome:
        if name == "b":
            raise NoSuchViewError("There is no view b.")
        return Outcome(name, State.DONE)

    outcomes = Outcomes("adopted", each(["a", "b", "c"], str, do, ignore))
    assert [one.state for one in outcomes] == [State.DONE, State.FAILED, State.DONE]
    assert outcomes.summary() == "3 views: 2 adopted, 1 failed (NoSuchViewError)."
    assert [one.view for one in outcomes.failed] == ["b"]


def test_where_the_metastore_is_gone_the_rest_is_not_tried() -> None:
    def do(name: str) -> Outcome:
        raise MetastoreUnavailableError("No answer.")

    outcomes = each(["a", "b"], str, do, ignore)
    assert [one.state for one in outcomes] == [State.FAILED, State.NOT_TRIED]
    assert outcomes[1].document()["state"] == "not_tried"
    assert Outcomes("adopted", outcomes).summary() == "2 views: 1 failed (MetastoreUnavailableError), 1 not tried."


def many_outcomes() -> Outcomes:
    broken = [
        BrokenViewError(f"View sales.b{n} is broken: file:///wh/sales.db/b{n}/0.json is empty.") for n in range(12)
    ]
    return Outcomes(
        "adopted",
        (
            Outcome("sales.gone", State.FAILED, "There is no view sales.gone.", NoSuchViewError("There is none.")),
            *(Outcome(f"sales.b{n}", State.FAILED, str(error), error) for n, error in enumerate(broken)),
            *(Outcome(f"sales.v{n}", State.DONE) for n in range(5_000)),
            Outcome("sales.t", State.LEFT, "sales.t is a table."),
            *(Outcome(f"sales.b{n}x", State.FAILED, str(broken[0]), broken[0]) for n in range(3)),
        ),
    )


def test_many_outcomes_that_are_alike_are_one_and_failed_ones_are_last() -> None:
    told = [(len(alike), alike[0].view, alike[0].state) for alike in many_outcomes().alike()]
    assert told == [
        (5_000, "sales.v0", State.DONE),
        (1, "sales.t", State.LEFT),
        (1, "sales.gone", State.FAILED),
        # What is said of them is about another view.
        (1, "sales.b0x", State.FAILED),
        (1, "sales.b1x", State.FAILED),
        (1, "sales.b2x", State.FAILED),
        (12, "sales.b0", State.FAILED),
    ]


def test_failures_are_counted_by_their_error_and_json_has_each() -> None:
    outcomes = many_outcomes()
    assert outcomes.summary() == (
        "5,017 views: 5,000 adopted, 1 left, 16 failed (15 BrokenViewError, 1 NoSuchViewError)."
    )
    document = outcomes.document()
    assert document["errors"] == {"BrokenViewError": 15, "NoSuchViewError": 1}
    assert [one["identifier"] for one in document["views"]] == [one.view for one in outcomes]


def test_a_notebook_shows_what_failed_first() -> None:
    html = many_outcomes()._repr_html_()
    assert html.index("sales.gone") < html.index("and 4,990 more")
    assert "more</p>" not in html


@pytest.mark.parametrize(
    ("state", "dry_run", "summary"),
    [
        (State.DONE, False, "1 view: 1 copied."),
        (State.PLANNED, True, "1 view: 1 would be copied."),
        (State.LEFT, False, "1 view: 1 left."),
    ],
)
def test_one_view_is_no_plural(state: State, dry_run: bool, summary: str) -> None:
    assert Outcomes("copied", (Outcome("sales.daily", state),), dry_run).summary() == summary


def test_json_names_a_view_as_all_commands_do() -> None:
    assert Outcome("sales.daily", State.DONE).document()["identifier"] == "sales.daily"


def test_views_that_are_written_at_once_are_told_in_their_order_and_not_tried_once_the_metastore_is_gone() -> None:
    together, tried = threading.Barrier(3), list[str]()

    def do(name: str) -> Outcome:
        tried.append(name)
        if name in "abc":
            # None of them gets on alone.
            together.wait(60)
            return Outcome(name, State.DONE)
        raise MetastoreUnavailableError("Refused.", answer=Answer.NOT_SENT)

    outcomes = each("abcdefghij", str, do, ignore, at_once=3)
    assert "".join(one.view for one in outcomes) == "abcdefghij"
    assert {one.state for one in outcomes[:3]} == {State.DONE}
    assert outcomes[3].state is State.FAILED
    assert {one.state for one in outcomes[6:]} == {State.NOT_TRIED}
    assert len(tried) <= 6


def test_one_name_costs_one_call_and_a_namespace_two(metastore: Metastore) -> None:
    calls: list[str] = []

    class Counted:
        def __getattr__(self, name: str) -> object:
            calls.append(name)
            return getattr(metastore, name)

    select_rows(Counted(), ["sales.daily"])  # type: ignore[arg-type]
    select_rows(Counted(), ["sales.*"])  # type: ignore[arg-type]
    assert calls == ["load_rows", "list_view_names", "load_rows"]


def test_a_notebook_shows_outcomes_as_a_table_in_which_nothing_is_markup() -> None:
    found = Outcomes(
        "copied",
        (Outcome("sales.daily", State.DONE), Outcome("sales.weekly", State.FAILED, "<script>x</script>\x1b[31m")),
    )
    html = found._repr_html_()
    assert "<p>2 views: 1 copied, 1 failed.</p>" in html
    assert "<td>&lt;script&gt;x&lt;/script&gt;\\x1b[31m</td></tr>" in html
    assert html.index("sales.weekly") < html.index("sales.daily"), "of many, only the first are shown"


def test_a_metastore_that_answers_with_an_error_fails_one_view_and_the_rest_is_tried() -> None:
    def do(name: str) -> Outcome:
        if name == "first":
            raise MetastoreUnavailableError("The metastore failed on it: Oops.", answer=Answer.FAILED)
        return Outcome(name, State.DONE)

    outcomes = each(["first", "second"], str, do, ignore)
    assert [one.state for one in outcomes] == [State.FAILED, State.DONE]


@pytest.mark.parametrize("command", ["adopt", "hand-back", "clean", "copy", "move"])
def test_a_command_that_does_nothing_without_names_says_so_in_its_usage(command: str) -> None:
    helped = CliRunner().invoke(cli, [command, "--help"])
    assert "{PATTERN... | --namespace NS | --all}" in helped.stdout.splitlines()[0]
    assert CliRunner().invoke(cli, ["--uri", "memory:", command]).exit_code == 2


@pytest.mark.parametrize(
    ("error", "answers", "then"),
    [
        (MetastoreUnavailableError("Timed out."), True, State.DONE),
        (MetastoreUnavailableError("Timed out."), False, State.NOT_TRIED),
        (MetastoreUnavailableError("Refused.", answer=Answer.NOT_SENT), False, State.NOT_TRIED),
    ],
)
def test_a_call_without_an_answer_ends_a_run_only_where_the_metastore_answers_nothing_else(
    error: HiveViewsError, answers: bool, then: State
) -> None:
    asked: list[str] = []

    def on_call(verb: str) -> None:
        asked.append(verb)
        if not answers:
            raise error

    def do(name: str) -> Outcome:
        if name == "slow":
            raise error
        return Outcome(name, State.DONE)

    catalogs = [ViewCatalog(MemoryMetastore()), ViewCatalog(MemoryMetastore(on_call=on_call))]
    outcomes = each(["slow", "b", "c"], str, do, ignore, *catalogs)
    assert [one.state for one in outcomes] == [State.FAILED, then, then]
    assert asked == ["list_namespaces"]
