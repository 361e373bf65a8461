"""Settings of the session in which Spark wrote a text, of which some change what the text means."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hive_views.translation.translation_findings import Findings, Kind, Reason

_SETTINGS = Reason(
    "session-settings",
    Kind.DIFFERENT,
    "the view was created in a session of Spark with settings that may change what its text means",
)
_HARMLESS = re.compile(
    r"spark\.sql\.(?:ansi\.enabled|adaptive\..*|artifact\.isolation\.enabled|autoBroadcastJoinThreshold|catalog\..*"
    r"|catalogImplementation|defaultCatalog|execution\..*|extensions|files\..*|hive\..*|join\..*|shuffle\..*|sources\..*"
    r"|streaming\..*|ui\..*|warehouse\.dir)"
)
_ZONE = "spark.sql.session.timeZone"
_UTC = ("utc", "etc/utc", "gmt", "z", "+00:00", "zulu", "etc/gmt", "universal", "etc/universal")


def report_settings(settings: Mapping[str, str], findings: Findings) -> None:
    """Report the settings that are not known to leave the meaning of a text as it is.

    Rules hold with ANSI mode and without it. In Spark, the view keeps the time zone of its session; a translation has
    that of whoever reads it.
    """
    for name, value in sorted(settings.items()):
        if not _HARMLESS.fullmatch(name) and not (name == _ZONE and value.lower() in _UTC):
            findings.report(_SETTINGS, f"{name} = {value}", None)
