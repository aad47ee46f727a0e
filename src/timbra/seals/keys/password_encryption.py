"""Inspection of encrypted private keys before decryption: cipher and work of the key derivation."""

from __future__ import annotations

from typing import NamedTuple

from timbra.asn1.der_reader import (
    INTEGER,
    OCTET_STRING,
    SEQUENCE,
    DerError,
    DerNode,
    integer,
    object_identifier,
    parse_der,
)
from timbra.core.errors import ServiceError

PBES2 = "1.2.840.113549.1.5.13"
PBKDF2 = "1.2.840.113549.1.5.12"
SCRYPT = "1.3.6.1.4.1.11591.4.11"
PASSWORD_SCHEMES = {
    "1.2.840.113549.1.5.3": "pbeWithMD5AndDES-CBC",
    "1.2.840.113549.1.12.1.1": "pbeWithSHAAnd128BitRC4",
    "1.2.840.113549.1.12.1.3": "pbeWithSHAAnd3-KeyTripleDES-CBC",
    "1.2.840.113549.1.12.1.6": "pbeWithSHAAnd40BitRC2-CBC",
}
CIPHERS = {
    "1.2.840.113549.3.2": "rc2CBC",
    "1.2.840.113549.3.7": "des-EDE3-CBC",
    "2.16.840.1.101.3.4.1.2": "aes128-CBC",
    "2.16.840.1.101.3.4.1.22": "aes192-CBC",
    "2.16.840.1.101.3.4.1.42": "aes256-CBC",
}
MAX_ITERATIONS = 2_000_000
"""The limit of all key derivations of a file together. OpenSSL uses 2,048 for each, Java 10,000, Windows 2,000 to
600,000."""
MAX_SCRYPT_WORK = 1 << 20
"""N times r times p; 128 MiB of memory at p = 1."""
SCRYPT_ITERATIONS = 2
"""The number of iterations that one unit of that work counts as; both take about half a microsecond."""


class KeyEncryption(NamedTuple):
    """The encryption of a key: the name of the cipher, and the iterations of the key derivation."""

    cipher: str
    iterations: int


def read_encryption(encoded: bytes) -> KeyEncryption | None:
    """Return the encryption of an EncryptedPrivateKeyInfo (PKCS#8); None when `encoded` is another structure.

    Raises:
        ServiceError: "key-cipher" when the cipher is not supported or the derivation would take too long.
    """
    try:
        members = parse_der(encoded).sequence()
        if [member.tag for member in members] != [SEQUENCE, OCTET_STRING]:
            return None
        return read_cipher(members[0])
    except DerError:
        return None


def read_cipher(algorithm: DerNode) -> KeyEncryption:
    """Return the encryption of the AlgorithmIdentifier of a password-based encryption.

    Raises:
        DerError: The identifier is malformed.
        ServiceError: "key-cipher" when the cipher is not supported or the derivation would take too long.
    """
    identifier, parameters = _algorithm(algorithm)
    if identifier == PBES2:
        iterations = _derivation(*_algorithm(_first(parameters)))
        return KeyEncryption(_require_supported(CIPHERS, object_identifier(_first(_second(parameters)))), iterations)
    name = _require_supported(PASSWORD_SCHEMES, identifier)
    return KeyEncryption(name, require_bounded(integer(_second(parameters)), MAX_ITERATIONS))


def require_bounded(work: int, most: int = MAX_ITERATIONS) -> int:
    """Return the work. Raises ServiceError: "key-cipher" when it is more than `most`."""
    if work > most:
        raise ServiceError("key-cipher", "La derivación de la clave exige demasiadas iteraciones.")
    return work


def _algorithm(node: DerNode) -> tuple[str, DerNode]:
    return object_identifier(_first(node)), _second(node)


def _first(node: DerNode) -> DerNode:
    members = node.sequence()
    if not members:
        raise DerError("an empty sequence")
    return members[0]


def _second(node: DerNode) -> DerNode:
    members = node.sequence()
    if len(members) < 2:
        raise DerError("a sequence of one")
    return members[1]


def _derivation(identifier: str, parameters: DerNode) -> int:
    """Return the iterations of a key derivation."""
    numbers = [integer(member) for member in parameters.sequence() if member.tag == INTEGER]
    if identifier == PBKDF2 and numbers:
        return require_bounded(numbers[0])
    if identifier == SCRYPT and len(numbers) >= 3:
        return SCRYPT_ITERATIONS * require_bounded(numbers[0] * numbers[1] * numbers[2], MAX_SCRYPT_WORK)
    raise ServiceError("key-cipher", f"Derivación de clave no soportada: {identifier}.")


def _require_supported(names: dict[str, str], identifier: str) -> str:
    if identifier not in names:
        raise ServiceError("key-cipher", f"Cifrado no soportado: {identifier}.")
    return names[identifier]
