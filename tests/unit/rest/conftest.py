"""A client of a server in memory, for the tests of this folder."""

from __future__ import annotations

import pytest

from tests.support.processes.rest_client import VIEWS, RestClient, creation, rest_client


@pytest.fixture
def client() -> RestClient:
    return rest_client()


@pytest.fixture
def view_uuid(client: RestClient) -> str:
    """The uuid of a view that a client has created."""
    return str(client.post(VIEWS, json=creation()).json()["metadata"]["view-uuid"])
