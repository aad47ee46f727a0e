"""The Merkle tree: the vectors of certificate-transparency, and proofs of every size of which a changed bit fails."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from timbra.transparency.merkle import (
    TreeHasher,
    consistency_proof,
    inclusion_proof,
    is_consistent,
    leaf_hash,
    perfect_root,
    root_of_inclusion,
    tree_root,
)

EMPTY_ROOT = bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
LARGEST = 300
LEAVES = [leaf_hash(f"leaf {number}".encode()) for number in range(LARGEST)]
VECTOR = [
    bytes.fromhex(content)
    for content in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
"""The leaves of the tests of certificate-transparency, github.com/google/certificate-transparency."""
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
INCLUSION = {
    # leaf (from 0) and size: the path
    (0, 1): [],
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
CONSISTENCY = {
    # two sizes: the path
    (1, 1): [],
    (1, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}


def read(leaves: Sequence[bytes], level: int, place: int) -> bytes:
    return perfect_root(leaves[place << level : (place + 1) << level])


def of_vector(level: int, place: int) -> bytes:
    return read([leaf_hash(content) for content in VECTOR], level, place)


def of_leaves(level: int, place: int) -> bytes:
    return read(LEAVES, level, place)


def recursive_root(leaves: Sequence[bytes]) -> bytes:
    """The definition of RFC 6962, 2.1."""
    if len(leaves) == 1:
        return leaves[0]
    split = max(1 << bit for bit in range(9) if 1 << bit < len(leaves))
    return sha256(b"\x01" + recursive_root(leaves[:split]) + recursive_root(leaves[split:])).digest()


def flipped(content: bytes, bit: int) -> bytes:
    number = int.from_bytes(content) ^ (1 << bit % (8 * len(content)))
    return number.to_bytes(len(content))


def test_roots_are_those_of_the_vector() -> None:
    assert [tree_root(of_vector, size).hex() for size in range(1, 9)] == list(ROOTS)
    assert tree_root(of_vector, 0) == EMPTY_ROOT


def test_proofs_are_those_of_the_vector() -> None:
    for (index, size), path in INCLUSION.items():
        assert [each.hex() for each in inclusion_proof(of_vector, index, size)] == path, (index, size)
    for (old, size), path in CONSISTENCY.items():
        assert [each.hex() for each in consistency_proof(of_vector, old, size)] == path, (old, size)


def test_tree_hasher_has_the_root_of_every_size() -> None:
    hasher = TreeHasher()
    perfect: dict[tuple[int, int], bytes] = {}
    assert hasher.root() == EMPTY_ROOT
    for size in range(1, LARGEST + 1):
        perfect |= {(level, place): found for level, place, found in hasher.add(LEAVES[size - 1])}
        assert hasher.root() == tree_root(of_leaves, size) == recursive_root(LEAVES[:size])
    assert perfect[8, 0] == tree_root(of_leaves, 256)
    assert perfect[3, 36] == of_leaves(3, 36)


def test_proofs_verify_for_every_size() -> None:
    roots = {size: tree_root(of_leaves, size) for size in range(LARGEST + 1)}
    for size in range(1, LARGEST + 1):
        for index in {0, 1, size // 3, size // 2, size - 2, size - 1} & set(range(size)):
            proof = inclusion_proof(of_leaves, index, size)
            assert root_of_inclusion(LEAVES[index], index, size, proof) == roots[size], (index, size)
        for old in {0, 1, 2, size // 3, size // 2, size - 1, size} & set(range(size + 1)):
            proof = consistency_proof(of_leaves, old, size)
            assert is_consistent(old, roots[old], size, roots[size], proof), (old, size)


@given(st.data(), st.integers(1, LARGEST), st.integers(0, 255))
def test_inclusion_fails_for_any_changed_bit(data: st.DataObject, size: int, bit: int) -> None:
    index = data.draw(st.integers(0, size - 1))
    proof, root = inclusion_proof(of_leaves, index, size), tree_root(of_leaves, size)
    assert root_of_inclusion(LEAVES[index], index, size, proof) == root
    assert root_of_inclusion(flipped(LEAVES[index], bit), index, size, proof) != root
    for place, each in enumerate(proof):
        changed = [*proof[:place], flipped(each, bit), *proof[place + 1 :]]
        assert root_of_inclusion(LEAVES[index], index, size, changed) != root
        assert root_of_inclusion(LEAVES[index], index, size, proof[:place] + proof[place + 1 :]) != root
    other = data.draw(st.integers(0, size))
    if other != index:
        assert root_of_inclusion(LEAVES[index], other, size, proof) != root
    assert root_of_inclusion(LEAVES[index], index, size, [*proof, LEAVES[0]]) != root


@given(st.data(), st.integers(1, LARGEST), st.integers(0, 255))
def test_consistency_fails_for_any_changed_bit(data: st.DataObject, size: int, bit: int) -> None:
    old = data.draw(st.integers(1, size))
    proof = consistency_proof(of_leaves, old, size)
    old_root, root = tree_root(of_leaves, old), tree_root(of_leaves, size)
    assert is_consistent(old, old_root, size, root, proof)
    assert not is_consistent(old, flipped(old_root, bit), size, root, proof)
    assert not is_consistent(old, old_root, size, flipped(root, bit), proof)
    for place, each in enumerate(proof):
        changed = [*proof[:place], flipped(each, bit), *proof[place + 1 :]]
        assert not is_consistent(old, old_root, size, root, changed)
        assert not is_consistent(old, old_root, size, root, proof[:place] + proof[place + 1 :])
    assert not is_consistent(old, old_root, size, root, [*proof, LEAVES[0]])
    assert not is_consistent(size + 1, old_root, size, root, proof)
