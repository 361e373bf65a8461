"""The report of a check in the formats that CI systems read: SARIF 2.1.0 and JUnit XML.

Both name the remedies in the words of the shell. SARIF: https://docs.oasis-open.org/sarif/sarif/v2.1.0/. GitHub refuses
a result without a place in a file: the name of the view stands for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version as installed_version
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from hive_views.estate.checks.codes import CODES, Code
from hive_views.estate.checks.findings import CheckReport, Finding, NotKnown
from hive_views.messages.credentials import hide_credentials
from hive_views.messages.legible import legible

_TOOL = "hive-views"
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_FINGERPRINT = "hiveViewsFinding/v1"
# Besides control characters, which are escaped anyway, XML has no place for these.
_NOT_IN_XML = re.compile(r"[\ufffe\uffff]")


def as_sarif(report: CheckReport) -> dict[str, Any]:
    """The report as a SARIF log with one run: all codes as rules, a result for each finding, and what is not known.

    Returns:
        The JSON document; passwords in locations are hidden.
    """
    order = list(CODES)
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": _TOOL,
                        "version": installed_version("hive_views"),
                        "rules": [_rule(code) for code in CODES.values()],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "toolExecutionNotifications": [_notification(one) for one in report.not_known],
                    }
                ],
                "results": [_result(one, order.index(one.code)) for one in report.findings],
            }
        ],
    }


def as_junit(report: CheckReport) -> str:
    """The report as JUnit XML: a test for each finding, which failed; one for each view without any; and skipped ones.

    Returns:
        An XML document in ASCII; passwords in locations are hidden.
    """
    cases = list(_cases(report))
    counts = {"tests": str(len(cases)), "failures": str(len(report.findings)), "errors": "0"}
    root = Element("testsuites", {"name": _TOOL, **counts})
    suite = {"name": f"{_TOOL} check", **counts, "skipped": str(len(report.not_known))}
    SubElement(root, "testsuite", suite).extend(cases)
    indent(root)
    document: bytes = tostring(root, encoding="us-ascii", xml_declaration=True)
    return document.decode("ascii")


def _rule(code: Code) -> dict[str, Any]:
    return {
        "id": code.name,
        "shortDescription": {"text": code.means},
        "fullDescription": {"text": f"{code.means} {code.engines}"},
        "help": {"text": f"{code.engines} Repair: {code.repair}."},
        "defaultConfiguration": {"level": code.severity},
        "properties": {"problem.severity": code.severity},
    }


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": finding.severity,
        "message": {"text": _shown(f"{finding.view}: {finding.problem} {finding.remedy.in_shell}")},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": finding.view}, "region": {"startLine": 1}},
                "logicalLocations": [{"fullyQualifiedName": finding.view, "kind": "resource"}],
            }
        ],
        "partialFingerprints": {_FINGERPRINT: finding.fingerprint},
    }


def _notification(one: NotKnown) -> dict[str, Any]:
    return {
        "level": "note",
        "message": {"text": _shown(f"{one.view}: {one.about} not checked: {one.reason}")},
        "locations": [{"logicalLocations": [{"fullyQualifiedName": one.view, "kind": "resource"}]}],
    }


def _cases(report: CheckReport) -> Iterator[Element]:
    for finding in report.findings:
        case = Element("testcase", {"classname": finding.view, "name": finding.code})
        failure = SubElement(case, "failure", {"type": finding.severity, "message": _shown(finding.problem)})
        failure.text = _shown(f"{finding.problem} {finding.engines} {finding.remedy.in_shell}")
        yield case
    for one in report.not_known:
        case = Element("testcase", {"classname": one.view, "name": one.about})
        SubElement(case, "skipped", {"message": _shown(one.reason)})
        yield case
    told = {one.view for one in report.findings} | {one.view for one in report.not_known}
    for view in report.views:
        if view not in told:
            yield Element("testcase", {"classname": view, "name": "check"})


def _shown(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", legible(hide_credentials(text)))
