"""What a program imports explains itself: a summary, what each argument is, and what is raised."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import hive_views
import hive_views.estate
import hive_views.spark

# Of fewer, the summary and the names say what they are.
FEW = 2


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions and methods that programs call, by their names."""
    for module in (hive_views, hive_views.estate, hive_views.spark):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                yield f"{module.__name__}.{name}", thing
            elif inspect.isclass(thing) and not inspect.isabstract(thing):
                for method, member in vars(thing).items():
                    function = getattr(member, "__func__", member)
                    if inspect.isfunction(function) and not method.startswith("_"):
                        yield f"{module.__name__}.{name}.{method}", function


PUBLIC = dict(public())
FIELDS = ("clock_ms", "new_uuid")


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_function_says_what_it_does_and_what_its_arguments_are(name: str) -> None:
    text = inspect.getdoc(PUBLIC[name]) or ""
    assert text or name.rsplit(".", 1)[1] in FIELDS
    parameters = [one for one in inspect.signature(PUBLIC[name]).parameters.values() if one.name not in ("self", "cls")]
    section = re.search(r"^Args:\n((?:    .*\n?|\n)+)", text, re.MULTILINE)
    explained = re.findall(r"^    \*{0,2}(\w+):", section[1], re.MULTILINE) if section else []
    if len(parameters) > FEW:
        assert explained == [one.name for one in parameters]
    else:
        assert set(explained) <= {one.name for one in parameters}
