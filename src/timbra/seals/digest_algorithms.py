"""Hashes of signatures: SHA-256 for seals; SHA-1 where the SAT's services require it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from cryptography.hazmat.primitives.hashes import SHA1, SHA256, HashAlgorithm

Digest = Literal["sha256", "sha1"]
ALGORITHMS: Mapping[Digest, Callable[[], HashAlgorithm]] = {"sha256": SHA256, "sha1": SHA1}
