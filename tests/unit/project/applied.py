"""A plan that must be applied as a whole."""

from __future__ import annotations

from hive_views.project import Plan, apply
from hive_views.views.catalog import ViewCatalog


def applied(catalog: ViewCatalog, plan: Plan) -> None:
    assert not plan.errors, plan.errors
    assert not plan.refusals, plan.refusals
    report = apply(catalog, plan)
    assert len(report.done) == len(plan.steps), report
