"""What to do about an error, in the words of the command, for people in a shell and for those of another program."""

from __future__ import annotations

from hive_views.messages.estate_remedies import (
    CreateNamespaces,
    DropPartitions,
    EndMove,
    GiveEarlierArchive,
    GiveOtherDatabase,
    GiveOwner,
    MoveAgain,
    MoveFilesAway,
    NameAllOfNamespace,
    RegisterFromElsewhere,
    ReplaceOrSkip,
    ReplaceQuery,
    RestoreFile,
    RetractPartitions,
    SkipDamaged,
    TakeTagAway,
    UnsetProperty,
    UseNewerRelease,
    WriteRowAnew,
)
from hive_views.messages.remedies import (
    AdoptView,
    AllowExisting,
    AllowMissing,
    Authenticate,
    AuthenticateOtherwise,
    DecideOnDrift,
    FinishRelease,
    ForHive,
    GiveApplicationAndVersion,
    GiveColumns,
    GiveLaterVersion,
    GiveLocation,
    GivePartitions,
    GiveReader,
    GiveRules,
    LeaveOutOfBaseTables,
    MoveTag,
    NameMetastoreCatalog,
    PartitionTheView,
    RegisterView,
    Remedy,
    RepairView,
    ReplaceFile,
    RestorePartitions,
    UndropOrBeginAnew,
    UndropView,
    UseAutomaticLocks,
    UseTLS,
)


def in_the_shell(remedy: Remedy) -> str:
    """The sentence for people who call the command."""
    match remedy:
        case DecideOnDrift(view):
            return (
                f"`hive-views repair {view} --on-drift adopt` takes the change into the history, --on-drift overwrite "
                f"undoes it."
            )
        case RepairView(view):
            return f"Do it again; where another engine has changed the row, run `hive-views repair {view}` first."
        case RegisterView(view, location, overwrite):
            return f"`hive-views register {view} {location}{' --overwrite' if overwrite else ''}` brings the view back."
        case RestoreFile(view, location):
            file, call = location or "its last metadata file", f"hive-views restore ARCHIVE {view} --if-exists replace"
            first = f"`{call}` brings the view back from an archive. " if location else ""
            return (
                f"{first}No other file of the view is found: bring {file} back from a backup of the storage; or "
                f"`hive-views release {view}` makes it a plain view, which reads as its row does now."
            )
        case UndropView(view, is_replaced) if is_replaced:
            return (
                f"`hive-views undrop {view} --on-drift adopt` brings the view back, with what has its name now as the "
                f"newest version; --on-drift overwrite brings it back as it was."
            )
        case UndropView(view):
            return f"`hive-views undrop {view}` brings the view back, with its history and partitions."
        case UndropOrBeginAnew(view, is_replaced):
            call = f"hive-views undrop {view}{' --on-drift adopt' if is_replaced else ''}"
            newest = ", with what the row says now as the newest version" if is_replaced else ""
            return (
                f"`{call}` takes the former up again{newest}; `hive-views adopt {view} --new-history` begins a new "
                f"one, and the files of the former stay."
            )
        case RegisterFromElsewhere(view):
            return f"If its files are elsewhere, `hive-views register {view} FILE` brings it back: give the last one."
        case NameAllOfNamespace(namespace):
            return f"--namespace {namespace} is all views of a namespace, as the pattern {namespace}.* is."
        case RestorePartitions(view):
            return f"`hive-views partitions restore {view}` declares them again."
        case MoveTag(view, tag):
            return f"`hive-views tag {view} {tag} --move` moves it; or take another tag."
        case AdoptView(view):
            return f"`hive-views adopt {view}` makes it a view with history, in place."
        case FinishRelease(view):
            return (
                f"`hive-views release {view}` finishes it, or `hive-views move` once more, where it was being moved; "
                f"`hive-views undrop {view}` takes it back."
            )
        case AllowExisting():
            return "With --if-not-exists (in SQL IF NOT EXISTS) those that exist already are left out."
        case AllowMissing():
            return "With --if-exists (in SQL IF EXISTS) those that are gone already are left out."
        case PartitionTheView():
            return "Create it with --partitioned-on."
        case GiveColumns():
            return "Give the columns: --column for each, --schema FILE, or --schema-from-spark."
        case ForHive():
            return (
                "Write it otherwise, or say with --for hive, in SQL with the property hive-views.for, that the view is "
                "for Hive alone."
            )
        case GiveLocation():
            return "Give --location, or --warehouse before the command."
        case GivePartitions():
            return "Or give each with --partition."
        case UseAutomaticLocks():
            return "Use the setting lock = auto (--lock auto before the command)."
        case AuthenticateOtherwise():
            return (
                "It may want Kerberos (setting auth = kerberos), a password (auth = plain, user and password) or TLS "
                "(tls = true, with tls_cert_file where it asks for a certificate), or be no metastore."
            )
        case Authenticate():
            return "Use the setting auth = kerberos, or auth = plain with user and password."
        case UseTLS():
            return "Use the setting tls = true."
        case GiveRules():
            return "Give them with --require."
        case GiveApplicationAndVersion():
            return "Give both --app-id and --run-version, or neither."
        case GiveLaterVersion(begun):
            return f"Give a --run-version above {begun} if this run is new."
        case GiveReader():
            return "In Python, publish takes a reader of your own for it."
        case LeaveOutOfBaseTables():
            return "Leave the rule out, or use another."
        case WriteRowAnew(view):
            return f"`hive-views repair {view}` writes the row anew from its metadata file."
        case ReplaceQuery(view, source, is_plain):
            otherwise = f"Create {source} again, or give the view another text: " if source else ""
            if is_plain:
                return f"{otherwise}CREATE OR REPLACE VIEW {view} in the engine that made it."
            return f"{otherwise}`hive-views replace {view}` gives it one that can be read."
        case UnsetProperty(view, name):
            return f"In Hive or Spark, ALTER VIEW {view} UNSET TBLPROPERTIES takes the parameter {name} away."
        case GiveOwner(view):
            return (
                f"Any commit gives it one, as `hive-views alter {view}` is; of a plain view, ALTER VIEW SET "
                f"AUTHORIZATION in Trino does."
            )
        case MoveFilesAway(view, location):
            return f"Move what must be kept out of {location} before anybody drops {view}."
        case DropPartitions(view):
            return f"`hive-views partitions drop {view}` drops them."
        case RetractPartitions(view):
            return (
                f"`hive-views revalidate {view}` says what is missing; load it again, or drop these partitions with "
                f"`hive-views publish {view} --retract`."
            )
        case GiveOtherDatabase(namespace):
            return f"Give another name for the database {namespace} with --map."
        case ReplaceOrSkip():
            return "With --if-exists replace it is replaced, with --if-exists skip it stays."
        case TakeTagAway(view, tag):
            return f"If it is not needed any more, `hive-views tag {view} {tag} --delete` takes the tag away."
        case EndMove(view, to):
            return (
                f"If the target is right, `hive-views release {view}` in the source ends the move; if the source is, "
                f"`hive-views drop {to}` in the target makes room for moving it again."
            )
        case MoveAgain(view):
            return f"Move {view} again, with --if-exists replace where the target cannot become the same without it."
        case CreateNamespaces():
            return "Create it (`hive-views namespaces create NAME`), or add --create-namespaces."
        case NameMetastoreCatalog(catalog):
            return (
                f"If it is, add --metastore-catalog {catalog}; else write the catalog before the names in the texts "
                f"of the view."
            )
        case ReplaceFile():
            return "With --overwrite it is replaced."
        case GiveEarlierArchive():
            return "Say with --base where that archive is; it has the views that had not changed."
        case SkipDamaged():
            return "Use another copy of it, or restore what is whole of it with --skip-damaged."
        case UseNewerRelease():
            return "Install a newer release of hive_views."
    return str(remedy)
