"""Views in the form of Trino and Presto: a JSON document in the row, which no other engine reads.

The row has a dummy column, no partition columns and no format; its original text is the document in base64, and the
comment of the row is always the same (TrinoViewUtil, ViewReaderUtil). Hive and Spark fail on such a view, as they do on
views that Trino created.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hive_views.errors import InvalidSchemaError
from hive_views.hive.row import COMMENT, Column, Row
from hive_views.hive.types import hive_type, parse_hive_type
from hive_views.spec.schema import NestedField
from hive_views.spec.strict_json import read_json
from hive_views.views.row.content import TRINO_VIEW, RowContent
from hive_views.views.row.trino_types import hive_of_trino, trino_of_hive, trino_of_iceberg

VIEW_COMMENT = "Presto View"
MATERIALIZED_VIEW_COMMENT = "Presto Materialized View"

_BEGINNING, _END = "/* Presto View: ", " */"
_EXPANDED_TEXT = "/* Presto View */"
_DUMMY = Column("dummy", "string")


def document_in(text: str | None) -> dict[str, Any]:
    """The document in a row's original text.

    Raises:
        ValueError: the text is not in this form, or damaged.
    """
    if text is None or not text.startswith(_BEGINNING):
        raise ValueError(f"its original text does not begin with '{_BEGINNING.strip()}'")
    if not text.endswith(_END):
        raise ValueError(f"its original text is cut off: it does not end with '{_END.strip()}'")
    try:
        document = read_json(base64.b64decode(text[len(_BEGINNING) : -len(_END)].strip(), validate=True))
    except (binascii.Error, ValueError) as e:
        raise ValueError(f"the definition in its original text is damaged ({e})") from e
    columns = document.get("columns") if isinstance(document, dict) else None
    is_whole = (
        isinstance(columns, list)
        and all(isinstance(c, dict) and all(isinstance(c.get(key), str) for key in ("name", "type")) for c in columns)
        and isinstance(document.get("originalSql"), str)
    )
    if not is_whole:
        raise ValueError("the definition in its original text has no query, or no columns")
    return dict(document)


def is_trino_view(row: Row) -> bool:
    """Whether a row is in this form; Trino asks for both parameters."""
    return TRINO_VIEW in row.parameters and row.parameters.get(COMMENT, "").lower() == VIEW_COMMENT.lower()


def has_document(row: Row) -> bool:
    """Whether the original text of a row looks like a document, which may be damaged."""
    return (row.original_text or "").startswith(_BEGINNING.strip())


def properties_in(row: Row) -> dict[str, str]:
    """The parameters of a row, with the comment of the view where that of the row says only what form it has."""
    parameters = dict(row.parameters)
    if is_trino_view(row):
        del parameters[COMMENT]
        try:
            comment = document_in(row.original_text).get("comment")
        except ValueError:
            comment = None
        parameters |= {COMMENT: str(comment)} if comment is not None else {}
    return parameters


def text_with(document: Mapping[str, Any]) -> str:
    """The original text of a row with this document."""
    return _BEGINNING + base64.b64encode(json.dumps(document).encode()).decode() + _END


def trino_content(
    sql: str,
    fields: tuple[NestedField, ...],
    hive_types: Mapping[str, str],
    *,
    comment: str | None,
    catalog: str | None,
    schema: str | None,
    found: RowContent | None,
) -> RowContent:
    """The row of a view that has a Trino text and no other that plain readers know.

    Trino runs it with the rights of whoever asks, unless the view was adopted from one that says otherwise.

    Args:
        sql: the text.
        fields: the columns.
        hive_types: their Hive types, where Iceberg's do not say them.
        comment: of the view.
        catalog: what Trino calls the catalog in which names resolve.
        schema: where they resolve in it.
        found: the row that the view was adopted from; what is not said here stays as it is there.
    """
    before = _document_of(found)
    document = dict(before)
    if catalog and schema and (not before or "schema" in before):
        document |= {"catalog": catalog, "schema": schema}
    if not before:
        # Whose rights it should have instead, nobody has said; no owner is allowed then.
        document |= {"runAsInvoker": True, "path": []}
    document["originalSql"] = sql
    known = before.get("columns", [])
    document["columns"] = [
        _column(field, hive_types.get(field.name.lower()), known[place] if place < len(known) else None)
        for place, field in enumerate(fields)
    ]
    if comment != document.get("comment"):
        document = {key: value for key, value in document.items() if key != "comment"}
        document |= {"comment": comment} if comment is not None else {}
    if found is not None and before and document == before:
        return found
    content = found or RowContent(
        original_text=None,
        expanded_text=_EXPANDED_TEXT,
        columns=(_DUMMY,),
        parameters={TRINO_VIEW: "true", COMMENT: VIEW_COMMENT},
    )
    return replace(content, original_text=text_with(document))


def _document_of(found: RowContent | None) -> dict[str, Any]:
    try:
        return document_in(found.original_text) if found else {}
    except ValueError:
        return {}


def _column(field: NestedField, exact: str | None, known: Mapping[str, Any] | None) -> dict[str, Any]:
    if known is not None and known["name"].lower() == field.name.lower() and _is_of(field, exact, known["type"]):
        if (known.get("comment") or None) == (field.doc or None):
            return dict(known)
        column = {key: value for key, value in known.items() if key != "comment"}
    else:
        column = {"name": field.name, "type": trino_of_hive(exact) if exact else trino_of_iceberg(field.type)}
    return {**column, **({"comment": field.doc} if field.doc else {})}


def _is_of(field: NestedField, exact: str | None, trino_type: str) -> bool:
    """Whether a Trino type is one that this column can have been made of: ``timestamp(3)`` is more than we keep."""
    try:
        kept = parse_hive_type(hive_of_trino(trino_type, column=field.name))
        zoned = parse_hive_type("timestamp with local time zone")
        if field.type == "timestamptz" or kept == zoned:
            return field.type == "timestamptz" and kept == zoned
        return kept == parse_hive_type(exact or hive_type(field.type, column=field.name))
    except InvalidSchemaError:
        return False
