"""What a check can find: all codes, in one table.

The README beside this package has the same table; a test compares them.

A code never changes its meaning, for scripts rely on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Code:
    """A kind of finding.

    Attributes:
        name: the stable code.
        severity: ``error`` where a reader fails, gets something wrong, or files are at risk; ``warning`` for the rest.
        means: what is wrong.
        engines: what an engine does with such a view.
        repair: how to repair it, for the table; a finding has the command itself.
        fixable: whether ``--fix`` does that, because it loses nothing.
        breaks: whether an engine fails on the view, so that it fails on those that read it too.
    """

    name: str
    severity: Severity
    means: str
    engines: str
    repair: str
    fixable: bool = False
    breaks: bool = False


def _codes(*codes: Code) -> dict[str, Code]:
    return {code.name: code for code in codes}


CODES = _codes(
    # -- row and file -------------------------------------------------------------------------------------------------
    Code(
        "drifted",
        "error",
        "The row says something that the metadata file does not: another program changed it without updating the file.",
        "Plain readers get the row, Iceberg engines the file; the next commit is refused.",
        "repair --on-drift",
    ),
    Code(
        "needs-repair",
        "error",
        "The row agrees with the metadata file, but in a shape that breaks readers, as commits of Iceberg Java do.",
        "Spark fails on a partitioned view whose keys are columns too; others may read an older query.",
        "repair",
        fixable=True,
    ),
    Code(
        "unfinished-change",
        "error",
        "A change of columns was interrupted between its two steps; the row has lost its partition columns.",
        "Readers get the view, but its partitions cannot be listed by column.",
        "repair",
        fixable=True,
    ),
    Code(
        "location-set",
        "error",
        "The row has a location.",
        "DROP VIEW by Hive or Spark, and Spark's CREATE OR REPLACE VIEW, delete that directory with all files in it; "
        "no partition can be added.",
        "repair",
        fixable=True,
    ),
    Code(
        "lost-pointer",
        "error",
        "The row has parameters of this library, but no longer points to a metadata file.",
        "Plain readers read the row as it is; Iceberg engines and this library find no view.",
        "undrop",
        fixable=True,
    ),
    Code(
        "unfinished-release",
        "warning",
        "Handing back the view (also by a move) was interrupted between its two steps; the row still names the file.",
        "Readers get the plain view; Iceberg engines and this library find no view.",
        "hand-back, or move",
    ),
    Code(
        "replaced-row",
        "warning",
        "A plain view has taken the name of a view whose files still exist, and differs from them.",
        "Readers get the plain view; the history of the other one is not visible anywhere.",
        "undrop --on-drift",
    ),
    Code(
        "file-missing",
        "error",
        "The metadata file that the row points to does not exist.",
        "Plain readers read the row; Iceberg engines fail, and nothing can be committed.",
        "register --overwrite, or restore --on-conflict replace",
    ),
    Code(
        "file-damaged",
        "error",
        "The metadata file cannot be read, or is not that of a view.",
        "Plain readers read the row; Iceberg engines fail, and nothing can be committed.",
        "register --overwrite, or restore --on-conflict replace",
    ),
    Code(
        "file-of-another-view",
        "error",
        "The metadata file has a different view uuid from the row.",
        "Iceberg engines refuse the view or read the other one; plain readers read the row.",
        "register --overwrite, or restore --on-conflict replace",
    ),
    Code(
        "file-too-new",
        "error",
        "The metadata file has a later format version than this library supports.",
        "An engine with an older Iceberg fails on it too; plain readers read the row.",
        "a newer hive_views",
    ),
    Code(
        "shared-file",
        "error",
        "Two rows point to one metadata file.",
        "Both can be read. The next commit separates them, but purging one may delete files that the other needs.",
        "register --overwrite",
    ),
    Code(
        "shared-ownership",
        "error",
        "Two rows claim to own the same files, as happens when a row is copied with its parameters.",
        "Both can be read. Purging one deletes the files of the other.",
        "register --overwrite",
    ),
    # -- what the text reads ------------------------------------------------------------------------------------------
    Code(
        "no-text",
        "error",
        "The row has no expanded text.",
        "Spark fails with INTERNAL_ERROR (Invalid view without text); Hive, Impala and Trino fail too.",
        "repair",
        breaks=True,
    ),
    Code(
        "text-unreadable",
        "error",
        "SQL is not a single query in the grammar of its dialect, or the definition in Trino's format is damaged.",
        "Its engine refuses the view when it is read.",
        "replace",
        breaks=True,
    ),
    Code(
        "source-gone",
        "error",
        "A table or view that the query reads does not exist.",
        "The view fails when it is read: TABLE_OR_VIEW_NOT_FOUND in Spark, 10001 in Hive, INVALID_VIEW in Trino.",
        "the table, or replace",
        breaks=True,
    ),
    Code(
        "column-gone",
        "error",
        "The query names a column that none of its tables has any more.",
        "The view fails when it is read: UNRESOLVED_COLUMN in Spark, 10004 in Hive, INVALID_VIEW in Trino.",
        "replace",
        breaks=True,
    ),
    Code(
        "columns-disagree",
        "error",
        "The query returns different columns from those of the view, by number or name.",
        "Spark fails with INCOMPATIBLE_VIEW_SCHEMA_CHANGE, Trino calls the view stale, Hive returns the new columns.",
        "replace",
        breaks=True,
    ),
    Code(
        "column-type-changed",
        "error",
        "The query returns a column of a type that does not fit into the one that the view declares.",
        "Spark fails with CANNOT_UP_CAST_DATATYPE, Trino calls the view stale, Hive returns the type of the query.",
        "replace",
        breaks=True,
    ),
    Code(
        "star-outdated",
        "warning",
        "SELECT * in the query now stands for different columns from those of the view.",
        "Readers get the columns that the view has; new ones are hidden until it is replaced.",
        "replace",
    ),
    Code(
        "text-stale",
        "warning",
        "The SQL in one dialect did not change when that in others did, so that it may mean something else.",
        "The engine of that dialect may return other rows than the others.",
        "alter --sql, or alter --still-true",
    ),
    Code(
        "outdated-translation",
        "warning",
        "SQL that is translated would be other SQL now: columns of its tables, settings or the rules have changed.",
        "The engine of that dialect may fail, or return other rows than the others.",
        "alter --translate",
        fixable=True,
    ),
    Code(
        "translation-refused",
        "warning",
        "SQL that is translated would be refused now: columns of its tables, settings or the rules have changed.",
        "The engine of that dialect may fail, or return other rows than the others.",
        "alter --translate, with --allow, or alter --sql",
    ),
    Code(
        "translation-record",
        "warning",
        "What is recorded of a translation cannot be read, or is about other SQL: another program has changed it.",
        "The engine of that dialect may return other rows than the others.",
        "alter --translate, or alter --sql",
    ),
    Code(
        "source-broken",
        "error",
        "The view reads a broken view, directly or through others.",
        "The view fails when it is read, as the one that it reads does.",
        "that of the view that it reads",
    ),
    Code(
        "cycle",
        "error",
        "Circular dependency: the view reads itself through other views.",
        "No engine can read it: Hive says that it is recursive, Spark runs into its limit of nested views.",
        "replace",
        breaks=True,
    ),
    # -- partitions ---------------------------------------------------------------------------------------------------
    Code(
        "partitions-of-other-keys",
        "error",
        "Partitions have keys that differ from the partition columns of the view, as an ALTER leaves them.",
        "DROP VIEW fails in Hive and Spark, and hangs in Hive 2.3; such partitions are found by name only.",
        "partitions drop, or repair --on-drift overwrite",
    ),
    Code(
        "partition-values",
        "warning",
        "Partitions have values that do not fit the types of their columns, or are spelled differently than in Hive.",
        "Hive reads such a value as NULL, and filters on that column fail for everybody.",
        "partitions drop",
    ),
    Code(
        "partitions-without-ground",
        "warning",
        "Published partitions have lost base partitions that the rules of their publication require.",
        "Queries return fewer rows than at publication; schedulers still consider the partitions complete.",
        "publish --retract",
    ),
    # -- properties that are misread ----------------------------------------------------------------------------------
    Code(
        "presto-view",
        "error",
        "The parameter presto_view and the comment do not match, so the row is only half a Trino view.",
        "Trino finds neither a view of its own nor one of Hive, and fails; the comment alone misleads Presto.",
        "ALTER VIEW in Hive",
        breaks=True,
    ),
    Code(
        "table-type",
        "error",
        "The parameter table_type says that the row is a table of Iceberg, Delta or Paimon.",
        "Trino, Spark and Hive look for a table's metadata and fail.",
        "ALTER VIEW in Hive",
        breaks=True,
    ),
    Code(
        "external",
        "warning",
        "The view has the parameter EXTERNAL, which is for tables.",
        "Hive 4 cannot rename it: the metastore fails with a NullPointerException.",
        "ALTER VIEW in Hive",
    ),
    Code(
        "storage-handler",
        "error",
        "The view has the parameter storage_handler, which is for tables.",
        "Hive loads the handler's class and treats the view as a table that is stored elsewhere.",
        "ALTER VIEW in Hive",
        breaks=True,
    ),
    Code(
        "made-by-hive",
        "warning",
        "The row has Hive's handler for Iceberg views (HIVE-29578).",
        "Spark without the class of the handler, and Hive without Iceberg, fail: error in loading storage handler.",
        "repair --on-drift adopt",
    ),
    Code(
        "misread-by-hive",
        "error",
        "The row has that handler, and Hive cannot run the query in the metadata file.",
        "Hive takes the query of such a view from the file, without a current database: names fail to resolve, or "
        "resolve to other tables.",
        "repair --on-drift adopt",
        breaks=True,
    ),
    Code(
        "spark-provider",
        "error",
        "The view has the parameter spark.sql.sources.provider, which is for tables.",
        "Spark reads it as a data source table: its rows have no columns.",
        "ALTER VIEW in Hive, or repair --on-drift overwrite",
        breaks=True,
    ),
    Code(
        "spark-schema",
        "error",
        "Spark's copy of the columns (spark.sql.sources.schema) is incomplete, or has different columns from the row.",
        "Spark trusts the copy and shows these columns; if a part is missing, it fails.",
        "ALTER VIEW in Spark, or repair --on-drift overwrite",
        breaks=True,
    ),
    Code(
        "spark-schema-mode",
        "error",
        "view.schemaMode is not a mode that Spark knows.",
        "Spark 4 fails with INTERNAL_ERROR; Spark 3 ignores it.",
        "ALTER VIEW in Spark, or repair --on-drift overwrite",
        breaks=True,
    ),
    Code(
        "spark-setting",
        "error",
        "A setting that the row pins for Spark (view.sqlConfig) has a value that Spark rejects.",
        "Spark fails with INVALID_CONF_VALUE when the view is read.",
        "ALTER VIEW in Spark, or repair --on-drift overwrite",
        breaks=True,
    ),
    Code(
        "spark-name-space",
        "error",
        "view.catalogAndNamespace is incomplete, or names a catalog other than spark_catalog.",
        "Spark fails: INTERNAL_ERROR where a part is missing, REQUIRES_SINGLE_PART_NAMESPACE for another catalog.",
        "repair, or ALTER VIEW in Spark",
        breaks=True,
    ),
    Code(
        "spark-query-columns",
        "error",
        "view.query.out does not name as many columns as the view has.",
        "Spark fails with INTERNAL_ERROR when the view is read.",
        "ALTER VIEW in Spark, or repair --on-drift overwrite",
        breaks=True,
    ),
    Code(
        "no-owner",
        "warning",
        "The row has no owner.",
        "Trino refuses the view (INVALID_VIEW) unless hive.hive-views.run-as-invoker is set.",
        "any commit, or ALTER VIEW in Trino",
    ),
)
"""By name, in the order of the table."""

FIXABLE = tuple(name for name, code in CODES.items() if code.fixable)
"""The codes that ``--fix`` takes."""
