"""A signer whose private key is in the memory of this process, and one that counts the signatures of another."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey

from timbra._rsa8 import load_batches
from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.rsa_signature import ALGORITHMS, Digest, verify_own_signature
from timbra.seals.signers.port import Signer

if TYPE_CHECKING:
    from timbra._rsa8.crt import CrtKey


CRT_BITS = 2048


class MemorySigner:
    """A `Signer` with a key in memory. The first signature of a loaded key takes twice as long as later ones."""

    def __init__(self, private_key: RSAPrivateKey, public_key: RSAPublicKey | None = None) -> None:
        self._private_key = private_key
        self._public_key = public_key or private_key.public_key()

    def sign(self, data: bytes, digest: Digest = "sha256") -> bytes:
        signature = self._private_key.sign(data, PKCS1v15(), ALGORITHMS[digest]())
        return verify_own_signature(self._public_key, data, signature, digest)

    @cached_property
    def crt_key(self) -> CrtKey | None:
        """The key for batches (`SignatureBatches`); None where there are none, and for keys of another form."""
        module, _ = load_batches()
        public = self._public_key.public_numbers()
        if module is None or self._private_key.key_size != CRT_BITS or public.e != module.EXPONENT:
            return None
        numbers = self._private_key.private_numbers()
        try:
            key: CrtKey = module.CrtKey(public.n, numbers.p, numbers.q, numbers.dmp1, numbers.dmq1, numbers.iqmp)
        except ValueError:  # primes of different lengths
            return None
        return key


def pair_key(certificate: Certificate, key: RSAPrivateKey) -> MemorySigner:
    """Return the signer of a certificate after one test signature.

    Raises:
        ServiceError: "key-mismatch" when the key does not belong to the certificate.
    """
    signer = MemorySigner(key, certificate.public_key)
    try:
        signer.sign(b"timbra")
    except (ServiceError, ValueError) as cause:
        raise ServiceError("key-mismatch", "La llave privada no corresponde al certificado.") from cause
    return signer


class CountedSigner:
    """A `Signer` that calls a function before each signature of another one.

    Attributes:
        signer: The other signer; code that signs with its key directly calls `count_use`.
    """

    __slots__ = ("count_use", "signer")

    def __init__(self, signer: Signer, count_use: Callable[[], None]) -> None:
        """Count the signatures of a signer. `count_use`: Called for each signature."""
        self.signer = signer
        self.count_use = count_use

    def sign(self, data: bytes, digest: Digest = "sha256") -> bytes:
        self.count_use()
        return self.signer.sign(data, digest)
