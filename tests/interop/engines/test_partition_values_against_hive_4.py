"""Normalised partition values, judged by Hive 4.0.1: what its ADD PARTITION stores, we spell alike."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from hive_views import ViewCatalog
from hive_views.errors import InvalidPartitionError
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.partition_values import normalise_value
from hive_views.sql.quoting import quote_literal
from tests.interop.partition_constants import CONSTANTS, TEXTS
from tests.support.containers.engines import EngineError, Hive

proves = partial(pytest.mark.matrix, engine="Hive 4.0.1", server="4.0.1 on PostgreSQL")

SECONDS = "Hive 2.3, as we, writes '.0' after whole seconds; Hive 4 writes nothing"
UPPER_CASE = "Hive 4 keeps its own spelling of the keyword; Hive 2.3 and we write it small"
LENIENT = "Hive 4 takes the beginning of a text, or what follows for midnight; more likely a mistake"
WRAPS = "Hive takes the low bits of a number that is out of range"
ANY_FALSE = "Hive 4 takes '', '0' and 'no' for false as well"
DIGITS = "we keep six digits of a second, as Spark does"
EMPTY = "a value that ends in a blank is one with the value without it on MySQL and MariaDB"

DIFFERENCES: list[tuple[str, str, object, str, str | None, str]] = [
    (
        "timestamp",
        "'2026-08-01 10:00:00'",
        "2026-08-01 10:00:00",
        "2026-08-01 10:00:00",
        "2026-08-01 10:00:00.0",
        SECONDS,
    ),
    ("timestamp", "'2026-08-01'", "2026-08-01", "2026-08-01 00:00:00", "2026-08-01 00:00:00.0", SECONDS),
    ("string", "true", True, "TRUE", "true", UPPER_CASE),
    ("string", "false", False, "FALSE", "false", UPPER_CASE),
    ("date", "'2026-08-01abc'", "2026-08-01abc", "2026-08-01", None, LENIENT),
    ("date", "'026-08-01'", "026-08-01", "0026-08-01", None, LENIENT),
    ("timestamp", "'2026-08-01 10:00'", "2026-08-01 10:00", "2026-08-01 00:00:00", None, LENIENT),
    ("timestamp", "'2026-08-01 24:00:00'", "2026-08-01 24:00:00", "2026-08-01 00:00:00", None, LENIENT),
    (
        "timestamp",
        "'2026-08-01 10:00:00.1234567'",
        "2026-08-01 10:00:00.1234567",
        "2026-08-01 10:00:00.1234567",
        None,
        DIGITS,
    ),
    ("tinyint", "'128'", "128", "-128", None, WRAPS),
    ("int", "2147483648", 2**31, "-2147483648", None, WRAPS),
    ("boolean", "'no'", "no", "false", None, ANY_FALSE),
    ("boolean", "''", "", "false", None, ANY_FALSE),
    ("string", "'a '", "a ", "a ", None, EMPTY),
]
REFUSED = [
    ("int", "'abc'", "abc"),
    ("int", "'5.0'", "5.0"),
    ("int", "'2147483648'", "2147483648"),
    ("bigint", "'1.5'", "1.5"),
    ("decimal(10,2)", "'123456789'", "123456789"),
    ("decimal(10,2)", "'NaN'", "NaN"),
    ("date", "'2026-13-01'", "2026-13-01"),
    ("date", "'2026-02-30'", "2026-02-30"),
    ("date", "'abc'", "abc"),
    ("timestamp", "'abc'", "abc"),
    ("double", "'abc'", "abc"),
    ("string", "''", ""),
]


def ours(value: object, type_: str) -> str | None:
    try:
        return normalise_value(value, type_, key="k")
    except InvalidPartitionError:
        return None


def alike() -> dict[str, list[tuple[str, str]]]:
    """By type: the literal, and the value that we store and Hive is to store."""
    differ = {(type_, literal) for type_, literal, *_ in DIFFERENCES}
    given = [(type_, quote_literal(text), text) for type_, texts in TEXTS.items() for text in texts]
    cases: dict[str, list[tuple[str, str]]] = {}
    for type_, literal, value in [*given, *CONSTANTS]:
        stored = ours(value, type_)
        whole_seconds = type_ == "timestamp" and stored is not None and stored.endswith(".0")
        # Hive puts the literal as it stands into a query of its own.
        if stored is not None and (type_, literal) not in differ and not whole_seconds and "\\'" not in literal:
            cases.setdefault(type_, []).append((literal, stored))
    return cases


ALIKE = alike()


class Judge:
    """A view of the type's own, with a number beside the key, so that each literal's partition is found again."""

    def __init__(self, catalog: ViewCatalog, namespace: str, hive: Hive, type_: str) -> None:
        self._hive = hive
        self._view = catalog.create_view(
            f"{namespace}.judge",
            sql={"hive": f"SELECT 1 AS a, 0 AS i, CAST(NULL AS {type_}) AS k"},
            schema=[("a", "int"), ("i", "int"), ("k", type_)],
            partitioned_on=["i", "k"],
        )
        self._partitions = catalog.partitions(self._view.identifier)

    def stores(self, *literals: str) -> list[str]:
        """The values that one ADD PARTITION of all the literals stores."""
        clauses = " ".join(f"PARTITION (i={number}, k={literal})" for number, literal in enumerate(literals))
        self._hive.rows(f"ALTER VIEW {self._view.identifier} ADD {clauses}")
        found = [parse_partition_name(name) for name in self._partitions.names()]
        stored = {int(values["i"]): values["k"] for values in found}
        return [stored[number] for number in range(len(literals))]


@pytest.fixture
def unchecked(hive: Hive) -> Iterator[Hive]:
    """Hive, set to compare numbers and texts: it does so when it adds a partition whose key is bigint or decimal."""
    hive.rows("SET hive.strict.checks.type.safety=false")
    yield hive
    hive.rows("SET hive.strict.checks.type.safety=true")


def test_the_table_has_more_than_sixty_literals_of_all_types() -> None:
    assert sum(map(len, ALIKE.values())) > 60
    assert {type_.split("(")[0] for type_ in ALIKE} >= {
        "int",
        "bigint",
        "decimal",
        "date",
        "boolean",
        "double",
        "string",
    }


@proves(operation="ALTER VIEW ... ADD PARTITION, values", result="spelled as we spell them, all but those below")
@pytest.mark.parametrize("type_", ALIKE)
def test_hive_stores_what_we_store(catalog: ViewCatalog, namespace: str, unchecked: Hive, type_: str) -> None:
    judge = Judge(catalog, namespace, unchecked, type_)
    literals = [literal for literal, _ in ALIKE[type_]]
    assert dict(zip(literals, judge.stores(*literals), strict=True)) == dict(ALIKE[type_])


@proves(
    operation="ALTER VIEW ... ADD PARTITION, values",
    result="timestamps of whole seconds without our '.0'; more lenient with texts that are no number, date or boolean",
)
@pytest.mark.parametrize(("type_", "literal", "value", "in_hive", "in_ours", "reason"), DIFFERENCES)
def test_a_difference_from_hive_is_one_we_know(
    catalog: ViewCatalog,
    namespace: str,
    hive: Hive,
    type_: str,
    literal: str,
    value: object,
    in_hive: str,
    in_ours: str | None,
    reason: str,
) -> None:
    assert Judge(catalog, namespace, hive, type_).stores(literal) == [in_hive], f"Hive changed: {reason}"
    assert ours(value, type_) == in_ours, reason


@pytest.mark.parametrize(("type_", "literal", "value"), REFUSED)
def test_hive_refuses_what_we_refuse(
    catalog: ViewCatalog, namespace: str, unchecked: Hive, type_: str, literal: str, value: object
) -> None:
    judge = Judge(catalog, namespace, unchecked, type_)
    with pytest.raises(EngineError, match=r"10248|10006|empty|null"):
        judge.stores(literal)
    assert ours(value, type_) is None


@proves(
    operation="ALTER VIEW ... ADD PARTITION, key bigint or decimal",
    result="refused by Hive (10056) unless hive.strict.checks.type.safety=false; we add them",
)
@pytest.mark.parametrize("type_", ["bigint", "decimal(10,2)"])
def test_hive_adds_no_partition_with_a_key_of_such_a_type_unless_configured(
    catalog: ViewCatalog, namespace: str, hive: Hive, type_: str
) -> None:
    judge = Judge(catalog, namespace, hive, type_)
    with pytest.raises(EngineError, match="10056"):
        judge.stores("'1'")
    catalog.partitions(f"{namespace}.judge").add([{"i": 0, "k": 1}])
    assert hive.rows(f"SHOW PARTITIONS {namespace}.judge") == [("i=0/k=1",)]
