"""Where views are served, by an address with the names of namespace and view in it."""

from __future__ import annotations

from collections.abc import Callable
from string import Formatter
from urllib.parse import urlsplit

from hive_views.errors import InvalidInputError
from hive_views.spec.identifiers import TableIdentifier

_NAMES = ("namespace", "view")


def urls_of(view_url: str | None) -> Callable[[TableIdentifier], str | None]:
    """What says where a view is served.

    Args:
        view_url: an address with ``{namespace}`` and ``{view}`` in it; None if that is not known.

    Raises:
        InvalidInputError: it is not an address of http or https, or has other names in braces.
    """
    if view_url is None:
        return lambda _: None
    try:
        fields = [name for _, name, spec, conversion in Formatter().parse(view_url) if name is not None]
        plain = all(not spec and not conversion for _, _, spec, conversion in Formatter().parse(view_url))
        url = urlsplit(view_url)
    except ValueError:
        fields, plain, url = [], False, urlsplit("")
    if not plain or "view" not in fields or not {*fields} <= {*_NAMES} or url.scheme not in ("http", "https"):
        raise InvalidInputError(
            f"Not an address of views: {view_url!r}. It begins with https:// or http:// and has {{view}}, and mostly "
            "{namespace}, where their names go, as in 'https://catalog.example.org/{namespace}/{view}'."
        )
    # Names have ASCII letters, digits and "_" only.
    return lambda one: view_url.format(namespace=one.namespace, view=one.name)
