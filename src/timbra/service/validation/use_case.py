"""Validation: all errors of a CFDI in one report, with its fiscal status."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.document import CFD3, CFD4, Document
from timbra.cfdi.tfd import TimbreFiscalDigital, read_stamps
from timbra.errors import ServiceError
from timbra.rules.rulesets.declarations.context import by_namespace
from timbra.service.validation.background_queries import BackgroundQueries, BackgroundQuery, ProviderCertificates
from timbra.service.validation.examination import ExaminedDocument, examine
from timbra.service.validation.fiscal_status import (
    NOT_FOUND,
    NOT_REQUESTED,
    FiscalStatusView,
    from_status,
    status_query,
    unavailable,
)
from timbra.service.validation.models import ReportSection, ValidationReport
from timbra.service.validation.report_sections import sections_of

if TYPE_CHECKING:
    from timbra.authority.port import FiscalStatus, StatusService
    from timbra.pools import RunInThread
    from timbra.seals.certificates.trust_anchors import ProviderCertificate
    from timbra.service.evaluation.dependencies import Dependencies

    StatusResult = BackgroundQuery[FiscalStatus]
    CertificateResult = BackgroundQuery[ProviderCertificate | None]

VALIDATED = ("3.3", "4.0")
NAMESPACES = {"3.3": CFD3, "4.0": CFD4}
TIMEOUT_SECONDS = 10.0
NO_SERVICE = "No se consultó el estado: no hay un servicio de consulta configurado."


class ValidationService:
    """Validates CFDI 3.3 and 4.0 for accounts that receive invoices.

    Args:
        dependencies: the services that stamping uses too.
        authority: the status service; None where none is configured.
        certificates: the SAT's repository of certificates; None where none is configured.
        seconds: timeout of both services.
    """

    def __init__(
        self,
        dependencies: Dependencies,
        authority: StatusService | None,
        certificates: ProviderCertificates | None = None,
        seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        """Start the thread pool of the queries."""
        self._dependencies = dependencies
        self._queries = BackgroundQueries(authority, certificates, seconds)
        self._standards = by_namespace(dependencies.structure.supported)

    async def validate(
        self,
        xml: bytes,
        with_status: bool,
        account: str = "",
        run_in_thread: RunInThread = asyncio.to_thread,
    ) -> ValidationReport:
        """Report every error of a CFDI 3.3 or 4.0.

        If the status service does not respond, the four status fields are empty and the report has a warning.

        Args:
            xml: the document.
            with_status: whether to query its status.
            account: account, or address of an anonymous client, by which queries are limited.
            run_in_thread: runs look-ups that need the database; a request passes the pool of its account.

        Raises:
            ServiceError: "301" for a document that is not such a CFDI, "CC3002" for one in the namespace of another
                version, "xml-missing" for an empty document.
        """
        document = self._parse(xml)
        stamp = next(iter(read_stamps(document.root)), None)
        query = status_query(document.root, stamp) if with_status else None
        status_result = self._queries.status(query, account) if query is not None else None
        certificate_result = self._query_certificate(stamp, account)
        examined = await examine(document, self._dependencies, self._standards, run_in_thread)
        certificate, unreached = await _certificate(certificate_result)
        sections = sections_of(examined, self._dependencies, certificate, unreached)
        status = await _status(status_result, has_query=query is not None) if with_status else NOT_REQUESTED
        return _report(examined, sections, stamp, status)

    def _parse(self, xml: bytes) -> Document:
        if not xml.strip():
            raise ServiceError("xml-missing")
        document = self._dependencies.parser.parse(xml)
        if document.version in VALIDATED:
            return document
        if document.version == "retenciones":
            raise ServiceError("301", "La validación no cubre los comprobantes de retenciones e información de pagos.")
        _reject_other_namespace(document.root)
        raise ServiceError("301", "El documento no es un Comprobante de versión 3.3 o 4.0.")

    def _query_certificate(self, stamp: TimbreFiscalDigital | None, account: str) -> CertificateResult | None:
        """Start the query of the stamp's certificate unless the trust store has it."""
        if stamp is None or self._dependencies.trust.provider(stamp.no_certificado_sat) is not None:
            return None
        return self._queries.provider(stamp.no_certificado_sat, account)


async def _status(result: StatusResult | None, *, has_query: bool) -> FiscalStatusView:
    """Wait for the status; `has_query` is False when the document lacks values of the query."""
    if not has_query:
        return from_status(NOT_FOUND)
    if result is None:
        return unavailable(NO_SERVICE)
    try:
        return from_status(await result.get())
    except ServiceError as error:
        return unavailable(f"La autoridad no respondió a la consulta de estado. {error.detail or ''}")


async def _certificate(result: CertificateResult | None) -> tuple[ProviderCertificate | None, str]:
    """Wait for the certificate, and return it or the reason why the query failed."""
    if result is None:
        return None, ""
    try:
        return await result.get(), ""
    except ServiceError as error:
        return None, error.detail or "El repositorio de certificados no respondió."


def _reject_other_namespace(root: etree._Element) -> None:
    """Raise CC3002 for a Comprobante whose Version belongs to the other namespace."""
    name, version = etree.QName(root), root.get("Version") or ""
    expected = NAMESPACES.get(version)
    if name.localname == "Comprobante" and name.namespace in NAMESPACES.values() and expected is not None:
        raise ServiceError("CC3002", f"Version {version}: se encontró {name.namespace}, se esperaba {expected}.")


def _report(
    examined: ExaminedDocument,
    sections: list[ReportSection],
    stamp: TimbreFiscalDigital | None,
    status: FiscalStatusView,
) -> ValidationReport:
    structure, invoice, *complements = sections
    invoice = ReportSection(invoice.name, (*invoice.entries, *status.warnings))
    return ValidationReport(
        sections=(structure, invoice, *complements),
        uuid=stamp.uuid if stamp else None,
        cadena_original_sat=stamp.cadena_original if stamp else None,
        cadena_original_comprobante=examined.reading.cadena,
        status_sat=status.status,
        status_code_sat=status.code,
        is_cancelable=status.cancelable,
        status_cancelation=status.cancellation,
        efos=status.efos,
        data_version=examined.reading.reference_data.catalogs.version,
    )
