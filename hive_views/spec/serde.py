"""Metadata files as bytes: JSON, gzip by file name, and the names themselves."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ValidationError

from hive_views.errors import CorruptMetadataError, InvalidInputError, UnsupportedFeatureError
from hive_views.persisted import METADATA_SUFFIX
from hive_views.spec.metadata import FORMAT_VERSION, ViewMetadata
from hive_views.spec.strict_json import read_json
from hive_views.spec.unpacking import TooLargeError, gunzip

# A view whose ten versions have a text of a megabyte in each of three dialects is half as large. In memory, JSON can
# become thirty times what it is in a file.
MOST_BYTES = 64 * 2**20
COMPRESSION = "write.metadata.compression-codec"
METADATA_PATH = "write.metadata.path"
_SEQUENCE = re.compile(r"(\d+)-")


def parse_metadata(content: bytes, location: str) -> ViewMetadata:
    """Read the content of a metadata file; its name says whether it is compressed.

    Like Iceberg Java, this accepts a file whose current version or schema is missing from it: the error comes when that
    is asked for, so that such a view can still be inspected and repaired.

    Raises:
        CorruptMetadataError: not JSON, not gzip where the name says so, more than ``MOST_BYTES`` of JSON, or not a view
            of the spec; the field ``path`` names the first bad place (``versions[1].representations[0].sql``).
        UnsupportedFeatureError: a format version later than 1.
    """
    try:
        if is_compressed(location):
            content = gunzip(content, MOST_BYTES)
        elif len(content) > MOST_BYTES:
            raise TooLargeError(f"it has {len(content):,} bytes, more than {MOST_BYTES:,}")
        tree = read_json(content)
    except TooLargeError as e:
        raise CorruptMetadataError(
            f"Cannot read {location}: {e}, which is not allowed in the metadata file of a view. Register an older file "
            f"of the same directory, and find out who wrote this one.",
            location=location,
        ) from e
    except (OSError, EOFError, zlib.error) as e:
        message = f"Cannot read {location}: it is not a complete gzip file ({e})."
        raise CorruptMetadataError(message, location=location) from e
    except ValueError as e:
        raise CorruptMetadataError(f"Cannot read {location}: it is not JSON ({e}).", location=location) from e
    if isinstance(tree, dict) and "table-uuid" in tree:
        raise CorruptMetadataError(f"Cannot read {location}: it is the metadata of a table.", location=location)
    version = tree.get("format-version") if isinstance(tree, dict) else None
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise UnsupportedFeatureError(
            f"Cannot read {location}: it is of format-version {version}; this library knows {FORMAT_VERSION}.",
            location=location,
        )
    try:
        metadata = ViewMetadata.model_validate(tree)
    except ValidationError as e:
        first = e.errors(include_url=False, include_context=False)[0]
        path = _path(first["loc"])
        what = first["msg"].removeprefix("Value error, ")
        raise CorruptMetadataError(
            f"Cannot read {location}: at {path or 'the top level'}: {what}.", location=location, path=path
        ) from e
    _refuse_duplicates(location, "versions", "version-id", [v.version_id for v in metadata.versions])
    _refuse_duplicates(location, "schemas", "schema-id", [s.schema_id for s in metadata.schemas])
    return metadata


def write_metadata(metadata: ViewMetadata, location: str) -> bytes:
    """The content of the file at ``location``: compact JSON, compressed if its name says so.

    Raises:
        InvalidInputError: an engine could not use the view (its current version or schema is missing, or has two texts
            for one dialect), or the file would be larger than ``MOST_BYTES``.
    """
    dialects = metadata.current_version.dialects
    if len(set(dialects)) < len(dialects):
        raise InvalidInputError(f"Cannot write {location}: the current version has two queries in one dialect.")
    _ = metadata.current_schema
    tree = metadata.model_dump(mode="json")
    if not metadata.properties:
        del tree["properties"]
    try:
        content = json.dumps(tree, separators=(",", ":"), ensure_ascii=False).encode()
    except UnicodeEncodeError as e:
        raise InvalidInputError(f"Cannot write {location}: {e.object[e.start : e.end]!r} is not Unicode text.") from e
    if len(content) > MOST_BYTES:
        raise InvalidInputError(
            f"Cannot write {location}: it would have {len(content):,} bytes of JSON, and at most {MOST_BYTES:,} are "
            f"read again. Shorten the SQL, or keep fewer versions (version.history.num-entries)."
        )
    # Without a time the same metadata gives the same bytes.
    return gzip.compress(content, mtime=0) if is_compressed(location) else content


def is_compressed(location: str) -> bool:
    """Whether a metadata file is gzip, by its name: ``x.gz.metadata.json``, or the older ``x.metadata.json.gz``.

    Raises:
        CorruptMetadataError: not the name of a metadata file.
    """
    name = location.rsplit("/", 1)[-1]
    stem, suffix, rest = name.rpartition(METADATA_SUFFIX)
    if not suffix or rest not in ("", ".gz"):
        raise CorruptMetadataError(
            f"Cannot use {location} as a metadata file: its name must end in {METADATA_SUFFIX}.", location=location
        )
    return rest == ".gz" or stem.endswith(".gz")


def metadata_directory(metadata: ViewMetadata) -> str:
    """Where the view's files are written: ``<location>/metadata``, or the property ``write.metadata.path`` itself."""
    path = metadata.properties.get(METADATA_PATH)
    return path.rstrip("/") if path else f"{metadata.location.rstrip('/')}/metadata"


def next_location(metadata: ViewMetadata, base_location: str | None, commit_id: str) -> str:
    """The name of the file for ``metadata``: one number above the base's, and the commit's own id (a UUID).

    Raises:
        InvalidInputError: the property ``write.metadata.compression-codec`` is neither gzip nor none.
    """
    codec = metadata.properties.get(COMPRESSION, "gzip").lower()
    if codec not in ("gzip", "none"):
        raise InvalidInputError(f"Cannot compress with {codec!r}: {COMPRESSION} is gzip or none.")
    base = sequence_number(base_location or "")
    sequence = 0 if base is None else base + 1
    compressed = ".gz" if codec == "gzip" else ""
    return f"{metadata_directory(metadata)}/{sequence:05d}-{commit_id}{compressed}{METADATA_SUFFIX}"


def sequence_number(location: str) -> int | None:
    """The number that a metadata file's name starts with, one above that of its base; None where it has none."""
    numbered = _SEQUENCE.match(location.rsplit("/", 1)[-1])
    return int(numbered.group(1)) if numbered else None


def _path(steps: Iterable[int | str]) -> str:
    path = ""
    for step in steps:
        # pydantic names the validators and union branches it went through; they are no part of the file.
        if isinstance(step, int):
            path += f"[{step}]"
        elif not step.startswith(("function-", "is-instance", "str")):
            path += f".{step}" if path else step
    return path


def _refuse_duplicates(location: str, where: str, key: str, ids: Sequence[Any]) -> None:
    for index, id_ in enumerate(ids):
        if id_ in ids[:index]:
            path = f"{where}[{index}].{key}"
            raise CorruptMetadataError(
                f"Cannot read {location}: at {path}: {key} {id_} is used twice.", location=location, path=path
            )
