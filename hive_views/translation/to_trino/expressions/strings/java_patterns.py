r"""Regular expressions of Java, as far as Trino is known to read them in the same way.

Both search from left to right and try alternatives in their order. What is left out is refused: Trino's library knows
other classes (``\p{Alpha}``), and names for them in brackets.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_META = frozenset(r"\^$.|?*+()[]{}")
_META_IN_CLASS = frozenset(r"\^-[]&")
_CLASSES = frozenset("dDwWsS")
_CONTROLS = frozenset("tnrf")
_BOUNDARIES = frozenset("bB")
_ENDS = frozenset("Az")
_GROUPS = ("?:", "?=", "?!")


class UnknownPatternError(Exception):
    """The pattern has something in it that Trino may read differently."""


@dataclass
class JavaPattern:
    r"""A pattern, and what is to be known of it.

    Attributes:
        text: for Trino.
        plain: the string that it finds, if that is one.
        groups: how many there are.
        optional: the groups that may have no part in a match.
        may_be_empty: whether it may find an empty string anywhere.
        uses_lines: whether it has a dot or a dollar sign, for which only ``\n`` is the end of a line in Trino.
        has_places: whether it has a part that finds a place, such as ``^``.
        uses_words: whether it has the boundary of a word.
        ignores_case: whether it begins with ``(?i)``.
    """

    text: str = ""
    plain: str | None = ""
    groups: int = 0
    optional: set[int] = field(default_factory=set)
    may_be_empty: bool = True
    uses_lines: bool = False
    has_places: bool = False
    uses_words: bool = False
    ignores_case: bool = False


def read_pattern(pattern: str) -> JavaPattern:
    """A pattern of Java.

    Raises:
        UnknownPatternError: Trino may read it differently.
    """
    found = JavaPattern()
    if pattern.startswith("(?i)"):
        found.ignores_case = True
        found.plain = None
        found.text = "(?i)"
    reader = _Reader(pattern, len(found.text), found)
    found.may_be_empty = reader.alternatives()
    if reader.at < len(pattern):
        raise UnknownPatternError
    return found


class _Reader:
    def __init__(self, pattern: str, at: int, found: JavaPattern) -> None:
        self.pattern = pattern
        self.at = at
        self.found = found

    def _next(self) -> str:
        return self.pattern[self.at] if self.at < len(self.pattern) else ""

    def _take(self) -> str:
        if self.at >= len(self.pattern):
            raise UnknownPatternError
        self.at += 1
        return self.pattern[self.at - 1]

    def alternatives(self) -> bool:
        """Read to the end, or to the bracket that ends a group; whether it may find an empty string."""
        start = self.found.groups
        may_be_empty = self._sequence()
        if self._next() != "|":
            return may_be_empty
        while self._next() == "|":
            self.at += 1
            self.found.text += "|"
            may_be_empty |= self._sequence()
        self.found.plain = None
        self.found.optional |= set(range(start + 1, self.found.groups + 1))
        return may_be_empty

    def _sequence(self) -> bool:
        may_be_empty = True
        while self._next() not in ("", "|", ")"):
            groups = self.found.groups
            is_empty, repeats = self._one()
            least, most = self._quantifier() if repeats else (1, 1)
            if is_empty and most != 1:
                # What a group has found at last, if that may be nothing, is another matter in each library.
                raise UnknownPatternError
            if least == 0:
                self.found.optional |= set(range(groups + 1, self.found.groups + 1))
            may_be_empty &= is_empty or least == 0
        return may_be_empty

    def _one(self) -> tuple[bool, bool]:
        """Read one element; whether it may be empty anywhere, and whether a quantifier may follow."""
        character = self._take()
        if character == "(":
            return self._group()
        if character == "\\":
            return self._escape()
        if character == "[":
            self.found.plain = None
            self.found.text += self._class()
        elif character in ".^$":
            self.found.plain = None
            self.found.text += character
            self.found.uses_lines |= character in ".$"
            self.found.has_places |= character != "."
            # An anchor is no empty string between the halves of a character.
            return False, character == "."
        elif character in "*+?{":
            raise UnknownPatternError
        else:
            self._literal(character)
        return False, True

    def _literal(self, character: str) -> None:
        if self.found.plain is not None:
            self.found.plain += character
        self.found.text += f"\\{character}" if character in _META else character

    def _group(self) -> tuple[bool, bool]:
        self.found.plain = None
        kind = next((one for one in _GROUPS if self.pattern.startswith(one, self.at)), "")
        if not kind and self._next() == "?":
            raise UnknownPatternError
        self.at += len(kind)
        self.found.text += f"({kind}"
        before = self.found.groups
        if not kind:
            self.found.groups += 1
        is_empty = self.alternatives()
        if self._take() != ")":
            raise UnknownPatternError
        self.found.text += ")"
        if kind in ("?=", "?!"):
            self.found.has_places = True
            self.found.optional |= set(range(before + 1, self.found.groups + 1))
            return True, False
        return is_empty, True

    def _escape(self) -> tuple[bool, bool]:
        character = self._take()
        if character in _BOUNDARIES or character in _ENDS:
            self.found.plain = None
            self.found.has_places = True
            self.found.uses_words |= character in _BOUNDARIES
            self.found.text += f"\\{character}"
            return False, False
        if character in _CLASSES:
            self.found.plain = None
            self.found.text += f"\\{character}"
        else:
            self._literal(self._escaped(character))
        return False, True

    def _escaped(self, character: str) -> str:
        """The character that an escape stands for."""
        if character in _CONTROLS:
            return {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}[character]
        if character in "ux":
            size = 4 if character == "u" else 2
            digits = self.pattern[self.at : self.at + size]
            if len(digits) < size or not all(one in "0123456789abcdefABCDEF" for one in digits):
                raise UnknownPatternError
            self.at += size
            found = chr(int(digits, 16))
            if "\ud800" <= found <= "\udfff":
                raise UnknownPatternError
            return found
        if character.isalnum() or not character.isascii():
            raise UnknownPatternError
        return character

    def _quantifier(self) -> tuple[int, int | None]:
        """Read one, if there is any; the least and the greatest number of times."""
        character = self._next()
        if character == "" or character not in "*+?{":
            return 1, 1
        self.found.plain = None
        if character == "{":
            end = self.pattern.find("}", self.at)
            parts = self.pattern[self.at + 1 : max(end, 0)].split(",")
            if not 1 <= len(parts) <= 2 or not parts[0].isdigit() or not (parts[-1].isdigit() or parts[1:] == [""]):
                raise UnknownPatternError
            least, text = int(parts[0]), self.pattern[self.at : end + 1]
            most = int(parts[-1]) if parts[-1] else None
            # A question mark behind a fixed number is a quantifier of its own in other dialects.
            if len(text) > 10 or not text.isascii() or (len(parts) == 1 and self.pattern[end + 1 : end + 2] == "?"):
                raise UnknownPatternError
        else:
            least, most, text = (1 if character == "+" else 0), (1 if character == "?" else None), character
        self.at += len(text)
        self.found.text += text
        if self._next() == "?":
            self.at += 1
            self.found.text += "?"
        if self._next() != "" and self._next() in "+*?{":
            raise UnknownPatternError
        return least, most

    def _class(self) -> str:
        text = "["
        if self._next() == "^":
            text += self._take()
        is_first = True
        while self._next() != "]" or is_first:
            text += self._range()
            is_first = False
        self.at += 1
        return f"{text}]"

    def _range(self) -> str:
        """Read a character, a class of them, or all from one to another."""
        first = self._in_class()
        if first is None:
            return f"\\{self.pattern[self.at - 1]}"
        if self._next() != "-" or self.pattern[self.at + 1 : self.at + 2] in ("]", ""):
            return _in_class(first)
        self.at += 1
        last = self._in_class()
        if last is None or last < first:
            raise UnknownPatternError
        return f"{_in_class(first)}-{_in_class(last)}"

    def _in_class(self) -> str | None:
        """Read a character; None for a class of them."""
        character = self._take()
        if character in "[]&^":
            raise UnknownPatternError
        if character != "\\":
            return character
        character = self._take()
        return None if character in _CLASSES else self._escaped(character)


def _in_class(character: str) -> str:
    return f"\\{character}" if character in _META_IN_CLASS else character
