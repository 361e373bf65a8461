"""A command imports what it needs and nothing of what takes long: that is what its start costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

_READS_ONE_THING = ("hive_views.spark", "hive_views.ddl", "hive_views.readiness.rules", "hive_views.rest", "sqlglot")
_LOOKS_AT_NO_TABLE = ("hive_views.publishing", "hive_views.base_tables.opening", "pyspark", "pyarrow", "deltalake")
_SHOWS_NO_BAR = ("rich.progress", "rich.live")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["list"], 0),
        (["namespaces", "list"], 0),
        (["sql", "sales.gone"], 3),
        (["show", "sales.gone"], 3),
        (["history", "sales.gone"], 3),
        (["partitions", "list", "sales.gone"], 3),
        (["drop", "sales.gone"], 3),
        (["rename", "sales.gone", "sales.new"], 3),
    ],
)
def test_a_command_for_one_thing_imports_neither_spark_nor_statements_nor_rules(
    arguments: list[str], code: int
) -> None:
    heavy = (*_READS_ONE_THING, *_LOOKS_AT_NO_TABLE, *_SHOWS_NO_BAR)
    script = (
        "import sys\n"
        "from hive_views.cli import main\n"
        f"try: main(['--uri', 'memory:', *{arguments!r}])\n"
        "except SystemExit as end: code = end.code\n"
        f"print('LOADED', int(code), [name for name in {heavy!r} if name in sys.modules])\n"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines()[-1] == f"LOADED {code} []"
