"""New versions of views, and which of them is current."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hive_views.hive.columns import ColumnsInput
from hive_views.spec.identifiers import Identifier, TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.translation import Proof
from hive_views.views.changes.definition import texts_by_dialect
from hive_views.views.changes.on_drift import Drift, check_on_drift
from hive_views.views.changes.query_columns import columns_of_replacement, star_finder
from hive_views.views.changes.stale_dialects import Claims, dialects_given
from hive_views.views.changes.translated_texts import AskedTranslations, translations_asked
from hive_views.views.changes.verbs import Change, alteration, replacement, rollback, tagging, untagging
from hive_views.views.commit.changing import commit, load
from hive_views.views.commit.engine import Engine
from hive_views.views.recovery.recoverable import explaining_absence
from hive_views.views.version_diff import Differences, compare, definition_at, version_before
from hive_views.views.version_lookup import Time
from hive_views.views.view import View


class ViewVersions:
    """The versions of the views of a metastore; thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def replace_view(
        self,
        identifier: Identifier,
        *,
        sql: Mapping[str, str],
        schema: ColumnsInput | None = None,
        query_columns: Sequence[str] | None = None,
        partitioned_on: Sequence[str] | None = None,
        comment: str | None = None,
        properties: Mapping[str, str] | None = None,
        default_namespace: str | None = None,
        same_meaning: bool = False,
        still_true: Sequence[str] = (),
        translate: Mapping[str, str] | None = None,
        allow: Collection[str] | Mapping[str, Collection[str]] = (),
        proofs: Sequence[Proof] = (),
        on_drift: Drift = "fail",
    ) -> View:
        """Replace the texts of a view in all its dialects, and its columns if given; its partitions stay.

        Equal texts and columns create no new version. Texts that are translated from others follow them, as in
        ``alter_view``. If only some of the other texts differ from before, the rest are marked as stale
        (``View.stale_dialects``).

        Args:
            identifier: ``"namespace.name"``.
            sql: the query by dialect, for every dialect of the view that is not translated from another one.
            schema: the output columns, as for ``create_view``; unchanged by default. If the query has another number
                of columns, they are derived instead, and those that keep their names keep their comments.
            query_columns: as for ``create_view``.
            partitioned_on: names of trailing columns; unchanged by default.
            comment: a description for people; unchanged by default.
            properties: merged into the existing ones.
            default_namespace: the namespace of names without one in the texts; by default that of the view.
            same_meaning: as for ``alter_view``.
            still_true: as for ``alter_view``.
            translate: as for ``alter_view``.
            allow: as for ``alter_view``.
            proofs: as for ``alter_view``.
            on_drift: what to do if another program has changed the row: ``"fail"``, ``"adopt"`` the change into the
                history, or ``"overwrite"`` it.

        Raises:
            NoSuchViewError, DialectDroppedError (``alter_view`` changes one dialect), InvalidInputError,
            TranslationRefusedError, UncertainColumnsError, NoSuchTableError, ViewDriftedError, CommitFailedError,
            CommitStateUnknownError.
        """
        name, texts = TableIdentifier.of(identifier), texts_by_dialect(sql)

        def columns(base: ViewMetadata) -> ColumnsInput | None:
            if schema is not None:
                return schema
            namespace = default_namespace or name.namespace
            return columns_of_replacement(self.engine.tables, texts, namespace, base)

        change = replacement(
            name,
            texts,
            columns,
            partitioned_on,
            properties,
            comment,
            default_namespace=default_namespace,
            find=star_finder(self.engine.tables, query_columns),
            claims=self._claims(still_true, translations_asked(translate, allow, proofs), same_meaning=same_meaning),
        )
        return self._commit(name, change, on_drift)

    def alter_view(
        self,
        identifier: Identifier,
        *,
        sql: Mapping[str, str] | None = None,
        set_properties: Mapping[str, str] | None = None,
        remove_properties: Sequence[str] = (),
        comment: str | None = None,
        location: str | None = None,
        same_meaning: bool = False,
        still_true: Sequence[str] = (),
        drop_dialects: Sequence[str] = (),
        translate: Mapping[str, str] | None = None,
        allow: Collection[str] | Mapping[str, Collection[str]] = (),
        proofs: Sequence[Proof] = (),
        on_drift: Drift = "fail",
    ) -> View:
        """Change parts of a view: the text of one dialect, properties, comment, location.

        Texts in other dialects stay. They are marked as stale (``View.stale_dialects``), since they may now say
        something else, unless they were given with the change, or it is proved that nothing has changed for them: the
        texts differ only in spaces, comments, case or quotes, or both are simple enough to be compared. A text stays
        stale until it is changed, or named in ``still_true``. Changing a stale text marks no others: it follows them.

        A text that is translated from another one (``View.translations``) follows it: whatever changes that text or
        the view's columns translates it again, in the same commit. If that is refused now, it stays and becomes stale,
        and the log says why. Giving its text by hand ends this.

        Args:
            identifier: ``"namespace.name"``.
            sql: the text of one dialect, as ``{"trino": "SELECT ..."}``. Names without a namespace resolve where those
                of the view's other texts do. If that is a catalog other than the metastore, a text for plain readers
                must use full names.
            set_properties: to add or change.
            remove_properties: names of properties. Of this library's own only
                ``hive-views.published-with.<publication>``, the rules of a publication that has ended.
            comment: a description for people.
            location: the directory for later metadata files; existing ones stay where they are.
            same_meaning: the new text says the same as the one before, so that no other becomes stale.
            still_true: dialects whose texts have been found to say the same as the others.
            drop_dialects: dialects whose texts are removed. One for plain readers must be left.
            translate: by dialect, the one from whose text it is translated: ``{"trino": "hive"}``
                (``hive_views.translate`` shows what comes of it).
            allow: codes of differences between the two texts that are accepted, now and whenever the text is
                translated again; by dialect where they are not the same for all.
            proofs: what engines have confirmed of translated texts (``hive_views.verify_view``), kept with them until
                one of the texts changes.
            on_drift: what to do if another program has changed the row: ``"fail"``, ``"adopt"`` the change into the
                history, or ``"overwrite"`` it.

        Raises:
            NotFoundError: ``still_true``, ``drop_dialects`` or ``translate`` names a dialect in which the view has no
                text.
            TranslationRefusedError: a text cannot be translated; the error has all reasons.
            NoSuchViewError, InvalidInputError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        change = alteration(
            name,
            sql,
            set_properties,
            remove_properties,
            comment,
            location,
            star_finder(self.engine.tables),
            self._claims(still_true, translations_asked(translate, allow, proofs), same_meaning=same_meaning),
            dialects_given(drop_dialects, "drop_dialects"),
        )
        return self._commit(name, change, on_drift)

    def roll_back_view(
        self,
        identifier: Identifier,
        *,
        to_version: int | None = None,
        to_time: Time | None = None,
        to_tag: str | None = None,
        on_drift: Drift = "fail",
    ) -> View:
        """Make an earlier version current again: texts and columns, not properties, comment or partitions.

        Args:
            identifier: ``"namespace.name"``.
            to_version: its id, as in ``View.history``.
            to_time: or a time at which it was current, as for ``View.as_of``.
            to_tag: or a tag of it.
            on_drift: what to do if another program has changed the row: ``"fail"``, ``"adopt"`` the change into the
                history, or ``"overwrite"`` it.

        Raises:
            NoSuchVersionError: the version does not exist or has expired.
            NoSuchViewError, DialectDroppedError, InvalidSchemaError, ViewDriftedError, CommitFailedError,
            CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        return self._commit(name, rollback(name, to_version, to_time, to_tag), on_drift)

    def tag_view(
        self,
        identifier: Identifier,
        tag: str,
        *,
        version: int | None = None,
        move: bool = False,
        on_drift: Drift = "fail",
    ) -> View:
        """Tag a version, so that it can be found by that name and does not expire.

        Args:
            identifier: ``"namespace.name"``.
            tag: a name of ASCII letters, digits, ``.``, ``_`` and ``-``, such as ``release-12``.
            version: the id of the version, by default the current one.
            move: if another version has the tag, move it.
            on_drift: as for ``roll_back_view``.

        Raises:
            InvalidInputError: it is not valid as a tag.
            AlreadyExistsError: another version has it, and ``move`` is not set.
            NoSuchVersionError: the version does not exist or has expired.
            NoSuchViewError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        return self._commit(name, tagging(name, tag, version, move=move), on_drift)

    def untag_view(self, identifier: Identifier, tag: str, *, on_drift: Drift = "fail") -> View:
        """Remove a tag; its version may then expire.

        Args:
            identifier: ``"namespace.name"``.
            tag: its name.
            on_drift: as for ``roll_back_view``.

        Raises:
            NoSuchVersionError: the view has no such tag.
            NoSuchViewError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        name = TableIdentifier.of(identifier)
        return self._commit(name, untagging(name, tag), on_drift)

    def diff_view(
        self, identifier: Identifier, from_version: int | None = None, to_version: int | None = None
    ) -> Differences:
        """What differs between two versions: queries as typed, columns, properties, and where names resolve.

        ``print`` shows it as a unified diff, and a notebook in color.

        Args:
            identifier: ``"namespace.name"``.
            from_version: the id of a version; by default the one that was current before the current one.
            to_version: the id of another one; by default the current one.

        Raises:
            NoSuchVersionError: a version does not exist or has expired, or there has only been one.
            NoSuchViewError, CorruptMetadataError, StorageUnavailableError.
        """
        name = TableIdentifier.of(identifier)
        with explaining_absence(self.engine, name):
            view = load(self.engine, name)
        before = version_before(view) if from_version is None else from_version
        after = view.metadata.current_version_id if to_version is None else to_version
        return compare(*(definition_at(self.engine.storage, view, one) for one in (before, after)))

    def repair_view(self, identifier: Identifier, *, on_drift: Drift = "fail") -> View:
        """Write the row again from the metadata file, if the two differ.

        If another program has changed what the row says, you have to decide: ``adopt`` takes the change into the
        history, ``overwrite`` undoes it. ``adopt`` also removes the storage handler of an Iceberg view that Hive itself
        created (HIVE-29578), so that Hive and Spark read the row.

        Raises:
            NoSuchViewError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
        """
        return self._commit(TableIdentifier.of(identifier), lambda base, _: base, on_drift)

    def _claims(self, still_true: Sequence[str], asked: AskedTranslations, *, same_meaning: bool) -> Claims:
        true = dialects_given(still_true, "still_true")
        return self.engine.claims(asked, same_meaning=same_meaning, still_true=true)

    def _commit(self, name: TableIdentifier, change: Change, on_drift: Drift) -> View:
        check_on_drift(on_drift)
        with explaining_absence(self.engine, name):
            return commit(self.engine, name, change, on_drift)
