"""What the tests of accounts share: a clock that they move, and key files as the SAT hands them out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat
from tests.seals.support import rsa_key

from timbra.errors import ServiceError
from timbra.seals.envelope import Envelope
from timbra.seals.master_key import LocalKey

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
MASTER = LocalKey(bytes(range(32)))
ENVELOPE = Envelope(MASTER)
KEY_PASSWORD = "Contraseña de la llave 1"


class MovableClock:
    """Stands still until it is moved."""

    def __init__(self, instant: datetime = START) -> None:
        self.instant = instant

    def now(self) -> datetime:
        return self.instant

    def advance(self, seconds: float) -> None:
        self.instant += timedelta(seconds=seconds)


def refused(call: Callable[..., Any], *arguments: Any, **named: Any) -> ServiceError:
    """The refusal of a call that must be refused."""
    with pytest.raises(ServiceError) as caught:
        call(*arguments, **named)
    return caught.value


async def refused_async(call: Callable[..., Any], *arguments: Any) -> ServiceError:
    """The refusal of an awaited call that must be refused."""
    with pytest.raises(ServiceError) as caught:
        await call(*arguments)
    return caught.value


@cache
def key_file(place: int = 1, password: str = KEY_PASSWORD) -> bytes:
    """The encrypted PKCS#8 of `rsa_key(place)`."""
    encryption = BestAvailableEncryption(password.encode())
    return rsa_key(place).private_bytes(Encoding.DER, PrivateFormat.PKCS8, encryption)
