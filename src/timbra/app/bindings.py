"""The bindings of each environment, imported when a container of it is built."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from timbra.container import Bindings, Container
from timbra.core.features import features

MODULES = {
    "sandbox": ("timbra.sandbox.bindings", "BINDINGS"),
    "rehearsal": ("timbra.app.production", "REHEARSAL_BINDINGS"),
    "production": ("timbra.app.production", "BINDINGS"),
}


def environment_bindings(environment: str) -> Bindings:
    """Return the functions that implement the ports of an environment, by the functions that they replace.

    Those of features come first: an environment may replace them.
    """
    module, name = MODULES[environment]
    bindings: dict[Any, Callable[[Container], Any]] = {}
    for feature in features():
        for each in feature.bindings:
            bindings |= feature.read(each, "BINDINGS")
    bindings |= getattr(import_module(module), name)
    return bindings
