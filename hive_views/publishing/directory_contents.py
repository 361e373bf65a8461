"""What is in the directories of Hive partitions, as short texts that can be compared.

Spark and others write files without touching the partition in the metastore. So the names, sizes, times and tags of
files are compared, as one listing shows them; no file is opened.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hive_views.base_tables.port import PartitionValues, Registered
from hive_views.errors import HiveViewsError
from hive_views.publishing.ledger.inputs import fingerprint_of
from hive_views.storage.files import Files, fetch_ahead

# A storage that has refused so many in a row refuses the rest, and may take a minute for each.
_MOST_REFUSALS = 32


@dataclass(frozen=True)
class Directory:
    """What lies in one directory.

    Attributes:
        text: differs once a file has come, gone or been written again; None where that is unknown.
        unknown: why it is, for people.
        is_refused: the storage said nothing of it, and may say nothing of others.
    """

    text: str | None = None
    unknown: str = ""
    is_refused: bool = False


_GONE = Directory(unknown="the metastore no longer has one of its partitions")

ListDirectories = Callable[[Files, Sequence[str]], Iterable[Directory]]
"""What lists many directories of one storage, in their order; what is wrong with one is in its answer."""


def list_directories(files: Files, locations: Sequence[str]) -> Iterator[Directory]:
    """What lies in each of these directories, in their order; several are listed at once."""
    refused = 0
    for number, directory in enumerate(fetch_ahead(partial(_list_directory, files), locations), start=1):
        yield directory
        refused = refused + 1 if directory.is_refused else 0
        if refused == _MOST_REFUSALS:
            yield from itertools.repeat(directory, len(locations) - number)
            return


def directories_of(
    registered: Mapping[PartitionValues, Registered], files: Files, list_directories: ListDirectories
) -> dict[PartitionValues, Directory]:
    """What lies in the directories of these partitions; each is listed once."""
    locations = list(dict.fromkeys(one.directory for one in registered.values() if one.directory))
    found = dict(zip(locations, list_directories(files, locations), strict=True))
    nowhere = Directory(unknown="a partition has no directory")
    return {values: found[one.directory] if one.directory else nowhere for values, one in registered.items()}


def text_of(directories: Mapping[PartitionValues, Directory], partitions: Iterable[PartitionValues]) -> Directory:
    """What lies in the directories of all these partitions; unknown where it is of one."""
    texts: dict[PartitionValues, str] = {}
    for values in partitions:
        found = directories.get(values, _GONE)
        if found.text is None:
            return found
        texts[values] = found.text
    return Directory(fingerprint_of(texts))


def _list_directory(files: Files, location: str) -> Directory:
    try:
        found = files.list_tree(location, _is_hidden)
    except FileNotFoundError:
        return Directory(unknown=f"the directory {location} is gone")
    except HiveViewsError as error:
        return Directory(unknown=str(error), is_refused=True)
    if any(one.modified_at_ms is None and one.tag is None for one in found):
        return Directory(unknown=f"the storage does not say when the files of {location} were written")
    start = len(location.rstrip("/"))
    # Sizes and times alone would not show that a file has the place of another.
    lines = [[one.location[start:], one.size, one.modified_at_ms, one.tag] for one in found]
    return Directory(hashlib.blake2b(json.dumps(lines).encode(), digest_size=8).hexdigest())


def _is_hidden(name: str) -> bool:
    """Whether engines leave it out: ``_SUCCESS``, ``_temporary``, ``.hive-staging_...``; not ``_year=2026``."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)
