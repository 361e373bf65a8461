"""The calls of the demonstration, as a reader would type them: the body of each function is shown, and then run."""

# ruff: noqa: RET504 - a reader would give the result a name, as is done here
# ruff: noqa: PLC0415 - an optional package, whose import a reader is to see

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from hive_views.publishing.publish import publish
from hive_views.publishing.report import PublishReport
from hive_views.readiness.rules import column, requires
from hive_views.spark.analyser.query_schema import schema_of
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View


def body_of(function: Callable[..., object]) -> str:
    """The source of a function from its first statement on, without the ``return`` at its end."""
    source = textwrap.dedent(inspect.getsource(function))
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.FunctionDef)
    statements = [each for each in definition.body if not isinstance(each, ast.Return)]
    lines = source.splitlines()[statements[0].lineno - 1 : statements[-1].end_lineno]
    return textwrap.dedent("\n".join(lines))


def connect(uri: str) -> ViewCatalog:
    catalog = ViewCatalog.connect(uri)
    return catalog


def create(catalog: ViewCatalog, spark: Any, select: str) -> View:
    view = catalog.create_view(
        "nyc.departures",
        sql={"hive": select, "trino": select},
        schema=schema_of(spark, select),
        partitioned_on=["ds"],
        comment="Departures and weather by day and airport",
    )
    return view


def publish_complete_days(catalog: ViewCatalog) -> PublishReport:
    report = publish(
        catalog,
        "nyc.departures",
        requires("nyc.flights", ds=column("ds")),
        requires("nyc.weather", ds=column("ds"), hr=range(24)),
    )
    return report


def publish_from_delta(catalog: ViewCatalog, weather: str) -> PublishReport:
    partitions = catalog.partitions("nyc.departures")
    partitions.drop([{"ds": name.removeprefix("ds=")} for name in partitions.names()])
    report = publish(
        catalog,
        "nyc.departures",
        requires("nyc.flights", ds=column("ds")),
        requires(weather, format="delta", ds=column("ds"), hr=range(24)),
    )
    return report


def partition_names(catalog: ViewCatalog) -> list[str]:
    names = catalog.partitions("nyc.departures").names()
    return names


def replace(catalog: ViewCatalog, better: str) -> View:
    view = catalog.replace_view(
        "nyc.departures",
        sql={"hive": better, "trino": better},
    )
    return view


def roll_back(catalog: ViewCatalog) -> View:
    view = catalog.roll_back_view("nyc.departures", to_version=1)
    return view


def release_again(catalog: ViewCatalog) -> View:
    view = catalog.roll_back_view("nyc.departures", to_version=2)
    return view


def name_a_team(catalog: ViewCatalog) -> View:
    view = catalog.alter_view(
        "nyc.departures",
        set_properties={"team": "network operations"},
    )
    return view


def load_over_rest(uri: str) -> Any:
    from pyiceberg.catalog import load_catalog

    views = load_catalog("hive", type="rest", uri=uri)
    loaded = views.load_view("nyc.departures")
    return loaded
