"""Names of partitions, ``ds=2026-08-21/hr=00``: writing and reading them, escaped as Hive does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.hive.limits import MAX_PARTITION_NAME, stored_length

DEFAULT_PARTITION = "__HIVE_DEFAULT_PARTITION__"
"""What Hive writes for NULL and for an empty value in the name of a partition."""

# FileUtils.escapePathName, the same in Hive 2.3 to 4.0.
_ESCAPED = re.compile(r"[\x00-\x1f\x7f\"#%'*/:=?\\{\[\]^]")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")


def escape(text: str) -> str:
    """A key or value as it is written in the name of a partition: some characters become ``%`` and two hex digits."""
    return _ESCAPED.sub(lambda match: f"%{ord(match[0]):02X}", text)


def unescape(text: str) -> str:
    """The inverse of ``escape``; a ``%`` without two hex digits stays as it is, as in Hive's unescapePathName."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)


def partition_name(keys: Sequence[str], values: Sequence[str]) -> str:
    """The metastore's name for the partition with these values, in the order of the partition columns.

    Keys are folded to lower case, and an empty value gets the name of NULL, as in Hive's Warehouse.makePartName.

    Raises:
        InvalidPartitionError: not one value for each key, or the name is longer than the metastore holds.
    """
    if len(keys) != len(values):
        raise InvalidPartitionError(
            f"Cannot name a partition: there are {len(keys)} partition columns ({', '.join(keys)}) and {len(values)} "
            f"values ({', '.join(values)}).",
        )
    pairs = zip(keys, values, strict=True)
    name = "/".join(f"{escape(key.lower())}={escape(value) or DEFAULT_PARTITION}" for key, value in pairs)
    if stored_length(name) > MAX_PARTITION_NAME:
        raise InvalidPartitionError(
            f"The name of the partition {name[:60]}... has {stored_length(name)} characters, and the metastore holds "
            f"{MAX_PARTITION_NAME} (special characters count as three). Use shorter values.",
            partitions=[name],
        )
    return name


def parse_partition_name(name: str) -> dict[str, str]:
    """The values by key, which is in lower case, of a partition's name.

    NULL has the value ``__HIVE_DEFAULT_PARTITION__``.

    Raises:
        InvalidPartitionError: it is not ``key=value``, once for each key, joined by ``/`` and escaped.
    """
    values: dict[str, str] = {}
    for part in name.split("/"):
        # Only the '=' between them is bare: those of keys and values are escaped.
        key, _, value = part.partition("=")
        key = unescape(key).lower()
        if not key or not value or "=" in value or key in values:
            raise InvalidPartitionError(
                f"Cannot read {name!r} as the name of a partition: {part!r} is not the only value of a key. "
                f"Names look like ds=2026-08-21/hr=00; '/', '=' and '%' inside a value are written %2F, %3D and %25.",
                partitions=[name],
            )
        values[key] = unescape(value)
    return values


def read_partition(text: str) -> dict[str, str]:
    """The values that a person writes as ``ds=2026-08-21,hr=7``, or as a partition's name (``ds=2026-08-21/hr=7``).

    In values, a comma, slash or percent sign is written %2C, %2F, %25.

    Raises:
        InvalidInputError: a part is not written so, or names a column for the second time.
    """
    values: dict[str, str] = {}
    for part in re.split("[,/]", text):
        key, separator, value = part.strip().partition("=")
        if not separator or not key:
            raise InvalidInputError(f"{part.strip()!r} is not COLUMN=VALUE[,COLUMN=VALUE...].")
        name = unescape(key)
        if name in values:
            raise InvalidInputError(f"{text!r} has two values for {name!r}.")
        values[name] = unescape(value)
    return values
