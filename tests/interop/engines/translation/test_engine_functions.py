"""The lists of functions are those of Hive 4.0.1 and Trino 476 as they run here."""

from __future__ import annotations

from hive_views.translation.engine_functions import KINDS, functions_of
from tests.support.containers.engines import Hive, Trino
from tests.support.translation.listed_functions import (
    FORMS,
    HIVE_CONVERSIONS,
    HIVE_INTERNAL,
    HIVE_OPERATORS,
    all_scalars,
    trino_functions,
)


def test_hive_4_has_these_functions(hive: Hive) -> None:
    listed = functions_of("hive-4.0")
    shown = {name for (name,) in hive.rows("SHOW FUNCTIONS")}
    assert shown - listed.all == HIVE_OPERATORS | HIVE_INTERNAL
    assert listed.all - shown == listed.grammar | set(HIVE_CONVERSIONS)


def test_hive_4_reads_functions_that_it_does_not_show(hive: Hive) -> None:
    hive.rows(f"EXPLAIN {all_scalars(functions_of('hive-4.0').grammar)}")
    hive.rows(f"EXPLAIN SELECT {', '.join(f'{name}({argument})' for name, argument in HIVE_CONVERSIONS.items())}")


def test_trino_has_these_functions(trino: Trino) -> None:
    listed = functions_of("trino-476")
    shown = trino_functions(trino.rows)
    of_grammar = {kind: getattr(listed, kind) & listed.grammar for kind in KINDS}
    assert shown == {kind: getattr(listed, kind) - of_grammar[kind] for kind in KINDS}


def test_trino_reads_functions_that_it_does_not_show(trino: Trino) -> None:
    listed = functions_of("trino-476")
    assert listed.grammar <= listed.scalars | listed.tables
    trino.rows(all_scalars(listed.grammar & listed.scalars - {"grouping"}))
    trino.rows(FORMS["scalars"]["grouping"])
    for name in listed.grammar & listed.tables:
        trino.rows(FORMS["tables"][name])
