"""Python code that runs as another user of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

NOBODY = 65_534
# As containers run under: no entry in the list of users.
NAMELESS = 54_321

_BECOME = """
import os, sys
def become():
    os.setgroups([])
    os.setgid({uid})
    os.setuid({uid})
    os.chdir("/")
"""


# Of root's rights only that to read every file, so that Python and Java are found wherever they are installed.
_RIGHTS = ("--clear-groups", "--inh-caps=+dac_override", "--ambient-caps=+dac_override")


def run_installed_as(uid: int, code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run code, and what it starts, also where Python and Java are installed for root only."""
    _skip_unless_root()
    user = ["setpriv", f"--reuid={uid}", f"--regid={uid}", *_RIGHTS]
    path = {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [*user, sys.executable, "-c", code, *map(str, arguments)],
        cwd=Path(__file__).parents[3],
        env={**_unnamed(), **path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def run_as(uid: int, code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run code that imports what it needs and then calls ``become()``: another user may not read Python's own files.

    The user has neither a home nor a name in the environment.
    """
    _skip_unless_root()
    return subprocess.run(
        [sys.executable, "-c", _BECOME.format(uid=uid) + code, *map(str, arguments)],
        cwd=Path(__file__).parents[3],
        env=_unnamed(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _skip_unless_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")


def _unnamed() -> dict[str, str]:
    names = {"HOME", "LNAME", "LOGNAME", "USER", "USERNAME", "XDG_CONFIG_HOME"}
    # Another user cannot write into the checkout, where coverage puts what it has measured.
    return {key: text for key, text in os.environ.items() if key not in names and not key.startswith("COVERAGE_")}
