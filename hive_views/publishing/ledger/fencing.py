"""Which run of an application may act: its rising version, kept as a property of the view.

A job that was thought dead and wakes up has a lower version than the one that took over, and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hive_views.errors import CommitFailedError, CorruptMetadataError, InvalidInputError
from hive_views.messages.remedy import Remedy
from hive_views.persisted import FENCING
from hive_views.views.view import View

NO_APPLICATION = "hive_views"
_APP_ID = re.compile(r"[A-Za-z0-9._-]{1,200}")
_RECORD = re.compile(r"(\d+) (started|done)")


@dataclass(frozen=True)
class Run:
    """One run of an application; ``version`` rises from run to run.

    Raises:
        InvalidInputError: the name has characters other than ASCII letters, digits, ``.``, ``_`` and ``-``, or the
            version is no whole number from 0.
    """

    app_id: str
    version: int

    def __post_init__(self) -> None:
        if not isinstance(self.app_id, str) or not _APP_ID.fullmatch(self.app_id):
            raise InvalidInputError(
                f"Cannot use {self.app_id!r} as the name of an application: use 1 to 200 ASCII letters, digits, "
                f"'.', '_' and '-'."
            )
        if not isinstance(self.version, int) or isinstance(self.version, bool) or self.version < 0:
            raise InvalidInputError(
                f"Cannot use {self.version!r} as the version of a run: it must be a whole number, 0 or more, that "
                f"rises from run to run, such as a build number or a time."
            )

    @property
    def property_name(self) -> str:
        """The view's property that the application's newest run is recorded in."""
        return FENCING + self.app_id

    def begun(self, properties: Mapping[str, str]) -> dict[str, str]:
        """What to set when this run begins; nothing where it, or a later one, began before."""
        version, _ = self._recorded(properties)
        return {self.property_name: f"{self.version} started"} if version < self.version else {}

    def finished(self, properties: Mapping[str, str]) -> dict[str, str]:
        """What to set when this run is done; nothing where a later one began meanwhile."""
        version, _ = self._recorded(properties)
        return {self.property_name: f"{self.version} done"} if version <= self.version else {}

    def overtaken_by(self, view: View) -> int | None:
        """The version of a later run that has begun; None when this one is the latest."""
        version, _ = self._recorded(view.metadata.properties)
        return version if version > self.version else None

    def is_done(self, view: View) -> bool:
        """Whether this run was completed before. CommitFailedError: a later run has begun, so this one may no longer
        act.
        """
        later = self.overtaken_by(view)
        if later is not None:
            raise CommitFailedError(
                f"Run {self.version} of {self.app_id} may no longer publish {view.identifier}: run {later} has begun.",
                remedy=Remedy(
                    in_python=f"Give a run_version above {later} if this run is new.",
                    in_shell=f"Give a --run-version above {later} if this run is new.",
                ),
                identifier=str(view.identifier),
            )
        return self._recorded(view.metadata.properties) == (self.version, "done")

    def _recorded(self, properties: Mapping[str, str]) -> tuple[int, str]:
        return _recorded(self.property_name, properties)


def _recorded(key: str, properties: Mapping[str, str]) -> tuple[int, str]:
    text = properties.get(key)
    if text is None:
        return -1, "none"
    match = _RECORD.fullmatch(text)
    if not match:
        raise CorruptMetadataError(
            f"The view's property {key} is {text!r}, not '<version> started' or '<version> done'."
        )
    return int(match[1]), match[2]


def published_by(app_id: str | None) -> str:
    """What the parameter ``hive-views.published-by`` says of partitions that are added for this application."""
    return app_id or NO_APPLICATION


def unfinished_run(app_id: str, properties: Mapping[str, str]) -> int | None:
    """The version of an application's newest run if that has begun and not ended (it may still be running);
    CorruptMetadataError as ``Run``.
    """
    if FENCING + app_id not in properties:
        return None
    version, state = _recorded(FENCING + app_id, properties)
    return version if state == "started" else None


def run_of(app_id: str | None, run_version: int | None) -> Run | None:
    """The run that the arguments name; None for none. InvalidInputError: only one of them is given, or it breaks a rule
    of ``Run``.
    """
    if app_id is None and run_version is None:
        return None
    if app_id is None or run_version is None:
        raise InvalidInputError(
            "An application name and a run version must be given together.",
            remedy=Remedy(
                in_python="Give both app_id and run_version, or neither.",
                in_shell="Give both --app-id and --run-version, or neither.",
            ),
        )
    return Run(app_id, run_version)
