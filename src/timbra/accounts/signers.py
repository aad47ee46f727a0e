"""Signers of stored certificates, in memory: a key is read and proven once, not for every document."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import Row, select

from timbra.seals.certificate import Certificate, read_certificate
from timbra.seals.envelope import Envelope
from timbra.seals.keys import load_private_key, pair
from timbra.seals.signers.port import Signer
from timbra.store.database import Database
from timbra.store.tables.accounts import CSD

AREA = "certificates"
MOST_ISSUERS = 4096
MOST_SIGNERS = 4096


@dataclass(frozen=True, slots=True)
class IssuerCredential:
    """What seals an issuer's documents."""

    certificate: Certificate
    signer: Signer = field(repr=False)


Held = tuple[IssuerCredential, ...]
K = TypeVar("K")
V = TypeVar("V")


def context_of(account_id: int, number: str) -> bytes:
    """What a stored key is bound to: moved to another account or number it does not open."""
    return f"csd:{account_id}:{number}".encode()


class Signers:
    """Active credentials per account and RFC; one per process, safe among threads.

    A change of any certificate forgets who holds what, not the keys: they are found again by their certificate.
    """

    def __init__(self, database: Database, envelope: Envelope) -> None:
        self._database = database
        self._envelope = envelope
        self._held: OrderedDict[tuple[int, str], Held] = OrderedDict()
        self._credentials: OrderedDict[tuple[int, bytes], IssuerCredential] = OrderedDict()
        self._revision = -1
        self._lock = threading.Lock()

    def of(self, account_id: int, rfc: str) -> Held:
        """The account's active credentials of an RFC, newest first. ServiceError("vault-key-unknown", ...)."""
        with self._lock:
            revision = self._database.revision(AREA)
            if revision != self._revision:
                self._held.clear()
                self._revision = revision
            held = self._held.get((account_id, rfc))
            if held is None:
                held = tuple(self._credential(row) for row in self._rows(account_id, rfc))
                _keep(self._held, (account_id, rfc), held, MOST_ISSUERS)
            return held

    def _rows(self, account_id: int, rfc: str) -> list[Row[tuple[int, str, bytes, bytes]]]:
        columns = select(CSD.c.account_id, CSD.c.number, CSD.c.certificate, CSD.c.sealed_key)
        active = columns.where(CSD.c.account_id == account_id, CSD.c.rfc == rfc, CSD.c.active)
        with self._database.read() as connection:
            return list(connection.execute(active.order_by(CSD.c.valid_from.desc(), CSD.c.number.desc())))

    def _credential(self, row: Row[tuple[int, str, bytes, bytes]]) -> IssuerCredential:
        known = self._credentials.get((row.account_id, row.certificate))
        if known is None:
            key = self._envelope.open(row.sealed_key, context_of(row.account_id, row.number))
            certificate = read_certificate(row.certificate)
            known = IssuerCredential(certificate, pair(certificate, load_private_key(key, "")))
            _keep(self._credentials, (row.account_id, row.certificate), known, MOST_SIGNERS)
        return known


def _keep(kept: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    while len(kept) >= most:
        kept.popitem(last=False)
    kept[key] = value
