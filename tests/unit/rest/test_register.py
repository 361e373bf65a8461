"""What a client registers: a metadata file of this metastore, of another catalog, or none at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hive_views.hive.row import DDL_TIME, POINTER
from hive_views.persisted import OWN_PREFIX
from hive_views.storage.allowed_locations import AllowedLocations
from hive_views.storage.metadata_files import is_metadata_file
from tests.support.processes.rest_client import (
    PREFIX,
    SCHEMA,
    VIEWS,
    RestClient,
    creation,
    replacement,
    rest_client,
    version,
)
from tests.support.views.quick_catalog import NAME

REGISTER = f"{PREFIX}/namespaces/sales/register-view"
TABLE_METADATA = {"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "file:///t"}


def metadata(location: str, **given: Any) -> dict[str, Any]:
    """A view of another catalog as Iceberg Java writes it."""
    return {
        "view-uuid": "fa6506c3-7681-40c8-86dc-e36561f83385",
        "format-version": 1,
        "location": location,
        "schemas": [{**SCHEMA, "schema-id": 1}],
        "current-version-id": 1,
        "versions": [{**version(), "schema-id": 1, "default-catalog": "theirs"}],
        "version-log": [{"timestamp-ms": 1, "version-id": 1}],
        "properties": {"team": "web"},
        **given,
    }


def written(directory: Path, document: object, name: str = "00003-5e19.metadata.json") -> Path:
    file = directory / "daily" / "metadata" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document))
    return file


def body(location: object, name: str = "daily") -> dict[str, str]:
    return {"name": name, "metadata-location": str(location)}


def test_a_view_whose_location_is_a_path_is_registered_on_the_storage_of_its_file(
    client: RestClient, tmp_path: Path
) -> None:
    file = written(tmp_path, metadata(f"{tmp_path}/daily"))
    for index, given in enumerate((file, f"file:{file}", f"file://{file}")):
        answer = client.post(REGISTER, json=body(given, f"daily_{index}"))
        assert answer.status_code == 200, answer.text
        view = client.catalog.load_view(f"sales.daily_{index}")
        assert view.location in (f"file://{tmp_path}/daily", f"file:{tmp_path}/daily")
        assert view.metadata_location.rpartition("/")[0].endswith(f"{tmp_path}/daily/metadata")
        # The next commit goes there too.
        client.catalog.alter_view(view.identifier, comment="x")
    assert file.read_text() == json.dumps(metadata(f"{tmp_path}/daily"))


def test_the_directory_of_the_metadata_may_be_a_path_too(client: RestClient, tmp_path: Path) -> None:
    elsewhere = {"write.metadata.path": f"{tmp_path}/elsewhere"}
    file = written(tmp_path, metadata(f"file://{tmp_path}/daily", properties=elsewhere))
    assert client.post(REGISTER, json=body(file)).status_code == 200
    assert client.catalog.load_view(NAME).metadata_location.startswith(f"file://{tmp_path}/elsewhere/")


def test_history_uuid_and_texts_are_those_of_the_file(client: RestClient, tmp_path: Path) -> None:
    document = metadata(f"file://{tmp_path}/daily")
    answer = client.post(REGISTER, json=body(written(tmp_path, document))).json()
    found = answer["metadata"]
    assert answer["metadata-location"] == client.catalog.load_view(NAME).metadata_location
    own = {key for key in found["properties"] if key.startswith(OWN_PREFIX)}
    assert {key: value for key, value in found["properties"].items() if key not in own} == document["properties"]
    same = ("view-uuid", "format-version", "location", "schemas", "current-version-id", "versions", "version-log")
    assert {key: found[key] for key in same} == {key: document[key] for key in same}


def test_another_catalogs_drop_takes_nothing_from_what_was_registered(client: RestClient, tmp_path: Path) -> None:
    """Iceberg's catalogs delete the file that a view points to when it is dropped, as after a migration."""
    file = written(tmp_path, metadata(f"file://{tmp_path}/daily"))
    client.post(REGISTER, json=body(file))
    file.unlink()
    assert rest_client(client.catalog.metastore).get(f"{VIEWS}/daily").status_code == 200


@pytest.mark.parametrize(
    ("name", "document", "status", "said"),
    [
        ("1.metadata.json", TABLE_METADATA, 422, "it is the metadata of a table"),
        ("1.metadata.json", {**TABLE_METADATA, "format-version": 1}, 422, "it is the metadata of a table"),
        ("1.metadata.json", metadata("file:///v", **{"format-version": 2}), 406, "format-version 2"),
        ("1.metadata.json", metadata("daily"), 400, "relative"),
        ("1.metadata.json", {"view-uuid": "x"}, 422, "Cannot read"),
        ("1.metadata.json", [], 422, "Cannot read"),
        ("1.gz.metadata.json", metadata("file:///v"), 422, "not a complete gzip file"),
        ("1.json", metadata("file:///v"), 422, "must end in .metadata.json"),
        (
            "1.metadata.json",
            metadata("file:///v", properties={"hive-views.partitioned-on": "ds"}),
            422,
            "not a JSON list",
        ),
    ],
)
def test_a_file_that_no_view_can_be_made_of_is_named_and_leaves_nothing(
    client: RestClient, tmp_path: Path, name: str, document: Any, status: int, said: str
) -> None:
    file = written(tmp_path, document, name)
    before = sorted(tmp_path.rglob("*"))
    answered, _, message = client.error("POST", REGISTER, json=body(file))
    assert answered == status, message
    assert said in message
    assert (str(file) in message) or status in (400, 422)
    assert sorted(tmp_path.rglob("*")) == before
    assert client.get(VIEWS).json()["identifiers"] == []


def test_a_file_that_is_not_there_is_named(client: RestClient, tmp_path: Path) -> None:
    file = f"{tmp_path}/daily/metadata/00001-x.metadata.json"
    status, _, message = client.error("POST", REGISTER, json=body(file))
    assert status == 422
    assert message.startswith(f"The file file://{file} does not exist. ")
    for location in ("daily.metadata.json", "", "memory:x", "s3a"):
        status, _, message = client.error("POST", REGISTER, json=body(location))
        assert (status, repr(location) in message) == (400, True), location


def test_a_storage_that_is_away_changes_nothing_and_says_so(client: RestClient) -> None:
    client.catalog.storage.allow_only(AllowedLocations(["nosuchstorage://bucket"]))
    file = "nosuchstorage://bucket/v/metadata/00001-x.metadata.json"
    status, type_, message = client.error("POST", REGISTER, json=body(file))
    assert (status, type_) == (424, "FailedDependencyException")
    assert file in message
    assert message.endswith("This attempt changed nothing.")


def test_what_engines_believe_more_than_the_columns_does_not_get_from_a_file_into_the_row(
    client: RestClient, tmp_path: Path
) -> None:
    """Other catalogs let users set any property; a row has those of that name from the engine that wrote it."""
    hostile = {
        "spark.sql.sources.schema": '{"type":"struct","fields":[]}',
        "spark.sql.sources.provider": "parquet",
        "view.query.out.numCols": "1",
        "view.query.out.col.0": "other",
        "view.catalogAndNamespace.part.1": "evil",
        "presto_view": "true",
        "storage_handler": "org.example.Handler",
        "EXTERNAL": "TRUE",
        "Transactional": "true",
        "provider": "iceberg",
        "current-schema": "{}",
        "transient_lastDdlTime": "1",
        "metadata_location": "file:///other.metadata.json",
        "previous_metadata_location": "file:///other.metadata.json",
        "uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "table_type": "ICEBERG",
        "hive-views.owns": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "hive-views.renamed-with": "0123456789ab",
    }
    properties = {"team": "web", "comment": "of the web"}
    plain = written(tmp_path, metadata(f"file://{tmp_path}/plain", properties=properties), "1.metadata.json")
    file = written(tmp_path, metadata(f"file://{tmp_path}/daily", properties={**hostile, **properties}))
    assert client.post(REGISTER, json=body(plain, "plain")).status_code == 200
    assert client.post(REGISTER, json=body(file)).status_code == 200
    rows = [client.catalog.load_view(f"sales.{name}").row.parameters for name in ("daily", "plain")]
    assert rows[0].keys() == rows[1].keys()
    # They may be made in two seconds.
    assert rows[0][DDL_TIME] != "1"
    same = [key for key in rows[1] if not key.startswith(OWN_PREFIX) and key not in (POINTER, DDL_TIME)]
    assert {key: rows[0][key] for key in same} == {key: rows[1][key] for key in same}
    # They are no difference, not removed by anybody, and the view can be changed.
    view = client.catalog.load_view(NAME)
    assert view.differences == ()
    changed = replacement(view.uuid, "SELECT 2 AS id, '' AS ds")
    changed["updates"][0]["view-version"]["schema-id"] = 1
    assert client.post(f"{VIEWS}/daily", json=changed).status_code == 200
    assert client.catalog.load_view(NAME).differences == ()
    properties = client.get(f"{VIEWS}/daily").json()["metadata"]["properties"]
    assert properties["spark.sql.sources.provider"] == "parquet"


def test_one_file_may_be_registered_twice_and_each_goes_its_own_way(client: RestClient) -> None:
    client.post(VIEWS, json=creation())
    location = client.catalog.load_view(NAME).metadata_location
    assert client.post(REGISTER, json=body(location, "twin")).status_code == 200
    twin, first = client.catalog.load_view("sales.twin"), client.catalog.load_view(NAME)
    assert (twin.uuid, twin.location) == (first.uuid, first.location)
    assert twin.metadata_location != first.metadata_location
    assert client.post(f"{VIEWS}/twin", json=replacement(twin.uuid, "SELECT 2 AS id, '' AS ds")).status_code == 200
    client.catalog.drop_view("sales.twin", purge=True)
    assert client.get(f"{VIEWS}/daily").json()["metadata-location"] == first.metadata_location
    files = client.catalog.storage.list_files(f"{first.location}/metadata")
    assert [file for file in files if is_metadata_file(file)] == [first.metadata_location]
