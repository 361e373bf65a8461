"""What the metastore grants on a view stays, whatever is done to the view where it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from hive_views import ViewCatalog
from hive_views.estate import adopt, hand_back, undrop
from hive_views.spec.identifiers import TableIdentifier
from tests.support.plain_rows.broken import sound_row

pytestmark = pytest.mark.peer("java")


@dataclass
class Grants:
    """Of one metastore, as Hive's client sees them."""

    jvm: Any
    client: Any

    @property
    def _api(self) -> Any:
        return self.jvm.org.apache.hadoop.hive.metastore.api

    def grant(
        self, name: TableIdentifier, principal: str, kind: str, privilege: str, column: str | None = None
    ) -> None:
        """``GRANT privilege ON name TO principal``."""
        info = self._api.PrivilegeGrantInfo()
        info.setPrivilege(privilege)
        info.setGrantor("root")
        info.setGrantorType(self._api.PrincipalType.USER)
        given = self._api.HiveObjectPrivilege()
        given.setHiveObject(self._object(name, column))
        given.setPrincipalName(principal)
        given.setPrincipalType(getattr(self._api.PrincipalType, kind))
        given.setGrantInfo(info)
        bag = self._api.PrivilegeBag()
        bag.addToPrivileges(given)
        assert self.client.grant_privileges(bag)

    def on(self, name: TableIdentifier, *columns: str) -> list[str]:
        """All grants on a table and these columns."""
        return sorted(
            str(given)
            for column in (None, *columns)
            for given in self.client.list_privileges(None, None, self._object(name, column))
        )

    def _object(self, name: TableIdentifier, column: str | None) -> Any:
        named = self._api.HiveObjectRef()
        kinds = self._api.HiveObjectType
        named.setObjectType(kinds.TABLE if column is None else kinds.COLUMN)
        named.setDbName(name.namespace)
        named.setObjectName(name.name)
        if column is not None:
            named.setColumnName(column)
        return named


@pytest.fixture
def grants(hive_jvm: Any, metastore_uri: str) -> Iterator[Grants]:
    hive = hive_jvm.org.apache.hadoop.hive
    conf = hive.conf.HiveConf()
    conf.set("hive.metastore.uris", metastore_uri)
    client = hive.metastore.HiveMetaStoreClient(conf)
    yield Grants(hive_jvm, client)
    client.close()


def test_grants_stay_when_a_view_is_adopted_changed_renamed_released_and_brought_back(
    grants: Grants, catalog: ViewCatalog, namespace: str
) -> None:
    name, renamed = TableIdentifier(namespace, "v"), TableIdentifier(namespace, "renamed")
    catalog.metastore.create_row(sound_row(name))
    grants.grant(name, "ada", "USER", "SELECT")
    grants.grant(name, "public", "ROLE", "SELECT")
    grants.grant(name, "bob", "USER", "SELECT", column="page")
    before = grants.on(name, "user_id", "page", "n")
    assert len(before) == 3

    def assert_kept(what: str, under: TableIdentifier = name) -> None:
        now = grants.on(under, "user_id", "page", "n")
        assert [one.replace(f"objectName:{under.name},", f"objectName:{name.name},") for one in now] == before, what

    adopt(catalog, str(name))
    assert_kept("adopted")
    catalog.alter_view(name, set_properties={"team": "search"})
    assert_kept("altered")
    catalog.replace_view(name, sql={"hive": "SELECT user_id, page, 7 AS n FROM web.clicks"})
    assert_kept("replaced")
    catalog.roll_back_view(name, to_version=1)
    assert_kept("rolled back")
    hand_back(catalog, str(name))
    assert_kept("released")
    assert not undrop(catalog, str(name)).failed
    assert_kept("brought back")
    catalog.rename_view(name, renamed)
    assert_kept("renamed", renamed)
