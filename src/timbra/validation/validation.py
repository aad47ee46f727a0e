"""Validation: all errors of a CFDI or a retención in one report, with its fiscal status."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.document import CFD3, CFD4, Document
from timbra.cfdi.tfd import TimbreFiscalDigital, read_stamps
from timbra.core.errors import ServiceError
from timbra.rules.engine.result import EvaluationResult
from timbra.rules.rulesets.certificates import evaluation as certificates
from timbra.stamping.models import DocumentKind
from timbra.validation.article_69b import article_69b_section, with_efos
from timbra.validation.background_queries import BackgroundQueries, BackgroundQuery, ProviderCertificates
from timbra.validation.examination import examine
from timbra.validation.fiscal_status import (
    NOT_FOUND,
    NOT_REQUESTED,
    FiscalStatusView,
    from_status,
    retencion_query,
    status_query,
    unavailable,
)
from timbra.validation.models import ExaminedReport, ValidationReport
from timbra.validation.report_sections import sections_of

if TYPE_CHECKING:
    from timbra.evaluation.dependencies import EvaluationServices
    from timbra.pools import RunInThread
    from timbra.sat.port import FiscalStatus, StatusQuery, StatusService
    from timbra.seals.certificates.trust_anchors import ProviderCertificate

    StatusResult = BackgroundQuery[FiscalStatus]
    CertificateResult = BackgroundQuery[ProviderCertificate | None]

VALIDATED = ("3.3", "4.0", "3.2", "2.2", "2.0", "1.0")
"""Versions of CFDI and CFD, and those of Retenciones."""
NAMESPACES = {"3.3": CFD3, "4.0": CFD4}
TIMEOUT_SECONDS = 10.0
NO_SERVICE = "No se consultó el estado: no hay un servicio de consulta configurado."

Validate = Callable[[], Awaitable[tuple[Document, ValidationReport]]]
RunCostly = Callable[
    [Validate, bytes, str, bool, DocumentKind | None, str | None],
    Awaitable[tuple[Document, ValidationReport] | ExaminedReport],
]
"""Runs the first argument, which validates a document here, or examines it elsewhere; the rest as for `validate`."""


def run_here(here: Validate, *_: object) -> Awaitable[tuple[Document, ValidationReport]]:
    """Validate every document here."""
    return here()


class ValidationService:
    """Validates CFDI 4.0, 3.3 and 3.2, CFD 2.2 and Retenciones 2.0 and 1.0 for accounts that receive them.

    Args:
        dependencies: the services that stamping uses too.
        authority: the status service; None where none is configured.
        certificates: the SAT's repository of certificates; None where none is configured.
        seconds: timeout of both services.
        run_costly: runs the work, costly documents elsewhere.
    """

    def __init__(
        self,
        dependencies: EvaluationServices,
        authority: StatusService | None,
        certificates: ProviderCertificates | None = None,
        seconds: float = TIMEOUT_SECONDS,
        run_costly: RunCostly = run_here,
    ) -> None:
        """Start the thread pool of the queries."""
        self._dependencies = dependencies
        self._queries = BackgroundQueries(authority, certificates, seconds)
        self._run_costly = run_costly

    async def validate(
        self,
        xml: bytes,
        with_status: bool,
        account: str = "",
        run_in_thread: RunInThread = asyncio.to_thread,
        *,
        require_stamp: bool = False,
        kind: DocumentKind | None = None,
        leniency: str | None = None,
    ) -> ValidationReport:
        """Report every error of a CFDI 3.3 or 4.0 or of a Retenciones 2.0 or 1.0.

        If the status service does not respond, the four status fields are empty and the report has a warning.

        Args:
            with_status: whether to query its status.
            account: account, or address of an anonymous client, by which queries are limited.
            run_in_thread: runs look-ups that need the database; a request passes the pool of its account.
            require_stamp: whether a document without a stamp has an error instead of a warning.
            kind: the kind of document that the operation validates; None for any.
            leniency: the choice of the account, see `Profiles.for_account`; None for that of the server.

        Raises:
            ServiceError: "301" for a document that is not such a CFDI, "T301" for one that is not such a retención,
                "TB4020" and "TB4021" for the other kind of document, "CC3002" for one in the namespace of another
                version, "xml-missing" for an empty document.
        """
        here = partial(
            self.validate_document,
            xml,
            with_status,
            account,
            run_in_thread,
            require_stamp=require_stamp,
            kind=kind,
            leniency=leniency,
        )
        found = await self._run_costly(here, xml, account, require_stamp, kind, leniency)
        return await self.with_status(found, with_status, account) if isinstance(found, ExaminedReport) else found[1]

    async def validate_document(
        self,
        xml: bytes,
        with_status: bool,
        account: str = "",
        run_in_thread: RunInThread = asyncio.to_thread,
        *,
        require_stamp: bool = False,
        kind: DocumentKind | None = None,
        leniency: str | None = None,
    ) -> tuple[Document, ValidationReport]:
        """Return the parsed document and its report, for callers that read both; for the arguments see `validate`."""
        document, stamps = self._open(xml, kind)
        query = _query(document, stamps)
        status_result = self._start_status(query, account) if with_status else None
        examined = await self._examine(
            document, stamps, query, account, run_in_thread, require_stamp=require_stamp, leniency=leniency
        )
        return document, await _finish(examined, status_result, with_status=with_status)

    async def examine_document(
        self,
        xml: bytes,
        account: str,
        run_in_thread: RunInThread = asyncio.to_thread,
        *,
        require_stamp: bool,
        kind: DocumentKind | None = None,
        leniency: str | None = None,
    ) -> tuple[Document, ExaminedReport]:
        """Return the parsed document and its report without the status; for the arguments see `validate`."""
        document, stamps = self._open(xml, kind)
        query = _query(document, stamps)
        examined = self._examine(
            document, stamps, query, account, run_in_thread, require_stamp=require_stamp, leniency=leniency
        )
        return document, await examined

    async def with_status(self, examined: ExaminedReport, with_status: bool, account: str) -> ValidationReport:
        """Return the report of a document that another process has examined; for the arguments see `validate`."""
        status_result = self._start_status(examined.status_query, account) if with_status else None
        return await _finish(examined, status_result, with_status=with_status)

    def _open(self, xml: bytes, kind: DocumentKind | None) -> tuple[Document, list[TimbreFiscalDigital]]:
        try:
            document = self._parse(xml, kind)
        except ServiceError as error:
            translated = error if kind is None else kind.error(error)
            raise translated from error.__cause__
        return document, read_stamps(document.root)

    def _start_status(self, query: StatusQuery | None, account: str) -> StatusResult | None:
        return None if query is None else self._queries.status(query, account)

    async def _examine(
        self,
        document: Document,
        stamps: list[TimbreFiscalDigital],
        query: StatusQuery | None,
        account: str,
        run_in_thread: RunInThread,
        *,
        require_stamp: bool,
        leniency: str | None,
    ) -> ExaminedReport:
        dependencies = self._dependencies
        if leniency is not None:
            dependencies = replace(dependencies, profiles=dependencies.profiles.for_account(leniency))
        stamp = stamps[0] if stamps else None
        certificate_result = self._query_certificate(stamp, account)
        examined = await examine(document, stamps, dependencies, run_in_thread)
        reading, timbre = examined.reading, EvaluationResult()
        if stamp is not None:
            certificate, unreached = await _certificate(certificate_result)
            seals = reading.seals
            if certificate is not None or unreached:
                seals = replace(seals, fetched=certificate, unreached=unreached)
            timbre = certificates.examine(seals, certificates.timbre_rules(document.version))
        sections = sections_of(examined, timbre, require_stamp=require_stamp)
        presumed = reading.reference_data.presumed
        article_69b = None if presumed is None else article_69b_section(document.root, presumed)
        return ExaminedReport(
            sections=tuple(sections),
            article_69b=article_69b,
            version=document.version,
            uuid=stamp.uuid if stamp else None,
            cadena_original_sat=stamp.cadena_original if stamp else None,
            cadena_original_comprobante=reading.cadena or None,
            data_version=reading.reference_data.catalogs.version,
            status_query=query,
        )

    def _parse(self, xml: bytes, kind: DocumentKind | None) -> Document:
        if not xml.strip():
            raise ServiceError("xml-missing")
        document = self._dependencies.parser.parse(xml)
        if kind is DocumentKind.CFDI and document.is_retenciones:
            raise ServiceError("TB4021", "Se validan en /validate/retenciones.")
        if kind is DocumentKind.RETENCIONES and not document.is_retenciones and document.version:
            raise ServiceError("TB4020", "Se validan en /validate/cfdi.")
        if document.version in VALIDATED:
            return document
        if document.is_retenciones:
            raise ServiceError("T301", "Se validan Retenciones 2.0 y 1.0; el documento no es de esas versiones.")
        _reject_other_namespace(document.root)
        raise ServiceError("301", "El documento no es un Comprobante de versión 4.0, 3.3, 3.2 o 2.2.")

    def _query_certificate(self, stamp: TimbreFiscalDigital | None, account: str) -> CertificateResult | None:
        """Start the query of the stamp's certificate unless the trust store has it."""
        if stamp is None or self._dependencies.trust.provider(stamp.no_certificado_sat) is not None:
            return None
        return self._queries.provider(stamp.no_certificado_sat, account)


def _query(document: Document, stamps: list[TimbreFiscalDigital]) -> StatusQuery | None:
    """Return the query of the status; None when values of the query are missing in the document."""
    read_query = retencion_query if document.is_retenciones else status_query
    return read_query(document.root, stamps[0] if stamps else None)


async def _finish(examined: ExaminedReport, result: StatusResult | None, *, with_status: bool) -> ValidationReport:
    if not with_status:
        return _report(examined, NOT_REQUESTED)
    return _report(examined, await _status(result, has_query=examined.status_query is not None))


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


def _report(examined: ExaminedReport, status: FiscalStatusView) -> ValidationReport:
    structure, invoice, *complements = examined.sections
    if status.warnings:
        invoice = replace(invoice, entries=(*invoice.entries, *status.warnings))
    parties = with_efos(examined.article_69b, status.efos_warning)
    return ValidationReport(
        sections=(structure, invoice, *complements, *([parties] if parties else [])),
        version=examined.version,
        uuid=examined.uuid,
        cadena_original_sat=examined.cadena_original_sat,
        cadena_original_comprobante=examined.cadena_original_comprobante,
        status_sat=status.status,
        status_code_sat=status.code,
        is_cancelable=status.cancelable,
        status_cancelation=status.cancellation,
        efos=status.efos,
        data_version=examined.data_version,
    )
