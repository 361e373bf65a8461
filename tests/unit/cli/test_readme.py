"""What the README of the command lists is what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest

import hive_views.cli
from hive_views.cli import cli
from hive_views.cli.shell.exit_codes import MEANINGS, ExitCode
from hive_views.config import Settings, resolve
from tests.unit.cli.all_commands import all_commands

README = (Path(hive_views.cli.__file__).parent / "README.md").read_text(encoding="utf-8")
OPTIONS = {parameter.name: parameter.opts[0] for parameter in cli.params if isinstance(parameter, click.Option)}


def table(heading: str) -> list[list[str]]:
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip().strip("`") for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in lines]


def row_of(words: tuple[str, ...], command: click.Command) -> list[str]:
    """How a command is listed: its call, its summary, and its options but for those that each has."""
    arguments = command.collect_usage_pieces(click.Context(command))[1:] if words else []
    options = [one for one in command.params if isinstance(one, click.Option) and one.name not in ("output", "help")]
    spellings = ("/".join([*one.opts, *one.secondary_opts]) for one in options)
    call = " ".join([*(words or ("hive-views",)), *arguments]).replace("|", "\\|")
    return [call, str(command.help).splitlines()[0].strip(), "`, `".join(spellings)]


def test_every_command_is_in_the_table_with_its_arguments_and_options() -> None:
    listed = [((), cli), *((words, one) for words, one in all_commands() if not isinstance(one, click.Group))]
    assert table("Commands") == [row_of(words, command) for words, command in listed]


SETTINGS = {row[0].replace("-", "_"): row for row in table("Settings")}


def test_every_setting_is_in_the_table_once_and_no_other() -> None:
    assert list(SETTINGS) == list(Settings.model_fields)
    assert len(table("Settings")) == len(SETTINGS)


@pytest.mark.parametrize("name", list(Settings.model_fields))
def test_the_row_of_a_setting_has_its_key_variable_option_and_default(name: str, tmp_path: Path) -> None:
    key, variable, option, default, meaning = SETTINGS[name]
    assert key == name.replace("_", "-")
    assert option == OPTIONS.get(name, "")
    assert meaning
    field = Settings.model_fields[name]
    if not field.is_required():
        value = field.get_default(call_default_factory=True)
        if value is not None:
            assert default == json.dumps(value).strip('"')
    (tmp_path / "hive-site.xml").write_text("<configuration/>")
    values = {"uri": "memory:", "lock": "never", "auth": "kerberos", "tls": "true", "hive_conf_dir": str(tmp_path)}
    value = {**values, "storage_options": "{}", "http_headers": "{}", "udfs": "{}"}.get(name, "7")
    found = resolve(environment={"HIVE_VIEWS_URI": "memory:", "HIVE_CONF_DIR": "/no/such", variable: value})
    assert found.sources[name] == f"environment variable {variable}"


def test_the_configuration_file_that_is_shown_can_be_used(tmp_path: Path) -> None:
    file = tmp_path / "hive-views.toml"
    file.write_text(README.split("```toml\n", 1)[1].split("```", 1)[0])
    found = resolve("kerberos", config=file, environment={})
    assert found.settings.auth == "kerberos"
    assert resolve(config=file, environment={}).settings.uri.startswith("local:///")
    encrypted = resolve("encrypted", config=file, environment={"HIVE_VIEWS_PASSWORD": "x"}).settings
    assert encrypted.tls_ca_file == "/etc/ssl/lake-ca.pem"
    assert resolve("over-http", config=file, environment={}).settings.auth == "jwt"


def test_every_exit_code_is_in_the_table() -> None:
    names = {code: "" if code is ExitCode.DONE else code.name.lower() for code in ExitCode}
    assert table("Exit codes") == [[str(int(code)), names[code], meaning] for code, meaning in MEANINGS.items()]
