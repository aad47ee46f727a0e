"""The forms in which programs send certificates and keys: DER, PEM, and base64 of either.

DER begins with 0x30 and, from 128 bytes on, a byte that is not ASCII, so that it is never taken for base64.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from timbra.seals.base64_text import strict_base64

CERTIFICATE_LABELS = frozenset({"CERTIFICATE", "X509 CERTIFICATE"})
KEY_LABELS = frozenset({"PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY"})
MAX_PEM_BYTES = 96 * 1024
"""Longer files are not searched for PEM: 64 KiB of DER have 88 KiB."""
BEGIN, DASHES = b"-----BEGIN ", b"-----"


@dataclass(frozen=True, slots=True)
class PemBlock:
    """A block of a PEM file.

    Attributes:
        label: What the block has, as "CERTIFICATE".
        text: The block with its first and last line.
        body: The lines between them.
    """

    label: str
    text: bytes = field(repr=False)
    body: bytes = field(repr=False)

    def der(self) -> bytes:
        """Decode the body. Raises ValueError: It is not base64."""
        try:
            return base64.b64decode(b"".join(self.body.split()), validate=True)
        except binascii.Error as cause:
            raise ValueError(f"not base64: {cause}") from cause


def decode_file(text: str) -> bytes:
    """Return the file that a text of a request has: PEM, or base64 with or without line breaks.

    Raises:
        ValueError: The text is neither.
    """
    if text.lstrip("\ufeff").lstrip().startswith(BEGIN.decode()):
        return text.encode()
    return strict_base64("".join(text.split()))


def file_content(data: bytes) -> bytes:
    """Return what a file has: DER or PEM, also when the file is base64 of it."""
    try:
        return strict_base64("".join(data.decode("ascii").split())) if data else data
    except ValueError:
        return data


def pem_blocks(data: bytes, labels: Collection[str]) -> Iterator[PemBlock]:
    """Yield the blocks of a PEM file that have one of the labels; text around them is ignored."""
    place = data.find(BEGIN) if len(data) <= MAX_PEM_BYTES else -1
    while place >= 0:
        start = data.find(DASHES, place + len(BEGIN))
        label = data[place + len(BEGIN) : max(start, 0)]
        last = b"-----END %s-----" % label
        end = data.find(last, start)
        if start < 0 or end < 0:
            return
        stop = end + len(last)
        if (name := label.decode("latin-1")) in labels:
            yield PemBlock(name, data[place:stop], data[start + len(DASHES) : end])
        place = data.find(BEGIN, stop)
