r"""Queries and their expanded texts, for the unit tests and for the parsers and engines that judge them.

What lives here: data by theme. What must not: assertions.
"""

from __future__ import annotations

from tests.support.texts.expanded_texts.case import NAMESPACE, TABLES, VIEW, Case
from tests.support.texts.expanded_texts.mended import MENDED
from tests.support.texts.expanded_texts.names import NAMES
from tests.support.texts.expanded_texts.shapes import SHAPES
from tests.support.texts.expanded_texts.writing import WRITING

__all__ = ["CASES", "NAMESPACE", "TABLES", "VIEW", "Case"]

CASES = [*NAMES, *SHAPES, *WRITING, *MENDED]
