"""One client as a process of its own: for each line it reads, it changes and reads a view, and records that."""

from __future__ import annotations

import itertools
import json
import logging
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hive_views.metastore.embedded.java import find_java
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.locking import LockMode
from tests.faults.histories.clients import Client, Java, Ours, Rest
from tests.faults.histories.history import KEYS, Answer, Recorder
from tests.support.java.iceberg_java import SWAP_ONCE, started

# Iceberg waits for a taken lock for minutes by default.
_LOCKS = {
    "iceberg.hive.lock-check-min-wait-ms": "20",
    "iceberg.hive.lock-check-max-wait-ms": "100",
    "iceberg.hive.lock-timeout-ms": "1500",
}
_REFUSED_AT_MOST = 3
_PAUSE_S = 0.1
_MIX = {"read": 66, "set": 22, "replace": 8, "create": 2, "drop": 2}


@dataclass(frozen=True)
class Order:
    """What a worker is.

    Attributes:
        client: its number, which no other has.
        kind: ``ours``, ``REST`` or ``Java``.
        address: of the metastore, or of the server of the protocol.
        warehouse: where files of new views go.
        lock: the setting of this library; ``never`` makes Iceberg Java rely on the swap as well.
        history: the file that it writes.
        jars: Iceberg's, and with ``has_hive_3`` those of a metastore's client.
        java: properties of Iceberg's catalog.
    """

    client: int
    kind: str
    address: str
    warehouse: str
    lock: LockMode
    history: str
    jars: tuple[str, ...] = ()
    has_hive_3: bool = False
    java: tuple[tuple[str, str], ...] = ()


@contextmanager
def client_of(order: Order, chance: random.Random) -> Iterator[Client]:
    if order.kind == "REST":
        yield Rest(order.address, chance)
    elif order.kind == "Java":
        settings = SWAP_ONCE if order.lock == "never" else _LOCKS
        scratch = Path(order.history).with_suffix("")
        scratch.mkdir()
        jars = [Path(jar) for jar in order.jars]
        with started(find_java(), jars, order.address, scratch, spark_jars=not order.has_hive_3) as iceberg:
            yield Java(iceberg, settings, dict(order.java))
    else:
        metastore = HiveMetastore(order.address, lock_timeout_s=1.5)
        settings_ = CommitSettings(lock=order.lock, retry_timeout_s=3.0, settle_timeout_s=2.0)
        with ViewCatalog(metastore, warehouse=order.warehouse, settings=settings_) as catalog:
            yield Ours(catalog)


def work(client: Client, recorder: Recorder, order: Order, view: str, count: int, chance: random.Random) -> None:
    """Do so many things to a view, which clients create where they do not find it."""
    mix = {op: weight for op, weight in _MIX.items() if order.kind != "Java" or op not in ("create", "drop")}
    refused, is_missing = 0, True
    for _ in range(count):
        (op,) = chance.choices([*mix], [*mix.values()])
        if is_missing and "create" in mix and chance.random() < 0.5:
            op = "create"
        key, value = chance.randrange(len(KEYS)), f"{order.client}.{next(_VALUES)}"
        call = recorder.call(view, op, key=key, value=value)
        answer = _ask(client, view, op, KEYS[key], value)
        recorder.answer(call, answer)
        is_missing = answer.outcome == "missing"
        if is_missing and "create" not in mix:
            time.sleep(_PAUSE_S)
        if op != "read":
            refused = refused + 1 if answer.outcome == "refused" else 0
        # Who was killed has left a lock that stays for minutes.
        if refused == _REFUSED_AT_MOST:
            return


_VALUES = itertools.count(1)


def _ask(client: Client, view: str, op: str, property_: str, value: str) -> Answer:
    if op == "read":
        return client.read(view)
    if op == "drop":
        return client.drop(view)
    if op == "set":
        return client.set(view, property_, value)
    return client.create(view, value) if op == "create" else client.replace(view, value)


def main() -> None:
    logging.getLogger("hive_views").setLevel(logging.CRITICAL)
    order = Order(**json.loads(sys.argv[1]))
    chance = random.Random(order.client)
    recorder = Recorder(Path(order.history), order.client)
    with client_of(order, chance) as client:
        print("ready", flush=True)
        for line in sys.stdin:
            view, count = line.split()
            work(client, recorder, order, view, int(count), chance)
            print("done", flush=True)


if __name__ == "__main__":
    main()
