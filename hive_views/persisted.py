"""Everything that this library writes under names of its own, in one list.

A release reads what earlier ones have written: a name never changes its meaning, and a value of a new form has a new
version of its format.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

OWN_PREFIX = "hive-views."


class Place(Enum):
    """Where something is kept."""

    ROW = "parameter of the metastore row"
    VIEW = "property in the view's metadata file, and parameter of its row"
    VERSION = "key of a version's summary, in the metadata file"
    PARTITION = "parameter of a partition"
    NAMESPACE = "parameter of a namespace"
    FILE = "suffix of files beside the metadata files"
    ARCHIVE = "member of an archive of `hive-views backup`"
    AIRFLOW = "key of Airflow's state of a task"
    CACHE = "suffix of files in the user's cache"


@dataclass(frozen=True)
class Persisted:
    """One name under which something is kept.

    Attributes:
        name: the key, the suffix of a file's name, or the name of a member; a key that ends in a dot is a prefix.
        place: where it is kept.
        version: of the format of its value, or of the file.
        meaning: what it says, in one sentence.
    """

    name: str
    place: Place
    version: int
    meaning: str


REGISTRY: list[Persisted] = []
FILE_FORMAT = 1
"""Of the journal's, the listings' and the notes' files, which each of them names: ``format-version``."""
ARCHIVE_FORMAT: Literal[1] = 1
"""Of archives, whose manifest names it: ``format-version``."""


def _persisted(name: str, place: Place, version: int, meaning: str) -> str:
    REGISTRY.append(Persisted(name, place, version, meaning))
    return name


FINGERPRINT = _persisted(
    "hive-views.row-fingerprint",
    Place.ROW,
    1,
    "A hash of the row as it was written, which shows changes by other programs.",
)
TEXT_DIALECT = _persisted("hive-views.text-dialect", Place.ROW, 1, "The dialect of the row's SQL, if it is not `hive`.")
PENDING_KEYS = _persisted(
    "hive-views.pending-partition-keys",
    Place.ROW,
    1,
    "The partition columns that a change of columns has removed from the row, and will restore in a second step.",
)
# Only we write it, and everybody's ALTER TABLE carries it along.
OWNS = _persisted("hive-views.owns", Place.ROW, 1, "The incarnation (token) of the row, whose files it owns.")

RENAMED_WITH = _persisted(
    "hive-views.renamed-with",
    Place.ROW,
    1,
    "Hashes of the last requests with an idempotency key that renamed the view, the newest last.",
)

PARTITIONED_ON = _persisted("hive-views.partitioned-on", Place.VIEW, 1, "The partition columns, in order.")
COMMITS = _persisted("hive-views.commits", Place.VIEW, 1, "The ids of the last commits, the newest last.")
# Made anew with each row: several rows may have one view-uuid.
INCARNATION = _persisted("hive-views.incarnation", Place.VIEW, 1, "The token of the row that a file was written for.")
MADE_AS = _persisted("hive-views.made-as", Place.VIEW, 1, "The name that the row had when it was created.")
MADE_IN = _persisted(
    "hive-views.made-in", Place.VIEW, 1, "The identity of the metastore that the row was created in, if it has one."
)
PARTITION_DESCRIPTOR = _persisted(
    "hive-views.partition-descriptor",
    Place.VIEW,
    1,
    "`empty` if the metastore cannot add partitions without a storage descriptor.",
)
FORMER_DIRECTORIES = _persisted(
    "hive-views.former-directories",
    Place.VIEW,
    1,
    "The directories of earlier files, if the view's location was changed.",
)
NOTED_AT = _persisted(
    "hive-views.noted-at",
    Place.VIEW,
    1,
    "If the files are not in the default directory for the name: the directory of the note that says so, and their "
    "own.",
)
COPIED_FROM = _persisted(
    "hive-views.copied-from", Place.VIEW, 1, "The name of the file that the first file of the row was copied from."
)
FOR_ENGINE = _persisted(
    "hive-views.for", Place.VIEW, 1, "`hive` if the view's SQL for plain readers need not be readable by Spark."
)
FENCING = _persisted(
    "hive-views.publish.", Place.VIEW, 1, "By application, the newest run that published, and whether it was completed."
)
PUBLISHED_WITH = _persisted(
    "hive-views.published-with.", Place.VIEW, 1, "By publication, its rules as an expression, and its bounds."
)
REQUESTS = _persisted(
    "hive-views.requests",
    Place.VIEW,
    1,
    "Hashes of the last requests with an idempotency key from Iceberg clients, the newest last.",
)
TAG = _persisted("hive-views.tag.", Place.VIEW, 1, "By tag, the id of a version and its time, with `@` between.")

PROJECT = _persisted("hive-views.project", Place.VIEW, 1, "The name of the project whose release created the view.")

HIVE_TYPES = _persisted(
    "hive-views.hive-types", Place.VERSION, 1, "The Hive types of columns whose Iceberg type corresponds to several."
)
# Files that exist have this name of it.
ORIGINAL_SQL = _persisted(
    "hive-views.typed-sql.", Place.VERSION, 1, "By dialect, the SQL as it was written, if the representation differs."
)
SPARK_SETTINGS = _persisted(
    "hive-views.spark-settings", Place.VERSION, 1, "The settings of the Spark session that created an adopted view."
)
STAR_COLUMNS = _persisted(
    "hive-views.star-columns",
    Place.VERSION,
    1,
    "The names of the columns of the Spark SQL, in order, if a star hides them.",
)
STALE_DIALECTS = _persisted(
    "hive-views.stale-dialects",
    Place.VERSION,
    1,
    "The dialects whose SQL did not change when that in others did, so that it may say something else.",
)
TRANSLATED = _persisted(
    "hive-views.translated.",
    Place.VERSION,
    1,
    "By dialect, from which dialect its SQL was translated, by which rules, and what was found and allowed.",
)
TRINO_CATALOG = _persisted(
    "hive-views.trino-catalog",
    Place.VERSION,
    1,
    "Trino's name for the catalog in which names are resolved, for rows in Trino's format.",
)
ROW_AS_FOUND = _persisted(
    "hive-views.row-as-found",
    Place.VERSION,
    1,
    "The parts of the row of an adopted view that readers use, as they were found.",
)
ROW_CHANGED_AT = _persisted(
    "hive-views.row-changed-at",
    Place.VERSION,
    1,
    "When the row of an adopted view had last been changed before, in seconds since 1970.",
)

RELEASE = _persisted(
    "hive-views.release",
    Place.VERSION,
    1,
    "The release of a project that made the version: its id, when, by whom, and what the view was before and after.",
)

INPUTS = _persisted(
    "hive-views.inputs", Place.PARTITION, 2, "The state of each base table that the partition was published on."
)
PUBLISHED_BY = _persisted("hive-views.published-by", Place.PARTITION, 1, "The application that declared the partition.")
PUBLISHED_RULE = _persisted(
    "hive-views.published-rule", Place.PARTITION, 1, "A hash of the rule that the partition was published by."
)
PUBLISHED_VERSION = _persisted(
    "hive-views.published-version", Place.PARTITION, 1, "The version of the application's run that declared it."
)
READS = _persisted("hive-views.reads", Place.PARTITION, 1, "The partitions of base tables that its query reads.")
ROWS = _persisted("hive-views.rows", Place.PARTITION, 1, "The number of rows when the partition was analyzed.")
AGGREGATE = _persisted(
    "hive-views.aggregate.", Place.PARTITION, 1, "By name, an aggregate that was computed for the partition."
)
ANALYZED_AT = _persisted(
    "hive-views.analyzed-at-ms", Place.PARTITION, 1, "When the partition was analyzed, in milliseconds since 1970."
)

CREATED_WITH = _persisted(
    "hive-views.created-with",
    Place.NAMESPACE,
    1,
    "The hash of the request with an idempotency key that created the namespace.",
)

METADATA_SUFFIX = _persisted(".metadata.json", Place.FILE, 1, "A metadata file in the format of Iceberg's view spec.")
JOURNAL_SUFFIX = _persisted(".partitions", Place.FILE, FILE_FORMAT, "Entries of the journal of the view's partitions.")
LISTING_SUFFIX = _persisted(".listing", Place.FILE, FILE_FORMAT, "The last listing of a base table; a cache.")
# Files that exist have this name.
UNREPORTED_SUFFIX = _persisted(
    ".untold",
    Place.FILE,
    FILE_FORMAT,
    "What has still to be reported to a callback, or to a receiver of events.",
)
REDECLARED_SUFFIX = _persisted(
    ".redeclared",
    Place.FILE,
    FILE_FORMAT,
    "Partitions that were to be retracted and declared again, with their parameters.",
)

REQUEST_SUFFIX = _persisted(
    ".request",
    Place.FILE,
    FILE_FORMAT,
    "The view that a request with an idempotency key created, renamed or dropped; its name is the hash of the request.",
)

WHEREABOUTS_SUFFIX = _persisted(
    ".whereabouts",
    Place.FILE,
    FILE_FORMAT,
    "For a view that has or had the name: the last file when it was dropped, its new name, or the new location of its "
    "files.",
)

ARCHIVE_MANIFEST = _persisted(
    "manifest.json", Place.ARCHIVE, ARCHIVE_FORMAT, "The contents of the archive, with checksums of all other members."
)
DECLARED_BY_TASK = _persisted(
    "hive-views.declared",
    Place.AIRFLOW,
    1,
    "The partitions that the tries of a task have been about to declare, for the event that the task sends in the end.",
)
ANALYSES_SUFFIX = _persisted(
    ".analyses",
    Place.CACHE,
    FILE_FORMAT,
    "What the views of a metastore return and read, so that only those that have changed are analyzed again; a cache.",
)
