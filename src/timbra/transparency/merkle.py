"""The Merkle tree of RFC 6962, section 2.1: hashes, inclusion proofs, consistency proofs and their verification."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import TypeAlias

EMPTY_ROOT = sha256(b"").digest()
ReadHash: TypeAlias = Callable[[int, int], bytes]
"""Returns the hash of a perfect subtree by its level, 0 for a leaf, and its place among those of the level."""


def leaf_hash(content: bytes) -> bytes:
    return sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def perfect_root(hashes: Sequence[bytes]) -> bytes:
    """Return the root of the perfect tree over hashes, whose number is a power of two."""
    while len(hashes) > 1:
        hashes = [node_hash(hashes[place], hashes[place + 1]) for place in range(0, len(hashes), 2)]
    return hashes[0]


def tree_root(read: ReadHash, size: int) -> bytes:
    """Return the root of the tree of the first leaves. `size`: their number."""
    return _range_root(read, 0, size) if size else EMPTY_ROOT


def inclusion_proof(read: ReadHash, index: int, size: int) -> list[bytes]:
    """Return the proof that a leaf is in the tree of the first leaves. `index`: its place; `size`: their number."""
    first, last, path = 0, size, list[bytes]()
    while last - first > 1:
        middle = first + _split(last - first)
        if index < middle:
            path.append(_range_root(read, middle, last))
            last = middle
        else:
            path.append(_range_root(read, first, middle))
            first = middle
    return path[::-1]


def consistency_proof(read: ReadHash, old: int, size: int) -> list[bytes]:
    """Return the proof that the tree of the first leaves is the beginning of a larger one; empty for no leaves."""
    first, last, path = 0, size if old else 0, list[bytes]()
    while old != last:
        middle = first + _split(last - first)
        if old <= middle:
            path.append(_range_root(read, middle, last))
            last = middle
        else:
            path.append(_range_root(read, first, middle))
            first = middle
    if first:
        path.append(_range_root(read, first, last))
    return path[::-1]


def root_of_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes | None:
    """Return the root that an inclusion proof leads to (RFC 9162, 2.1.3.2); None for one of another length.

    Args:
        leaf: The hash of the leaf.
    """
    node, last, found = index, size - 1, leaf
    if not 0 <= index < size:
        return None
    for sibling in proof:
        if not last:
            return None
        if node & 1 or node == last:
            found = node_hash(sibling, found)
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        node, last = node >> 1, last >> 1
    return None if last else found


def is_consistent(old: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether a consistency proof leads to both roots (RFC 9162, 2.1.4.2)."""
    if not 0 < old < size:
        return not proof and (not old or (old == size and old_root == root))
    hashes = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    if not hashes:
        return False
    node, last = old - 1, size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    of_old = of_new = hashes[0]
    for sibling in hashes[1:]:
        if not last:
            return False
        if node & 1 or node == last:
            of_old, of_new = node_hash(sibling, of_old), node_hash(sibling, of_new)
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            of_new = node_hash(of_new, sibling)
        node, last = node >> 1, last >> 1
    return not last and of_old == old_root and of_new == root


class TreeHasher:
    """The tree of leaves that are added one by one, in memory for one hash of each level."""

    def __init__(self) -> None:
        self.size = 0
        self._edge: list[bytes | None] = []

    def add(self, leaf: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Add the hash of a leaf; yield level, place and hash of each perfect subtree that it completes."""
        self.size += 1
        level, place, found = 0, self.size - 1, leaf
        while place & 1:
            found = node_hash(self._edge[level] or b"", found)
            self._edge[level] = None
            level, place = level + 1, place >> 1
            yield level, place, found
        if level == len(self._edge):
            self._edge.append(found)
        else:
            self._edge[level] = found

    def root(self) -> bytes:
        found: bytes | None = None
        for each in self._edge:
            if each is not None:
                found = each if found is None else node_hash(each, found)
        return EMPTY_ROOT if found is None else found


def _range_root(read: ReadHash, first: int, last: int) -> bytes:
    width = last - first
    if width & (width - 1) == 0:
        level = width.bit_length() - 1
        return read(level, first >> level)
    middle = first + _split(width)
    return node_hash(_range_root(read, first, middle), _range_root(read, middle, last))


def _split(width: int) -> int:
    """Return the largest power of two below a number of leaves."""
    return 1 << (width - 1).bit_length() - 1
