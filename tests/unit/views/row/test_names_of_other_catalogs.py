"""Views of Iceberg engines whose texts plain readers cannot be given: all verbs work, and no row reads other tables."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from hive_views.errors import BrokenViewError, InvalidInputError, ViewDriftedError
from hive_views.estate import undrop
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import POINTER, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.metadata import SQLViewRepresentation, ViewMetadata
from hive_views.sql.query import QueryText
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.projection import UNREADABLE_TEXT
from hive_views.views.view import View
from tests.support.views import foreign_writers
from tests.support.views.quick_catalog import NAME, catalog_on

READABLE, SHORT = "SELECT u, p, ds FROM spark_catalog.web.t", "SELECT u, p, ds FROM t"
CASES = {
    "names in another catalog": {"spark": SHORT},
    "names that say another catalog": {"spark": "SELECT u, p, ds FROM ice.web.t"},
    "a text that only its engine reads": {"spark": "FROM t |> SELECT u, p, ds"},
    "no text for plain readers": {"flink": SHORT},
    "a text for Trino, of a partitioned view": {"trino": SHORT},
    "no text": {},
}
NAMESPACE = "view.catalogAndNamespace.part.1"


@pytest.fixture
def catalog() -> ViewCatalog:
    return catalog_on(MemoryMetastore())


def changed(metadata: ViewMetadata, texts: Mapping[str, str], catalog: str | None = "ice") -> ViewMetadata:
    version = metadata.current_version
    representations = tuple(SQLViewRepresentation(sql=text, dialect=dialect) for dialect, text in texts.items())
    version = version.model_copy(
        update={"default_catalog": catalog, "default_namespace": ("z",), "representations": representations}
    )
    return metadata.model_copy(update={"versions": (version,)})


def by_iceberg(catalog: ViewCatalog, texts: Mapping[str, str] | None = None) -> View:
    """A view that an Iceberg engine made, with a row as it writes it."""
    texts = CASES["names in another catalog"] if texts is None else texts
    created = catalog.create_view(
        NAME,
        sql={"spark": READABLE},
        schema=[("u", "bigint"), ("p", "string"), ("ds", "string")],
        partitioned_on=["ds"] if "trino" in texts else (),
    )
    metadata = changed(created.metadata, texts)
    location = created.metadata_location.replace("/00000-", "/00001-")
    catalog.storage.write(location, metadata)
    text = next(iter(texts.values()), None)
    row = replace(
        created.row,
        location=metadata.location,
        input_format=foreign_writers.JAVA_INPUT_FORMAT,
        original_text=text,
        expanded_text=text,
        parameters={
            **{key: value for key, value in created.row.parameters.items() if not key.startswith("view.")},
            POINTER: location,
        },
    )
    catalog.metastore.swap_row(row, expected=None)
    return catalog.load_view(NAME)


def tagged(catalog: ViewCatalog) -> View:
    return catalog.tag_view(NAME, "release")


def rolled_back(catalog: ViewCatalog) -> View:
    catalog.replace_view(NAME, sql={"spark": READABLE}, properties={"replace.drop-dialect.allowed": "true"})
    return catalog.roll_back_view(NAME, to_version=1)


def renamed(catalog: ViewCatalog) -> View:
    catalog.rename_view(NAME, "sales.other")
    return catalog.rename_view("sales.other", NAME)


def undropped(catalog: ViewCatalog) -> View:
    catalog.drop_view(NAME)
    (outcome,) = undrop(catalog, str(NAME))
    assert outcome.state is State.DONE, outcome
    return catalog.load_view(NAME)


def registered(catalog: ViewCatalog) -> View:
    location = catalog.load_view(NAME).metadata_location
    catalog.drop_view(NAME)
    return catalog.register_view(NAME, location)


def brought_back_after_release(catalog: ViewCatalog) -> View:
    catalog.release_view(NAME)
    (outcome,) = undrop(catalog, str(NAME))
    assert outcome.state is State.DONE, outcome
    return catalog.load_view(NAME)


VERBS: dict[str, Callable[[ViewCatalog], View]] = {
    "comment": lambda catalog: catalog.alter_view(NAME, comment="by user"),
    "tag": tagged,
    "text for others": lambda catalog: catalog.alter_view(NAME, sql={"trino": SHORT}),
    "roll back": rolled_back,
    "rename": renamed,
    "undrop": undropped,
    "register": registered,
    "release and undrop": brought_back_after_release,
    "repair": lambda catalog: catalog.repair_view(NAME),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("case", CASES)
def test_every_verb_works_and_plain_readers_get_an_error_and_not_other_tables(
    catalog: ViewCatalog, case: str, verb: str
) -> None:
    before = by_iceberg(catalog, CASES[case])
    assert {one.kind for one in before.differences} == {"needs repair"}
    VERBS[verb](catalog)
    view = catalog.load_view(NAME)
    assert view.differences == ()
    version = view.version(1)
    assert [one.sql for one in version.sql_representations] == list(CASES[case].values()) or verb == "text for others"
    readable_by_trino = verb == "text for others" and "spark" not in CASES[case] and not view.partitioned_on
    row = catalog.metastore.load_row(NAME)
    assert ((row.original_text, row.expanded_text) == (UNREADABLE_TEXT, UNREADABLE_TEXT)) is not readable_by_trino
    assert row.location is None


@pytest.mark.parametrize("dialect", ["hive", "spark"])
def test_engines_read_the_text_of_such_a_row_before_they_miss_its_table(dialect: str) -> None:
    QueryText(UNREADABLE_TEXT, dialect).check()


def test_a_released_row_keeps_the_text_that_it_has(catalog: ViewCatalog) -> None:
    before = by_iceberg(catalog)
    catalog.release_view(NAME)
    plain = catalog.metastore.load_row(NAME)
    assert (plain.original_text, plain.expanded_text, plain.location) == (SHORT, SHORT, None)
    assert plain.columns == before.row.columns


def test_a_commit_says_that_plain_readers_get_an_error(catalog: ViewCatalog, caplog: pytest.LogCaptureFixture) -> None:
    by_iceberg(catalog)
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        catalog.alter_view(NAME, comment="by user")
    assert "they get an error; add SQL in dialect 'hive'" in caplog.text


def test_a_hive_text_with_full_names_gives_plain_readers_the_view(catalog: ViewCatalog) -> None:
    by_iceberg(catalog)
    catalog.alter_view(NAME, comment="by user")
    view = catalog.alter_view(NAME, sql={"hive": "SELECT u, p, ds FROM web.t"})
    assert str(view.row.expanded_text).endswith("FROM `web`.`t`")
    assert (view.sql_for("spark").sql, catalog.load_view(NAME).differences) == (SHORT, ())


@pytest.mark.parametrize("dialect", ["hive", "spark"])
@pytest.mark.parametrize("text", [SHORT, "SELECT u, p, ds FROM ice.web.t"])
def test_a_new_text_that_plain_readers_cannot_be_given_is_refused(
    catalog: ViewCatalog, dialect: str, text: str
) -> None:
    by_iceberg(catalog)
    catalog.alter_view(NAME, comment="by user")
    before = catalog.metastore.load_row(NAME)
    with pytest.raises(InvalidInputError, match=r"resolve in the catalog ice|names a catalog"):
        catalog.alter_view(NAME, sql={dialect: text + " WHERE u > 1"})
    assert catalog.metastore.load_row(NAME) == before


@pytest.mark.parametrize("text", ["SELECT u, p, ds FROM ice.web.t", "SELECT u, p FROM web.t"])
def test_no_view_is_made_or_replaced_that_plain_readers_cannot_read(catalog: ViewCatalog, text: str) -> None:
    by_iceberg(catalog)
    before = catalog.metastore.load_row(NAME)
    with pytest.raises(InvalidInputError):
        catalog.replace_view(NAME, sql={"spark": text}, schema=catalog.load_view(NAME).schema)
    with pytest.raises(InvalidInputError):
        catalog.create_view("sales.new", sql={"spark": text}, schema=[("u", "int"), ("p", "int"), ("ds", "int")])
    assert catalog.metastore.load_row(NAME) == before


def changed_by_spark(row: Row) -> Row:
    return foreign_writers.spark_alter_view_as(row, "SELECT u, p, ds FROM web.t2", row.columns)


@pytest.mark.parametrize("is_repaired", [False, True])
def test_spark_s_change_of_such_a_row_is_drift(catalog: ViewCatalog, is_repaired: bool) -> None:
    view = by_iceberg(catalog)
    view = catalog.repair_view(NAME) if is_repaired else view
    catalog.metastore.swap_row(changed_by_spark(view.row), expected=None)
    with pytest.raises(ViewDriftedError, match="expanded text"):
        catalog.alter_view(NAME, comment="by user")
    adopted = catalog.repair_view(NAME, on_drift="adopt")
    assert str(adopted.row.expanded_text).endswith("FROM `web`.`t2`")


def test_what_such_a_row_says_is_never_taken_for_the_text_of_a_view(catalog: ViewCatalog) -> None:
    by_iceberg(catalog)
    row = catalog.repair_view(NAME).row
    other = replace(row, columns=(*row.columns[:-1], Column("ds", "int")))
    catalog.metastore.swap_row(other, expected=None)
    with pytest.raises(InvalidInputError, match="it has no text"):
        catalog.repair_view(NAME, on_drift="adopt")
    catalog.repair_view(NAME, on_drift="overwrite")
    catalog.release_view(NAME)
    with pytest.raises(BrokenViewError, match="it has no text"):
        catalog.adopt_view(NAME, new_history=True)


def test_an_engine_that_gives_the_view_a_text_for_all_gives_the_row_its_text_back(catalog: ViewCatalog) -> None:
    """Before 1.11, Iceberg Java leaves both texts of the row as they are."""
    by_iceberg(catalog)
    catalog.repair_view(NAME)
    foreign_writers.java_commit(
        catalog.metastore, catalog.storage, NAME, lambda metadata: changed(metadata, {"spark": READABLE}, None)
    )
    row = catalog.metastore.load_row(NAME)
    old_java = replace(row, original_text=UNREADABLE_TEXT, expanded_text=UNREADABLE_TEXT)
    catalog.metastore.swap_row(old_java, expected=None)
    view = catalog.alter_view(NAME, comment="by user")
    assert str(view.row.expanded_text).endswith("FROM `web`.`t`")


# -- where Spark looks for functions ----------------------------------------------------------------------------------


def test_a_row_says_where_the_version_s_names_resolve_whatever_the_view_is_called(catalog: ViewCatalog) -> None:
    """``my_udf`` and ``IDENTIFIER('t')`` cannot be written in full: Spark looks for them there."""
    catalog.create_namespace("other")
    view = catalog.create_view(NAME, sql={"spark": "SELECT my_udf(a) AS a FROM t"}, schema=[("a", "int")])
    assert view.row.parameters[NAMESPACE] == "sales"
    renamed = catalog.rename_view(NAME, "other.daily")
    assert renamed.row.parameters[NAMESPACE] == "sales"
    assert catalog.alter_view("other.daily", comment="by user").row.parameters[NAMESPACE] == "sales"


def test_a_new_text_of_an_adopted_view_has_its_functions_where_the_old_one_had_them(catalog: ViewCatalog) -> None:
    parameters = {
        "spark.sql.create.version": "4.1.4",
        "view.catalogAndNamespace.numParts": "2",
        "view.catalogAndNamespace.part.0": "spark_catalog",
        NAMESPACE: "zz",
        "view.query.out.numCols": "1",
        "view.query.out.col.0": "a",
    }
    text = "SELECT my_udf(a) AS a FROM t"
    columns = (Column("a", "int"),)
    row = Row(NAME, "VIRTUAL_VIEW", columns=columns, original_text=text, expanded_text=text, parameters=parameters)
    catalog.metastore.create_row(row)
    catalog.adopt_view(NAME)
    view = catalog.alter_view(NAME, sql={"spark": f"{text} WHERE a > 1"})
    assert (view.row.parameters[NAMESPACE], catalog.load_view(NAME).differences) == ("zz", ())


def test_names_of_another_catalog_say_nothing_of_the_databases_of_the_metastore(catalog: ViewCatalog) -> None:
    by_iceberg(catalog, {"spark": "SELECT my_udf(u) AS u, p, ds FROM spark_catalog.web.t"})
    row = catalog.repair_view(NAME).row
    assert row.parameters[NAMESPACE] == "sales"
    assert str(row.expanded_text).endswith("FROM `web`.`t`")
