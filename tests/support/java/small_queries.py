"""How a Spark of the tests answers queries of a few rows: compiling a stage takes longer than running it."""

from __future__ import annotations

STAGE_BY_STAGE = {"spark.sql.codegen.wholeStage": "false"}
"""Settings of a session. What Spark makes of a text, and its plans until it runs them, are the same.

Expressions are compiled as ever: interpreted, they lose values of catalogs and connectors (Table, TIMESTAMP_NTZ). The
demonstration, the READMEs' examples and the engines of ``tests/interop/engines`` run with Spark's own settings.
"""
