"""Many publications at once; one that fails does not stop the others.

publication.py         one publication, and which exclude each other
publications_file.py   the file that lists them
publish_each.py        carrying them out, and the outcome of each
watch.py               again and again, and what changes
"""
