"""What a resolver makes of the extras, alone and beside the newest packages of the clouds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
EXTRAS = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["optional-dependencies"]
FOR_USERS = sorted(name for name in EXTRAS if not name.startswith(("test", "dev")))
# pypaimon keeps fsspec below that of the newest storages.
BESIDE = [("s3", "boto3"), ("s3", "pypaimon"), ("gcs", "google-cloud-storage"), ("azure", "azure-storage-blob")]


def resolved(requirements: str, *options: str) -> dict[str, str]:
    """The versions that are chosen, without anything installed."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--no-header", "--no-annotate", "-q", *options, "-"]
    ended = subprocess.run(command, input=requirements, capture_output=True, text=True, timeout=120, check=False)
    if ended.returncode and re.search(r"dns error|connect|fetch|network|timed out", ended.stderr, re.IGNORECASE):
        pytest.skip("needs the network")
    assert ended.returncode == 0, ended.stderr
    return dict(line.split(";")[0].strip().split("==") for line in ended.stdout.splitlines() if "==" in line)


@pytest.mark.parametrize("extra", FOR_USERS)
def test_every_requirement_of_an_extra_has_a_lower_bound(extra: str) -> None:
    assert all(">=" in one or "hive_views[" in one for one in EXTRAS[extra]), EXTRAS[extra]


@pytest.mark.parametrize("extra", FOR_USERS)
def test_every_extra_goes_alone(extra: str) -> None:
    assert "fsspec" in resolved(ours(extra))


@pytest.mark.parametrize(("extra", "newest"), BESIDE)
def test_a_storage_is_of_this_decade_beside_the_newest_client_of_its_cloud(extra: str, newest: str) -> None:
    (requirement,) = EXTRAS[extra]
    storage, bound = requirement.split(">=")
    found = resolved(f"{newest}\n{ours(extra)}")
    assert newest in found
    assert [int(part) for part in found[storage].split(".")] >= [int(part) for part in bound.split(".")]


def test_all_extras_go_together() -> None:
    assert resolved(ours(*FOR_USERS))["s3fs"] >= "2024.12"


def ours(*extras: str) -> str:
    return f"hive_views[{','.join(extras)}] @ {PROJECT.parent.as_uri()}\n"
