"""Rows of Hive tables and of plain views, for tests of base tables."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from hive_views.hive.row import VIRTUAL_VIEW, Column, Row
from hive_views.spec.identifiers import TableIdentifier


def table_row(namespace: str, keys: Sequence[Column], location: str) -> Row:
    return Row(
        identifier=TableIdentifier(namespace, f"t_{uuid.uuid4().hex[:12]}"),
        table_type="MANAGED_TABLE",
        owner="ada",
        location=location,
        columns=(Column("clicks", "bigint"),),
        partition_keys=tuple(keys),
        input_format="org.apache.hadoop.mapred.TextInputFormat",
        output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        serde_library="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
    )


def view_row(namespace: str, keys: Sequence[Column]) -> Row:
    row = table_row(namespace, keys, "")
    text = "SELECT 1 AS clicks"
    return replace(row, table_type=VIRTUAL_VIEW, location=None, original_text=text, expanded_text=text)
