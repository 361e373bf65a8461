"""Containers as fixtures, and their logs beside the failure of a test.

``container_session`` skips where no engine answers; tests that ask for it, or for what depends on it, have the mark
``peer("containers")``. Docker's client is imported where one is asked for, as most runs are of quick tests.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from typing import Any

import pytest

_LONGEST_LOG = 20_000
_STARTED = pytest.StashKey[float]()
_SESSION = pytest.StashKey[Any]()
_IMAGES_USED = pytest.StashKey[set[str]]()


@pytest.fixture(scope="session")
def container_session(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The containers of this session. They see the temporary directories of all tests at the same paths."""
    from tests.support.containers.images import base_image
    from tests.support.containers.session import NoEngineError, Session, connect

    try:
        client = connect()
        base_image(client)
    except NoEngineError as error:
        pytest.skip(str(error))
    session = Session(client, tmp_path_factory.getbasetemp())
    request.config.stash[_SESSION] = session
    yield session
    session.close()


@pytest.fixture(scope="session")
def metastore_servers(container_session: Any) -> Iterator[Any]:
    """Metastores in containers, started when they are asked for."""
    from tests.support.containers.metastores import MetastoreServers

    servers = MetastoreServers(container_session)
    yield servers
    servers.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    files = set()
    for item in items:
        if "container_session" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.peer("containers"))
            files.add(item.path)
    # The quick ones first, and file by file, as processes share them; images may be built meanwhile. Of the others,
    # those with engines first: they take longest.
    items.sort(key=lambda item: (item.path in files, item.path.parent.name != "engines"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_STARTED] = time.time()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    session = item.config.stash.get(_SESSION, None)
    if report.failed and session is not None and item.get_closest_marker("peer"):
        for name, text in session.logs_since(item.stash[_STARTED]).items():
            report.sections.append((f"log of {name}", text[-_LONGEST_LOG:]))
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    containers = session.config.stash.get(_SESSION, None)
    used = {image.partition(":")[0] for image in containers.images_used} if containers else set()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["images_used"] = sorted(used)
    else:
        session.config.stash.setdefault(_IMAGES_USED, set()).update(used)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    # pytest-xdist's: a process of tests has ended, and informs the one that reports.
    node.config.stash.setdefault(_IMAGES_USED, set()).update(getattr(node, "workeroutput", {}).get("images_used", ()))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    used = config.stash.get(_IMAGES_USED, set())
    if used:
        terminalreporter.write_line(f"Containers that ran: {', '.join(sorted(used))}.")
