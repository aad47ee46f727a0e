"""One emulator for the tests of a module; scripted faults do not outlive a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.emulator.emulator_support import EmulatorRun, running_emulator

from timbra.emulator.options import EmulatorOptions


@pytest.fixture(scope="module")
def module_emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatorRun]:
    with running_emulator(tmp_path_factory.mktemp("emulator")) as run:
        yield run


@pytest.fixture
def emulator(module_emulator: EmulatorRun) -> Iterator[EmulatorRun]:
    yield module_emulator
    module_emulator.emulator.configuration.faults.replace(())
    module_emulator.emulator.configuration.change(EmulatorOptions())
