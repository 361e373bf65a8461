"""Queries with a star, whose columns a view names by position, and how the columns that it then has are told apart.

What lives here: the queries, with tables as in TABLES, the names, and the texts that rows get. What must not: who reads
these texts. Each column of a table has a type of its own, so that the type says which column a name was given to.
"""

from __future__ import annotations

from hive_views import TableIdentifier, ViewCatalog, execute
from hive_views.hive.row import Column, Row

TABLES = (
    "CREATE TABLE {}t (a int, b string) STORED AS ORC",
    "CREATE TABLE {}u (c bigint, d double) STORED AS ORC",
    "CREATE TABLE {}p (a int) PARTITIONED BY (b string) STORED AS ORC",
)
_ORC = "org.apache.hadoop.hive.ql.io.orc.OrcSerde"
_A, _B = Column("a", "int"), Column("b", "string")

QUERIES = {
    "SELECT * FROM t": "a b",
    "SELECT t.* FROM t": "a b",
    "SELECT x.* FROM t x WHERE x.a > 0": "a b",
    "SELECT * FROM p": "a b",
    "SELECT * FROM (SELECT a, b FROM t) q": "a b",
    "SELECT * FROM (SELECT * FROM t) q": "a b",
    "SELECT q.* FROM (SELECT b, a FROM t) q": "b a",
    "WITH q AS (SELECT * FROM t) SELECT * FROM q": "a b",
    "WITH q AS (SELECT b, a FROM t) SELECT q.* FROM q": "b a",
    "SELECT * FROM t UNION ALL SELECT * FROM t": "a b",
    "SELECT * FROM p UNION ALL SELECT * FROM t": "a b",
    "SELECT * FROM (SELECT b, a FROM t UNION ALL SELECT b, a FROM p) q": "b a",
    "SELECT * FROM t ORDER BY a": "a b",
    "SELECT * FROM t LIMIT 10": "a b",
    "SELECT DISTINCT * FROM t": "a b",
    "SELECT t.*, true AS n FROM t": "a b n",
    "SELECT true AS n, t.* FROM t": "n a b",
    "SELECT * FROM t JOIN u ON t.a = u.c": "a b c d",
}
"""By query, the names of its own columns."""


def names_for(own: str) -> list[list[str]]:
    """Names for a view: those of the query in another order, and others."""
    names = own.split()
    return [[*names[1:], names[0]], [f"x{place}" for place in range(len(names))]]


CASES = [(query, names) for query, own in QUERIES.items() for names in names_for(own)]
"""The queries with the names that a view gives."""


def create_tables(catalog: ViewCatalog, namespace: str) -> None:
    """The tables as rows of a metastore that no engine uses."""
    columns = {"t": (_A, _B), "u": (Column("c", "bigint"), Column("d", "double")), "p": (_A,)}
    for name, own in columns.items():
        row = Row(
            TableIdentifier(namespace, name),
            "MANAGED_TABLE",
            columns=own,
            partition_keys=(_B,) if name == "p" else (),
            serde_library=_ORC,
            location="file:/nowhere",
        )
        catalog.metastore.create_row(row)


def row_texts(catalog: ViewCatalog, namespace: str) -> list[str]:
    """What plain readers read of a view of each case that CREATE VIEW made."""
    texts = []
    for place, (query, names) in enumerate(CASES):
        execute(catalog, f"CREATE VIEW v{place} ({', '.join(names)}) AS {query}", namespace=namespace)
        texts.append(catalog.metastore.load_row(TableIdentifier(namespace, f"v{place}")).expanded_text or "")
    return texts
