"""Arguments of tasks, which templates and XComs give as text, as the library takes them."""

from __future__ import annotations

from collections.abc import Sequence

from hive_views.hive.partition_names import read_partition
from hive_views.readiness.language import read_rule
from hive_views.readiness.rules import Rule
from hive_views.views.partitions.view_partitions import Spec

Partition = str | Spec
"""The name of a partition (``ds=2026-08-21/hr=7``), or its values by column."""

Rules = str | Rule | Sequence[str | Rule]
"""A rule as text or as an object, or several, all of which must hold."""


def spec_of(given: Partition) -> Spec:
    """The values of a partition. InvalidInputError: the text is not the name of one."""
    return read_partition(given) if isinstance(given, str) else given


def bound_of(given: Partition | None) -> Spec | None:
    """The values of a bound, if there is one; raises as ``spec_of``."""
    return None if given is None else spec_of(given)


def specs_of(given: Sequence[Partition] | None) -> list[Spec] | None:
    """The values of several partitions, if any are given; raises as ``spec_of``."""
    return None if given is None else [spec_of(one) for one in given]


def rules_of(given: Rules) -> list[Rule]:
    """The rules. RuleSyntaxError: a text is none."""
    several = [given] if isinstance(given, (str, Rule)) else given
    return [read_rule(one) if isinstance(one, str) else one for one in several]
