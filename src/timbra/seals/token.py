"""A PKCS#11 token (an HSM, a card, SoftHSM): one session per process, opened at first use, opened anew when it died.

No session survives `fork`: a worker opens its own. A server that forks must not use the token before it does.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from timbra.errors import ServiceError

RETRY_AFTER = 5
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

        A session that was open before and fails is opened anew, once. ServiceError("signer-unavailable") when the
        token, the key or python-pkcs11 is missing, the PIN is refused, or the operation fails in a fresh session;
        a refused PIN is never tried twice by one call.
        """
        if self._process != os.getpid():
            self._forget()
        pkcs11 = driver()
        with self._lock:
            if self._session is not None:
                with suppress(pkcs11.PKCS11Error):  # the fresh session below tells the cause, if it lasts
                    return operation(self._key(name))
                self._close()
            try:
                return operation(self._key(name))
            except pkcs11.PKCS11Error as cause:
                self._close()
                detail = f"Token {self.label}: {type(cause).__name__} {cause}".strip()
                raise ServiceError("signer-unavailable", detail, retry_after=RETRY_AFTER) from cause

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
        pkcs11 = driver()
        token = _library(self._module).get_token(token_label=self.label)
        try:
            return token.open(user_pin=self._pin)
        except pkcs11.UserAlreadyLoggedIn:
            return token.open()

    def _close(self) -> None:
        session, self._session = self._session, None
        self._keys.clear()
        if session is not None:
            with suppress(driver().PKCS11Error):  # a dead session cannot be closed
                session.close()


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
