"""RSA keys of the sandbox that are generated once and kept for later tests; a key of 4096 bits takes a second.

The key of the authority is of 2048 bits, because each certificate of each sandbox is signed with it.

All sandboxes of a process have the same keys of authority and provider; the credentials that one `SandboxApp` mints
have distinct keys. All other keys, such as those that the portal or a seed file asks for, are taken in turn: the next
`IN_TURN` differ. A test of two authorities that do not trust each other opens one of them within `other_keys`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import cycle
from pathlib import Path
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
)

from timbra.sandbox.authority.certificates import authority, key_files
from timbra.sandbox.store.models import KeyRow
from timbra.seals.encryption.envelope import EnvelopeEncryption

AUTHORITY_BITS = 4096
HOLDER_BITS = 2048

FOLDER = "TIMBRA_TEST_KEYS"
"""Environment variable with the folder that keeps the keys between processes; without it each process has its own."""
MOST_MINTED = 16
"""Cached keys of credentials; further credentials of one sandbox have keys in turn."""
IN_TURN = 64
"""Cached keys that are taken in turn."""

_next_holder: ContextVar[str] = ContextVar("_next_holder", default="")
_other: ContextVar[bool] = ContextVar("_other", default=False)
_new_authority_keys = authority._new_keys
_turns = cycle(f"turn-{number}" for number in range(IN_TURN))
_taking = threading.Lock()


def install() -> None:
    """Use cached keys in all sandboxes of this process."""
    key_files.generate_private_key = _generate  # type: ignore[attr-defined,assignment]
    authority._new_keys = _new_keys_of_authority


@contextmanager
def other_keys() -> Iterator[None]:
    """Use another key for the authority within the block."""
    token = _other.set(True)
    try:
        yield
    finally:
        _other.reset(token)


@contextmanager
def holder_key(number: int) -> Iterator[None]:
    """Use the cached key of this number for a credential that is minted within the block."""
    token = _next_holder.set(f"holder-{number}" if number < MOST_MINTED else "")
    try:
        yield
    finally:
        _next_holder.reset(token)


@cache
def cached_key(name: str, bits: int = HOLDER_BITS) -> RSAPrivateKey:
    """Return the key of this name; generate it at first use."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return generate_private_key(65537, bits)
    path = Path(folder) / f"{name}-{bits}.der"
    if not path.exists():
        fresh = path.with_name(f"{uuid4()}.new")
        generated = generate_private_key(65537, bits)
        fresh.write_bytes(generated.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))
        fresh.replace(path)
    key = load_der_private_key(path.read_bytes(), None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(key, RSAPrivateKey)
    return key


def _generate(_exponent: int, bits: int) -> RSAPrivateKey:
    if bits == AUTHORITY_BITS:
        return cached_key("other-authority" if _other.get() else "authority")
    return cached_key(_next_holder.get() or _next_turn(), bits)


def _next_turn() -> str:
    with _taking:
        return next(_turns)


def _new_keys_of_authority(envelope: EnvelopeEncryption) -> list[KeyRow]:
    token = _next_holder.set("provider")
    try:
        return _new_authority_keys(envelope)
    finally:
        _next_holder.reset(token)
