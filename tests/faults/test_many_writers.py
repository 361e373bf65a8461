"""Many processes on one view of a real metastore: what was acknowledged is in the history, once."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hive_views.spec.updates import HISTORY_SIZE
from tests.faults.conftest import Site
from tests.faults.wire import WireProxy

WRITERS, COMMITS = 8, 50


def start_writer(uri: str, site: Site, lock: str, writer: str, count: int) -> subprocess.Popen[str]:
    script = str(Path(__file__).with_name("writer_process.py"))
    arguments = [uri, str(site.warehouse), site.name, lock, writer, str(count)]
    return subprocess.Popen([sys.executable, script, *arguments], stdout=subprocess.PIPE, text=True)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("lock", ["auto", "never"])
def test_every_acknowledged_commit_of_eight_processes_is_in_the_history_exactly_once(
    site: Site, metastore_uri: str, lock: str
) -> None:
    site.second.alter_view(site.name, set_properties={HISTORY_SIZE: "1000"})
    writers = [start_writer(metastore_uri, site, lock, f"w{n}", COMMITS) for n in range(WRITERS)]
    acknowledged = [line for writer in writers for line in writer.communicate()[0].split()]
    assert [writer.returncode for writer in writers] == [0] * WRITERS
    assert len(acknowledged) == WRITERS * COMMITS
    view = site.current()
    texts = [view.version(entry.version_id).sql_for("hive") for entry in view.history[1:]]
    found = [match[1] for text in texts if text and (match := re.search(r"'(w\d+-\d+)'", text.sql))]
    assert sorted(found) == sorted(acknowledged)
    # The first file, the property's, and one for each commit: a lost race leaves none.
    assert len(site.files()) == 2 + len(acknowledged)
    assert view.differences == ()


STEPS = ["get_table_req", "alter_table_with_environment_context"]


@pytest.mark.parametrize("method", STEPS)
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_writer_killed_at_any_step_leaves_the_old_or_the_new_version(
    site: Site, metastore_uri: str, method: str, moment: str
) -> None:
    with WireProxy.before_uri(metastore_uri) as proxy:
        delay = proxy.delay_answer(method) if moment == "after" else None
        writer = start_writer(proxy.uri, site, "never", "killed", 1)
        # The first swap on the wire is the proof that the server checks; what is committed comes with the second.
        if delay is None:
            proxy.before(method, writer.kill)
            if method != "get_table_req":
                proxy.before(method, writer.kill)
        else:
            delay.wait_until_arrived()
            writer.kill()
            delay.release()
        writer.communicate()
    view = site.current()
    assert view.current_version.version_id in (1, 2)
    assert view.differences == ()
    after = site.second.replace_view(site.name, sql={"hive": "SELECT user_id, 1 AS clicks, ds FROM web.clicks"})
    assert after.history[-1].version_id == after.current_version.version_id
