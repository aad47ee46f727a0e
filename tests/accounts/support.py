"""Helpers of the tests of accounts: a movable clock, and key files in the form of the SAT."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat
from tests.seals.support import rsa_key

from timbra.core.errors import ServiceError
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.encryption.master_key import LocalMasterKey

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
MASTER = LocalMasterKey(bytes(range(32)))
ENVELOPE = EnvelopeEncryption(MASTER)
KEY_PASSWORD = "Contraseña de la llave 1"


class MovableClock:
    """A clock that only `advance` moves."""

    def __init__(self, instant: datetime = START) -> None:
        self.instant = instant

    def now(self) -> datetime:
        return self.instant

    def advance(self, seconds: float) -> None:
        self.instant += timedelta(seconds=seconds)


def rejected(call: Callable[..., Any], *arguments: Any, **named: Any) -> ServiceError:
    """Return the ServiceError of a call that must fail."""
    with pytest.raises(ServiceError) as caught:
        call(*arguments, **named)
    return caught.value


async def rejected_async(call: Callable[..., Any], *arguments: Any) -> ServiceError:
    """Return the ServiceError of an awaited call that must fail."""
    with pytest.raises(ServiceError) as caught:
        await call(*arguments)
    return caught.value


@cache
def key_file(place: int = 1, password: str = KEY_PASSWORD) -> bytes:
    """Return the encrypted PKCS#8 of `rsa_key(place)`."""
    encryption = BestAvailableEncryption(password.encode())
    return rsa_key(place).private_bytes(Encoding.DER, PrivateFormat.PKCS8, encryption)
