"""The bindings of each environment, imported when a container of it is built."""

from __future__ import annotations

from importlib import import_module

from timbra.container import Bindings

MODULES = {
    "sandbox": ("timbra.sandbox.bindings", "BINDINGS"),
    "rehearsal": ("timbra.app.production", "REHEARSAL_BINDINGS"),
    "production": ("timbra.app.production", "BINDINGS"),
}


def environment_bindings(environment: str) -> Bindings:
    """Return the functions that implement the ports of an environment, by the functions that they replace."""
    module, name = MODULES[environment]
    bindings: Bindings = getattr(import_module(module), name)
    return bindings
