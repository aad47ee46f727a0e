"""The LCO of a request for which the fault `lco-changed` was chosen: without the certificates of issuers."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol

_CHANGED: ContextVar[bool] = ContextVar("lco_changed", default=False)


class _Lco(Protocol):
    def obligations(self, rfc: str) -> int | None: ...


class ChangedLco:
    """An LCO that has the taxpayers, and none of their certificates yet."""

    def __init__(self, lco: _Lco) -> None:
        self._lco = lco

    def obligations(self, rfc: str) -> int | None:
        """Return ValidezObligaciones as the LCO in force has it."""
        return self._lco.obligations(rfc)

    def certificate(self, rfc: str, number: str) -> None:
        """Return None: the certificate is not listed yet."""


def set_lco_changed(*, is_changed: bool) -> None:
    """Choose the LCO of the current request."""
    if is_changed or _CHANGED.get():
        _CHANGED.set(is_changed)


def is_lco_changed() -> bool:
    """Whether the current request gets the changed LCO."""
    return _CHANGED.get()
