"""Hiding credentials in text."""

from __future__ import annotations

import re

# A colon before digits and a slash is that of a port. What has no colon is no secret: Azure's container@account.
_USER_INFO = re.compile(r"(?<=://)[^\s/:@]*:(?!\d+(?:[/\s,]|$))[^\s@]*@(?:[^\s/@]*@)*")
_PARAMETER = re.compile(r"([;?&][\w.-]*(?:password|passwd|pwd|secret|token|sig|signature)=)[^\s;&'\"]+", re.IGNORECASE)


_HIDDEN = re.compile(r"://\*{3}@|=\*{3}")


def hide_credentials(text: str) -> str:
    """The text with ``***`` instead of the user and password of each URI in it, and of its secret parameters."""
    return _PARAMETER.sub(r"\1***", _USER_INFO.sub("***@", text))


def hide_credentials_of(location: str, text: str) -> str:
    """The text with ``***`` instead of the user and password of a location, which clients quote without its scheme."""
    for user_info in {found[0] for found in _USER_INFO.finditer(location)}:
        text = text.replace(user_info, "***@")
    return hide_credentials(text)


def has_hidden_credentials(location: str) -> bool:
    """Whether credentials were hidden in it, so that it cannot be opened."""
    return _HIDDEN.search(location) is not None
