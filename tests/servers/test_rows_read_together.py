"""A row that is read with a hundred others is the same as the one that is read alone."""

from __future__ import annotations

from dataclasses import replace

from hive_views.errors import NotAdoptableError
from hive_views.estate import adopt, move_views
from hive_views.estate.each.outcomes import State
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.plain_view import plain_view_of
from tests.servers.conftest import new_namespace
from tests.support.containers.metastores import MetastoreServer
from tests.support.plain_rows import PlainView, plain_views

MAKERS = ("hive-4.0.1", "spark-4.1.4", "trino-476")


def is_adoptable(view: PlainView) -> bool:
    try:
        plain_view_of(view.row)
    except NotAdoptableError:
        return False
    return True


def test_rows_that_are_read_together_are_those_that_are_read_alone(
    server: MetastoreServer, catalog: ViewCatalog, namespace: str
) -> None:
    metastore = catalog.metastore
    for maker in MAKERS:
        for view in (one for one in plain_views(maker) if is_adoptable(one)):
            name = TableIdentifier(namespace, f"{maker[:2]}_{view.name}")
            metastore.create_row(replace(view.row, identifier=name, native=None))
    names = metastore.list_view_names(namespace)
    plain = metastore.load_rows(namespace, names)
    assert len(plain) > 30
    assert plain == [metastore.load_row(row.identifier) for row in plain]

    assert {one.reason for one in adopt(catalog, f"{namespace}.*") if one.state is not State.DONE} == set()
    ours = metastore.load_rows(namespace, names)
    assert ours == [metastore.load_row(row.identifier) for row in ours]

    other = new_namespace(server)
    moved = move_views(catalog, catalog, f"{namespace}.hi_*", names={namespace: other})
    assert {one.reason for one in moved if one.state is not State.DONE} == set()
