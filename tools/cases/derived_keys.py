"""RSA keys that follow from a name, so that each build of the cases has the same seals. They protect nothing."""

from __future__ import annotations

from functools import cache
from hashlib import shake_256
from math import gcd

from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    RSAPrivateNumbers,
    RSAPublicNumbers,
    rsa_crt_dmp1,
    rsa_crt_dmq1,
    rsa_crt_iqmp,
)

BITS = 2048
EXPONENT = 65537
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def _primes(limit: int) -> list[int]:
    return [number for number in range(3, limit) if all(number % other for other in range(2, int(number**0.5) + 1))]


_SMALL_PRIMES = _primes(4000)


@cache
def derived_key(name: str) -> RSAPrivateKey:
    """Return the key of a name, always the same one (a quarter of a second)."""
    p, q = sorted((_prime(f"{name}/p"), _prime(f"{name}/q")), reverse=True)
    d = pow(EXPONENT, -1, (p - 1) * (q - 1))
    public = RSAPublicNumbers(EXPONENT, p * q)
    numbers = RSAPrivateNumbers(p, q, d, rsa_crt_dmp1(d, p), rsa_crt_dmq1(d, q), rsa_crt_iqmp(p, q), public)
    return numbers.private_key()


def _prime(seed: str) -> int:
    """Return the first prime from a number that follows from the seed; its two highest bits are set."""
    size = BITS // 2
    number = int.from_bytes(shake_256(f"cfdi-cases {seed}".encode()).digest(size // 8), "big")
    number |= (3 << (size - 2)) | 1
    while not (_is_prime(number) and gcd(number - 1, EXPONENT) == 1):
        number += 2
    return number


def _is_prime(number: int) -> bool:
    """Miller-Rabin, after a division by the small primes."""
    if any(number % prime == 0 for prime in _SMALL_PRIMES):
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes(number, base, odd, twos) for base in _BASES)


def _passes(number: int, base: int, odd: int, twos: int) -> bool:
    value = pow(base, odd, number)
    if value in (1, number - 1):
        return True
    for _ in range(twos - 1):
        value = value * value % number
        if value == number - 1:
            return True
    return False
