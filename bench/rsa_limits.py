"""The limit: only the two RSA-2048 signatures that every issued invoice needs."""

from __future__ import annotations

from collections.abc import Callable

from bench.fixtures import Prepared
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256

from timbra.app.composition import Container
from timbra.sandbox.build import sandbox_services
from timbra.seals.signers.memory import CountedSigner, MemorySigner

# As long as the cadena original of an invoice with three concepts; hashing it costs next to nothing.
MESSAGE = bytes(range(256)) * 3


def one_signature(prepared: Prepared) -> Callable[[], object]:
    """Return a function that signs with the account's CSD, without verification."""
    return _signing(prepared.csd_key)


def two_signatures(container: Container, prepared: Prepared) -> Callable[[], object]:
    """Return a function that signs with the account's CSD and with the provider's key of the measured server."""
    counted = container.get(sandbox_services).authority_ca.provider.signer
    signer = counted.signer if isinstance(counted, CountedSigner) else counted
    if not isinstance(signer, MemorySigner):
        raise TypeError("the limit is that of keys in memory")
    issuer, provider = _signing(prepared.csd_key), _signing(signer._private_key)

    def both() -> None:
        issuer()
        provider()

    return both


def _signing(key: RSAPrivateKey) -> Callable[[], object]:
    padding, digest = PKCS1v15(), SHA256()

    def sign() -> object:
        return key.sign(MESSAGE, padding, digest)

    for _ in range(20):
        sign()
    return sign
