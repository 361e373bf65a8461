"""Versioned, partition-aware SQL views in a Hive Metastore, shared by Hive, Spark SQL, Trino and Iceberg engines.

    catalog = hive_views.ViewCatalog.connect("thrift://metastore:9083", warehouse="s3://lake/views")
    view = catalog.create_view("sales.daily", sql={"hive": "SELECT ..."}, schema=[("ds", "string")])
    catalog.replace_view("sales.daily", sql={"hive": "SELECT ..."})    # a new version; roll_back_view returns
    catalog.partitions("sales.daily").add([{"ds": "2026-08-21"}])

Where to begin:

- catalogs and views: ViewCatalog, load_catalog (from settings); View, ViewPartitions, CommitSettings, TableIdentifier
- archives of views: backup, restore, read_archive
- authentication: Kerberos, Plain, TLS
- statements in SQL: execute, execute_script
- publishing a partition once its base tables are loaded: publish, plan_publish, apply_plan, revalidate, status; with
  the rules requires, has_at_least, quiet_for, marked_done, committed_with, watermark_passed, when, all_of, any_of,
  negate, and in them column, timestamp, values_of; read_rule and str(rule) for rules as text
- many publications: Publication, read_publications, publish_each, publish_lazily
- plain views taken in, and handed back: adopt, hand_back (formerly release)
- what is wrong with many views: check, fix, CheckReport
- many views at once: describe_views (what there is), list_dropped, undrop, copy_views, move_views,
  clean, report (one HTML page)
- errors: HiveViewsError is the root; hive_views.errors has all of them
- with a Spark session: hive_views.spark

``help(hive_views.ViewCatalog)`` describes a class; the command is ``hive-views --help``.
"""

# What lives here: nothing but the public names, listed in __init__.pyi and imported when they are first used, so that
# `import hive_views` costs nothing; and the handler that keeps the library silent until somebody listens to the loggers
# under hive_views.

import logging

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

logging.getLogger(__name__).addHandler(logging.NullHandler())
