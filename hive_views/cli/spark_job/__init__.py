"""``publish --file`` on the executors of a Spark cluster: the file for ``spark-submit``.

It is alone in its directory, which Python searches before its own library: a ``calendar.py`` would hide the standard
one.

    job=$(python -c 'import hive_views.cli.spark_job as job; print(job.__path__[0])')/__main__.py
    spark-submit --master yarn "$job" --uri thrift://metastore:9083 publish --file publications.toml

After the file come the options of ``hive-views``, and ``publish --file`` with its own options; exit codes are the same.

``strict``, ``record_reads`` and ``--openlineage`` use the Spark session, which must be connected to the metastore:
``--conf spark.sql.catalogImplementation=hive`` and ``spark.hadoop.hive.metastore.uris``, or a hive-site.xml.

``python -m hive_views.cli.spark_job`` runs it with the Spark that PySpark is configured for.
"""
