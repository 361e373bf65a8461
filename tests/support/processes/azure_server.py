"""A server of Azure's blob storage for the tests: Azurite as a process of its own."""

from __future__ import annotations

import re
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.processes.object_store_server import ObjectStoreServer
from tests.support.processes.own_environments import node_modules_with
from tests.support.processes.starting import accepts, address_of, ended

AZURITE = ("azurite@3.37.0",)
ACCOUNT = "devstoreaccount1"
# The one key that Azurite has, as its documentation says.
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
_LISTENS = re.compile(r"successfully listens on (http://127\.0\.0\.1:\d+)")


class AzureServer(ObjectStoreServer):
    """A running server."""

    def options_at(self, url: str) -> dict[str, Any]:
        of_account = f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY}"
        return {"connection_string": f"{of_account};BlobEndpoint={url}/{ACCOUNT};"}

    @property
    def environment(self) -> dict[str, str]:
        return {"AZURE_STORAGE_CONNECTION_STRING": self.options["connection_string"]}

    @property
    def iceberg_properties(self) -> dict[str, str]:
        return {"adls.connection-string": self.options["connection_string"]}

    def new_lake(self) -> str:
        import adlfs

        container = f"lake-{uuid.uuid4().hex[:12]}"
        adlfs.AzureBlobFileSystem(**self.options).mkdir(container)
        return f"abfs://{container}"


@contextmanager
def azure_server(directory: Path) -> Iterator[AzureServer]:
    """A server until the block ends; its log is in the directory. The test skips where it cannot be installed."""
    command = node_modules_with("azurite", AZURITE) / "azurite-blob"
    # Its newest clients may speak a version of the protocol that it does not know yet.
    options = ["--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck", "--blobPort", "0"]
    log = directory / "azure.log"
    with log.open("w") as file:
        process = subprocess.Popen([command, *options], stdout=file, stderr=file, cwd=directory)
    with ended(process):
        yield AzureServer(address_of(process, log, _LISTENS, accepts))


if __name__ == "__main__":
    node_modules_with("azurite", AZURITE)
