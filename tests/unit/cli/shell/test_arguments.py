"""How values are written on the command line."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from hive_views.cli import cli
from hive_views.cli.shell.arguments import _column, read_schema, read_spec
from hive_views.errors import InvalidSchemaError
from hive_views.spec.schema import Schema


class TestColumns:
    @pytest.mark.parametrize(
        ("text", "read"),
        [
            ("clicks bigint", ("clicks", "bigint")),
            ("  clicks   bigint ", ("clicks", "bigint")),
            ("clicks bigint 'how often'", ("clicks", "bigint", "how often")),
            ("clicks bigint COMMENT 'it''s'", ("clicks", "bigint", "it's")),
            ("price decimal(10, 2)", ("price", "decimal(10, 2)")),
            (
                "tags array<struct<k: string, v: int>> 'k and v'",
                ("tags", "array<struct<k: string, v: int>>", "k and v"),
            ),
            ("at timestamp with local time zone", ("at", "timestamp with local time zone")),
            ("`größe` int", ("größe", "int")),
        ],
    )
    def test_a_column_is_a_name_a_type_and_perhaps_a_comment_in_quotes(self, text: str, read: tuple[str, ...]) -> None:
        assert _column(text) == read

    @pytest.mark.parametrize("text", ["", "clicks", "   "])
    def test_a_name_without_a_type_is_no_column(self, text: str) -> None:
        with pytest.raises(click.BadParameter, match="is not a name and a type"):
            _column(text)


class TestSchemaFiles:
    def test_an_iceberg_schema_is_read(self, tmp_path: Path) -> None:
        file = tmp_path / "schema.json"
        file.write_text('{"type": "struct", "fields": [{"id": 1, "name": "a", "required": false, "type": "long"}]}')
        assert isinstance(read_schema(file), Schema)

    @pytest.mark.parametrize("wrap", ["%s", '{"columns": %s}'])
    def test_what_show_lists_as_columns_is_read(self, tmp_path: Path, wrap: str) -> None:
        file = tmp_path / "schema.json"
        columns = '[{"name": "a", "type": "int", "comment": "c", "partition": false}, {"name": "b", "type": "date"}]'
        file.write_text(wrap % columns)
        assert read_schema(file) == [("a", "int", "c"), ("b", "date", None)]

    @pytest.mark.parametrize("text", ["", "3", "[3]", '["a int"]', '[{"name": "a"}]', "{}", '{"fields": [{"id": 1}]}'])
    def test_anything_else_is_refused_with_the_name_of_the_file(self, tmp_path: Path, text: str) -> None:
        file = tmp_path / "schema.json"
        file.write_text(text)
        with pytest.raises(InvalidSchemaError, match=str(file)):
            read_schema(file)


class TestPartitions:
    @pytest.mark.parametrize(
        ("text", "values"),
        [
            ("ds=2026-08-21", {"ds": "2026-08-21"}),
            ("ds=2026-08-21,hr=7", {"ds": "2026-08-21", "hr": "7"}),
            ("ds=2026-08-21/hr=7", {"ds": "2026-08-21", "hr": "7"}),
            ("ds=2026-08-21, hr=7", {"ds": "2026-08-21", "hr": "7"}),
            ("city=a%2Cb", {"city": "a,b"}),
            ("path=a%2Fb", {"path": "a/b"}),
            ("share=50%25", {"share": "50%"}),
            ("eq=a=b", {"eq": "a=b"}),
            ("note=", {"note": ""}),
        ],
    )
    def test_values_are_written_with_commas_or_as_hive_names_a_partition(
        self, text: str, values: dict[str, str]
    ) -> None:
        assert read_spec(text) == values

    @pytest.mark.parametrize("text", ["", "ds", "ds=1,7", "=1"])
    def test_a_part_without_a_column_is_refused(self, text: str) -> None:
        with pytest.raises(click.BadParameter, match="is not COLUMN=VALUE"):
            read_spec(text)


class TestUsage:
    """Mistakes in the call itself, found before anything is connected: the metastore named here does not exist."""

    @pytest.fixture
    def sql(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
        monkeypatch.chdir(tmp_path)
        for variable in [name for name in os.environ if name.startswith("HIVE_VIEWS_")]:
            monkeypatch.delenv(variable)
        (tmp_path / "v.sql").write_text("SELECT 1 AS a")
        return str(tmp_path / "v.sql")

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            (["create", "d.v"], "Missing option '--sql'"),
            (["create", "d.v", "--sql", "hive"], "is not DIALECT=FILE"),
            (["create", "d.v", "--sql", "hive=missing.sql"], "cannot read missing.sql"),
            (["create", "d.v", "--sql", "trnio={sql}"], "Did you mean 'trino'?"),
            (["alter", "d.v", "--sql", "acme={sql}"], "write other:acme"),
            (["create", "d.v", "--sql", "hive={sql}", "--sql", "HIVE={sql}"], "dialect 'hive' is given twice"),
            (["create", "d.v", "--sql", "hive={sql}", "--column", "a"], "is not a name and a type"),
            (["create", "d.v", "--sql", "hive={sql}", "--column", "a int", "--schema", "{sql}"], "at most one of"),
            (["create", "d.v", "--sql", "hive={sql}", "--column", "a int", "--property", "x"], "is not KEY=VALUE"),
            (["alter", "d.v"], "Specify at least one of --sql"),
            (["partitions", "add", "d.v"], "Missing argument"),
            (["partitions", "add", "d.v", "ds"], "is not COLUMN=VALUE"),
            (["publish"], "Specify a view, or --file"),
            (["publish", "d.v", "--file", "{sql}"], "--file can only be combined with --only"),
            (["publish", "--file", "{sql}", "--publication", "late"], "--file can only be combined with --only"),
            (["publish", "--file", "missing.toml"], "'missing.toml' does not exist"),
            (
                ["publish", "d.v", "--require", "requires('web.t')", "--only", "d.v"],
                "--only requires --file",
            ),
            (["publish", "d.v", "--require", "requires('web.t')\n& requirs('web.u')"], "\n& requirs('web.u')\n  ^\n"),
            (["publish", "d.v", "--require", "web.t ds=1"], "A rule is a Python expression, as in requires("),
            (["metastore", "status"], "Specify PATH"),
            (["--lock", "maybe", "list"], "Invalid value for '--lock'"),
            (["list", "--output", "xml"], "Invalid value for '--output'"),
        ],
    )
    def test_a_mistake_in_the_call_ends_with_2_and_says_what_to_write(
        self, sql: str, arguments: list[str], expected: str
    ) -> None:
        given = ["--uri", "thrift://127.0.0.1:1", *(argument.replace("{sql}", sql) for argument in arguments)]
        result = CliRunner().invoke(cli, given)
        assert result.exit_code == 2, result.output
        assert expected in result.stderr
        assert result.stdout == ""
