"""`hive-views serve` acting for users, on a metastore that decides by the user who may do what (Hive 2.3.10)."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from hive_views.metastore.embedded.local_metastore import LocalMetastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.failing.wire import PATIENCE_S
from tests.support.processes.rest_client import creation, key
from tests.support.processes.rest_server import Server, rest_server

_AUTHORIZATION = "org.apache.hadoop.hive.ql.security.authorization"
# Whoever may write to the directory of a database may create and drop in it; who may read it, sees it.
BY_DIRECTORIES = {
    "hive.metastore.pre.event.listeners": f"{_AUTHORIZATION}.AuthorizationPreEventListener",
    "hive.security.metastore.authorization.manager": f"{_AUTHORIZATION}.StorageBasedAuthorizationProvider",
    "hive.security.metastore.authorization.auth.reads": "true",
}
TOKENS = {"service": "s" * 16, "ada": "a" * 16, "bob": "b" * 16, "shared": "c" * 16}
USERS = {"ada": 'proxy-user = "ada"\n', "bob": 'proxy-user = "bob"\n', "shared": 'proxy-user = "bob"\nowner = "team"\n'}


@dataclass(frozen=True)
class Guarded:
    """A server, and below which directory the databases of its metastore and its files are."""

    server: Server
    metastore: HiveMetastore
    directory: Path
    namespace: str = field(default_factory=lambda: f"test_{uuid.uuid4().hex[:8]}")

    def ask(self, caller: str, method: str, path: str = "", **given: Any) -> tuple[int, dict[str, Any]]:
        """Status and document of a request about the namespace."""
        headers = {"Authorization": f"Bearer {TOKENS[caller]}", **given.pop("headers", {})}
        url = f"{self.server.address}/v1/namespaces{path.replace('NS', self.namespace)}"
        answer = httpx2.request(method, url, headers=headers, timeout=PATIENCE_S, **given)
        return answer.status_code, answer.json() if answer.content else {}

    def created_with(self, mode: int) -> Guarded:
        """The same with a new namespace, whose directory has these permissions."""
        new = Guarded(self.server, self.metastore, self.directory)
        database = self.directory / new.namespace
        self.metastore.create_namespace(new.namespace, location=f"file:{database}")
        database.chmod(mode)
        return new

    def files(self) -> list[Path]:
        return [path for path in self.directory.rglob("*") if path.is_file() and self.namespace in str(path)]

    def logged(self) -> str:
        return self.server.log.read_text().splitlines()[-1]


@pytest.fixture(scope="module")
def guarded(java: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    directory = tmp_path_factory.mktemp("guarded")
    tokens = directory / "tokens.toml"
    tokens.write_text(
        "".join(
            f'[tokens.{name}]\ntoken = "{token}"\nrole = "read-write"\n{USERS.get(name, "")}'
            for name, token in TOKENS.items()
        )
    )
    tokens.chmod(0o600)
    data = directory / "data"
    data.mkdir()
    with (
        LocalMetastore(directory / "metastore", settings=BY_DIRECTORIES) as metastore,
        closing(HiveMetastore(str(metastore.uri))) as client,
        rest_server(
            str(metastore.uri),
            directory / "serve",
            "--tokens",
            str(tokens),
            HIVE_VIEWS_WAREHOUSE=f"file://{data}/views",
        ) as server,
    ):
        yield Guarded(server, client, data)


def test_the_metastore_decides_by_the_user_and_not_by_the_server(guarded: Guarded) -> None:
    own = guarded.created_with(0o755)
    status, document = own.ask("ada", "POST", "/NS/views", json=creation(), headers=key())
    assert (status, document["error"]["type"]) == (403, "ForbiddenException")
    assert "user=ada" in document["error"]["message"]
    assert own.files() == [], "the file of the view is gone"
    assert "token=ada proxy-user=ada " in own.logged()
    assert "status=403 verdict=ForbiddenException" in own.logged()
    # The server itself may, and its clients without a user are not asked for one.
    assert own.ask("service", "POST", "/NS/views", json=creation())[0] == 200
    assert "token=service catalog=" in own.logged()
    assert own.ask("ada", "DELETE", "/NS/views/daily")[0] == 403
    assert own.ask("service", "GET", "/NS/views/daily")[0] == 200


def test_a_refusal_is_certain_where_the_user_may_not_even_look(guarded: Guarded) -> None:
    own = guarded.created_with(0o700)
    for method, path, body in (
        ("GET", "/NS", None),
        ("DELETE", "/NS", None),
        ("POST", "/NS/properties", {"updates": {"a": "b"}}),
        ("POST", "/NS/views", creation()),
    ):
        status, document = own.ask("ada", method, path, json=body)
        assert (status, document["error"]["type"]) == (403, "ForbiddenException"), (method, path)
    assert own.ask("service", "GET", "/NS")[0] == 200


def test_a_view_is_owned_by_the_user_that_it_is_created_for_unless_the_token_has_an_owner(guarded: Guarded) -> None:
    own = guarded.created_with(0o777)
    for caller, owner in (("ada", "ada"), ("shared", "team")):
        assert own.ask(caller, "POST", "/NS/views", json=creation(caller))[0] == 200
        assert own.metastore.load_row(TableIdentifier(own.namespace, caller)).owner == owner
    # Nobody gives a view, or the text of one, the rights of others.
    named = creation("named") | {"properties": {"trino.run-as-owner": "bob"}}
    status, document = own.ask("ada", "POST", "/NS/views", json=named)
    assert (status, "acts for ada only" in document["error"]["message"]) == (400, True)


def test_a_key_is_known_to_the_user_alone_who_sent_it(guarded: Guarded) -> None:
    own, same = guarded.created_with(0o777), key()
    status, document = own.ask("ada", "POST", "/NS/views", json=creation(), headers=same)
    assert status == 200
    assert own.ask("ada", "POST", "/NS/views", json=creation(), headers=same) == (200, document), "again"
    assert own.ask("bob", "POST", "/NS/views", json=creation(), headers=same)[0] == 409
    assert own.ask("service", "POST", "/NS/views", json=creation(), headers=same)[0] == 409
    # Of a view that is gone the server itself knows, which reads all files.
    assert own.ask("ada", "DELETE", "/NS/views/daily")[0] == 204
    assert own.ask("ada", "POST", "/NS/views", json=creation(), headers=same)[1] == document
    (own.directory / own.namespace).chmod(0o755)
    status, refused = own.ask("bob", "POST", "/NS/views", json=creation(), headers=same)
    assert (status, "metadata" in refused) == (403, False)
