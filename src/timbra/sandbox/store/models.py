"""Rows of the simulated authority's tables, which the repositories return and accept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

RETENCION = "R"
"""Kind of a retención, which a register of its own holds; other kinds are those of CFDI."""


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A key of the sandbox itself.

    Attributes:
        role: `authority` or `provider`.
        number: The certificate number.
        certificate: The DER.
        sealed_key: PKCS#8 in DER, encrypted under the master key.
    """

    role: str
    number: str
    certificate: bytes
    sealed_key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class TaxpayerRow:
    """A taxpayer of l_RFC with its obligations in the LCO.

    Attributes:
        situation: The situation in the list of article 69-B; empty when the taxpayer is not in it.
        listed: Whether a published list has the row.
        pending: The columns that the next refresh changes, by name.
    """

    rfc: str
    name: str
    postal_code: str
    regimes: frozenset[str]
    obligations: int
    cancelled: bool
    situation: str
    listed: bool
    pending: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class CertificateRow:
    """A stored certificate.

    Attributes:
        kind: The value of `CertificateKind`.
        status: A active, R revoked.
        pending_status: The status that the next refresh publishes; None for no change.
        valid_from: Start of the validity, inclusive.
        valid_to: End of the validity, inclusive.
        in_list: Whether the LCO has certificates of this kind.
        listed: Whether a published LCO has the certificate.
        account_id: The account that requested it; None for the seeds and for certificates of an operator.
    """

    number: str
    rfc: str
    kind: str
    status: str
    pending_status: str | None
    valid_from: datetime
    valid_to: datetime
    in_list: bool
    listed: bool
    account_id: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """An indexed CFDI or retención.

    Attributes:
        uuid: The folio, in lower case.
        kind: TipoDeComprobante; `RETENCION` for a retención.
        total: Total, or MontoTotOperacion, as written.
        total_mxn: Total in pesos, a decimal number as text.
        seal_tail: The last 8 characters of the issuer's seal.
        issued_at: FechaTimbrado.
        state: Estado.
        cancellation: EstatusCancelacion.
        origin: `delivered` or `imported`.
        year: The year of Fecha, or of FechaExp.
        fuel: Whether the CFDI sells hydrocarbons or fuel, or transports fuel.
    """

    uuid: str
    version: str
    kind: str
    issuer_rfc: str
    receiver_rfc: str
    total: str
    total_mxn: str
    seal_tail: str
    issued_at: datetime
    state: str
    cancellation: str
    origin: str
    year: int
    fuel: bool


@dataclass(frozen=True, slots=True)
class RelationRow:
    """The relation of a CFDI to another one.

    Attributes:
        uuid: The CFDI that names the other one.
        related: The named CFDI.
        relation: A key of c_TipoRelacion, or `pago` when `uuid` is a payment of `related`.
    """

    uuid: str
    related: str
    relation: str


@dataclass(frozen=True, slots=True)
class RelatedDocumentRow:
    """A document of a relation; RFCs and kind are empty when it is not indexed."""

    uuid: str
    issuer_rfc: str
    receiver_rfc: str
    kind: str


@dataclass(frozen=True, slots=True)
class DependentRow:
    """A document in force that names another of the same register.

    Attributes:
        relation: A key of c_TipoRelacion, or `pago`.
        issued_at: FechaTimbrado.
    """

    uuid: str
    relation: str
    issuer_rfc: str
    issued_at: datetime


@dataclass(frozen=True, slots=True)
class CancellationRequestRow:
    """A request of cancellation that is pending for the receiver.

    Attributes:
        replacement: FolioSustitucion; empty without one.
        requested_at: The fiscal instant of the request.
        due_at: The fiscal instant of `outcome`, unless the receiver answers earlier; None for no due date.
        outcome: `accepted`, `rejected` or `expired`; None without a due date.
    """

    uuid: str
    receiver_rfc: str
    motivo: str
    replacement: str
    requested_at: datetime
    due_at: datetime | None
    outcome: str | None


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A request of cancellation that is pending for the receiver, with issuer and total of its CFDI."""

    uuid: str
    issuer_rfc: str
    receiver_rfc: str
    total: str
    motivo: str
    requested_at: datetime
    due_at: datetime | None
    outcome: str | None


@dataclass(frozen=True, slots=True)
class AutoReplyRow:
    """The automatic reply of a receiver.

    Attributes:
        outcome: `accepted` or `rejected`.
        seconds: The delay after the request.
    """

    rfc: str
    outcome: str
    seconds: int


@dataclass(frozen=True, slots=True)
class FaultRow:
    """An active fault.

    Attributes:
        remaining: Requests that it still affects; None until it is cleared.
        milliseconds: The delay of `latency`, and the time of other faults.
        per_million: Affected requests of a million.
        seed: Number from which the decisions follow.
        route: Beginning of the path; empty for every path.
        account: User name; empty for every account.
    """

    name: str
    remaining: int | None
    milliseconds: int | None
    per_million: int = 1_000_000
    seed: int = 1
    route: str = ""
    account: str = ""
