"""An authenticator of WebAuthn in software: one key of the curve P-256 for each passkey, without attestation."""

from __future__ import annotations

import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

USER_PRESENT, USER_VERIFIED, HAS_CREDENTIAL = 0x01, 0x04, 0x40
ES256 = {1: 2, 3: -7, -1: 1}
"""Key type, algorithm and curve of a public key in COSE."""


@dataclass
class Authenticator:
    """An authenticator that a browser of `origin` asks.

    Attributes:
        counts: Whether it counts its signatures.
        verifies: Whether it verifies its user.
    """

    origin: str
    counts: bool = True
    verifies: bool = True
    sign_count: int = 0
    handle: str = ""
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    key: EllipticCurvePrivateKey = field(default_factory=lambda: generate_private_key(SECP256R1()))

    def create(self, options: str) -> str:
        """Answer the options of `navigator.credentials.create`."""
        chosen = json.loads(options)
        self.handle = chosen["user"]["id"]
        numbers = self.key.public_key().public_numbers()
        public = {**ES256, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        credential = bytes(16) + len(self.credential_id).to_bytes(2, "big") + self.credential_id + cbor2.dumps(public)
        data = self._data(chosen["rp"]["id"], HAS_CREDENTIAL) + credential
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client_data("webauthn.create", chosen["challenge"])
        return self._answer({"clientDataJSON": encoded(client), "attestationObject": encoded(attestation)})

    def get(self, options: str) -> str:
        """Answer the options of `navigator.credentials.get`."""
        chosen = json.loads(options)
        if self.counts:
            self.sign_count += 1
        data = self._data(chosen["rpId"])
        client = self._client_data("webauthn.get", chosen["challenge"])
        signature = self.key.sign(data + sha256(client).digest(), ECDSA(SHA256()))
        return self._answer(
            {
                "clientDataJSON": encoded(client),
                "authenticatorData": encoded(data),
                "signature": encoded(signature),
                "userHandle": self.handle,
            }
        )

    def _data(self, rp_id: str, flags: int = 0) -> bytes:
        flags |= USER_PRESENT | (USER_VERIFIED if self.verifies else 0)
        return sha256(rp_id.encode()).digest() + bytes([flags]) + self.sign_count.to_bytes(4, "big")

    def _client_data(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}).encode()

    def _answer(self, response: dict[str, Any]) -> str:
        number = encoded(self.credential_id)
        return json.dumps({"id": number, "rawId": number, "type": "public-key", "response": response})


def encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
