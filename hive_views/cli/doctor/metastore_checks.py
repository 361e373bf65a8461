"""Checks of a metastore and a storage, which change nothing in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hive_views.errors import CommitFailedError, HiveViewsError
from hive_views.messages.credentials import hide_credentials
from hive_views.metastore.port import Capabilities, ServerFacts
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.locations import distinct_locations
from hive_views.storage.object_stores import object_store_of, options_at
from hive_views.storage.probe import refuses_overwriting
from hive_views.views.catalog import ViewCatalog

# Files and versions are ordered by the clocks of their writers; Kerberos gives up at five minutes.
_MAX_CLOCK_OFFSET_S = 5.0
# No table: the lock manager locks any name, and nobody waits for this one.
_LOCKED_NAME = TableIdentifier("default", "hive_views_doctor")


@dataclass(frozen=True)
class Check:
    """The result of one check: ``ok`` is None if it is unknown, ``advice`` says what to do."""

    name: str
    ok: bool | None
    found: str
    advice: str | None = None


def examine(catalog: ViewCatalog) -> Iterator[Check]:
    """Check the metastore and the storage of a catalog, one thing after the other.

    Writes a small file into the warehouse and deletes it, and briefly takes the lock of a name that no table has.

    Raises:
        MetastoreUnavailableError, AuthenticationError: the metastore cannot be used; there is nothing more to check.
    """
    facts = catalog.metastore.facts()
    yield Check("metastore", True, f"{facts.address}, version {facts.version or 'unknown'}")
    locks = _locks(catalog)
    yield _swap(catalog, locks_granted=locks.ok is True)
    yield locks
    yield _storage(catalog)
    yield _directory(catalog)
    capabilities = catalog.metastore.capabilities()
    yield _partitions(capabilities)
    yield _listeners(facts)
    yield _columns(capabilities)
    yield _clock(facts)


def _swap(catalog: ViewCatalog, *, locks_granted: bool) -> Check:
    name = "compare-and-swap"
    view = next(_view_names(catalog), None)
    if view is None:
        return Check(
            name, None, "not verified: there is no view yet to test with", "Create a view, then run doctor again."
        )
    try:
        enforced = catalog.metastore.enforces_swap(view)
    except HiveViewsError as error:
        return Check(name, None, f"not verified: {error}")
    if enforced and catalog.metastore.capabilities().compares_pointers is not False:
        return Check(name, True, "enforced: a swap with a wrong expected value was rejected")
    found = "not enforced: the server ignores the expected value (it lacks HIVE-26882, as 2.3.9, 3.1.3 and older do)"
    if enforced:
        found = "every swap fails: the server's database cannot compare parameters (CLOB columns, or no direct SQL)"
    if not locks_granted:
        advice = "Nothing protects concurrent commits, so all are refused: configure a lock manager in the metastore."
    elif catalog.settings.lock == "never":
        advice = (
            "Nothing protects concurrent commits, so all are refused: set lock = auto, and enable locks in Iceberg too."
        )
    else:
        return Check(
            name,
            True,
            f"{found}; only the table lock protects commits: keep lock = auto, and keep locks enabled in Iceberg too",
        )
    return Check(name, False, found, advice)


def _view_names(catalog: ViewCatalog) -> Iterator[TableIdentifier]:
    for namespace in catalog.metastore.list_namespaces():
        for name in catalog.metastore.list_view_names(namespace):
            yield TableIdentifier(namespace, name)


def _locks(catalog: ViewCatalog) -> Check:
    try:
        lock = catalog.metastore.lock(_LOCKED_NAME, timeout_s=2.0)
    except CommitFailedError as error:
        return Check("locks", True, f"granted ({error})")
    except HiveViewsError as error:
        return Check("locks", False, str(error), "See the log of the metastore.")
    if lock is None:
        return Check(
            "locks",
            catalog.settings.lock == "never",
            "not granted: the metastore has no lock manager",
            "Iceberg engines that commit under locks need one too: set hive.txn.manager, and create its tables.",
        )
    lock.release()
    return Check("locks", True, "granted")


def _storage(catalog: ViewCatalog) -> Check:
    directory = catalog.warehouse or catalog.metastore.load_namespace("default").location
    if not directory:
        return Check(
            "storage", None, "no warehouse is set, and the namespace default has no location", "Set a warehouse."
        )
    store = object_store_of(directory)
    configured = store.configured_by(options_at(directory, catalog.storage.files.options)) if store else ()
    by = f" (client configured by {', '.join(configured)})" if configured else ""
    try:
        refuses_taken_names = refuses_overwriting(catalog.storage.files, directory)
    except HiveViewsError as error:
        return Check(
            "storage",
            False,
            hide_credentials(f"{error}{by}"),
            "Check the address, the storage options and your permissions.",
        )
    if not refuses_taken_names:
        found = f"{directory} overwrites an existing file when a new one is created{by}"
        return Check("storage", False, hide_credentials(found), "Use a store with conditional writes (If-None-Match).")
    done = f"{directory}: a file was written, read back, not overwritten, and deleted{by}"
    return Check("storage", True, hide_credentials(done))


def _directory(catalog: ViewCatalog) -> Check:
    """Whether views are stored where ``DROP DATABASE ... CASCADE`` in Hive or Spark deletes their files and history."""
    name = "directory of views"
    advice = "Set a separate warehouse for views (HIVE_VIEWS_WAREHOUSE), outside the server's warehouse."
    if catalog.warehouse is None:
        found = (
            "the directory of their database, which DROP DATABASE ... CASCADE in Hive or Spark deletes with all history"
        )
        return Check(name, None, found, advice)
    if len(distinct_locations([catalog.warehouse, catalog.metastore.load_namespace("default").location or ""])) == 1:
        found = (
            "the server's warehouse, where DROP DATABASE ... CASCADE in Hive or Spark deletes views with all history"
        )
        return Check(name, None, found, advice)
    return Check(name, True, "separate from the directories of databases, which DROP DATABASE ... CASCADE deletes")


def _partitions(capabilities: Capabilities) -> Check:
    name = "notification listener"
    if capabilities.takes_bare_partitions is None:
        return Check(name, None, "not reported by the server; detected when the first partition is added")
    if capabilities.takes_bare_partitions:
        return Check(name, True, "off")
    return Check(name, True, "on: partitions of views are declared with an empty storage descriptor")


def _listeners(facts: ServerFacts) -> Check:
    name = "listeners after a change"
    if facts.listeners is None:
        return Check(name, None, "not reported by the server; the outcome of a failed change is always read back")
    if not facts.listeners:
        return Check(name, True, "none")
    found = ", ".join(facts.listeners)
    return Check(
        name, True, f"{found}: they may report an error for a change that was applied, so its outcome is read back"
    )


def _columns(capabilities: Capabilities) -> Check:
    name = "columns of partitioned views"
    if capabilities.changes_columns_in_one_call is False:
        return Check(name, True, "changed in two swaps: a single call fails, as the last change has shown")
    return Check(name, True, "changed in one call, or in two swaps if the server rejects that (Hive 3 and 4)")


def _clock(facts: ServerFacts) -> Check:
    offset_s = facts.clock_offset_s
    if offset_s is None:
        return Check("clock", None, "not reported by the server")
    ok = abs(offset_s) <= _MAX_CLOCK_OFFSET_S
    found = f"the server is {abs(offset_s):.1f} s {'ahead' if offset_s > 0 else 'behind'}"
    return Check("clock", ok, found, None if ok else "Synchronize both clocks (NTP): histories depend on them.")
