"""A PKCS#11 token (an HSM, a card, SoftHSM): one session per process, opened at first use, opened anew when it died.

No session survives `fork`: a worker opens its own. A server that forks must not use the token before it does.
"""

from __future__ import annotations

import importlib
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from timbra.errors import ServiceError
from timbra.seals.turns import one_at_a_time

RETRY_AFTER = 5
PAUSES = (0.0, 0.02, 0.05, 0.1)
"""Seconds before the second and later tries."""
FINAL = frozenset(
    {
        "PinIncorrect",
        "PinInvalid",
        "PinLenRange",
        "PinExpired",
        "PinLocked",
        "NoSuchKey",
        "MultipleObjectsReturned",
        "MultipleTokensReturned",
        "MechanismInvalid",
    }
)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class KeyName:
    """What finds a key: its class ("PRIVATE_KEY", "SECRET_KEY") with its label, its id, or both."""

    object_class: str
    label: str | None = None
    id: bytes | None = None


class Token:
    """The keys of one token. Safe among threads; operations follow one another."""

    def __init__(self, module: Path, label: str, pin: str) -> None:
        self._module = module
        self._pin = pin
        self.label = label
        self._forget()

    def use(self, name: KeyName, operation: Callable[[Any], Result]) -> Result:
        """The result of the operation on the key that `name` finds.

        A failure closes the session and the operation is tried in a new one, after the pauses of `PAUSES`: sessions
        die with their token, and while another process logs in SoftHSM refuses, or shows no token, for a moment.
        What a repetition cannot mend (a refused PIN, a key that is not there) is not repeated.
        ServiceError("signer-unavailable") when the last try failed, or without python-pkcs11.
        """
        if self._process != os.getpid():
            self._forget()
        pkcs11 = driver()
        with self._lock:
            for pause in (*PAUSES, None):
                try:
                    return operation(self._key(name))
                except pkcs11.PKCS11Error as cause:
                    self._close()
                    if pause is None or _final(cause):
                        raise self._unavailable(cause) from cause
                    time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _unavailable(self, cause: Exception) -> ServiceError:
        detail = f"Token {self.label}: {type(cause).__name__} {cause}".strip()
        return ServiceError("signer-unavailable", detail, retry_after=RETRY_AFTER)

    def _forget(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._session: Any = None
        self._keys: dict[KeyName, Any] = {}

    def _key(self, name: KeyName) -> Any:
        if self._session is None:
            self._session = self._open()
        if name not in self._keys:
            object_class = driver().ObjectClass[name.object_class]
            self._keys[name] = self._session.get_key(object_class=object_class, label=name.label, id=name.id)
        return self._keys[name]

    def _open(self) -> Any:
        with one_at_a_time(self._module):
            return self._logged_in()

    def _logged_in(self) -> Any:
        pkcs11 = driver()
        library = _library(self._module)
        try:
            token = library.get_token(token_label=self.label)
            try:
                return token.open(user_pin=self._pin)
            except pkcs11.UserAlreadyLoggedIn:
                return token.open()
        except pkcs11.PKCS11Error as cause:
            if not _final(cause):
                library.reinitialize()  # SoftHSM keeps what it read of a token while another process wrote it
            raise

    def _close(self) -> None:
        session, self._session = self._session, None
        self._keys.clear()
        if session is not None:
            with suppress(driver().PKCS11Error):  # a dead session cannot be closed
                session.close()


def _final(cause: Exception) -> bool:
    return type(cause).__name__ in FINAL


_initialised: dict[Path, int] = {}
"""The process that initialised each module: a child of `fork` must do so again."""


def _library(module: Path) -> Any:
    pkcs11 = driver()
    library = pkcs11.lib(str(module))
    if _initialised.setdefault(module, os.getpid()) != os.getpid():
        library.reinitialize()
        _initialised[module] = os.getpid()
    return library


def driver() -> Any:
    """The python-pkcs11 package, which is optional. ServiceError("signer-unavailable") when it is not installed."""
    try:
        return importlib.import_module("pkcs11")
    except ImportError as cause:
        raise ServiceError("signer-unavailable", "python-pkcs11 no está instalado (timbra[pkcs11]).") from cause
