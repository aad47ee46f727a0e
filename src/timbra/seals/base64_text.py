"""Strict decoding of base64."""

from __future__ import annotations

import base64
import binascii


def strict_base64(text: str) -> bytes:
    """Decode canonical base64: no white space, complete padding, unused bits zero.

    Raises:
        ValueError: The text is not canonical base64.
    """
    encoded = text.encode("ascii")
    try:
        decoded = binascii.a2b_base64(encoded, strict_mode=True)
    except binascii.Error as cause:
        raise ValueError(f"not base64: {cause}") from cause
    if base64.b64encode(decoded) != encoded:
        raise ValueError("not canonical base64")
    return decoded
