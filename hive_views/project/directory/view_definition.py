"""What a file says of a view: all of it, so that a view is what its file says or has to be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hive_views.ddl.grammar.statements import OutputColumn, TranslatedText
from hive_views.project.json_values import Texts, ViewName


@dataclass(frozen=True)
class ViewDefinition:
    """A view as a file of a project declares it.

    Attributes:
        view: its name.
        texts: by dialect, as typed; plain readers get the ``hive`` text or, without one, the ``spark`` text.
        translations: by dialect, those that are translated from one of these texts.
        columns: names and comments, and types where the file gives them; None without a column list.
        comment: of the view; None for none.
        partitioned_on: the partition columns, the last ones of the columns.
        properties: all of them that users set.
        namespace: where names without a database resolve in the texts.
        file: its path in the project, with ``/``.
        line: where its statement starts, from 1.
        offset: where its statement starts in the text of the file as it was parsed, from 0.
        starts: the same of each text, by dialect.
    """

    view: ViewName
    texts: Texts
    columns: tuple[OutputColumn, ...] | None
    comment: str | None
    partitioned_on: tuple[str, ...]
    properties: Mapping[str, str]
    namespace: str
    file: str
    line: int = 1
    offset: int = field(default=0, compare=False)
    starts: Mapping[str, int] = field(default_factory=dict, compare=False)
    translations: Mapping[str, TranslatedText] = field(default_factory=dict)
