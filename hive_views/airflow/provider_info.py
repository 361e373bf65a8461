"""What Airflow is told of this package (entry point ``apache_airflow_provider``): its link, and its connection."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

_HIVE_PROVIDER = "apache-airflow-providers-apache-hive"


def provider_info() -> dict[str, Any]:
    """The description of this package in the form of Airflow's provider_info.schema.json."""
    return {
        "package-name": "hive-views",
        "name": "hive_views",
        "description": "Versioned, partition-aware SQL views in a Hive Metastore.",
        "extra-links": ["hive_views.airflow.report_link.ReportLink"],
        # A type of connection belongs to one provider, and Airflow warns of a second one.
        "connection-types": [] if _has_hive_provider() else [_CONNECTION],
    }


_CONNECTION = {
    "connection-type": "hive_metastore",
    "hook-class-name": "hive_views.airflow.hook.HiveViewsHook",
    "hook-name": "Hive Metastore Thrift",
    "ui-field-behaviour": {
        "hidden-fields": ["schema"],
        "relabeling": {},
        "placeholders": {
            "port": "9083",
            "extra": '{"auth_mechanism": "GSSAPI", "kerberos_service_name": "hive", "warehouse": "s3://lake/views"}',
        },
    },
}


def _has_hive_provider() -> bool:
    try:
        distribution(_HIVE_PROVIDER)
    except PackageNotFoundError:
        return False
    return True
