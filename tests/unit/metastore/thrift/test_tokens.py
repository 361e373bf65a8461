"""Delegation tokens: files that Hadoop has written, and the mechanism that logs in with a token.

``token_files`` were written by Hadoop 3.3.6 (``Credentials.writeTokenStorageFile``, in its two formats) with tokens of
Hive 4.0.1's ``DelegationTokenIdentifier``: one of HDFS, one of ada without a service, one of zoë for another metastore.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from thrift.transport.TTransport import TTransportException

from hive_views.errors import Answer, AuthenticationError, InvalidInputError
from hive_views.metastore.open import open_metastore
from hive_views.metastore.thrift import digest
from hive_views.metastore.thrift.auth import JWT, Auth, DelegationToken, Kerberos, NoAuth, Plain
from hive_views.metastore.thrift.digest import DigestLayer, DigestMechanism
from hive_views.metastore.thrift.hadoop_tokens import choose, decode, read_tokens
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.metastore.thrift.sasl import RefusedError
from tests.support.failing.scripted_metastore import ScriptedMetastore

FILES = Path(__file__).with_name("token_files")
OTHER = "DelegationTokenForHiveMetaStoreServer"
# Token.encodeToUrlString of zoë's.
ENCODED = (
    "NQAEem_DqwR5YXJuFm9vemllL2VkZ2VARVhBTVBMRS5PUkeKAYvP5WgAigGL8_HsAI0S1of9FAkKCwwNDg8QERITFBUWFxgZGhscFUhJVkVfREVMRUdB"
    "VElPTl9UT0tFTiVEZWxlZ2F0aW9uVG9rZW5Gb3JIaXZlTWV0YVN0b3JlU2VydmVy"
)


@pytest.mark.parametrize("format", ["writable", "protobuf"])
def test_what_hadoop_writes_is_read(format: str) -> None:  # noqa: A002 - of Hadoop's word
    tokens = read_tokens(str(FILES / f"{format}.tokens"))
    ada, zoe = choose(tokens, ""), choose(tokens, OTHER)
    assert len(tokens) == 3
    assert ada is not None
    assert zoe is not None
    assert (
        str(ada) == "of ada@EXAMPLE.ORG (issued 2023-11-14 22:13 UTC, valid until 2023-11-21 22:13 UTC at the latest)"
    )
    assert (ada.password, zoe.password) == (bytes(range(5, 25)), bytes(range(9, 29)))
    assert decode(ENCODED) == zoe
    assert choose(tokens, "ha-hdfs:lake") is None, "not of the metastore's kind"
    hdfs = next(token for token in tokens if token.service == "ha-hdfs:lake")
    assert (hdfs.kind, hdfs.identifier) == ("HDFS_DELEGATION_TOKEN", bytes(range(130)))


@pytest.mark.parametrize("cut", [0, 3, 4, 5, 6, 20, 200, -1])
@pytest.mark.parametrize("format", ["writable", "protobuf"])
def test_a_damaged_file_is_refused(tmp_path: Path, format: str, cut: int) -> None:  # noqa: A002
    content = (FILES / f"{format}.tokens").read_bytes()
    path = tmp_path / "tokens"
    # The secrets behind the tokens are not read.
    path.write_bytes(content[:cut] if cut >= 0 else b"HDTS\2" + content[5:])
    with pytest.raises(AuthenticationError, match="no token file of Hadoop, or damaged") as refused:
        read_tokens(str(path))
    assert str(path) in str(refused.value)


def refusal(auth: Auth) -> str:
    server = ScriptedMetastore()
    with (
        server,
        closing(HiveMetastore(server.uri, auth=auth)) as metastore,
        pytest.raises(AuthenticationError) as caught,
    ):
        metastore.create_namespace("a")
    assert (caught.value.answer, server.calls) == (Answer.NOT_SENT, [])
    return str(caught.value)


def test_without_a_file_or_a_token_for_this_metastore_the_error_says_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HADOOP_TOKEN_FILE_LOCATION", raising=False)
    assert "HADOOP_TOKEN_FILE_LOCATION" in refusal(DelegationToken())
    missing = str(tmp_path / "gone")
    monkeypatch.setenv("HADOOP_TOKEN_FILE_LOCATION", missing)
    for auth in (DelegationToken(), Kerberos()):
        assert f"{missing}: No such file or directory" in refusal(auth)
    said = refusal(DelegationToken(str(FILES / "writable.tokens"), token_signature="lake"))
    for part in ("'lake'", "HDFS_DELEGATION_TOKEN with the service 'ha-hdfs:lake'", OTHER, "token_signature"):
        assert part in said


# -- DIGEST-MD5 ------------------------------------------------------------------------------------------------------

CHALLENGE = 'realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",qop="{}",algorithm=md5-sess,charset=utf-8'


def mechanism() -> DigestMechanism:
    return DigestMechanism("chris", "secret", "imap/elwood.innosoft.com")


def test_the_example_of_the_rfc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest.secrets, "token_hex", lambda _: "OA6MHXh6VqTrRk")
    client = mechanism()
    assert client.respond(b"") == b""
    assert b"response=d388dad90d4bbd760a152321f2143af7" in client.respond(CHALLENGE.format("auth").encode())
    client.respond(b"rspauth=ea40f60335c427b5527b84dbabcdfffd")
    assert client.is_complete
    assert client.layer is None


@pytest.mark.parametrize("proof", ["rspauth=ea40f60335c427b5527b84dbabcdfff0", "rspauth=\xe9", "nonce=a", "garbage"])
def test_a_server_that_does_not_know_the_password_is_refused(monkeypatch: pytest.MonkeyPatch, proof: str) -> None:
    monkeypatch.setattr(digest.secrets, "token_hex", lambda _: "OA6MHXh6VqTrRk")
    client = mechanism()
    client.respond(CHALLENGE.format("auth").encode())
    with pytest.raises(RefusedError, match="did not prove"):
        client.respond(proof.encode())
    assert not client.is_complete


@pytest.mark.parametrize(
    ("offer", "protection"),
    [
        ('auth,auth-int,auth-conf",cipher="3des,rc4,des', "auth-conf,cipher=rc4"),
        ('auth,auth-int,auth-conf",cipher="3des,des', "auth-int"),
        ("auth-int,auth", "auth-int"),
        ('auth-int",maxbuf="', "auth-int"),
    ],
)
def test_the_strongest_protection_that_both_know_is_used(offer: str, protection: str) -> None:
    client = mechanism()
    assert client.respond(CHALLENGE.format(offer).encode()).endswith(f",qop={protection}".encode())
    assert client.layer is not None


def test_a_server_that_only_offers_other_ciphers_is_told_what_to_offer() -> None:
    with pytest.raises(RefusedError, match=r"3des, des.*auth-int.*hadoop\.rpc\.protection"):
        mechanism().respond(CHALLENGE.format('auth-conf",cipher="3des,des').encode())


def test_what_is_no_challenge_is_refused() -> None:
    with pytest.raises(RefusedError, match="no challenge"):
        mechanism().respond(b"\0\xff what")


@pytest.mark.parametrize(
    "damage", [lambda frame: frame[:-1] + b"\7", lambda frame: b"x" + frame[1:], lambda frame: b""]
)
def test_a_frame_that_was_changed_is_refused(damage: Any) -> None:
    layer = DigestLayer(bytes(16), 100, encrypted=False)
    # As the server signs.
    layer._ours = layer._theirs
    frames = [layer.wrap(b"first"), layer.wrap(b"second")]
    assert layer.unwrap(frames[0]) == b"first"
    with pytest.raises(TTransportException, match="changed on the way"):
        layer.unwrap(damage(frames[1]))


# -- proxy users -----------------------------------------------------------------------------------------------------


def test_without_authentication_a_proxy_user_is_announced() -> None:
    with ScriptedMetastore(get_databases=["a"]) as server:
        for auth in (None, NoAuth("etl", ("staff",))):
            with closing(HiveMetastore(server.uri, auth=auth, proxy_user="ada")) as metastore:
                metastore.list_namespaces()
    assert [call for call in server.calls if call[0] == "set_ugi"] == [("set_ugi", ("ada", []))] * 2


@pytest.mark.parametrize("auth", [Plain("etl", "s3cret"), JWT("s3cret"), DelegationToken()])
def test_other_kinds_of_authentication_know_no_proxy_users(auth: Auth) -> None:
    with pytest.raises(InvalidInputError, match=r"'ada' with .*Kerberos.*HADOOP_PROXY_USER") as refused:
        HiveMetastore("thrift+https://a" if isinstance(auth, JWT) else "thrift://a", auth=auth, proxy_user="ada")
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(("uri", "user", "reason"), [("thrift://a", " ", "empty"), ("memory:", "ada", "no users")])
def test_a_proxy_user_without_a_name_or_among_no_users_is_refused(uri: str, user: str, reason: str) -> None:
    with pytest.raises(InvalidInputError, match=reason):
        open_metastore(uri, proxy_user=user)
