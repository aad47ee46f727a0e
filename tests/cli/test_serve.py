"""What a worker of `timbra serve` builds before it accepts requests."""

from __future__ import annotations

import gc
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Literal

import pytest
from structlog.testing import capture_logs

import timbra._native
from timbra._native import NativeState
from timbra.app.composition import Container, open_container
from timbra.cli import serve
from timbra.cli.jobs import delivery_jobs, process_jobs, worker_jobs
from timbra.cli.serve import log_missing_native_code, warm_up
from timbra.provider.build import ProviderServices
from timbra.provider.checks import ProviderDoctor
from timbra.provider.enrollment import ProviderEnrollment
from timbra.sandbox.services import SandboxServices
from timbra.settings import Settings
from timbra.web.server.worker import listen

Environment = Literal["sandbox", "production"]


@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_warm_up_builds_every_group_of_the_environment(tmp_path: Path, environment: Environment) -> None:
    with open_container(Settings(data=tmp_path / "data", environment=environment)) as container:
        warm_up(container)
        built = {type(value) for value in container.parts.values()} & set(container.groups)
        missing = (
            {ProviderServices, ProviderEnrollment, ProviderDoctor} if environment == "sandbox" else {SandboxServices}
        )
        assert set(container.groups) - built == missing


def test_periodic_jobs_have_unique_names(tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path / "data")) as container:
        beside_requests = [*worker_jobs(container), *delivery_jobs(container)]
        apart = [*process_jobs(container), *delivery_jobs(container)]
    for jobs in (beside_requests, apart):
        names = [job.name for job in jobs]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(("state", "logged"), [(NativeState(True), []), (NativeState(False, "why"), ["why"])])
def test_log_missing_native_code_gives_the_reason(
    state: NativeState, logged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timbra._native, "STATE", state)
    with capture_logs() as lines:
        log_missing_native_code()
    assert [line["reason"] for line in lines] == logged


def test_a_worker_imports_no_http_client_of_webhooks(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from timbra.app.composition import open_container;"
        "from timbra.cli.serve import warm_up; from timbra.settings import Settings;"
        "from timbra.webhooks.endpoints import WebhookService\n"
        f"with open_container(Settings(data=Path({str(tmp_path / 'data')!r}))) as container:\n"
        "    warm_up(container); container.groups[WebhookService]()\n"
        "    print('httpcore2' in sys.modules, 'timbra.webhooks.endpoints' in sys.modules)"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout.split() == ["False", "True"]


def test_run_worker_builds_its_services_without_collections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    states: list[bool] = []

    def observe(container: Container) -> None:
        states.append(gc.isenabled())
        raise InterruptedError

    monkeypatch.setattr(serve, "freeze_objects", lambda: pytest.fail("the start has ended before"))
    with listen("127.0.0.1", 0) as listener, suppress(InterruptedError):
        serve.run_worker(Settings(data=tmp_path / "data"), None, listener, lambda: None, on_open=observe)
    gc.enable()
    assert states == [False]
