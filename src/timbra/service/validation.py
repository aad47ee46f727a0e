"""Validation: everything that is wrong with a CFDI, at once, with the authority's word beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.document import CFD3, CFD4, Document
from timbra.cfdi.tfd import TimbreFiscalDigital, stamps_in
from timbra.errors import ServiceError
from timbra.rules.shape.context import by_namespace
from timbra.service.examination import Examination
from timbra.service.fiscal_words import NOT_ASKED, NOT_FOUND, FiscalWords, query_of, silent, told
from timbra.service.inquiries import Inquiries, Inquiry, ProviderCertificates
from timbra.service.report import Report, Section

if TYPE_CHECKING:
    from timbra.authority.port import FiscalStatus, StatusService
    from timbra.seals.anchors import ProviderCertificate
    from timbra.service.order import Tools

    StatusInquiry = Inquiry[FiscalStatus]
    ProviderInquiry = Inquiry[ProviderCertificate | None]

VALIDATED = ("3.3", "4.0")
NAMESPACES = {"3.3": CFD3, "4.0": CFD4}
SECONDS = 10.0
NO_SERVICE = "No se consultó el estado: no hay un servicio de consulta configurado."


class Validation:
    """The use case of whoever receives invoices.

    authority, certificates: None where no such service is at hand. seconds: the longest that they are waited for.
    """

    def __init__(
        self,
        tools: Tools,
        authority: StatusService | None,
        certificates: ProviderCertificates | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self._tools = tools
        self._inquiries = Inquiries(authority, certificates, seconds)
        self._standards = by_namespace(tools.structure.supported)

    async def validate(self, xml: bytes, with_status: bool) -> Report:
        """A report on a CFDI 3.3 or 4.0, however wrong it is.

        ServiceError("301") for what is no such CFDI, "CC3002" for one under the namespace of another version,
        "xml-missing" for nothing at all. An authority that does not answer leaves the four status fields empty and
        adds a warning.
        """
        document = self._read(xml)
        root = document.root
        stamp = next(iter(stamps_in(root)), None)
        query = query_of(root, stamp) if with_status else None
        status = self._inquiries.status(query) if query is not None else None
        provider = self._provider_inquiry(stamp)
        examination = Examination(self._tools, self._standards, root, document.version)
        sections = examination.sections(*await _provider(provider))
        words = await self._words(status, known=query is not None) if with_status else NOT_ASKED
        return _report(examination, sections, stamp, words)

    def _read(self, xml: bytes) -> Document:
        if not xml.strip():
            raise ServiceError("xml-missing")
        document = self._tools.parser.parse(xml)
        if document.version in VALIDATED:
            return document
        if document.version == "retenciones":
            raise ServiceError("301", "La validación no cubre los comprobantes de retenciones e información de pagos.")
        _refuse_other_namespace(document.root)
        raise ServiceError("301", "El documento no es un Comprobante de versión 3.3 o 4.0.")

    def _provider_inquiry(self, stamp: TimbreFiscalDigital | None) -> ProviderInquiry | None:
        if stamp is None or self._tools.trust.provider(stamp.no_certificado_sat) is not None:
            return None
        return self._inquiries.provider(stamp.no_certificado_sat)

    async def _words(self, inquiry: StatusInquiry | None, *, known: bool) -> FiscalWords:
        """known: whether the document has what the authority is asked by."""
        if not known:
            return told(NOT_FOUND)
        if inquiry is None:
            return silent(NO_SERVICE)
        try:
            return told(await inquiry.answer())
        except ServiceError as error:
            return silent(f"La autoridad no respondió a la consulta de estado. {error.detail or ''}")


async def _provider(inquiry: ProviderInquiry | None) -> tuple[ProviderCertificate | None, str]:
    """The certificate that the repository has, or why it could not be asked."""
    if inquiry is None:
        return None, ""
    try:
        return await inquiry.answer(), ""
    except ServiceError as error:
        return None, error.detail or "El repositorio de certificados no respondió."


def _refuse_other_namespace(root: etree._Element) -> None:
    """CC3002 for a Comprobante whose Version belongs to the other namespace."""
    name, version = etree.QName(root), root.get("Version") or ""
    expected = NAMESPACES.get(version)
    if name.localname == "Comprobante" and name.namespace in NAMESPACES.values() and expected is not None:
        raise ServiceError("CC3002", f"Version {version}: se encontró {name.namespace}, se esperaba {expected}.")


def _report(
    examination: Examination, sections: list[Section], stamp: TimbreFiscalDigital | None, words: FiscalWords
) -> Report:
    structure, invoice, *complements = sections
    invoice = Section(invoice.name, (*invoice.entries, *words.warnings))
    return Report(
        sections=(structure, invoice, *complements),
        uuid=stamp.uuid if stamp else None,
        cadena_original_sat=stamp.cadena_original if stamp else None,
        cadena_original_comprobante=examination.cadena,
        status_sat=words.status,
        status_code_sat=words.code,
        is_cancelable=words.cancelable,
        status_cancelation=words.cancellation,
        efos=words.efos,
        data_version=examination.world.catalogs.version,
    )
