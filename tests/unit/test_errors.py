"""The tree of errors, which callers program against: its shape, fields and way through pickle; and public names."""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import pickle
import pkgutil
import pydoc
import re
from dataclasses import fields, replace
from pathlib import Path
from types import ModuleType

import pytest

import hive_views
from hive_views import errors, estate
from hive_views.errors import Answer, CommitFailedError, HiveViewsError, MetastoreUnavailableError

PUBLIC = [pytest.param(module, id=module.__name__) for module in (hive_views, estate)]

TREE = """
HiveViewsError
  AlreadyExistsError
    PartitionAlreadyExistsError
    ReleasedViewError
    TableAlreadyExistsError
    ViewAlreadyExistsError
  CommitFailedError
    LockTimeoutError
    OutdatedPlanError
    ViewDriftedError
  CommitStateUnknownError
  CorruptArchiveError
  CorruptMetadataError
  InvalidInputError ValueError
    DialectDroppedError
    InvalidIdentifierError
    InvalidPartitionError
    InvalidSchemaError
      PartitionColumnsError
      UncertainColumnsError
    RefusedPlanError
    RuleSyntaxError
    SQLSyntaxError
    TranslationRefusedError
  NamespaceNotEmptyError
  NotAdoptableError
    BrokenViewError
  NotFoundError LookupError
    NoSuchNamespaceError
    NoSuchPartitionError
    NoSuchTableError
    NoSuchVersionError
    NoSuchViewError
      NoSuchIcebergViewError
      ReplacedViewError
  UnavailableError
    AuthenticationError
    MetastoreUnavailableError
      PermissionDeniedError
    StorageUnavailableError
  UnsupportedFeatureError
"""

CLASSES = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, HiveViewsError)]


def drawn(kind: type[BaseException], depth: int = 0) -> list[str]:
    builtin = [base.__name__ for base in kind.__bases__ if base.__module__ == "builtins" and base is not Exception]
    lines = ["  " * depth + " ".join([kind.__name__, *builtin])]
    for child in sorted(kind.__subclasses__(), key=lambda child: child.__name__):
        lines += drawn(child, depth + 1)
    return lines


def test_the_tree_is_the_one_that_callers_know() -> None:
    assert drawn(HiveViewsError) == TREE.strip().splitlines()


def test_the_docstring_draws_every_error() -> None:
    assert errors.__doc__
    assert [kind.__name__ for kind in CLASSES if kind.__name__ not in errors.__doc__] == []


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_goes_through_pickle_and_copy_with_its_fields(kind: type[HiveViewsError]) -> None:
    """Spark moves errors between processes."""
    error = kind("sales.v is gone.", answer=Answer.FAILED, identifier="sales.v", added=["ds=a"])
    error.dropped = ["ds=b"]
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is kind
        assert str(other) == "sales.v is gone."
        assert vars(other) == vars(error)
        assert (other.identifier, other.added, other.dropped) == ("sales.v", ["ds=a"], ["ds=b"])
        assert other.answer is Answer.FAILED


@pytest.mark.parametrize("kind", CLASSES)
def test_an_error_has_the_fields_that_it_declares_and_takes_no_others(kind: type[HiveViewsError]) -> None:
    error = kind("gone")
    assert [one.name for one in fields(kind) if not hasattr(error, one.name)] == []
    with pytest.raises(TypeError, match="holder_of_nothing"):
        kind("gone", holder_of_nothing="x")  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        _ = error.holder_of_nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", CLASSES)
def test_an_error_with_another_message_has_all_else_unchanged(kind: type[HiveViewsError]) -> None:
    error = kind("sales.v is gone.", identifier="sales.v", answer=Answer.REFUSED)
    other = replace(error, message="Statement 2: sales.v is gone.")
    assert (type(other), str(other)) == (kind, "Statement 2: sales.v is gone.")
    assert {**vars(other), "message": error.message} == vars(error)


@pytest.mark.parametrize("kind", CLASSES)
def test_an_error_that_does_not_say_what_it_proves_about_a_write_proves_nothing(kind: type[HiveViewsError]) -> None:
    assert kind("away").answer is Answer.NONE


def test_a_request_may_have_left_unless_it_is_certain_that_it_has_not() -> None:
    assert MetastoreUnavailableError("away").sent
    assert not MetastoreUnavailableError("away", answer=Answer.NOT_SENT).sent


def test_a_cause_is_chained_and_shown() -> None:
    with pytest.raises(CommitFailedError) as failure:
        raise CommitFailedError("refused") from OSError("broken")
    assert isinstance(failure.value.__cause__, OSError)


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_are_sorted_and_can_be_imported(module: ModuleType) -> None:
    assert list(module.__all__) == sorted(module.__all__)
    assert dir(module) == sorted(module.__all__)
    for name in module.__all__:
        thing = getattr(module, name)
        assert isinstance(thing, ModuleType) or thing.__module__.startswith("hive_views.")


@pytest.mark.parametrize("module", PUBLIC)
def test_the_stub_gives_every_public_name_once(module: ModuleType) -> None:
    tree = ast.parse(Path(str(module.__file__)).with_suffix(".pyi").read_text())
    named = [alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(str(name) for name in named) == sorted(module.__all__)


@pytest.mark.parametrize("name", ["adopt", "check", "undrop", "CheckReport", "ViewSummary"])
def test_a_former_name_of_hive_views_names_its_new_place(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"hive_views\.{name} is now hive_views\.estate\.{name}\.") as warned:
        assert getattr(hive_views, name) is getattr(estate, name)
    assert [one.filename for one in warned] == [__file__]
    assert name not in hive_views.__all__


def test_what_moved_to_estate_is_not_hidden_by_a_module_that_is_imported() -> None:
    for module in pkgutil.walk_packages(estate.__path__, "hive_views.estate."):
        importlib.import_module(module.name)
    assert all(not isinstance(getattr(estate, name), ModuleType) for name in estate.__all__)


def test_a_name_that_is_not_public_is_no_attribute() -> None:
    with pytest.raises(AttributeError):
        _ = hive_views.nothing_of_the_kind  # type: ignore[attr-defined]


@pytest.mark.parametrize("module", PUBLIC)
def test_the_docstring_names_every_function(module: ModuleType) -> None:
    assert module.__doc__
    functions = {name for name in module.__all__ if inspect.isfunction(getattr(module, name))}
    assert functions <= set(re.findall(r"\w+", module.__doc__))


def test_the_docstring_names_the_classes_to_begin_with() -> None:
    assert hive_views.__doc__
    named = set(re.findall(r"\w+", hive_views.__doc__))
    assert {"ViewCatalog", "Kerberos", "Plain", "TLS", "HiveViewsError"} <= named
    assert "ViewCatalog" in pydoc.render_doc(hive_views)


def functions_in_list_of(module: ModuleType) -> set[str]:
    items = ", ".join(re.findall(r"^- [^:]*: (.*(?:\n  .*)*)", str(module.__doc__), re.MULTILINE))
    items = re.sub(r"\b\w+\(\w*\)", "", items)  # a call, as that of a builtin
    alone = {part.strip() for part in re.split(r"[,;()]|\bwith\s+the rules\b|\bin them\b|\band\b", items)}
    with_underscores = set(re.findall(r"(?<!\.)\b[a-z]+(?:_[a-z]+)+\b(?!\.)", items))
    return {name for name in alone if re.fullmatch("[a-z]+", name)} | with_underscores


def test_every_function_that_the_docstring_s_list_names_is_public() -> None:
    named = functions_in_list_of(hive_views)
    assert {"load_catalog", "publish", "requires", "status"} <= named
    assert named - set(hive_views.__all__) == set()
    of_estate = functions_in_list_of(estate)
    assert {"adopt", "check", "copy_views", "undrop"} <= of_estate
    assert of_estate - set(estate.__all__) == set()
