"""The fiscal status of a CFDI (ConsultaCFDI) as validation reports represent it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from lxml import etree

from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.rules.reference.messages import full_message
from timbra.sat.port import FiscalStatus, StatusQuery
from timbra.validation.models import ReportEntry, ReportEntryKind
from timbra.validation.report_entries import warning

NOT_FOUND = FiscalStatus("No Encontrado", "N - 601: La expresión impresa proporcionada no es válida.", None, "")
NOT_LISTED = frozenset({"", "200", "201"})
ISSUER, THIRD, BOTH = "el emisor", "un tercero por cuenta de quien se factura", "el emisor y un tercero"
LISTED_PARTIES = {"100": ISSUER, "101": BOTH, "102": THIRD, "103": THIRD, "104": ISSUER}
"""ValidacionEFOS: the party that is in the definitive list of article 69-B of the CFF."""


@dataclass(frozen=True, slots=True)
class FiscalStatusView:
    """The four status fields, ValidacionEFOS, and the warnings that the report adds.

    Attributes:
        warnings: why the status is unknown.
        efos_warning: the party that ValidacionEFOS reports as listed; None without one.
    """

    status: str | None = None
    code: str | None = None
    cancelable: str | None = None
    cancellation: str | None = None
    efos: str | None = None
    warnings: tuple[ReportEntry, ...] = ()
    efos_warning: ReportEntry | None = None


NOT_REQUESTED = FiscalStatusView("No Aplica", "No Aplica")


def from_status(status: FiscalStatus) -> FiscalStatusView:
    """Return the authority's response without the full stop of its code: clients compare the code without it."""
    code = status.code.rstrip(".") if status.code.startswith("S - ") else status.code
    return FiscalStatusView(
        status.status,
        code,
        status.cancelable,
        status.cancellation,
        status.efos or None,
        efos_warning=_efos_warning(status.efos),
    )


def unavailable(detail: str) -> FiscalStatusView:
    """Return a status without values, for a query that failed; `detail` is the reason, in Spanish."""
    return FiscalStatusView(warnings=(warning(detail.rstrip()),))


def status_query(root: etree._Element, stamp: TimbreFiscalDigital | None) -> StatusQuery | None:
    """Return the query that identifies the document; None when it has no stamp, no issuer, no receiver or no total."""
    emisor, receptor = next(root.iterchildren("{*}Emisor"), None), next(root.iterchildren("{*}Receptor"), None)
    total = _first(root, "Total", "total")
    if stamp is None or emisor is None or receptor is None or not _is_number(total):
        return None
    return StatusQuery(
        stamp.uuid, _first(emisor, "Rfc", "rfc"), _first(receptor, "Rfc", "rfc"), total, _seal_tail(root)
    )


def retencion_query(root: etree._Element, stamp: TimbreFiscalDigital | None) -> StatusQuery | None:
    """Return the query that identifies a Retenciones 2.0 or 1.0; None without the values of such a query."""
    emisor, receptor, totales = (root.find(f"{{*}}{name}") for name in ("Emisor", "Receptor", "Totales"))
    party = None if receptor is None else next(receptor.iterchildren("{*}Nacional", "{*}Extranjero"), None)
    total = "" if totales is None else _first(totales, "MontoTotOperacion", "montoTotOperacion")
    if stamp is None or emisor is None or party is None or not _is_number(total):
        return None
    receiver = _first(party, "RfcR", "NumRegIdTribR", "RFCRecep", "NumRegIdTrib")
    issuer = _first(emisor, "RfcE", "RFCEmisor")
    return StatusQuery(stamp.uuid, issuer, receiver, total, _seal_tail(root), is_retencion=True)


def _first(element: etree._Element, *names: str) -> str:
    """Return the first attribute that is not empty; the versions have different names."""
    return next((value for name in names if (value := element.get(name))), "")


def _seal_tail(root: etree._Element) -> str:
    return _first(root, "Sello", "sello")[-8:]


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def _efos_warning(value: str) -> ReportEntry | None:
    if value in NOT_LISTED:
        return None
    party = LISTED_PARTIES.get(value)
    text = f"En el listado definitivo del artículo 69-B del CFF está {party}" if party else "No se conoce el valor"
    detail = f"{text} (ValidacionEFOS {value})."
    return ReportEntry(full_message("EFOS"), detail, ReportEntryKind.WARNING, "EFOS", found=value)
