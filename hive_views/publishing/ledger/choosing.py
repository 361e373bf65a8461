"""Which recorded publication of a view is meant, where its rules are not given."""

from __future__ import annotations

from hive_views.errors import InvalidInputError
from hive_views.messages.remedy import Remedy
from hive_views.publishing.ledger.fencing import NO_APPLICATION
from hive_views.publishing.ledger.recorded_rules import GIVE_RULES, RecordedRules, recorded_rules
from hive_views.views.view import View


def recorded_publication(view: View, publication: str | None, app_id: str | None) -> RecordedRules:
    """The record of a view's publication.

    Args:
        view: the view.
        publication: its name; None: the only one.
        app_id: the application that it must be of; None: any.

    Raises:
        InvalidInputError: nothing is recorded, there is no such publication, or more than one.
        CorruptMetadataError: a property is not what this library writes.
    """
    name, recorded = str(view.identifier), recorded_rules(view.metadata.properties)
    if not recorded:
        raise InvalidInputError(
            f"No rules are recorded for {name}: it was never published.", remedy=GIVE_RULES, identifier=name
        )
    meant = [one for one in recorded if publication in (None, one.publication) and app_id in (None, one.published_by)]
    if len(meant) == 1:
        return meant[0]
    of_application = "" if app_id is None else f" of the application {app_id!r}"
    found = f"{name} has several publications{of_application}"
    if not meant:
        asked = "" if publication is None else f" {publication!r}"
        found = f"{name} has no publication{asked}{of_application}; it has"
    raise InvalidInputError(
        f"{found}: {', '.join(map(_shown, meant or recorded))}.",
        remedy=Remedy(
            in_python="Name one with publication=, or pass the rules.",
            in_shell="Name one with --publication, or give the rules with --require (in SQL, after WHEN).",
        ),
        identifier=name,
    )


def _shown(one: RecordedRules) -> str:
    is_other = one.published_by not in (NO_APPLICATION, one.publication)
    return f"{one.publication} (of the application {one.published_by})" if is_other else one.publication
