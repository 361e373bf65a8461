"""The Iceberg view spec as pure functions and values.

metadata.py and schema.py are the content of a metadata file: read them first. updates.py has every rule by which one
content becomes the next, serde.py its bytes and file names. identifiers.py reads and checks names of views,
unpacking.py bounds what compressed content unpacks to.
"""
