"""The ids of releases, and the name that the metastore's lock on a project has."""

from __future__ import annotations

import secrets
from datetime import datetime, timezone

from hive_views.spec.identifiers import MAX_NAME_LENGTH, TableIdentifier

_LOCKED_IN = "default"


def new_release_id(now_ms: int) -> str:
    """An id that sorts by time, such as ``20261127T113000-3f9a2c``."""
    at = datetime.fromtimestamp(now_ms / 1000, timezone.utc)
    return f"{at:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


def lock_of_project(project: str) -> TableIdentifier:
    """The name that an apply of a project locks. No table has it: a lock of the metastore is one of a name.

    Two projects whose names only differ in ``-`` and ``_``, in case, or far behind, share a lock: one waits.
    """
    return TableIdentifier(_LOCKED_IN, f"hive_views_project_{project}".replace("-", "_")[:MAX_NAME_LENGTH])
