"""What only one of the two can read: grammar, keywords as names, names of catalogs, brackets that one of them needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from hive_views.errors import SQLSyntaxError
from hive_views.sql.hive_grammar.queries import read_query
from hive_views.sql.hive_grammar.words import Edits, NotHiveError, is_plain_name
from hive_views.sql.query import QueryText
from hive_views.sql.quoting import quote_identifier
from hive_views.sql.text_edits import Edit, place_before
from hive_views.translation.translation_findings import Kind, Reason

if TYPE_CHECKING:
    from hive_views.translation.in_place.patching import Patcher

OTHER_DEFINITION = Reason(
    "with-definitions",
    Kind.UNSUPPORTED,
    "Hive takes this name for a definition of a WITH clause that is not in scope there for Spark; define it earlier, "
    "or use another name",
)
NOT_HIVE = Reason("not-in-hive-grammar", Kind.UNSUPPORTED, "not every release of Hive from 2.3 on can read this")
NOT_SPARK = Reason("not-in-spark-grammar", Kind.UNSUPPORTED, "Spark cannot read this")
PRECEDENCE = Reason(
    "precedence",
    Kind.UNSUPPORTED,
    "Hive and Spark bind operators here in another order; put the parts that belong together into brackets",
)
CATALOG = Reason("catalog", Kind.UNSUPPORTED, "the table is in a catalog that is not the metastore")


def refuse_names(patcher: Patcher) -> None:
    """Edit names that the other engine reads otherwise; refuse those that it resolves otherwise."""
    outline = patcher.query.text.outline
    for name in outline.other_in_hive:
        patcher.report_at(OTHER_DEFINITION, name.text, name.start)
    for parts in outline.tables:
        if len(parts) == 3 and patcher.source == "spark" and parts[0].text.lower() == "spark_catalog":
            patcher.edit(Edit(parts[0].start, parts[1].start, ""))
        elif len(parts) > 2:
            patcher.report_at(CATALOG, ".".join(part.text for part in parts), parts[0].start)
    for name in outline.names:
        if name.end <= len(outline.text) and not is_plain_name(name.text) and name.text.lower() != "spark_catalog":
            patcher.edit(Edit(name.start, name.end, quote_identifier(name.text)))


def edits_for_target(patcher: Patcher) -> str:
    """The edited text, as the other engine reads it.

    Raises:
        RefusedError: it cannot, or reads it otherwise; this is reported.
    """
    text = patcher.text
    read = _read(patcher, text)
    if patcher.source == "hive":
        result = read.applied_to(text)
        # Of the tree, the brackets may not change anything: the rules have been applied to it.
        if read.before and not _is_same_tree(text, result):
            raise patcher.refused_at(PRECEDENCE, str(patcher.query.text), 0)
        return result
    moved = [at for at, inserted in read.before.items() if not inserted.startswith("(NOT ")]
    if moved:
        place = place_before(patcher.all_edits, min(moved))
        raise patcher.refused_at(PRECEDENCE, str(patcher.query.text)[place : place + 60], place)
    return read.applied_to(text)


def _read(patcher: Patcher, text: str) -> Edits:
    """What Hive makes of the edited text."""
    try:
        read = read_query(text)
    except (NotHiveError, SQLSyntaxError) as error:
        place = place_before(patcher.all_edits, error.offset or 0)
        shown = str(patcher.query.text)[place : place + 60]
        raise patcher.refused_at(NOT_HIVE.because(error.problem.rstrip(".")), shown, place) from error
    except RecursionError as error:
        raise patcher.refused_at(NOT_HIVE.because("it is nested too deeply"), text, 0) from error
    for engine, offset, problem in sorted(read.unread, key=lambda one: one.offset):
        place = place_before(patcher.all_edits, offset)
        reason = NOT_SPARK if engine == "spark" else NOT_HIVE
        shown = str(patcher.query.text)[place : place + 60]
        raise patcher.refused_at(reason.because(problem.rstrip(".")), shown, place)
    return read


def _is_same_tree(text: str, other: str) -> bool:
    trees = [QueryText(one, "hive").statement.tree.copy() for one in (text, other)]
    for tree in trees:
        for bracket in list(tree.find_all(exp.Paren)):
            bracket.replace(bracket.this)
    return bool(trees[0] == trees[1])
