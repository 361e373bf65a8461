"""What the catalog does with statements in SQL."""

from __future__ import annotations

import pickle

import pytest

from hive_views import execute, execute_script
from hive_views.errors import NoSuchIcebergViewError, NoSuchViewError
from hive_views.hive.row import Column, Partition, Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.views.catalog_setup import CatalogSetup, plain_view_row, row_of

LIFE = """
CREATE VIEW daily (u COMMENT 'user', clicks, ds) COMMENT 'by day' PARTITIONED ON (ds) TBLPROPERTIES ('team' = 'x') AS
    SELECT user_id, count(*), ds FROM clicks GROUP BY user_id, ds;
ALTER VIEW daily ADD PARTITION (ds = '2026-08-01') PARTITION (ds = '2026-08-02');
ALTER VIEW daily AS SELECT user_id AS u, count(DISTINCT page) AS clicks, ds FROM clicks GROUP BY user_id, ds;
CREATE OR REPLACE VIEW daily (u COMMENT 'user', pages, clicks, ds) PARTITIONED ON (ds) AS
    SELECT user_id, max(page), count(*), ds FROM clicks GROUP BY user_id, ds;
ALTER VIEW daily ROLL BACK TO VERSION 1;
ALTER VIEW daily ADD DIALECT trino AS SELECT user_id, count(*), ds FROM clicks GROUP BY 1, 3;
ALTER VIEW daily SET TBLPROPERTIES ('tier' = '1');
ALTER VIEW daily UNSET TBLPROPERTIES ('team');
ALTER VIEW daily DROP PARTITION (ds < '2026-08-02');
ALTER VIEW daily RENAME TO by_day;
"""


class StatementsContract(CatalogSetup):
    @pytest.fixture
    def clicks(self, catalog: ViewCatalog, namespace: str) -> str:
        """The table ``clicks`` with one partition; returns its namespace."""
        row = Row(
            TableIdentifier(namespace, "clicks"),
            "EXTERNAL_TABLE",
            columns=(Column("user_id", "bigint"), Column("page", "string")),
            partition_keys=(Column("ds", "string"),),
            location="file:/nowhere",
            input_format="org.apache.hadoop.mapred.TextInputFormat",
            output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
            serde_library="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
        )
        catalog.metastore.create_row(row)
        loaded = Partition(("2026-08-03",), has_descriptor=True)
        catalog.metastore.add_partitions(row.identifier, [loaded], if_not_exists=False)
        return namespace

    def test_the_life_of_a_view_from_create_to_drop(self, catalog: ViewCatalog, clicks: str) -> None:
        results = execute_script(catalog, LIFE, namespace=clicks)
        assert all(result.changed for result in results)
        name = f"{clicks}.by_day"
        view = catalog.load_view(name)
        assert [entry.version_id for entry in view.history] == [1, 2, 3, 1, 4]
        assert (view.comment, dict(view.properties)) == ("by day", {"comment": "by day", "tier": "1"})
        row = catalog.metastore.load_row(TableIdentifier.of(name))
        assert row.columns == (Column("u", "bigint", "user"), Column("clicks", "bigint"))
        assert row.partition_keys == (Column("ds", "string"),)
        assert row.location is None
        assert f"FROM `{clicks}`.`clicks`" in str(row.expanded_text)
        assert execute(catalog, f"SHOW PARTITIONS {name}").rows == (("ds=2026-08-02",),)
        published = execute(
            catalog, f"PUBLISH VIEW by_day WHEN requires('{clicks}.clicks', ds=column('ds'))", namespace=clicks
        )
        assert published.partitions == ("ds=2026-08-03",)
        assert execute(catalog, f"DROP VIEW {name}").changed
        with pytest.raises(NoSuchViewError):
            catalog.load_view(name)

    def test_what_show_create_prints_makes_the_same_row_again(self, catalog: ViewCatalog, clicks: str) -> None:
        execute_script(catalog, LIFE, namespace=clicks)
        name = TableIdentifier(clicks, "by_day")
        before = catalog.metastore.load_row(name)
        ((text,),) = execute(catalog, f"SHOW CREATE TABLE {name}").rows
        execute_script(catalog, f"DROP VIEW {name}; {text}")
        after = catalog.metastore.load_row(name)
        fields = ("columns", "partition_keys", "original_text", "expanded_text", "table_type", "owner", "location")
        assert [getattr(after, field) for field in fields] == [getattr(before, field) for field in fields]
        assert after.parameters["comment"] == "by day"
        # Declarative: on a view that has it all, nothing is changed.
        (again,) = execute_script(catalog, text.replace("CREATE VIEW", "CREATE OR REPLACE VIEW"))[-1:]
        assert not again.changed
        assert catalog.metastore.load_row(name) == after

    def test_described_partitions_and_views_are_those_of_the_server(self, catalog: ViewCatalog, clicks: str) -> None:
        execute_script(catalog, LIFE, namespace=clicks)
        catalog.metastore.create_row(plain_view_row(clicks, "plain"))
        assert execute(catalog, "SHOW VIEWS", namespace=clicks).rows == (("by_day",), ("plain",))
        rows = execute(catalog, "DESC FORMATTED by_day PARTITION (ds = '2026-08-02')", namespace=clicks).rows
        assert ("Partition Value:", "[2026-08-02]", None) in rows

    def test_tables_and_plain_views_are_left_as_they_are(self, catalog: ViewCatalog, clicks: str) -> None:
        catalog.metastore.create_row(plain_view_row(clicks, "plain"))
        for name in ("plain", "clicks"):
            before = row_of(catalog, f"{clicks}.{name}")
            for statement in (f"DROP VIEW {name}", f"CREATE OR REPLACE VIEW {name} AS SELECT 1 AS a"):
                with pytest.raises(NoSuchIcebergViewError):
                    execute(catalog, statement, namespace=clicks)
            assert row_of(catalog, f"{clicks}.{name}") == before

    def test_results_can_go_to_another_process(self, catalog: ViewCatalog, clicks: str) -> None:
        result = execute(catalog, "CREATE VIEW v AS SELECT page FROM clicks", namespace=clicks)
        assert pickle.loads(pickle.dumps(result)) == result
