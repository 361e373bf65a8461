"""The configuration files of a cluster: which file counts, what is read of them, what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hive_views.config import ResolvedSettings, resolve
from hive_views.errors import InvalidInputError

URIS = {"hive.metastore.uris": "thrift://a:9083,thrift://b:9084"}
HTTP = {"metastore.client.thrift.transport.mode": "http"}
PEM = "-----BEGIN CERTIFICATE-----\n"


@pytest.fixture(autouse=True)
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    directory = tmp_path / "conf"
    directory.mkdir()
    return directory


def site(directory: Path, properties: Mapping[str, str], name: str = "hive-site.xml", *, final: bool = False) -> Path:
    rows = "".join(
        f"<property><name>{key}</name><value>{value}</value>{'<final>true</final>' if final else ''}</property>"
        for key, value in properties.items()
    )
    file = directory / name
    file.write_text(f"<?xml version='1.0'?><configuration>{rows}</configuration>")
    return file


def found(conf: Path, environment: Mapping[str, str] = {}, **arguments: Any) -> ResolvedSettings:
    variables = {"HIVE_CONF_DIR": str(conf), "HADOOP_CONF_DIR": "/no/such", "XDG_CONFIG_HOME": "/no/such"}
    return resolve(arguments=arguments, environment={**variables, **environment})


def test_files_override_each_other_in_hives_order_and_each_value_names_its_key_and_file(conf: Path) -> None:
    site(conf, {"hive.metastore.uris": "thrift://core", "metastore.sasl.enabled": "true"}, "core-site.xml")
    hive = site(conf, URIS)
    newest = site(conf, {"metastore.sasl.enabled": "false", "metastore.use.SSL": "true"}, "metastore-site.xml")
    settings = found(conf)
    assert (settings.settings.uri, settings.settings.auth) == (URIS["hive.metastore.uris"], "none")
    assert settings.sources["uri"] == f"hive.metastore.uris in {hive}"
    assert settings.sources["tls"] == f"metastore.use.SSL in {newest}"


def test_a_final_property_is_not_overridden(conf: Path) -> None:
    site(conf, {"hive.metastore.uris": "thrift://final"}, "core-site.xml", final=True)
    site(conf, URIS)
    assert found(conf).settings.uri == "thrift://final"


def test_core_site_comes_from_the_directory_of_hadoop_where_hives_has_none(conf: Path, tmp_path: Path) -> None:
    hadoop = tmp_path / "hadoop"
    hadoop.mkdir()
    site(hadoop, {"where": "c:9083"}, "core-site.xml")
    site(conf, {"hive.metastore.uris": "thrift://${where},thrift://${env.OTHER}:1"})
    environment = {"HADOOP_CONF_DIR": str(hadoop), "OTHER": "d"}
    assert found(conf, environment).settings.uri == "thrift://c:9083,thrift://d:1"


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        (
            {**URIS, **HTTP},
            {"uri": "thrift+http://a:9083/metastore,thrift+http://b:9084/metastore", "auth": "none"},
        ),
        (
            {
                **URIS,
                "hive.metastore.server.thrift.transport.mode": "HTTP",
                "metastore.client.thrift.http.path": "/hms/",
                "metastore.use.SSL": "true",
                "metastore.client.http.additional.headers": "X-Tenant=lake, X-Key=a=b",
            },
            {
                "uri": "thrift+https://a:9083/hms,thrift+https://b:9084/hms",
                "tls": True,
                "http_headers": {"X-Tenant": "lake", "X-Key": "a=b"},
            },
        ),
        ({"hive.metastore.uris": "https://a:443"}, {"uri": "thrift+https://a:443/metastore"}),
        ({**URIS, **HTTP, "hive.metastore.client.auth.mode": "jwt"}, {"auth": "jwt", "token_file": "/token"}),
        # Hive's client sends the name alone there.
        (
            {**URIS, **HTTP, "metastore.client.auth.mode": "PLAIN", "metastore.client.plain.username": "ada"},
            {"auth": "none", "user": "ada"},
        ),
        (
            {**URIS, "metastore.client.auth.mode": "PLAIN", "metastore.client.plain.username": "ada"},
            {"auth": "plain", "user": "ada"},
        ),
        ({**URIS, "metastore.client.auth.mode": "NOSASL"}, {"auth": "none"}),
        (
            {**URIS, "metastore.sasl.enabled": "true", "metastore.kerberos.principal": "hms/gate@EXAMPLE.ORG"},
            {"auth": "kerberos", "kerberos_service": "hms", "kerberos_hostname": "gate"},
        ),
        (
            {**URIS, "metastore.sasl.enabled": "true", "hive.metastore.token.signature": "lake"},
            {"auth": "kerberos", "token_signature": "lake"},
        ),
    ],
)
def test_mode_path_authentication_and_encryption_are_read(
    conf: Path, properties: dict[str, str], expected: dict[str, Any]
) -> None:
    site(conf, properties)
    environment = {"HIVE_VIEWS_TOKEN_FILE": "/token", "HIVE_VIEWS_PASSWORD": "x"}
    settings = found(conf, environment).settings
    assert {name: getattr(settings, name) for name in expected} == expected
    # What they give goes together.
    settings.connect().close()


ZOOKEEPER = {"metastore.service.discovery.mode": "zookeeper", "hive.metastore.uris": "zk1,thrift://zk2:2182"}


@pytest.mark.parametrize(
    ("properties", "uri"),
    [
        ({}, "zookeeper://zk1:2181,zk2:2182/hive_metastore"),
        (
            {"metastore.zookeeper.namespace": "hms", "hive.zookeeper.client.port": "99"},
            "zookeeper://zk1:99,zk2:2182/hms",
        ),
    ],
)
def test_metastores_in_zookeeper_are_an_address_of_it(conf: Path, properties: dict[str, str], uri: str) -> None:
    site(conf, {**ZOOKEEPER, **properties})
    assert found(conf).settings.uri == uri


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({"metastore.service.discovery.mode": "etcd"}, "by etcd"),
        (HTTP, "by zookeeper over HTTP"),
        ({"metastore.zookeeper.ssl.client.enable": "true"}, "by zookeeper over TLS"),
    ],
)
def test_other_ways_to_find_metastores_are_refused_with_the_way_out(
    conf: Path, properties: dict[str, str], words: str
) -> None:
    site(conf, {**ZOOKEEPER, **properties})
    with pytest.raises(InvalidInputError, match=rf"Cannot find metastores {words} .*Set their addresses as uri"):
        found(conf)
    assert found(conf, uri="thrift://a").settings.uri == "thrift://a"


def test_a_password_that_is_not_in_the_files_is_asked_for(conf: Path) -> None:
    site(conf, {**URIS, "metastore.client.auth.mode": "PLAIN", "metastore.client.plain.username": "ada"})
    with pytest.raises(InvalidInputError, match=r"metastore\.client\.auth\.mode in .*requires user and password"):
        found(conf)


def test_a_truststore_of_pem_is_used_and_one_of_java_is_refused_unless_a_pem_file_is_given(
    conf: Path, tmp_path: Path
) -> None:
    store = tmp_path / "truststore"
    site(conf, {**URIS, "metastore.use.SSL": "true", "hive.metastore.truststore.path": f"file:{store}"})
    store.write_text(PEM)
    assert found(conf).settings.tls_ca_file == str(store)
    store.write_bytes(b"\xfe\xed\xfe\xed\0\0\0\2")
    with pytest.raises(InvalidInputError, match=r"keytool -list -rfc .*set tls_ca_file") as refusal:
        found(conf)
    assert f"hive.metastore.truststore.path in {conf / 'hive-site.xml'}" in str(refusal.value)
    store.unlink()
    with pytest.raises(InvalidInputError, match=r"No such file.*set tls_ca_file|Set tls_ca_file"):
        found(conf)
    assert found(conf, tls_ca_file="/ca.pem").settings.tls_ca_file == "/ca.pem"


def test_a_directory_or_file_that_a_setting_names_is_used_beside_a_uri_and_must_be_there(conf: Path) -> None:
    file = site(conf, {**URIS, "metastore.use.SSL": "true"})
    for named in (conf, file):
        settings = found(Path("/no/such"), uri="thrift://tunnel:1", hive_conf_dir=str(named)).settings
        assert (settings.uri, settings.tls) == ("thrift://tunnel:1", True)
    with pytest.raises(InvalidInputError, match="There is no hive-site"):
        found(conf, hive_conf_dir="/no/such")


def test_without_such_a_setting_a_uri_from_elsewhere_leaves_them_out(conf: Path) -> None:
    site(conf, {**URIS, "metastore.client.auth.mode": "PLAIN", "metastore.client.plain.username": "ada"})
    assert found(conf, uri="thrift://other").settings.user is None
