"""Contents of a report on many views, of which everything is as long as it is to be."""

from __future__ import annotations

from hive_views.estate.html_report.breakage import Breakage
from hive_views.estate.html_report.contents import Contents
from hive_views.estate.html_report.graph_layout import drawings_of
from hive_views.estate.html_report.shown_views import MANAGED, Change, ShownView, Some, Text
from hive_views.hive.row import Column

LONG = "SELECT `a` FROM web.clicks WHERE 'é' <> a -- \"<&>\"\n"


def long_view(name: str, times: int = 1) -> ShownView:
    """A view of which everything is the longer the more often its parts are repeated."""
    line = Some((f"+ {LONG}",) * times)
    return ShownView(
        name=name,
        namespace=name.partition(".")[0],
        kind=MANAGED,
        comment="Clicks of all regions",
        owner="ada",
        since="2026-08-21 04:00:00 UTC",
        columns=Some(tuple(Column(f"column_{number}", "decimal(12,2)", "as <counted>") for number in range(times))),
        partitioned_on=(),
        texts=(Text("SQL: hive", LONG * times, 0), Text("SQL: trino", LONG * times, 0)),
        properties=Some(tuple((f"key.{number}", LONG) for number in range(times))),
        location=f"s3://lake/{name}/metadata/00001-27359252-b42b-481e-95fa-7e87aa25d549.gz.metadata.json",
        dialects=("hive", "trino"),
        version_id=1,
        history=Some((Change(1, "2026-08-21 04:00:00 UTC", "hive_views", ("hive",), (("SQL: hive", line),)),) * 3),
        reads=("web.clicks", f"{name.partition('.')[0]}.v0"),
    )


def contents_of(*views: ShownView) -> Contents:
    by_name = {one.name: one for one in views}
    drawings = tuple(drawings_of({one.name: one.reads for one in views}))
    return Contents(("*.*",), 0, by_name, (), (), drawings, Breakage(frozenset(), {}))
