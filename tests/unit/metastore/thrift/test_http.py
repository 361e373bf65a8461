"""What is refused before anything is sent over HTTP, and answers made of garbage; the rest is asked of real servers."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hive_views.errors import (
    Answer,
    AuthenticationError,
    InvalidInputError,
    MetastoreUnavailableError,
    UnsupportedFeatureError,
)
from hive_views.metastore.thrift.auth import JWT, TLS, Kerberos
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.support.failing.scripted_http import Said, ScriptedHttp


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedHttp]:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with closing(ScriptedHttp()) as server:
        yield server


@pytest.mark.parametrize(
    ("uri", "settings", "words"),
    [
        ("thrift+http://a", {"tls": TLS()}, r"write thrift\+https://"),
        ("thrift+https://a", {"auth": Kerberos()}, "Cannot use Kerberos over HTTP"),
        ("thrift://a", {"auth": JWT("a.b.c")}, r"write thrift\+https://a:9083/metastore"),
        ("thrift+https://a", {"http_headers": {"X Tenant": "x"}}, "of the name 'X Tenant'"),
        ("thrift+https://a", {"http_headers": {"X-Tenant": "s3cret\r\nX-Other: 1"}}, "the header X-Tenant"),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_is_connected(
    uri: str, settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidInputError, match=words) as refusal:
        HiveMetastore(uri, **settings)
    assert "s3cret" not in str(refusal.value)


@pytest.mark.parametrize("given", [{}, {"token": "a", "token_file": "b"}])
def test_a_token_comes_from_one_place_and_is_not_shown(given: dict[str, str]) -> None:
    with pytest.raises(InvalidInputError, match="token or token_file"):
        JWT(**given)
    assert "s3cret" not in repr(JWT("s3cret"))


@pytest.mark.parametrize("content", [None, b"", b"s3 cret", b"s3cret\nb", "sécret".encode()])
def test_a_token_that_cannot_be_read_or_sent_is_named_by_its_file_and_nothing_is_sent(
    server: ScriptedHttp, tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    with (
        closing(HiveMetastore(f"thrift+{server.url}", auth=JWT(token_file=str(file)))) as metastore,
        pytest.raises(AuthenticationError) as refusal,
    ):
        metastore.create_namespace("sales")
    assert str(file) in str(refusal.value)
    assert "cret" not in str(refusal.value)
    assert refusal.value.answer is Answer.NOT_SENT
    assert not server.requests


def test_a_proxy_that_is_not_spoken_to_is_refused_by_its_variable(
    server: ScriptedHttp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("http_proxy", "socks5://ada:s3cret@proxy:1080")
    with (
        closing(HiveMetastore(f"thrift+{server.url}")) as metastore,
        pytest.raises(UnsupportedFeatureError, match=r"HTTP_PROXY .* must be http://host:port.*NO_PROXY=") as refusal,
    ):
        metastore.list_namespaces()
    assert "s3cret" not in str(refusal.value)


@pytest.mark.parametrize(
    "said",
    [
        Said(200, b"\x80", missing_bytes=10**15),
        Said(200, b"fffffffffffffff\r\n\x80", {"Transfer-Encoding": "chunked"}),
        Said(200, b"zz\r\n", {"Transfer-Encoding": "chunked"}),
        Said(599, b"", {"Content-Length": "many"}),
    ],
    ids=["length", "chunk", "no chunk", "no length"],
)
def test_lengths_made_of_garbage_neither_hang_nor_allocate(server: ScriptedHttp, said: Said) -> None:
    server.always(said)
    tracemalloc.start()
    try:
        with (
            closing(HiveMetastore(f"thrift+{server.url}", read_timeout_s=0.3)) as metastore,
            pytest.raises(MetastoreUnavailableError, match=server.url),
        ):
            metastore.list_namespaces()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16 << 20
    assert len(server.requests) == 1
