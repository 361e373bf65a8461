"""The options that ``plan`` and ``apply`` share: how the files of a project are read, and what a plan may do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from hive_views.cli.shell.arguments import read_pairs
from hive_views.project.planning.make_plan import plan
from hive_views.project.planning.undoing import plan_undo
from hive_views.project.plans.project_plan import Plan
from hive_views.views.catalog import ViewCatalog

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class ProjectOptions:
    """What was given of ``--var``, ``--from-git``, ``--prune``, ``--allow-breaking`` and ``--overwrite``, and for an
    undo ``--undo`` and ``--exclude``.
    """

    variables: dict[str, str]
    git_revision: str | None
    prune: bool
    allow_breaking: tuple[str, ...]
    overwrite: tuple[str, ...]
    undo: str | None
    exclude: tuple[str, ...]

    @property
    def is_given(self) -> bool:
        """Whether any of them is."""
        return any(getattr(self, name) for name in self.__dataclass_fields__)

    def check(self) -> None:
        """
        Raises:
            click.UsageError: options that do not go together were given.
        """
        if self.undo is None and self.exclude:
            raise click.UsageError("--exclude leaves views out of an undo: use it with --undo.")
        of_files = {
            "--var": self.variables,
            "--from-git": self.git_revision,
            "--prune": self.prune,
            "--overwrite": self.overwrite,
        }
        if self.undo is not None and (given := [name for name, value in of_files.items() if value]):
            raise click.UsageError(f"--undo plans no files: it cannot be used with {given[0]}.")


def project_options(function: _Function) -> Callable[..., Any]:
    """The options, which the command gets as ``options``."""

    @wraps(function)
    def with_options(*args: Any, **given: Any) -> Any:
        values = {name: given.pop(name) for name in ProjectOptions.__dataclass_fields__}
        options = ProjectOptions(**values)
        options.check()
        return function(*args, options=options, **given)

    decorated: Callable[..., Any] = with_options
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def planned(catalog: ViewCatalog, directory: Path, options: ProjectOptions) -> Plan:
    """The plan that was asked for.

    Raises:
        InvalidInputError: as of ``hive_views.project.plan``.
        NotFoundError: there is no such release.
    """
    if options.undo is not None:
        return plan_undo(
            catalog, directory, options.undo, exclude=options.exclude, allow_breaking=options.allow_breaking
        )
    return plan(
        catalog,
        directory,
        variables=options.variables,
        prune=options.prune,
        allow_breaking=options.allow_breaking,
        overwrite=options.overwrite,
        git_revision=options.git_revision,
    )


variables_option = click.option(
    "--var",
    "variables",
    multiple=True,
    metavar="NAME=VALUE",
    callback=read_pairs,
    help="The value of a variable of project.toml; once per variable.",
)

_OPTIONS = (
    variables_option,
    click.option(
        "--from-git",
        "git_revision",
        metavar="REV",
        help="Read the files of this commit, branch or tag, not those in DIR.",
    ),
    click.option(
        "--prune", is_flag=True, help="Drop the views that this project created and that have no file any more."
    ),
    click.option(
        "--allow-breaking",
        multiple=True,
        metavar="VIEW",
        help="A view that may break, as a name or a pattern; once per view or pattern.",
    ),
    click.option(
        "--overwrite",
        multiple=True,
        metavar="VIEW",
        help="A view that is to be as its file says although somebody else has changed it since the last apply, or it "
        "belongs to another project, as a name or a pattern; once per view or pattern.",
    ),
    click.option("--undo", metavar="RELEASE", help="Take every view back to where it was before this release."),
    click.option(
        "--exclude",
        multiple=True,
        metavar="VIEW",
        help="With --undo: a view to leave as it is, as a name or a pattern.",
    ),
)
