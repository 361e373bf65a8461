"""How a Spark of the tests answers queries of a few rows: compiling code for each takes longer than running it."""

from __future__ import annotations

INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""Settings of a session. What Spark makes of a text, and its plans until it runs them, are the same.

The demonstration, the READMEs' examples and the engines of ``tests/interop/engines`` run with Spark's own settings.
"""
