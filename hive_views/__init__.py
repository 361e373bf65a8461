"""Versioned, partition-aware SQL views in a Hive Metastore, shared by Hive, Spark SQL, Trino and Iceberg engines.

    catalog = hive_views.ViewCatalog.connect("thrift://metastore:9083", warehouse="s3://lake/views")
    view = catalog.create_view("sales.daily", sql={"hive": "SELECT ..."}, schema=[("ds", "string")])
    catalog.replace_view("sales.daily", sql={"hive": "SELECT ..."})    # a new version; roll_back_view returns
    catalog.partitions("sales.daily").add([{"ds": "2026-08-21"}])

Where a verb is: what is done to one view is a method of ViewCatalog; what is done to many views is a function of
hive_views.estate (adopt, check, backup, copy_views and others); what publishes is a function here; what needs a Spark
session is in hive_views.spark.

- catalogs and views: ViewCatalog, load_catalog (from settings); View, ViewPartitions, CommitSettings, TableIdentifier;
  Row and Column (the row of a view in the metastore), Purged (what a drop deleted)
- authentication: Kerberos, DelegationToken, Plain, JWT, TLS
- statements in SQL: execute, execute_script; a query in another dialect: translate; on engines: verify,
  verify_view
- publishing a partition once its base tables are loaded: publish, plan_publish, apply_plan, status; with the rules
  requires, has_at_least, quiet_for, marked_done, committed_with, watermark_passed, when, all_of, any_of, negate, and in
  them column, timestamp, values_of; read_rule and str(rule) for rules as text
- finding out what has changed under them since: revalidate; and what follows: republish, plan_republish,
  apply_republish_plan
- many publications: Publication, read_publications, publish_each, publish_lazily, watch
- events about partitions: notify= of publish, notify_changed, notify_late; Receiver
- errors: HiveViewsError is the root; hive_views.errors has all of them

``help(hive_views.ViewCatalog)`` describes a class; the command is ``hive-views --help``.
"""

# What lives here: nothing but the public names, listed in __init__.pyi and imported when they are first used, so that
# `import hive_views` costs nothing; and the handler that keeps the library silent until somebody listens to the loggers
# under hive_views.

import importlib
import logging
import warnings
from typing import Any

import lazy_loader

_public_name, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

logging.getLogger(__name__).addHandler(logging.NullHandler())

_SAME_NAME = (
    *("BackupOutcomes", "CheckReport", "HtmlReport", "Manifest", "ViewSummary", "adopt", "backup", "check", "clean"),
    *("copy_views", "describe_views", "fix", "list_dropped", "move_views", "read_archive", "report"),
    *("restore", "undrop"),
)
_MOVED_TO_ESTATE = {**{name: name for name in _SAME_NAME}, "release": "hand_back"}


def __getattr__(name: str) -> Any:
    if name not in _MOVED_TO_ESTATE:
        return _public_name(name)
    now = _MOVED_TO_ESTATE[name]
    warnings.warn(f"hive_views.{name} is now hive_views.estate.{now}.", DeprecationWarning, stacklevel=2)
    return getattr(importlib.import_module("hive_views.estate"), now)
