"""What is promised on each store, in the README of the storage room: written by the tests that prove it.

A test says what it proves with ``@pytest.mark.promise(what=..., holds=..., stores=(...))``, once or more often. It is
written and checked as tests/interop/compatibility.md is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.compatibility import Recorder

README = Path(__file__).parents[2] / "hive_views/storage/README.md"
_BEGIN, _END = "<!-- pytest --compatibility=write -->\n", "<!-- end of what is written -->\n"
_PROPERTY = "promises"


@dataclass(frozen=True, order=True)
class Promise:
    """What a passed test proves of a store; without a test, what nothing proves."""

    what: str
    holds: str
    store: str
    test: str


_NOT_PROVED = (
    Promise("an upload that is killed", "blocks without a file, which the store deletes after a week", "Azure", ""),
    Promise("an upload that is killed", "a session, which the store deletes after a week", "GCS", ""),
    Promise("credentials that expire", "refreshed by Google's client in a running process", "GCS", ""),
    Promise("credentials that expire", "refreshed by Azure's client in a running process", "Azure", ""),
    Promise("encryption", "an encryption scope, a key of one's own", "Azure", ""),
    Promise("encryption", "a key of one's own (CMEK)", "GCS", ""),
    Promise("purge where the store keeps versions", "soft delete and versions of Azure", "Azure", ""),
    Promise("least permissions", "roles of Azure and of Google", "Azure", ""),
    Promise("least permissions", "roles of Azure and of Google", "GCS", ""),
)


def table(promises: Iterable[Promise]) -> str:
    """A line for each promise, with the stores that keep it and the test that proves it."""
    stores: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for one in (*promises, *_NOT_PROVED):
        stores[one.what, one.holds, one.test].add(one.store)
    lines = ["| about | what holds | stores | proved by |", "|---|---|---|---|"]
    for (what, holds, test), where in sorted(stores.items()):
        proof = f"`{test}`" if test else "not proved"
        lines.append(f"| {what} | {holds} | {', '.join(sorted(where))} | {proof} |")
    return "\n".join(lines) + "\n"


class PromisesRecorder(Recorder):
    """The same for the table of promises."""

    mark = "pytest.mark.promise"
    reported_as = _PROPERTY
    proof = Promise

    @property
    def path(self) -> Path:
        return README

    @property
    def folder(self) -> Path:
        return Path(__file__).parents[1]

    def text(self, proofs: Iterable[Any], former: str) -> str:
        before, _, rest = former.partition(_BEGIN)
        return f"{before}{_BEGIN}{table(proofs)}{_END}{rest.partition(_END)[2]}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    if report.when == "call" or not report.passed:
        name = getattr(item, "originalname", item.name)
        for mark in item.iter_markers("promise"):
            said = {"what": mark.kwargs["what"], "holds": mark.kwargs["holds"], "test": name}
            report.user_properties += [(_PROPERTY, {**said, "store": store}) for store in mark.kwargs["stores"]]
    return report


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "promise(what, holds, stores): a line of the storage room's README")
    task = config.getoption("compatibility")
    if task and not hasattr(config, "workerinput"):
        config.pluginmanager.register(PromisesRecorder(task))
