"""The rules that a view is published with, as they are recorded in its properties.

The text is JSON in ASCII: the rule as an expression, and the bounds. If it is longer than the 4,000 characters that a
metastore holds safely, or the rule has no text since it calls a function without a name, the reason is recorded.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from hive_views.errors import CorruptMetadataError, InvalidInputError, InvalidPartitionError
from hive_views.hive.limits import MAX_PARTITION_PARAMETER
from hive_views.hive.partition_values import normalise_partial_spec
from hive_views.hive.row import Column
from hive_views.messages.remedy import Remedy
from hive_views.persisted import PUBLISHED_WITH
from hive_views.publishing.scope import Scope
from hive_views.readiness.expectation import Expectation
from hive_views.readiness.language import read_rule, rule_text
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.rule_expressions import with_renamed_tables as rename_in_rule
from hive_views.readiness.rules import Rule
from hive_views.views.partitions.view_partitions import ViewPartitions

MAX_NAME = 200
"""Characters of the longest name of a publication."""

GIVE_RULES = Remedy(
    in_python="Pass the rules, or in SQL write them after WHEN.",
    in_shell="Give them with --require, or in SQL after WHEN.",
)
"""The way out where the rules that a view was published with are not recorded, or cannot be used."""

_PLAIN_NAME = re.compile(rf"[A-Za-z0-9._-]{{1,{MAX_NAME}}}")


@dataclass(frozen=True)
class RecordedRules:
    """The rules of one publication of a view.

    Attributes:
        publication: its name in a file; else the application; else ``hive_views``.
        published_by: what its partitions say in ``hive-views.published-by``.
        rule: the expression; "" where it could not be recorded.
        unrecorded: why it could not be; "" where it was.
        since: the bound, as texts by column; empty for none.
        until: the same for later partitions.
        candidates_given: whether each run is given its candidates, so that the rules do not say what comes next.
        expected: the partitions that have to be declared by a certain time; None: none.
    """

    publication: str
    published_by: str
    rule: str
    unrecorded: str = ""
    since: Mapping[str, str] = field(default_factory=dict)
    until: Mapping[str, str] = field(default_factory=dict)
    candidates_given: bool = False
    expected: Expectation | None = None

    @property
    def scope(self) -> Scope:
        """The partitions that the publication looks at; of candidates that were given nothing is recorded."""
        return Scope(None, self.since or None, self.until or None)

    def read_rule(self) -> Rule:
        """The rule. No function is imported for it: anybody who may alter the view could name one.

        Raises:
            InvalidInputError: it was not recorded, cannot be read, or calls a function.
        """
        if self.unrecorded:
            raise InvalidInputError(
                f"The rules of the publication {self.publication} are not recorded with the view: {self.unrecorded}.",
                remedy=GIVE_RULES,
            )
        try:
            return read_rule(self.rule, imports=False)
        except InvalidInputError as error:
            # Behind the first line are the rule and a caret, which a remedy cannot follow.
            reason, *_ = error.message.splitlines()
            raise InvalidInputError(
                f"The rules that are recorded for the publication {self.publication} cannot be used: {reason}",
                remedy=GIVE_RULES,
            ) from error

    def covers(self, candidates: Sequence[Candidate], keys: Sequence[Column]) -> bool:
        """Whether all of these are among the partitions that the publication looks at."""
        if self.candidates_given:
            return False
        try:
            return len(self.scope.within_bounds(candidates, keys)) == len(candidates)
        except InvalidPartitionError:  # the bounds were recorded for other columns
            return False

    def to_set(self, properties: Mapping[str, str]) -> dict[str, str]:
        """The properties of the view to set so that these rules are recorded.

        None if they are recorded already, or if a run with given candidates, which may repair some by other rules,
        would replace the record for all of them.
        """
        key = property_name(self.publication)
        before = _recorded(key, properties)
        if self.candidates_given and before and not before.candidates_given:
            return {}
        text = self.text()
        if len(text) > MAX_PARTITION_PARAMETER:
            reason = f"their text takes {len(text):,} characters, and a metastore holds {MAX_PARTITION_PARAMETER:,}"
            text = replace(self, rule="", unrecorded=reason).text()
        if len(text) > MAX_PARTITION_PARAMETER:
            text = replace(self, rule="", unrecorded=reason, since={}, until={}, expected=None).text()
        return {} if properties.get(key) == text else {key: text}

    def text(self) -> str:
        """What is recorded: JSON in ASCII, of any length."""
        written = {
            "publication": self.publication,
            "published-by": self.published_by,
            "rules": self.rule,
            "unrecorded": self.unrecorded,
            "since": dict(self.since),
            "until": dict(self.until),
            "candidates-given": self.candidates_given,
            "expected": self.expected and self.expected.document(),
        }
        return json.dumps({key: value for key, value in written.items() if value}, separators=(",", ":"))


def rules_to_record(
    rule_text: tuple[str, str],
    scope: Scope,
    *,
    name: str | None,
    published_by: str,
    partitions: ViewPartitions,
    considered: Sequence[Candidate],
    expected: Expectation | None = None,
) -> RecordedRules:
    """What to record of a run. That its rules have no text is recorded as well, and fails no run.

    Args:
        rule_text: of ``text_of_rule``.
        scope: which partitions the run looks at.
        name: the name to record it under; None: the run has neither an application nor a name. It would commit to the
            view for each new bound, so a record of its rules stays whose bounds include all of ``considered``.
        published_by: what its partitions say in ``hive-views.published-by``.
        partitions: those of the view.
        considered: the partitions that the run looks at.
        expected: those that have to be declared by a certain time.
    """
    publication, keys = name or published_by, partitions.keys
    text, unrecorded = rule_text
    if scope.candidates is not None:
        return RecordedRules(publication, published_by, text, unrecorded, candidates_given=True)
    since = normalise_partial_spec(scope.since or {}, keys)
    until = normalise_partial_spec(scope.until or {}, keys)
    before = None if name else _recorded(property_name(publication), partitions.view.metadata.properties)
    is_same = before is not None and (before.rule, before.unrecorded) == (text, unrecorded)
    if before and is_same and expected in (None, before.expected) and before.covers(considered, keys):
        return before
    return RecordedRules(publication, published_by, text, unrecorded, since, until, expected=expected)


def text_of_rule(rule: Rule) -> tuple[str, str]:
    """The expression of a rule, and why it has none: one of both is empty."""
    try:
        return rule_text(rule), ""
    except Exception:  # noqa: BLE001 - of a function of the user's, or a rule of a thousand terms, anything
        # The error says where in memory a function is, which differs from run to run.
        return "", "they have no string form that can be read back, such as those with a function without a name"


def hash_of_rule(text: str) -> str:
    """What distinguishes a rule, given its expression, from others; "" for one without."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16] if text else ""


def recorded_rules(properties: Mapping[str, str]) -> list[RecordedRules]:
    """The rules of all publications of a view, by name. CorruptMetadataError: a property is not what this library
    writes.
    """
    found = [_read(key, text) for key, text in properties.items() if key.startswith(PUBLISHED_WITH)]
    return sorted(found, key=lambda one: one.publication)


def with_renamed_tables(properties: Mapping[str, str], rename: Callable[[str], str]) -> dict[str, str]:
    """The properties of a view, with other names of tables in the rules that are recorded in them.

    Raises:
        CorruptMetadataError: a property is not what this library writes.
        InvalidInputError: a rule cannot be read.
    """
    renamed = dict(properties)
    for key, text in properties.items():
        if key.startswith(PUBLISHED_WITH):
            recorded = _read(key, text)
            rule = rename_in_rule(recorded.rule, rename) if recorded.rule else ""
            if rule != recorded.rule:
                renamed |= replace(recorded, rule=rule).to_set({})
    return renamed


def property_name(publication: str) -> str:
    """The property that the rules of a publication are recorded in."""
    if not _PLAIN_NAME.fullmatch(publication):
        publication = hashlib.sha256(publication.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return PUBLISHED_WITH + publication


def _recorded(key: str, properties: Mapping[str, str]) -> RecordedRules | None:
    with suppress(CorruptMetadataError):
        return _read(key, properties[key]) if key in properties else None
    return None


def _read(key: str, text: str) -> RecordedRules:
    try:
        read = json.loads(text)
        return RecordedRules(
            str(read["publication"]),
            str(read["published-by"]),
            str(read.get("rules", "")),
            str(read.get("unrecorded", "")),
            {str(name): str(value) for name, value in read.get("since", {}).items()},
            {str(name): str(value) for name, value in read.get("until", {}).items()},
            bool(read.get("candidates-given", False)),
            Expectation.of_document(read["expected"]) if "expected" in read else None,
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, InvalidInputError) as error:
        raise CorruptMetadataError(
            f"The view's property {key} is not a record of the rules of a publication: {text[:80]!r}."
        ) from error
