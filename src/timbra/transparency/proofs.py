"""Proofs as text: C2SP tlog-proof for a leaf, and the request of C2SP tlog-witness for two checkpoints."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from timbra.core.errors import ServiceError
from timbra.transparency.merkle import is_consistent, leaf_hash, root_of_inclusion
from timbra.transparency.notes import UNREADABLE, SignedNote, decode_base64, is_number, parse_note

FORMAT: Final = "c2sp.org/tlog-proof@v1"
EXTRA, INDEX, OLD = "extra ", "index ", "old "
INVALID: Final = "proof-invalid"


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """The proof that a leaf is in the log of a checkpoint.

    Attributes:
        leaf: The content of the leaf, which the text has as extra data.
        index: The place of the leaf.
        hashes: From the sibling of the leaf on.
    """

    leaf: bytes
    index: int
    hashes: Sequence[bytes]
    note: SignedNote

    def text(self) -> str:
        lines = [FORMAT, EXTRA + b64encode(self.leaf).decode(), f"{INDEX}{self.index}", *map(_encoded, self.hashes)]
        return "\n".join(lines) + f"\n\n{self.note}"

    def check(self) -> None:
        """Raise ServiceError("proof-invalid") when the hashes do not lead from the leaf to the root."""
        checkpoint = self.note.checkpoint
        if root_of_inclusion(leaf_hash(self.leaf), self.index, checkpoint.size, self.hashes) != checkpoint.root:
            raise ServiceError(INVALID, "Los hashes no llevan de la hoja a la raíz del checkpoint.")


@dataclass(frozen=True, slots=True)
class ConsistencyProof:
    """The proof that the log of a checkpoint begins with its first leaves of before.

    Attributes:
        old: The number of leaves of before.
    """

    old: int
    hashes: Sequence[bytes]
    note: SignedNote

    def text(self) -> str:
        return "\n".join([f"{OLD}{self.old}", *map(_encoded, self.hashes)]) + f"\n\n{self.note}"

    def check(self, old_root: bytes) -> None:
        """Raise ServiceError("proof-invalid") when the hashes do not lead to both roots."""
        new = self.note.checkpoint
        if not is_consistent(self.old, old_root, new.size, new.root, self.hashes):
            raise ServiceError(INVALID, "El checkpoint no continúa el anterior.")


def parse_inclusion(text: str) -> InclusionProof:
    """Read a proof of a leaf. Raises ServiceError: "log-unreadable"."""
    head, _, note = text.partition("\n\n")
    lines = [*head.split("\n"), "", ""]
    index = lines[2].removeprefix(INDEX)
    if lines[0] != FORMAT or not lines[1].startswith(EXTRA) or not lines[2].startswith(INDEX) or not is_number(index):
        raise ServiceError(UNREADABLE, "El texto no es una prueba de inclusión.")
    leaf = decode_base64(lines[1].removeprefix(EXTRA))
    return InclusionProof(leaf, int(index), [decode_base64(line) for line in lines[3:-2]], parse_note(note))


def parse_consistency(text: str) -> ConsistencyProof:
    """Read a proof of two checkpoints. Raises ServiceError: "log-unreadable"."""
    head, _, note = text.partition("\n\n")
    first, *lines = head.split("\n")
    old = first.removeprefix(OLD)
    if not first.startswith(OLD) or not is_number(old):
        raise ServiceError(UNREADABLE, "El texto no es una prueba de consistencia.")
    return ConsistencyProof(int(old), [decode_base64(line) for line in lines], parse_note(note))


def _encoded(digest: bytes) -> str:
    return b64encode(digest).decode()
