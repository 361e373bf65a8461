"""Many publications at once: a file that lists them, and carrying out one after the other.

What lives here: what a publication is, reading a file of them, and running them beside each other's failures. What must
not: when a partition is ready (readiness/), Spark (spark/), options of the command (cli/).

    publication.py         one publication, and which do not go together
    publications_file.py   the file
    publish_each.py        running them, and the outcome of each
"""
