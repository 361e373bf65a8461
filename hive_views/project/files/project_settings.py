"""The settings of a project, from the file project.toml in its directory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ProjectSettings:
    """What project.toml says.

    Attributes:
        name: of the project: recorded with the views that it creates, and locked by an apply. ASCII letters, digits,
            ``_`` and ``-``.
        variables: the values of ``${name}`` in its files, by name.
    """

    name: str
    variables: Mapping[str, str] = field(default_factory=dict)
