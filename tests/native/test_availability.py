"""Native code runs only with the versions for which it was compiled, and says why it does not."""

from __future__ import annotations

import pytest
from lxml import etree

from timbra._native.availability import NativeState, decide

INSTALLED = etree.LIBXML_VERSION[:2]


def absent() -> tuple[int, int]:
    raise ImportError("No module named 'timbra._native.build_info'")


def test_decide_uses_native_code_of_the_same_versions() -> None:
    assert decide("auto", lambda: INSTALLED) == NativeState(active=True)
    assert decide("1", lambda: INSTALLED) == NativeState(active=True)


def test_decide_uses_native_code_compiled_for_a_newer_libxml2() -> None:
    assert decide("auto", lambda: (INSTALLED[0], INSTALLED[1] + 1)).active


@pytest.mark.parametrize("compiled", [(INSTALLED[0], INSTALLED[1] - 1), (INSTALLED[0] - 1, 99)])
def test_decide_rejects_native_code_compiled_for_an_older_libxml2(compiled: tuple[int, int]) -> None:
    state = decide("auto", lambda: compiled)
    assert not state.active
    assert f"compiled for {compiled[0]}.{compiled[1]}" in state.reason


@pytest.mark.parametrize("version", [(5, 3, 2, 0), (7, 0, 0, 0)])
def test_decide_rejects_an_untried_lxml(version: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(etree, "LXML_VERSION", version)
    state = decide("auto", lambda: INSTALLED)
    assert state == NativeState(False, f"lxml {version[0]}.{version[1]} is not supported by the native extension")


@pytest.mark.parametrize("version", [(5, 4, 0, 0), (6, 0, 2, 0), (6, 1, 3, 0)])
def test_decide_accepts_tried_versions_of_lxml(version: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(etree, "LXML_VERSION", version)
    assert decide("auto", lambda: INSTALLED).active


def test_decide_uses_python_without_an_extension() -> None:
    assert decide("auto", absent) == NativeState(False, "the package was installed without the native extension")


def test_decide_uses_python_when_told_so() -> None:
    assert decide("0", lambda: INSTALLED) == NativeState(False, "TIMBRA_NATIVE is 0")


def test_decide_raises_when_required_native_code_is_not_usable() -> None:
    with pytest.raises(ImportError, match="TIMBRA_NATIVE is 1, but the package was installed without"):
        decide("1", absent)


def test_decide_rejects_an_unknown_mode() -> None:
    with pytest.raises(ValueError, match="TIMBRA_NATIVE is 'yes'"):
        decide("yes", lambda: INSTALLED)
