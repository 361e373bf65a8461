"""What to do about an error, where Python and the command have different words for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Remedy:
    """What the caller can do; ``str`` of it is a sentence in the words of Python."""


@dataclass(frozen=True)
class DecideOnDrift(Remedy):
    """Somebody changed the row behind the metadata file."""

    view: str

    def __str__(self) -> str:
        return "Take the change into the history with on_drift='adopt', or undo it with on_drift='overwrite'."


@dataclass(frozen=True)
class RepairView(Remedy):
    """Another engine has changed the row."""

    view: str

    def __str__(self) -> str:
        return (
            "Ask the catalog for its partitions again; where another engine has changed the row, repair the view first "
            f"(repair_view('{self.view}'))."
        )


@dataclass(frozen=True)
class RegisterView(Remedy):
    """The row has lost the file that is the view."""

    view: str
    metadata_location: str
    overwrite: bool = False

    def __str__(self) -> str:
        overwrite = ", overwrite=True" if self.overwrite else ""
        return f"register_view('{self.view}', '{self.metadata_location}'{overwrite}) brings the view back."


@dataclass(frozen=True)
class UndropView(Remedy):
    """The row of a view was dropped or has lost its file, which is still there; or a plain view has its name."""

    view: str
    is_replaced: bool = False

    def __str__(self) -> str:
        if not self.is_replaced:
            return f"hive_views.undrop(catalog, '{self.view}') brings the view back, with its history and partitions."
        return (
            f"hive_views.undrop(catalog, '{self.view}', on_drift='adopt') brings the view back, with what has its name "
            f"now as the newest version; on_drift='overwrite' brings it back as it was."
        )


@dataclass(frozen=True)
class UndropOrBeginAnew(Remedy):
    """A plain view that is to be adopted was a view with history, whose files are still there."""

    view: str
    is_replaced: bool = False

    def __str__(self) -> str:
        begin = "adopting it with new_history=True begins a new one, and the files of the former stay"
        if not self.is_replaced:
            return f"hive_views.undrop(catalog, '{self.view}') takes the former up again; {begin}."
        return (
            f"hive_views.undrop(catalog, '{self.view}', on_drift='adopt') takes the former up again, with what the row "
            f"says now as the newest version; {begin}."
        )


@dataclass(frozen=True)
class RestorePartitions(Remedy):
    """A view is back, and its partitions are not."""

    view: str

    def __str__(self) -> str:
        return f"partitions('{self.view}').restore() declares them again."


@dataclass(frozen=True)
class MoveTag(Remedy):
    """A tag names another version."""

    view: str
    tag: str

    def __str__(self) -> str:
        return "Move it with move=True, or take another tag."


@dataclass(frozen=True)
class AdoptView(Remedy):
    """The row is a plain view."""

    view: str

    def __str__(self) -> str:
        return f"hive_views.adopt(catalog, '{self.view}') makes it a view of this library, in place."


@dataclass(frozen=True)
class FinishRelease(Remedy):
    """The release of a view ended between its two steps, perhaps that of a move."""

    view: str

    def __str__(self) -> str:
        return (
            f"hive_views.release(catalog, '{self.view}') finishes it, or hive_views.move_views once more, where it was "
            f"being moved; hive_views.undrop(catalog, '{self.view}') takes it back."
        )


@dataclass(frozen=True)
class AllowExisting(Remedy):
    """Partitions exist already, or may."""

    def __str__(self) -> str:
        return "With if_not_exists=True (in SQL IF NOT EXISTS) those that exist already are left out."


@dataclass(frozen=True)
class AllowMissing(Remedy):
    """Partitions are gone already, or may be."""

    def __str__(self) -> str:
        return "With if_exists=True (in SQL IF EXISTS) those that are gone already are left out."


@dataclass(frozen=True)
class PartitionTheView(Remedy):
    """The view has no partition columns."""

    def __str__(self) -> str:
        return "Create it with partitioned_on=[...]."


@dataclass(frozen=True)
class GiveColumns(Remedy):
    """The columns of a query are not known for certain."""

    def __str__(self) -> str:
        return "Give the columns with schema=, or take those that hive_views.spark.schema_of finds."


@dataclass(frozen=True)
class ForHive(Remedy):
    """Spark cannot read a text that Hive can."""

    def __str__(self) -> str:
        return "Write it otherwise, or say with the property hive-views.for=hive that the view is for Hive alone."


@dataclass(frozen=True)
class GiveLocation(Remedy):
    """Neither the view nor its namespace has a place for metadata files."""

    def __str__(self) -> str:
        return "Give warehouse= or location=."


@dataclass(frozen=True)
class GivePartitions(Remedy):
    """Nothing says which partitions to look at."""

    def __str__(self) -> str:
        return "Or give candidates=[{...}]."


@dataclass(frozen=True)
class UseAutomaticLocks(Remedy):
    """The setting ``lock`` asks for more or less than the metastore has."""

    def __str__(self) -> str:
        return "Use lock='auto'."


@dataclass(frozen=True)
class AuthenticateOtherwise(Remedy):
    """The metastore closes the connection, as one does that wants to know who calls."""

    def __str__(self) -> str:
        return (
            "It may want Kerberos (auth=Kerberos()), a password (auth=Plain(user, password)) or TLS (tls=TLS(...), "
            "with cert_file= where it asks for a certificate), or be no metastore."
        )


@dataclass(frozen=True)
class Authenticate(Remedy):
    """The metastore says that it wants to know who calls."""

    def __str__(self) -> str:
        return "Give auth=Kerberos() or auth=Plain(user, password)."


@dataclass(frozen=True)
class UseTLS(Remedy):
    """The metastore answers in TLS."""

    def __str__(self) -> str:
        return "Give tls=TLS(...)."


@dataclass(frozen=True)
class GiveRules(Remedy):
    """The rules that a view was published with are not recorded, or cannot be used."""

    def __str__(self) -> str:
        return "Pass the rules to revalidate."


@dataclass(frozen=True)
class GiveApplicationAndVersion(Remedy):
    """One of both is missing."""

    def __str__(self) -> str:
        return "Give both app_id and run_version, or neither."


@dataclass(frozen=True)
class GiveLaterVersion(Remedy):
    """A later run of the application has begun."""

    begun: int

    def __str__(self) -> str:
        return f"Give a run_version above {self.begun} if this run is new."


@dataclass(frozen=True)
class GiveReader(Remedy):
    """A base table has a format that is not read here."""

    def __str__(self) -> str:
        return "Give the table in base_tables= with a reader of your own."


@dataclass(frozen=True)
class LeaveOutOfBaseTables(Remedy):
    """A base table does not report what a rule asks for, because of what it is read through."""

    def __str__(self) -> str:
        return "Leave it out of base_tables= to have it read without, or use another rule."


@dataclass(frozen=True)
class NameMetastoreCatalog(Remedy):
    """Databases get other names, and whether a catalog is this metastore is not known."""

    catalog: str

    def __str__(self) -> str:
        return (
            f"If it is, pass metastore_catalogs=['{self.catalog}']; else write the catalog before the names in the "
            f"view's texts."
        )


@dataclass(frozen=True)
class ReplaceFile(Remedy):
    """There is a file already."""

    def __str__(self) -> str:
        return "overwrite=True replaces it."
