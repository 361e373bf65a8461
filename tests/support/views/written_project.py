"""A project written to a directory, a file for each view."""

from __future__ import annotations

from pathlib import Path


def write_project(directory: Path, namespace: str, **views: str) -> Path:
    """The directory of a project with views of one namespace; each is given by what follows its name."""
    project = directory / "project"
    (project / namespace).mkdir(parents=True, exist_ok=True)
    (project / "project.toml").write_text('name = "tested"\n')
    for name, text in views.items():
        (project / namespace / f"{name}.sql").write_text(f"CREATE OR REPLACE VIEW {name} {text}\n")
    return project
