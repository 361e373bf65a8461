"""What the servers of object stores have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class ObjectStoreServer(ABC):
    """A running server.

    Attributes:
        url: its address.
    """

    def __init__(self, url: str) -> None:
        self.url = url

    @property
    def options(self) -> dict[str, Any]:
        """How a client reaches it: ``storage_options`` of a catalog."""
        return self.options_at(self.url)

    @abstractmethod
    def options_at(self, url: str) -> dict[str, Any]:
        """The same by another address, as that of a proxy."""

    @property
    @abstractmethod
    def environment(self) -> dict[str, str]:
        """The same as variables of the environment."""

    @property
    @abstractmethod
    def iceberg_properties(self) -> dict[str, str]:
        """The same as properties of Iceberg's FileIO."""

    @abstractmethod
    def new_lake(self) -> str:
        """The location of a bucket or container that was made."""
