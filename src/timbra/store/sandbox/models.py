"""Rows of the simulated authority's tables, as the repositories return and take them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A key of the sandbox itself.

    role: `authority` or `provider`. certificate: DER. sealed_key: PKCS#8 in DER, encrypted under the master key.
    """

    role: str
    number: str
    certificate: bytes
    sealed_key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class TaxpayerRow:
    """A taxpayer of l_RFC with its obligations in the LCO.

    listed: whether a published list has the row. pending: columns that the next refresh changes, by name.
    situation: situation in the list of article 69-B, empty when the taxpayer is not in it.
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
    """A certificate on record.

    kind: `csd` or `efirma`. status: A active, R revoked. pending_status: the status that the next refresh publishes.
    valid_from, valid_to: inclusive. in_list: whether the LCO carries certificates of this kind.
    listed: whether a published LCO has it.
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


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A CFDI that the simulated authority has on file.

    kind: TipoDeComprobante. total: as written. total_mxn: in pesos, a decimal number as text. seal_tail: the last 8
    characters of the issuer's seal. issued_at: FechaTimbrado. state: Estado. cancellation: EstatusCancelacion.
    origin: `delivered` or `imported`. year: year of Fecha. fuel: whether the CFDI sells or carries fuel.
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
    """`uuid` names `related`. relation: key of c_TipoRelacion, or `pago` when `uuid` is a payment of `related`."""

    uuid: str
    related: str
    relation: str


@dataclass(frozen=True, slots=True)
class RelatedDocumentRow:
    """A CFDI of a relation. RFCs: empty when the CFDI is not on file."""

    uuid: str
    issuer_rfc: str
    receiver_rfc: str


@dataclass(frozen=True, slots=True)
class DependentRow:
    """A CFDI in force that names another. relation: key of c_TipoRelacion, or `pago`."""

    uuid: str
    relation: str
    issuer_rfc: str
    issued_at: datetime


@dataclass(frozen=True, slots=True)
class CancellationRequestRow:
    """A request of cancellation that waits for the receiver.

    replacement: FolioSustitucion, empty without one. due_at: when `outcome` (`accepted`, `rejected`, `expired`) occurs
    without an answer; both None when it never does.
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
    """A request of cancellation that waits for the receiver, with issuer and total of its CFDI."""

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
    """The automatic reply of a receiver. outcome: `accepted` or `rejected`. seconds: delay after the request."""

    rfc: str
    outcome: str
    seconds: int


@dataclass(frozen=True, slots=True)
class FaultRow:
    """An active fault. remaining: requests that it still affects, None until it is cleared."""

    name: str
    remaining: int | None
    milliseconds: int | None
