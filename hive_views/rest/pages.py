"""Lists in pages, as the specification has them."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence

from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.hive.row import Row
from hive_views.messages.logs import logger_of
from hive_views.rest.api import ApiRequest, ApiResponse
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.commit.rows_in_bulk import rows_of

log = logger_of(__name__)


def list_rows(request: ApiRequest, names: Sequence[str], is_wanted: Callable[[Row], bool]) -> ApiResponse:
    """The names of those rows of a namespace that are wanted; a row that the metastore cannot read is left out.

    Raises:
        NoSuchNamespaceError: there is no such namespace.
    """
    if not names:
        request.metastore.load_namespace(request.namespace)
    rows = rows_of(request.metastore, request.namespace, names, _left_out)
    part, token = page(sorted(row.identifier.name for row in rows if is_wanted(row)), request.query)
    identifiers = [{"namespace": [request.namespace], "name": name} for name in part]
    return ApiResponse({"identifiers": identifiers, "next-page-token": token})


def _left_out(_: TableIdentifier, error: HiveViewsError) -> None:
    log.warning("left out of a list: %s", error)


def page(names: Sequence[str], query: Mapping[str, str]) -> tuple[Sequence[str], str | None]:
    """The part of sorted names that ``pageToken`` and ``pageSize`` ask for, and the token of the next part.

    Without a size, all that is left is one part.

    Raises:
        InvalidInputError: the size is not a positive number, or the token is not from this server.
    """
    size, token = query.get("pageSize"), query.get("pageToken")
    # Python itself refuses to read thousands of digits.
    if size is not None and not (size.isascii() and size.isdigit() and len(size) <= 10 and 0 < int(size) < 2**31):
        raise InvalidInputError(f"Cannot use {size!r} as pageSize: give a positive number.")
    if token:
        try:
            last = urlsafe_b64decode(token.encode("ascii")).decode("utf-8")
        except ValueError:
            raise InvalidInputError(f"Cannot use {token!r} as pageToken: give the one of the last response.") from None
        names = [name for name in names if name > last]
    if size is None or int(size) >= len(names):
        return names, None
    part = names[: int(size)]
    return part, urlsafe_b64encode(part[-1].encode()).decode("ascii")
