"""Settings: which source counts, what is refused, and that secrets stay secret."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

import hive_views
from hive_views.config import ResolvedSettings, Settings, load_catalog, resolve
from hive_views.errors import InvalidInputError
from hive_views.metastore.thrift.auth import JWT, TLS, Kerberos, NoAuth, Plain
from hive_views.metastore.thrift.hms import HiveMetastore

SECRET = "hunter2-and-more"
UDFS = {"mask_ip": {"type": "string", "arguments": ["string"], "hive": "default.mask_ip", "trino": "mask_ip"}}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to stand in, with nothing configured: neither there, nor at home, nor by the machine."""
    monkeypatch.chdir(tmp_path)
    for variable in [name for name in os.environ if name.startswith("HIVE_VIEWS_")]:
        monkeypatch.delenv(variable)
    return tmp_path


def resolved(
    home: Path,
    name: str | None = None,
    *,
    config: Path | None = None,
    environment: Mapping[str, str] = {},
    **arguments: Any,
) -> ResolvedSettings:
    nowhere = {"XDG_CONFIG_HOME": str(home / "xdg"), "HIVE_CONF_DIR": str(home / "conf")}
    return resolve(name, config=config, arguments=arguments, environment={**nowhere, **environment})


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def hive_site(home: Path, **properties: str) -> None:
    rows = "".join(
        f"<property><name>{name.replace('__', '.')}</name><value>{value}</value></property>"
        for name, value in properties.items()
    )
    write(home / "conf" / "hive-site.xml", f"<?xml version='1.0'?><configuration>{rows}</configuration>")


def metastore_with(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the metastore was opened with; it connects with its first call only."""
    with Settings(**{"uri": "thrift://metastore.example", **settings}).connect() as catalog:
        remade, _ = catalog.metastore.__reduce__()
        assert remade.func is HiveMetastore
        return remade.keywords


class TestSources:
    @pytest.mark.parametrize(
        ("sources", "expected", "origin"),
        [
            (("argument", "environment", "file"), "always", "argument"),
            (("environment", "file"), "never", "environment variable HIVE_VIEWS_LOCK"),
            (("file",), "always", "catalogs.prod of "),
            ((), "auto", "default"),
        ],
        ids=["an argument", "else the environment", "else the file", "else the default"],
    )
    def test_the_first_source_that_has_a_value_counts(
        self, home: Path, sources: tuple[str, ...], expected: str, origin: str
    ) -> None:
        line = 'lock = "always"' if "file" in sources else ""
        write(home / "hive-views.toml", f'[catalogs.prod]\nuri = "thrift://prod"\n{line}')
        environment = {"HIVE_VIEWS_LOCK": "never"} if "environment" in sources else {}
        arguments = {"lock": "always"} if "argument" in sources else {}
        found = resolved(home, environment=environment, **arguments)
        assert found.settings.lock == expected
        assert found.origins()["lock"].source.startswith(origin)

    def test_every_setting_can_be_given_in_the_environment(self, home: Path) -> None:
        values = dict.fromkeys(Settings.model_fields, "1") | {
            "lock": "never",
            "auth": "plain",
            "tls": "true",
            "storage_options": '{"key": 1}',
            "http_headers": '{"X-Tenant": "lake"}',
            "udfs": json.dumps(UDFS),
            "hive_conf_dir": str(home / "conf"),
        }
        hive_site(home)
        environment = {f"HIVE_VIEWS_{name.upper()}": value for name, value in values.items()}
        found = resolved(home, environment=environment)
        assert set(found.sources) == set(Settings.model_fields)
        assert found.settings.read_timeout_s == 1.0
        assert found.settings.tls is True
        assert found.settings.storage_options == {"key": 1}
        assert found.settings.udfs == UDFS

    def test_every_setting_can_be_given_in_the_file_with_dashes(self, home: Path) -> None:
        hive_site(home)
        write(
            home / "hive-views.toml",
            """
            [catalogs.prod]
            uri = "thrift://prod"
            warehouse = "s3://lake/views"
            lock = "never"
            owner = "etl"
            auth = "plain"
            user = "ada"
            password = "x"
            token = "a.b.c"
            token-file = "/token"
            http-headers = {X-Tenant = "lake"}
            hive-conf-dir = "conf"
            kerberos-service = "metastore"
            kerberos-hostname = "lb"
            proxy-user = "ada"
            token-signature = "lake"
            tls = true
            tls-ca-file = "/ca.pem"
            tls-cert-file = "/cert.pem"
            tls-key-file = "/key.pem"
            connect-timeout-s = 1
            read-timeout-s = 2
            write-timeout-s = 3
            lock-timeout-s = 4
            retry-timeout-s = 5
            storage-options = {anon = true}
            trino-catalog = "hive"
            notify-token = "x"

            [catalogs.prod.udfs.mask_ip]
            type = "string"
            arguments = ["string"]
            hive = "default.mask_ip"
            trino = "mask_ip"
            """,
        )
        found = resolved(home)
        assert set(found.sources) == set(Settings.model_fields)
        assert found.settings.udfs == UDFS
        assert found.origins()["udfs"].value == "mask_ip"

    def test_the_default_catalog_of_the_file_is_used(self, home: Path) -> None:
        write(
            home / "hive-views.toml",
            'default = "b"\n[catalogs.a]\nuri = "thrift://a"\n[catalogs.b]\nuri = "thrift://b"',
        )
        assert resolved(home).catalog == "b"
        assert resolved(home, environment={"HIVE_VIEWS_CATALOG": "a"}).settings.uri == "thrift://a"
        assert resolved(home, "b", environment={"HIVE_VIEWS_CATALOG": "a"}).settings.uri == "thrift://b"

    def test_a_uri_from_elsewhere_leaves_the_default_catalog_out_with_its_password(self, home: Path) -> None:
        write(home / "hive-views.toml", '[catalogs.prod]\nuri = "thrift://prod"\nuser = "ada"\npassword = "x"')
        found = resolved(home, uri="thrift://elsewhere")
        assert found.catalog is None
        assert found.settings.password is None
        assert resolved(home, environment={"HIVE_VIEWS_URI": "thrift://elsewhere"}).settings.user is None

    def test_a_uri_from_elsewhere_replaces_that_of_a_catalog_that_is_named(self, home: Path) -> None:
        write(home / "hive-views.toml", '[catalogs.prod]\nuri = "thrift://prod"\nowner = "etl"')
        settings = resolved(home, "prod", uri="thrift://tunnel").settings
        assert (settings.uri, settings.owner) == ("thrift://tunnel", "etl")

    @pytest.mark.parametrize("place", ["argument", "environment", "here", "at home"])
    def test_the_file_is_looked_for_in_four_places_in_this_order(self, home: Path, place: str) -> None:
        places = {
            "argument": home / "argument.toml",
            "environment": home / "environment.toml",
            "here": home / "hive-views.toml",
            "at home": home / "xdg" / "hive-views" / "config.toml",
        }
        # Those before it are missing, those behind it are there.
        for name in list(places)[list(places).index(place) :]:
            write(places[name], f'[catalogs.only]\nuri = "thrift://{name.replace(" ", "-")}"')
        found = resolved(
            home,
            config=places["argument"] if place == "argument" else None,
            environment={"HIVE_VIEWS_CONFIG": str(places["environment"])} if place == "environment" else {},
        )
        assert found.settings.uri == f"thrift://{place.replace(' ', '-')}"

    def test_an_empty_variable_means_not_given(self, home: Path) -> None:
        assert resolved(home, environment={"HIVE_VIEWS_URI": "memory:", "HIVE_VIEWS_LOCK": ""}).settings.lock == "auto"

    def test_none_as_an_argument_means_not_given(self, home: Path) -> None:
        assert resolved(home, uri="memory:", lock=None).settings.lock == "auto"


class TestHiveSite:
    def test_the_metastore_of_hive_site_is_used_where_nobody_names_one(self, home: Path) -> None:
        hive_site(home, hive__metastore__uris="thrift://a:9083,thrift://b:9083")
        found = resolved(home)
        assert found.settings.uri == "thrift://a:9083,thrift://b:9083"
        assert found.origins()["uri"].source == f"hive.metastore.uris in {home / 'conf' / 'hive-site.xml'}"

    def test_the_names_of_hive_3_count_before_those_of_hive_2(self, home: Path) -> None:
        hive_site(home, hive__metastore__uris="thrift://two", metastore__thrift__uris="thrift://three")
        assert resolved(home).settings.uri == "thrift://three"

    def test_kerberos_tls_and_time_out_come_along(self, home: Path) -> None:
        hive_site(
            home,
            hive__metastore__uris="thrift://a",
            hive__metastore__sasl__enabled="true",
            hive__metastore__kerberos__principal="metastore/_HOST@EXAMPLE.ORG",
            hive__metastore__use__SSL="true",
            hive__metastore__client__socket__timeout="2min",
        )
        settings = resolved(home).settings
        assert (settings.auth, settings.kerberos_service, settings.kerberos_hostname) == ("kerberos", "metastore", None)
        assert settings.tls is True
        assert settings.read_timeout_s == 120

    @pytest.mark.parametrize(
        ("configured", "seconds"), [("600", 600), ("600s", 600), ("1500ms", 1.5), ("1h", 3600), ("for ever", 60)]
    )
    def test_times_have_the_units_of_hive_and_others_are_left_out(
        self, home: Path, configured: str, seconds: float
    ) -> None:
        hive_site(home, hive__metastore__uris="thrift://a", hive__metastore__client__socket__timeout=configured)
        assert resolved(home).settings.read_timeout_s == seconds

    def test_it_is_left_out_as_a_whole_where_another_source_names_the_metastore(self, home: Path) -> None:
        hive_site(home, hive__metastore__uris="thrift://a", hive__metastore__sasl__enabled="true")
        assert resolved(home, uri="thrift://b").settings.auth == "none"

    def test_an_argument_counts_before_it(self, home: Path) -> None:
        hive_site(home, hive__metastore__uris="thrift://a", hive__metastore__use__SSL="true")
        assert resolved(home, tls=False).settings.tls is False

    def test_one_that_is_no_xml_is_named(self, home: Path) -> None:
        write(home / "conf" / "hive-site.xml", "<configuration>")
        with pytest.raises(InvalidInputError, match=r"Cannot read .*hive-site\.xml"):
            resolved(home)


class TestRefusals:
    @pytest.mark.parametrize(
        ("call", "expected"),
        [
            ({"arguments": {"warehous": "x"}}, "There is no setting 'warehous'. Did you mean 'warehouse'?"),
            (
                {"environment": {"HIVE_VIEWS_LOK": "never"}},
                "There is no setting 'HIVE_VIEWS_LOK' (environment). Did you mean 'HIVE_VIEWS_LOCK'?",
            ),
        ],
    )
    def test_an_unknown_setting_is_refused_with_the_nearest_known_one(
        self, home: Path, call: dict[str, Any], expected: str
    ) -> None:
        with pytest.raises(InvalidInputError) as refusal:
            resolve(**call)
        assert str(refusal.value) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ('[catalogs.prod]\nuri = "x"\nstorage_options = {}', "Did you mean 'storage-options'?"),
            ('[catalogs.prod]\nurl = "x"', "Did you mean 'uri'?"),
            ('[catalog.prod]\nuri = "x"', "Did you mean 'catalogs'?"),
            ('default = "pord"\n[catalogs.prod]\nuri = "x"', "Did you mean 'prod'?"),
        ],
    )
    def test_an_unknown_key_of_the_file_is_refused_with_the_nearest_known_one(
        self, home: Path, text: str, expected: str
    ) -> None:
        file = write(home / "hive-views.toml", text)
        with pytest.raises(InvalidInputError) as refusal:
            resolved(home)
        assert expected in str(refusal.value)
        assert str(file) in str(refusal.value)

    def test_a_word_that_resembles_none_is_answered_with_all(self, home: Path) -> None:
        write(home / "hive-views.toml", '[catalogs.prod]\nuri = "x"')
        with pytest.raises(InvalidInputError, match=r"There are: prod\."):
            resolved(home, "zzzzz")

    @pytest.mark.parametrize("text", ["default = 3", "catalogs = 3", "[catalogs]\nprod = 3", "uri =", "\xff"])
    def test_a_file_of_another_form_is_refused_by_name(self, home: Path, text: str) -> None:
        file = home / "hive-views.toml"
        file.write_bytes(text.encode("latin1"))
        with pytest.raises(InvalidInputError, match=str(file)):
            resolved(home)

    def test_a_file_that_was_named_must_be_there(self, home: Path) -> None:
        with pytest.raises(InvalidInputError, match=r"missing\.toml"):
            resolved(home, config=home / "missing.toml")

    def test_a_value_that_a_setting_cannot_have_is_refused_with_its_source(self, home: Path) -> None:
        with pytest.raises(InvalidInputError) as refusal:
            resolved(home, uri="memory:", environment={"HIVE_VIEWS_LOCK": "sometimes"})
        assert "lock (environment variable HIVE_VIEWS_LOCK)" in str(refusal.value)
        assert "'auto', 'always' or 'never'" in str(refusal.value)

    def test_a_function_of_a_user_that_cannot_be_used_is_named(self) -> None:
        with pytest.raises(InvalidInputError, match="Cannot use the entry 'mask_ip' of udfs: it needs arguments"):
            load_catalog(uri="memory:", udfs={"mask_ip": {"type": "string"}})
        with pytest.raises(InvalidInputError, match=r"Invalid value of setting udfs \(argument\)"):
            load_catalog(uri="memory:", udfs={"mask_ip": "string"})

    @pytest.mark.parametrize("seconds", ["0", "-1", "soon"])
    def test_a_time_out_is_a_number_above_zero(self, home: Path, seconds: str) -> None:
        with pytest.raises(InvalidInputError, match="read_timeout_s"):
            resolved(home, uri="memory:", read_timeout_s=seconds)

    def test_without_a_metastore_all_ways_to_name_one_are_reported(self, home: Path) -> None:
        with pytest.raises(InvalidInputError) as refusal:
            resolved(home)
        for way in ("--uri", "HIVE_VIEWS_URI", "config.toml"):
            assert way in str(refusal.value)

    def test_a_password_alone_is_no_authentication(self, home: Path) -> None:
        with pytest.raises(InvalidInputError, match="requires user and password"):
            resolved(home, uri="memory:", auth="plain", password="x")

    @pytest.mark.parametrize("given", [{}, {"token": "a.b.c", "token_file": "/token"}])
    def test_a_token_comes_from_one_place(self, home: Path, given: dict[str, str]) -> None:
        with pytest.raises(InvalidInputError, match="requires token or token_file"):
            resolved(home, uri="memory:", auth="jwt", **given)

    def test_the_token_of_hives_own_clients_counts_where_no_other_is_given(self, home: Path) -> None:
        environment = {"HMS_JWT": "a.b.c", "HIVE_VIEWS_AUTH": "jwt"}
        found = resolved(home, uri="memory:", environment=environment)
        assert found.settings.token == SecretStr("a.b.c")
        assert found.sources["token"] == "environment variable HMS_JWT"
        assert resolved(home, uri="memory:", token_file="/t", environment=environment).settings.token is None
        assert resolved(home, uri="memory:", environment={"HMS_JWT": "a.b.c"}).settings.token is None

    def test_the_proxy_user_of_hives_own_clients_counts_where_no_other_is_given(self, home: Path) -> None:
        environment = {"HADOOP_PROXY_USER": "ada"}
        found = resolved(home, uri="memory:", environment=environment)
        assert found.settings.proxy_user == "ada"
        assert found.sources["proxy_user"] == "environment variable HADOOP_PROXY_USER"
        assert resolved(home, uri="memory:", proxy_user="bob", environment=environment).settings.proxy_user == "bob"


class TestSecrets:
    @pytest.fixture
    def found(self, home: Path) -> ResolvedSettings:
        return resolved(
            home,
            uri="memory:",
            warehouse=f"s3://ada:{SECRET}@bucket/views",
            auth="plain",
            user="ada",
            password=SECRET,
            token=SECRET,
            environment={
                "HIVE_VIEWS_STORAGE_OPTIONS": f'{{"secret": "{SECRET}"}}',
                "HIVE_VIEWS_HTTP_HEADERS": f'{{"X-Api-Key": "{SECRET}"}}',
            },
        )

    def test_they_are_neither_in_the_repr_nor_in_the_origins(self, found: ResolvedSettings) -> None:
        assert SECRET not in repr(found)
        assert SECRET not in str(found.settings)
        assert SECRET not in str(found.origins())
        assert found.origins()["storage_options"].value == "secret=***"
        assert found.origins()["http_headers"].value == "X-Api-Key=***"

    def test_they_reach_what_they_are_for(self, found: ResolvedSettings) -> None:
        with found.settings.connect() as catalog:
            assert catalog.storage.__getstate__()["_options"] == {"secret": SECRET}
            assert SECRET not in repr(catalog.storage)

    @pytest.mark.parametrize(
        ("key", "value"), [("storage_options", f"[{SECRET}"), ("storage_options", f'"{SECRET}"'), ("tls", SECRET)]
    )
    def test_a_value_that_cannot_be_used_is_not_repeated_in_the_error(self, home: Path, key: str, value: str) -> None:
        with pytest.raises(InvalidInputError) as refusal:
            resolved(home, uri="memory:", environment={f"HIVE_VIEWS_{key.upper()}": value})
        seen: BaseException | None = refusal.value
        while seen is not None:
            assert SECRET not in str(seen)
            seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)


class TestConnecting:
    @pytest.mark.parametrize(
        ("settings", "expected"),
        [
            ({}, NoAuth()),
            ({"user": "ada"}, NoAuth("ada")),
            ({"auth": "kerberos", "kerberos_hostname": "lb"}, Kerberos("hive", "lb")),
            ({"auth": "kerberos", "token_signature": "lake"}, Kerberos(token_signature="lake")),
            ({"auth": "plain", "user": "ada", "password": "x"}, Plain("ada", "x")),
            ({"auth": "jwt", "token": "a.b.c"}, JWT("a.b.c")),
            ({"auth": "jwt", "token_file": "/token"}, JWT(token_file="/token")),
        ],
    )
    def test_each_kind_of_authentication_becomes_its_value(self, settings: dict[str, Any], expected: object) -> None:
        uri = "thrift+https://metastore.example" if settings.get("auth") == "jwt" else "thrift://metastore.example"
        assert metastore_with({"uri": uri, **settings})["auth"] == expected

    @pytest.mark.parametrize(
        ("settings", "expected"),
        [
            ({}, None),
            ({"tls": True}, TLS()),
            ({"tls_ca_file": "/ca.pem"}, TLS("/ca.pem")),
            ({"tls_cert_file": "/c.pem", "tls_key_file": "/k.pem"}, TLS(None, "/c.pem", "/k.pem")),
        ],
    )
    def test_tls_is_on_where_it_or_one_of_its_files_is_given(self, settings: dict[str, Any], expected: object) -> None:
        assert metastore_with(settings)["tls"] == expected

    def test_the_time_outs_arrive(self) -> None:
        settings = metastore_with(
            {"connect_timeout_s": 1, "read_timeout_s": 2, "write_timeout_s": 3, "lock_timeout_s": 4}
        )
        names = ("connect_timeout_s", "read_timeout_s", "write_timeout_s", "lock_timeout_s")
        assert [settings[name] for name in names] == [1, 2, 3, 4]

    def test_load_catalog_reads_the_environment_of_the_process(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HIVE_VIEWS_URI", "memory:")
        monkeypatch.setenv("HIVE_VIEWS_LOCK", "never")
        with load_catalog(owner="etl") as catalog:
            assert (catalog.settings.lock, catalog.settings.owner) == ("never", "etl")
            assert (catalog.warehouse or "").startswith("memory://")

    def test_functions_of_users_arrive(self) -> None:
        with load_catalog(uri="memory:", udfs=UDFS) as catalog:
            assert catalog.settings.udfs == UDFS
            assert catalog.dry_run().settings.udfs == UDFS

    def test_load_catalog_is_a_public_name(self) -> None:
        assert hive_views.load_catalog is load_catalog

    def test_settings_can_be_pickled(self) -> None:
        settings = Settings(uri="memory:", password="x")
        assert pickle.loads(pickle.dumps(settings)) == settings
