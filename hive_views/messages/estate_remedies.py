"""What to do about what an administrator's verbs find, where Python and the command have different words for it."""

from __future__ import annotations

from dataclasses import dataclass

from hive_views.messages.remedies import Remedy


@dataclass(frozen=True)
class RestoreFile(Remedy):
    """No file is found that a view could be registered from; the location is None where it is not known."""

    view: str
    metadata_location: str | None = None

    def __str__(self) -> str:
        file = "its last metadata file" if self.metadata_location is None else self.metadata_location
        call = f"hive_views.restore(catalog, archive, '{self.view}', if_exists='replace')"
        first = f"{call} brings the view back from an archive. " if self.metadata_location else ""
        return (
            f"{first}No other file of the view is found: bring {file} back from a backup of the storage; or "
            f"hive_views.release(catalog, '{self.view}') makes it a plain view, which reads as its row does now."
        )


@dataclass(frozen=True)
class RegisterFromElsewhere(Remedy):
    """There is nothing of a view where its files are by default."""

    view: str

    def __str__(self) -> str:
        return f"If its files are elsewhere, register_view('{self.view}', file) brings it back: give the last one."


@dataclass(frozen=True)
class NameAllOfNamespace(Remedy):
    """A word was given where names and patterns are taken; it may be a namespace."""

    namespace: str

    def __str__(self) -> str:
        return f"All views of a namespace are '{self.namespace}.*'."


@dataclass(frozen=True)
class WriteRowAnew(Remedy):
    """The row can be made from the metadata file again, and nothing is lost."""

    view: str

    def __str__(self) -> str:
        return f"repair_view('{self.view}') writes the row anew from its metadata file."


@dataclass(frozen=True)
class ReplaceQuery(Remedy):
    """Engines cannot read the view by its text, or not as it was meant.

    Attributes:
        source: what it reads and what is not there, if that is the reason.
        is_plain: whether the view has no metadata file, so that only the engine that made it can replace it.
    """

    view: str
    source: str | None = None
    is_plain: bool = False

    def __str__(self) -> str:
        otherwise = f"Create {self.source} again, or give the view another text: " if self.source else ""
        if self.is_plain:
            return f"{otherwise}execute CREATE OR REPLACE VIEW {self.view} in the engine that made it."
        return f"{otherwise}replace_view('{self.view}', sql={{...}}) gives it a text that can be read."


@dataclass(frozen=True)
class UnsetProperty(Remedy):
    """A parameter of the row has a meaning that nobody intended."""

    view: str
    name: str

    def __str__(self) -> str:
        return f"Execute ALTER VIEW {self.view} UNSET TBLPROPERTIES ('{self.name}') in Hive or Spark."


@dataclass(frozen=True)
class GiveOwner(Remedy):
    """The row has no owner."""

    view: str

    def __str__(self) -> str:
        return (
            f"Any commit gives it one, as alter_view('{self.view}', ...) is; a plain view gets one by ALTER VIEW "
            f"{self.view} SET AUTHORIZATION in Trino."
        )


@dataclass(frozen=True)
class MoveFilesAway(Remedy):
    """A plain view has a location, which a drop deletes."""

    view: str
    location: str

    def __str__(self) -> str:
        return f"Before anybody drops {self.view}, move what must be kept out of {self.location}."


@dataclass(frozen=True)
class DropPartitions(Remedy):
    """Partitions are declared that no view with these columns can have."""

    view: str

    def __str__(self) -> str:
        return f"partitions('{self.view}').drop([...]) drops them."


@dataclass(frozen=True)
class RetractPartitions(Remedy):
    """Published partitions have lost what they were published on."""

    view: str

    def __str__(self) -> str:
        return (
            f"revalidate(catalog, '{self.view}') says what is missing; load it again, or publish with retract=True, "
            f"which drops these partitions."
        )


@dataclass(frozen=True)
class GiveOtherDatabase(Remedy):
    """A view was to be copied to itself."""

    namespace: str

    def __str__(self) -> str:
        return f"Give another name for its database: names={{'{self.namespace}': ...}}."


@dataclass(frozen=True)
class ReplaceOrSkip(Remedy):
    """Another view has the name that a view is to have."""

    def __str__(self) -> str:
        return "With if_exists='replace' it is replaced, with if_exists='skip' it stays."


@dataclass(frozen=True)
class TakeTagAway(Remedy):
    """A version that has a tag would go."""

    view: str
    tag: str

    def __str__(self) -> str:
        return f"If it is not needed any more, untag_view('{self.view}', '{self.tag}') takes the tag away."


@dataclass(frozen=True)
class EndMove(Remedy):
    """What a view was moved to has gone on, and the source was not given up.

    Attributes:
        view: its name in the source.
        to: its name in the target.
    """

    view: str
    to: str

    def __str__(self) -> str:
        return (
            f"If the target is right, hive_views.release(source, '{self.view}') ends the move; if the source is, "
            f"target.drop_view('{self.to}') makes room for moving it again."
        )


@dataclass(frozen=True)
class MoveAgain(Remedy):
    """A view was changed while it was moved, and the target has it as it was."""

    view: str

    def __str__(self) -> str:
        return f"Move {self.view} again, with if_exists='replace' where the target cannot become the same without it."


@dataclass(frozen=True)
class CreateNamespaces(Remedy):
    """Databases are missing where views are to be put."""

    def __str__(self) -> str:
        return "Create it, or pass create_namespaces=True."


@dataclass(frozen=True)
class GiveEarlierArchive(Remedy):
    """An archive that another was made since is not where it was."""

    def __str__(self) -> str:
        return "Say with bases=[...] where that archive is; it has the views that had not changed."


@dataclass(frozen=True)
class SkipDamaged(Remedy):
    """A part of an archive is damaged."""

    def __str__(self) -> str:
        return "Use another copy of it, or restore what is whole of it with skip_damaged=True."


@dataclass(frozen=True)
class UseNewerRelease(Remedy):
    """A file is of a later version than this release reads."""

    def __str__(self) -> str:
        return "Use a newer release of hive_views."
