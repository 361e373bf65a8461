"""Projects as files, written into a temporary directory."""

from __future__ import annotations

from pathlib import Path

SETTINGS = 'name = "clicks"\n\n[variables]\nenv = "dev"\n'


def write_project(directory: Path, files: dict[str, str | bytes], settings: str | None = SETTINGS) -> Path:
    """A project with these files by path; its directory."""
    if settings is not None:
        files = {"project.toml": settings, **files}
    for path, text in files.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return directory
