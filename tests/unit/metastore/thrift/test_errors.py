"""What the exceptions of a metastore mean, by the texts that servers of each version were seen to send."""

from __future__ import annotations

import inspect
import pickle

import pytest
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException, TException
from thrift.transport.TTransport import TTransportException

from hive_views import errors
from hive_views.errors import Answer, HiveViewsError, MetastoreUnavailableError
from hive_views.metastore.port import AddedPartitions, Swap
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.failures import ANSWERS, WIRE_FAILURES, Call, is_passing, result_of, translate

_ALTER, _ADD, _DROP = "alter_table_with_environment_context", "add_partitions_req", "drop_partitions_req"
_NOT_EMPTY = errors.NamespaceNotEmptyError
_NPE = "java.lang.NullPointerException"
_NO_SD = 'because the return value of "org.apache.hadoop.hive.metastore.api.Partition.getSd()" is null'


def _generated() -> list[type[Exception]]:
    return [
        value
        for value in vars(ttypes).values()
        if inspect.isclass(value) and issubclass(value, TException) and value.__module__ == ttypes.__name__
    ]


def test_every_exception_that_the_metastore_declares_is_an_answer() -> None:
    assert len(_generated()) == 14
    assert set(_generated()) | {TApplicationException} == set(ANSWERS)


@pytest.mark.parametrize("kind", [*ANSWERS, TTransportException, TProtocolException, EOFError, OSError])
@pytest.mark.parametrize("writes", [True, False])
def test_every_exception_becomes_an_error_of_this_library_whatever_it_says(kind: type[Exception], writes: bool) -> None:
    for text in ("", "something new", None):
        error = kind(message=text) if issubclass(kind, TException) else kind(text)
        found = translate(error, Call("some_new_call", "sales.v", writes))
        assert isinstance(found, HiveViewsError)
        assert "{" not in str(found)


def test_what_may_come_out_of_a_call_is_caught_there() -> None:
    """Thrift's own exceptions are all of these classes; a broken text is a UnicodeError."""
    assert {TTransportException, TProtocolException, EOFError, OSError, UnicodeDecodeError} <= set(WIRE_FAILURES)
    assert isinstance(TimeoutError(), WIRE_FAILURES)


@pytest.mark.parametrize(
    ("kind", "text", "method", "meaning"),
    [
        # 2.3.10, 4.0.1, 4.2.1
        (
            "Meta",
            (
                "The table has been modified. The parameter value for key 'metadata_location' is 'L1'. "
                "The expected was value was 'BAD'"
            ),
            _ALTER,
            errors.CommitFailedError,
        ),
        (
            "Meta",
            "The table has been modified. The parameter value for key 'metadata_location' is different",
            _ALTER,
            errors.CommitFailedError,
        ),
        ("InvalidOperation", "The table has been modified.", _ALTER, errors.CommitFailedError),
        ("Meta", "New value for expected key metadata_location is not set", _ALTER, errors.InvalidInputError),
        # Who may not: storage-based (2.3.10, 4.0.1), Ranger's kind by Hive's source, and no user but a database
        (
            "Meta",
            'java.security.AccessControlException: Permission denied: user=ada, path="file:/w":root:root:drwx------',
            "create_table",
            errors.PermissionDeniedError,
        ),
        (
            "Meta",
            (
                "Got exception: org.apache.hadoop.hive.ql.security.authorization.plugin.HiveAccessControlException "
                "Permission denied: user [ada] does not have [DROP] privilege on [s/v]"
            ),
            "drop_table",
            errors.PermissionDeniedError,
        ),
        (
            "InvalidOperation",
            "No privilege 'Create' found for outputs { database:s}",
            "create_table",
            errors.PermissionDeniedError,
        ),
        ("Meta", "Cannot open the log: /var/derby.log (Permission denied)", _ALTER, errors.MetastoreUnavailableError),
        # Namespaces: 4.x, 3.1.3, and two at once on MariaDB and PostgreSQL
        ("InvalidOperation", "Database n is not empty. One or more tables exist.", "drop_database", _NOT_EMPTY),
        (
            "Meta",
            (
                "JDODataStoreException: Exception thrown flushing changes to datastore\nRoot cause: "
                "java.sql.SQLIntegrityConstraintViolationException: (conn=12) Cannot delete or update a parent row: a "
                'foreign key constraint fails ("metastore"."TBLS", CONSTRAINT "TBLS_FK2" FOREIGN KEY ("DB_ID") '
                'REFERENCES "DBS" ("DB_ID"))'
            ),
            "drop_database",
            _NOT_EMPTY,
        ),
        (
            "Meta",
            (
                "JDODataStoreException: Exception thrown flushing changes to datastore\nRoot cause: "
                "java.sql.SQLIntegrityConstraintViolationException: (conn=8) Duplicate entry 'n-hive' for key "
                "'UNIQUE_DATABASE'"
            ),
            "create_database",
            errors.AlreadyExistsError,
        ),
        (
            "Meta",
            f'{_NPE}: Cannot invoke "org.apache.hadoop.hive.metastore.api.Database.getName()" because "db" is null',
            "drop_database",
            errors.NoSuchNamespaceError,
        ),
        ("Meta", "There is no database hive.n", "drop_database", errors.NoSuchNamespaceError),
        ("Meta", _NPE, "drop_database", errors.MetastoreUnavailableError),
        ("Meta", "Can not drop default database", "drop_database", errors.InvalidInputError),
        ("Meta", "Can not drop default database in catalog hive", "drop_database", errors.InvalidInputError),
        ("InvalidObject", "Database hive.n doesn't exist.", "create_table", errors.NoSuchNamespaceError),
        ("Meta", "Database n for table v could not be found", "create_table", errors.NoSuchNamespaceError),
        # MariaDB's latin1 schema, after 20 s
        (
            "Meta",
            "java.sql.SQLException: Illegal mix of collations (latin1_bin,IMPLICIT) and (utf8mb4_general_ci,COERCIBLE)",
            _ADD,
            errors.InvalidPartitionError,
        ),
        ("NoSuchObject", "sales.v table not found", "get_table_req", errors.NoSuchTableError),
        ("NoSuchObject", "hive.sales.v table not found", "drop_table", errors.NoSuchTableError),
        ("NoSuchObject", "nodb", "get_database", errors.NoSuchNamespaceError),
        ("NoSuchObject", "Some partitions to drop are missing", _DROP, errors.NoSuchPartitionError),
        ("UnknownDB", "Could not find database nodb", "get_table_objects_by_name_req", errors.NoSuchNamespaceError),
        ("AlreadyExists", "Table v already exists", "create_table", errors.TableAlreadyExistsError),
        ("AlreadyExists", "Database sales already exists", "create_database", errors.AlreadyExistsError),
        ("AlreadyExists", "Partition already exists: Partition(values:[2])", _ADD, errors.PartitionAlreadyExistsError),
        (
            "AlreadyExists",
            "Partition(s) already exist, partition name(s): [ds=2026/hr=1]",
            _ADD,
            errors.PartitionAlreadyExistsError,
        ),
        # 2.3 and 3.1, then 4.x
        ("InvalidObject", "nodb", "create_table", errors.NoSuchNamespaceError),
        ("InvalidObject", "database hive.nodb", "create_table", errors.NoSuchNamespaceError),
        ("InvalidObject", "a-b is not a valid object name", "create_table", errors.InvalidInputError),
        ("InvalidObject", "Invalid column type: STRING", "create_table", errors.InvalidInputError),
        (
            "InvalidObject",
            "Unable to add partitions because database or table sales.v does not exist",
            _ADD,
            errors.NoSuchTableError,
        ),
        (
            "InvalidObject",
            "Unable to add partitions because hive.sales.v does not exist",
            _ADD,
            errors.NoSuchTableError,
        ),
        ("InvalidObject", "hive.sales.v table not found", "get_partitions_by_names", errors.NoSuchTableError),
        ("InvalidOperation", "sales.v table not found", _ALTER, errors.NoSuchTableError),
        ("InvalidOperation", "new table sales.w already exists", _ALTER, errors.TableAlreadyExistsError),
        (
            "InvalidOperation",
            (
                "Unable to change partition or table. Check metastore logs for detailed stack."
                "Database nodb doesn't exist."
            ),
            _ALTER,
            errors.NoSuchNamespaceError,
        ),
        (
            "InvalidOperation",
            "Unable to change partition or table. Check metastore logs for detailed stack.database hive.nodb",
            _ALTER,
            errors.NoSuchNamespaceError,
        ),
        (
            "InvalidOperation",
            "Unable to change partition or table. Object database hive.nodb does not exist.",
            _ALTER,
            errors.NoSuchNamespaceError,
        ),
        (
            "InvalidOperation",
            "Alter partition operation failed: NoSuchObjectException(message:partition values=[x])",
            "alter_partitions",
            errors.NoSuchPartitionError,
        ),
        (
            "InvalidOperation",
            "Alter partition operation failed: new parts size 2 not matching with old parts size 1",
            "alter_partitions",
            errors.NoSuchPartitionError,
        ),
        (
            "InvalidOperation",
            "Unable to alter partitions because table or database does not exist.",
            "alter_partitions",
            errors.NoSuchTableError,
        ),
        ("InvalidOperation", "partition keys can not be changed.", _ALTER, errors.UnsupportedFeatureError),
        (
            "Meta",
            "Invalid partition key & values; keys [ds, hr, ], values [2026, ]",
            _ADD,
            errors.InvalidPartitionError,
        ),
        (
            "Meta",
            "java.io.IOException: Cannot specify location for a view partition",
            _ADD,
            errors.InvalidPartitionError,
        ),
        (
            "Meta",
            "java.io.IOException: Duplicate partitions in the list: Partition(values:[9])",
            _ADD,
            errors.InvalidPartitionError,
        ),
        (
            "Meta",
            "Incorrect number of partition values. numPartKeys=1, part_val=2",
            "get_partition_names_ps",
            errors.InvalidPartitionError,
        ),
        (
            "ConfigValSecurity",
            "For security reasons, the config key k cannot be accessed",
            "get_config_value",
            errors.UnsupportedFeatureError,
        ),
        ("NoSuchLock", "No such lock: lockid:2", "heartbeat", errors.CommitFailedError),
        ("UnknownTable", "Table: v is not found.", "isPartitionMarkedForEvent", errors.NoSuchTableError),
        (
            "InvalidPartition",
            "No value found for partition column: hr",
            "markPartitionForEvent",
            errors.InvalidPartitionError,
        ),
        ("UnknownPartition", "no such partition", "markPartitionForEvent", errors.NoSuchPartitionError),
        ("Application", "Invalid method name: 'get_table_req'", "get_table_req", errors.UnsupportedFeatureError),
    ],
)
def test_a_text_means(kind: str, text: str, method: str, meaning: type[HiveViewsError]) -> None:
    exception = TApplicationException if kind == "Application" else getattr(ttypes, f"{kind}Exception")
    found = translate(exception(message=text), Call(method, "sales.v", writes=True))
    assert type(found) is meaning
    assert (found.identifier, found.server_text) == ("sales.v", text)


def test_a_refused_swap_reports_what_was_found() -> None:
    text = "The table has been modified. The parameter value for key 'metadata_location' is 's3://b'. "
    found = translate(ttypes.MetaException(text + "The expected was value was 's3://a'"), Call(_ALTER, "sales.v", True))
    assert (found.found_location, found.expected_location) == ("s3://b", "s3://a")
    assert "Load it again" in str(found)


@pytest.mark.parametrize(
    "text",
    [
        f'{_NPE}: Cannot invoke "org.apache.hadoop.hive.metastore.api.StorageDescriptor.getLocation()" {_NO_SD}',
        # Java 8 and 11 do not say what was null.
        _NPE,
    ],
)
def test_a_notification_listener_that_fails_on_partitions_without_storage_is_named(text: str) -> None:
    found = result_of(ttypes.MetaException(text), Call(_ADD, "sales.v", writes=True))
    assert found == AddedPartitions(needs_descriptors=True)


def test_a_location_of_the_view_is_not_taken_for_a_listener() -> None:
    text = (
        f'{_NPE}: Cannot invoke "org.apache.hadoop.hive.metastore.api.StorageDescriptor.setLocation(String)" {_NO_SD}'
    )
    call = Call(_ADD, "sales.v", writes=True)
    assert result_of(ttypes.MetaException(text), call) is None
    assert isinstance(translate(ttypes.MetaException(text), call), errors.UnsupportedFeatureError)


def test_columns_that_cannot_be_changed_while_partitions_exist_are_named() -> None:
    text = f'{_NPE}: Cannot invoke "org.apache.hadoop.hive.metastore.api.StorageDescriptor.getCols()" {_NO_SD}'
    assert result_of(ttypes.MetaException(text), Call(_ALTER, "sales.v", writes=True)) is Swap.CANNOT_CHANGE_COLUMNS


@pytest.mark.parametrize(
    "text",
    [
        # 4.0.1 on Derby with the official schema
        'JDODataStoreException: Error executing SQL query "update "TABLE_PARAMS" set "PARAM_VALUE"=? where',
        "ERROR 42818: Comparisons between 'CLOB (UCS_BASIC)' and 'CLOB (UCS_BASIC)' are not supported.",
        "Cannot update parameter with JDO, make sure direct SQL is enabled",
    ],
)
def test_a_database_that_cannot_compare_is_distinguished_from_other_refusals(text: str) -> None:
    assert result_of(ttypes.MetaException(text), Call(_ALTER, "sales.v", writes=True)) is Swap.CANNOT_COMPARE


@pytest.mark.parametrize(
    "text",
    [
        "my listener: no such place: s3://lake/42818.metadata.json",
        "my listener said: The table has been modified. The parameter value for key 'metadata_location' is different",
        "my listener found that sales.v already exists in the index",
        "my listener: sales.v table not found in the catalog of searches",
    ],
)
def test_a_known_text_inside_of_another_one_is_not_taken_for_it(text: str) -> None:
    for kind in (ttypes.MetaException, ttypes.InvalidOperationException):
        found = translate(kind(text), Call(_ALTER, "sales.v", writes=True))
        assert type(found) in (errors.MetastoreUnavailableError, errors.UnsupportedFeatureError)
        assert found.answer is Answer.FAILED
        assert result_of(kind(text), Call(_ALTER, "sales.v", writes=True)) is None


def test_what_an_answer_proves_about_a_write_is_reported_beside_its_class() -> None:
    call = Call(_ALTER, "sales.v", writes=True)
    refused = "The table has been modified. The parameter value for key 'metadata_location' is different"
    confused = 'Object with id "" is managed by a different persistence manager'
    assert translate(ttypes.MetaException(refused), call).answer is Answer.REFUSED
    assert translate(ttypes.NoSuchObjectException("x"), call).answer is Answer.FAILED
    assert translate(ttypes.MetaException(confused), call).answer is Answer.NONE
    assert translate(EOFError(), call).answer is Answer.NONE
    assert translate(EOFError(), call, sent=False).answer is Answer.NOT_SENT


@pytest.mark.parametrize("text", ["Committing the alter table transaction was not successful.", None])
def test_a_write_that_failed_for_another_reason_may_have_happened(text: str | None) -> None:
    """A listener may fail after the change was committed; so only a text that proves a refusal is one."""
    for exception in (ttypes.MetaException(text), TApplicationException(TApplicationException.INTERNAL_ERROR, text)):
        found = translate(exception, Call(_ALTER, "sales.v", writes=True))
        assert isinstance(found, MetastoreUnavailableError)
        assert found.sent


@pytest.mark.parametrize("sent", [True, False])
def test_whether_a_failed_request_had_left_is_reported(sent: bool) -> None:
    found = translate(TTransportException(message="broken pipe"), Call(_ALTER, "sales.v", writes=True), sent=sent)
    assert isinstance(found, MetastoreUnavailableError)
    assert found.sent is sent
    assert "broken pipe" in str(found)


def test_a_text_that_is_no_unicode_is_the_callers_mistake() -> None:
    found = translate(UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"), Call(_ALTER, "sales.v"))
    assert isinstance(found, errors.InvalidInputError)


def test_a_mistake_of_this_library_is_not_blamed_on_the_metastore() -> None:
    with pytest.raises(AttributeError):
        translate(AttributeError("no such attribute"), Call(_ALTER, "sales.v"))


def test_errors_go_to_another_process_with_their_fields() -> None:
    found = translate(ttypes.NoSuchObjectException("sales.v table not found"), Call("get_table_req", "sales.v"))
    copy = pickle.loads(pickle.dumps(found))
    assert (type(copy), str(copy), copy.identifier) == (type(found), str(found), "sales.v")


def test_only_hive_3_confusing_its_threads_is_passing() -> None:
    confused = 'Object with id "" is managed by a different persistence manager'
    assert is_passing(ttypes.MetaException(confused))
    assert not is_passing(ttypes.MetaException("Database is down"))
    assert not is_passing(OSError(confused))
