"""What a worker of `timbra serve` builds before it accepts requests."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from timbra.bootstrap import open_container
from timbra.cli.operations.serve import periodic_jobs, warm_up
from timbra.service.services import SandboxServices
from timbra.settings import Settings

Environment = Literal["sandbox", "production"]


@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_warm_up_builds_every_group_of_the_environment(tmp_path: Path, environment: Environment) -> None:
    with open_container(Settings(data=tmp_path / "data", environment=environment)) as container:
        warm_up(container)
        built = {type(value) for value in vars(container).values()} & set(container.groups)
        missing = set() if environment == "sandbox" else {SandboxServices}
        assert set(container.groups) - built == missing


def test_periodic_jobs_have_unique_names(tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path / "data")) as container:
        names = [job.name for job in periodic_jobs(container)]
    assert len(names) == len(set(names))
