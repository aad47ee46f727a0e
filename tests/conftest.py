"""Settings of the whole suite: the layer of each test, database calls off the event loop, the keys of
sandboxes, the hypothesis profiles."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import HealthCheck, settings
from tests.support import cached_keys, memory_folder, shared_results
from tests.support.layers import is_slow, layer_of

from timbra.pools.event_loop import forbid_on_event_loop

pytest_plugins = ["tests.support.fixtures"]
TESTS = Path(__file__).parent

settings.register_profile("suite", deadline=None, max_examples=25)
settings.register_profile("long", deadline=None, max_examples=5000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

# The suite imports some thousand modules: without written bytecode every process would compile them again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# jsonschema would compile the grammars of formats that no schema of the tests has, which takes three seconds.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
forbid_on_event_loop()
os.environ["TIMBRA_LANG"] = "en"
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts a job of the background so, and every program of a test would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
    # A make that a test runs is not a part of the make that runs the tests.
    os.environ.pop(variable, None)
memory_folder.install()
cached_keys.install()
shared_results.install()


def pytest_configure(config: pytest.Config) -> None:
    """Keep the keys of sandboxes in the cache of pytest, which all workers share."""
    cache = getattr(config, "cache", None)  # absent with `-p no:cacheprovider`
    if cache is not None:
        os.environ[cached_keys.FOLDER] = str(cache.mkdir("sandbox-keys"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Stop the garbage collector while the tests are collected: they stay in memory, and it would search them often."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, and resume it, less often, for what the tests make."""
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def default_data_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the default data folder and the cache folder of commands away from the developer's own."""
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("data-home"))
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache-home"))


@pytest.fixture(autouse=True)
def unchanged_settings() -> Iterator[None]:
    """Fail a test that leaves other variables of Timbra behind: they would be the settings of later tests."""
    before = timbra_variables()
    yield
    assert timbra_variables() == before


def timbra_variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("TIMBRA_")}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test with its layer, and with `slow` when `make test-fast` leaves it out."""
    for path, group in groupby(items, lambda item: item.path):
        module = PurePosixPath(path.relative_to(TESTS).with_suffix("").as_posix())
        slow = is_slow(module)
        layers: dict[tuple[str, ...], str] = {}
        for item in group:
            if isinstance(item, pytest.Function):
                fixtures = tuple(item.fixturenames)
                if fixtures not in layers:
                    layers[fixtures] = layer_of(module, vars(item.module), fixtures)
                item.add_marker(layers[fixtures])
            if slow:
                item.add_marker("slow")
