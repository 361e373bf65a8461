"""The command ``releases``: what each apply of a project did, and whether it was undone."""

from __future__ import annotations

from pathlib import Path

import click

from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit, table_of, time_of
from hive_views.project.applying.releases import ReleaseRecord, state_of
from hive_views.project.applying.releases import releases as releases_of


@command("releases")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
def releases(invocation: Invocation, directory: Path) -> None:
    """List the releases of a project, and what each did.

    A release is an apply that wrote something; the newest is first. `hive-views apply DIR --undo RELEASE` undoes one.
    What is known of releases is in the versions of the views, of which each keeps ten by default
    (version.history.num-entries). Reads the metadata files of all views, and the directories of all databases for views
    that were dropped.
    """
    invocation.log.setLevel("ERROR")
    with open_catalog(invocation) as catalog:
        found = releases_of(catalog, directory)
    rows = [(one.id, time_of(one.release.at_ms), one.release.by, _counts(one), state_of(one)) for one in found]
    emit(
        invocation,
        {"releases": [one.document() for one in found]},
        table_of(("RELEASE", "WHEN", "BY", "VIEWS", "UNDO"), rows) if rows else "There is no release of this project.",
    )


def _counts(one: ReleaseRecord) -> str:
    parts: dict[str, list[str]] = {}
    for name, action in one.views.items():
        parts.setdefault(action, []).append(name)
    told = [
        f"{action} {', '.join(names[:3])}{f' and {len(names) - 3:,} more' if len(names) > 3 else ''}"
        for action, names in parts.items()
    ]
    return "; ".join(told + ([f"{one.unknown:,} not known"] if one.unknown else []))
