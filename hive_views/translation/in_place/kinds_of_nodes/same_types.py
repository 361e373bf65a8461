"""Whether a value has the same type in both engines."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.casts import in_spark
from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.patching_rules import Patching

_TESTS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.Between, exp.In, exp.Is)


def check_type(node: Any, patching: Patching) -> None:
    """Refuse a value of which the engines make different types.

    Texts may be of a varchar in Hive and a string in Spark: their values are the same.
    """
    if patching.is_settled(node) or (isinstance(node, exp.If) and isinstance(node.parent, exp.Case)):
        return
    derived = patching.type_of(node)
    if derived.hive is None or derived.spark is None:
        raise patching.refused(node, reasons.TYPE_NOT_KNOWN.because(derived.why or "there is no rule for it"))
    if derived.hive == derived.spark or in_spark(derived.hive) == in_spark(derived.spark):
        if "char(" in derived.hive.replace("varchar(", ""):
            raise patching.refused(node, reasons.PADDED)
        return
    if is_compared(node) and {derived.hive[:7], derived.spark[:7]} == {"decimal"}:
        return
    raise patching.refused(node, reasons.OTHER_TYPE.because(f"{derived.hive} in Hive, {derived.spark} in Spark"))


def is_compared(node: Any) -> bool:
    """Whether a value is only compared with others."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return isinstance(parent, _TESTS)
