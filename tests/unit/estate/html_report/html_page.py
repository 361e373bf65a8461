"""An HTML page of ours, read as a browser understands it."""

from __future__ import annotations

from html.parser import HTMLParser


class Page(HTMLParser):
    """A page as a browser understands it: its elements, the targets of its links, and the text of each part."""

    EMPTY = frozenset(("meta", "img", "br"))

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.references: set[str] = set()
        self.handlers: set[str] = set()
        self.text: dict[str, str] = {}
        self._open: list[tuple[str, str]] = []
        self.feed(html)
        self.close()
        assert self._open == [], "each element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        self.references |= {given[name] or "" for name in ("href", "src", "action", "data", "poster") if name in given}
        self.handlers |= {name for name in given if name.startswith("on") or name == "style"}
        inside = self._open[-1][1] if self._open else ""
        if given.get("id"):
            inside = str(given["id"])
            self.ids.append(inside)
        if tag not in self.EMPTY:
            self._open.append((tag, inside))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        opened, _ = self._open.pop()
        assert opened == tag

    def handle_data(self, data: str) -> None:
        inside = self._open[-1][1] if self._open else ""
        self.text[inside] = f"{self.text.get(inside, '')}{data} "


def words(text: str) -> str:
    return " ".join(text.split())
