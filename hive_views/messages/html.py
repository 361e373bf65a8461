"""What a notebook shows of a value: a heading and a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

from hive_views.messages.credentials import hide_credentials
from hive_views.messages.legible import legible

_MOST_ROWS = 200


def html_table(heading: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A heading, and below it a table of texts, every one of them escaped; of many rows the first are shown.

    Args:
        heading: what is shown.
        columns: the headings of the columns.
        rows: as many texts each; without any there is no table.
    """
    left = iter(rows)
    shown = list(islice(left, _MOST_ROWS))
    hidden = sum(1 for _ in left)
    title = f"<p>{_text(heading)}</p>"
    if not shown:
        return title
    head = "".join(f"<th>{_text(one)}</th>" for one in columns)
    body = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in shown)
    more = f"<p>... and {hidden:,} more</p>" if hidden else ""
    return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _text(text: str) -> str:
    return escape(legible(hide_credentials(text)))
