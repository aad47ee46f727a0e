"""Fixtures of pytest for programs that issue CFDI: a local PAC for the session.

`pip install timbra[pytest]` is enough: pytest finds the plugin by its entry point.

def test_invoice_is_stamped(clean_timbra):
    answer = httpx.post(f"{clean_timbra.url}/cfdi33/issue/v4", ...)
    assert len(clean_timbra.stamps()) == 1
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING

try:
    import pytest
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("timbra.pytest_plugin needs pytest: pip install 'timbra[pytest]'") from error

if TYPE_CHECKING:
    from timbra.testing import Sandbox

WORKERS = "PYTEST_XDIST_WORKER_COUNT"
"""Variable of pytest-xdist with the number of its processes."""

SHARED = "A server that several processes share cannot be reset: leave out --timbra-url or -n."


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("timbra", "Timbra, a local PAC")
    group.addoption(
        "--timbra-url",
        default=os.environ.get("TIMBRA_TEST_URL", ""),
        help="Base URL of a running sandbox, for instance a container; without it each session starts its own. "
        "Default: TIMBRA_TEST_URL.",
    )
    group.addoption(
        "--timbra-token",
        default=os.environ.get("TIMBRA_TEST_TOKEN", ""),
        help="Token of an administrator of the running sandbox. Default: TIMBRA_TEST_TOKEN.",
    )
    parser.addini("timbra_seed", "YAML file with accounts, taxpayers, CSDs, faults and the clock.", type="string")


@pytest.fixture(scope="session")
def timbra(pytestconfig: pytest.Config) -> Iterator[Sandbox]:
    """A sandbox server for the session; with pytest-xdist one for each process."""
    from timbra.testing import SandboxError

    with ExitStack() as stack:
        try:
            sandbox = stack.enter_context(_sandbox(pytestconfig))
        except SandboxError as error:
            pytest.fail(str(error), pytrace=False)
        yield sandbox


@pytest.fixture
def clean_timbra(timbra: Sandbox, pytestconfig: pytest.Config) -> Sandbox:
    """The server of the session after a reset: without stamps, faults and movements of the clock."""
    from timbra.testing import SandboxError

    if pytestconfig.getoption("timbra_url") and int(os.environ.get(WORKERS, "1")) > 1:
        pytest.fail(SHARED, pytrace=False)
    try:
        timbra.reset()
    except SandboxError as error:
        pytest.fail(str(error), pytrace=False)
    return timbra


def _sandbox(config: pytest.Config) -> AbstractContextManager[Sandbox]:
    """Return the running server of the options, or one that is started with the seed file of the configuration."""
    from timbra.testing import running_sandbox, sandbox_at

    if url := config.getoption("timbra_url"):
        return sandbox_at(url, config.getoption("timbra_token"))
    seed = config.getini("timbra_seed")
    return running_sandbox(config.rootpath / seed if seed else None)
