"""What a request asks for, read from the attributes of `solicitud`, and the rules about them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NoReturn

from lxml import etree

from timbra.cfdi.rfc import is_rfc
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.clock import CENTRAL_MEXICO
from timbra.emulator.bulk.codes import DATES_REVERSED, ONLY_IN_FORCE, OTHER_RFC, BulkDownloadError, invalid_request
from timbra.emulator.bulk.complements import COMPLEMENTS, RETENCIONES_COMPLEMENTS
from timbra.emulator.bulk.contract import DocumentRegister, PackageType, RequestOperation, tag

MAX_RECEIVERS = 5
IN_FORCE, CANCELLED, ANY_STATE = "Vigente", "Cancelado", "Todos"
KINDS = frozenset("IETNP")
_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]{1,7})?(Z)?)?\Z", re.ASCII
)
_FORMAT = "%Y-%m-%dT%H:%M:%S"


@dataclass(frozen=True, slots=True)
class DownloadCriteria:
    """The documents of a request.

    Attributes:
        package_type: What the packages have; XML for a folio.
        since: The first Fecha, local time without zone, `YYYY-MM-DDThh:mm:ss`; empty for a folio.
        until: The last Fecha; empty for a folio.
        issuer_rfc: Empty for any issuer.
        receiver_rfcs: Empty for any receiver.
        kind: TipoDeComprobante; empty for all.
        state: Vigente, Cancelado, or empty for both.
        third_party: RfcACuentaTerceros; empty for all.
        complement: A name of the list of complements; empty for all.
        uuid: The folio, in lower case; empty for the other operations.
    """

    operation: RequestOperation
    package_type: PackageType
    since: str = ""
    until: str = ""
    issuer_rfc: str = ""
    receiver_rfcs: tuple[str, ...] = ()
    kind: str = ""
    state: str = ""
    third_party: str = ""
    complement: str = ""
    uuid: str = ""

    @property
    def question(self) -> str:
        """The values whose equality the SAT counts: period and parties, or the folio."""
        if self.uuid:
            return self.uuid
        side = "E" if self.operation is RequestOperation.ISSUED else "R"
        return "|".join((side, self.since, self.until, self.issuer_rfc, ",".join(sorted(self.receiver_rfcs))))


@dataclass(frozen=True, slots=True)
class CriteriaRules:
    """What the rules about a request depend on.

    Attributes:
        now: The fiscal instant.
        years: How many years back a period may begin.
        converts_zones: Whether a date with `Z` is converted to central Mexico; its zone is ignored otherwise.
    """

    now: datetime
    years: int
    converts_zones: bool


def read_criteria(
    operation: RequestOperation,
    solicitud: etree._Element,
    signer_rfc: str,
    register: DocumentRegister,
    rules: CriteriaRules,
) -> DownloadCriteria:
    """Return what a request asks for.

    Args:
        operation: The operation.
        solicitud: The element with the attributes.
        signer_rfc: The RFC of the certificate that signed the request.
        register: The register of the service.
        rules: See `CriteriaRules`.

    Raises:
        BulkDownloadError: 301 for a value that breaks a rule, 303 for the RFC of another signer.
    """
    values = {str(name): str(value).strip() for name, value in solicitud.attrib.items()}
    _require_signer(values.get("RfcSolicitante", ""), signer_rfc)
    if operation is RequestOperation.FOLIO:
        uuid = canonical_uuid(values.get("Folio", ""))
        if uuid is None:
            _reject("El folio no es válido.")
        return DownloadCriteria(operation, PackageType.CFDI, uuid=uuid)
    own = "RfcEmisor" if operation is RequestOperation.ISSUED else "RfcReceptor"
    if not values.get(own):
        _reject(f"El campo {own} es requerido.")
    _require_signer(values[own], signer_rfc)
    package_type = _package_type(values.get("TipoSolicitud", ""), register)
    since, until = _period(values, rules)
    is_issued = operation is RequestOperation.ISSUED
    other = _rfc(values.get("RfcEmisor", ""))
    return DownloadCriteria(
        operation,
        package_type,
        since,
        until,
        issuer_rfc=signer_rfc if is_issued else other,
        receiver_rfcs=_receivers(solicitud) if is_issued else (signer_rfc,),
        kind=_kind(values.get("TipoComprobante", "")),
        state=_state(values.get("EstadoComprobante", ""), needs_in_force=not is_issued and package_type == "CFDI"),
        third_party=_rfc(values.get("RfcACuentaTerceros", "")),
        complement=_complement(values.get("Complemento", ""), register),
    )


def _require_signer(rfc: str, signer_rfc: str) -> None:
    if _rfc(rfc) not in ("", signer_rfc):
        raise BulkDownloadError(OTHER_RFC)


def _package_type(text: str, register: DocumentRegister) -> PackageType:
    if text == "Retencion" and register is DocumentRegister.RETENCIONES:
        return PackageType.CFDI
    try:
        return PackageType(text)
    except ValueError:
        _reject("El TipoSolicitud no es válido.")


def _period(values: Mapping[str, str], rules: CriteriaRules) -> tuple[str, str]:
    first, last = (_instant(values.get(name, ""), name, rules) for name in ("FechaInicial", "FechaFinal"))
    if first >= last:
        _reject(DATES_REVERSED)
    today = rules.now.astimezone(CENTRAL_MEXICO).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    if first < _years_before(today, rules.years):
        _reject(f"La fecha inicial es anterior a {rules.years} años.")
    return first.strftime(_FORMAT), last.strftime(_FORMAT)


def _years_before(day: datetime, years: int) -> datetime:
    try:
        return day.replace(year=day.year - years)
    except ValueError:
        return (day - timedelta(days=1)).replace(year=day.year - years)


def _instant(text: str, name: str, rules: CriteriaRules) -> datetime:
    found = _INSTANT.match(text)
    if found is None:
        _reject(f"El campo {name} no es una fecha.")
    day, time, zone = found.groups()
    try:
        local = datetime.fromisoformat(f"{day}T{time or '00:00:00'}")
    except ValueError:
        _reject(f"El campo {name} no es una fecha.")
    if zone and rules.converts_zones:
        return datetime.fromisoformat(f"{local.isoformat()}+00:00").astimezone(CENTRAL_MEXICO).replace(tzinfo=None)
    return local


def _receivers(solicitud: etree._Element) -> tuple[str, ...]:
    path = f"{tag('RfcReceptores')}/{tag('RfcReceptor')}"
    written = ((node.text or "").strip() for node in solicitud.iterfind(path))
    found = tuple(dict.fromkeys(_rfc(text) for text in written if text))
    if len(found) > MAX_RECEIVERS:
        _reject(f"Se permiten a lo más {MAX_RECEIVERS} RfcReceptor.")
    return found


def _kind(text: str) -> str:
    if text and text not in KINDS:
        _reject("El TipoComprobante no es válido.")
    return text


def _state(text: str, *, needs_in_force: bool) -> str:
    if text not in ("", IN_FORCE, CANCELLED, ANY_STATE):
        _reject("El EstadoComprobante no es válido.")
    if needs_in_force and text != IN_FORCE:
        _reject(ONLY_IN_FORCE)
    return "" if text == ANY_STATE else text


def _complement(text: str, register: DocumentRegister) -> str:
    known = COMPLEMENTS if register is DocumentRegister.CFDI else RETENCIONES_COMPLEMENTS
    if text and text not in known:
        _reject("El Complemento no es válido.")
    return text


def _rfc(text: str) -> str:
    rfc = text.strip().upper()
    if rfc and not is_rfc(rfc):
        _reject("El RFC no es válido.")
    return rfc


def _reject(reason: str) -> NoReturn:
    raise invalid_request(reason)
