"""What notebooks show: a heading with tables, texts, diffs and calendars, in a style that reaches nothing else."""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Literal

from markupsafe import Markup

from hive_views.messages.credentials import hide_credentials
from hive_views.messages.legible import legible

Tone = Literal["good", "new", "warn", "bad", "soft"]

_MAX_ROWS = 200
_MAX_MONTHS = 12
_MAX_CHARACTERS = 20_000
# A caller may have a state that is called missing, of partitions that are there.
_NONE = "no partition"


def html_block(heading: str, *parts: Markup) -> str:
    """What a notebook shows of an object, with the style that it is shown in.

    Args:
        heading: above everything.
        parts: what the other functions here return.
    """
    style = Markup("<style>{}</style>").format(_style())
    return str(Markup('<div class="hive-views">{}{}{}</div>').format(style, paragraph(heading), Markup("").join(parts)))


def html_table(heading: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A heading and a table; without rows only the heading."""
    return html_block(heading, table(columns, rows))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """A table; without rows nothing, and of many rows only the first are shown.

    Args:
        columns: the headings of the columns.
        rows: one text per column, or what ``badge`` returns.
    """
    left = iter(rows)
    shown = [_row("td", row) for row in islice(left, _MAX_ROWS)]
    if not shown:
        return Markup("")
    hidden = sum(1 for _ in left)
    return Markup('<div class="hv-wide"><table><thead>{}</thead><tbody>{}</tbody></table></div>{}').format(
        _row("th", columns), Markup("").join(shown), paragraph(f"... and {hidden:,} more") if hidden else ""
    )


def badge(text: str, tone: Tone) -> Markup:
    """A word in the color of what it means."""
    return Markup('<span class="hv-badge hv-{}">{}</span>').format(tone, _text(text))


def paragraph(text: str) -> Markup:
    """A text of one or several sentences."""
    return Markup("<p>{}</p>").format(_text(text))


def source(text: str) -> Markup:
    """A text as it was typed, cut where it is very long."""
    cut = len(text) - _MAX_CHARACTERS
    more = paragraph(f"... and {cut:,} more characters") if cut > 0 else ""
    return Markup("<pre>{}</pre>{}").format(_text(text[:_MAX_CHARACTERS]), more)


def folded(summary: str, *parts: Markup, is_open: bool = False) -> Markup:
    """Parts below a line that opens and closes them."""
    opened = Markup(" open") if is_open else ""
    return Markup("<details{}><summary>{}</summary>{}</details>").format(opened, _text(summary), Markup("").join(parts))


def diff(lines: Iterable[str]) -> Markup:
    """The lines of a unified diff in colors, cut where there are many."""
    all_lines = list(lines)
    elements = {"+": "ins", "-": "del", "@": "i"}
    shown = (
        Markup("<{0}>{1}\n</{0}>").format(elements.get(line[:1], "span"), _text(line)) for line in all_lines[:_MAX_ROWS]
    )
    hidden = len(all_lines) - _MAX_ROWS
    more = paragraph(f"... and {hidden:,} more lines") if hidden > 0 else ""
    return Markup('<pre class="hv-diff">{}</pre>{}').format(Markup("").join(shown), more)


def calendar(days: Mapping[date, str], tones: Mapping[str, Tone]) -> Markup:
    """The last months of what is known of days, Monday first, with a legend; nothing without days.

    Args:
        days: the state of each day. Others between the first and the last have none.
        tones: the color of each state.
    """
    if not days:
        return Markup("")
    first, last = min(days), max(days)
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    shown = [(number // 12, number % 12 + 1) for number in months[-_MAX_MONTHS:]]
    drawn = Markup("").join(_month(year, month, days, tones, first, last) for year, month in shown)
    counts = Counter(days.values())
    counts[_NONE] += (last - first).days + 1 - len(days)
    legend = Markup(" ").join(
        Markup('<span class="hv-{}">{}</span> {}').format(look, _text(state), f"{counts[state]:,}")
        for state, look in {_NONE: "none", **tones}.items()
        if counts[state]
    )
    earlier = len(months) - len(shown)
    left_out = paragraph(f"{earlier:,} earlier months are not shown") if earlier else ""
    return Markup('<div class="hv-calendar">{}</div><p class="hv-legend">days: {}</p>{}').format(
        drawn, legend, left_out
    )


def _month(
    year: int, month: int, days: Mapping[date, str], tones: Mapping[str, Tone], first: date, last: date
) -> Markup:
    weekday, length = monthrange(year, month)
    cells = [Markup("<td></td>")] * weekday
    for number in range(1, length + 1):
        day = date(year, month, number)
        if first <= day <= last:
            state = days.get(day, _NONE)
            cell = Markup('<td class="hv-{}" title="{}">{}</td>')
            cells.append(cell.format(tones.get(state, "none"), _text(f"{day}: {state}"), number))
        else:
            cells.append(Markup("<td></td>"))
    weeks = (Markup("<tr>{}</tr>").format(Markup("").join(cells[at : at + 7])) for at in range(0, len(cells), 7))
    return Markup("<table><caption>{}</caption><tbody>{}</tbody></table>").format(
        f"{year:04}-{month:02}", Markup("").join(weeks)
    )


def _row(element: str, cells: Sequence[str]) -> Markup:
    return Markup("<tr>{}</tr>").format(
        Markup("").join(Markup("<{0}>{1}</{0}>").format(element, _text(cell)) for cell in cells)
    )


def _text(text: str) -> Markup:
    return text if isinstance(text, Markup) else Markup.escape(legible(hide_credentials(text)))


@cache
def _style() -> Markup:
    # The comments in it are for those who change it, not for each output.
    style = Path(__file__).with_name("notebook.css").read_text("utf-8")
    return Markup(style.partition("*/\n")[2])  # noqa: S704 - a file of this package
