"""Many publications at once: a file that lists them, and carrying out one after the other.

What lives here: what a publication is, reading a file of them, and running them beside each other's failures. What must
not: how one is carried out (publish.py), Spark (spark/publishing/job.py), options of the command (cli/).

    publication.py         one publication, and which do not go together
    publications_file.py   the file
    publish_each.py        carrying them out, and the outcome of each
"""
