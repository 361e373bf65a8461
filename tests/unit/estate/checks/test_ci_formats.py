"""What a CI system reads of a check: what is new by fingerprints, SARIF and JUnit XML."""

from __future__ import annotations

import html
import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from hive_views.estate import Baseline, as_junit, as_sarif
from hive_views.estate.checks.codes import CODES
from hive_views.estate.checks.findings import CheckReport, Finding, NotKnown
from hive_views.messages.remedy import Remedy

HOSTILE = "a\x1b[31m <b>&\"' ]]> \ufffe \ud800 \u202e s3://ada:secret@lake/x"
GONE = Finding("source-gone", "sales.daily", HOSTILE, Remedy.alike("Create it."), {"dialect": "hive", "source": "a.b"})
OWNERLESS = Finding("no-owner", "sales.weekly", "The row has no owner.", Remedy.alike("Give it one."))
REPORT = CheckReport(
    ("sales.daily", "sales.good", "sales.weekly", "sales.delta"),
    (GONE, OWNERLESS),
    (NotKnown("sales.delta", "columns", HOSTILE),),
)


def test_a_fingerprint_is_of_what_is_wrong_and_not_of_its_words() -> None:
    other_words = replace(GONE, problem="Lost.", remedy=Remedy.alike("?"), details={**GONE.details, "found": "x"})
    assert other_words.fingerprint == GONE.fingerprint
    others = [
        replace(GONE, view="sales.other"),
        replace(GONE, code="column-gone"),
        replace(GONE, details={"dialect": "hive", "source": "a.c"}),
        replace(GONE, details={"dialect": "trino", "source": "a.b"}),
        replace(GONE, details={"dialect": "hive", "column": "a.b"}),
    ]
    assert len({one.fingerprint for one in (GONE, *others)}) == 6
    # Baselines are kept: another one for the same finding would report it as new everywhere.
    assert GONE.fingerprint == "5ab2e431c88ddfd338938f736d930f3f"


@pytest.mark.parametrize(
    ("about", "gone"),
    [
        ("columns", {"no-owner", "partition-values"}),
        ("types", {"no-owner", "partition-values"}),
        ("partitions", {"no-owner", "source-gone"}),
        ("file", set()),
    ],
)
def test_what_an_unanswered_question_may_hide_is_not_gone(about: str, gone: set[str]) -> None:
    findings = (GONE, replace(OWNERLESS, view=GONE.view), replace(OWNERLESS, code="partition-values", view=GONE.view))
    known = Baseline.of(CheckReport((GONE.view,), findings))
    now = known.compare(CheckReport((GONE.view,), (), (NotKnown(GONE.view, about, "It does not answer."),)))
    assert {one.code for one in now.gone} == gone
    assert set(now.baseline().findings) == set(known.findings) - set(now.gone)


def test_sarif_has_what_github_needs_and_each_rule_its_severity_and_help() -> None:
    [run] = as_sarif(REPORT)["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(CODES)
    for rule, code in zip(rules, CODES.values(), strict=True):
        assert rule["defaultConfiguration"]["level"] == code.severity
        assert code.repair in rule["help"]["text"]
        # GitHub cuts descriptions at 1,024 characters.
        assert len(rule["fullDescription"]["text"]) <= 1024
    for result, finding in zip(run["results"], REPORT.findings, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == finding.code
        assert result["level"] == finding.severity
        assert finding.remedy.in_shell in result["message"]["text"]
        # It refuses a result that is in no file.
        assert result["locations"][0]["physicalLocation"] == {
            "artifactLocation": {"uri": finding.view},
            "region": {"startLine": 1},
        }
        assert list(result["partialFingerprints"].values()) == [finding.fingerprint]
    [note] = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("sales.delta: columns not checked: a\\x1b[31m")


def test_junit_has_a_test_for_each_finding_and_for_each_view_without_one() -> None:
    root = ET.fromstring(as_junit(REPORT))
    [suite] = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "2", "1")
    cases = {(one.get("classname"), one.get("name")): [part.tag for part in one] for one in root.iter("testcase")}
    assert cases == {
        ("sales.daily", "source-gone"): ["failure"],
        ("sales.weekly", "no-owner"): ["failure"],
        ("sales.delta", "columns"): ["skipped"],
        ("sales.good", "check"): [],
    }
    [first, _] = root.iter("failure")
    assert first.get("type") == "error"
    assert (first.text or "").endswith("Create it.")


@pytest.mark.parametrize("text", [json.dumps(as_sarif(REPORT)), as_junit(REPORT)], ids=["sarif", "junit"])
def test_hostile_text_is_shown_as_what_it_is_and_passwords_are_not(text: str) -> None:
    assert "secret" not in text
    text.encode("ascii")
    shown = html.unescape(text) if text.startswith("<") else str(json.loads(text))
    assert not set("\x1b\u202e\ufffe\ud800").intersection(shown)
