"""The command ``graph``: what reads what, of a project or of views."""

from __future__ import annotations

from collections.abc import Mapping

import click

from hive_views.cli.shell.arguments import read_pairs
from hive_views.cli.shell.completion import complete_views
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import ForPrograms, emit
from hive_views.cli.shell.selected_views import view_progress
from hive_views.project.dependency_graph import graph as graph_of


@command("graph", formats=("mermaid", "dot"))
@click.argument("of", metavar="[DIR] [PATTERN]...", nargs=-1, shell_complete=complete_views)
@click.option("--var", "variables", metavar="NAME=VALUE", multiple=True, callback=read_pairs, help="Set a variable.")
@click.option("--files-only", is_flag=True, help="Look at the files of DIR only, and ask no metastore.")
@click.pass_context
def graph(
    ctx: click.Context, invocation: Invocation, of: tuple[str, ...], variables: Mapping[str, str], *, files_only: bool
) -> None:
    """Show what reads what, of a project or of views.

    Views are shown in levels, each above what it reads, with what they read and who reads them. Of a single view or
    table, everything is shown that it reads, down to tables, and everything that reads it. The SQL of all dialects
    counts. What does not exist is marked as missing.

    \b
    hive-views graph views/                      a project
    hive-views graph views/ sales.daily          a view of it
    hive-views graph 'sales.*' --output mermaid  for GitHub and GitLab
    hive-views graph --output dot | dot -Tsvg > views.svg

    The first call analyzes all views of the metastore; later ones only those that have changed. Exits with 1 if a file
    cannot be read; the others are shown.
    """  # noqa: D301 - click's mark for lines to keep
    invocation.log.setLevel("ERROR")
    if files_only:
        found = graph_of(None, *of, variables=variables)
    else:
        with open_catalog(invocation) as catalog, view_progress("Analyzing", "analyzed") as progress:
            found = graph_of(catalog, *of, variables=variables, on_outcome=progress)
    if invocation.output in ("mermaid", "dot"):
        drawn = found.mermaid() if invocation.output == "mermaid" else found.dot()
        emit(invocation, {}, ForPrograms(drawn.removesuffix("\n")))
    else:
        emit(invocation, found.document(), *found.lines())
    if found.errors:
        ctx.exit(ExitCode.ERROR)
