"""What can be asked of a partition column of a base table: the words that stand for values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal

from hive_views.base_tables.opening import table_name
from hive_views.errors import InvalidInputError
from hive_views.readiness.patterns import PARTS, Pattern
from hive_views.readiness.rule_expressions import MAX_BITS, call_text, shown, value_text

DATE = ("year", "month", "day")
MAX_VALUES = 100_000
"""Values of the longest list or range: a bit for each of them is kept per partition of the view."""

MAX_IN_RANGES = 5 * MAX_VALUES
"""Values of all ranges of a rule that is read from a text."""

_LISTS = (list, tuple, set, frozenset, range)


@dataclass(frozen=True)
class Expected:
    """Values that must all be there; ``type`` is that of the column they come from, ``origin`` its table."""

    values: tuple[object, ...]
    type: str | None = None
    origin: str | None = None

    def __repr__(self) -> str:
        return value_text(self.values[0] if len(self.values) == 1 else self.values)


@dataclass(frozen=True)
class ViewColumn:
    """The value that a candidate has in this partition column of the view. Made by ``column``."""

    name: str
    pattern: str | None = None

    def __repr__(self) -> str:
        named = call_text("column", self.name)
        return named if self.pattern is None else f"{named}.{call_text('parsed', self.pattern)}"

    def parsed(self, pattern: str) -> ViewColumn:
        """The view's own column writes a date or time in this way: ``column("dt").parsed("yyyyMMdd")``.

        Raises:
            InvalidInputError: it is no pattern; see ``formatted``.
        """
        Pattern(pattern)
        return replace(self, pattern=pattern)

    def formatted(self, pattern: str) -> Timestamp:
        """The base table writes the date or time in this way: ``column("ds").formatted("yyyyMMdd")``.

        Patterns are Hive's: ``yyyy``, ``MM``, ``dd``, ``HH``, ``mm``, ``ss``, or a single letter for numbers without
        leading zeros; other characters stand for themselves, letters in quotes. InvalidInputError: it is no pattern.
        """
        return Timestamp(self).formatted(pattern)

    @property
    def date(self) -> Timestamp:
        """The day of a time."""
        return Timestamp(self, shown=DATE)

    @property
    def year(self) -> Timestamp:
        return Timestamp(self, shown="year")

    @property
    def month(self) -> Timestamp:
        return Timestamp(self, shown="month")

    @property
    def day(self) -> Timestamp:
        """The day of the month."""
        return Timestamp(self, shown="day")

    @property
    def hour(self) -> Timestamp:
        return Timestamp(self, shown="hour")


@dataclass(frozen=True)
class Timestamp:
    """A date or time that partition columns of the view have together. Made by ``timestamp``, or from a column.

    Attributes:
        column: has the date, or all of it.
        parts: what has single parts of it, by their names in ``patterns.PARTS``; of expected values all must be there.
        shown: what the base table's column has of it: a part, the day, a pattern; None: all of it.
    """

    column: ViewColumn | None
    parts: tuple[tuple[str, ViewColumn | Expected], ...] = ()
    shown: str | tuple[str, ...] | Pattern | None = None

    def __repr__(self) -> str:
        if self.column and not self.parts and self.shown is not None:
            text = repr(self.column)
        else:
            text = call_text("timestamp", *filter(None, [self.column]), **dict(self.parts))
        if isinstance(self.shown, Pattern):
            return f"{text}.{call_text('formatted', self.shown.text)}"
        return text if self.shown is None else f"{text}.{'date' if self.shown == DATE else self.shown}"

    def formatted(self, pattern: str) -> Timestamp:
        """The base table writes it in this way; see ``ViewColumn.formatted``."""
        return replace(self, shown=Pattern(pattern))

    @property
    def source(self) -> tuple[object, ...]:
        """The columns that have it, whatever is shown of it."""
        return self.column, self.parts

    @property
    def expected(self) -> dict[str, Expected]:
        return {part: one for part, one in self.parts if isinstance(one, Expected)}


@dataclass(frozen=True)
class ValuesOf:
    """The values of a partition column of another table. Made by ``values_of``."""

    table: str
    column: str
    format: str | None
    only: tuple[tuple[str, Expected], ...] = ()

    def __repr__(self) -> str:
        only = [dict(self.only)] if self.only else []
        return call_text("values_of", self.table, self.column, *only, format=self.format)


ColumnCondition = ViewColumn | Timestamp | Expected | ValuesOf


def column(name: str) -> ViewColumn:
    """In a rule: the value that the view's own partition has in this column.

    Values are compared by type, so that a date equals its ISO text and ``'07'`` is 7 beside a column of numbers. For
    what is spelled or divided differently: ``column("ds").formatted("yyyyMMdd")``, ``column("ds").year`` (``month``,
    ``day``, ``hour``, ``date``), ``column("dt").parsed("yyyyMMdd").date``, and ``timestamp``.

    Raises:
        InvalidInputError: no name.
    """
    if not isinstance(name, str) or not name:
        raise InvalidInputError(f"Cannot use {shown(name)} as a column: column() takes the name of a partition column.")
    return ViewColumn(name.lower())


def timestamp(date: ViewColumn | None = None, /, **parts: object) -> Timestamp:
    """In a rule: a date or time that several partition columns of the view have together.

    ``timestamp(year=column("year"), month=column("month"), day=column("day"))`` is a day;
    ``timestamp(column("ds"), hour=column("hr")).formatted("yyyy-MM-dd-HH")`` an hour as Iceberg writes it, and of
    ``timestamp(column("ds"), hour=range(24)).formatted("yyyy-MM-dd-HH")`` every hour must be there.

    Args:
        date: the column that has the date.
        parts: ``year``, ``month``, ``day``, ``hour``, ``minute``, ``second``: a column, a number, or numbers.

    Raises:
        InvalidInputError: nothing is given, or an unknown part, or an invalid value.
    """
    given: dict[str, ViewColumn | Expected] = {}
    for part, value in parts.items():
        if part not in PARTS or (date and part in DATE):
            raise InvalidInputError(
                f"Cannot use {shown(part)} in timestamp(): it takes a column for the date, or year, month and day, "
                f"and hour, minute, second."
            )
        given[part] = value if isinstance(value, ViewColumn) else _numbers(part, value)
    if not isinstance(date, (ViewColumn, type(None))) or not (date or given):
        raise InvalidInputError(
            f"Cannot make a timestamp of {shown(date)}: give column('...') of the view, or parts such as "
            f"year=column('year')."
        )
    return Timestamp(date, tuple(sorted(given.items(), key=lambda one: PARTS.index(one[0]))))


def values_of(
    table: str,
    column: str,  # the column of that table
    only: Mapping[str, object] | None = None,
    /,
    *,
    format: str | None = None,  # noqa: A002 - the word of the base tables
) -> ValuesOf:
    """In a rule: every value that a partition column of another table has now must be there.

    ``requires("web.clicks", ds=column("ds"), region=values_of("web.regions", "region"))``.

    Args:
        table: ``namespace.name``, or a location.
        column: one of its partition columns.
        only: values of its partition columns: others do not count.
        format: the format that the table must have.

    Raises:
        InvalidInputError: no name, of the format either, or ``only`` has something else than values.
    """
    if not isinstance(column, str) or not column:
        raise InvalidInputError(
            f"Cannot use {shown(column)} as a column of {table}: give the name of a partition column."
        )
    plain = plain_values(table, f"values_of({shown(column)})", only)
    return ValuesOf(checked_table(table), column.lower(), checked_format(table, format), tuple(plain.items()))


def plain_values(table: str, what: str, values: Mapping[str, object] | None) -> dict[str, Expected]:
    """Values by column, in lower case. InvalidInputError: one is no value or list of values; ``what`` asks for them."""
    read = conditions_of(table, values, {})
    plain = {name: one for name, one in read.items() if isinstance(one, Expected)}
    if len(plain) < len(read):
        raise InvalidInputError(
            f"{what} of {table} takes values only; what is expected cannot depend on the partition.", table=table
        )
    return plain


def checked_table(table: object) -> str:
    """The one spelling of a table's name. InvalidInputError: it is no name of a table."""
    if not isinstance(table, str):
        raise InvalidInputError(
            f"Cannot use {shown(table)} as a table: give its name, as in 'web.clicks', or a location."
        )
    return table_name(table)


def checked_format(table: str, format_: object) -> str | None:
    """The name of a format, which is looked up when the table is read. InvalidInputError: it is no name."""
    if not isinstance(format_, (str, type(None))):
        raise InvalidInputError(
            f"Cannot use format={shown(format_)} for {table}: give the name of a format, as in format='delta'.",
            table=table,
        )
    return None if format_ is None else str.__str__(format_)


def conditions_of(
    table: str, columns: Mapping[str, object] | None, more_columns: Mapping[str, object]
) -> dict[str, ColumnCondition]:
    """The conditions on the partition columns of a table, by their names in lower case.

    Raises:
        InvalidInputError: a column is given twice, has no value, or an empty list of them.
    """
    if not isinstance(columns, (Mapping, type(None))):
        raise InvalidInputError(
            f"Cannot use {shown(columns)} as columns of {table}: give conditions by column, as in "
            f"{{'ds': column('ds')}}."
        )
    conditions: dict[str, ColumnCondition] = {}
    for name, value in [*(columns or {}).items(), *more_columns.items()]:
        if not isinstance(name, str) or name.lower() in conditions:
            raise InvalidInputError(f"Cannot require {shown(name)} of {table}: give each column once, by its name.")
        conditions[name.lower()] = (
            value if isinstance(value, (ViewColumn, Timestamp, ValuesOf)) else Expected(listed(table, name, value))
        )
    return conditions


def listed(table: str, name: str, value: object) -> tuple[object, ...]:
    """One value, or the values of a list, as Python's own values without subclasses.

    Raises:
        InvalidInputError: there is none, one that no partition column holds, or more than ``MAX_VALUES``.
    """
    plain = tuple(_plain(one) for one in _unpacked(value))
    if not plain or None in plain:
        raise InvalidInputError(
            f"Cannot require {name}={shown(value)} of {table}: give column('...'), one value, or a list of at least "
            f"one. NULL is not a value; leave the column out if any value will do.",
            table=table,
            columns=[name],
        )
    if isinstance(value, (set, frozenset)):
        # Texts in a set come in another order in each process.
        return tuple(sorted(plain, key=lambda one: (type(one).__name__, repr(one))))
    return plain


def _unpacked(value: object) -> tuple[object, ...]:
    if not isinstance(value, _LISTS):
        return (value,)
    # A range may be longer than len() can say.
    if value[MAX_VALUES:] if isinstance(value, range) else len(value) > MAX_VALUES:
        raise InvalidInputError(f"A list or range has {MAX_VALUES:,} values at most; this one has more.")
    return tuple(value)


def _plain(value: object) -> object | None:
    """The value without what a subclass adds to it; None if it cannot be written in a rule."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (bool, int)):
        return value if isinstance(value, bool) else int(value) if value.bit_length() < MAX_BITS else None
    if isinstance(value, (float, Decimal)):
        plain = float(value) if isinstance(value, float) else Decimal(value)
        # math takes no signalling NaN.
        is_finite = plain.is_finite() if isinstance(plain, Decimal) else True
        return plain if is_finite and math.isfinite(plain) else None
    if isinstance(value, datetime):
        return None if value.tzinfo else datetime.combine(date(value.year, value.month, value.day), value.time())
    return date(value.year, value.month, value.day) if isinstance(value, date) else None


def _numbers(part: str, value: object) -> Expected:
    values = _unpacked(value)
    if not values or not all(isinstance(one, int) and not isinstance(one, bool) and 0 <= one <= 9999 for one in values):
        raise InvalidInputError(
            f"Cannot use {part}={shown(value)} in timestamp(): give a column, or whole numbers of 4 digits at most."
        )
    return Expected(tuple(sorted({int(one) for one in values if isinstance(one, int)})))
