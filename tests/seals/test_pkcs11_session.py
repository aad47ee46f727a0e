"""Retries of a token: transient failures reinitialize the library, permanent ones do not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from timbra.errors import ServiceError
from timbra.seals.signers import pkcs11_session as token_module
from timbra.seals.signers.pkcs11_session import RETRY_PAUSES, KeyQuery, Pkcs11Session

KEY = KeyQuery("PRIVATE_KEY", label="pac")


class PKCS11Error(Exception):
    """Base class of the driver's errors."""


def error_type(name: str) -> type[PKCS11Error]:
    """Return an error of the driver by its name."""
    return type(name, (PKCS11Error,), {})


class Library:
    """A PKCS#11 library whose token fails, and that counts its calls."""

    def __init__(self, error: PKCS11Error) -> None:
        self._error = error
        self.opened = 0
        self.reinitialised = 0

    def get_token(self, token_label: str) -> None:
        self.opened += 1
        raise self._error

    def reinitialize(self) -> None:
        self.reinitialised += 1


def opened(monkeypatch: pytest.MonkeyPatch, error: PKCS11Error) -> Library:
    """Return the library after one use of a token."""
    library = Library(error)
    logged_in = error_type("UserAlreadyLoggedIn")
    driver = SimpleNamespace(PKCS11Error=PKCS11Error, UserAlreadyLoggedIn=logged_in, lib=lambda _: library)
    monkeypatch.setattr(token_module, "load_driver", lambda: driver)
    monkeypatch.setattr(token_module, "RETRY_PAUSES", (0.0,) * len(RETRY_PAUSES))
    monkeypatch.setattr(token_module, "_initialized", {})
    with pytest.raises(ServiceError, match="signer-unavailable"):
        Pkcs11Session(Path("module.so"), "timbra", "1234").use(KEY, lambda key: key)
    return library


def test_use_does_not_reinitialize_the_library_after_a_permanent_error(monkeypatch: pytest.MonkeyPatch) -> None:
    library = opened(monkeypatch, error_type("PinIncorrect")())
    assert (library.opened, library.reinitialised) == (1, 0)


def test_use_reinitializes_the_library_before_each_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    library = opened(monkeypatch, error_type("NoSuchToken")())
    tries = len(RETRY_PAUSES) + 1
    assert (library.opened, library.reinitialised) == (tries, tries)
