"""What verbs on many views ask of an object store grows with the views as it must, and no faster."""

from __future__ import annotations

from tests.benchmarks.requests import measure_requests
from tests.s3_server import S3Server


def test_no_verb_on_many_views_asks_for_more_than_it_needs(s3: S3Server) -> None:
    asked = list(measure_requests(s3, 10))
    assert [str(one) for one in asked if not one.is_held] == []
    # Else nothing was counted.
    assert all(one.found for one in asked)
