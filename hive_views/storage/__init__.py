"""Files on any fsspec storage, and which of them are a view's.

metadata_files.py       the metadata files of views, each written once under a name of its own
└── files.py         the one door to fsspec
├── atomic_writes.py      files that have their name only when all of them is there
├── bulk_deletes.py       many files deleted by one request
├── fsspec_listings.py    what a listing says of a file
└── client_errors.py      what a client raised, as an error of ours
unwritten_files.py      those of a dry run
ownership.py            which row a file belongs to, and where the files of a view are
locations.py            names of files and directories, and which are one place
allowed_locations.py    which locations a server may use
probe.py                whether a storage does what commits need
"""
