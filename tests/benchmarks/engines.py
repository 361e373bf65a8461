"""What a process pays for its views on S3: by our files, and by obstore, the leanest client that was found."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from hive_views.storage.files import Files
from tests.benchmarks.figures import Figure
from tests.support.processes.own_environments import python_with
from tests.support.processes.s3_server import s3_server

_LOADS = 100
_OURS = """
from hive_views.storage.files import Files
read = Files(options).read
"""
_OBSTORE = """
from obstore.store import S3Store
store = S3Store(
    location.split("/")[2], endpoint=options["endpoint_url"], region=options["client_kwargs"]["region_name"],
    access_key_id=options["key"], secret_access_key=options["secret"], client_options={"allow_http": True},
)
read = lambda location: store.get(location.split("/", 3)[3]).bytes().to_bytes()
"""
_PROGRAM = """
import json, sys, time
from concurrent.futures import ThreadPoolExecutor
options, location, loads = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])
def timed(clock, work):
    started = clock()
    work()
    return clock() - started
def start():
    global read
    ENGINE
    read(location)
found = {"CPU until the first load": timed(time.process_time, start)}
if loads:
    found[f"{loads} loads"] = timed(time.perf_counter, lambda: [read(location) for _ in range(loads)])
    with ThreadPoolExecutor(16) as threads:
        at_once = lambda: list(threads.map(read, [location] * loads))
        found[f"{loads} loads, 16 at once"] = timed(time.perf_counter, at_once)
print(json.dumps(found))
"""


def measure_engines(directory: Path, rounds: int) -> Iterator[Figure]:
    """Loads of a metadata file of 5 kB, each round by a new process of each side."""
    sides = [(Path(sys.executable), _OURS), (python_with("obstore", ("obstore==0.12.1",)), _OBSTORE)]
    with s3_server(directory) as server:
        location = f"s3://{server.new_bucket()}/view.json"
        Files(server.options).write(location, b"x" * 5_000)
        found: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
        for turn in range(rounds + 1):
            for side, (python, engine) in enumerate(sides):
                program = _PROGRAM.replace("    ENGINE", "\n".join(f"    {line}" for line in engine.splitlines()))
                for loads in (0, _LOADS):
                    command = [str(python), "-c", program, json.dumps(server.options), location, str(loads)]
                    started = time.perf_counter()
                    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                    seconds = time.perf_counter() - started
                    measured = json.loads(answer) if loads else {"one load, whole process": seconds}
                    for what, value in measured.items() if turn else ():
                        found[what][side].append(value)
    for what, (ours, theirs) in found.items():
        yield Figure(f"{what}, on S3", ours, theirs, None)
