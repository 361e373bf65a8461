"""A plain Spark in a process of its own, which makes the files of the tables: ``spark_worker.py directory zone``.

Three sessions answer: ``spark``, ``spark-ansi``, and ``spark-zone`` in another time zone. Requests and answers are
pickled, on standard input and output.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tests.support.java.small_queries import STAGE_BY_STAGE
from tests.support.translation.answers import Answer, NotRead, Refused, float_32, plain_decimal
from tests.support.translation.rows import DATABASE, OTHER_ZONE, TABLES, create_in_spark, rows_of

_DAY_0 = date(1970, 1, 1)
_MOMENT_0 = datetime(1970, 1, 1, tzinfo=timezone.utc)
_ZONE = "spark.sql.session.timeZone"
_SETTINGS = {
    **STAGE_BY_STAGE,
    "spark.sql.catalogImplementation": "in-memory",
    "spark.driver.memory": "1g",
    # It keeps no history for a page that nobody sees.
    "spark.ui.retainedJobs": "1",
    "spark.ui.retainedStages": "1",
    "spark.ui.retainedTasks": "1",
    "spark.sql.ui.retainedExecutions": "1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.orc.compression.codec": "none",
}


def main(directory: str, zone: str) -> None:
    os.environ["TZ"] = zone
    time.tzset()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    from py4j.protocol import Py4JNetworkError

    from hive_views.spark.sessions.local_session import local_session

    warehouse = Path(directory, "spark")
    settings = {**_SETTINGS, _ZONE: zone}
    with local_session("thrift://127.0.0.1:1", warehouse, app_name="bench", settings=settings) as spark:
        ansi = spark.newSession()
        ansi.conf.set("spark.sql.ansi.enabled", "true")
        zoned = spark.newSession()
        zoned.conf.set(_ZONE, OTHER_ZONE)
        sessions = {"spark": spark, "spark-ansi": ansi, "spark-zone": zoned}
        written = Path(directory, "t").is_dir()
        for statement in create_in_spark(directory):
            spark.sql(statement)
        for table, columns in () if written else TABLES.items():
            schema = ", ".join(f"{name} {_plain_name(type_)}" for name, type_ in columns)
            made = spark.createDataFrame(rows_of(table), schema).coalesce(1)
            made.write.insertInto(f"{DATABASE}.{table}")
        _read_times_as_numbers()
        pickle.dump("ready", answers)
        answers.flush()
        while True:
            try:
                engine, sql = pickle.load(sys.stdin.buffer)
            except EOFError:
                break
            try:
                answer: Answer | Refused = _ask(sessions[engine], sql)
            except Refused as refused:
                answer = refused
            except Py4JNetworkError:
                break
            except Exception as error:  # noqa: BLE001 - PySpark has not one class for what it does not read
                answer = NotRead(repr(error))
            pickle.dump(((engine, sql), answer), answers)
            answers.flush()


def _plain_name(type_: str) -> str:
    return "string" if type_.startswith(("char", "varchar")) else type_


def _read_times_as_numbers() -> None:
    """Leave dates and timestamps as Spark has them, which Python's own do not all hold."""
    from pyspark.sql.types import DateType, DayTimeIntervalType, TimestampNTZType, TimestampType, YearMonthIntervalType

    for type_ in (DateType, TimestampType, TimestampNTZType, DayTimeIntervalType, YearMonthIntervalType):
        type_.fromInternal = lambda _, value: value


def _ask(session: Any, sql: str) -> Answer:
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    session._jvm.org.apache.spark.sql.SparkSession.setActiveSession(session._jsparkSession)
    analyzed = False
    try:
        frame = session.sql(sql)
        schema = frame.schema
        analyzed = True
        rows = frame.collect()
    except (PySparkException, Py4JJavaError) as error:
        raise Refused(str(error).split("\nJVM stacktrace", 1)[0].strip(), at_run=analyzed) from error
    zone = ZoneInfo(session.conf.get(_ZONE))
    forms = [_form(field.dataType, zone) for field in schema]
    columns = tuple((field.name, field.dataType.simpleString()) for field in schema)
    return Answer(columns, tuple(tuple(map(_call, forms, row)) for row in rows))


def _call(form: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else form(value)


def _form(type_: Any, zone: ZoneInfo) -> Callable[[Any], Any]:
    """How a value of a type gets its one form; a timestamp is a moment, shown in a time zone."""
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(type_, ArrayType):
        part = _form(type_.elementType, zone)
        return lambda value: [_call(part, one) for one in value]
    if isinstance(type_, MapType):
        key, part = _form(type_.keyType, zone), _form(type_.valueType, zone)
        return lambda value: {_call(key, one): _call(part, other) for one, other in value.items()}
    if isinstance(type_, StructType):
        parts = [_form(field.dataType, zone) for field in type_]
        return lambda value: tuple(map(_call, parts, value))
    name = type_.typeName()
    if name == "timestamp":
        return lambda value: _timestamp(value, zone)
    return _FORMS.get(name, lambda value: value if isinstance(value, (bool, int, str)) else str(value))


def _day(days: int) -> str:
    try:
        return (_DAY_0 + timedelta(days=days)).isoformat()
    except OverflowError:
        return f"day {days}"


def _timestamp(micros: int, zone: tzinfo) -> str:
    try:
        time_ = (_MOMENT_0 + timedelta(microseconds=micros)).astimezone(zone)
    except OverflowError:
        return f"microsecond {micros}"
    return f"{time_.replace(tzinfo=None).isoformat(' ', 'microseconds')}000"


def _days_and_seconds(micros: int) -> str:
    days, rest = divmod(abs(micros), 86_400_000_000)
    seconds, fraction = divmod(rest, 1_000_000)
    time_of_day = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{'-' if micros < 0 else ''}{days} {time_of_day}.{fraction:06}000"


def _years_and_months(months: int) -> str:
    return f"{'-' if months < 0 else ''}{abs(months) // 12}-{abs(months) % 12}"


_FORMS: dict[str, Callable[[Any], Any]] = {
    "float": float_32,
    "double": float,
    "decimal": plain_decimal,
    "binary": lambda value: bytes(value).hex(),
    "date": _day,
    "daytimeinterval": _days_and_seconds,
    "yearmonthinterval": _years_and_months,
    "timestamp_ntz": lambda value: _timestamp(value, timezone.utc),
}


if __name__ == "__main__":
    main(*sys.argv[1:])
