"""Addresses of mail, as clients and settings write them."""

from __future__ import annotations

from email.errors import MessageError
from email.headerregistry import Address
from email.utils import parseaddr


def address(written: str, name: str = "") -> Address:
    """One bare address, `local@domain`. ValueError for what could mean more or less than that."""
    local, at, domain = written.rpartition("@")
    plain = written.isprintable() and not any(character in ' ,;:<>"()[]\\' for character in written)
    if not (at and local and domain.strip(".") and plain and "@" not in local):
        raise ValueError("not an address")
    try:
        return Address(display_name=name, username=local, domain=domain)
    except (MessageError, ValueError) as error:
        raise ValueError("not an address") from error


def sender(written: str) -> Address:
    """An address with or without a name, `Facturas <facturas@example.com>`. ValueError for anything else."""
    name, bare = parseaddr(written)
    if not name.isprintable():
        raise ValueError("not an address")
    read = address(bare, name)
    # A domain that cannot be written in ASCII raises here, and not with every message.
    read.domain.encode("idna")
    return read
