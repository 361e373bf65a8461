"""Archives of views: one zip file with rows, metadata files and partitions, and a manifest with their checksums.

What lives here: the format, writing it, and reading only what its checksums prove. What must not: which views are put
in (backup.py), how they come back (restore.py), which archives are deleted (rotation.py).

    manifest.json                                what is in the archive, with size and SHA-256 of every other member
    manifest.json.sha256                         the SHA-256 of manifest.json, as ``sha256sum -c`` reads it
    views/<namespace>/<name>/row.json            the row, field by field
    views/<namespace>/<name>/metadata.json       the metadata file byte for byte, with all its versions (or
                                                 ``metadata.json.gz``); a plain view has none
    views/<namespace>/<name>/partitions.jsonl    one line for each partition: name, values, parameters

The SHA-256 of ``manifest.json`` is the archive's id: with it the manifest names the earlier archives that hold the
content of views which have not changed since. ``format-version`` of the manifest is 1; an archive of a later one is
refused.
"""
