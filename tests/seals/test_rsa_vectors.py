"""Published and forged RSA signatures: only the one encoding of PKCS#1 v1.5 verifies, in every verifier of the package.

The vectors are the NIST's (CAVP, FIPS 186-3), from the package `cryptography-vectors`. The forged signatures are of the
kinds that Project Wycheproof names for RSASSA-PKCS1-v1_5, made here with a key of the test.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import cryptography_vectors
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    RSAPrivateNumbers,
    RSAPublicKey,
    RSAPublicNumbers,
    generate_private_key,
    rsa_crt_dmp1,
    rsa_crt_dmq1,
    rsa_crt_iqmp,
    rsa_recover_prime_factors,
)
from tests.seals.support import minted, rsa_key
from tests.seals.test_signature_batches import MODULE, needs_instructions

from timbra.asn1 import der_writer as der
from timbra.seals.certificates.certificate import read_certificate
from timbra.seals.certificates.issuance import is_issued_by
from timbra.seals.digest_recovery import recover_digest
from timbra.seals.rsa_signature import Digest, verify_digest, verify_signature
from timbra.seals.signers.memory import MemorySigner

VECTORS = Path(cryptography_vectors.__file__).parent / "asymmetric" / "RSA"
DIGESTS: dict[str, Digest] = {"SHA1": "sha1", "SHA256": "sha256"}
LEAF = read_certificate(minted())
DATA = LEAF.tbs_certificate
SIZE = 256
OID, NULL = der.object_identifier("2.16.840.1.101.3.4.2.1"), der.null()
"""SHA-256, and its parameters."""


def records(name: str) -> Iterator[dict[str, str]]:
    """Yield the vectors of a file of the NIST, each with the values that hold for it from lines before."""
    values: dict[str, str] = {}
    ends = "Result" if "SigVer" in name else "S"
    for line in (VECTORS / name).read_text("ascii").splitlines():
        key, equals, value = line.strip(" []").partition("=")
        if line.startswith("#") or not equals:
            continue
        values[key.strip()] = value.strip()
        if key.strip() == ends:
            yield dict(values)


@pytest.mark.parametrize(
    ("name", "valid", "invalid"),
    [("FIPS_186-2/SigVer15_186-3.rsp", 30, 150), ("SigVer15EMTest.txt", 0, 60)],
)
def test_verify_signature_agrees_with_published_vectors(name: str, valid: int, invalid: int) -> None:
    results = {True: 0, False: 0}
    for record in records(name):
        if record["SHAAlg"] not in DIGESTS:
            continue
        public_key = RSAPublicNumbers(int(record["e"], 16), int(record["n"], 16)).public_key()
        data, signature = bytes.fromhex(record["Msg"]), bytes.fromhex(record["S"])
        found = verify_signature(public_key, data, signature, DIGESTS[record["SHAAlg"]])
        assert found is record["Result"].startswith("P"), record
        results[found] += 1
    assert results == {True: valid, False: invalid}


@cache
def published_keys() -> dict[int, RSAPrivateKey]:
    """Return the NIST's private keys of 2048 bits and more by their modulus."""
    keys = {}
    for record in records("FIPS_186-2/SigGen15_186-2.txt"):
        n, e, d = (int(record[name], 16) for name in "ned")
        if n.bit_length() >= 2048 and n not in keys:
            keys[n] = private_key(*rsa_recover_prime_factors(n, e, d), e)
    return keys


def private_key(p: int, q: int, e: int) -> RSAPrivateKey:
    d = pow(e, -1, (p - 1) * (q - 1))
    crt = rsa_crt_dmp1(d, p), rsa_crt_dmq1(d, q), rsa_crt_iqmp(p, q)
    return RSAPrivateNumbers(p, q, d, *crt, RSAPublicNumbers(e, p * q)).private_key()


def test_sign_makes_the_published_signatures() -> None:
    signers = {n: MemorySigner(key) for n, key in published_keys().items()}
    made = 0
    for record in records("FIPS_186-2/SigGen15_186-2.txt"):
        signer = signers.get(int(record["n"], 16))
        if signer and record["SHAAlg"] in DIGESTS:
            found = signer.sign(bytes.fromhex(record["Msg"]), DIGESTS[record["SHAAlg"]])
            assert found == bytes.fromhex(record["S"]), record
            made += 1
    assert made == 60


@needs_instructions
def test_sign_blocks_applies_the_private_operation_to_every_kind_of_block() -> None:
    assert MODULE is not None
    keys = [key for key in published_keys().values() if key.key_size == 2048] + [rsa_key()]
    for key in [*keys, *map(with_factors_exchanged, keys)]:
        numbers = key.private_numbers()
        n, p, q = numbers.public_numbers.n, numbers.p, numbers.q
        crt = MODULE.CrtKey(n, p, q, numbers.dmp1, numbers.dmq1, numbers.iqmp)
        blocks = [0, 1, 2, n - 1, n - 2, p, q, n - p, n - q, (p * p) % n, 1 << 1024, (1 << 2047) % n, n >> 1]
        for block in blocks:
            [signature] = MODULE.sign_blocks([crt], [block.to_bytes(SIZE, "big")])
            assert int.from_bytes(signature, "big") == pow(block, numbers.d, n)


def with_factors_exchanged(key: RSAPrivateKey) -> RSAPrivateKey:
    numbers = key.private_numbers()
    return private_key(numbers.q, numbers.p, 65537)


def padded(signed: bytes, *, head: bytes = b"\0\1", filling: bytes = b"\xff", separator: bytes = b"\0") -> bytes:
    """Return a block of 256 bytes around a DigestInfo."""
    return head + filling * (SIZE - len(head) - len(separator) - len(signed)) + separator + signed


def digest_info(oid: bytes = OID, null: bytes = NULL, digest: bytes | None = None) -> bytes:
    return der.sequence(
        der.sequence(oid, null), der.octets(hashlib.sha256(DATA).digest() if digest is None else digest)
    )


def replaced(change: Callable[[bytes], bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield a DigestInfo with a change in each of its five elements; the elements around it have right lengths."""
    digest = der.octets(hashlib.sha256(DATA).digest())
    yield "DigestInfo", change(digest_info())
    yield "algorithm", der.sequence(change(der.sequence(OID, NULL)), digest)
    yield "identifier", der.sequence(der.sequence(change(OID), NULL), digest)
    yield "parameters", der.sequence(der.sequence(OID, change(NULL)), digest)
    yield "digest", der.sequence(der.sequence(OID, NULL), change(digest))


def with_length(length: Callable[[int], bytes]) -> Callable[[bytes], bytes]:
    return lambda element: element[:1] + length(element[1]) + element[2:]


def with_tag(tag: int) -> Callable[[bytes], bytes]:
    return lambda element: bytes([tag]) + element[1:]


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "long form of the length": with_length(lambda size: bytes([0x81, size])),
    "length with zeros before it": with_length(lambda size: bytes([0x83, 0, 0, size])),
    "length plus one": with_length(lambda size: bytes([size + 1])),
    "length minus one": with_length(lambda size: bytes([(size - 1) % 128])),
    "length plus 2^32": with_length(lambda size: bytes([0x85, 1, 0, 0, 0, size])),
    "length plus 2^64": with_length(lambda size: bytes([0x89, 1, *bytes(7), size])),
    "length of 2^31 - 1": with_length(lambda _: b"\x84\x7f\xff\xff\xff"),
    "length of 2^32 - 1": with_length(lambda _: b"\x84\xff\xff\xff\xff"),
    "length of 2^64 - 1": with_length(lambda _: b"\x88" + b"\xff" * 8),
    "length of 255 bytes": with_length(lambda _: b"\xff"),
    "indefinite length": lambda element: element[:1] + b"\x80" + element[2:] + b"\0\0",
    "indefinite length without an end": with_length(lambda _: b"\x80"),
    "element removed": lambda _: b"",
    "only the tag": lambda element: element[:1],
    "content removed": lambda element: element[:1] + b"\0",
    "zeros after it": lambda element: element + b"\0\0",
    "zeros inside after its content": lambda element: der.element(element[0], element[2:] + b"\0\0"),
    "zeros inside before its content": lambda element: der.element(element[0], b"\0\0" + element[2:]),
    "NULL after it": lambda element: element + NULL,
    "NULL inside": lambda element: der.element(element[0], element[2:] + NULL),
    "its first byte missing": lambda element: der.element(element[0], element[3:]),
    "its last byte missing": lambda element: der.element(element[0], element[2:-1]),
    "first byte changed": lambda element: element[:2] + bytes([element[2] ^ 1]) + element[3:] if element[1] else b"",
    "last byte changed": lambda element: element[:-1] + bytes([element[-1] ^ 1]),
    "in a sequence": lambda element: der.sequence(element),
    "twice": lambda element: element * 2,
    **{f"tag {tag}": with_tag(tag) for tag in (0, 1, 0x0C, 0x31, 0x85, 0xFF)},
}


def forged_blocks() -> Iterator[tuple[str, bytes]]:
    """Yield blocks of 256 bytes that differ from the one valid block."""
    for kind, change in CHANGES.items():
        yield from ((f"{kind}: {place}", padded(signed)) for place, signed in replaced(change))
    info, digest = digest_info(), hashlib.sha256(DATA).digest()
    for name in ("md5", "sha1", "sha224", "sha384", "sha512"):
        yield f"digest of {name}", padded(digest_info(digest=hashlib.new(name, DATA, usedforsecurity=False).digest()))
    for number in ("1.3.14.3.2.26", "2.16.840.1.101.3.4.2.3", "2.16.840.1.101.3.4.2.4", "1.2.840.113549.2.5"):
        yield f"identifier {number}", padded(digest_info(der.object_identifier(number)))
    yield "digest without DigestInfo", padded(digest)
    yield "no content", padded(b"")
    for head in (b"\0\0", b"\0\2", b"\0\3", b"\1\1", b"\2\1", b"\0\1\0", b"\1"):
        yield f"head {head.hex()}", padded(info, head=head)
    for filling in (b"\xfe", b"\0", b"\1", b"\x7f"):
        yield f"filling {filling.hex()}", padded(info, filling=filling)
    yield "no separator", padded(info, separator=b"")
    yield "separator 1", padded(info, separator=b"\1")
    yield "two separators", padded(info, separator=b"\0\0")
    for position in (2, 9, 10, 100, SIZE - len(info) - 2):
        yield f"zero in the filling at {position}", changed_at(padded(info), position, 0)
        yield f"fe in the filling at {position}", changed_at(padded(info), position, 0xFE)
    for count in (0, 1, 7, 8, 9):
        head = b"\0\1" + b"\xff" * count + b"\0" + info
        yield f"{count} bytes of filling, the rest behind", head + b"\0" * (SIZE - len(head))
        yield f"{count} bytes of filling, the rest behind as ff", head + b"\xff" * (SIZE - len(head))


def changed_at(block: bytes, position: int, value: int) -> bytes:
    return block[:position] + bytes([value]) + block[position + 1 :]


@cache
def forged_signatures(key: RSAPrivateKey) -> dict[str, bytes]:
    """Return what is no signature of the data although it is near to one."""
    return dict(_forged_signatures(key))


def _forged_signatures(key: RSAPrivateKey) -> Iterator[tuple[str, bytes]]:
    n = key.private_numbers().public_numbers.n
    valid = signature_of(key)
    for kind, block in forged_blocks():
        if int.from_bytes(block, "big") < n and block != padded(digest_info()):
            yield kind, private_operation(key, block)
    number = int.from_bytes(valid, "big")
    for kind, value in (("0", 0), ("1", 1), ("n - 1", n - 1), ("n", n), ("n + 1", n + 1), ("n - s", n - number)):
        yield f"signature {kind}", value.to_bytes(SIZE, "big")
    yield "signature s + n", (number + n).to_bytes(SIZE + 1, "big")
    yield "signature of ff", b"\xff" * SIZE
    yield "zero before", b"\0" + valid
    yield "zero after", valid + b"\0"
    yield "no first byte", valid[1:]
    yield "no last byte", valid[:-1]
    yield "half", valid[: SIZE // 2]
    yield "twice", valid * 2
    yield "empty", b""
    yield "last bit", valid[:-1] + bytes([valid[-1] ^ 1])


def signature_of(key: RSAPrivateKey) -> bytes:
    return private_operation(key, padded(digest_info()))


def private_operation(key: RSAPrivateKey, block: bytes) -> bytes:
    """Apply RSASP1 (RFC 8017, 5.2.1) to any block."""
    numbers, message = key.private_numbers(), int.from_bytes(block, "big")
    of_p, of_q = pow(message, numbers.dmp1, numbers.p), pow(message, numbers.dmq1, numbers.q)
    return (of_q + (of_p - of_q) * numbers.iqmp % numbers.p * numbers.q).to_bytes(SIZE, "big")


def is_digest_of_data(public_key: RSAPublicKey, signature: bytes) -> bool:
    """Whether the diagnosis of seals would call a signature one of the data."""
    found = recover_digest(public_key, signature)
    return found is not None and (found.digest_name, found.digest) == ("sha256", hashlib.sha256(DATA).digest())


VERIFIERS: dict[str, Callable[[RSAPublicKey, bytes], bool]] = {
    "seals": lambda key, signature: verify_signature(key, DATA, signature),
    "certificates": lambda key, signature: is_issued_by(replace(LEAF, signature=signature), key),
}


@pytest.mark.parametrize("exponent", [3, 65537])
@pytest.mark.parametrize("verifier", VERIFIERS)
def test_verifier_rejects_every_other_encoding(verifier: str, exponent: int) -> None:
    key = rsa_key() if exponent == 65537 else small_exponent_key()
    assert VERIFIERS[verifier](key.public_key(), signature_of(key))
    forged = forged_signatures(key)
    assert len(forged) > 190
    assert [kind for kind, signature in forged.items() if VERIFIERS[verifier](key.public_key(), signature)] == []


def test_verify_digest_rejects_a_signature_without_the_zero_that_it_begins_with() -> None:
    numbers = (number.to_bytes(32, "big") for number in range(100_000))
    signatures = ((digest, private_operation(rsa_key(), padded(digest_info(digest=digest)))) for digest in numbers)
    digest, signature = next(pair for pair in signatures if pair[1][0] == 0)
    assert verify_digest(rsa_key().public_key(), "sha256", digest, signature)
    assert not verify_digest(rsa_key().public_key(), "sha256", digest, signature[1:])


@pytest.mark.parametrize("verifier", VERIFIERS)
def test_verifier_rejects_a_cube_root_that_needs_no_key(verifier: str) -> None:
    public_key = small_exponent_key().public_key()
    head = b"\0\1" + b"\xff" * 8 + b"\0" + digest_info()
    lowest = int.from_bytes(head + b"\0" * (SIZE - len(head)), "big")
    root = cube_root_above(lowest)
    assert (root**3).to_bytes(SIZE, "big").startswith(head)
    assert not VERIFIERS[verifier](public_key, root.to_bytes(SIZE, "big"))


def test_recover_digest_finds_a_digest_in_the_one_encoding_only() -> None:
    key = rsa_key()
    assert is_digest_of_data(key.public_key(), signature_of(key))
    found = [
        kind for kind, signature in forged_signatures(key).items() if is_digest_of_data(key.public_key(), signature)
    ]
    assert found == []


@cache
def small_exponent_key() -> RSAPrivateKey:
    return generate_private_key(3, 2048)


def cube_root_above(number: int) -> int:
    low, high = 0, 1 << (number.bit_length() // 3 + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**3 < number else (low, middle)
    return low
