"""Signed checkpoints: C2SP signed-note and tlog-checkpoint with Ed25519, and cosignatures of C2SP tlog-cosignature."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from timbra.core.errors import ServiceError

UNREADABLE: Final = "log-unreadable"
SIGNATURE, COSIGNATURE = 1, 4
"""Types of keys of a signed note: Ed25519, and timestamped Ed25519 of a cosigner."""
DASH = "\N{EM DASH} "
TIME_BYTES = 8


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Number of leaves and root of a log, named by its origin."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """Return the text that signatures cover."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"


@dataclass(frozen=True, slots=True)
class NoteKey:
    """A public key, with its name and type, as a verifier key (`NAME+ID+KEY`) has them."""

    name: str
    kind: int
    public: bytes

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{b64encode(bytes([self.kind]) + self.public).decode()}"

    @property
    def key_id(self) -> bytes:
        return sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.public).digest()[:4]

    @classmethod
    def parse(cls, text: str) -> NoteKey:
        """Read a verifier key. Raises ServiceError: "log-unreadable"."""
        parts = text.strip().split("+", 2)
        content = decode_base64(parts[-1])
        if len(parts) == 3 and parts[0] and len(content) == 33 and content[0] in (SIGNATURE, COSIGNATURE):
            found = cls(parts[0], content[0], content[1:])
            if found.key_id.hex() == parts[1]:
                return found
        raise ServiceError(UNREADABLE, "La llave no es una verifier key de Ed25519.")


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A checkpoint with its signatures.

    Attributes:
        text: The signed text.
        signatures: The lines of the signatures, without their ends.
    """

    checkpoint: Checkpoint
    text: str
    signatures: tuple[str, ...]

    def __str__(self) -> str:
        return self.text + "\n" + "".join(line + "\n" for line in self.signatures)

    def is_signed_by(self, key: NoteKey) -> bool:
        """Whether a line is a good signature of a key."""
        return any(self.is_signed_by_line(line, key) for line in self.signatures)

    def with_signatures(self, lines: Sequence[str]) -> SignedNote:
        """Return the note with further lines; a key has one signature, the newest."""
        found = {_signer(line): line for line in (*self.signatures, *lines)}
        return SignedNote(self.checkpoint, self.text, tuple(found.values()))

    def is_signed_by_line(self, line: str, key: NoteKey) -> bool:
        """Whether a line is a good signature of a key."""
        name, _, encoded = line.removeprefix(DASH).partition(" ")
        content = decode_base64(encoded)
        if name != key.name or content[:4] != key.key_id:
            return False
        signature, text = content[4:], self.text
        if key.kind == COSIGNATURE:
            text = _cosigned(int.from_bytes(signature[:TIME_BYTES]), text)
            signature = signature[TIME_BYTES:]
        try:
            Ed25519PublicKey.from_public_bytes(key.public).verify(signature, text.encode())
        except (InvalidSignature, ValueError):
            return False
        return True


def parse_note(content: str) -> SignedNote:
    """Read a signed checkpoint. Raises ServiceError: "log-unreadable"."""
    text, separator, rest = content.rpartition("\n\n")
    lines, signatures = text.split("\n"), rest.removesuffix("\n").split("\n")
    is_note = separator and rest.endswith("\n") and all(line.startswith(DASH) for line in signatures)
    if not is_note or len(lines) < 3 or not all(lines) or not is_number(lines[1]):
        raise ServiceError(UNREADABLE, "El texto no es un checkpoint firmado.")
    checkpoint = Checkpoint(lines[0], int(lines[1]), decode_base64(lines[2]))
    for line in signatures:
        _signer(line)
    return SignedNote(checkpoint, text + "\n", tuple(signatures))


def sign(text: str, name: str, key: Ed25519PrivateKey) -> str:
    """Return the line of a signature of a text."""
    return _line(NoteKey(name, SIGNATURE, key.public_key().public_bytes_raw()), key.sign(text.encode()))


def cosign(text: str, name: str, key: Ed25519PrivateKey, seconds: int) -> str:
    """Return the line of a cosignature of a text. `seconds`: Unix time."""
    signature = seconds.to_bytes(TIME_BYTES) + key.sign(_cosigned(seconds, text).encode())
    return _line(NoteKey(name, COSIGNATURE, key.public_key().public_bytes_raw()), signature)


def decode_base64(text: str) -> bytes:
    """Decode base64 in its only form. Raises ServiceError: "log-unreadable"."""
    try:
        found = b64decode(text, validate=True)
    except (Error, ValueError):
        found = b""
    # Unused bits of the last digit must be zero.
    if not found or b64encode(found).decode() != text:
        raise ServiceError(UNREADABLE, "Un renglón no es base64.")
    return found


def is_number(text: str) -> bool:
    """Whether a text is a decimal number without further zeros in front."""
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")


def _signer(line: str) -> tuple[str, bytes]:
    name, _, encoded = line.removeprefix(DASH).partition(" ")
    return name, decode_base64(encoded)[:4]


def _line(key: NoteKey, signature: bytes) -> str:
    return f"{DASH}{key.name} {b64encode(key.key_id + signature).decode()}"


def _cosigned(seconds: int, text: str) -> str:
    return f"cosignature/v1\ntime {seconds}\n{text}"
