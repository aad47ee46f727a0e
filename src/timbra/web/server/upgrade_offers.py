"""Requests that offer another protocol (`Upgrade`), which a server may ignore.

Source: RFC 9110, 7.8.
"""

from __future__ import annotations

from collections.abc import Iterable

OFFER = {b"upgrade", b"http2-settings"}
"""Headers of the offer, and their names in `Connection`."""


def head_without_upgrade(method: bytes, target: bytes, version: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the head of a request without its offer; every other header stays as it is.

    Args:
        target: Its target, as received.
        version: `1.1` or `1.0`.
        headers: Names in lower case, and values.
    """
    lines = [b"%s %s HTTP/%s" % (method, target, version)]
    for name, value in headers:
        if name in OFFER:
            continue
        lines.append(b"%s: %s" % (name, _other_options(value) if name == b"connection" else value))
    return b"\r\n".join([*lines, b"", b""])


def _other_options(value: bytes) -> bytes:
    """Return the options of `Connection` that are not about the offer."""
    options = (option.strip() for option in value.split(b","))
    return b", ".join(option for option in options if option.lower() not in OFFER)
