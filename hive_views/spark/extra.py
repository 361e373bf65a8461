"""What is said when PySpark is missing.

What lives here: the message. What must not: Spark.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hive_views.errors import UnsupportedFeatureError


@contextmanager
def missing_pyspark() -> Iterator[None]:
    """
    Raises:
        UnsupportedFeatureError: an import inside the block failed.
    """
    try:
        yield
    except ImportError as error:
        raise UnsupportedFeatureError(
            f"This needs PySpark, which cannot be imported ({error}). Install it with: pip install 'hive_views[spark]'"
        ) from error
