"""Where the parts of a tree stand in the text: sqlglot keeps the places of names and literals only."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from sqlglot import Token, TokenType, exp

from hive_views.sql.query import QueryText

_OPEN = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE)
_CLOSED = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE)


class NoPlaceError(Exception):
    """The tree does not say where a part of it stands."""


class Places:
    """Places in one text, as start and (exclusive) end."""

    def __init__(self, query: QueryText, tree: exp.Expr) -> None:
        self._tokens: Sequence[Token] = query.tokens.all
        self._starts = [token.start for token in self._tokens]
        self._text = str(query)
        self._tree = tree
        self._casts: dict[int, tuple[int, int]] | None = None

    def of_name(self, call: Any) -> tuple[int, int]:
        """The name of a function that is called."""
        start = call.meta.get("start")
        if start is None:
            raise NoPlaceError
        return start, call.meta["end"] + 1

    def of_call(self, call: Any) -> tuple[int, int]:
        """A call, from the name of the function to the bracket that closes it; or a CAST."""
        if isinstance(call, exp.Cast):
            return self._of_cast(call)
        start, end = self.of_name(call)
        return start, self._closing(bisect_left(self._starts, end))

    def of_column(self, node: Any) -> tuple[int, int]:
        """A column, or a literal."""
        if isinstance(node, exp.Column):
            parts = node.parts
            if all(isinstance(part, exp.Identifier) and "start" in part.meta for part in parts):
                start, end = parts[0].meta["start"], parts[-1].meta["end"] + 1
                # The place of a name in backticks is that with the backticks.
                return start, end
        elif isinstance(node, exp.Literal) and "start" in node.meta:
            return node.meta["start"], node.meta["end"] + 1
        raise NoPlaceError

    def is_written_cast(self, cast: exp.Cast) -> bool:
        """Whether it is a CAST in the text; ``10L`` and ``DATE '2020-01-31'`` are others in the tree."""
        value = cast.this
        if not isinstance(value, exp.Literal):
            return True
        start, end = value.meta.get("start"), value.meta.get("end")
        if start is None or end is None:
            return False  # 10BD
        token = self._tokens[self._at(start) - 1]
        is_typed = value.is_string and token.text.upper() in ("DATE", "TIMESTAMP")
        return not is_typed and (value.is_string or self._text[end].isdigit() or self._text[end] == ".")

    def end_of_key(self, value: Any) -> int:
        """The end of a key of ORDER BY, with ASC or DESC; of columns and calls only."""
        node = value.this if isinstance(value, exp.Window) else value
        if isinstance(value, exp.Window):
            raise NoPlaceError
        _, end = self.of_column(node) if isinstance(node, (exp.Column, exp.Literal)) else self.of_call(node)
        behind = next((token for token in self._tokens if token.start >= end), None)
        is_direction = behind is not None and behind.text.upper() in ("ASC", "DESC")
        return int(behind.end) + 1 if is_direction and behind is not None else end

    def says_nulls(self, value: Any) -> bool:
        """Whether NULLS FIRST or NULLS LAST is written behind a key of ORDER BY."""
        ends = [one.meta["end"] for one in value.walk() if "end" in one.meta]
        behind = [token for token in self._tokens if ends and token.start > max(ends)]
        words = [token.text.upper() for token in behind[:6] if token.token_type not in _CLOSED]
        return [word for word in words if word not in ("ASC", "DESC")][:1] == ["NULLS"]

    def of_strings(self, start: int, count: int) -> list[tuple[int, int]]:
        """Strings that stand one behind the other, of which the first one starts there."""
        at = self._at(start)
        return [(int(token.start), int(token.end) + 1) for token in self._tokens[at : at + count]]

    def is_tried(self, cast: exp.Cast) -> bool:
        """Whether it is written TRY_CAST."""
        if not any(token.text.upper() == "TRY_CAST" for token in self._tokens):
            return False
        start, _ = self._of_cast(cast)
        return self._text[start : start + 3].upper() == "TRY"

    def _at(self, start: int) -> int:
        at = bisect_left(self._starts, start)
        if at == len(self._starts) or self._starts[at] != start:
            raise NoPlaceError
        return at

    def _closing(self, opening: int) -> int:
        """The end of the bracket that closes the one that is a token."""
        if opening >= len(self._tokens) or self._tokens[opening].token_type not in _OPEN:
            raise NoPlaceError
        depth = 0
        for token in self._tokens[opening:]:
            depth += (token.token_type in _OPEN) - (token.token_type in _CLOSED)
            if not depth:
                return int(token.end) + 1
        raise NoPlaceError

    def _of_cast(self, cast: Any) -> tuple[int, int]:
        if self._casts is None:
            self._casts = self._find_casts()
        found = self._casts.get(id(cast))
        if found is None:
            raise NoPlaceError
        return found

    def _find_casts(self) -> dict[int, tuple[int, int]]:
        """The places of CASTs; inner ones first, each takes the innermost place around its first name or literal."""
        free = []
        for at, token in enumerate(self._tokens[:-1]):
            if token.text.upper() in ("CAST", "TRY_CAST") and self._tokens[at + 1].token_type == TokenType.L_PAREN:
                free.append((int(token.start), self._closing(at + 1)))
        found = {}
        for cast in reversed(list(self._tree.find_all(exp.Cast, bfs=False))):
            if not self.is_written_cast(cast):
                continue
            starts = [one.meta["start"] for one in cast.this.walk() if "start" in one.meta]
            around = [one for one in free if starts and one[0] < min(starts) < one[1]]
            if around:
                found[id(cast)] = max(around)
                free.remove(max(around))
        return found
