"""What the SAT checks of a delivered document before it is received; one document is received once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from timbra.cfdi.document import Document, DocumentParser
from timbra.cfdi.tfd import TimbreFiscalDigital, read_stamps
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.errors import ServiceError
from timbra.emulator.acuses import RECEIVED, Incidencia, Reception, ReceptionStore, build_acuse
from timbra.emulator.faults import ScriptedFaults
from timbra.emulator.options import EmulatorConfiguration
from timbra.emulator.providers import EmulatedProvider
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.seals.base64_text import strict_base64
from timbra.seals.certificates.certificate import SAT_RFC, CertificateKind, read_certificate
from timbra.seals.certificates.trust_anchors import ProviderCertificate, to_provider_certificate
from timbra.seals.certificates.trust_store import LOCAL
from timbra.seals.rsa_signature import verify_signature

NOT_AUTHENTICATED, NOT_FOUND, METADATA, STRUCTURE, RECEIVED_BEFORE = "501", "502", "503", "504", "506"
OTHER_UUID = "00000000-0000-4000-8000-000000000000"


class DeliveryError(Exception):
    """A delivery that is not received."""

    def __init__(self, code: str, message: str) -> None:
        """Create the error.

        Args:
            code: CodigoError.
            message: MensajeIncidencia, in Spanish.
        """
        super().__init__(message)
        self.incidencia = Incidencia(code, message)


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a provider says about a document; None for what the service does not ask.

    Attributes:
        uuid: The folio, as written.
        issuer_rfc: RfcEmisor; empty for what the service does not ask.
        fecha: FechaTimbrado or Fecha, as written.
        certificate_number: The number of the provider's certificate or of the issuer's.
        version: VersionComprobante.
        retenciones: Whether the service receives retenciones instead of CFDI.
    """

    uuid: str
    issuer_rfc: str = ""
    fecha: str | None = None
    certificate_number: str | None = None
    version: str | None = None
    retenciones: bool = False


@dataclass(slots=True)
class ReceivedDocuments:
    """Receives documents into the ledger. Thread-safe.

    Attributes:
        store: The acuses.
        configuration: Options that the public sources leave open.
    """

    sat: SimulatedSat
    store: ReceptionStore
    configuration: EmulatorConfiguration
    _lock: Lock = field(default_factory=Lock)
    _parser: DocumentParser = field(default_factory=DocumentParser)

    def receive(
        self, provider: EmulatedProvider, announced: Announcement, xml: bytes, faults: ScriptedFaults
    ) -> Reception:
        """Check a document and receive it; a document that is received before gets the acuse of the options.

        Args:
            provider: The provider that delivers.
            announced: What it says about the document.
            faults: The scripted faults of the request.

        Raises:
            DeliveryError: The document is not received.
        """
        rejection = faults.get("reject")
        if rejection is not None:
            raise DeliveryError(rejection.code, rejection.message)
        document = self._parse(xml)
        if not document.version or document.is_retenciones is not announced.retenciones:
            raise DeliveryError(STRUCTURE, "No es un comprobante de este servicio.")
        stamp = self._checked_stamp(document, provider)
        _require_same(announced, document, stamp)
        uuid = stamp.uuid.lower()
        incidencia = faults.get("incidencia")
        found = () if incidencia is None else (Incidencia(incidencia.code, incidencia.message),)
        with self._lock:
            # A document that was received before a reset of the sandbox enters the ledger again.
            self._index(xml)
            first = self.store.get(uuid)
            if first is not None:
                return self._repeated(first, announced, provider)
            reception = self.result(provider.rfc, announced, RECEIVED, found)
            self.store.put(uuid, reception)
        return reception

    def result(
        self, provider_rfc: str, announced: Announcement, status: str, incidencias: Sequence[Incidencia]
    ) -> Reception:
        now = self.sat.wall.now()
        acuse = build_acuse(
            announced.uuid, status, self.sat.authority.certificate.number, announced.issuer_rfc, incidencias, now
        )
        return Reception(announced.uuid, status, announced.issuer_rfc, provider_rfc, now, acuse, tuple(incidencias))

    def _repeated(self, first: Reception, announced: Announcement, provider: EmulatedProvider) -> Reception:
        if self.configuration.options.repeated_deliveries == "first-acuse":
            return first
        found = Incidencia(RECEIVED_BEFORE, "El comprobante se recibió antes.")
        return self.result(provider.rfc, announced, RECEIVED, [found])

    def _parse(self, xml: bytes) -> Document:
        try:
            return self._parser.parse(xml)
        except ServiceError as error:
            raise DeliveryError(NOT_FOUND, "Lo que hay en la ruta no es XML.") from error

    def _index(self, xml: bytes) -> None:
        try:
            self.sat.ledger.import_document(xml)
        except ServiceError as error:
            raise DeliveryError(STRUCTURE, error.detail or error.code) from error

    def _checked_stamp(self, document: Document, provider: EmulatedProvider) -> TimbreFiscalDigital:
        """Return the stamp of a document, after its seal was verified if the options say so."""
        stamps = read_stamps(document.root)
        if len(stamps) != 1 or canonical_uuid(stamps[0].uuid) is None:
            raise DeliveryError(STRUCTURE, "El comprobante debe llevar un timbre.")
        (stamp,) = stamps
        if self.configuration.options.stamps == "verify":
            self._verify_stamp(stamp, document, provider)
        return stamp

    def _verify_stamp(self, stamp: TimbreFiscalDigital, document: Document, provider: EmulatedProvider) -> None:
        if stamp.rfc_prov_certif != provider.rfc:
            raise DeliveryError(STRUCTURE, f"El timbre es del proveedor {stamp.rfc_prov_certif}.")
        certificate = self._certificate(stamp.no_certificado_sat)
        if certificate is None:
            raise DeliveryError(STRUCTURE, f"NoCertificadoSAT {stamp.no_certificado_sat[:40]} no es de un proveedor.")
        if certificate.rfc not in (provider.rfc, *SAT_RFC):  # the SAT's test certificates name the SAT
            raise DeliveryError(STRUCTURE, f"NoCertificadoSAT {certificate.number} es de {certificate.rfc}.")
        if stamp.sello_cfd != (document.root.get("Sello") or document.root.get("sello")):
            raise DeliveryError(STRUCTURE, "SelloCFD no es el Sello del comprobante.")
        try:
            seal = strict_base64("".join(stamp.sello_sat.split()))
        except ValueError as error:
            raise DeliveryError(STRUCTURE, "SelloSAT no es base64.") from error
        if not verify_signature(certificate.public_key, stamp.cadena_original.encode(), seal):
            raise DeliveryError(STRUCTURE, "SelloSAT no corresponde al timbre.")

    def _certificate(self, number: str) -> ProviderCertificate | None:
        der = self.sat.authority.certificate_der(number)
        if der is None:
            return self.sat.trust.provider(number)
        certificate = read_certificate(der)
        return to_provider_certificate(certificate, LOCAL) if certificate.kind is CertificateKind.PROVIDER else None


def _require_same(announced: Announcement, document: Document, stamp: TimbreFiscalDigital) -> None:
    root = document.root
    issuer = root.find("{*}Emisor")
    rfc = "" if issuer is None else issuer.get("Rfc") or issuer.get("RfcE") or issuer.get("rfc") or ""
    expected: tuple[tuple[str, str | None, tuple[str, ...]], ...] = (
        ("UUID", announced.uuid.lower(), (stamp.uuid.lower(),)),
        ("RfcEmisor", announced.issuer_rfc or None, (rfc,)),
        ("VersionComprobante", announced.version, (document.version,)),
        ("Fecha", announced.fecha, _dates(document, stamp)),
        ("NumeroCertificado", announced.certificate_number, _numbers(document, stamp)),
    )
    for name, written, allowed in expected:
        if written is not None and written not in allowed:
            raise DeliveryError(METADATA, f"{name} {written[:60]!r} no es del comprobante: {' o '.join(allowed)}.")


def _dates(document: Document, stamp: TimbreFiscalDigital) -> tuple[str, ...]:
    root = document.root
    return stamp.fecha_timbrado, root.get("Fecha") or root.get("FechaExp") or root.get("fecha") or ""


def _numbers(document: Document, stamp: TimbreFiscalDigital) -> tuple[str, ...]:
    root = document.root
    issuer = root.get("NoCertificado") or root.get("noCertificado") or ""
    return stamp.no_certificado_sat, issuer
