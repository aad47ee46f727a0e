"""A PKCS#11 token in software (SoftHSM 2) for tests, from Debian's package softhsm2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.requirements import need

from timbra.testing.services import soft_token as tokens
from timbra.testing.services.soft_token import SoftToken

__all__ = ["SoftToken", "soft_token"]


@contextmanager
def soft_token(folder: Path, label: str = "timbra-test", pin: str = "1234") -> Iterator[SoftToken]:
    """Yield a new token with its files in the folder; `need` SoftHSM and python-pkcs11."""
    need("softhsm", not tokens.missing(), tokens.missing())
    with tokens.soft_token(folder, label, pin) as token:
        yield token
