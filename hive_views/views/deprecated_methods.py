"""Methods and arguments that ViewCatalog had while its internals were in it; for one more release, with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from hive_views.views.commit.changing import commit_own_properties
from hive_views.views.commit.creation import create_plain_view, import_view
from hive_views.views.conversions import bring_back, import_over
from hive_views.views.partitions.view_partitions import ViewPartitions
from hive_views.views.recovery.recoverable import LiveRows, find_by_name

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_METHODS: Mapping[str, tuple[Callable[..., Any], str]] = {
    "bring_back": (bring_back, "Use hive_views.estate.undrop."),
    "commit_own_properties": (commit_own_properties, "Use alter_view."),
    "create_plain_view": (create_plain_view, "Use hive_views.estate.copy_views or hive_views.estate.restore."),
    "find_recoverable": (find_by_name, "Use hive_views.estate.list_dropped."),
    "import_over": (import_over, "Use hive_views.estate.copy_views or hive_views.estate.restore."),
    "import_view": (import_view, "Use hive_views.estate.copy_views or hive_views.estate.restore."),
    "live_rows": (LiveRows, "Use hive_views.estate.list_dropped."),
    "locations_of_new": (lambda engine, names: engine.lookup.locations_of_new(names), "Use View.location."),
    "partitions_of": (ViewPartitions, "Use partitions."),
}


def former_method(catalog: Any, name: str) -> Any:
    """The method that a catalog had under a name.

    Raises:
        AttributeError: it had none.
    """
    if name not in _METHODS:
        raise AttributeError(f"{type(catalog).__name__!r} object has no attribute {name!r}", name=name, obj=catalog)
    function, instead = _METHODS[name]
    message = f"ViewCatalog.{name} is internal and will be removed in the next release. {instead}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
    return partial(function, catalog.engine)


def with_former_arguments(
    function: Callable[..., Any], *former: str
) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]:
    """Have a method take former arguments too, which are those of a function of the engine."""

    def decorated(method: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        @wraps(method)
        def call(*given: _Parameters.args, **named: _Parameters.kwargs) -> _Result:
            old = sorted(named.keys() & set(former))
            if not old:
                return method(*given, **named)
            message = f"{old[0]}= of ViewCatalog.{method.__name__} is internal and will be removed in the next release."
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            catalog: Any = given[0]
            result: _Result = function(catalog.engine, *given[1:], **named)
            return result

        return call

    return decorated
