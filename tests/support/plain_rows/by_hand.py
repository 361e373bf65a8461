"""Rows of engines that are too old, or not to be had: ``python -m tests.support.plain_rows.by_hand`` writes them."""

from __future__ import annotations

import base64
import json
from typing import Any

from tests.support.plain_rows import DIRECTORY, LAKE, VIEWS

_TEXT = f"SELECT user_id, page FROM {LAKE}.clicks"
_COLUMNS = [{"name": "user_id", "type": "bigint"}, {"name": "page", "type": "string"}]
_SPARK_SCHEMA = json.dumps(
    {
        "type": "struct",
        "fields": [
            {"name": "user_id", "type": "long", "nullable": True, "metadata": {}},
            {"name": "page", "type": "string", "nullable": True, "metadata": {}},
        ],
    },
    separators=(",", ":"),
)
_SPARK = {
    "spark.sql.sources.schema.numParts": "1",
    "spark.sql.sources.schema.part.0": _SPARK_SCHEMA,
    "transient_lastDdlTime": "1555555555",
}
_SPARK_2_2 = {
    **_SPARK,
    "spark.sql.create.version": "2.4.8",
    "view.default.database": LAKE,
    "view.query.out.col.0": "user_id",
    "view.query.out.col.1": "page",
    "view.query.out.numCols": "2",
}
_SPARK_DESCRIPTOR = {
    "cols": _COLUMNS,
    "inputFormat": "org.apache.hadoop.mapred.SequenceFileInputFormat",
    "outputFormat": "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat",
    "compressed": False,
    "numBuckets": -1,
    "serdeInfo": {
        "serializationLib": "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
        "parameters": {"serialization.format": "1"},
    },
    "bucketCols": [],
    "sortCols": [],
    "parameters": {},
}
_CANONICAL = (
    "SELECT `gen_attr_0` AS `user_id`, `gen_attr_1` AS `page` FROM (SELECT `gen_attr_0`, `gen_attr_1` FROM "
    f"(SELECT `user_id` AS `gen_attr_0`, `page` AS `gen_attr_1` FROM `{LAKE}`.`clicks`) AS gen_subquery_0) AS clicks"
)
_PRESTO = {
    "originalSql": _TEXT,
    "catalog": "hive",
    "schema": VIEWS,
    "columns": [{"name": "user_id", "type": "bigint"}, {"name": "page", "type": "varchar"}],
    "owner": "ada",
    "runAsInvoker": False,
}


def _view(name: str, descriptor: dict[str, Any], parameters: dict[str, str], original: str, expanded: str) -> Any:
    table = {
        "tableName": name,
        "dbName": VIEWS,
        "owner": "ada",
        "createTime": 1555555555,
        "lastAccessTime": 0,
        "retention": 0,
        "sd": descriptor,
        "partitionKeys": [],
        "parameters": parameters,
        "viewOriginalText": original,
        "viewExpandedText": expanded,
        "tableType": "VIRTUAL_VIEW",
    }
    return {"name": name, "statements": [], "table": table}


def main() -> None:
    encoded = base64.b64encode(json.dumps(_PRESTO).encode()).decode()
    presto = {"cols": [{"name": "dummy", "type": "string"}], "serdeInfo": {}, "parameters": {}}
    impala = {"cols": _COLUMNS, "compressed": False, "numBuckets": 0, "serdeInfo": {}, "parameters": {}}
    views = [
        _view("spark_2_1", _SPARK_DESCRIPTOR, _SPARK, _TEXT, _CANONICAL),
        _view("spark_2_4", _SPARK_DESCRIPTOR, _SPARK_2_2, _TEXT, _TEXT),
        _view(
            "spark_2_4_unqualified",
            _SPARK_DESCRIPTOR,
            _SPARK_2_2,
            "SELECT user_id, page FROM clicks",
            "SELECT user_id, page FROM clicks",
        ),
        _view("impala", impala, {"comment": "by Impala", "transient_lastDdlTime": "1555555555"}, _TEXT, _TEXT),
        _view(
            "presto",
            presto,
            {"comment": "Presto View", "presto_view": "true", "transient_lastDdlTime": "1555555555"},
            f"/* Presto View: {encoded} */",
            "/* Presto View */",
        ),
    ]
    text = json.dumps({"views": views}, indent=1, ensure_ascii=False)
    (DIRECTORY / "by-hand.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
