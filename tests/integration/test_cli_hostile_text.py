"""What others wrote, as commands show it: nothing of it is obeyed by a terminal, and programs get it as it is."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from hive_views import View, ViewCatalog, execute
from hive_views.cli import cli
from hive_views.hive.row import Partition
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.persisted import ROWS
from hive_views.spec.metadata import ViewHistoryEntry, ViewMetadata
from tests.integration.conftest import Run
from tests.support.views.foreign_writers import java_commit

RULE = "requires('VIEW', ds=column('ds'))"

# Writes the clipboard, sets the title, is red by a single C1 character, hides what stands before it, reads backwards,
# and is a link to a program that takes it for markup.
HOSTILE = "\x1b]52;c;cm0gLXJm\x07 \x1b]0;title\x07 \x9b31m hidden\rshown \x7f\u202eltr\u2066 [link=http://evil]x[/link]"
SELECT = f"SELECT user_id, ds FROM web.clicks WHERE page <> '{HOSTILE}'"
OBEYED = re.compile(r"[^\t\n\x20-\x7e\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\U0010ffff]")
LATE_MS = 100_000_000_000_000_000
C1_PARTITION = "ds=\x9b31m"


@pytest.fixture(scope="module")
def metastore_uri(small_metastore_uri: str) -> str:
    return small_metastore_uri


@pytest.fixture(scope="module")
def hms(small_hms: HiveMetastore) -> HiveMetastore:
    return small_hms


@pytest.fixture(scope="module")
def made_view(hms: HiveMetastore, tmp_path_factory: pytest.TempPathFactory) -> View:
    path, namespace = tmp_path_factory.mktemp("hostile"), f"hostile_{uuid.uuid4().hex[:12]}"
    hms.create_namespace(namespace, location=f"file:{path}")
    return make_view(ViewCatalog(hms), namespace)


@pytest.fixture
def view(made_view: View, catalog: ViewCatalog) -> Iterator[View]:
    """The view of this file, which no test changes, whatever a command refuses or would do."""
    yield made_view
    assert catalog.load_view(made_view.identifier).row == made_view.row
    assert catalog.partitions(made_view.identifier).names() == ["ds=2026-08-21", C1_PARTITION]


def make_view(catalog: ViewCatalog, namespace: str) -> View:
    """A view whose every text is hostile: of its author, of an engine that committed to it, and of one that changed its
    row and its partitions.
    """
    made = catalog.create_view(
        f"{namespace}.daily",
        sql={"hive": SELECT, "trino": SELECT},
        schema=[("user_id", "bigint", HOSTILE), ("ds", "string", HOSTILE)],
        partitioned_on=["ds"],
        comment=HOSTILE,
        properties={f"team {HOSTILE}": HOSTILE},
    )
    catalog.replace_view(made.identifier, sql={"hive": f"{SELECT} AND ds > '1'", "trino": SELECT})
    java_commit(catalog.metastore, catalog.storage, made.identifier, _by_a_hostile_engine)
    catalog.repair_view(made.identifier)
    parameters = {"by": HOSTILE, ROWS: "\N{SUPERSCRIPT TWO}"}
    partitions = [Partition(("2026-08-21",), parameters=parameters), Partition(("\x9b31m",))]
    catalog.metastore.add_partitions(made.identifier, partitions, if_not_exists=False)
    row = catalog.metastore.load_row(made.identifier)
    drifted = replace(row, owner=HOSTILE, parameters={**row.parameters, "comment": f"{HOSTILE} drifted"})
    catalog.metastore.swap_row(drifted, expected=None)
    return catalog.load_view(made.identifier)


def _by_a_hostile_engine(base: ViewMetadata) -> ViewMetadata:
    """Also with a timestamp that is no date."""
    summary = {"engine-name": HOSTILE, "engine-version": HOSTILE}
    versions = [one.model_copy(update={"summary": {**one.summary, **summary}}) for one in base.versions]
    log = [*base.version_log, ViewHistoryEntry(timestamp_ms=LATE_MS, version_id=base.current_version_id)]
    return base.model_copy(update={"versions": tuple(versions), "version_log": tuple(log)})


FILE = "file:///no/such/00000-1.metadata.json"
CALLS: dict[str, tuple[str, ...]] = {
    "lineage": ("lineage", "VIEW"),
    "uses": ("uses", "VIEW", "--all"),
    "impact": ("impact", "DROP view VIEW"),
    "apply": ("apply", f"/no/such/{HOSTILE}"),
    "releases": ("releases", f"/no/such/{HOSTILE}"),
    "graph": ("graph", "VIEW"),
    "plan": ("plan", f"/no/such/{HOSTILE}"),
    "translate": ("translate", "-"),
    "translate no file": ("translate", f"/no/such/{HOSTILE}"),
    "validate": ("validate", f"/no/such/{HOSTILE}", "--engine", f"trino://{HOSTILE}"),
    # Of this view alone: the metastore is shared, and others have filled it.
    "list": ("list", "VIEW"),
    "namespaces": ("namespaces", "create", HOSTILE),
    "show": ("show", "VIEW"),
    "sql": ("sql", "VIEW", "--dialect", HOSTILE),
    "history": ("history", "VIEW"),
    "diff": ("diff", "VIEW", "1", "2"),
    "create": ("create", "VIEW.x", "--sql", "hive=-", "--column", "a int", "--dry-run"),
    "create over it": ("create", "VIEW", "--sql", "hive=-", "--column", "a int"),
    "replace": ("replace", "VIEW", "--sql", "hive=-", "--sql", "trino=/dev/null"),
    "alter": ("alter", "VIEW", "--comment", "quiet", "--dry-run", "--on-drift", "adopt"),
    "alter a drifted view": ("--verbose", "alter", "VIEW", "--comment", "quiet"),
    "roll-back": ("roll-back", "VIEW", "--version", "1", "--dry-run", "--on-drift", "overwrite"),
    "tag": ("tag", "VIEW", HOSTILE, "--dry-run", "--on-drift", "overwrite"),
    "rename": ("rename", "VIEW", f"x.{HOSTILE}"),
    "drop": ("drop", "VIEW", "--dry-run", "--purge"),
    "register": ("register", "VIEW", FILE, "--dry-run"),
    "undrop": ("undrop", "VIEW", f"x.{HOSTILE}", "--dry-run"),
    "adopt": ("adopt", "VIEW", "--dry-run"),
    "hand-back": ("hand-back", "VIEW", "--dry-run"),
    "check": ("check", "VIEW"),
    "export": ("export", "hostile project", "VIEW", "--dry-run"),
    "export over a file": ("export", "/dev/null", "VIEW"),
    "copy": ("copy", "VIEW", "--to", HOSTILE, "--dry-run"),
    "move": ("move", "VIEW", "--to", HOSTILE, "--dry-run"),
    "clean": ("clean", "VIEW", "--dry-run"),
    "backup": ("backup", f"/no/such/{HOSTILE}", "VIEW", "--dry-run"),
    "restore": ("restore", f"/no/such/{HOSTILE}", "--dry-run"),
    "report": ("report", f"/no/such/{HOSTILE}", "VIEW"),
    "repair": ("repair", "VIEW", "--on-drift", "adopt", "--dry-run"),
    "repair by nobody": ("repair", "VIEW"),
    "partitions": ("partitions", "list", "VIEW", "--long"),
    "partitions drop": ("partitions", "drop", "VIEW", f"ds={HOSTILE}"),
    "partitions of no partition": ("partitions", "drop", "VIEW", HOSTILE),
    "publish": (
        "publish",
        "VIEW",
        "--require",
        "requires('VIEW', ds=column('ds'))",
        "--partition",
        f"ds={HOSTILE}",
        "--dry-run",
    ),
    "revalidate": ("revalidate", "VIEW", "--require", RULE),
    "status": ("status", "VIEW"),
    "execute": ("execute", "DESCRIBE FORMATTED VIEW"),
    "execute and fail": ("execute", f"SHOW TBLPROPERTIES VIEW ('{HOSTILE}')"),
    "execute what is no SQL": ("execute", f"SHOW {HOSTILE}"),
    "doctor": ("doctor", "--output", "text"),
    "doctor of no server": ("doctor", "--rest", f"http://{HOSTILE}"),
    "serve no catalog": ("serve", HOSTILE),
}


def test_every_command_is_looked_at() -> None:
    # The demonstration has a metastore of its own; that of ``metastore`` holds nothing that a command would print.
    assert {arguments[0] for arguments in CALLS.values()} - {"--verbose"} == set(cli.commands) - {"demo", "metastore"}


@pytest.mark.parametrize("case", CALLS)
@pytest.mark.parametrize("output", ["text", "json"])
def test_no_command_lets_a_terminal_obey_what_others_wrote(run: Run, view: View, case: str, output: str) -> None:
    arguments = [argument.replace("VIEW", str(view.identifier)) for argument in CALLS[case]]
    ended = run("--output", output, *arguments, stdin=SELECT)
    assert ended.out or ended.err
    assert OBEYED.findall(ended.out + ended.err) == []
    assert "Traceback" not in ended.err or "--verbose" in arguments


def test_no_command_repeats_a_password_of_a_location(run: Run, catalog: ViewCatalog, namespace: str) -> None:
    place, secret = f"memory://ada:s3cret@{namespace}", "s3cret"
    made = ViewCatalog(catalog.metastore, catalog.storage, warehouse=place).create_view(
        f"{namespace}.daily",
        sql={"hive": SELECT, "trino": SELECT},
        schema=[("user_id", "bigint"), ("ds", "string")],
        partitioned_on=["ds"],
        properties={"source": "jdbc:hive2://a:10000/db;user=ada;password=s3cret"},
    )
    catalog.replace_view(made.identifier, sql={"hive": f"{SELECT} AND ds > '1'", "trino": SELECT})
    catalog.partitions(made.identifier).add([{"ds": "2026-08-21"}])
    name = str(made.identifier)
    calls = [[argument.replace("VIEW", name) for argument in call] for call in CALLS.values()]
    calls += [
        ["alter", name, "--location", f"{place}/other", "--dry-run"],
        ["execute", f"SHOW TBLPROPERTIES {name}"],
        ["list", f"{namespace}.*", "--long"],
        ["clean", name, "--older-than", "1h", "--dry-run"],
        ["backup", f"{place}/v.zip", name],
        ["backup", f"{place}/v.zip", name],
        ["restore", f"{place}/v.zip", "--list"],
        ["drop", name],
        ["list", f"{namespace}.*", "--dropped"],
        ["list", f"{namespace}.*", "--dropped", "--json-lines"],
        ["undrop", name, "--dry-run"],
    ]
    last = catalog.load_view(name).metadata_location
    told: list[str] = []
    for arguments in calls:
        for output in ("text", "json"):
            ended = run("--output", output, *arguments, stdin=SELECT, HIVE_VIEWS_WAREHOUSE=place)
            told += [line for line in f"{ended.out}\n{ended.err}".splitlines() if secret in line]
    assert told == []
    shown = run("list", f"{namespace}.*", "--dropped", "--output", "json", HIVE_VIEWS_WAREHOUSE=place)
    assert f"memory://***@{namespace}" in shown.out, shown
    assert secret not in run("register", name, last).out
    assert catalog.load_view(name).uuid == made.uuid


def test_people_see_that_there_is_more_than_meets_the_eye(run: Run, view: View) -> None:
    shown = run("show", str(view.identifier)).out
    assert r"\x1b]52;c;cm0gLXJm\x07" in shown
    assert r"\u202eltr" in shown
    assert "[link=http://evil]x[/link]" in shown
    assert f"current since {LATE_MS} ms since 1970 (no date)" in shown
    assert f"{LATE_MS} ms since 1970 (no date)" in run("history", str(view.identifier)).out


def test_json_shows_texts_as_they_are(run: Run, view: View) -> None:
    shown = run("show", str(view.identifier), "--output", "json").document
    assert shown["comment"] == view.comment
    assert shown["columns"][0]["comment"] == HOSTILE
    assert shown["properties"][f"team {HOSTILE}"] == HOSTILE
    assert shown["current_since_ms"] == LATE_MS


FOR_PROGRAMS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "a text": (("sql", "VIEW", "--dialect", "trino"), SELECT),
    "names of partitions": (("partitions", "list", "VIEW"), C1_PARTITION),
    "rows of one column": (("execute", "SHOW PARTITIONS VIEW"), C1_PARTITION),
}


@pytest.mark.parametrize("case", FOR_PROGRAMS)
def test_a_pipe_gets_the_very_text_and_a_terminal_one_that_can_be_read(
    run: Run, view: View, case: str, here: Path, configured: Mapping[str, str]
) -> None:
    call, expected = FOR_PROGRAMS[case]
    arguments = [argument.replace("VIEW", str(view.identifier)) for argument in call]
    assert expected in run(*arguments).out
    on_terminal = _on_a_terminal(arguments, here, configured)
    assert OBEYED.findall(on_terminal) == []
    assert r"\x9b31m" in on_terminal


def _on_a_terminal(arguments: list[str], here: Path, configured: Mapping[str, str]) -> str:
    outside, inside = pty.openpty()
    path = {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    with os.fdopen(inside, "wb") as terminal:
        command = subprocess.Popen(
            [sys.executable, "-c", "from hive_views.cli import main; main()", *arguments],
            cwd=here,
            env={**os.environ, **path, **configured},
            stdin=subprocess.DEVNULL,
            stdout=terminal,
            stderr=subprocess.DEVNULL,
        )
    with os.fdopen(outside, "rb", buffering=0) as screen:
        parts = []
        try:
            while part := screen.read(65536):
                parts.append(part)
        except OSError:  # how Linux says that nobody writes to a terminal any more
            pass
    assert command.wait() == 0
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_the_table_of_a_result_obeys_no_markup_and_no_control_characters(catalog: ViewCatalog, view: View) -> None:
    written = StringIO()
    Console(file=written, width=500).print(execute(catalog, f"SHOW TBLPROPERTIES {view.identifier}").table())
    assert OBEYED.findall(written.getvalue()) == []
    assert "[link=http://evil]x[/link]" in written.getvalue()


def test_half_a_surrogate_pair_is_shown_and_ends_no_command(run: Run, catalog: ViewCatalog, namespace: str) -> None:
    """JSON can express it, and no encoding: an engine that cuts a text between two halves writes such a file."""
    view = make_view(catalog, namespace)
    row = catalog.metastore.load_row(view.identifier)
    tree = catalog.storage.read(view.metadata_location).model_dump(mode="json")
    tree["versions"][-1]["summary"]["engine-name"] = "half \ud83d"
    location = view.metadata_location.replace(".gz.metadata.json", "-half.metadata.json")
    catalog.storage.write_bytes(location, json.dumps(tree).encode())
    catalog.metastore.swap_row(
        replace(row, parameters={**row.parameters, "metadata_location": location}), expected=None
    )
    assert r"half \ud83d" in run("show", str(view.identifier)).out
    assert run("show", str(view.identifier), "--output", "json").document["engine"].startswith("half \ud83d")
