"""How long the state machines run: shortly by default, long with HYPOTHESIS_PROFILE=thorough."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator

import pytest
from hypothesis import HealthCheck, settings

_ANY_PACE = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}

settings.register_profile("short", max_examples=40, stateful_step_count=25, **_ANY_PACE)
settings.register_profile("thorough", max_examples=1500, stateful_step_count=60, **_ANY_PACE)


_PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "short")


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makemodule() -> Generator[None, pytest.Module, pytest.Module]:
    """What a module decorates takes the profile that is loaded when it is imported; other folders have another one."""
    module = yield
    settings.load_profile(_PROFILE)
    return module


@pytest.fixture(autouse=True)
def _profile() -> Iterator[None]:
    """A machine takes the profile that is loaded when it is run: by then, that of the last folder."""
    former = settings.get_current_profile_name()
    settings.load_profile(_PROFILE)
    yield
    settings.load_profile(former)


@pytest.fixture(autouse=True)
def _quiet(quiet_log: None) -> None:
    """The machines damage rows on purpose."""
