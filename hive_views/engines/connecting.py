"""An engine in use, from what a user names: an address, a session of Spark, or ``spark`` for a local one."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from hive_views.engines.address import read_address
from hive_views.engines.engine_protocol import Engine
from hive_views.engines.hive_engine import hive_at
from hive_views.engines.spark_engine import SparkEngine, local_spark
from hive_views.engines.trino_engine import trino_at
from hive_views.errors import InvalidInputError
from hive_views.views.catalog import ViewCatalog

_LOCAL_SPARK = "spark"


def dialect_of(engine: Any) -> str:
    """The dialect that an engine has as its own.

    Raises:
        InvalidInputError: the address is none.
    """
    return "spark" if not isinstance(engine, str) or engine == _LOCAL_SPARK else read_address(engine).kind


def connecting(engine: Any, catalog: ViewCatalog | None, timeout_s: float) -> AbstractContextManager[Engine]:
    """An engine, which is connected to when the block begins; a mistake in its address is told at once.

    Args:
        engine: a SparkSession; ``"spark"`` for a local one on the metastore of the catalog; or an address.
        catalog: where the views are; None where no local Spark is asked.
        timeout_s: how long the engine may take for each query, in seconds.

    Raises:
        InvalidInputError: the address is none, or a local Spark has no catalog; in the block: Trino has no such
            catalog.
        UnsupportedFeatureError: in the block: the client of the engine is missing.
        UnavailableError: in the block: the engine does not answer, or refuses the user.
    """
    if not isinstance(engine, str):
        return nullcontext(SparkEngine(engine))
    if engine == _LOCAL_SPARK:
        if catalog is None:
            raise InvalidInputError("A local Spark needs the catalog whose tables it reads: give catalog=.")
        return local_spark(catalog)
    address = read_address(engine)
    return (trino_at if address.kind == "trino" else hive_at)(address, timeout_s)
