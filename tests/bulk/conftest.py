"""Documents of a sandbox, and workers of this process over its data folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.support.sandbox_app import FECHA, NOW, SandboxApp

from timbra import examples
from timbra.bulk.worker import Worker, WorkerOptions
from timbra.container.build import data_folder


@pytest.fixture(scope="session")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    yield made
    made.container.close()


@pytest.fixture(scope="session")
def stamped(sandbox_app: SandboxApp) -> list[bytes]:
    """Six stamped invoices of one to three concepts."""
    texts = [examples.ingreso({"@Folio": str(i)}, concepts=1 + i % 3, fecha=FECHA) for i in range(6)]
    return [sandbox_app.issue(text.encode()).cfdi.encode() for text in texts]


@pytest.fixture
def worker(sandbox_app: SandboxApp, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """A worker that writes the optional tables."""
    monkeypatch.setenv("TIMBRA_CLOCK", NOW)
    with closing(
        Worker(WorkerOptions(sandbox_app.container.get(data_folder), tables=("concepts", "payments")))
    ) as made:
        yield made
