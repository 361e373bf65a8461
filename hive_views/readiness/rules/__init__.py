"""When a partition of a view is ready: the rules a user writes, each with what it asks to be read and how it judges.

truth.py          yes, no, unknown
composition.py    what a rule is; all_of, any_of, negate, when
requirements.py   requires, on which the next two are built
amounts.py        has_at_least, quiet_for: by statistics
marks.py          marked_done
commits.py        committed_with, watermark_passed: by what commits report
"""

from hive_views.readiness.conditions import column, timestamp, values_of
from hive_views.readiness.rules.amounts import has_at_least, quiet_for
from hive_views.readiness.rules.commits import committed_with, watermark_passed
from hive_views.readiness.rules.composition import AllOf, AnyOf, Rule, SimpleRule, When, all_of, any_of, negate, when
from hive_views.readiness.rules.marks import marked_done
from hive_views.readiness.rules.requirements import Requirement, requires
from hive_views.readiness.rules.truth import Truth

__all__ = [
    "AllOf",
    "AnyOf",
    "Requirement",
    "Rule",
    "SimpleRule",
    "Truth",
    "When",
    "all_of",
    "any_of",
    "column",
    "committed_with",
    "has_at_least",
    "marked_done",
    "negate",
    "quiet_for",
    "requires",
    "timestamp",
    "values_of",
    "watermark_passed",
    "when",
]
