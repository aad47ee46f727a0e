"""A PKCS#11 token (an HSM, a card, SoftHSM): one session per process, opened at first use and again after a failure.

A session is not valid after `fork`: each worker opens its own. A server must not use the token before it forks.
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
from timbra.seals.signers.process_lock import hold_process_lock

RETRY_AFTER = 5
RETRY_PAUSES = (0.0, 0.02, 0.05, 0.1)
"""Seconds before the second and later attempts."""
PERMANENT_ERRORS = frozenset(
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
class KeyQuery:
    """The attributes of a key: its class ("PRIVATE_KEY", "SECRET_KEY") with its label, its id, or both."""

    object_class: str
    label: str | None = None
    id: bytes | None = None


class Pkcs11Session:
    """The keys of one token. Thread-safe; operations are serialized."""

    def __init__(self, module: Path, label: str, pin: str) -> None:
        self._module = module
        self._pin = pin
        self.label = label
        self._reset()

    def use(self, name: KeyQuery, operation: Callable[[Any], Result]) -> Result:
        """Run an operation on a key of the token, with retries.

        After an error the session is closed and the operation is retried in a new session, after each pause of
        `RETRY_PAUSES`: a session ends when its token is removed, and SoftHSM fails, or reports no token, while another
        process logs in. Permanent errors (a wrong PIN, a missing key) are not retried.

        Args:
            name: The attributes of the key.
            operation: Called with the key object of python-pkcs11.

        Raises:
            ServiceError: "signer-unavailable" when the last attempt failed, or python-pkcs11 is not installed.
        """
        if self._process != os.getpid():
            self._reset()
        pkcs11 = load_driver()
        with self._lock:
            for pause in (*RETRY_PAUSES, None):
                try:
                    return operation(self._key(name))
                except pkcs11.PKCS11Error as cause:
                    self._close()
                    if pause is None or _is_permanent(cause):
                        raise self._unavailable(cause) from cause
                    time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _unavailable(self, cause: Exception) -> ServiceError:
        detail = f"Token {self.label}: {type(cause).__name__} {cause}".strip()
        return ServiceError("signer-unavailable", detail, retry_after=RETRY_AFTER)

    def _reset(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._session: Any = None
        self._keys: dict[KeyQuery, Any] = {}

    def _key(self, name: KeyQuery) -> Any:
        if self._session is None:
            self._session = self._open()
        if name not in self._keys:
            object_class = load_driver().ObjectClass[name.object_class]
            self._keys[name] = self._session.get_key(object_class=object_class, label=name.label, id=name.id)
        return self._keys[name]

    def _open(self) -> Any:
        with hold_process_lock(self._module):
            return self._logged_in()

    def _logged_in(self) -> Any:
        pkcs11 = load_driver()
        library = _load_library(self._module)
        try:
            token = library.get_token(token_label=self.label)
            try:
                return token.open(user_pin=self._pin)
            except pkcs11.UserAlreadyLoggedIn:
                return token.open()
        except pkcs11.PKCS11Error as cause:
            if not _is_permanent(cause):
                library.reinitialize()  # SoftHSM caches what it read of a token while another process wrote it
            raise

    def _close(self) -> None:
        session, self._session = self._session, None
        self._keys.clear()
        if session is not None:
            with suppress(load_driver().PKCS11Error):  # an invalid session cannot be closed
                session.close()


def _is_permanent(cause: Exception) -> bool:
    return type(cause).__name__ in PERMANENT_ERRORS


_initialized: dict[Path, int] = {}
"""The process that initialized each module: a child process must initialize it again after `fork`."""


def _load_library(module: Path) -> Any:
    pkcs11 = load_driver()
    library = pkcs11.lib(str(module))
    if _initialized.setdefault(module, os.getpid()) != os.getpid():
        library.reinitialize()
        _initialized[module] = os.getpid()
    return library


def load_driver() -> Any:
    """Import the python-pkcs11 package, which is optional.

    Raises:
        ServiceError: "signer-unavailable" when it is not installed.
    """
    try:
        return importlib.import_module("pkcs11")
    except ImportError as cause:
        raise ServiceError("signer-unavailable", "python-pkcs11 no está instalado (timbra[pkcs11]).") from cause
