"""What a worker of `timbra serve` builds before it accepts requests."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from structlog.testing import capture_logs

import timbra._native
from timbra._native import NativeState
from timbra.bootstrap import open_container
from timbra.cli.operations.jobs import delivery_jobs, process_jobs, worker_jobs
from timbra.cli.operations.serve import log_missing_native_code, warm_up
from timbra.service.services import ProviderServices, SandboxServices
from timbra.settings import Settings

Environment = Literal["sandbox", "production"]


@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_warm_up_builds_every_group_of_the_environment(tmp_path: Path, environment: Environment) -> None:
    with open_container(Settings(data=tmp_path / "data", environment=environment)) as container:
        warm_up(container)
        built = {type(value) for value in vars(container).values()} & set(container.groups)
        missing = {ProviderServices} if environment == "sandbox" else {SandboxServices}
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
