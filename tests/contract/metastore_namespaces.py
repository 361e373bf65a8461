"""What every metastore does with namespaces."""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hmsclient.genthrift.hive_metastore.ttypes import Function, FunctionType, PrincipalType

from hive_views.errors import (
    AlreadyExistsError,
    InvalidInputError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import NamespaceRow, Row
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.failures import Call
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.views.metastore_setup import MetastoreSetup, in_threads, location, view_row

_AT_ONCE = 4


def _missing() -> str:
    return f"missing_{uuid.uuid4().hex[:12]}"


def _table_row(metastore: Metastore, namespace: str, name: str, table_type: str = "EXTERNAL_TABLE") -> Row:
    place = f"{metastore.load_namespace(namespace).location}/{name}"
    row = view_row(namespace, name, table_type=table_type, location=place, original_text=None, expanded_text=None)
    return replace(row, parameters={"EXTERNAL": "TRUE"} if table_type == "EXTERNAL_TABLE" else {})


class NamespacesOfAMetastore(MetastoreSetup):
    def test_a_metastore_has_one_identity_if_it_tells_it(self, metastore: Metastore) -> None:
        found = metastore.identity()
        assert (found is not None) is self.tells_identity
        assert metastore.identity() == found
        assert found != ""

    # -- create and load ---------------------------------------------------------------------------------------------

    def test_a_created_namespace_is_listed_and_has_a_location(self, metastore: Metastore, namespace: str) -> None:
        assert namespace in metastore.list_namespaces()
        found = metastore.load_namespace(namespace)
        assert found.name == namespace
        assert found.location is not None
        assert found.location.endswith(f"/{namespace}.db")

    def test_the_location_given_for_a_namespace_is_kept(
        self, metastore: Metastore, namespace: str, tmp_path: Path
    ) -> None:
        # Outside the warehouse: Hive 4 moves a namespace that is put inside.
        place = f"file:{tmp_path}/elsewhere"
        metastore.create_namespace(f"{namespace}_2", location=place)
        assert metastore.load_namespace(f"{namespace}_2").location == place

    def test_a_namespace_keeps_the_owner_the_comment_and_the_parameters_it_was_created_with(
        self, metastore: Metastore, namespace: str
    ) -> None:
        parameters = {"team": "web", "Upper.Case": "%_*|'\"\\", "empty": ""}
        name = f"{namespace}_2"
        metastore.create_namespace(name, owner="ann", comment="of the web", parameters=parameters)
        found = metastore.load_namespace(name)
        assert found == NamespaceRow(name, found.location, "ann", "of the web", parameters)

    def test_a_namespace_without_comment_and_parameters_has_none(self, metastore: Metastore, namespace: str) -> None:
        found = metastore.load_namespace(namespace)
        assert (found.comment, found.parameters) == (None, {})

    def test_a_comment_of_a_namespace_in_any_script_comes_back(self, metastore: Metastore, namespace: str) -> None:
        text = "Größe, 大きさ, \U0001f4cf"
        name = f"{namespace}_2"
        metastore.create_namespace(name, comment=text, parameters={"text": text})
        found = metastore.load_namespace(name)
        assert ((found.comment, found.parameters) == (text, {"text": text})) is self.holds_any_text

    def test_a_namespace_is_the_same_in_upper_and_lower_case(self, metastore: Metastore, namespace: str) -> None:
        assert metastore.load_namespace(namespace.upper()).name == namespace
        assert metastore.list_view_names(namespace.upper()) == []
        assert metastore.list_table_names(namespace.upper()) == []
        assert metastore.load_rows(namespace.upper(), ["V"]) == []

    @pytest.mark.parametrize("spelled", [str.lower, str.upper])
    def test_a_namespace_cannot_be_created_twice(
        self, metastore: Metastore, namespace: str, spelled: type[str]
    ) -> None:
        before = metastore.load_namespace(namespace)
        with pytest.raises(AlreadyExistsError):
            metastore.create_namespace(spelled(namespace), owner="bob", parameters={"other": "x"})
        assert metastore.load_namespace(namespace) == before

    def test_of_those_who_create_a_namespace_at_once_one_does(self, metastore: Metastore, namespace: str) -> None:
        name = f"{namespace}_2"
        owners = [f"owner_{number}" for number in range(_AT_ONCE)]
        done = in_threads([partial(self._created, metastore, name, owner) for owner in owners])
        assert sorted(done, key=str) == [False] * (_AT_ONCE - 1) + [True]
        assert metastore.load_namespace(name).owner == owners[done.index(True)]

    def test_a_missing_namespace_is_reported_wherever_it_is_needed(
        self, metastore: Metastore, view: TableIdentifier
    ) -> None:
        missing = _missing()
        row = metastore.load_row(view)
        with pytest.raises(NoSuchNamespaceError):
            metastore.load_namespace(missing)
        with pytest.raises(NoSuchNamespaceError):
            metastore.create_row(view_row(missing))
        with pytest.raises(NoSuchNamespaceError):
            metastore.rename_row(view, replace(row, identifier=TableIdentifier(missing, "v")), expected=location(0))
        with pytest.raises(NoSuchNamespaceError):
            metastore.drop_namespace(missing)
        with pytest.raises(NoSuchNamespaceError):
            metastore.alter_namespace(NamespaceRow(missing, None, "ann"))
        assert missing not in metastore.list_namespaces()
        assert metastore.load_row(view) == row

    def test_a_view_of_a_missing_namespace_is_a_missing_view(self, metastore: Metastore) -> None:
        with pytest.raises(NoSuchTableError):
            metastore.load_row(TableIdentifier(_missing(), "v"))

    # -- alter -------------------------------------------------------------------------------------------------------

    def test_owner_and_parameters_of_a_namespace_are_replaced(self, metastore: Metastore, namespace: str) -> None:
        name = f"{namespace}_2"
        metastore.create_namespace(name, owner="ann", comment="kept", parameters={"a": "1", "b": "2"})
        changed = replace(metastore.load_namespace(name), owner="bob", parameters={"b": "3", "c": ""})
        metastore.alter_namespace(changed)
        assert metastore.load_namespace(name) == changed
        nothing = replace(changed, parameters={})
        metastore.alter_namespace(nothing)
        assert metastore.load_namespace(name) == nothing

    @pytest.mark.parametrize(
        ("first", "second"), [("first", "second"), (None, "first"), ("first", None), ("first", "")]
    )
    def test_the_comment_of_a_namespace_is_replaced_or_nothing_is(
        self, metastore: Metastore, namespace: str, first: str | None, second: str | None
    ) -> None:
        name = f"{namespace}_2"
        metastore.create_namespace(name, comment=first, parameters={"a": "1"})
        before = metastore.load_namespace(name)
        changed = replace(before, comment=second, parameters={"a": "2"})
        if second and self.alters_comments:
            metastore.alter_namespace(changed)
            assert metastore.load_namespace(name) == changed
        else:
            with pytest.raises(UnsupportedFeatureError):
                metastore.alter_namespace(changed)
            assert metastore.load_namespace(name) == before

    def test_the_directory_of_a_namespace_stays_when_it_is_altered(
        self, metastore: Metastore, namespace: str, tmp_path: Path
    ) -> None:
        row = metastore.load_namespace(namespace)
        metastore.alter_namespace(replace(row, location=f"file:{tmp_path}/elsewhere", parameters={"a": "1"}))
        assert metastore.load_namespace(namespace) == replace(row, parameters={"a": "1"})

    def test_views_of_a_namespace_stay_when_it_is_altered(self, metastore: Metastore, view: TableIdentifier) -> None:
        row = metastore.load_row(view)
        metastore.alter_namespace(replace(metastore.load_namespace(view.namespace), parameters={"a": "1"}))
        assert metastore.load_row(view) == row

    def test_a_namespace_that_was_dropped_meanwhile_is_not_altered(self, metastore: Metastore, namespace: str) -> None:
        row = metastore.load_namespace(namespace)
        metastore.drop_namespace(namespace)
        with pytest.raises(NoSuchNamespaceError):
            metastore.alter_namespace(replace(row, parameters={"a": "1"}))
        assert namespace not in metastore.list_namespaces()

    # -- drop --------------------------------------------------------------------------------------------------------

    def test_a_namespace_that_was_dropped_is_gone_and_can_be_created_again(
        self, metastore: Metastore, namespace: str
    ) -> None:
        metastore.alter_namespace(replace(metastore.load_namespace(namespace), parameters={"a": "1"}))
        metastore.drop_namespace(namespace.upper())
        assert namespace not in metastore.list_namespaces()
        with pytest.raises(NoSuchNamespaceError):
            metastore.drop_namespace(namespace)
        metastore.create_namespace(namespace)
        assert metastore.load_namespace(namespace).parameters == {}

    def test_a_namespace_with_a_view_stays(self, metastore: Metastore, partitioned: TableIdentifier) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1")], if_not_exists=False)
        with pytest.raises(NamespaceNotEmptyError):
            metastore.drop_namespace(partitioned.namespace)
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1"]
        metastore.drop_row(partitioned)
        metastore.drop_namespace(partitioned.namespace)

    def test_a_namespace_with_a_table_stays(self, metastore: Metastore, namespace: str) -> None:
        row = _table_row(metastore, namespace, "t")
        metastore.create_row(row)
        with pytest.raises(NamespaceNotEmptyError):
            metastore.drop_namespace(namespace)
        assert metastore.load_row(row.identifier).table_type == "EXTERNAL_TABLE"

    def test_the_namespace_of_every_metastore_cannot_be_dropped(self, metastore: Metastore) -> None:
        with pytest.raises(InvalidInputError):
            metastore.drop_namespace("default")
        assert "default" in metastore.list_namespaces()

    def test_of_those_who_drop_a_namespace_at_once_none_is_told_of_a_failure_but_that_it_is_gone(
        self, metastore: Metastore, namespace: str
    ) -> None:
        in_threads([partial(self._dropped, metastore, namespace)] * _AT_ONCE)
        assert namespace not in metastore.list_namespaces()

    def test_a_view_that_was_created_while_its_namespace_was_dropped_is_in_a_namespace(
        self, metastore: Metastore, namespace: str
    ) -> None:
        row = view_row(namespace)
        in_threads([partial(self._dropped, metastore, namespace), partial(self._row_created, metastore, row)])
        with suppress(NoSuchTableError):
            metastore.load_row(row.identifier)
            assert namespace in metastore.list_namespaces()

    # -- tables ------------------------------------------------------------------------------------------------------

    def test_names_of_tables_are_listed_in_order_and_views_are_not(self, metastore: Metastore, namespace: str) -> None:
        for name, table_type in (("c", "MANAGED_TABLE"), ("b", "EXTERNAL_TABLE"), ("d", "EXTERNAL_TABLE")):
            metastore.create_row(_table_row(metastore, namespace, name, table_type))
        metastore.create_row(view_row(namespace, "a"))
        assert metastore.list_table_names(namespace) == ["b", "c", "d"]
        assert metastore.list_view_names(namespace) == ["a"]

    def test_an_underscore_in_a_name_stands_for_itself(self, metastore: Metastore, namespace: str) -> None:
        # In the patterns of SQL, which servers make of names, it is any character.
        one, other = f"{namespace}_t", f"{namespace}xt"
        metastore.create_namespace(one)
        metastore.create_namespace(other)
        metastore.create_row(_table_row(metastore, other, "t"))
        metastore.create_row(view_row(other, "vx1"))
        assert metastore.list_table_names(one) == []
        assert metastore.list_view_names(one) == []
        assert metastore.load_rows(other, ["v_1"]) == []
        metastore.drop_namespace(one)
        assert metastore.list_table_names(other) == ["t"]

    def test_a_missing_namespace_has_no_tables(self, metastore: Metastore) -> None:
        with suppress(NoSuchNamespaceError):
            assert metastore.list_table_names(_missing()) == []

    def _created(self, metastore: Metastore, name: str, owner: str) -> bool:
        try:
            metastore.create_namespace(name, owner=owner)
        except AlreadyExistsError:
            return False
        return True

    def _dropped(self, metastore: Metastore, name: str) -> None:
        with suppress(NoSuchNamespaceError, NamespaceNotEmptyError):
            metastore.drop_namespace(name)

    def _row_created(self, metastore: Metastore, row: Row) -> None:
        with suppress(NoSuchNamespaceError):
            metastore.create_row(row)


class NamespacesOfAServer(MetastoreSetup):
    """What the twin in memory does not have: functions, and directories."""

    def test_a_namespace_with_a_function_stays(self, metastore: Metastore, namespace: str) -> None:
        assert isinstance(metastore, HiveMetastore)
        function = Function("f", namespace, "org.example.F", "ann", PrincipalType.USER, 0, FunctionType.JAVA, [])
        metastore._ask(Call("create_function", namespace, writes=True), function)
        with pytest.raises(NamespaceNotEmptyError):
            metastore.drop_namespace(namespace)
        metastore._ask(Call("drop_function", namespace, writes=True), namespace, "f")
        metastore.drop_namespace(namespace)

    def test_files_of_a_namespace_stay_when_it_is_dropped(
        self, metastore: Metastore, namespace: str, tmp_path: Path
    ) -> None:
        name = f"{namespace}_2"
        metastore.create_namespace(name, location=f"file:{tmp_path}/elsewhere")
        place = metastore.load_namespace(name).location
        assert place
        kept = Path(urlsplit(place).path, "kept")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text("kept")
        metastore.drop_namespace(name)
        assert kept.read_text() == "kept"

    def test_what_we_do_not_know_of_a_namespace_stays_when_it_is_altered(
        self, metastore: Metastore, namespace: str
    ) -> None:
        assert isinstance(metastore, HiveMetastore)
        database = metastore.load_namespace(namespace).native
        database.ownerType = PrincipalType.ROLE
        metastore._ask(Call("alter_database", namespace, writes=True), namespace, database)
        metastore.alter_namespace(replace(metastore.load_namespace(namespace), parameters={"a": "1"}))
        found = metastore.load_namespace(namespace).native
        assert found.ownerType == PrincipalType.ROLE
        assert (found.catalogName, found.createTime) == (database.catalogName, database.createTime)
