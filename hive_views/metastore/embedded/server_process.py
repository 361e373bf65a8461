"""The process that owns the Java of an embedded metastore, and ends it when it is no longer used.

Java is driven through py4j, PySpark's own bridge, for what Hive's command line cannot do: listening on the loopback
interface only, on a port the system chose, and completing the database, in which ``autoCreateAll`` leaves out the lock
tables and makes the texts of views too short. Once the server runs, the bridge is closed. Java ends when its standard
input does, so also when this process is killed.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from py4j.java_gateway import GatewayParameters, JavaGateway, is_instance_of
from py4j.protocol import Py4JJavaError

from hive_views.errors import MetastoreUnavailableError
from hive_views.metastore.embedded.home import Home, Record, knows_owners_of_connections, lock_directory

_POLL_S = 0.25
_EXIT_TIMEOUT_S = 5.0
_JAVA_OPTIONS = (
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",  # without the second compiler it starts in half the time, and seldom lives for long
    "-XX:-UsePerfData",  # leaves no files in the temporary directory
    "-Djava.security.manager=allow",  # Hadoop's log-in asks for it on Java 23
    "-Djava.awt.headless=true",
    "-Dlog4j2.level=WARN",
    "-Dderby.stream.error.field=java.lang.System.err",
    # Seconds until Derby looks whether two writers wait for each other; by default both stand still for twenty.
    "-Dderby.locks.deadlockTimeout=1",
    # Hive's clients send predicates on partitions as serialised Java objects, which are read by reflection.
    *(f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in ("lang", "net", "util")),
)
# A configuration of another Hive on this machine must not leak into this one.
_FOREIGN_VARIABLES = ("HIVE_CONF_DIR", "HIVE_HOME", "HADOOP_CONF_DIR", "CLASSPATH")
_CONNECTION_URL = "javax.jdo.option.ConnectionURL"
_TABLE_EXISTS = "X0Y32"
_DOOR = Path(__file__).with_name("OwnersDoor.java")


def hive_settings(home: Home) -> dict[str, str]:
    """The settings of the server; the database is named relative to ``home``, Java's working directory."""
    return {
        _CONNECTION_URL: "jdbc:derby:;databaseName=derby/metastore_db;create=true",
        "datanucleus.schema.autoCreateAll": "true",
        "datanucleus.connectionPoolingType": "HikariCP",  # the one pool among PySpark's jars
        "hive.metastore.schema.verification": "false",
        "hive.metastore.warehouse.dir": f"file:{home.warehouse}",
        "hive.async.log.enabled": "false",  # asks for a jar that PySpark does not have
        "hive.hmshandler.retry.interval": "100ms",  # of what Derby refuses under load; by default ten times two seconds
        # The lock of a killed writer ends before those who wait for it give up (Hive's defaults: after 5 to 8 minutes),
        # and not before a living one has missed two heartbeats.
        "hive.txn.timeout": "150s",
        "hive.timedout.txn.reaper.start": "1s",
        "hive.timedout.txn.reaper.interval": "5s",
    }


def serve(home: Home, java: str, jars: str, lock: int, start_timeout_s: float, settings: Mapping[str, str]) -> None:
    """Run the metastore of ``home`` until it is no longer used.

    This process has inherited the locks of ``derby/`` (the descriptor ``lock``) and of ``home``; only the first one is
    passed on to Java.
    """
    process = launch_java(home, java, jars, lock)
    # A start that hangs must not hold the directory for ever.
    watchdog = threading.Timer(start_timeout_s, process.kill)
    watchdog.start()
    try:
        port, token = start_hive(process, {**hive_settings(home), **settings})
        watchdog.cancel()
        home.write_record(Record(port=port, pid=process.pid, token=token))
        wait_until_unused(home, process)
    finally:
        watchdog.cancel()
        home.clear()
        end_java(process)


def launch_java(home: Home, java: str, jars: str, lock: int) -> subprocess.Popen[bytes]:
    """Start Java with an open bridge. It inherits ``lock``, so that the directory stays locked until Java is gone."""
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN_VARIABLES}
    return subprocess.Popen(  # noqa: S603 - the user's own Java, PySpark's jars
        [java, *_JAVA_OPTIONS, "-cp", f"{jars}/*", "py4j.GatewayServer", "--die-on-broken-pipe", "--enable-auth", "0"],
        cwd=home.path,
        # Java reads and writes file names in the encoding of the locale.
        env={**environment, "LC_ALL": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[lock],
    )


def end_java(process: subprocess.Popen[bytes]) -> None:
    """End Java by ending its standard input; by force when it does not listen."""
    with process:
        assert process.stdin
        process.stdin.close()
        try:
            process.wait(_EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()


def start_hive(process: subprocess.Popen[bytes], settings: Mapping[str, str]) -> tuple[int, str]:
    """Start Hive's metastore inside Java; returns its port and the token it answers ``getName`` with.

    Raises:
        MetastoreUnavailableError: Hive does not start; the message ends with the reason.
    """
    gateway = open_bridge(process)
    jvm = gateway.jvm
    token = secrets.token_hex(8)
    try:
        # Nobody reads Java's standard output any more; from now on everything goes to the log.
        jvm.java.lang.System.setOut(jvm.java.lang.System.err)
        configuration = jvm.org.apache.hadoop.hive.conf.HiveConf()
        for name, value in settings.items():
            configuration.set(name, value)
        # First of all, because it alone says why a database cannot be opened.
        handler = make_handler(jvm, configuration, token)
        make_lock_tables(gateway, configuration)
        widen_view_texts(jvm, configuration)
        processor = jvm.org.apache.hadoop.hive.metastore.TUGIBasedProcessor(handler)
        port = start_thrift_server(jvm, processors_for_owner(gateway, processor))
        start_expiry_of_locks(jvm, configuration)
    except Py4JJavaError as error:
        # Reported while Java lives, and the reason last: it is the end of the log that users are shown.
        raise MetastoreUnavailableError(f"{error}\nThe reason: {root_cause(error)}") from None
    gateway.shutdown()
    return port, token


def open_bridge(process: subprocess.Popen[bytes]) -> JavaGateway:
    """Connect to Java's bridge, which prints its port and its password on standard output.

    Raises:
        MetastoreUnavailableError: Java has ended.
    """
    assert process.stdout
    port, password = process.stdout.readline().strip(), process.stdout.readline().strip()
    if not password:
        raise MetastoreUnavailableError("Java ended before it was ready.")
    return JavaGateway(gateway_parameters=GatewayParameters(port=int(port), auth_token=password.decode()))


def make_lock_tables(gateway: JavaGateway, configuration: Any) -> None:
    """Make Hive's transaction tables, in one transaction, in a database that has none."""
    try:
        gateway.jvm.org.apache.hadoop.hive.metastore.txn.TxnDbUtil.prepDb(configuration)
    except Py4JJavaError as error:
        cause = error.java_exception
        if not is_instance_of(gateway, cause, "java.sql.SQLException") or cause.getSQLState() != _TABLE_EXISTS:
            raise


def make_handler(jvm: Any, configuration: Any, name: str) -> Any:
    """Hive's handler of all calls; making it makes the tables of the database."""
    metastore = jvm.org.apache.hadoop.hive.metastore
    bare = getattr(metastore, "HiveMetaStore$HMSHandler")(name, configuration, False)
    return metastore.HiveMetaStore.newRetryingHMSHandler(bare, configuration)


def widen_view_texts(jvm: Any, configuration: Any) -> None:
    """Let a view's texts be of any length; ``autoCreateAll`` makes them LONG VARCHAR, in Derby 32,700 characters."""
    connection = jvm.java.sql.DriverManager.getConnection(configuration.get(_CONNECTION_URL))
    try:
        connection.setAutoCommit(False)
        statement = connection.createStatement()
        for column in ("VIEW_EXPANDED_TEXT", "VIEW_ORIGINAL_TEXT"):
            found = connection.getMetaData().getColumns(None, "APP", "TBLS", column)
            if found.next() and found.getString("TYPE_NAME") == "LONG VARCHAR":
                for change in (
                    "ALTER TABLE TBLS ADD COLUMN WIDER CLOB",
                    f"UPDATE TBLS SET WIDER = {column}",  # noqa: S608 - one of the two names above
                    f"ALTER TABLE TBLS DROP COLUMN {column}",
                    f"RENAME COLUMN TBLS.WIDER TO {column}",
                ):
                    statement.execute(change)
        connection.commit()
    finally:
        connection.rollback()  # of what a failure left; Derby closes no connection in the middle of a transaction
        connection.close()


def processors_for_owner(gateway: JavaGateway, processor: Any) -> Any:
    """What gives each connection its processor: to the owner of this process and to root, where Linux reports who asks.

    Elsewhere every user of this machine gets it, and acts as the owner.
    """
    jvm = gateway.jvm
    if not knows_owners_of_connections():
        return jvm.org.apache.thrift.TProcessorFactory(processor)
    # Spark compiles with it what it makes of queries.
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.cook(_DOOR.read_text(encoding="utf-8"))
    (constructor,) = compiler.getClassLoader().loadClass(_DOOR.stem).getConstructors()
    arguments = gateway.new_array(jvm.java.lang.Object, 2)
    arguments[0], arguments[1] = processor, str(os.geteuid())
    return constructor.newInstance(arguments)


def start_thrift_server(jvm: Any, processors: Any) -> int:
    """What HiveMetaStore.startMetaStore does without Kerberos and TLS, on the loopback interface and a free port."""
    metastore, thrift = jvm.org.apache.hadoop.hive.metastore, jvm.org.apache.thrift
    socket = thrift.transport.TServerSocket(jvm.java.net.InetSocketAddress("127.0.0.1", 0))
    arguments = getattr(thrift.server, "TThreadPoolServer$Args")(metastore.TServerSocketKeepAlive(socket))
    arguments.processorFactory(processors)
    arguments.transportFactory(getattr(jvm.org.apache.hadoop.hive.thrift, "TUGIContainingTransport$Factory")())
    server = thrift.server.TThreadPoolServer(arguments)
    server.setServerEventHandler(connection_cleaner(jvm))
    # A Runnable made by the Java platform itself, because there is no Java code of ours to implement one.
    run = jvm.java.beans.EventHandler.create(jvm.java.lang.Class.forName("java.lang.Runnable"), server, "serve")
    jvm.java.lang.Thread(run, "metastore").start()
    return int(socket.getServerSocket().getLocalPort())


def connection_cleaner(jvm: Any) -> Any:
    """Hive's own handler that closes a client's database session when the client goes; it has no name in Java."""
    constructor = jvm.java.lang.Class.forName("org.apache.hadoop.hive.metastore.HiveMetaStore$3")
    (only,) = constructor.getDeclaredConstructors()
    only.setAccessible(True)
    return only.newInstance(None)


def start_expiry_of_locks(jvm: Any, configuration: Any) -> None:
    """Start Hive's service that removes locks without a heartbeat; a 2.3 server has it only for its compactor."""
    hive = jvm.org.apache.hadoop.hive
    transactional = hive.conf.HiveConf(configuration)
    hive.metastore.txn.TxnDbUtil.setConfValues(transactional)
    hive.ql.txn.AcidHouseKeeperService().start(transactional)


def wait_until_unused(home: Home, process: subprocess.Popen[bytes]) -> None:
    """Return when Java has died, when the server is asked to stop, or when nobody uses it and it is not to be kept.

    In the last case the lock of the users is held until this process ends: whoever comes now waits for the end, and
    then starts a new server.
    """
    while not home.stop.exists():
        unused = lock_directory(home.warehouse, fcntl.LOCK_EX)
        if unused is not None:
            if not home.keep.exists():
                return
            os.close(unused)
        try:
            process.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            continue
        return


def root_cause(error: Py4JJavaError) -> str:
    """The innermost reason of a failure in Java, in one line."""
    cause = error.java_exception
    while (inner := cause.getCause()) is not None:
        cause = inner
    return str(cause.toString())


def main(arguments: Sequence[str]) -> None:
    path, java, jars, lock, start_timeout_s, settings = arguments
    # The starter waits for this process, and its child lives on as nobody's child.
    if os.fork():
        os._exit(0)
    # The bridge complains of every Java object that is forgotten after Java has ended.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    serve(Home(Path(path)), java, jars, int(lock), float(start_timeout_s), json.loads(settings))


if __name__ == "__main__":
    main(sys.argv[1:])
