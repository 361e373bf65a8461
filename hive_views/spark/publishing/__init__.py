"""Publishing with a session: by Spark's plans it is checked and recorded what each partition reads.

    publish_with_spark.py   ``publish``: the two halves of ``hive_views.publish`` with the steps below; read it first
    revalidate_with_spark.py  ``revalidate`` with directories listed by the executors
    strict.py               refuses a view that reads whole tables for each of its partitions
    recording.py            what partitions read, recorded with them and reported to a callback
    unreported.py           notes of what has still to be reported
    lineage_events.py       a callback that sends OpenLineage events
    job.py                  ``publish_all``: many publications as one Spark job

What must not be here: when a partition is ready, how it is declared (hive_views/publishing/).
"""
