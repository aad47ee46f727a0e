"""Whether the native extension may be used: it reads libxml2's structures directly, so versions must match."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module

from lxml import etree

VARIABLE = "TIMBRA_NATIVE"
MODES = ("auto", "0", "1")
OLDEST_LXML = (5, 4)
LXML_BEFORE = (7, 0)
"""First version of lxml whose C interface has not been tried."""
OLDEST_LIBXML2 = (2, 10)


@dataclass(frozen=True, slots=True)
class NativeState:
    """Whether native code runs.

    Attributes:
        active: Native code runs; otherwise the equal functions in Python do.
        reason: Why not, in English; empty when active.
    """

    active: bool
    reason: str = ""


def decide(mode: str, compiled: Callable[[], tuple[int, int]], load: Callable[[], object]) -> NativeState:
    """Decide whether the extension may be used in this process.

    Args:
        mode: Value of `TIMBRA_NATIVE`: `auto`, `0` (Python) or `1` (native, or an error).
        compiled: Returns major and minor version of the libxml2 headers of the extension.
        load: Imports its modules; called when the versions match.

    Raises:
        ValueError: `mode` has another value.
        ImportError: `mode` is `1` and the extension cannot be used.
    """
    if mode not in MODES:
        raise ValueError(f"{VARIABLE} is {mode!r}; it must be one of {', '.join(MODES)}")
    if mode == "0":
        return NativeState(active=False, reason=f"{VARIABLE} is 0")
    reason = _obstacle(compiled, load)
    if reason and mode == "1":
        raise ImportError(f"{VARIABLE} is 1, but {reason}")
    return NativeState(active=not reason, reason=reason)


def mode_of_environment() -> str:
    """Return the value of `TIMBRA_NATIVE`, `auto` without one."""
    return os.environ.get(VARIABLE, "") or "auto"


def compiled_libxml2() -> tuple[int, int]:
    """Return major and minor version of the libxml2 headers of the extension.

    Raises:
        ImportError: The extension is not installed, or was built for another Python.
    """
    from timbra._native.build_info import LIBXML2_NUMBER

    return LIBXML2_NUMBER // 10_000, LIBXML2_NUMBER // 100 % 100


def load_modules(names: Iterable[str]) -> None:
    """Import modules of the extension.

    Raises:
        ImportError, TypeError, ValueError: The interface of the installed lxml is another one.
    """
    for name in names:
        import_module(f"timbra._native.{name}")


def _obstacle(compiled: Callable[[], tuple[int, int]], load: Callable[[], object]) -> str:
    """Return why the extension cannot be used, empty if it can."""
    try:
        newest = compiled()
    except ImportError:
        return "the package was installed without the native extension"
    lxml, libxml2 = etree.LXML_VERSION[:2], etree.LIBXML_VERSION[:2]
    if not OLDEST_LXML <= lxml < LXML_BEFORE:
        return f"lxml {_dotted(lxml)} is not supported by the native extension"
    if not OLDEST_LIBXML2 <= libxml2 <= newest:
        return f"libxml2 {_dotted(libxml2)} is not supported by the native extension, compiled for {_dotted(newest)}"
    try:
        load()
    except (ImportError, TypeError, ValueError) as error:
        return f"the native extension does not load with lxml {_dotted(lxml)}: {error}"
    return ""


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(number) for number in version)
