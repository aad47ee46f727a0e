"""Parsing of e-mail addresses of clients and settings."""

from __future__ import annotations

from email.errors import MessageError
from email.headerregistry import Address
from email.utils import parseaddr


def address(written: str, name: str = "") -> Address:
    """Parse one address without name, `local@domain`.

    Args:
        name: display name of the result.

    Raises:
        ValueError: the text is not an address.
    """
    local, at, domain = written.rpartition("@")
    plain = written.isprintable() and not any(character in ' ,;:<>"()[]\\' for character in written)
    if not (at and local and domain.strip(".") and plain and "@" not in local):
        raise ValueError("not an address")
    try:
        return Address(display_name=name, username=local, domain=domain)
    except (MessageError, ValueError) as error:
        raise ValueError("not an address") from error


def sender(written: str) -> Address:
    """Parse an address with or without a name, `Facturas <facturas@example.com>`.

    Raises:
        ValueError: the text is not an address.
    """
    name, bare = parseaddr(written)
    if not name.isprintable():
        raise ValueError("not an address")
    parsed = address(bare, name)
    # A domain without an ASCII form raises here, not with every message.
    parsed.domain.encode("idna")
    return parsed
