"""Texts that are translated from another one of their view, in SQL."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hive_views import TableIdentifier, ViewCatalog, execute_script
from hive_views.errors import (
    AlreadyExistsError,
    DialectDroppedError,
    InvalidInputError,
    InvalidSchemaError,
    NotFoundError,
    TranslationRefusedError,
)
from hive_views.hive.row import Column
from hive_views.persisted import TRANSLATED
from hive_views.views.row.version import translations
from tests.unit.ddl.statements.conftest import Run

QUERY = "SELECT user_id, concat(page, 'x') AS page FROM web.clicks"
CREATE = f"CREATE VIEW v AS {QUERY} DIALECT trino TRANSLATED FROM hive"
SORTED = "SELECT user_id, page FROM web.clicks ORDER BY user_id LIMIT 3"
WITH_UDF = "SELECT user_id,\n  my_udf(page) AS page FROM web.clicks"
COLUMNS = [("user_id", "bigint"), ("page", "string")]
"""Of all these queries; those of a function that nobody knows have to be given."""


def trino(catalog: ViewCatalog) -> str:
    return " ".join(catalog.load_view("sales.v").original_sql("trino").split())


def change_type_of_clicks(catalog: ViewCatalog, name: str, type_: str) -> None:
    row = catalog.metastore.load_row(TableIdentifier("web", "clicks"))
    columns = tuple(replace(one, type=type_) if one.name == name else one for one in row.columns)
    catalog.metastore.swap_row(replace(row, columns=columns), expected=None)


def shown(run: Run) -> str:
    ((text,),) = run("SHOW CREATE VIEW v").rows
    return str(text)


def test_a_text_is_translated_when_its_view_is_created(run: Run, catalog: ViewCatalog) -> None:
    assert str(run(CREATE).done) == "Created sales.v: version 1. Its SQL in trino is translated from hive."
    assert trino(catalog) == (
        'SELECT "clicks"."user_id" AS "user_id", concat("clicks"."page", \'x\') AS "page" FROM "web"."clicks"'
    )
    assert catalog.load_view("sales.v").translations["trino"].source == "hive"


def test_one_is_added_and_replaces_one_that_was_given(run: Run, catalog: ViewCatalog) -> None:
    run(f"CREATE VIEW v AS {SORTED}")
    with pytest.raises(NotFoundError, match="has no SQL in dialect trino"):
        run("ALTER VIEW v REPLACE DIALECT trino TRANSLATED FROM hive")
    with pytest.raises(TranslationRefusedError, match=r"\[null-order\]"):
        run("ALTER VIEW v ADD DIALECT trino TRANSLATED FROM hive")
    with pytest.raises(NotFoundError, match="it has none in spark, only in hive"):
        run("ALTER VIEW v ADD DIALECT trino TRANSLATED FROM spark")
    with pytest.raises(InvalidInputError, match="Did you mean 'null-order'"):
        run("ALTER VIEW v ADD DIALECT trino TRANSLATED FROM hive ALLOW 'nul-order'")
    assert catalog.load_view("sales.v").dialects == ("hive",)
    run("ALTER VIEW v ADD DIALECT trino AS SELECT user_id, page FROM web.clicks")
    with pytest.raises(AlreadyExistsError, match="REPLACE DIALECT"):
        run("ALTER VIEW v ADD DIALECT trino TRANSLATED FROM hive ALLOW 'null-order'")
    done = run("ALTER VIEW v REPLACE DIALECT trino TRANSLATED FROM hive ALLOW 'null-order'").done
    assert done == "Altered sales.v: version 3. Its SQL in trino is translated from hive."
    assert catalog.load_view("sales.v").translations["trino"].allow == ("null-order",)
    run("ALTER VIEW v REPLACE DIALECT trino AS SELECT user_id, page FROM web.clicks")
    assert catalog.load_view("sales.v").translations == {}


def test_the_statement_of_a_view_says_from_what_its_texts_are_translated_and_makes_it_again(
    run: Run, catalog: ViewCatalog
) -> None:
    run(f"CREATE VIEW v AS {SORTED} DIALECT spark TRANSLATED FROM hive ALLOW 'null-order'")
    run("ALTER VIEW v ADD DIALECT trino TRANSLATED FROM hive ALLOW 'null-order'")
    text = shown(run)
    assert text.endswith(
        f"AS\n{SORTED}\n"
        "DIALECT spark TRANSLATED FROM hive ALLOW 'null-order'\n"
        "DIALECT trino TRANSLATED FROM hive ALLOW 'null-order';"
    )
    before = catalog.load_view("sales.v")
    run("DROP VIEW v")
    execute_script(catalog, text)
    again = catalog.load_view("sales.v")
    assert {one: again.original_sql(one) for one in again.dialects} == {
        one: before.original_sql(one) for one in before.dialects
    }
    assert again.translations == before.translations


def test_all_that_the_view_has_changes_nothing_until_something_else_would_come_of_it(
    run: Run, catalog: ViewCatalog
) -> None:
    run(CREATE)
    replacing = f"CREATE OR REPLACE VIEW v (user_id BIGINT, page STRING) AS {QUERY} DIALECT trino TRANSLATED FROM hive"
    assert not run(replacing).changed
    first = trino(catalog)
    change_type_of_clicks(catalog, "user_id", "int")
    assert run(replacing).changed
    assert trino(catalog) != first
    assert not run(replacing).changed
    assert run(f"{replacing} ALLOW 'null-order'").changed
    assert catalog.load_view("sales.v").translations["trino"].allow == ("null-order",)
    change_type_of_clicks(catalog, "user_id", "array<int>")
    with pytest.raises(TranslationRefusedError):
        run(f"{replacing} ALLOW 'null-order'")


def test_a_statement_that_leaves_a_translated_text_out_lets_it_follow(run: Run, catalog: ViewCatalog) -> None:
    run(CREATE)
    assert not run(f"CREATE OR REPLACE VIEW v AS {QUERY}").changed
    result = run(f"CREATE OR REPLACE VIEW v AS {QUERY.replace('x', 'y')}")
    assert result.done == "Replaced sales.v: version 2. Its SQL in trino is translated from hive."
    assert "'y'" in trino(catalog)
    run("ALTER VIEW v ADD DIALECT spark AS SELECT user_id, page FROM web.clicks")
    with pytest.raises(DialectDroppedError, match="spark"):
        run(f"CREATE OR REPLACE VIEW v AS {QUERY}")
    run(f"CREATE OR REPLACE VIEW v AS {QUERY} DIALECT spark AS {QUERY} DIALECT trino AS {QUERY} LIMIT 1")
    assert catalog.load_view("sales.v").translations == {}


def test_columns_change_where_all_other_texts_are_translated_from_this_one(run: Run, catalog: ViewCatalog) -> None:
    run(CREATE)
    result = run("ALTER VIEW v AS SELECT user_id, page, 1 AS n FROM web.clicks")
    assert result.done == "Altered sales.v: version 2. Its SQL in trino is translated from hive."
    assert trino(catalog).endswith('1 AS "n" FROM "web"."clicks"')
    statement = "ALTER VIEW v AS\nSELECT user_id FROM web.clicks\nORDER BY user_id LIMIT 3"
    with pytest.raises(TranslationRefusedError, match=r"hive to trino: line 3, column 10: user_id: "):
        run(statement)
    run("ALTER VIEW v ADD DIALECT spark AS SELECT user_id, page, 1 AS n FROM web.clicks")
    with pytest.raises(InvalidSchemaError, match="also has SQL in spark: keep"):
        run("ALTER VIEW v AS SELECT user_id, page FROM web.clicks")


@pytest.mark.parametrize("before", ["", "USE web; /* SELECT user_id,\n*/ USE sales;\n"])
def test_a_refusal_has_its_place_in_the_statement(catalog: ViewCatalog, run: Run, before: str) -> None:
    del run
    script = f"{before}CREATE VIEW v (a BIGINT, b STRING) AS\n{WITH_UDF}\nDIALECT trino TRANSLATED FROM hive"
    with pytest.raises(TranslationRefusedError) as caught:
        execute_script(catalog, script, namespace="sales")
    (finding,) = caught.value.findings
    lines = script.split("\n")
    assert lines[finding.line - 1][finding.column - 1 :].startswith("my_udf(page)")
    assert f"line {finding.line}, column {finding.column}: my_udf(page)" in caught.value.message
    assert caught.value.source == ("hive", script)
    assert not catalog.list_views("sales")


def test_a_stale_translation_is_never_written_as_a_text_that_is_true(run: Run, catalog: ViewCatalog) -> None:
    run(CREATE)
    result = run(f"ALTER VIEW v AS {WITH_UDF}", schema=COLUMNS)
    assert "Stale is the SQL in trino" in result.done
    stale = trino(catalog)
    text = shown(run)
    assert text.endswith("DIALECT trino TRANSLATED FROM hive;")
    with pytest.raises(TranslationRefusedError):
        execute_script(catalog, text.replace("CREATE VIEW", "CREATE OR REPLACE VIEW"))
    # What is left out follows where it can, and stays stale where it cannot.
    run(f"CREATE OR REPLACE VIEW v COMMENT 'c' AS {WITH_UDF}", schema=COLUMNS)
    assert (trino(catalog), catalog.load_view("sales.v").stale_dialects) == (stale, ("trino",))
    run(f"CREATE OR REPLACE VIEW v AS {QUERY}")
    assert catalog.load_view("sales.v").stale_dialects == ()


def test_what_is_said_to_be_translated_from_nothing_is_given(run: Run, catalog: ViewCatalog) -> None:
    run(CREATE)
    view = catalog.load_view("sales.v")
    key = f"{TRANSLATED}trino"
    record = json.loads(view.current_version.summary[key]) | {"from": "spark"}
    summary = {**view.current_version.summary, key: json.dumps(record)}
    version = view.current_version.model_copy(update={"summary": summary})
    location = view.metadata_location.replace("/00000-", "/00001-")
    catalog.storage.write(location, view.metadata.model_copy(update={"versions": (version,)}))
    parameters = {**view.row.parameters, "metadata_location": location}
    catalog.metastore.swap_row(replace(view.row, parameters=parameters), expected=None)
    assert translations(catalog.load_view("sales.v").current_version)["trino"].source == "spark"
    assert "DIALECT trino AS\nSELECT" in shown(run)


def test_hive_sql_can_be_the_translated_one(run: Run, catalog: ViewCatalog) -> None:
    statement = (
        "CREATE OR REPLACE VIEW v DIALECT hive TRANSLATED FROM spark "
        "DIALECT spark AS SELECT user_id, page FROM web.clicks DIALECT trino TRANSLATED FROM spark"
    )
    run(statement)
    view = catalog.load_view("sales.v")
    assert {one: record.source for one, record in view.translations.items()} == {"hive": "spark", "trino": "spark"}
    assert view.row.original_text == "SELECT user_id, page FROM web.clicks"
    assert not run(statement).changed
    assert "DIALECT hive TRANSLATED FROM spark" in shown(run)
    with pytest.raises(InvalidInputError, match="the hive SQL is itself translated from spark"):
        run("ALTER VIEW v REPLACE DIALECT trino TRANSLATED FROM hive")


def test_what_is_allowed_in_one_dialect_is_not_in_another(run: Run) -> None:
    texts = f"{SORTED} DIALECT spark TRANSLATED FROM hive ALLOW 'null-order' DIALECT trino TRANSLATED FROM hive"
    with pytest.raises(TranslationRefusedError, match="from hive to trino"):
        run(f"CREATE VIEW v AS {texts}")
    run(f"CREATE VIEW v AS {texts} ALLOW 'session-settings', 'null-order'")
    assert shown(run).endswith(
        "DIALECT spark TRANSLATED FROM hive ALLOW 'null-order'\n"
        "DIALECT trino TRANSLATED FROM hive ALLOW 'null-order', 'session-settings';"
    )


def test_names_without_a_database_are_those_of_the_current_one(run: Run, catalog: ViewCatalog) -> None:
    run("CREATE VIEW sales.v AS SELECT user_id FROM clicks DIALECT trino TRANSLATED FROM hive", namespace="web")
    assert trino(catalog) == 'SELECT "clicks"."user_id" AS "user_id" FROM "clicks"'
    assert catalog.load_view("sales.v").columns == (Column("user_id", "bigint"),)
