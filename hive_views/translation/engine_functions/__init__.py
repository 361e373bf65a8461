"""Which functions each engine has, by name and kind, as the engines themselves say.

One JSON file for each engine has the exact version that was asked, and how:

hive-2.3, hive-3.1, hive-4.0   the registry of functions in its hive-exec (``SHOW FUNCTIONS`` leaves out those that are
                               called like types, as ``int``); the class of a function tells its kind, and
                               Hive's parser which names a query can call
spark-3.5, spark-4.1           ``SHOW SYSTEM FUNCTIONS``; the group of a function in Spark's documentation and its class
                               tell its kind, which makes ``grouping`` an aggregate
trino-476                      ``SHOW FUNCTIONS``, which tells the kind

Functions that an engine lists nowhere, since its grammar knows them (``cast``), were tried in a query. Not in the
lists are operators, whatever an engine calls them (``and``, ``in``, ``between``, ``case``), and functions of users,
connectors and plugins, as Trino's for geometry. That two engines have a function of one name says neither
that both take the same arguments, nor that it means the same.

A file is read when it is first asked for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from hive_views.errors import InvalidInputError
from hive_views.messages.did_you_mean import did_you_mean

KINDS = ("scalars", "aggregates", "windows", "generators", "tables")
"""The kinds of functions, as the files and fields are called."""

_DIRECTORY = Path(__file__).parent


@dataclass(frozen=True)
class EngineFunctions:
    """The functions that one version of an engine has: all in lower case, as engines compare them without case.

    Functions of several kinds by one name are in each of these kinds: Trino has two by the name ``sequence``.

    Attributes:
        engine: and its minor version, as ``hive-2.3``.
        version: that was asked, as ``2.3.10``.
        scalars: one value for each row.
        aggregates: one value for many rows.
        windows: with ``OVER`` alone; most engines take their aggregates with it, too.
        generators: several rows for one, in a SELECT list or LATERAL VIEW, as ``explode``.
        tables: in FROM alone, or as part of a FROM; among them functions of Hive's on partitions of a table.
        grammar: those of all kinds that the engine does not list, since its grammar knows them.
    """

    engine: str
    version: str
    scalars: frozenset[str]
    aggregates: frozenset[str]
    windows: frozenset[str]
    generators: frozenset[str]
    tables: frozenset[str]
    grammar: frozenset[str]

    @cached_property
    def all(self) -> frozenset[str]:
        """The functions of all kinds."""
        return self.scalars | self.aggregates | self.windows | self.generators | self.tables


@cache
def engines() -> tuple[str, ...]:
    """The engines whose functions are known, with their minor versions: ``hive-2.3``."""
    return tuple(sorted(file.stem for file in _DIRECTORY.glob("*.json")))


def functions_of(engine: str) -> EngineFunctions:
    """The functions that an engine has.

    Args:
        engine: one of ``engines()``.

    Raises:
        InvalidInputError: it is none of them.
    """
    if engine not in engines():
        raise InvalidInputError(f"The functions of {engine!r} are not known. {did_you_mean(engine, engines())}")
    return _read(engine)


@cache
def _read(engine: str) -> EngineFunctions:
    content = json.loads((_DIRECTORY / f"{engine}.json").read_text(encoding="utf-8"))
    kinds = {kind: frozenset(content[kind]) for kind in KINDS}
    return EngineFunctions(engine=engine, version=content["version"], grammar=frozenset(content["grammar"]), **kinds)
