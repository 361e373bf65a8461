"""Plain views that are broken, each in one way; the rest of each row is sound."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from hive_views.hive.row import VIRTUAL_VIEW, Column, Row
from hive_views.spec.identifiers import TableIdentifier
from tests.support.plain_rows import plain_view

_FORMATS = {
    "input_format": "org.apache.hadoop.mapred.TextInputFormat",
    "output_format": "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
}


def sound_row(identifier: TableIdentifier, number: int = 0) -> Row:
    """A view as Hive makes it, which reads the table ``web.clicks``."""
    return Row(
        identifier,
        VIRTUAL_VIEW,
        owner="ada",
        columns=(Column("user_id", "bigint"), Column("page", "string", "what was read"), Column("n", "int")),
        original_text=f"SELECT user_id, page, {number} AS n FROM web.clicks",
        expanded_text=f"SELECT `clicks`.`user_id`, `clicks`.`page`, {number} AS `n` FROM `web`.`clicks`",
        parameters={"comment": "by hand", "team": "web"},
        **_FORMATS,  # type: ignore[arg-type]
    )


def _hive(**fields: object) -> Callable[[TableIdentifier], Row]:
    return lambda identifier: replace(sound_row(identifier), **fields)  # type: ignore[arg-type]


def _text(text: str) -> Callable[[TableIdentifier], Row]:
    return _hive(original_text=text, expanded_text=text)


def _of(maker: str, name: str, **parameters: str | None) -> Callable[[TableIdentifier], Row]:
    """What an engine made, with other parameters; None takes one away."""

    def made(identifier: TableIdentifier) -> Row:
        row = plain_view(maker, name).row
        given = {**row.parameters, **parameters}
        return replace(
            row,
            identifier=identifier,
            parameters={key: value for key, value in given.items() if value is not None},
            native=None,
        )

    return made


def _damaged_trino(identifier: TableIdentifier) -> Row:
    row = _of("trino-476", "simple")(identifier)
    assert row.original_text
    return replace(row, original_text=row.original_text.replace("/* Presto View: ", "/* Presto View: x"))


BROKEN: Mapping[str, Callable[[TableIdentifier], Row]] = {
    "no_text": _hive(original_text=None, expanded_text=None),
    "text_does_not_parse": _text("SELECT user_id, page, 1 AS n FROM web.clicks WHERE (user_id > 1"),
    "text_is_no_query": _text("DROP TABLE web.clicks"),
    "fewer_columns_than_the_text": _hive(columns=(Column("user_id", "bigint"), Column("page", "string"))),
    "more_columns_than_the_text": _hive(
        columns=(Column("user_id", "bigint"), Column("page", "string"), Column("n", "int"), Column("o", "int"))
    ),
    "columns_of_other_names": _hive(
        columns=(Column("user_id", "bigint"), Column("seite", "string"), Column("n", "int"))
    ),
    "a_column_of_another_type": _hive(
        columns=(Column("user_id", "bigint"), Column("page", "string"), Column("n", "array<string>"))
    ),
    "no_columns": _hive(columns=()),
    "columns_of_spark_that_are_not_all_there": _of("spark-4.1.4", "simple", **{"view.query.out.numCols": "7"}),
    "schema_of_spark_that_is_no_json": _of("spark-4.1.4", "simple", **{"spark.sql.sources.schema": "{"}),
    "definition_of_trino_that_is_damaged": _damaged_trino,
}
"""By what is wrong, the row of a view."""
