"""The columns of a view as a caller gives them, as a schema; and which of them can be partition columns."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Mapping, Sequence

from hive_views.errors import InvalidSchemaError
from hive_views.hive.limits import MAX_COLUMN_COMMENT, MAX_COLUMN_NAME, MAX_KEY_NAME, stored_length
from hive_views.hive.partition_values import check_key_type
from hive_views.hive.row import Column
from hive_views.hive.types import FieldIds, hive_type, iceberg_type, parse_hive_type, survives_round_trip
from hive_views.spec.schema import NestedField, Schema, ids_by_path

ColumnsInput = Schema | Sequence[NestedField] | Sequence[Column] | Sequence[Sequence[str | None]]
"""A schema, its fields, or names with Hive types: ``[("user_id", "bigint"), ("clicks", "bigint", "comment")]``."""


def schema_from(columns: ColumnsInput, *, base: Schema | None = None) -> tuple[Schema, dict[str, str]]:
    """The schema of these columns, and the Hive types that its Iceberg types do not keep (``{"code": "varchar(7)"}``,
    by name in lower case).

    Columns given by name and Hive type get the field ids of the columns and nested fields of ``base`` that have the
    same name when case is ignored, and the next free ids otherwise. A schema and NestedFields keep their own ids. Names
    stay as given; the metastore row has them in lower case. The schema's own id is 0 until a version takes it.

    Raises:
        InvalidSchemaError: no columns; a name that is empty, taken (case does not matter), longer than 767 characters
            or has control characters or blanks at its ends; a comment of more than 256 characters; a type without a
            counterpart.
    """
    if isinstance(columns, Schema):
        return _checked(columns), {}
    fields, given = _read(columns)
    if not given:
        return _checked(_schema_of(fields)), {}
    _check([(column.name, column.comment) for column in given])
    ids = _ids_like(base)
    top = [ids((column.name,)) for column in given]
    schema = _schema_of([_field(field_id, column, ids) for field_id, column in zip(top, given, strict=True)])
    narrower = [column for column in given if not survives_round_trip(column.type)]
    return schema, {column.name.lower(): str(parse_hive_type(column.type)) for column in narrower}


def check_partitioned_on(
    schema: Schema, hive_types: Mapping[str, str], partitioned_on: Sequence[str]
) -> tuple[str, ...]:
    """The partition columns in lower case; they are the last columns of the schema in its order, but not all of them.

    ``hive_types`` are those of ``schema_from``, by name in lower case.

    Raises:
        InvalidSchemaError: a name is unknown or given twice, or not the last columns in their order (Hive error 10093),
            all columns (10092), or a type that cannot be a partition column's.
    """
    is_list = isinstance(partitioned_on, (list, tuple)) and all(isinstance(name, str) for name in partitioned_on)
    if not is_list:
        raise InvalidSchemaError(f"Give the partition columns as a list, [{partitioned_on!r}].")
    names = tuple(name.lower() for name in schema.names)
    keys = tuple(name.lower() for name in partitioned_on)
    if unknown := [key for key in keys if key not in names]:
        raise _cannot_partition(keys, f"the view has no column {', '.join(unknown)} (Hive error 10093)", names)
    if len(set(keys)) < len(keys):
        raise _cannot_partition(keys, "a column is named twice (Hive error 10093)", names)
    if keys and len(keys) == len(names):
        raise _cannot_partition(keys, "at least one column must not be a partition column (Hive error 10092)", names)
    if names[len(names) - len(keys) :] != keys:
        raise _cannot_partition(
            keys, "partition columns must be the last columns of the query, in its order (Hive error 10093)", names
        )
    for field in schema.fields[len(names) - len(keys) :]:
        _check_key(field, hive_types)
    return keys


def _read(columns: object) -> tuple[list[NestedField], list[Column]]:
    """The NestedFields, or the columns by name and Hive type; one of the two is empty."""
    if isinstance(columns, (str, Mapping)) or not isinstance(columns, Sequence):
        raise _unreadable(columns)
    fields = [column for column in columns if isinstance(column, NestedField)]
    if not fields:
        return [], [_column(column) for column in columns]
    if len(fields) < len(columns):
        raise InvalidSchemaError("Give all columns as NestedFields, which have ids, or none of them.")
    return fields, []


def _column(column: object) -> Column:
    if isinstance(column, Column):
        return column
    if isinstance(column, str) or not isinstance(column, Sequence) or len(column) not in (2, 3):
        raise _unreadable(column)
    name, type_, *comment = column
    if not (isinstance(name, str) and isinstance(type_, str) and all(isinstance(c, str | None) for c in comment)):
        raise _unreadable(column)
    return Column(name, type_, *comment)


def _unreadable(found: object) -> InvalidSchemaError:
    return InvalidSchemaError(
        f"Cannot read {found!r} as columns: give names and Hive types, with a comment if you like, as in "
        f"[('user_id', 'bigint'), ('clicks', 'bigint', 'how often')]."
    )


def _field(field_id: int, column: Column, ids: FieldIds) -> NestedField:
    type_ = iceberg_type(column.type, lambda path: ids((column.name, *path)), column=column.name)
    return NestedField(id=field_id, name=column.name, type=type_, doc=column.comment or None)


def _schema_of(fields: Sequence[NestedField]) -> Schema:
    try:
        return Schema(schema_id=0, fields=tuple(fields))
    except ValueError as e:  # the model checks that ids are unique
        raise InvalidSchemaError(f"The columns are not a valid schema: {e}") from e


def _checked(schema: Schema) -> Schema:
    _check([(field.name, field.doc) for field in schema.fields])
    for field in schema.fields:
        hive_type(field.type, column=field.name)
    return schema


def _ids_like(base: Schema | None) -> FieldIds:
    known = dict(ids_by_path(base.fields)) if base else {}
    free = itertools.count(max(known.values(), default=0) + 1)

    def field_id(path: tuple[str, ...]) -> int:
        path = tuple(name.lower() for name in path)
        return known[path] if path in known else next(free)

    return field_id


def _check(columns: Sequence[tuple[str, str | None]]) -> None:
    if not columns:
        raise InvalidSchemaError("A view needs at least one column; the list of columns is empty.")
    seen: dict[str, str] = {}
    for name, comment in columns:
        if problem := _name_problem(name):
            raise InvalidSchemaError(
                f"Cannot use {name[:60]!r} as the name of a column: {problem}. Use another name in the query.",
                columns=[name],
            )
        if name.lower() in seen:
            raise InvalidSchemaError(
                f"Columns {seen[name.lower()]!r} and {name!r} have the same name in the metastore, which ignores case. "
                f"Rename one of them in the query.",
                columns=[name],
            )
        seen[name.lower()] = name
        if comment and stored_length(comment) > MAX_COLUMN_COMMENT:
            raise InvalidSchemaError(
                f"The comment of column {name} has {stored_length(comment)} characters; metastores hold "
                f"{MAX_COLUMN_COMMENT} and some silently cut off the rest. Shorten it.",
                columns=[name],
            )


def _name_problem(name: str) -> str | None:
    if not name:
        return "it is empty"
    if name != name.strip():
        return "it begins or ends with a space, and some databases treat 'a' and 'a ' as equal"
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        return "it has control characters, or an unpaired surrogate"
    if stored_length(name) > MAX_COLUMN_NAME:
        return f"the metastore holds {MAX_COLUMN_NAME} characters, it has {stored_length(name)}"
    return None


def _check_key(field: NestedField, hive_types: Mapping[str, str]) -> None:
    if stored_length(field.name) > MAX_KEY_NAME:
        raise InvalidSchemaError(
            f"The partition column {field.name[:60]}... has a name of {stored_length(field.name)} characters; the "
            f"metastore holds {MAX_KEY_NAME} for partition columns. Use another name in the query.",
            columns=[field.name],
        )
    if field.type == "timestamptz":
        raise InvalidSchemaError(
            f"Column {field.name} of type timestamptz cannot be a partition column: the text of its values depends on "
            f"the time zone of the session. Cast it in the query, to date or timestamp for example.",
            columns=[field.name],
            type=field.type,
        )
    kept = hive_types.get(field.name.lower())
    check_key_type(kept or hive_type(field.type, column=field.name), field.name)


def _cannot_partition(keys: Sequence[str], problem: str, names: Sequence[str]) -> InvalidSchemaError:
    return InvalidSchemaError(
        f"Cannot partition the view on ({', '.join(keys)}): {problem}. Its columns are ({', '.join(names)}).",
        columns=list(names),
    )
