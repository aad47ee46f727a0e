"""Tokens and credentials of tests for the clients of the SAT's services."""

from __future__ import annotations

from dataclasses import dataclass

from timbra.seals.certificates.certificate import Certificate
from timbra.seals.signers.port import Signer


@dataclass
class FixedAccess:
    """A token that never changes."""

    header: str

    def authorization(self, _seconds: float) -> str:
        return self.header

    def discard(self, _authorization: str) -> None:
        """Keep the token."""


@dataclass
class LoginKey:
    """A certificate and its key."""

    certificate: Certificate
    signer: Signer
