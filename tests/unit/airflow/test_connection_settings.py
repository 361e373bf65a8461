"""Connections of Airflow as settings of a catalog, and what there is of the room without Airflow."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from typing import Any

import pytest

import hive_views.airflow
from hive_views.airflow.connection_settings import settings_of, unknown_extras
from hive_views.airflow.provider_info import provider_info
from hive_views.errors import InvalidInputError, UnsupportedFeatureError


@dataclass
class Connection:
    """The fields of Airflow's class of this name."""

    host: str | None = "metastore"
    port: int | None = None
    login: str | None = None
    password: str | None = None
    extra: str = "{}"
    conn_id: str = "metastore_default"

    @property
    def extra_dejson(self) -> dict[str, Any]:
        return json.loads(self.extra)


@pytest.mark.parametrize(
    ("connection", "kerberos", "settings"),
    [
        (Connection(), False, {"uri": "thrift://metastore:9083", "auth": "none", "user": None}),
        (Connection(host="a, b", port=9, login="ada"), False, {"uri": "thrift://a:9,thrift://b:9", "user": "ada"}),
        (Connection(), True, {"auth": "kerberos", "kerberos_service": "hive"}),
        (Connection(extra='{"auth_mechanism": "NOSASL"}'), True, {"auth": "none"}),
        (
            Connection(extra='{"authMechanism": "gssapi", "kerberos_service_name": "hms"}'),
            False,
            {"auth": "kerberos", "kerberos_service": "hms"},
        ),
        (
            Connection(login="a", password="b", extra='{"auth_mechanism": "LDAP"}'),
            False,
            {"auth": "plain", "user": "a"},
        ),
        (Connection(extra='{"warehouse": "s3://lake/v", "lock-timeout-s": "7"}'), False, {"lock_timeout_s": 7.0}),
        (Connection(host=None, extra='{"uri": "local:///lake"}'), False, {"uri": "local:///lake"}),
        (
            Connection(password="secret", extra='{"auth": "jwt", "uri": "thrift+https://gate"}'),
            False,
            {"auth": "jwt", "uri": "thrift+https://gate"},
        ),
    ],
)
def test_a_connection_says_where_the_metastore_is_and_who_asks(
    connection: Connection, kerberos: bool, settings: dict[str, Any]
) -> None:
    found = settings_of(connection, kerberos=kerberos)
    assert {name: getattr(found, name) for name in settings} == settings


def test_the_environment_of_a_worker_says_nothing_about_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIVE_VIEWS_WAREHOUSE", "s3://elsewhere")
    assert settings_of(Connection()).warehouse is None


@pytest.mark.parametrize(
    ("connection", "problem"),
    [
        (Connection(host=None), "it has no host"),
        (Connection(extra='{"auth_mechanism": "KERBEROS5"}'), "'KERBEROS5', and not one of NOSASL"),
        (Connection(extra='{"auth_mechanism": "PLAIN"}', password="secret"), "requires user and password"),
        (Connection(extra='{"lock": "perhaps"}'), "setting lock"),
    ],
)
def test_a_connection_that_cannot_be_used_is_named_without_its_secrets(connection: Connection, problem: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        settings_of(connection)
    assert problem in str(caught.value)
    assert "connection metastore_default" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_extras_that_are_not_read_are_named_with_the_nearest_that_is() -> None:
    extra = '{"wharehouse": 1, "report_url": "x", "auth_mechanism": "NOSASL", "tls": true, "zzz": 0}'
    assert unknown_extras(Connection(extra=extra)) == ["wharehouse (did you mean warehouse?)", "zzz"]


def test_the_type_of_connection_is_ours_where_the_provider_for_hive_is_not_installed() -> None:
    info = provider_info()
    (ours,) = info["connection-types"]
    assert ours["connection-type"] == "hive_metastore"
    for path in (ours["hook-class-name"], *info["extra-links"]):
        assert importlib.util.find_spec(path.rpartition(".")[0]), path


def test_without_airflow_the_error_names_the_extra() -> None:
    with pytest.raises(UnsupportedFeatureError, match=r"PublishOperator .*pip install 'hive_views\[airflow\]'"):
        _ = hive_views.airflow.PublishOperator
