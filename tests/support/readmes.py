"""The READMEs and the examples in them, for the tests that check and run these."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_PRINTED = re.compile(r"^\s*print\(.*\)  # (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """One block of a README: where it is, its language ("" for pictures), and its text."""

    file: str
    heading: str
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}, {self.heading}, {self.language}"


def readmes() -> list[str]:
    """The READMEs for users and for readers of the code, by their paths from the root."""
    return ["README.md", *sorted(str(path.relative_to(ROOT)) for path in _below("docker", "hive_views", "tests"))]


def _below(*folders: str) -> list[Path]:
    names = ("README.md", "recipes.md", "tasks.md")
    return [path for folder in folders for name in names for path in (ROOT / folder).rglob(name)]


def text_of(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def examples(file: str, language: str | None = None, heading: str | None = None) -> list[Example]:
    """The examples of a README in their order, of one language or under one heading if these are given."""
    text, found = text_of(file), []
    for fence in _FENCE.finditer(text):
        headings = re.findall(r"^## (.*)$", text[: fence.start()], re.MULTILINE)
        found.append(Example(file, headings[-1] if headings else "", fence["language"], fence["text"]))
    return [one for one in found if language in (None, one.language) and heading in (None, one.heading)]


def printed_lines(python: str) -> list[str]:
    """What an example in Python says that it prints, in the comments behind its calls of ``print``."""
    return _PRINTED.findall(python)


def says(expected: str, line: str) -> bool:
    """Whether a line is as an example says; three dots in it stand for anything."""
    return re.fullmatch(".*".join(re.escape(part) for part in expected.split("...")), line) is not None
