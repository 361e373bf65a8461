"""Files on any fsspec storage, and which of them are a view's.

metadata_files.py       the metadata files of views, each written once under a name of its own
└── files.py         the one door to fsspec
├── atomic_writes.py      files that get their name only when they are complete
├── bulk_deletes.py       many files deleted by one request
├── fsspec_listings.py    what a listing says of a file
├── webhdfs.py            files of HDFS over HTTP
├── hdfs_addresses.py     where NameNodes answer over HTTP
└── client_errors.py      errors of storage clients, as errors of this library
unwritten_files.py      those of a dry run
ownership.py            which row a file belongs to, and where the files of a view are
locations.py            names of files and directories, and which are one place
allowed_locations.py    which locations a server may use
probe.py                whether a storage does what commits need
"""
