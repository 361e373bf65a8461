"""Comparing versions, also those that other writers and accidents have left."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_views import ViewCatalog
from hive_views.errors import NoSuchVersionError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.schema import ListType, NestedField
from hive_views.views.version_diff import NOTHING, Definition, columns_of, compare, definition_at, documents

NAME = "default.v"


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=str(tmp_path))
    catalog.create_view(NAME, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "varchar(7)", "c")], properties={"k": "1"})
    catalog.alter_view(NAME, set_properties={"k": "2"})
    catalog.replace_view(NAME, sql={"hive": "SELECT 2 AS a"}, properties={"k": "3"})
    catalog.alter_view(NAME, set_properties={"k": "4"})
    return catalog


def test_the_properties_of_a_former_version_are_those_it_had_last(catalog: ViewCatalog) -> None:
    view = catalog.load_view(NAME)
    assert definition_at(catalog.storage, view, 1).properties == {"k": "2"}
    assert definition_at(catalog.storage, view, 2).properties == {"k": "4"}


def test_a_half_written_file_in_the_directory_is_passed_over(catalog: ViewCatalog) -> None:
    view = catalog.load_view(NAME)
    catalog.storage.write_bytes(f"{view.location}/metadata/00099-0.metadata.json", b'{"view-uuid": ')
    assert definition_at(catalog.storage, view, 1).properties == {"k": "2"}


def test_a_file_of_another_view_in_the_directory_is_passed_over(catalog: ViewCatalog) -> None:
    view = catalog.load_view(NAME)
    other = catalog.create_view(
        "default.w", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")], properties={"k": "other"}
    )
    location = f"{view.location}/metadata/00099-0.gz.metadata.json"
    catalog.storage.write_bytes(location, catalog.storage.read_bytes(other.metadata_location))
    assert definition_at(catalog.storage, view, 1).properties == {"k": "2"}


def test_properties_that_no_file_has_any_more_are_not_compared(catalog: ViewCatalog) -> None:
    view = catalog.load_view(NAME)
    for location in catalog.storage.list_metadata_files(f"{view.location}/metadata"):
        if location != view.metadata_location:
            catalog.storage.delete(location)
    before, after = definition_at(catalog.storage, view, 1), definition_at(catalog.storage, view, 2)
    assert before.properties is None
    assert set(documents(compare(before, after))) == {"sql hive"}


def test_a_version_that_is_not_there_is_refused(catalog: ViewCatalog) -> None:
    with pytest.raises(NoSuchVersionError):
        definition_at(catalog.storage, catalog.load_view(NAME), 7)


def test_equal_definitions_differ_in_nothing(catalog: ViewCatalog) -> None:
    definition = definition_at(catalog.storage, catalog.load_view(NAME), 2)
    assert not compare(definition, definition)
    assert set(documents(compare(NOTHING, definition))) == {"columns", "properties", "sql hive"}


def test_a_dialect_on_one_side_is_added_or_removed_as_a_whole() -> None:
    one, two = Definition("one", {"hive": "SELECT 1"}, (), {}), Definition("two", {}, (), {})
    assert documents(compare(one, two)) == {
        "sql hive": ["--- one, sql hive", "+++ two, sql hive", "@@ -1 +0,0 @@", "-SELECT 1"]
    }
    assert documents(compare(two, one))["sql hive"][-1] == "+SELECT 1"


def test_columns_have_the_types_of_hive_and_those_it_does_not_have_the_names_of_iceberg(catalog: ViewCatalog) -> None:
    metadata = catalog.load_view(NAME).metadata
    assert columns_of(metadata, metadata.current_version)[0].type == "varchar(7)"
    fields = (
        NestedField(id=1, name="at", type="timestamptz_ns"),
        NestedField(id=2, name="list", type=ListType(element_id=3, element="variant")),
    )
    schema = metadata.current_schema.model_copy(update={"fields": fields})
    foreign = metadata.model_copy(update={"schemas": (schema,)})
    at, nested = columns_of(foreign, foreign.current_version)
    assert at.type == "timestamptz_ns"
    assert '"element":"variant"' in nested.type


LONG = "SELECT user_id, {} AS clicks, ds FROM web.clicks WHERE country = 'de' AND page <> '/' GROUP BY user_id, ds"


def test_equal_changes_in_several_dialects_are_shown_once_and_listed_for_each() -> None:
    old, new = LONG.format("count(*)"), LONG.format("count(DISTINCT page)")
    before = Definition("one", {"hive": old, "spark": old, "trino": old}, (), {})
    after = Definition("two", {"hive": new, "spark": new, "trino": "SELECT 1"}, (), {})
    found = compare(before, after)
    assert [one.parts for one in found] == [("sql hive", "sql spark"), ("sql trino",)]
    assert found[0].for_people()[:2] == ["--- one, sql hive, spark", "+++ two, sql hive, spark"]
    assert list(documents(found)) == ["sql hive", "sql spark", "sql trino"]
    assert documents(found)["sql spark"] == [
        "--- one, sql spark",
        "+++ two, sql spark",
        "@@ -1 +1 @@",
        f"-{old}",
        f"+{new}",
    ]


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (
            LONG.format("count(*)"),
            LONG.format("count(DISTINCT page)"),
            "... user_id, count([-*-]{+DISTINCT page+}) AS clicks, ...",
        ),
        (LONG.format("1"), LONG.format("1") + " LIMIT 5", "... user_id, ds {+LIMIT 5+}"),
        (LONG.format("1"), LONG.format("1").replace("'de' AND ", ""), "country = '[-de' AND page <> '-]"),
    ],
)
def test_the_changed_words_of_a_long_line_are_shown(old: str, new: str, shown: str) -> None:
    [found] = compare(Definition("one", {"hive": old}, (), {}), Definition("two", {"hive": new}, (), {}))
    [words] = found.words
    assert words.startswith("  changed: ")
    assert found.for_people()[-1] == words


def test_a_short_line_is_enough_by_itself() -> None:
    [found] = compare(Definition("one", {"hive": "SELECT 1"}, (), {}), Definition("two", {"hive": "SELECT 2"}, (), {}))
    assert found.words == ()


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("a AS b", "a AS c", ["@@ -1 +1 @@", "~a AS [-b-]{+c+}"]),
        # Lines that have little in common stay two; a new one is before the similar one that it was written before.
        ("a = 1", "other things, all of them", ["@@ -1 +1 @@", "-a = 1", "+other things, all of them"]),
        ("x, a + 1", "new,\nx, a + 2", ["@@ -1 +1,2 @@", "+new,", "~x, a + [-1-]{+2+}"]),
        ("gone,\nx, a + 1", "x, a + 2", ["@@ -1,2 +1 @@", "-gone,", "~x, a + [-1-]{+2+}"]),
        ("-- 1 a", "-- 2 a", ["@@ -1 +1 @@", "~-- [-1-]{+2+} a"]),
        ("same\n+a + 1\nend", "same\n+a + 2\nend", ["@@ -1,3 +1,3 @@", " same", "~+a + [-1-]{+2+}", " end"]),
        ("a\nb", "a", ["@@ -1,2 +1 @@", " a", "-b"]),
    ],
)
def test_similar_lines_are_one_with_its_changed_words(old: str, new: str, shown: list[str]) -> None:
    before, after = (Definition(label, {"hive": sql}, (), {}) for label, sql in (("old", old), ("new", new)))
    [difference] = compare(before, after)
    assert difference.by_words() == shown


def test_a_place_of_thousands_of_lines_is_not_searched_for_similar_ones() -> None:
    old, new = ("\n".join(f"{word} {number}" for number in range(2_000)) for word in ("one", "two"))
    [difference] = compare(Definition("old", {"hive": old}, (), {}), Definition("new", {"hive": new}, (), {}))
    assert difference.by_words() == list(difference.lines)
