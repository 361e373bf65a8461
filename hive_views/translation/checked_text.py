"""What is asked of every text that was made: it can be read, its functions exist, and its outputs have their names."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hive_views.analysis.tree.calls import functions_called
from hive_views.errors import HiveViewsError
from hive_views.sql.query import QueryText
from hive_views.translation.engine_functions import engines, functions_of
from hive_views.translation.translation_findings import Findings, Kind, Reason

_UNREADABLE = Reason("unreadable", Kind.UNSUPPORTED, "the text that was made of it cannot be read; please report this")
_NO_SUCH_FUNCTION = Reason("no-such-function", Kind.UNSUPPORTED, "not every release of the engine has the function")
_NAMES = Reason("names", Kind.UNSUPPORTED, "its outputs have other names in the text that was made; please report this")


def functions_of_checked(
    text: str, dialect: str, names: Sequence[str | None], own: Collection[str], findings: Findings
) -> tuple[str, ...]:
    """The functions that a text calls, in lower case, sorted; () where something is wrong with it.

    Args:
        text: that was made.
        dialect: its dialect.
        names: those that its outputs have to have; None where it does not matter.
        own: functions of users, which the engine has besides its own, in lower case.
        findings: to which is added what is wrong with it.
    """
    query = QueryText(text, dialect)
    try:
        tree = query.statement.tree
        found = query.output_names
    except HiveViewsError as error:
        findings.report(_UNREADABLE.because(str(error)), text, None)
        return ()
    called = functions_called(tree, text).all
    known = [functions_of(engine).all for engine in engines() if engine.startswith(dialect)]
    for name in called:
        if name not in own and not all(name in one for one in known):
            findings.report(_NO_SUCH_FUNCTION.because(name), name, None)
    for wanted, made in zip(names, found or names, strict=False):
        if wanted is not None and (made is None or made.lower() != wanted.lower()):
            findings.report(_NAMES.because(f"{wanted}, {made}"), text, None)
    return () if findings.refuses else called
