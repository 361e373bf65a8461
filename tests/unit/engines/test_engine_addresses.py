"""Addresses of engines as users write them."""

from __future__ import annotations

import pytest

from hive_views.engines.address import EngineAddress, read_address
from hive_views.errors import InvalidInputError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("trino://ann@host/hive", EngineAddress("trino", "host", 8080, "ann", catalog="hive")),
        (
            "trino://ann:p%40ss@host:443/hive?tls=true&ca_cert=/ca.pem",
            EngineAddress("trino", "host", 443, "ann", "p@ss", "hive", True, "/ca.pem", auth="ldap"),
        ),
        ("hive://host?auth=nosasl", EngineAddress("hive", "host", 10000, auth="nosasl")),
        (
            "hive://host:10001?auth=kerberos&tls=true&http_path=cliservice",
            EngineAddress("hive", "host", 10001, tls=True, auth="kerberos", http_path="cliservice"),
        ),
    ],
)
def test_an_address_says_how_an_engine_is_reached(text: str, address: EngineAddress) -> None:
    assert read_address(text) == address


def test_a_password_may_be_in_the_environment_and_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIVE_VIEWS_ENGINE_PASSWORD", "Secret9")
    found = read_address("hive://ann@host")
    assert (found.password, found.auth) == ("Secret9", "ldap")
    assert "Secret9" not in repr(found)
    assert found.without_password("user ann, password Secret9") == "user ann, password ***"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("presto://host/hive", "expected spark, trino://user@host:8080/catalog, or hive://user@host:10000"),
        ("trino://host", "the path of a trino:// address is the catalog"),
        ("trino://ann:Secret9@host/hive", "Trino takes passwords over TLS only; add ?tls=true"),
        ("hive://ann:Secret9@host/db", "hive:// has no path"),
        ("hive://host?ssl=true", "hive:// has no option ssl, but tls, ca_cert, auth, http_path"),
        ("hive://host?auth=none", "auth is nosasl, plain, ldap, kerberos, not none"),
        ("hive://host?tls=yes", "tls is true or false, not yes"),
        ("hive://host:x", "the port is a number"),
    ],
)
def test_a_mistake_in_an_address_is_told_without_the_password(text: str, problem: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        read_address(text)
    assert problem in str(refused.value)
    assert "Secret9" not in str(refused.value)
