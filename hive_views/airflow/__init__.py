"""Airflow 3: operators that publish and revalidate views, a deferrable sensor, and assets that start other DAGs.

    from hive_views.airflow import PublishOperator, RevalidateOperator, ViewPartitionSensor, view_asset

README.md has the arguments, and DAGs to copy. This is the only room that imports airflow, and nothing imports this
room. As in ``hive_views``, the public names are listed in __init__.pyi and imported when they are first used: Airflow
loads provider_info.py in each of its processes, which must cost nothing.
"""

import importlib.util
from typing import Any

import lazy_loader

from hive_views.errors import UnsupportedFeatureError

_public_name, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name in __all__ and importlib.util.find_spec("airflow") is None:
        raise UnsupportedFeatureError(
            f"{name} needs Airflow 3, which is not installed. Install it with: pip install 'hive_views[airflow]'"
        )
    return _public_name(name)
