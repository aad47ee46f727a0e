"""Private keys of the sandbox: generation, and encoding in the file form that the SAT's programs write."""

from __future__ import annotations

import os

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives.padding import PKCS7
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from timbra.asn1 import der_writer as der

HOLDER_BITS = 2048
AUTHORITY_BITS = 4096
_EXPONENT = 65537
_ITERATIONS = 2048
_PBES2 = "1.2.840.113549.1.5.13"
_PBKDF2 = "1.2.840.113549.1.5.12"
_DES_EDE3_CBC = "1.2.840.113549.3.7"


def new_key(bits: int = HOLDER_BITS) -> RSAPrivateKey:
    return generate_private_key(_EXPONENT, bits)


def plain_pkcs8(key: RSAPrivateKey) -> bytes:
    """Encode a key as PKCS#8 in DER without encryption; the caller encrypts it before it stores it."""
    return key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())


def sat_key_file(key: RSAPrivateKey, password: str) -> bytes:
    """Encode the `.key` file of a credential: PKCS#8 under PBES2 with PBKDF2 (SHA-1, 2048 rounds) and three-key DES.

    The encryption is weak; the tools that read the SAT's key files support no other.
    """
    salt, vector = os.urandom(8), os.urandom(8)
    derived = PBKDF2HMAC(SHA1(), 24, salt, _ITERATIONS).derive(password.encode())  # noqa: S303
    padder = PKCS7(64).padder()
    padded = padder.update(plain_pkcs8(key)) + padder.finalize()
    encryptor = Cipher(TripleDES(derived), CBC(vector)).encryptor()
    derivation = der.sequence(der.object_identifier(_PBKDF2), der.sequence(der.octets(salt), der.integer(_ITERATIONS)))
    cipher = der.sequence(der.object_identifier(_DES_EDE3_CBC), der.octets(vector))
    algorithm = der.sequence(der.object_identifier(_PBES2), der.sequence(derivation, cipher))
    return der.sequence(algorithm, der.octets(encryptor.update(padded) + encryptor.finalize()))
