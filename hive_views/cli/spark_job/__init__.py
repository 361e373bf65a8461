"""``publish --file`` on the executors of a Spark cluster.

What lives here: the file to give to ``spark-submit``, and nothing beside it: Python puts the directory of the file it
is given before its own library, where a ``calendar.py`` would hide the one that others import.

    job=$(python -c 'import hive_views.cli.spark_job as job; print(job.__path__[0])')/__main__.py
    spark-submit --master yarn "$job" --uri thrift://metastore:9083 publish --file publications.toml

Behind the file stand the options of ``hive-views``, and ``publish --file`` with its own; the exit code is the same.

The session itself is asked for ``strict``, ``record_reads`` and ``--openlineage``; it must be on the metastore, by
``--conf spark.sql.catalogImplementation=hive`` and ``spark.hadoop.hive.metastore.uris`` or a hive-site.xml.

``python -m hive_views.cli.spark_job`` does it with the Spark that PySpark's own settings name.
"""
