"""Suggesting the nearest known word."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The last sentence of an error about an unknown word: the nearest known one, or all of them."""
    words = sorted(known)
    near = nearest(word, words)
    return f"Did you mean {near!r}?" if near else f"There are: {', '.join(words) or 'none'}."


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The most similar known word; None if none is similar."""
    return next(iter(difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.5)), None)
