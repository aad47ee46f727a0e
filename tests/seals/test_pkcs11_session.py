"""Retries of a token: transient failures reinitialize the library, permanent ones do not."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from timbra.core.errors import ServiceError
from timbra.seals.signers import pkcs11_session as token_module
from timbra.seals.signers.pkcs11_session import KeyQuery, Pkcs11Session

RETRY_PAUSES = (0.0, 0.02, 0.05, 0.1)

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


class OpenSession:
    """A session whose keys are numbered in the order of their look-up."""

    def __init__(self, library: WorkingLibrary) -> None:
        self._library = library
        self.closed = False

    def get_key(self, **_query: object) -> int:
        self._library.keys += 1
        return self._library.keys

    def close(self) -> None:
        self.closed = True


class WorkingLibrary:
    """A PKCS#11 library whose token opens a session at every call."""

    def __init__(self) -> None:
        self.keys = 0
        self.sessions: list[OpenSession] = []

    def get_token(self, token_label: str) -> WorkingLibrary:
        return self

    def open(self, user_pin: str) -> OpenSession:
        self.sessions.append(OpenSession(self))
        return self.sessions[-1]

    def reinitialize(self) -> None:
        """Do nothing: the token is present."""


@pytest.fixture
def working(monkeypatch: pytest.MonkeyPatch) -> WorkingLibrary:
    library = WorkingLibrary()
    driver = SimpleNamespace(
        PKCS11Error=PKCS11Error,
        UserAlreadyLoggedIn=error_type("UserAlreadyLoggedIn"),
        ObjectClass={"PRIVATE_KEY": 3},
        lib=lambda _: library,
    )
    monkeypatch.setattr(token_module, "load_driver", lambda: driver)
    monkeypatch.setattr(token_module, "_initialized", {})
    return library


def test_use_keeps_the_session_and_its_keys(working: WorkingLibrary) -> None:
    session = Pkcs11Session(Path("module.so"), "timbra", "1234")
    assert [session.use(KEY, lambda key: key) for _ in range(2)] == [1, 1]
    assert len(working.sessions) == 1


def test_use_opens_a_session_in_another_process(working: WorkingLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Pkcs11Session(Path("module.so"), "timbra", "1234")
    assert session.use(KEY, lambda key: key) == 1
    child = os.getpid() + 1
    monkeypatch.setattr(token_module, "os", SimpleNamespace(getpid=lambda: child))
    assert [session.use(KEY, lambda key: key) for _ in range(2)] == [2, 2]
    assert [opened.closed for opened in working.sessions] == [False, False]


def test_use_closes_the_session_and_pauses_after_an_error(
    working: WorkingLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(token_module, "time", SimpleNamespace(sleep=pauses.append))
    failures = iter([error_type("SessionHandleInvalid")(), error_type("DeviceError")()])

    def operation(key: int) -> int:
        for failure in failures:
            raise failure
        return key

    session = Pkcs11Session(Path("module.so"), "timbra", "1234")
    assert session.use(KEY, operation) == 3
    assert [opened.closed for opened in working.sessions] == [True, True, False]
    assert pauses == list(RETRY_PAUSES[:2])
