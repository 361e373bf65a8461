"""Eight processes that write one view as fast as they can, on every server and database."""

from __future__ import annotations

from pathlib import Path

from tests.servers.conftest import checks_swaps
from tests.support.containers.metastores import MetastoreServer
from tests.support.failing.many_writers import write_at_once

STEPS = 6


# Under the lock of 3.1.3 one commit follows the other, and a machine may be busy.
def test_of_48_commits_each_is_in_the_history_exactly_once(
    server: MetastoreServer, namespace: str, tmp_path: Path
) -> None:
    """By the swap alone where it is checked; under the lock where it is ignored."""
    lock = "never" if checks_swaps(server) else "auto"
    write_at_once(server.client, server.uri, f"{namespace}.counted", tmp_path / "views", lock=lock, steps=STEPS)
