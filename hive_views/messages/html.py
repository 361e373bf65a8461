"""Tables in notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

from hive_views.messages.credentials import hide_credentials
from hive_views.messages.legible import legible

_MAX_ROWS = 200


def html_table(heading: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A heading and a table of strings, all of them escaped; of many rows, only the first are shown.

    Args:
        heading: above the table.
        columns: the headings of the columns.
        rows: one string per column; without rows there is no table.
    """
    left = iter(rows)
    shown = list(islice(left, _MAX_ROWS))
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
