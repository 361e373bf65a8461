"""Iceberg Java and this library as writers of one view, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hive_views import View, ViewCatalog
from tests.support.java.iceberg_java import Iceberg

Write = Callable[[int], None]

VERSION_EVERY = 10
"""Every so many steps the step is a new version, and else a property."""
LOCKS = {"iceberg.hive.lock-check-max-wait-ms": "200"}
"""Iceberg's default mode; it asks again for a lock that is taken sooner than after the 5 s that it waits by default."""
IMPATIENT = {
    "commit.retry.num-retries": "50",
    "commit.retry.min-wait-ms": "10",
    "commit.retry.max-wait-ms": "50",
}
"""Properties for commits by Iceberg, which by default waits for seconds, and gives up after four conflicts."""


def text(step: str) -> str:
    return f"SELECT 1 AS one, '{step}' AS step"


def raced_view(catalog: ViewCatalog, namespace: str, properties: Mapping[str, str]) -> View:
    """The view that all write, with enough room for its history."""
    return catalog.create_view(
        f"{namespace}.raced",
        sql={"hive": text("start")},
        schema=[("one", "int"), ("step", "string")],
        properties={**properties, **IMPATIENT, "version.history.num-entries": "10000"},
    )


def ours(catalog: ViewCatalog, view: View) -> Write:
    def write(step: int) -> None:
        if step % VERSION_EVERY:
            catalog.alter_view(view.identifier, set_properties={"ours": str(step)})
        else:
            catalog.replace_view(view.identifier, sql={"hive": text(f"ours {step}")})

    return write


def java(iceberg: Iceberg, view: View, settings: Mapping[str, str]) -> Write:
    """Iceberg's HiveCatalog, which commits again what was refused; ``settings`` are Hadoop's."""
    catalog, name = iceberg.catalog(**settings), iceberg.identifier(view.identifier)
    schema = iceberg.schema([("one", "int"), ("step", "string")])
    namespace = iceberg.namespace(view.identifier.namespace)

    def write(step: int) -> None:
        while True:
            loaded = catalog.loadView(name)
            change: Any
            if step % VERSION_EVERY:
                change = loaded.updateProperties().set("java", str(step))
            else:
                change = loaded.replaceVersion().withQuery("hive", text(f"java {step}"))
                change = change.withSchema(schema).withDefaultNamespace(namespace)
            try:
                return change.commit()
            except iceberg.error as error:
                if "CommitFailedException" not in str(error):
                    raise

    return write
