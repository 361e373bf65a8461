"""What an exception of Thrift or of the metastore means: one table, read from the top, and what applies it.

Servers are often recognised by the text of an answer, since one class serves many ends.

The texts were measured on Hive 2.3.9, 2.3.10, 3.1.3, 4.0.1 and 4.2.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException, TException
from thrift.transport.TTransport import TTransportException

from hive_views.errors import (
    AlreadyExistsError,
    Answer,
    AuthenticationError,
    CommitFailedError,
    HiveViewsError,
    InvalidInputError,
    InvalidPartitionError,
    MetastoreUnavailableError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchPartitionError,
    NoSuchTableError,
    PartitionAlreadyExistsError,
    PermissionDeniedError,
    TableAlreadyExistsError,
    UnsupportedFeatureError,
)
from hive_views.messages.logs import logger_of
from hive_views.messages.lost_race import CHANGED_BY_ANOTHER_WRITER
from hive_views.metastore.port import AddedPartitions, Swap
from hive_views.metastore.thrift._bindings.hms.ttypes import (
    AlreadyExistsException,
    ConfigValSecurityException,
    InvalidObjectException,
    InvalidOperationException,
    InvalidPartitionException,
    MetaException,
    NoSuchLockException,
    NoSuchObjectException,
    NoSuchTxnException,
    TxnAbortedException,
    TxnOpenException,
    UnknownDBException,
    UnknownPartitionException,
    UnknownTableException,
)
from hive_views.metastore.thrift.http_messages import HttpCredentialsError, HttpStatusError

log = logger_of(__name__)

# In the server's own words.
_SWAP_REFUSED = (
    r"The table has been modified\.( The parameter value for key '[^']*' is "
    r"(different|'(?P<found>.*)'\. The expected was value was '(?P<expected>.*)'))?"
)

_NULL_POINTER = r"([\w.]+: )*java\.lang\.NullPointerException"
_PASSING = "is managed by a different persistence manager|Persistence Manager has been closed"


@dataclass(frozen=True)
class Call:
    """A call as its errors describe it: the Thrift method, what it is about (``sales.daily``), whether it writes."""

    method: str
    about: str
    writes: bool = False


@dataclass(frozen=True)
class Rule:
    """Exceptions of these kinds, with this text, from these methods, mean this error; None stands for any.

    ``text`` matches the whole message: a name or a value in it could hold anything. ``answer`` is what it proves
    about a write that was sent.
    """

    kinds: tuple[type[Exception], ...]
    means: type[HiveViewsError]
    says: str
    text: str = ".*"
    methods: tuple[str, ...] | None = None
    answer: Answer = Answer.FAILED

    def fits(self, error: Exception, call: Call) -> re.Match[str] | None:
        if not isinstance(error, self.kinds) or (self.methods is not None and call.method not in self.methods):
            return None
        return re.fullmatch(self.text, text_of(error), re.DOTALL)


@dataclass(frozen=True)
class ResultRule:
    """Exceptions of these kinds, with this text, from this method, are a result of a verb: another way is left."""

    kinds: tuple[type[Exception], ...]
    method: str
    text: str
    result: Swap | AddedPartitions


# The class of some refusals differs between servers and vendors; the text does not.
_REFUSALS = (MetaException, InvalidOperationException, InvalidObjectException, TApplicationException)

_ALTER = "alter_table_with_environment_context"

RESULTS: tuple[ResultRule, ...] = (
    ResultRule(
        _REFUSALS,
        _ALTER,
        # The server passes on what the database says: the statement first, and the reason somewhere behind it.
        r'([\w.]+: )*Error executing SQL query "update "TABLE_PARAMS" set "PARAM_VALUE".*'
        r"|([\w.]+: )*ERROR 42818: Comparisons between 'CLOB .*' and 'CLOB .*' are not supported.*"
        r"|Cannot update parameter with JDO, make sure direct SQL is enabled.*",
        Swap.CANNOT_COMPARE,
    ),
    # Java before 14 does not say what was null.
    ResultRule(
        (MetaException,),
        _ALTER,
        rf"{_NULL_POINTER}(: Cannot invoke \"[\w.]*StorageDescriptor\.getCols\(\)\" because .*getSd\(\).*)?",
        Swap.CANNOT_CHANGE_COLUMNS,
    ),
    ResultRule(
        (MetaException,),
        "add_partitions_req",
        # A view of ours has no location that could be to blame.
        rf"{_NULL_POINTER}(: Cannot invoke \"[\w.]*StorageDescriptor\.getLocation\(\)\" because .*)?",
        AddedPartitions(needs_descriptors=True),
    ),
)

_OF_DATABASES = ("get_database", "alter_database", "drop_database")

RULES: tuple[Rule, ...] = (
    Rule(
        (MetaException, InvalidOperationException),
        PermissionDeniedError,
        "The metastore does not permit this user to use {about}: {text}.",
        # Of storage-based authorization, of HDFS, of HiveMetaStoreAuthorizer (as Ranger has it), and of Hive's first.
        text=r"(Got exception: )?([\w.]*AccessControlException\b|Permission denied: |No privilege ').*",
    ),
    Rule(
        (InvalidOperationException,),
        NamespaceNotEmptyError,
        "Namespace {about} is not empty: drop its tables, views and functions first.",
        text=r"Database \S+ is not empty\..*",
        methods=("drop_database",),
    ),
    Rule(
        (MetaException,),
        NamespaceNotEmptyError,
        "Namespace {about} is not empty: something was created in it just now.",
        text=r".*foreign key constraint .*",
        methods=("drop_database",),
    ),
    Rule(
        (MetaException,),
        AlreadyExistsError,
        "Namespace {about} already exists: it was created just now.",
        text=r".*(?i:duplicate) (entry|key value) .*\bUNIQUE_DATABASE\b.*",
        methods=("create_database",),
    ),
    Rule(
        (MetaException,),
        NoSuchNamespaceError,
        "There is no namespace for {about}: it was dropped just now.",
        text=r"Database \S+ for table \S+ could not be found"
        r"|.*INSERT INTO .*TBLS.*foreign key constraint .*\bDB(S|_ID).*",
        methods=("create_table",),
    ),
    Rule(
        (MetaException,),
        NoSuchNamespaceError,
        "There is no namespace {about}.",
        # Hive 2.3 would tell its listeners of it; on an old Java it says no more than NullPointerException. Hive 4.2
        # had found it just before.
        text=rf"{_NULL_POINTER}: Cannot invoke \"[\w.]*Database\.getName\(\)\" because \"db\" is null"
        r"|There is no database \S+",
        methods=("drop_database",),
    ),
    Rule(
        (MetaException,),
        InvalidInputError,
        "Namespace {about} cannot be dropped: every metastore has one.",
        text="Can not drop default database.*",
        methods=("drop_database",),
    ),
    Rule(
        _REFUSALS,
        CommitFailedError,
        CHANGED_BY_ANOTHER_WRITER,
        text=_SWAP_REFUSED,
        methods=(_ALTER,),
        answer=Answer.REFUSED,
    ),
    Rule(
        _REFUSALS,
        InvalidInputError,
        "Cannot change {about}: its new row has no metadata_location.",
        text="New value for expected key .* is not set",
    ),
    Rule((NoSuchObjectException,), NoSuchNamespaceError, "There is no namespace {about}.", methods=_OF_DATABASES),
    Rule(
        (NoSuchObjectException,),
        NoSuchPartitionError,
        "Not all of these partitions of {about} exist, so none was dropped.",
        text=r"Some partitions to drop are missing.*",
    ),
    Rule((NoSuchObjectException,), NoSuchTableError, "There is no table or view {about}."),
    Rule((UnknownTableException,), NoSuchTableError, "There is no table or view {about}."),
    Rule((UnknownPartitionException,), NoSuchPartitionError, "There is no such partition of {about}: {text}."),
    Rule((InvalidPartitionException,), InvalidPartitionError, "The partition does not fit {about}: {text}."),
    Rule((UnknownDBException,), NoSuchNamespaceError, "There is no namespace {about}."),
    Rule(
        (AlreadyExistsException,),
        PartitionAlreadyExistsError,
        "Some of these partitions of {about} already exist, so none was added.",
        methods=("add_partitions_req",),
    ),
    Rule((AlreadyExistsException,), TableAlreadyExistsError, "The name {about} is taken.", methods=("create_table",)),
    Rule((AlreadyExistsException,), AlreadyExistsError, "Namespace {about} already exists."),
    Rule(
        (InvalidObjectException,),
        NoSuchTableError,
        "There is no table or view {about}.",
        text=r"Unable to add partitions because .* does not exist|\S+ table not found",
    ),
    Rule(
        (InvalidObjectException,),
        NoSuchNamespaceError,
        "There is no namespace for {about}.",
        methods=("create_table",),
        # Nothing but the name of the database: `nodb` on 2.3 and 3.1, `database hive.nodb` on 4.x; more where it was
        # dropped just now.
        text=r"(database )?[\w.]+|Database \S+ doesn't exist\.",
    ),
    Rule((InvalidObjectException,), InvalidInputError, "The metastore cannot hold {about}: {text}."),
    Rule(
        (InvalidOperationException,),
        NoSuchNamespaceError,
        "There is no namespace for the new name of {about}.",
        # 4.2 says `... detailed stack.database hive.nodb` and no more.
        text=r"Unable to change partition or table\."
        r".*([Dd]atabase \S+ (doesn't|does not) exist\.?|\.\s*database [\w.]+)"
        r"( Check metastore logs for detailed stack\.)?",
    ),
    Rule(
        (InvalidOperationException,),
        NoSuchPartitionError,
        "Not all of these partitions of {about} exist, so none was changed.",
        text=r"Alter partition operation failed: "
        r"(NoSuchObjectException\(message:partition .*|new parts size \d+ not matching with old parts size .*)",
    ),
    Rule(
        (InvalidOperationException,),
        NoSuchTableError,
        "There is no table or view {about}.",
        text=r"\S+ table not found"
        r"|(Alter partition operation failed: InvalidObjectException\(message:)?"
        r"Unable to alter partitions because table or database does not exist\.\)?",
    ),
    Rule(
        (InvalidOperationException,),
        TableAlreadyExistsError,
        "The new name of {about} is taken.",
        text=r"new table \S+ already exists",
    ),
    Rule((InvalidOperationException,), UnsupportedFeatureError, "The metastore refused to change {about}: {text}."),
    Rule(
        (MetaException,),
        InvalidPartitionError,
        "These partitions do not fit {about}: {text}.",
        text=r"Invalid partition key & values; .*|Incorrect number of partition values\..*"
        r"|([\w.]+: )*(Duplicate partitions in the list: .*|Cannot specify location for a view partition)",
    ),
    Rule(
        (MetaException,),
        InvalidPartitionError,
        "The database of this metastore cannot hold these partition values of {about}, nor look for them: it is "
        "latin1, as the official schema for MySQL and MariaDB is. Nothing was changed.",
        # The server has tried for 20 s; the statement failed each time while it looked for what is there already.
        text=r".*java\.sql\.SQL\w*Exception: .*Illegal mix of collations \(.*",
    ),
    Rule(
        (MetaException,),
        UnsupportedFeatureError,
        "This metastore cannot do that with partitions of {about} that have no storage descriptor: {text}.",
        text=rf"{_NULL_POINTER}: .*getSd\(\).*",
    ),
    Rule((MetaException,), MetastoreUnavailableError, "The metastore failed on {about}: {text}."),
    Rule((ConfigValSecurityException,), UnsupportedFeatureError, "The metastore does not report its setting {about}."),
    Rule(
        (NoSuchLockException, NoSuchTxnException, TxnAbortedException, TxnOpenException),
        CommitFailedError,
        "The lock of {about} was lost: {text}. Repeat the change.",
    ),
    Rule(
        (TApplicationException,),
        UnsupportedFeatureError,
        "This metastore does not know the call {method}.",
        text=r"Invalid method name: .*|Unknown (method|function) .*",
    ),
    Rule(
        (TApplicationException,),
        MetastoreUnavailableError,
        "The metastore failed inside {method} for {about}: {text}. Its log says why.",
    ),
    Rule(
        (UnicodeEncodeError,), InvalidInputError, "Cannot send {about}: a string in it is not valid Unicode ({text})."
    ),
    Rule((HttpCredentialsError,), AuthenticationError, "The metastore did not carry out {method} for {about}: {text}."),
    Rule(
        (TTransportException, TProtocolException, EOFError, OSError, UnicodeDecodeError),
        MetastoreUnavailableError,
        "The metastore did not respond to {method} for {about}: {text}.",
    ),
)

# What a server says by itself: the answer was read to its end and the connection can go on.
ANSWERS: tuple[type[Exception], ...] = (
    AlreadyExistsException,
    ConfigValSecurityException,
    InvalidObjectException,
    InvalidOperationException,
    InvalidPartitionException,
    MetaException,
    NoSuchLockException,
    NoSuchObjectException,
    NoSuchTxnException,
    TApplicationException,
    TxnAbortedException,
    TxnOpenException,
    UnknownDBException,
    UnknownPartitionException,
    UnknownTableException,
)
WIRE_FAILURES: tuple[type[Exception], ...] = (
    TTransportException,
    TProtocolException,
    EOFError,
    OSError,
    UnicodeDecodeError,
    UnicodeEncodeError,
)


def result_of(error: Exception, call: Call) -> Swap | AddedPartitions | None:
    """The result of a verb that the answer to a call means; None where it means an error, as ``translate`` gives it."""
    if is_passing(error):
        return None
    text = text_of(error)
    for rule in RESULTS:
        if rule.method == call.method and isinstance(error, rule.kinds) and re.fullmatch(rule.text, text, re.DOTALL):
            log.warning("%s of %s was answered: %s", call.method, call.about, text)
            return rule.result
    return None


def translate(error: Exception, call: Call, *, sent: bool = True) -> HiveViewsError:
    """The error of this library that an exception out of a call means.

    Args:
        error: one of ``ANSWERS`` or ``WIRE_FAILURES``.
        sent: whether the request had left completely; used where the error depends on it.
    """
    text = text_of(error)
    for rule in RULES:
        found = rule.fits(error, call)
        if found is None:
            continue
        message = rule.says.format(about=call.about, method=call.method, text=text.rstrip(". "))
        answer = _answer(error, rule, sent=sent)
        remedy = error.remedy if isinstance(error, HttpStatusError) else None
        failure = rule.means(message, remedy=remedy, answer=answer, identifier=call.about, server_text=text)
        if isinstance(failure, CommitFailedError):
            places = found.groupdict()
            failure.found_location, failure.expected_location = places.get("found"), places.get("expected")
        return failure
    raise error


def _answer(error: Exception, rule: Rule, *, sent: bool) -> Answer:
    if isinstance(error, HttpStatusError) and error.is_refusal:
        return Answer.NOT_SENT
    if not isinstance(error, ANSWERS):
        return Answer.NONE if sent else Answer.NOT_SENT
    # A server that confuses its threads may still carry out what it has refused.
    return Answer.NONE if is_passing(error) else rule.answer


def is_passing(error: BaseException) -> bool:
    """Whether a read that is repeated on another connection will probably succeed.

    Hive 3.1 confuses its own threads under load; in 4.x a connection's thread may be left with a closed session.
    """
    return isinstance(error, MetaException) and re.search(_PASSING, text_of(error)) is not None


def text_of(error: BaseException) -> str:
    """What the server said, or what went wrong on the wire."""
    message = getattr(error, "message", None) if isinstance(error, TException) else None
    return str(message or error or type(error).__name__)
