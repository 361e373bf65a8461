"""Publishing with a session: Spark's plans say what each partition reads, which is checked and recorded.

publish_with_spark.py     ``publish``: ``hive_views.publish`` with the steps below; read it first
revalidate_with_spark.py  ``revalidate`` and ``plan_republish`` with directories listed by the executors
strict.py                 refuses a view that reads whole tables for each of its partitions
recording.py              what partitions read, recorded with them and reported to a callback
lineage_events.py         a callback that sends OpenLineage events
job.py                    ``publish_all``: many publications as one Spark job
"""
