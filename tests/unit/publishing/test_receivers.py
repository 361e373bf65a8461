"""Who is told of events: files and URLs, also those that fail, are slow, lead elsewhere, or want a secret."""

from __future__ import annotations

import json
import os
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
import tenacity

from hive_views.errors import InvalidInputError
from hive_views.publishing.notifying import receivers
from hive_views.publishing.notifying.events import Event
from hive_views.publishing.notifying.receivers import Receiver, receivers_of
from tests.support.failing.scripted_http import Said, ScriptedHttp
from tests.support.processes.certificates import self_signed

SECRET = "s3cr3t"


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedHttp]:
    server = ScriptedHttp()
    yield server
    server.close()


@pytest.fixture
def hook(server: ScriptedHttp, monkeypatch: pytest.MonkeyPatch) -> ScriptedHttp:
    monkeypatch.setattr(receivers._AGAIN_IF_PASSING, "wait", tenacity.wait_none())
    monkeypatch.setattr(receivers, "_failed_at", {})
    server.reset()
    return server


LONG = b"HTTP/1.1 200 OK\r\nContent-Length: 65000\r\n\r\n"


def drip(listening: socket.socket, head: bytes) -> None:
    """Answer everybody with this, and then byte by byte as long as somebody listens."""
    with suppress(OSError):
        while True:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                connection.sendall(head)
                while True:
                    connection.sendall(b"x")
                    time.sleep(0.01)


def events(count: int, of: str = "e") -> list[Event]:
    return [{"id": f"{of}{number}", "text": "\ud800 \n \u2028"} for number in range(count)]


def ids_in(file: Path) -> list[str]:
    return [json.loads(line)["id"] for line in file.read_bytes().split(b"\n") if line]


class TestFile:
    def test_each_event_is_a_line_behind_those_that_are_there(self, tmp_path: Path) -> None:
        file = tmp_path / "events.jsonl"
        for target in (str(file), f"file://{file}", f"file:{file}", f"{tmp_path}/../{tmp_path.name}/{file.name}"):
            assert Receiver(target).deliver(events(2)).taken == {"e0", "e1"}
        assert ids_in(file) == ["e0", "e1"] * 4
        assert Receiver(str(file)).target == f"file://{file}"

    def test_lines_of_several_writers_are_whole(self, tmp_path: Path) -> None:
        file = tmp_path / "events.jsonl"

        def write(of: str) -> None:
            for _ in range(10):
                Receiver(str(file)).deliver(events(20, of))

        writers = [threading.Thread(target=write, args=(of,)) for of in "abcd"]
        for one in writers:
            one.start()
        for one in writers:
            one.join()
        assert sorted(ids_in(file)) == sorted([f"{of}{number}" for of in "abcd" for number in range(20)] * 10)

    def test_half_a_line_of_a_disk_that_was_full_spoils_no_other(self, tmp_path: Path) -> None:
        file = tmp_path / "events.jsonl"
        file.write_bytes(b'{"id": "ha')
        Receiver(str(file)).deliver(events(1))
        assert file.read_bytes().startswith(b'{"id": "ha\n{"id": "e0"')

    @pytest.mark.parametrize(
        ("name", "why"), [("no/such/x", "No such file"), ("", "Is a directory"), ("pipe", "No such device")]
    )
    def test_what_cannot_be_written_has_taken_nothing(
        self, tmp_path: Path, name: str, why: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(receivers, "_failed_at", {})
        os.mkfifo(tmp_path / "pipe")
        delivery = Receiver(str(tmp_path / name)).deliver(events(1))
        assert not delivery.taken
        assert why in delivery.failure

    def test_a_full_disk_has_taken_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(receivers, "_failed_at", {})
        assert Receiver("/dev/full").deliver(events(1)).failure == "No space left on device"


class TestUrl:
    def test_each_event_is_a_post_with_the_token(self, hook: ScriptedHttp) -> None:
        receiver = Receiver(f"{hook.url}/in/{SECRET}?key={SECRET}", token=SECRET)
        assert receiver.deliver(events(3)).taken == {"e0", "e1", "e2"}
        assert hook.requests == [f"POST /in/{SECRET}?key={SECRET}"] * 3
        assert [json.loads(body) for body in hook.bodies] == events(3)
        assert {one["Authorization"] for one in hook.headers} == {f"Bearer {SECRET}"}
        assert {one["Content-Type"] for one in hook.headers} == {"application/cloudevents+json; charset=utf-8"}

    def test_what_passes_is_tried_again(self, hook: ScriptedHttp) -> None:
        answers = iter([Said(503), Said(429), Said(204), Said(ends_by_reset=True, missing_bytes=9), Said()])
        hook.says = lambda method, path: next(answers)
        assert Receiver(hook.url).deliver(events(2)).taken == {"e0", "e1"}

    def test_one_that_fails_is_left_alone_for_a_while(
        self, hook: ScriptedHttp, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hook.always(Said(500))
        delivery = Receiver(hook.url).deliver(events(9))
        assert (delivery.taken, delivery.failure, delivery.was_asked) == (frozenset(), "it answered 500", True)
        hook.always(Said())
        assert not Receiver(hook.url).deliver(events(9)).was_asked
        assert len(hook.requests) == 3
        monkeypatch.setattr(receivers, "LEFT_ALONE_S", 0)
        assert len(Receiver(hook.url).deliver(events(9)).taken) == 9

    def test_an_event_that_is_refused_keeps_no_other_from_it_and_three_in_a_row_end_it(
        self, hook: ScriptedHttp
    ) -> None:
        answers = iter([Said(400), Said(), Said(413), Said(404), Said(401), Said()])
        hook.says = lambda method, path: next(answers)
        delivery = Receiver(hook.url).deliver(events(6))
        assert (delivery.taken, delivery.failure) == ({"e1"}, "it answered 401")

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_redirects_are_not_followed(self, hook: ScriptedHttp, tmp_path: Path, status: int) -> None:
        file = tmp_path / "stolen"
        for location in (f"file://{file}", f"{hook.url}/elsewhere"):
            hook.always(Said(status, headers={"Location": location}))
            delivery = Receiver(f"{hook.url}/{location[:4]}", token=SECRET).deliver(events(1))
            assert delivery.failure == f"it answered {status}, and redirects are not followed"
        assert hook.requests == ["POST /file", "POST /http"]
        assert not file.exists()

    def test_one_that_is_too_slow_is_cut_off(self, hook: ScriptedHttp, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(receivers, "WAIT_S", 0.1)
        hook.always(Said(is_silent=True))
        assert Receiver(hook.url).deliver(events(1)).failure == "no answer (TimeoutError)"

    @pytest.mark.parametrize(("head", "taken"), [(b"HTTP/1.1 ", 0), (LONG, 1)], ids=["status", "body"])
    def test_one_that_goes_on_for_ever_is_cut_off(
        self, hook: ScriptedHttp, monkeypatch: pytest.MonkeyPatch, head: bytes, taken: int
    ) -> None:
        monkeypatch.setattr(receivers, "WHOLE_S", 0.1)
        with closing(socket.create_server(("127.0.0.1", 0))) as listening:
            threading.Thread(target=drip, args=(listening, head), daemon=True).start()
            url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            assert len(Receiver(url).deliver(events(1)).taken) == taken

    def test_an_impostor_gets_no_token(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(receivers._AGAIN_IF_PASSING, "wait", tenacity.wait_none())
        cert, key = self_signed(tmp_path / "tls")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        impostor = ScriptedHttp(tls=context)
        receiver = Receiver(impostor.url, token=SECRET)
        assert "certificate verify failed" in receiver.deliver(events(1)).failure
        assert impostor.requests == []
        monkeypatch.setattr(receivers, "_failed_at", {})
        monkeypatch.setenv("SSL_CERT_FILE", str(cert))
        assert receiver.deliver(events(2)).taken == {"e0", "e1"}
        impostor.close()

    def test_nobody_listens(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(receivers._AGAIN_IF_PASSING, "wait", tenacity.wait_none())
        gone = ScriptedHttp()
        gone.close()
        assert Receiver(gone.url).deliver(events(1)).failure == "no answer (Connection refused)"

    def test_what_it_answers_at_length_is_not_read(self, hook: ScriptedHttp) -> None:
        hook.always(Said(body=b"x" * (1 << 20)))
        assert len(Receiver(hook.url).deliver(events(2)).taken) == 2


@pytest.mark.parametrize(
    "target",
    [
        *(
            "s3://bucket/events.jsonl",
            "memory://x",
            "hdfs://nn/x",
            "ftp://host/x",
            "gopher:/x",
            "simplecache::s3://b/x",
        ),
        *("", " ", "a\nb", "file://host/x", "file:///", "http://", "https:///x", "http://host:99999/x", "http://h:x/"),
        *(
            "http://host/a b",
            "http://host/ä",
            "http://host/#x",
            f"https://me:{SECRET}@host/x",
            f"https://{SECRET}@host",
        ),
    ],
)
def test_what_cannot_be_notified_is_refused_with_the_way_out(target: str) -> None:
    with pytest.raises(InvalidInputError, match=r"[Cc]annot") as refused:
        Receiver(target)
    assert SECRET not in str(refused.value)


def test_secrets_are_not_shown() -> None:
    receiver = Receiver(f"https://host:1/{SECRET}?token={SECRET}", token=SECRET)
    assert SECRET not in f"{receiver} {receiver!r} {receiver.key}"
    assert str(receiver) == "https://host:1"
    with pytest.raises(InvalidInputError) as refused:
        Receiver("https://host", token=f"{SECRET}\r\nX: y")
    assert SECRET not in str(refused.value)


def test_each_is_there_once_and_a_token_does_not_make_another() -> None:
    assert receivers_of(["/a", "file:///a", Receiver("/b")]) == (Receiver("/a"), Receiver("/b"))
    assert Receiver("https://h", token="a").key == Receiver("https://h").key
    assert receivers_of(None) == ()
