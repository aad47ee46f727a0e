"""Stamping in the browser: a document is written, pasted, dropped or derived, reviewed, and stamped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from timbra.accounts.services import CertificateServices
from timbra.core.clock import CENTRAL_MEXICO, LOCAL_FORMAT
from timbra.core.errors import ServiceError
from timbra.core.scopes import STAMP
from timbra.documents.build import DocumentServices
from timbra.documents.derivation import Derivation, derive
from timbra.documents.editor_view import (
    FILE_KINDS,
    PDF_START,
    PDF_WITHOUT_CFDI,
    EditorFinding,
    example_text,
    examples,
    file_kind,
    findings_of,
    indented,
    rejection_finding,
)
from timbra.documents.pages import stored_record
from timbra.documents.review import rejection_of, report_of, stamp
from timbra.rendering.pdf_reading import is_pdf
from timbra.stamping.preview import is_sealed
from timbra.stamping.services import StampingServices
from timbra.stamping.stored_document import read_stored
from timbra.validation.printed_totals import opened
from timbra.validation.services import ValidationServices
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest

PATH = "/portal/timbrar"
MAX_BYTES = 4 * 1024 * 1024
MAX_NAME = 100
MAX_TEXT_BYTES = 2 * 1024 * 1024
AGE = timedelta(minutes=2)
"""Time between the Fecha of an example and fiscal time."""


@dataclass(slots=True)
class Draft:
    """The document in the editor.

    Attributes:
        text: XML.
        reseal: Whether a sealed document is sealed again.
        note: What the page says about the text; empty for nothing.
    """

    text: str = ""
    reseal: bool = False
    note: str = ""


async def show(page_request: PageRequest, certificates: CertificateServices) -> Response:
    """Show the editor, empty or with an example."""
    name, draft, error = page_request.query("ejemplo"), Draft(), None
    try:
        if name:
            now = (certificates.fiscal.now() - AGE).astimezone(CENTRAL_MEXICO)
            draft = Draft(example_text(name, now), note="Ejemplo con fecha y folio nuevos.")
    except ServiceError as rejected:
        error = rejected
    return await _render(page_request, certificates, draft, error)


async def derive_document(
    page_request: PageRequest,
    stamping: StampingServices,
    documents: DocumentServices,
    certificates: CertificateServices,
) -> Response:
    """Show the editor with a document that is derived from a stored one."""
    record = await stored_record(page_request, stamping)
    draft, error = Draft(), None
    try:
        derivation = _derivation(page_request.path_parameter("como"))
        fecha = (certificates.fiscal.now() - AGE).astimezone(CENTRAL_MEXICO).strftime(LOCAL_FORMAT)
        content = derive(read_stored(record, documents.parser).root, record.uuid, derivation, fecha)
        draft = Draft(content.decode(), note=f"{NOTES[derivation]} {record.serie} {record.folio} ({record.uuid}).")
    except ServiceError as rejected:
        error = rejected
    return await _render(page_request, certificates, draft, error)


NOTES = {
    Derivation.DUPLICATE: "Duplicado de",
    Derivation.SUBSTITUTE: "Sustituye a",
    Derivation.CREDIT_NOTE: "Nota de crédito de",
    Derivation.PAYMENT: "Pago de",
}


async def submit(
    page_request: PageRequest,
    stamping: StampingServices,
    validation: ValidationServices,
    certificates: CertificateServices,
) -> Response:
    """Review the document of the editor, or stamp it; a rejected document is shown again with its findings."""
    form = await page_request.form(max_files=1, max_field_bytes=MAX_TEXT_BYTES)
    draft = Draft(reseal=form.get("resellar") == "si")
    try:
        draft.text, draft.note = await document_of_form(page_request, form, stamping)
        xml = draft.text.encode()
        if form.get("accion") == "timbrar":
            return await stamp(page_request, stamping, xml, keeps_seal=_keeps_seal(stamping, draft, xml))
        return await _review(page_request, stamping, validation, certificates, draft, xml)
    except ServiceError as error:
        findings = [rejection_finding(error, draft.text)] if error.location else []
        return await _render(page_request, certificates, draft, error, findings)


async def _review(
    page_request: PageRequest,
    stamping: StampingServices,
    validation: ValidationServices,
    certificates: CertificateServices,
    draft: Draft,
    xml: bytes,
) -> Response:
    """Validate the document as it would be stamped: with the seal of the stored CSD unless it has one of its own."""
    keeps_seal = _keeps_seal(stamping, draft, xml)
    sealed, report = await report_of(page_request, stamping, validation, xml, keeps_seal=keeps_seal)
    findings = findings_of(report, draft.text)
    rejection = None
    if not any(finding.is_error for finding in findings):
        rejection = await rejection_of(page_request, stamping, sealed)
    return await _render(page_request, certificates, draft, rejection, findings, reviewed=rejection is None)


def _keeps_seal(stamping: StampingServices, draft: Draft, xml: bytes) -> bool:
    return not draft.reseal and is_sealed(xml, stamping.checks)


async def show_document(
    page_request: PageRequest,
    certificates: CertificateServices,
    text: str,
    *,
    note: str = "",
    error: ServiceError | None = None,
) -> Response:
    """Show the editor with a document of another page.

    Args:
        note: what the page says about the document.
        error: why the other page cannot show it; None otherwise.
    """
    return await _render(page_request, certificates, Draft(text, note=note), error)


async def document_of_form(page_request: PageRequest, form: FormData, stamping: StampingServices) -> tuple[str, str]:
    """Return the document of a form of the editor as XML, and a note when it was JSON or attached to a PDF.

    Raises:
        ServiceError: FieldError for a document that is absent or no text; "301" for JSON that cannot be converted.
    """
    upload = form.get("archivo")
    if isinstance(upload, UploadFile) and upload.size:
        name, content = (upload.filename or "El archivo")[:MAX_NAME], await upload.read()
        if is_pdf(content):
            attached = await _attached(page_request, name, content)
            return _file_text(name, attached), f"Es el CFDI adjunto a {name}."
        return _as_xml(_file_text(name, content), stamping)
    return _as_xml(_written(form), stamping)


async def _attached(page_request: PageRequest, name: str, content: bytes) -> bytes:
    try:
        xml, _ = await page_request.pools.run_files(opened, content, in_spanish=True)
    except ServiceError as error:
        if error.code != "source-not-xml":
            raise FieldError("archivo", f"{name}: {error.detail}") from error
        raise FieldError("archivo", f"{name} {PDF_WITHOUT_CFDI}") from error
    return xml


def _file_text(name: str, content: bytes) -> str:
    if (kind := file_kind(content)) is not None:
        raise FieldError("archivo", f"{name} {kind}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FieldError("archivo", "El archivo no es texto en UTF-8.") from error


def _written(form: FormData) -> str:
    written = form.get("documento")
    text = written if isinstance(written, str) else ""
    if not text.strip():
        raise FieldError("documento", "Escriba, pegue o elija un documento.")
    if (kind := file_kind(text[:8].encode())) is not None:
        raise FieldError("documento", f"Lo que se pegó {kind}")
    return text.replace("\r\n", "\n")


def _as_xml(text: str, stamping: StampingServices) -> tuple[str, str]:
    """Return the text as XML, and a note when it was JSON."""
    if not text.lstrip().startswith("{"):
        return text, ""
    try:
        conversion = stamping.json_documents.invoice(text.encode())
    except ServiceError as error:
        if error.code != "TB4021":
            raise
        conversion = stamping.json_documents.retencion(text.encode())
    ignored = f" Sin los campos desconocidos: {', '.join(conversion.ignored_keys)}." if conversion.ignored_keys else ""
    root = stamping.checks.parser.parse(conversion.xml).root
    return indented(root), f"Se convirtió de JSON a XML.{ignored}"


def _derivation(name: str) -> Derivation:
    try:
        return Derivation(name)
    except ValueError as error:
        raise ServiceError("TB4005", f"No se puede obtener: {name}.") from error


async def _render(
    page_request: PageRequest,
    certificates: CertificateServices,
    draft: Draft,
    error: ServiceError | None = None,
    findings: list[EditorFinding] | None = None,
    *,
    reviewed: bool = False,
) -> Response:
    account = page_request.account.account_id
    stored = await page_request.pools.run_database(certificates.vault.list_certificates, account)
    values = {
        "draft": draft,
        "findings": findings or [],
        "errors": sum(finding.is_error for finding in findings or []),
        "reviewed": reviewed,
        "examples": examples(),
        "file_kinds": {start.hex(): text for start, text in FILE_KINDS.items() if start != PDF_START},
        "has_csd": any(certificate.active for certificate in stored),
        "example": page_request.query("ejemplo"),
    }
    return page_request.render_form("stamping.html", values, error)


PAGES = (
    Page("GET", PATH, show, menu=MenuItem("Timbrar XML", 20), icon="stamp", shortcut="n", scope=STAMP),
    Page("POST", PATH, submit, max_bytes=MAX_BYTES, kept_field="documento", scope=STAMP),
    Page("GET", "/portal/facturas/{uuid}/derivar/{como}", derive_document, scope=STAMP),
)
