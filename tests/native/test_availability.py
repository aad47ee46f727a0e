"""Native code runs only with the versions for which it was compiled, and says why it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import etree

import timbra._native
from timbra._native.availability import NativeState, decide

INSTALLED = etree.LIBXML_VERSION[:2]


def load() -> None:
    """Stand for modules that load."""


def absent() -> tuple[int, int]:
    raise ImportError("No module named 'timbra._native.build_info'")


def test_decide_uses_native_code_of_the_same_versions() -> None:
    assert decide("auto", lambda: INSTALLED, load) == NativeState(active=True)
    assert decide("1", lambda: INSTALLED, load) == NativeState(active=True)


def test_decide_uses_native_code_compiled_for_a_newer_libxml2() -> None:
    assert decide("auto", lambda: (INSTALLED[0], INSTALLED[1] + 1), load).active


@pytest.mark.parametrize("compiled", [(INSTALLED[0], INSTALLED[1] - 1), (INSTALLED[0] - 1, 99)])
def test_decide_rejects_native_code_compiled_for_an_older_libxml2(compiled: tuple[int, int]) -> None:
    state = decide("auto", lambda: compiled, load)
    assert not state.active
    assert f"compiled for {compiled[0]}.{compiled[1]}" in state.reason


@pytest.mark.parametrize("version", [(5, 3, 2, 0), (7, 0, 0, 0)])
def test_decide_rejects_an_untried_lxml(version: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(etree, "LXML_VERSION", version)
    state = decide("auto", lambda: INSTALLED, load)
    assert state == NativeState(False, f"lxml {version[0]}.{version[1]} is not supported by the native extension")


@pytest.mark.parametrize("version", [(5, 4, 0, 0), (6, 0, 2, 0), (6, 1, 3, 0)])
def test_decide_accepts_tried_versions_of_lxml(version: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(etree, "LXML_VERSION", version)
    assert decide("auto", lambda: INSTALLED, load).active


def test_decide_uses_python_without_an_extension() -> None:
    assert decide("auto", absent, load) == NativeState(False, "the package was installed without the native extension")


def test_decide_uses_python_when_told_so() -> None:
    assert decide("0", lambda: INSTALLED, load) == NativeState(False, "TIMBRA_NATIVE is 0")


def test_decide_raises_when_required_native_code_is_not_usable() -> None:
    with pytest.raises(ImportError, match="TIMBRA_NATIVE is 1, but the package was installed without"):
        decide("1", absent, load)


def test_decide_rejects_an_unknown_mode() -> None:
    with pytest.raises(ValueError, match="TIMBRA_NATIVE is 'yes'"):
        decide("yes", lambda: INSTALLED, load)


@pytest.mark.parametrize("error", [ImportError, TypeError, ValueError])
def test_decide_uses_python_when_the_interface_of_lxml_is_another_one(error: type[Exception]) -> None:
    def fail() -> None:
        raise error("_Element has the wrong size")

    state = decide("auto", lambda: INSTALLED, fail)
    assert not state.active
    assert state.reason.endswith("_Element has the wrong size")


def test_decide_loads_nothing_when_versions_do_not_match() -> None:
    loaded: list[str] = []
    decide("auto", lambda: (0, 0), lambda: loaded.append("loaded"))
    decide("0", lambda: INSTALLED, lambda: loaded.append("loaded"))
    assert loaded == []


def test_modules_are_all_that_are_compiled() -> None:
    folder = Path(timbra._native.__file__).parent
    assert {*timbra._native.MODULES, "build_info"} == {path.stem for path in folder.glob("*.pyx")}


@pytest.mark.parametrize(("mode", "line"), [("0", "False TIMBRA_NATIVE is 0"), ("", None)])
def test_state_follows_the_environment_variable(mode: str, line: str | None) -> None:
    program = "from timbra._native import STATE; print(STATE.active, STATE.reason)"
    environment = os.environ | {"TIMBRA_NATIVE": mode}
    command = [sys.executable, "-c", program]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()
    assert printed == (line or f"{timbra._native.STATE.active} {timbra._native.STATE.reason}".strip())
