"""Which views are broken, and which read one that is, directly or through others."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Breakage:
    """How far what is broken reaches.

    Attributes:
        broken: views with an error of their own.
        affected: by name of a view that reads a broken one, directly or through others, and has no error of its own:
            the nearest broken view that it reads.
    """

    broken: frozenset[str]
    affected: Mapping[str, str]

    def state(self, name: str) -> str:
        """``broken``, ``affected``, or ""."""
        return "broken" if name in self.broken else "affected" if name in self.affected else ""


def readers_of(reads: Mapping[str, Iterable[str]]) -> Mapping[str, list[str]]:
    """By name of a table or view, the views that read it."""
    readers: dict[str, list[str]] = defaultdict(list)
    for view, read in reads.items():
        for name in read:
            readers[name].append(view)
    return readers


def breakage_of(
    broken: Collection[str], known_to_be_affected: Mapping[str, str], readers: Mapping[str, Iterable[str]]
) -> Breakage:
    """Follow the readers of broken views.

    Args:
        broken: views with an error of their own.
        known_to_be_affected: views that read a broken one which may be unknown here, and its name.
        readers: by name, who reads it.
    """
    causes = {**known_to_be_affected, **{name: name for name in sorted(broken)}}
    ahead = deque(sorted(causes, key=lambda name: (name not in broken, name)))
    while ahead:
        name = ahead.popleft()
        for reader in readers.get(name, ()):
            if reader not in causes:
                causes[reader] = causes[name]
                ahead.append(reader)
    return Breakage(frozenset(broken), {name: cause for name, cause in causes.items() if name not in broken})


def all_readers(names: Collection[str], readers: Mapping[str, Iterable[str]]) -> set[str]:
    """Who reads one of these, directly or through others; without themselves."""
    found, ahead = set(names), list(names)
    while ahead:
        new = {one for one in readers.get(ahead.pop(), ()) if one not in found}
        found |= new
        ahead += new
    return found - set(names)
