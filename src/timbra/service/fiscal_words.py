"""The authority's word about a CFDI as reports give it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from lxml import etree

from timbra.authority.port import FiscalStatus, StatusQuery
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.service.entries import warning
from timbra.service.report import Entry

NOT_FOUND = FiscalStatus("No Encontrado", "N - 601: La expresión impresa proporcionada no es válida.", None, "")
NOT_LISTED = frozenset({"", "200", "201"})
ISSUER, THIRD, BOTH = "el emisor", "un tercero por cuenta de quien se factura", "el emisor y un tercero"
LISTED = {"100": ISSUER, "101": BOTH, "102": THIRD, "103": THIRD, "104": ISSUER}
"""ValidacionEFOS: who is in the definitive list of article 69-B of the CFF."""


@dataclass(frozen=True, slots=True)
class FiscalWords:
    """The four status fields, ValidacionEFOS, and what the report says beside them."""

    status: str | None = None
    code: str | None = None
    cancelable: str | None = None
    cancellation: str | None = None
    efos: str | None = None
    warnings: tuple[Entry, ...] = ()


NOT_ASKED = FiscalWords("No Aplica", "No Aplica")


def told(status: FiscalStatus) -> FiscalWords:
    """What the authority answered. SAT's own text ends the good answer with a full stop; clients compare it without."""
    code = status.code.rstrip(".") if status.code.startswith("S - ") else status.code
    efos = status.efos or None
    return FiscalWords(status.status, code, status.cancelable, status.cancellation, efos, _efos(status.efos))


def silent(detail: str) -> FiscalWords:
    """The authority was asked and said nothing: no field has a value. detail: Spanish, why."""
    return FiscalWords(warnings=(warning(detail.rstrip()),))


def query_of(root: etree._Element, stamp: TimbreFiscalDigital | None) -> StatusQuery | None:
    """What identifies the document to the authority; None when it lacks a stamp, a party or a total."""
    emisor, receptor, total = root.find("{*}Emisor"), root.find("{*}Receptor"), root.get("Total") or ""
    if stamp is None or emisor is None or receptor is None or not _is_number(total):
        return None
    seal_tail = (root.get("Sello") or "")[-8:]
    return StatusQuery(stamp.uuid, emisor.get("Rfc") or "", receptor.get("Rfc") or "", total, seal_tail)


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def _efos(value: str) -> tuple[Entry, ...]:
    if value in NOT_LISTED:
        return ()
    who = LISTED.get(value)
    text = f"En el listado definitivo del artículo 69-B del CFF está {who}" if who else "No se conoce el valor"
    return (warning(f"{text} (ValidacionEFOS {value}).", code="EFOS", found=value),)
