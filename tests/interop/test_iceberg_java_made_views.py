"""Views that Iceberg Java made: loaded, replaced, rolled back, partitioned, renamed by us, and read back by it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from hive_views import View, ViewCatalog
from tests.interop.clicks import DAYS, NAMES, Ask
from tests.support.java.iceberg_java import Iceberg, proves

pytestmark = [
    pytest.mark.peer("iceberg-spark"),
    # PySpark leaves the socket of every collect() and first() to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]


@pytest.fixture
def theirs(catalog: ViewCatalog, namespace: str, web: str, iceberg: Iceberg) -> View:
    """A view with a column list, which is not in its text, a comment and a property, as we load it."""
    iceberg.sql(
        f"CREATE VIEW ice.{namespace}.theirs (u COMMENT 'who', p, ds) COMMENT 'made by Iceberg' "
        f"TBLPROPERTIES ('k' = 'v') AS SELECT user_id, page, ds FROM spark_catalog.{web}.clicks"
    )
    return catalog.load_view(f"{namespace}.theirs")


def _people(rows: list[tuple[object, ...]]) -> list[tuple[object, object]]:
    return sorted((row[0], row[-1]) for row in rows)


PEOPLE = [(1, "2026-08-21"), (1, "2026-08-21"), (1, "2026-08-22"), (2, "2026-08-21")]


@proves("loading a view that it made", "everything it wrote: ids from 0, gzip, its default catalog and namespace")
def test_a_view_that_it_made_is_loaded_with_everything_it_wrote(theirs: View, iceberg: Iceberg) -> None:
    assert theirs.metadata_location.endswith(".gz.metadata.json")
    file = Path(theirs.metadata_location.removeprefix("file:"))
    assert (file.parent / f".{file.name}.crc").is_file()
    written = json.loads(gzip.decompress(file.read_bytes()))
    assert theirs.metadata.model_dump(mode="json", exclude_none=True) == written
    assert [field.id for field in theirs.schema.fields] == [0, 1, 2]
    assert [(c.name, c.type, c.comment) for c in theirs.columns] == [
        ("u", "bigint", "who"),
        ("p", "string", None),
        ("ds", "string", None),
    ]
    assert (theirs.comment, theirs.properties["k"]) == ("made by Iceberg", "v")
    version = theirs.current_version
    assert (version.default_catalog, version.default_namespace) == ("spark_catalog", ("default",))
    assert version.summary["engine-name"] == "spark"
    assert {difference.kind for difference in theirs.differences} == {"needs repair"}


@proves("a view that it made, after our repair", "readable for plain Spark, and for Iceberg as before")
def test_a_view_that_it_made_is_repaired_for_plain_readers_and_read_back_by_it(
    theirs: View, catalog: ViewCatalog, iceberg: Iceberg, ask: Ask
) -> None:
    mended = catalog.repair_view(theirs.identifier)
    assert mended.row.location is None
    assert catalog.load_view(theirs.identifier).differences == ()
    assert (mended.history, mended.versions) == (theirs.history, theirs.versions)
    assert _people(ask(f"SELECT * FROM {theirs.identifier}")) == PEOPLE
    assert _people(iceberg.sql(f"SELECT * FROM ice.{theirs.identifier}")) == PEOPLE
    assert [row[:2] for row in iceberg.sql(f"DESCRIBE ice.{theirs.identifier}")] == [
        ("u", "bigint"),
        ("p", "string"),
        ("ds", "string"),
    ]


@proves("a view that it made, replaced and rolled back by us", "read back by Iceberg and by plain Spark each time")
def test_a_view_that_it_made_is_replaced_partitioned_and_rolled_back_by_us_and_read_back_by_it(
    theirs: View, catalog: ViewCatalog, iceberg: Iceberg, web: str, ask: Ask
) -> None:
    name = theirs.identifier
    text = f"SELECT user_id AS u, page AS p, ds FROM spark_catalog.{web}.clicks WHERE user_id = 2"
    replaced = catalog.replace_view(name, sql={"spark": text}, partitioned_on=["ds"])
    assert [field.id for field in replaced.schema.fields] == [0, 1, 2]
    catalog.partitions(name).add(DAYS)
    for read in (ask, iceberg.sql):
        table = f"ice.{name}" if read is not ask else str(name)
        assert _people(read(f"SELECT * FROM {table}")) == PEOPLE[-1:]
    back = catalog.roll_back_view(name, to_version=1)
    assert back.current_version == theirs.current_version
    assert [entry.version_id for entry in back.history] == [1, 2, 1]
    for read in (ask, iceberg.sql):
        table = f"ice.{name}" if read is not ask else str(name)
        assert _people(read(f"SELECT * FROM {table}")) == PEOPLE
    assert catalog.partitions(name).names() == NAMES
    assert catalog.load_view(name).differences == ()
    assert json.loads(iceberg.metadata(name)) == back.metadata.model_dump(mode="json", exclude_none=True)


@proves("a view that it made, renamed or dropped by us", "found under its new name, with its files; or gone")
def test_a_view_that_it_made_is_renamed_and_dropped_and_only_what_we_wrote_for_it_is_purged(
    theirs: View, catalog: ViewCatalog, iceberg: Iceberg, namespace: str
) -> None:
    renamed = catalog.rename_view(theirs.identifier, f"{namespace}.renamed")
    assert renamed.metadata_location == theirs.metadata_location
    assert _people(iceberg.sql(f"SELECT * FROM ice.{namespace}.renamed")) == PEOPLE
    iceberg.sql(f"ALTER VIEW ice.{namespace}.renamed SET TBLPROPERTIES ('k' = 'w')")
    assert catalog.load_view(f"{namespace}.renamed").properties["k"] == "w"
    directory = Path(theirs.metadata_location.removeprefix("file:")).parent
    by_java = sorted(directory.iterdir())
    assert len(by_java) == 4, "two files, and a checksum file of Hadoop's for each"
    catalog.alter_view(f"{namespace}.renamed", set_properties={"k": "ours"})
    iceberg.sql(f"ALTER VIEW ice.{namespace}.renamed SET TBLPROPERTIES ('k' = 'after ours')")
    assert len(list(directory.iterdir())) == 7
    purged = catalog.drop_view(f"{namespace}.renamed", purge=True)
    # Before our first commit nothing said whose a file was: another row may point to it.
    assert sorted(directory.iterdir()) == by_java
    assert (len(purged.deleted), len(purged.left)) == (2, 2)
    assert [row[1] for row in iceberg.sql(f"SHOW VIEWS IN ice.{namespace}")] == []


def test_a_one_part_name_in_its_text_is_of_the_same_database_for_plain_readers(
    catalog: ViewCatalog, namespace: str, web: str, iceberg: Iceberg, ask: Ask
) -> None:
    iceberg.sql(f"CREATE VIEW ice.{namespace}.below AS SELECT user_id, ds FROM spark_catalog.{web}.clicks")
    iceberg.sql(f"USE ice.{namespace}")
    try:
        iceberg.sql("CREATE VIEW above AS SELECT user_id, ds FROM below")
    finally:
        iceberg.sql("USE spark_catalog.default")
    version = catalog.load_view(f"{namespace}.above").current_version
    # None is the catalog that the view is in.
    assert (version.default_catalog, version.default_namespace) == (None, (namespace,))
    for name in ("below", "above"):
        catalog.repair_view(f"{namespace}.{name}")
    assert _people(ask(f"SELECT * FROM {namespace}.above")) == PEOPLE
    assert _people(iceberg.sql(f"SELECT * FROM ice.{namespace}.above")) == PEOPLE


def test_a_text_with_names_of_its_catalog_is_kept_and_plain_readers_need_one_of_their_own(
    catalog: ViewCatalog, namespace: str, web: str, iceberg: Iceberg, ask: Ask
) -> None:
    iceberg.sql(f"CREATE VIEW ice.{namespace}.below AS SELECT user_id, ds FROM spark_catalog.{web}.clicks")
    iceberg.sql(f"CREATE VIEW ice.{namespace}.above AS SELECT user_id, ds FROM ice.{namespace}.below")
    name = f"{namespace}.above"
    from pyspark.errors import AnalysisException

    catalog.alter_view(name, comment="ours")
    with pytest.raises(AnalysisException, match="plain readers of the metastore cannot read this view"):
        ask(f"SELECT * FROM {name}")
    assert _people(iceberg.sql(f"SELECT * FROM ice.{name}")) == PEOPLE
    catalog.alter_view(name, sql={"hive": f"SELECT user_id, ds FROM {web}.clicks"})
    assert _people(ask(f"SELECT * FROM {name}")) == PEOPLE
    assert _people(iceberg.sql(f"SELECT * FROM ice.{name}")) == PEOPLE


def test_columns_that_it_names_over_a_star_are_taken_by_position_by_plain_readers(
    catalog: ViewCatalog, namespace: str, iceberg: Iceberg, ask: Ask
) -> None:
    name = f"{namespace}.swapped"
    iceberg.sql(f"CREATE VIEW ice.{name} (b, a) AS SELECT * FROM (SELECT 'A' AS a, 'B' AS b) t")
    catalog.repair_view(name)
    assert iceberg.sql(f"SELECT b, a FROM ice.{name}") == ask(f"SELECT b, a FROM {name}") == [("A", "B")]
    catalog.alter_view(name, sql={"trino": "SELECT 'A', 'B'"})
    assert ask(f"SELECT b, a FROM {name}") == [("A", "B")]


@pytest.mark.parametrize("codec", ["gzip", "none"])
def test_a_view_that_a_program_made_without_a_default_catalog_is_a_view_of_ours(
    catalog: ViewCatalog, namespace: str, web: str, iceberg: Iceberg, ask: Ask, codec: str
) -> None:
    builder = (
        iceberg.catalog()
        .buildView(iceberg.identifier(f"{namespace}.made"))
        .withSchema(iceberg.schema([("user_id", "long"), ("ds", "string")]))
        .withDefaultNamespace(iceberg.namespace(web))
        .withQuery("hive", "SELECT user_id, ds FROM clicks")
        .withQuery("trino", "SELECT user_id, ds FROM clicks")
        .withProperty("write.metadata.compression-codec", codec)
    )
    builder.create()
    loaded = catalog.load_view(f"{namespace}.made")
    assert loaded.metadata_location.endswith(".gz.metadata.json") == (codec == "gzip")
    assert loaded.current_version.default_catalog is None
    assert loaded.dialects == ("hive", "trino")
    catalog.repair_view(loaded.identifier)
    assert _people(ask(f"SELECT * FROM {loaded.identifier}")) == PEOPLE
    assert json.loads(iceberg.metadata(loaded.identifier)) == catalog.load_view(loaded.identifier).metadata.model_dump(
        mode="json", exclude_none=True
    )
