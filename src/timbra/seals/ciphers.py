"""How a private key file is encrypted: told before a password is tried, with bounds on the work it may demand."""

from __future__ import annotations

from timbra.errors import ServiceError
from timbra.seals.der import INTEGER, OCTET_STRING, SEQUENCE, DerError, Node, integer, object_identifier, whole

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
MOST_ITERATIONS = 2_000_000
MOST_SCRYPT_WORK = 1 << 20
"""N times r times p; 128 MiB of memory at p = 1."""


def encryption_of(encoded: bytes) -> str | None:
    """The cipher of an EncryptedPrivateKeyInfo (PKCS#8), None when `encoded` is something else.

    ServiceError("key-cipher") when the cipher is not supported or the derivation would take too long.
    """
    try:
        members = whole(encoded).sequence()
        if [member.tag for member in members] != [SEQUENCE, OCTET_STRING]:
            return None
        return cipher_of(members[0])
    except DerError:
        return None


def cipher_of(algorithm: Node) -> str:
    """The name of a password-based encryption. DerError when malformed, ServiceError("key-cipher") as above."""
    identifier, parameters = _algorithm(algorithm)
    if identifier == PBES2:
        _bound_derivation(*_algorithm(_first(parameters)))
        return _supported(CIPHERS, object_identifier(_first(_second(parameters))))
    name = _supported(PASSWORD_SCHEMES, identifier)
    _bound(integer(_second(parameters)), MOST_ITERATIONS)
    return name


def _algorithm(node: Node) -> tuple[str, Node]:
    return object_identifier(_first(node)), _second(node)


def _first(node: Node) -> Node:
    members = node.sequence()
    if not members:
        raise DerError("an empty sequence")
    return members[0]


def _second(node: Node) -> Node:
    members = node.sequence()
    if len(members) < 2:
        raise DerError("a sequence of one")
    return members[1]


def _bound_derivation(identifier: str, parameters: Node) -> None:
    numbers = [integer(member) for member in parameters.sequence() if member.tag == INTEGER]
    if identifier == PBKDF2 and numbers:
        _bound(numbers[0], MOST_ITERATIONS)
    elif identifier == SCRYPT and len(numbers) >= 3:
        _bound(numbers[0] * numbers[1] * numbers[2], MOST_SCRYPT_WORK)
    else:
        raise ServiceError("key-cipher", f"Derivación de clave no soportada: {identifier}.")


def _supported(names: dict[str, str], identifier: str) -> str:
    if identifier not in names:
        raise ServiceError("key-cipher", f"Cifrado no soportado: {identifier}.")
    return names[identifier]


def _bound(work: int, most: int) -> None:
    if work > most:
        raise ServiceError("key-cipher", "La derivación de la clave exige demasiadas iteraciones.")
