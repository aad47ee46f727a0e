"""Published rows of the simulated lists, and the rows that new taxpayers and certificates start with."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from timbra.core.errors import ServiceError
from timbra.sandbox.authority.taxpayers import seeds
from timbra.sandbox.authority.taxpayers.models import (
    SandboxCertificate,
    SandboxTaxpayer,
    TaxpayerEntry,
    entry_from_row,
)
from timbra.sandbox.store.models import CertificateRow
from timbra.sandbox.store.transactions import SandboxTransaction
from timbra.seals.certificates.certificate import Certificate, CertificateKind

DEFAULTS: Mapping[str, object] = {
    "postal_code": "",
    "regimes": "",
    "obligations": seeds.OBLIGATIONS,
    "cancelled": False,
    "situation": "",
}


@dataclass(frozen=True, slots=True)
class ListedTaxpayerState:
    """The published rows of one RFC.

    Attributes:
        taxpayer: The row of l_RFC; None when the RFC is not listed.
        obligations: ValidezObligaciones; None when the RFC is not listed.
        seals: The rows of the LCO by certificate number.
    """

    taxpayer: SandboxTaxpayer | None
    obligations: int | None
    seals: Mapping[str, SandboxCertificate]


UNLISTED = ListedTaxpayerState(None, None, {})


def read_all_listed(
    transaction: SandboxTransaction, rfcs: Collection[str], published: datetime
) -> dict[str, ListedTaxpayerState]:
    """Return the published rows of each RFC.

    Args:
        transaction: The transaction in which rows are read.
        published: The fiscal instant of the publication; certificates that ended before it are expired.
    """
    taxpayers = transaction.taxpayers.listed(rfcs)
    seals: dict[str, dict[str, SandboxCertificate]] = {rfc: {} for rfc in taxpayers}
    for row in transaction.certificates.listed(taxpayers):
        obligations = taxpayers[row.rfc].obligations
        seals[row.rfc][row.number] = SandboxCertificate(
            row.rfc, row.number, _listed_status(row, published), obligations, row.valid_from, row.valid_to
        )
    listed = {
        rfc: ListedTaxpayerState(entry_from_row(row).taxpayer, row.obligations, seals[rfc])
        for rfc, row in taxpayers.items()
    }
    return {rfc: listed.get(rfc, UNLISTED) for rfc in rfcs}


def read_entry(transaction: SandboxTransaction, rfc: str) -> TaxpayerEntry:
    """Return a taxpayer with its pending changes. Raises ServiceError: "taxpayer-unknown"."""
    row = transaction.taxpayers.get(rfc)
    if row is None:
        raise ServiceError("taxpayer-unknown", f"El RFC {rfc[:20]} no está registrado.")
    return entry_from_row(row)


def insert_taxpayer(transaction: SandboxTransaction, rfc: str, values: Mapping[str, object], *, listed: bool) -> bool:
    """Insert a taxpayer unless the RFC exists.

    Args:
        transaction: A write transaction.
        values: Columns that differ from `DEFAULTS`.
        listed: Whether the published list has the row at once.

    Returns:
        Whether the row was inserted.
    """
    return transaction.taxpayers.insert({**DEFAULTS, **values, "rfc": rfc, "listed": listed})


def apply_change(transaction: SandboxTransaction, entry: TaxpayerEntry, values: Mapping[str, object]) -> None:
    """Change an unlisted taxpayer at once; keep the change of a listed one for the next list."""
    rfc = entry.taxpayer.rfc
    if entry.listed:
        transaction.taxpayers.set_pending(rfc, {**entry.pending, **values})
    else:
        transaction.taxpayers.update(rfc, values)


def insert_certificate(
    transaction: SandboxTransaction, certificate: Certificate, *, listed: bool, account_id: int | None = None
) -> bool:
    """Insert a certificate unless its number exists; a CSD becomes a row of the LCO.

    Args:
        transaction: A write transaction.
        listed: Whether the published LCO has a CSD at once.
        account_id: The account that requested it; None for an operator's.

    Returns:
        Whether the row was inserted.
    """
    in_list = certificate.kind is CertificateKind.CSD
    row = CertificateRow(
        number=certificate.number,
        rfc=certificate.rfc,
        kind=certificate.kind.value,
        status="A",
        pending_status=None,
        valid_from=certificate.valid_from,
        valid_to=certificate.valid_to,
        in_list=in_list,
        listed=listed and in_list,
        account_id=account_id,
    )
    return transaction.certificates.insert(row, certificate.der)


def insert_seeds(transaction: SandboxTransaction) -> None:
    """Insert the taxpayers and certificates that every sandbox starts with; existing rows do not change."""
    transaction.taxpayers.insert_missing(
        {
            **DEFAULTS,
            "rfc": seed.rfc,
            "name": seed.name,
            "postal_code": seed.postal_code,
            "obligations": seed.obligations,
            "regimes": " ".join(seed.regimes),
            "listed": True,
        }
        for seed in seeds.taxpayers()
    )
    kind = CertificateKind.CSD.value
    transaction.certificates.insert_missing(
        CertificateRow(
            seed.number, seed.rfc, kind, "A", None, seed.valid_from, seed.valid_to, in_list=True, listed=True
        )
        for seed in seeds.seals()
    )


def _listed_status(row: CertificateRow, published: datetime) -> Any:
    """Return the status in a list; the first list after the end of validity has the certificate as expired (C)."""
    return "C" if row.status == "A" and row.valid_to < published else row.status
