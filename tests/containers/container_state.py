"""How a container is: its health, its log, how it ended."""

from __future__ import annotations

import time

from testcontainers.core.container import DockerContainer

QUICK_HEALTH_CHECK = {"interval": 500_000_000}
"""The image's own check, every half second."""


def wait_for_health(container: DockerContainer, wanted: str) -> list[str]:
    """What the health check says until it says ``wanted``, or for two minutes."""
    states: list[str] = []
    deadline = time.monotonic() + 120
    while states[-1:] != [wanted] and time.monotonic() < deadline:
        wrapped = container.get_wrapped_container()
        wrapped.reload()
        states.append(wrapped.health)
        time.sleep(0.1)
    return states


def exit_code(container: DockerContainer, timeout_s: float) -> int:
    """With what it ended, or ends within this time."""
    return int(container.get_wrapped_container().wait(timeout=timeout_s)["StatusCode"])


def logs(container: DockerContainer) -> str:
    """All that it has printed."""
    return str(container.get_wrapped_container().logs().decode())
