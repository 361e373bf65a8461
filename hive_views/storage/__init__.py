"""Files on any fsspec storage, and which of them are a view's.

files.py is the one door to fsspec, entries.py reads what its listings say, and reach.py says which locations a server
may use; whole_files.py writes what has its name only when all of it is there, and many_deletes.py deletes many at once;
trial.py tries what commits need. metadata_files.py keeps the metadata files of views on it, each written once under a
name of its own. directories.py says where the files of a view are, and which row a file belongs to.
"""
