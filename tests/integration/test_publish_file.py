"""``hive-views publish --file`` as a process, on the embedded metastore."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.integration.conftest import Run
from tests.support.tables.daily_views import DAYS, make_clicks, make_daily_view

NAMES = [f"ds={day}" for day in DAYS]


@pytest.fixture
def file(catalog: ViewCatalog, namespace: str, tmp_path: Path) -> Path:
    """Publications of a view that depends on the next one, of that one, and of a view that is not there."""
    clicks = make_clicks(catalog.metastore, namespace, tmp_path)
    for view in ("daily", "waiting"):
        make_daily_view(catalog, f"{namespace}.{view}", clicks)
    file = tmp_path / "publications.toml"
    file.write_text(
        f"""
[[publication]]
view = "{namespace}.waiting"
rules = ["requires('{clicks}', ds=column('ds')) & requires('{namespace}.daily', ds=column('ds'))"]
partitions = ["ds={DAYS[2]}", "ds=2026-08-23"]

[[publication]]
view = "{namespace}.daily"
rules = ["requires('{clicks}', ds=column('ds'))"]
since = "ds={DAYS[1]}"
parameters = {{ team = "web" }}

[[publication]]
name = "gone"
view = "{namespace}.gone"
rules = ["requires('{clicks}', ds=column('ds'))"]
"""
    )
    return file


def test_one_that_fails_does_not_stop_the_others_and_the_command_ends_with_1(
    run: Run, catalog: ViewCatalog, namespace: str, file: Path
) -> None:
    ended = run("publish", "--file", str(file), "--output", "json", "--fail-if-waiting")
    assert ended.code == 1
    assert catalog.partitions(f"{namespace}.daily").names() == NAMES[1:]
    # The first depends on what the second declares.
    assert catalog.partitions(f"{namespace}.waiting").names() == NAMES[2:]
    [(_, daily)] = catalog.partitions(f"{namespace}.daily").load(NAMES[1:2])
    assert daily.parameters["team"] == "web"


def test_the_report_has_the_outcome_of_each_publication(run: Run, namespace: str, file: Path) -> None:
    ended = run("publish", "--file", str(file))
    assert "3 publications: 2 published, 1 failed." in ended.out
    assert f"There is no view {namespace}.gone." in ended.out
    assert "ds=2026-08-23: " in ended.out


def test_what_waits_alone_ends_with_6_where_that_is_asked_for(run: Run, namespace: str, file: Path) -> None:
    both = ("publish", "--file", str(file), "--only", f"{namespace}.daily", "--only", f"{namespace}.waiting")
    waiting = run(*both, "--fail-if-waiting", "--output", "json")
    assert waiting.code == 6
    assert [one["state"] for one in waiting.document["publications"]] == ["published", "published"]
    again = run(*both, "--output", "json")
    assert again.code == 0
    assert again.document["states"] == {"current": 1, "waiting": 1}


def test_a_version_without_an_application_is_a_mistake_in_the_call(run: Run, file: Path) -> None:
    ended = run("publish", "--file", str(file), "--run-version", "7")
    assert ended.code == 2
    assert "requires --app-id, or app_id in the file" in ended.err


def test_a_dry_run_declares_nothing(run: Run, catalog: ViewCatalog, namespace: str, file: Path) -> None:
    ended = run("publish", "--file", str(file), "--only", f"{namespace}.daily", "--dry-run", "--output", "json")
    assert ended.document["states"] == {"ready": 1}
    assert ended.document["publications"][0]["added"] == NAMES[1:]
    assert catalog.partitions(f"{namespace}.daily").names() == []


def test_a_run_with_a_version_happens_once(run: Run, namespace: str, file: Path) -> None:
    call = ("publish", "--file", str(file), "--only", f"{namespace}.daily", "--app-id", "nightly", "--run-version")
    states = [run(*call, version, "--output", "json") for version in ("7", "7", "6")]
    assert [ended.code for ended in states] == [0, 0, 1]
    assert [ended.document["states"] for ended in states[:2]] == [{"published": 1}, {"skipped": 1}]
    assert "run 7 has begun" in states[2].out


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ("sinse = 'ds=1'", "publication 4 (a.b): there is no key 'sinse'. Did you mean 'since'?"),
        ("since = 1", "publication 4 (a.b), key since"),
        (
            "run_version = 3",
            "Publication 4 (a.b): An application name and a run version must be given together. Give both app_id",
        ),
    ],
)
def test_a_file_with_a_mistake_declares_nothing_at_all(
    run: Run, catalog: ViewCatalog, namespace: str, file: Path, wrong: str, expected: str
) -> None:
    with file.open("a") as end:
        end.write(f"\n[[publication]]\nview = 'a.b'\nrules = [\"requires('a.c', ds=column('ds'))\"]\n{wrong}\n")
    ended = run("publish", "--file", str(file))
    assert ended.code == 2
    assert expected in ended.err
    assert catalog.partitions(f"{namespace}.daily").names() == []


def test_what_was_published_is_revalidated_by_the_file_and_by_the_view_alone(
    run: Run, catalog: ViewCatalog, namespace: str, file: Path
) -> None:
    only = ("--only", f"{namespace}.daily")
    assert run("publish", "--file", str(file), *only).code == 0
    catalog.metastore.drop_partitions(TableIdentifier(namespace, "clicks"), [f"ds={DAYS[2]}"], if_exists=False)
    by_file = run("revalidate", "--file", str(file), *only, "--output", "json")
    [found] = by_file.document["publications"]
    assert (by_file.code, found["publication"]) == (0, f"{namespace}.daily")
    assert list(found["partitions"]) == NAMES[1:]
    by_view = run("revalidate", f"{namespace}.daily", "--output", "json").document
    assert by_view["partitions"] == found["partitions"]
    assert run("revalidate", f"{namespace}.daily", "--fail-if-changed").code == 6
    assert run("revalidate", "--file", str(file), *only, "--fail-if-changed").code == 6
    every = run("revalidate", "--file", str(file))
    assert every.code == 1, "the view of one is not there"
    assert f"There is no view {namespace}.gone." in every.out
    assert f"{namespace}.daily: " in every.out


def test_status_has_a_line_for_each_publication_with_the_failures_first(
    run: Run, catalog: ViewCatalog, namespace: str, file: Path
) -> None:
    assert "No publications: none of these views was ever published." in run("status", "--namespace", namespace).out
    run("publish", "--file", str(file))
    call = ("status", "--namespace", namespace, "--output", "json")
    ended = run(*call)
    assert ended.code == 0
    assert [(one["identifier"], one["last_published"]) for one in ended.document["publications"]] == [
        (f"{namespace}.daily", NAMES[-1]),
        (f"{namespace}.waiting", NAMES[-1]),
    ]
    catalog.drop_view(f"{namespace}.daily")
    ended = run("status", "--namespace", namespace)
    assert ended.code == 1
    # Below are the days of the only publication.
    headings, failed, *_ = ended.out.splitlines()
    assert headings.split() == ["PUBLICATION", "STATE", "LAST", "PUBLISHED", "READY", "WAITING", "LATE", "WHY"]
    assert failed.startswith(f"{namespace}.waiting ")
    assert "failed" in failed
    assert f"{namespace}.daily" in failed
    assert run("status", "--namespace", "gonne").code == 3


def test_two_publications_of_one_view_that_contradict_each_other_declare_nothing(
    run: Run, catalog: ViewCatalog, namespace: str, file: Path
) -> None:
    with file.open("a") as end:
        rule = f"requires('{namespace}.clicks', ds=column('ds'))"
        end.write(f"\n[[publication]]\nname = 'x'\nview = '{namespace}.daily'\nrules = [\"{rule}\"]")
    ended = run("publish", "--file", str(file))
    assert ended.code == 2
    assert "Publications 2 and 4 both publish" in ended.err
    assert catalog.partitions(f"{namespace}.daily").names() == []


def test_a_file_that_asks_for_what_only_spark_reports_declares_nothing(
    run: Run, catalog: ViewCatalog, namespace: str, file: Path
) -> None:
    file.write_text(f"[defaults]\nrecord_reads = true\n{file.read_text()}")
    ended = run("publish", "--file", str(file))
    assert ended.code == 1
    assert "has record_reads" in ended.err
    assert "as a Spark job" in ended.err
    assert catalog.partitions(f"{namespace}.daily").names() == []


def test_a_publication_that_is_not_in_the_file_is_no_choice(run: Run, file: Path) -> None:
    ended = run("publish", "--file", str(file), "--only", "gonne")
    assert ended.code == 2
    assert "There is no publication 'gonne'. Did you mean 'gone'?" in ended.err


def test_a_backfill_runs_one_publication_of_the_file_or_by_the_record_for_the_partitions_it_is_given(
    run: Run, catalog: ViewCatalog, namespace: str, file: Path
) -> None:
    view = f"{namespace}.daily"
    one_day = ("--partition", NAMES[0])
    assert "--only with the name of a single publication" in run("publish", "--file", str(file), *one_day).err
    by_file = run("publish", "--file", str(file), "--only", view, *one_day, "--output", "json")
    assert by_file.document["publications"][0]["added"] == NAMES[:1]
    # Since the day that the file says, which the backfill has recorded.
    assert run("publish", view, "--output", "json").document["added"] == NAMES[1:]
    given = run("publish", f"{namespace}.waiting")
    assert (given.code, "Give them with --require" in given.err) == (2, True)
