"""What to do about an error, in the words of whoever reads it."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.cli import cli
from hive_views.errors import HiveViewsError, NoSuchViewError
from hive_views.messages import estate_remedies, remedies
from hive_views.messages.advice import in_the_shell
from hive_views.messages.remedies import Remedy
from hive_views.metastore.memory import MemoryMetastore
from tests.unit.commands import all_commands

EXAMPLES: list[Remedy] = [
    remedies.DecideOnDrift("sales.daily"),
    remedies.RepairView("sales.daily"),
    remedies.RegisterView("sales.daily", "s3://lake/1.json", overwrite=True),
    estate_remedies.RestoreFile("sales.daily"),
    estate_remedies.RestoreFile("sales.daily", "s3://lake/1.json"),
    remedies.UndropView("sales.daily"),
    remedies.UndropView("sales.daily", is_replaced=True),
    remedies.UndropOrBeginAnew("sales.daily"),
    remedies.UndropOrBeginAnew("sales.daily", is_replaced=True),
    estate_remedies.RegisterFromElsewhere("sales.daily"),
    estate_remedies.NameAllOfNamespace("sales"),
    remedies.RestorePartitions("sales.daily"),
    remedies.MoveTag("sales.daily", "release-12"),
    remedies.AdoptView("sales.daily"),
    remedies.FinishRelease("sales.daily"),
    remedies.AllowExisting(),
    remedies.AllowMissing(),
    remedies.PartitionTheView(),
    remedies.GiveColumns(),
    remedies.ForHive(),
    remedies.GiveLocation(),
    remedies.GivePartitions(),
    remedies.UseAutomaticLocks(),
    remedies.AuthenticateOtherwise(),
    remedies.Authenticate(),
    remedies.UseTLS(),
    remedies.GiveRules(),
    remedies.GiveApplicationAndVersion(),
    remedies.GiveLaterVersion(7),
    remedies.GiveReader(),
    remedies.LeaveOutOfBaseTables(),
    estate_remedies.WriteRowAnew("sales.daily"),
    estate_remedies.ReplaceQuery("sales.daily", "web.clicks"),
    estate_remedies.ReplaceQuery("sales.daily", is_plain=True),
    estate_remedies.UnsetProperty("sales.daily", "EXTERNAL"),
    estate_remedies.GiveOwner("sales.daily"),
    estate_remedies.MoveFilesAway("sales.daily", "s3://lake/daily"),
    estate_remedies.DropPartitions("sales.daily"),
    estate_remedies.RetractPartitions("sales.daily"),
    estate_remedies.GiveOtherDatabase("sales"),
    remedies.NameMetastoreCatalog("lake"),
    estate_remedies.CreateNamespaces(),
    estate_remedies.ReplaceOrSkip(),
    estate_remedies.TakeTagAway("sales.daily", "release-12"),
    estate_remedies.EndMove("sales.daily", "shop.daily"),
    estate_remedies.MoveAgain("sales.daily"),
    remedies.ReplaceFile(),
    estate_remedies.GiveEarlierArchive(),
    estate_remedies.SkipDamaged(),
    estate_remedies.UseNewerRelease(),
]
PYTHON = re.compile(r"\w+=|\w+\(|['\"]")
OPTIONS = {option for _, command in all_commands() for one in command.params for option in one.opts} | {
    option for one in cli.params for option in one.opts
}


def test_every_remedy_is_looked_at() -> None:
    assert {type(one) for one in EXAMPLES} == set(Remedy.__subclasses__())


@pytest.mark.parametrize("remedy", EXAMPLES, ids=lambda one: type(one).__name__)
def test_the_command_words_every_remedy_itself_with_options_and_commands_that_exist(remedy: Remedy) -> None:
    worded = in_the_shell(remedy)
    assert worded != str(remedy)
    assert not PYTHON.search(worded), "Python's words"
    assert set(re.findall(r"--[\w-]+", worded)) <= OPTIONS
    assert set(re.findall(r"hive-views ([\w-]+)", worded)) <= set(cli.commands)
    assert "--" not in str(remedy), "the command's words"
    assert "hive-views " not in str(remedy)


def test_an_error_ends_with_its_remedy_in_pythons_words_and_keeps_both_apart() -> None:
    error = HiveViewsError("The row has a password: thrift://a:secret@h.", remedy=remedies.UseAutomaticLocks())
    assert str(error) == "The row has a password: thrift://***@h. Use lock='auto'."
    assert error.message == "The row has a password: thrift://***@h."


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    return ViewCatalog(MemoryMetastore(), warehouse=str(tmp_path))


def test_a_notebook_shows_where_the_call_was_the_message_and_how_to_see_the_rest(catalog: ViewCatalog) -> None:
    with pytest.raises(NoSuchViewError) as failure:
        catalog.load_view("default.no_such")
    shown = failure.value._render_traceback_()
    assert len(shown) == 3
    assert shown[0].endswith('catalog.load_view("default.no_such")')
    assert shown[1].startswith("NoSuchViewError: There is no view default.no_such")
    assert shown[2] == "All frames: import traceback; traceback.print_last()"
    assert len("".join(traceback.format_exception(failure.value)).splitlines()) > len(shown)


def test_a_notebook_shows_an_error_that_was_never_raised() -> None:
    assert HiveViewsError("gone")._render_traceback_()[0] == "HiveViewsError: gone"
