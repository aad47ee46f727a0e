"""A session of a PKCS#11 token (an HSM, a card, SoftHSM), opened at first use and again after a failure.

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

from timbra.core.errors import ServiceError
from timbra.seals.signers.pkcs11_library import gate_of, initialize_with_locking
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
    """One session of a token, with the keys that were used. Thread-safe; operations of one session are serialized."""

    def __init__(self, module: Path, label: str, pin: str) -> None:
        self._module = module
        self._pin = pin
        self.label = label
        self._session: Any = None
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
                    return self._once(name, operation)
                except pkcs11.PKCS11Error as cause:
                    self._recover(cause)
                    if pause is None or _is_permanent(cause):
                        raise token_unavailable(self.label, cause) from cause
                    time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, name: KeyQuery, operation: Callable[[Any], Result]) -> Result:
        library = load_library(self._module)
        with gate_of(self._module).use():
            self._forget_if_ended()
            if self._session is None:
                self._failed_to_open = True
                self._session = open_session(library, self._module, self.label, self._pin)
            self._failed_to_open = False
            return operation(self._key(name))

    def _recover(self, cause: Exception) -> None:
        """Close the session, and initialize the module again when its token could not be opened.

        While that fails too, each later attempt initializes the module and reports why it fails.
        """
        self._close()
        if self._failed_to_open and not _is_permanent(cause):
            with suppress(load_driver().PKCS11Error):
                reinitialize(self._module)

    def _reset(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._session = None
        self._initializations = 0
        self._failed_to_open = False
        self._keys: dict[KeyQuery, Any] = {}

    def _key(self, name: KeyQuery) -> Any:
        if name not in self._keys:
            object_class = load_driver().ObjectClass[name.object_class]
            self._keys[name] = self._session.get_key(object_class=object_class, label=name.label, id=name.id)
        return self._keys[name]

    def _forget_if_ended(self) -> None:
        """Forget a session that ended with an initialization; the session with its handle may be another thread's."""
        initializations = gate_of(self._module).initializations
        if self._initializations != initializations:
            self._initializations, self._session = initializations, None
            self._keys.clear()

    def _close(self) -> None:
        with gate_of(self._module).use():
            self._forget_if_ended()
            session, self._session = self._session, None
            self._keys.clear()
            if session is not None:
                with suppress(load_driver().PKCS11Error):  # an invalid one cannot be closed
                    session.close()


def open_session(library: Any, module: Path, label: str, pin: str, *, writes: bool = False) -> Any:
    """Open a session of a token; the caller uses the module, see `ModuleGate.use`."""
    with hold_process_lock(module):
        token = library.get_token(token_label=label)
        mode = {"rw": True} if writes else {}
        try:
            return token.open(user_pin=pin, **mode)
        except load_driver().UserAlreadyLoggedIn:
            return token.open(**mode)


def token_unavailable(label: str, cause: Exception) -> ServiceError:
    return ServiceError("signer-unavailable", f"Token {label}: {_describe(cause)}", retry_after=RETRY_AFTER)


def _is_permanent(cause: Exception) -> bool:
    return type(cause).__name__ in PERMANENT_ERRORS


_initialized: dict[Path, int] = {}
"""The process that initialized each module: a child process must initialize it again after `fork`."""
_loading = threading.Lock()


def load_library(module: Path) -> Any:
    """Load a module, and initialize it for several threads once in each process."""
    pkcs11 = load_driver()
    if _initialized.get(module) == os.getpid():
        return pkcs11.lib(str(module))
    with _loading, gate_of(module).exclusive() as is_alone:
        if _initialized.get(module) == os.getpid():
            return pkcs11.lib(str(module))
        if not is_alone:
            raise ServiceError("signer-unavailable", f"{module}: está en uso.", retry_after=RETRY_AFTER)
        try:
            library = pkcs11.lib(str(module))
            if module in _initialized:
                library.reinitialize()
        except pkcs11.PKCS11Error as cause:
            raise ServiceError(
                "signer-unavailable", f"{module}: {_describe(cause)}", retry_after=RETRY_AFTER
            ) from cause
        initialize_with_locking(module)
        _initialized[module] = os.getpid()
        return library


def reinitialize(module: Path) -> None:
    """Initialize a module again: SoftHSM caches what it read of a token while another process wrote it.

    All sessions of the process end and are opened again by their users. Nothing happens while another thread is inside
    the module. A module that cannot be initialized, as without its device, is initialized at its next use.

    Raises:
        PKCS11Error: The module cannot be initialized.
    """
    with gate_of(module).exclusive() as is_alone:
        if is_alone:
            _initialized.pop(module, None)
            load_driver().lib(str(module)).reinitialize()
            initialize_with_locking(module)
            _initialized[module] = os.getpid()


def _describe(cause: Exception) -> str:
    """Return an error of the driver as text: most have a type only."""
    return f"{type(cause).__name__} {cause}".strip()


def load_driver() -> Any:
    """Import the python-pkcs11 package, which is optional.

    Raises:
        ServiceError: "signer-unavailable" when it is not installed.
    """
    try:
        return importlib.import_module("pkcs11")
    except ImportError as cause:
        raise ServiceError("signer-unavailable", "python-pkcs11 no está instalado (timbra[pkcs11]).") from cause
