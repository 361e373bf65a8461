"""A Hive client on the embedded metastore: what only Hive's own client sends."""

from __future__ import annotations

from typing import Any

import pytest

from hive_views import View, ViewCatalog

pytestmark = pytest.mark.peer("java")


def partitions_by_predicate(jvm: Any, uri: str, view: View, function: str, column: str, constant: str) -> list[str]:
    """The partitions that Hive's client is given for ``column function constant``, all of them strings."""
    hive = jvm.org.apache.hadoop.hive
    conf = hive.conf.HiveConf()
    conf.set("hive.metastore.uris", uri)
    string = hive.serde2.typeinfo.TypeInfoFactory.stringTypeInfo
    children = jvm.java.util.ArrayList()
    children.add(hive.ql.plan.ExprNodeColumnDesc(string, column, view.identifier.name, True))
    children.add(hive.ql.plan.ExprNodeConstantDesc(string, constant))
    operator = getattr(hive.ql.udf.generic, function)()
    boolean = hive.serde2.typeinfo.TypeInfoFactory.booleanTypeInfo
    predicate = hive.ql.plan.ExprNodeGenericFuncDesc(boolean, operator, children)
    sent = hive.ql.exec.SerializationUtilities.serializeExpressionToKryo(predicate)
    client = hive.metastore.HiveMetaStoreClient(conf)
    try:
        found = jvm.java.util.ArrayList()
        client.listPartitionsByExpr(view.identifier.namespace, view.identifier.name, sent, None, -1, found)
        return sorted(str(partition.getValues().get(0)) for partition in found)
    finally:
        client.close()


def test_a_hive_client_finds_partitions_by_a_predicate(
    hive_jvm: Any, metastore_uri: str, catalog: ViewCatalog, namespace: str
) -> None:
    select = "SELECT page, ds FROM web.clicks"
    columns = [("page", "string"), ("ds", "string")]
    view = catalog.create_view(f"{namespace}.v", sql={"hive": select}, schema=columns, partitioned_on=["ds"])
    catalog.partitions(view.identifier).add([{"ds": day} for day in ("2026-08-20", "2026-08-21", "2026-08-22")])
    reported = {
        function: partitions_by_predicate(hive_jvm, metastore_uri, view, function, "ds", "2026-08-21")
        for function in ("GenericUDFOPEqual", "GenericUDFOPLessThan", "GenericUDFOPEqualOrGreaterThan")
    }
    assert reported == {
        "GenericUDFOPEqual": ["2026-08-21"],
        "GenericUDFOPLessThan": ["2026-08-20"],
        "GenericUDFOPEqualOrGreaterThan": ["2026-08-21", "2026-08-22"],
    }
