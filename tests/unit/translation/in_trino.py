"""One expression over the columns of ``bench.t``, translated to Trino."""

from __future__ import annotations

from tests.support.translation.verdicts import translated

_BEFORE = 'SELECT\n  "t"."id" AS "id",\n  '


def in_trino(expression: str, source: str = "hive") -> tuple[str, list[str]]:
    """Its text, without the query around it, and the codes of what was found."""
    found = translated(f"SELECT id AS id, {expression} AS x FROM bench.t", source, "trino")
    text = (found.text or "").removeprefix(_BEFORE).removesuffix(' AS "x"\nFROM "bench"."t"')
    return text, [one.reason.code for one in found.findings]
