"""What verbs ask of an object store: requests of each kind, beside the number that is needed."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import hive_views
from hive_views.hive.row import POINTER, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.batch.publication import Publication
from hive_views.publishing.batch.watch import watch
from hive_views.publishing.publish import publish
from hive_views.readiness.rules import Rule, column, requires
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from tests.support.processes.s3_server import S3Server
from tests.support.tables.lakes import HOURS, DeltaLake, IcebergLake, PaimonLake, day

ONE, OTHER, PLAIN = "sales.one", "sales.other", TableIdentifier("sales", "plain")
COLUMNS = [("a", "int"), ("ds", "string")]
TEXTS: dict[str, Any] = {"original_text": "SELECT 1 AS a", "expanded_text": "SELECT 1 AS a"}
DAY, DAYS = [{"ds": "one"}], [{"ds": f"day-{number:04d}"} for number in range(2_000)]


@dataclass(frozen=True)
class Asked:
    """What one verb asked for, and the most that it may ask for."""

    verb: str
    found: Mapping[str, int]
    most: Mapping[str, int]

    @property
    def is_held(self) -> bool:
        return all(count <= self.most.get(kind, 0) for kind, count in self.found.items())

    def cells(self) -> tuple[str, str, str, str]:
        """Of a table: the verb, what it asked for, what is needed, whether that is held."""
        return self.verb, _text(self.found), _text(self.most), "[green]yes[/]" if self.is_held else "[red]no[/]"

    def __str__(self) -> str:
        return f"{self.verb}: {_text(self.found)} (needed: {_text(self.most)})"


Verb = tuple[str, Callable[[ViewCatalog], Any], dict[str, int]]
"""What it is called, what it does, and the most that it may ask for."""


def measure_requests(server: S3Server, views: int, scratch: Path) -> Iterator[Asked]:
    """Every verb, each by a process that knows nothing of the views; tables are made in the scratch directory."""
    yield from _requests_of_one(server)
    yield from _requests_of_many(server, views)
    yield from _requests_of_publishing(server, scratch)


def _requests_of_one(server: S3Server) -> Iterator[Asked]:
    """Verbs on one view, one after the other."""
    metastore, lake = MemoryMetastore(), f"s3://{server.new_bucket()}"
    metastore.create_namespace("sales")
    for verb, do, most in _verbs_on_one(MetadataStorage(server.options), lake):
        yield _asked(server, verb, do, _fresh(server, metastore, lake), most)


def _verbs_on_one(storage: MetadataStorage, lake: str) -> Iterator[Verb]:
    def adopt(catalog: ViewCatalog) -> None:
        catalog.metastore.create_row(Row(PLAIN, "VIRTUAL_VIEW", columns=(Column("a", "int"),), **TEXTS))
        catalog.adopt_view(PLAIN)

    def drop(catalog: ViewCatalog) -> None:
        catalog.drop_view(ONE)

    commit = {"GET": 1, "PUT": 1}
    yield "create", lambda catalog: _create(catalog, ONE), {"PUT": 1}
    yield "load", lambda catalog: catalog.load_view(ONE), {"GET": 1}
    yield "replace", lambda catalog: catalog.replace_view(ONE, sql=_text_of(2), schema=COLUMNS), commit
    yield "alter", lambda catalog: catalog.alter_view(ONE, comment="more"), commit
    yield "tag", lambda catalog: catalog.tag_view(ONE, "release"), commit
    yield "untag", lambda catalog: catalog.untag_view(ONE, "release"), commit
    yield "roll back", lambda catalog: catalog.roll_back_view(ONE, to_version=1), commit
    yield "repair, nothing to do", lambda catalog: catalog.repair_view(ONE), {"GET": 1}
    # Each batch begins above what others have noted meanwhile: one listing, and two files.
    yield "add 1 partition", lambda catalog: catalog.partitions(ONE).add(DAY), {"GET": 1, "LIST": 1, "PUT": 2}
    batches = {"GET": 1, "LIST": 4, "PUT": 8}
    yield "add 2,000 partitions", lambda catalog: catalog.partitions(ONE).add(DAYS), batches
    yield "drop 2,000 partitions", lambda catalog: catalog.partitions(ONE).drop(DAYS), batches
    # The view's file, and one of the journal for each of the nine batches: of a change that has ended the intent is not
    # read.
    restore = {"GET": 10, "LIST": 1}
    yield "restore partitions, none lost", lambda catalog: catalog.partitions(ONE).restore(), restore
    yield "rename", lambda catalog: catalog.rename_view(ONE, OTHER), {"GET": 1, "PUT": 2}
    yield "rename back", lambda catalog: catalog.rename_view(OTHER, ONE), {"GET": 1, "PUT": 2}
    _wait_for_another_second(storage, lake)
    yield "release", lambda catalog: catalog.release_view(ONE), {"GET": 1, "PUT": 1}
    # As undrop below; whether there is a journal is asked too, and the one before the new one is read whole.
    undrop = {"GET": 12, "LIST": 4, "PUT": 2}
    yield "undrop a released view", lambda catalog: hive_views.estate.undrop(catalog, ONE), undrop
    # After the files of an earlier view of the name, which are looked for.
    yield "adopt", adopt, {"LIST": 1, "PUT": 1}
    _wait_for_another_second(storage, lake)
    yield "drop", drop, {"PUT": 1}
    # The warehouse, two namespaces, and the directories of two names in one of them; of the dropped view its note and
    # the file that this names.
    yield "list --dropped", hive_views.estate.list_dropped, {"GET": 2, "LIST": 5}
    # Listed are the notes, to find the file; under the lock all directories, since the view may have been brought back
    # and dropped again meanwhile; and with the row there the journal, in which others may have noted partitions. Read
    # are the note, the file, the former journal, which knows of more than the note, and the new one. Written are the
    # file, the journal before the row is there, from which a killed run is ended, and the partitions that were added.
    undrop = {"GET": 4, "LIST": 3, "PUT": 3}
    yield "undrop", lambda catalog: hive_views.estate.undrop(catalog, ONE), undrop
    # The file and a journal of two files; the copy, a journal, and a note that the files are those of another name.
    register = {"GET": 3, "LIST": 1, "PUT": 3}
    yield "register", lambda catalog: catalog.register_view(OTHER, _file_of(catalog, ONE)), register
    # Each of nine metadata files proves whose it is. That the view is not to come back from others is noted.
    purge = {"DELETE many": 1, "GET": 9, "LIST": 1, "PUT": 1}
    yield "purge", lambda catalog: catalog.drop_view(ONE, purge=True), purge


def _requests_of_many(server: S3Server, views: int) -> Iterator[Asked]:
    """Verbs on many views at once, which have two metadata files and a partition each."""
    metastore, elsewhere, lake = MemoryMetastore(), MemoryMetastore(), f"s3://{server.new_bucket()}"
    for one in (metastore, elsewhere):
        one.create_namespace("sales")
    warm, names = _fresh(server, metastore, lake), [f"sales.v{number:03d}" for number in range(views)]
    for name in names:
        _create(warm, name)
        warm.replace_view(name, sql=_text_of(2), schema=COLUMNS)
        warm.partitions(name).add(DAY)
    for verb, do, most in _verbs_on_many(warm.storage, lake, names):
        is_elsewhere = verb in ("restore elsewhere", "purge")
        catalog = _fresh(server, elsewhere, f"{lake}/elsewhere") if is_elsewhere else _fresh(server, metastore, lake)
        yield _asked(server, f"{verb}, {views} views", do, catalog, most)


def _verbs_on_many(storage: MetadataStorage, lake: str, names: list[str]) -> Iterator[Verb]:
    views, archive = len(names), f"{lake}/backups/views.zip"

    def drop(catalog: ViewCatalog) -> None:
        for name in names:
            catalog.drop_view(name)

    def purge(catalog: ViewCatalog) -> None:
        for name in names:
            assert not catalog.drop_view(name, purge=True).left

    yield "describe", hive_views.estate.describe_views, {"GET": views}
    yield "check", hive_views.estate.check, {"GET": views}
    yield "report", hive_views.estate.report, {"GET": views}
    # One for the directories of the namespace, and one for those of each view.
    yield "clean", lambda catalog: hive_views.estate.clean(catalog, "sales.*"), {"GET": views, "LIST": views + 1}
    # Whether there is an archive of the name is asked before all views are read.
    backup = {"GET": views, "HEAD": 1, "LIST": 1, "PUT": 1}
    yield "backup", lambda catalog: hive_views.estate.backup(catalog, archive), backup
    # Every view is read back. Its file gets a number above those that are there, and its partitions one in the journal:
    # a listing each.
    restore = {"HEAD": 1, "GET": views + 1, "LIST": 2 * views, "PUT": 3 * views}
    yield "restore elsewhere", lambda catalog: hive_views.estate.restore(catalog, archive), restore
    # One view after the other is gone before its files go.
    yield "purge", purge, {"GET": views, "LIST": views, "DELETE many": views}
    _wait_for_another_second(storage, lake)
    yield "drop", drop, {"PUT": views}
    yield "list --dropped", hive_views.estate.list_dropped, {"GET": 2 * views, "LIST": views + 3}
    # As of one.
    undrop = {"GET": 4 * views, "LIST": 3 * views + 1, "PUT": 3 * views}
    yield "undrop", lambda catalog: hive_views.estate.undrop(catalog, "sales.*"), undrop


def _requests_of_publishing(server: S3Server, scratch: Path) -> Iterator[Asked]:
    """A second run over a table that is given by its location, with nothing new in it."""
    # The view, what is remembered of the table, the last file of its log and the journal of the view. Listed are the
    # directories of all three formats, since a table of two is refused, then the table's own one for the newest
    # version, what is remembered, and the journal. HEAD says whether there is a log of Delta's, and when the storage
    # got the last commit.
    most = {"GET": 4, "HEAD": 2, "LIST": 6}
    tables: list[tuple[str, Callable[[S3Server, str, Path], str], dict[str, int]]] = [
        ("Delta", _delta_table, {}),
        ("Iceberg", _iceberg_table, {}),
        # Its schema is a file of its own, in a directory of its own.
        ("Paimon", _paimon_table, {"GET": 5, "LIST": 7}),
    ]
    for name, made, of_format in tables if find_spec("pypaimon") else tables[:2]:
        metastore, lake = MemoryMetastore(), f"s3://{server.new_bucket()}"
        metastore.create_namespace("sales")
        _create(_fresh(server, metastore, lake), ONE)
        rule = requires(made(server, lake, scratch / name), ds=column("ds"), hr=list(range(HOURS)))
        assert publish(_fresh(server, metastore, lake), ONE, rule).added

        def again(catalog: ViewCatalog, rule: Rule = rule) -> None:
            assert not publish(catalog, ONE, rule).added

        yield _asked(server, f"publish again, {name}", again, _fresh(server, metastore, lake), most | of_format)
        yield _asked_in_round(server, name, _fresh(server, metastore, lake), Publication(ONE, [rule]))


def _asked_in_round(server: S3Server, name: str, catalog: ViewCatalog, publication: Publication) -> Asked:
    """The second round of a watch finds nothing, and lists nothing, unless the newest file is found by its name alone:
    Iceberg's, without a catalog. The others are asked for the file of the next commit, and the time of the last.
    """
    most = {"LIST": 1} if name == "Iceberg" else {"GET": 1, "HEAD": 1}
    found: list[Mapping[str, int]] = []

    def ended(seconds: float) -> bool:
        if seconds:
            found.append(server.requests())
        return len(found) == 2

    assert not list(watch(catalog, [publication], ended=ended))
    assert found[0].get("LIST"), "the first round lists the table"
    return Asked(f"a round of watch, {name}", found[1], most)


def _delta_table(server: S3Server, lake: str, scratch: Path) -> str:
    DeltaLake(scratch).add_days([day(0)])
    return server.upload(scratch, f"{lake}/t")


def _iceberg_table(server: S3Server, lake: str, _: Path) -> str:
    file_io = {"py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO", **server.iceberg_properties}
    IcebergLake(lake, **file_io).add_days([day(0)])
    return f"{lake}/t"


def _paimon_table(server: S3Server, lake: str, scratch: Path) -> str:
    made = PaimonLake(scratch)
    made.add_days([day(0)])
    return server.upload(made.directory, f"{lake}/t")


def _asked(
    server: S3Server, verb: str, do: Callable[[ViewCatalog], Any], catalog: ViewCatalog, most: Mapping[str, int]
) -> Asked:
    server.requests()
    do(catalog)
    return Asked(verb, server.requests(), most)


def _fresh(server: S3Server, metastore: MemoryMetastore, lake: str) -> ViewCatalog:
    return ViewCatalog(metastore, MetadataStorage(server.options), warehouse=f"{lake}/views")


def _create(catalog: ViewCatalog, name: str) -> None:
    catalog.create_view(name, sql=_text_of(1), schema=COLUMNS, partitioned_on=["ds"])


def _text_of(number: int) -> dict[str, str]:
    return {"hive": f"SELECT {number} AS a, 'x' AS ds"}


def _file_of(catalog: ViewCatalog, name: str) -> str:
    return catalog.metastore.load_row(TableIdentifier.of(name)).parameters[POINTER]


def _wait_for_another_second(storage: MetadataStorage, lake: str) -> None:
    """Until what is written has another time than what was: of the same second, files may be newer than a note."""
    deadline, times = time.monotonic() + 60, set[int | None]()
    while len(times) < 2:
        assert time.monotonic() < deadline
        probe = f"{lake}/probes/{uuid.uuid4()}"
        storage.write_bytes(probe, b"")
        times.add(storage.files.modified_at_ms(probe))


def _text(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {counts[kind]:,}" for kind in sorted(counts)) or "nothing"
