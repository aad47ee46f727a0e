"""Spanish texts of the command line, by the English text: one module for each area, each with a dictionary `SPANISH`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules


@cache
def spanish_texts() -> dict[str, str]:
    """Return all texts.

    Raises:
        ValueError: Two modules translate the same text differently.
    """
    texts: dict[str, str] = {}
    for module in iter_modules(__path__, f"{__name__}."):
        for english, spanish in import_module(module.name).SPANISH.items():
            if texts.setdefault(english, spanish) != spanish:
                raise ValueError(f"two translations of {english!r}")
    return texts
