"""Statements about views, for the tests of our reading of them and for Hive's own parser as a judge.

What lives here: the cases. What must not: assertions.
"""

from tests.support.texts.view_statements.forms import FORMS, OURS
from tests.support.texts.view_statements.grammar import broken, valid
from tests.support.texts.view_statements.refused import REFUSED, STRICTER, Refused

__all__ = ["FORMS", "OURS", "REFUSED", "STRICTER", "Refused", "broken", "valid"]
