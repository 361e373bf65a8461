"""The parts of a row that its readers use, without the parameters of this library."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hive_views.errors import CorruptMetadataError
from hive_views.hive.row import COMMENT, Column, Row
from hive_views.persisted import ROW_AS_FOUND
from hive_views.spec.metadata import ViewVersion
from hive_views.spec.strict_json import read_json
from hive_views.views.row.file_references import is_path

TRINO_VIEW = "presto_view"
"""The parameter of rows whose text is in the form of Trino and Presto."""

ENGINE_PREFIXES = ("spark.sql.", "view.")
"""Prefixes of parameters that Spark writes, and trusts more than the columns of the row."""


@dataclass(frozen=True)
class RowContent:
    """Texts, columns and formats of a row, and the parameters that engines read a view by."""

    original_text: str | None
    expanded_text: str | None
    columns: tuple[Column, ...]
    partition_keys: tuple[Column, ...] = ()
    input_format: str | None = None
    output_format: str | None = None
    serde_library: str | None = None
    serde_parameters: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, row: Row) -> RowContent:
        """That of a row as it stands."""
        is_trino = TRINO_VIEW in row.parameters
        return cls(
            original_text=row.original_text,
            expanded_text=row.expanded_text,
            columns=row.columns,
            partition_keys=row.partition_keys,
            input_format=row.input_format,
            output_format=row.output_format,
            serde_library=row.serde_library,
            serde_parameters=dict(row.serde_parameters),
            parameters={
                key: value
                for key, value in sorted(row.parameters.items())
                if _is_of_row(key) and (is_trino or key != COMMENT)
            },
        )

    @classmethod
    def kept_by(cls, version: ViewVersion) -> RowContent | None:
        """That of the row which the version was adopted from; None of a version that was made here.

        Raises:
            CorruptMetadataError: the version's summary cannot be read.
        """
        text = version.summary.get(ROW_AS_FOUND)
        if text is None:
            return None
        try:
            document = read_json(text)
            return cls(
                original_text=_text(document["original-text"]),
                expanded_text=_text(document["expanded-text"]),
                columns=_columns(document["columns"]),
                partition_keys=_columns(document["partition-keys"]),
                input_format=_text(document["input-format"]),
                output_format=_text(document["output-format"]),
                serde_library=_text(document["serde-library"]),
                serde_parameters={k: str(text) for k, text in document["serde-parameters"].items() if not is_path(k)},
                # Whoever has written the file: no other name is one of a row as it is found.
                parameters={key: str(text) for key, text in document["parameters"].items() if _is_of_row(key)},
            )
        except (ValueError, TypeError, KeyError, AttributeError) as e:
            raise CorruptMetadataError(
                f"The version's summary has {text[:100]!r} for {ROW_AS_FOUND}, not a row as it is kept there."
            ) from e

    def with_other_names(
        self, text: Callable[[str], str], namespace: Callable[[str], str], catalogs: Collection[str]
    ) -> RowContent:
        """The same with other names of databases: in its texts, by ``text``, and where names of Spark's texts resolve.

        Args:
            text: gives a text with the other names.
            namespace: gives the other name of a database.
            catalogs: what the metastore is called, in lower case.
        """
        parameters = dict(self.parameters)
        own = parameters.get("view.catalogAndNamespace.part.0", "spark_catalog").lower() in catalogs
        for key in ("view.catalogAndNamespace.part.1", "view.default.database"):
            if key in parameters and own:
                parameters[key] = namespace(parameters[key])
        return replace(
            self,
            original_text=text(self.original_text) if self.original_text else self.original_text,
            expanded_text=text(self.expanded_text) if self.expanded_text else self.expanded_text,
            parameters=parameters,
        )

    def as_json(self) -> str:
        """The text that a version keeps it as."""
        return json.dumps(
            {
                "original-text": self.original_text,
                "expanded-text": self.expanded_text,
                "columns": [[c.name, c.type, c.comment] for c in self.columns],
                "partition-keys": [[c.name, c.type, c.comment] for c in self.partition_keys],
                "input-format": self.input_format,
                "output-format": self.output_format,
                "serde-library": self.serde_library,
                "serde-parameters": dict(self.serde_parameters),
                "parameters": dict(self.parameters),
            }
        )


def _is_of_row(key: str) -> bool:
    return key.startswith(ENGINE_PREFIXES) or key in (TRINO_VIEW, COMMENT)


def _columns(found: list[list[Any]]) -> tuple[Column, ...]:
    return tuple(Column(str(name), str(type_), _text(comment)) for name, type_, comment in found)


def _text(found: object) -> str | None:
    if found is not None and not isinstance(found, str):
        raise TypeError(f"{found!r} is no text")
    return found
