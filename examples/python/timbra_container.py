"""A sandbox PAC in a container for the tests of a program: pip install pytest testcontainers timbra."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy

from timbra.testing import Sandbox, sandbox_at

PORT = 8080
TOKEN = "token-de-desarrollo-local"


def timbra_container(image: str = "timbra") -> DockerContainer:
    """Return the container, not started; it is ready when the server accepts requests."""
    container = DockerContainer(image)
    container.with_command(["dev", "--host", "0.0.0.0", "--port", str(PORT), "--data", "/var/lib/timbra"])
    container.with_env("TIMBRA_DEV_TOKEN", TOKEN)
    container.with_exposed_ports(PORT)
    return container.waiting_for(HttpWaitStrategy(PORT, "/health/ready").with_startup_timeout(120))


@pytest.fixture(scope="session")
def pac() -> Iterator[Sandbox]:
    """The server: `.url` and `.token` for the program under test; `.stamps()`, `.clock` and `.faults` for the tests."""
    with timbra_container() as container:
        url = f"http://{container.get_container_host_ip()}:{container.get_exposed_port(PORT)}"
        with sandbox_at(url, TOKEN) as sandbox:
            yield sandbox
