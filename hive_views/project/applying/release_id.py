"""The ids of releases."""

from __future__ import annotations

import secrets
from datetime import datetime, timezone


def new_release_id(now_ms: int) -> str:
    """An id that sorts by time, such as ``20261127T113000-3f9a2c``."""
    at = datetime.fromtimestamp(now_ms / 1000, timezone.utc)
    return f"{at:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
