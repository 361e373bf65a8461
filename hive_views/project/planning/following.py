"""Views that are as their files say, but whose columns may follow from views that were changed since they were made."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewVersion
from hive_views.views.version_diff import columns_of
from hive_views.views.view import View

_WORD = re.compile(r"\w+|\*")


def may_follow(
    views: Mapping[TableIdentifier, View], reads: Callable[[TableIdentifier], Iterable[TableIdentifier]]
) -> set[TableIdentifier]:
    """The views that name columns of another one of these, which has others of that name since their version was made.

    An apply that was killed leaves such views, as does a change of one view alone.
    """
    by_name: dict[str, list[TableIdentifier]] = defaultdict(list)
    for name in views:
        by_name[name.name].append(name)
    found = set()
    for name, view in views.items():
        texts = (view.original_sql(dialect) for dialect in view.dialects)
        words = {word.lower() for text in texts for word in _WORD.findall(text)}
        made_ms = view.current_version.timestamp_ms
        newer = {
            other
            for word in words & by_name.keys()
            for other in by_name[word]
            if other != name and _has_changed_since(views[other], made_ms, words)
        }
        # Reading a text takes longer than all else.
        if newer and not newer.isdisjoint(reads(name)):
            found.add(name)
    return found


def _has_changed_since(view: View, at_ms: int, words: set[str]) -> bool:
    """Whether a column with one of these names (``*``: any) may have come, gone or changed its type since then."""
    if view.history[-1].timestamp_ms < at_ms:
        return False
    versions = {one.version_id: one for one in view.metadata.versions}
    # Of those of the same millisecond nobody knows which was first.
    then = [entry for entry in view.history if entry.timestamp_ms == at_ms]
    then += [entry for entry in view.history if entry.timestamp_ms < at_ms][-1:]
    if not then or any(entry.version_id not in versions for entry in then):
        return True
    now = _columns(view, view.current_version)
    changed = {name for entry in then for name, _ in now ^ _columns(view, versions[entry.version_id])}
    return bool(changed) and ("*" in words or not changed.isdisjoint(words))


def _columns(view: View, version: ViewVersion) -> set[tuple[str, str]]:
    return {(one.name, one.type) for one in columns_of(view.metadata, version)}
