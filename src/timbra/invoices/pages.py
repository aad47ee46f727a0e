"""The form of an invoice: filled in, computed, reviewed and stamped."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import date

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from timbra.accounts.store.models import StoredCertificate
from timbra.cfdi.rfc import NATIONAL
from timbra.core.clock import CENTRAL_MEXICO, LOCAL_FORMAT
from timbra.core.errors import ServiceError
from timbra.core.scopes import STAMP
from timbra.documents.derivation import Derivation, derive
from timbra.documents.editor_pages import document_of_form, show_document
from timbra.documents.pages import stored_record
from timbra.documents.review import rejection_of, report_of, stamp_once
from timbra.invoices.choices import SEARCHED, WITHOUT_OBLIGATIONS, Choice, found_keys
from timbra.invoices.composing import AGE, Composition, amounts_problem, compose, custom_id_of
from timbra.invoices.findings import FormFinding, amount_finding, findings_of, first_field
from timbra.invoices.form import (
    FIELDS,
    GENERAL_PUBLIC,
    IN_IVA_CHOICES,
    INCLUDES_TAX,
    LINE_FIELDS,
    MAX_FIELDS,
    MAX_KEPT,
    MAX_LINES,
    SUBSTITUTED,
    InvoiceForm,
    addenda_of,
    form_of,
    new_line,
    read_form,
)
from timbra.invoices.local_taxes import MAX_ROWS
from timbra.invoices.memory import draft_label, draft_of, entries_of, fill, form_of_draft, keys_of
from timbra.invoices.paths import PATH
from timbra.invoices.services import InvoiceServices
from timbra.invoices.store import MAX_NUMBER, EntryKind, InvoiceEntry
from timbra.invoices.substitution import cancel_substituted
from timbra.invoices.view import LINE_TAXES, FormView, form_view, issuers_of
from timbra.rendering.texts import amount
from timbra.stamping.stored_document import read_stored
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect

OPENING = f"{PATH}/abrir"
MAX_BYTES = 1024 * 1024
MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
MAX_QUERY = 200
NEW = {
    "TipoDeComprobante": "I",
    "MetodoPago": "PUE",
    "Moneda": "MXN",
    "Exportacion": "01",
    INCLUDES_TAX: "sin",
}
"""Fields of a new invoice."""
POSTAL_CODE = "Receptor.DomicilioFiscalReceptor"
"""That of the general public is the place of issue."""
Action = Callable[[InvoiceForm, str], str]


async def show(page_request: PageRequest, services: InvoiceServices) -> Response:
    """Show the form of a new invoice; of the general public with `tipo=global`."""
    form = InvoiceForm({**dict.fromkeys(FIELDS, ""), **NEW}, [new_line()])
    if page_request.query("tipo") == "global":
        _fill_global(form, services.validation.today())
    return await _render(page_request, services, form, focus="Receptor.Rfc", is_new=True)


def _fill_global(form: InvoiceForm, today: date) -> None:
    """Fill in receiver, period and line of a global invoice of this month; a line is a note of sale."""
    form.values |= {
        "Receptor.Rfc": NATIONAL,
        "Receptor.Nombre": GENERAL_PUBLIC.upper(),
        "Receptor.RegimenFiscalReceptor": WITHOUT_OBLIGATIONS,
        "Receptor.UsoCFDI": "S01",
        "FormaPago": "01",
        "InformacionGlobal.Periodicidad": "04",
        "InformacionGlobal.Meses": f"{today.month:02}",
        "InformacionGlobal.Año": str(today.year),
    }
    form.lines = [{**new_line(), "ClaveProdServ": "01010101", "ClaveUnidad": "ACT", "Descripcion": "Venta"}]


async def open_draft(page_request: PageRequest, services: InvoiceServices) -> Response:
    """Show the form with a draft."""
    number = page_request.request.path_params["draft"]
    content = None
    if number <= MAX_NUMBER:
        find, account = services.repository.draft, page_request.account.account_id
        content = await page_request.pools.run_database(find, account, number)
    if content is None:
        raise HTTPException(404)
    return await _render(page_request, services, form_of_draft(content, number))


async def derive_form(page_request: PageRequest, services: InvoiceServices) -> Response:
    """Show the form with a document that is derived from a stored one."""
    record = await stored_record(page_request, services.stamping)
    try:
        derivation = Derivation(page_request.path_parameter("como"))
    except ValueError as error:
        raise ServiceError("TB4005", "De este documento no se puede obtener otro así.") from error
    fecha = (services.certificates.fiscal.now() - AGE).astimezone(CENTRAL_MEXICO).strftime(LOCAL_FORMAT)
    parser = services.stamping.checks.parser
    content = derive(read_stored(record, parser).root, record.uuid, derivation, fecha)
    try:
        form = form_of(services.writer.write(parser.parse(content).root))
    except ServiceError:
        # What the form cannot show, the editor of XML can.
        return redirect(f"/portal/facturas/{record.uuid}/derivar/{derivation.value}")
    form.values["Fecha"] = ""
    if derivation is Derivation.SUBSTITUTE:
        form.values[SUBSTITUTED] = record.uuid
    return await _render(page_request, services, form, note=f"A partir de {record.serie} {record.folio} {record.uuid}.")


async def open_document(page_request: PageRequest, services: InvoiceServices) -> Response:
    """Show the form with the document of the text editor."""
    sent = await page_request.form(max_files=1, max_field_bytes=MAX_DOCUMENT_BYTES)
    text = ""
    try:
        text, _ = await document_of_form(page_request, sent, services.stamping)
        root = services.stamping.checks.parser.parse(text.encode()).root
        form = form_of({**services.writer.write(root), **addenda_of(root)})
    except ServiceError as error:
        return await show_document(page_request, services.certificates, text, error=error)
    kept = form.kept_names
    note = "El documento pasó al formulario."
    if kept:
        note += f" Se conserva, aunque el formulario no lo muestra: {', '.join(kept)}."
    return await _render(page_request, services, form, note=note)


async def submit(page_request: PageRequest, services: InvoiceServices) -> Response:
    """Do what the pressed button says, and show the form again; a stamp leads to the page of the document."""
    sent = await page_request.form(max_field_bytes=MAX_KEPT * 4, max_fields=MAX_FIELDS)
    action, _, target = _action(sent).partition(":")
    form = read_form(sent)
    if action in ("revisar", "timbrar"):
        return await _review(page_request, services, form, stamps=action == "timbrar")
    if action == "editor":
        composition = await page_request.pools.run_database(compose, form, services)
        if composition.text:
            note = "El formulario escribió este XML."
            return await show_document(page_request, services.certificates, composition.text, note=note)
        return await _render(page_request, services, form, reviewed=(composition, composition.findings))
    try:
        if action == "guardar":
            return await _save(page_request, services, form)
        change = ACTIONS.get(action)
        focus = "" if change is None else change(form, target)
    except ServiceError as error:
        composition = await page_request.pools.run_database(compose, form, services)
        reviewed = composition, [amount_finding(page_request.public_error(error), form)]
        return await _render(page_request, services, form, reviewed=reviewed, is_rejected=True)
    return await _render(page_request, services, form, focus=focus)


async def _save(page_request: PageRequest, services: InvoiceServices, form: InvoiceForm) -> Response:
    """Store the form as a draft and open it, or show why it cannot be stored."""

    def save() -> int:
        totals = compose(form, services).totals
        total = "" if totals is None else f"{amount(f'{totals.total:f}')} {form.get('Moneda')}"
        account, at = page_request.account.account_id, services.wall.now()
        return services.repository.save_draft(account, form.draft, draft_label(form), total, draft_of(form), at)

    number = await page_request.pools.run_database(save)
    return redirect(f"{PATH}/borradores/{number}?aviso=guardado")


async def search_keys(page_request: PageRequest, services: InvoiceServices) -> Response:
    """Answer with the keys of a catalog that words find."""
    catalog, query = SEARCHED.get(page_request.query("campo"), ""), page_request.query("q")[:MAX_QUERY]
    if not catalog:
        raise FieldError("campo", f"Se buscan claves de {' y '.join(SEARCHED)}.")
    validation = services.validation
    found = await page_request.pools.run_database(found_keys, validation.catalogs, catalog, query, validation.today())
    return JSONResponse([{"value": each.value, "text": each.text} for each in found])


async def _review(page_request: PageRequest, services: InvoiceServices, form: InvoiceForm, *, stamps: bool) -> Response:
    """Evaluate the document as it would be stamped, and stamp it when nothing is wrong."""
    composition = await page_request.pools.run_database(compose, form, services)
    findings = composition.findings
    xml = composition.text.encode()
    if xml:
        try:
            sealed, report = await report_of(
                page_request, services.stamping, services.validation, xml, keeps_seal=False
            )
            findings = findings_of(report, form, findings)
            if not any(finding.is_error for finding in findings):
                if stamps:
                    return await _stamp(page_request, services, form, xml)
                rejection = await rejection_of(page_request, services.stamping, sealed)
                findings = findings if rejection is None else [*findings, amount_finding(rejection, form)]
        except ServiceError as error:
            findings = [*findings, amount_finding(page_request.public_error(error), form)]
    return await _render(page_request, services, form, reviewed=(composition, findings), is_rejected=stamps)


async def _stamp(page_request: PageRequest, services: InvoiceServices, form: InvoiceForm, xml: bytes) -> Response:
    """Stamp by the issue use case; remember what the invoice had, delete its draft, and cancel what it substitutes."""
    custom_id, account = custom_id_of(form), page_request.account.account_id
    uuid, _ = await stamp_once(page_request, services.stamping, xml, keeps_seal=False, custom_id=custom_id)
    repository, run = services.repository, page_request.pools.run_database
    await run(repository.remember, account, entries_of(form), services.wall.now())
    if form.draft is not None:
        await run(repository.delete_draft, account, form.draft)
    if form.get(SUBSTITUTED):
        return await cancel_substituted(page_request, services, uuid)
    return redirect(f"/portal/facturas/{uuid}?aviso=timbrada")


async def _render(
    page_request: PageRequest,
    services: InvoiceServices,
    form: InvoiceForm,
    *,
    reviewed: tuple[Composition, Sequence[FormFinding]] | None = None,
    note: str = "",
    focus: str = "",
    is_new: bool = False,
    is_rejected: bool = False,
) -> Response:
    """Render the form.

    Args:
        reviewed: what a review found; None for the amounts alone.
        note: what the page says about where the document comes from.
        focus: name of the field that gets the focus.
        is_new: whether it is a new invoice, in which nothing is written.
        is_rejected: whether it was not stamped, as the page was asked to.
    """
    form.submission = form.submission or secrets.token_urlsafe(12)
    account = page_request.account.account_id
    run = page_request.pools.run_database
    stored = await run(services.certificates.vault.list_certificates, account)
    entries = await run(services.repository.entries, account)
    _complete(form, stored, entries)
    fill(form, entries, is_new=is_new)
    if form.is_general_public and not form.get(POSTAL_CODE):
        form.values[POSTAL_CODE] = form.get("LugarExpedicion")
    view = await run(_view, form, services, stored, reviewed, is_new)
    values = {
        "form": view,
        "reviewed": reviewed is not None,
        "note": note,
        "is_new": is_new and form.get("Receptor.Rfc") != NATIONAL,
        "focus": focus or ("" if reviewed is None else first_field(reviewed[1], len(form.lines))),
        "line_taxes": LINE_TAXES,
        "quota_choices": [Choice(*pair) for pair in IN_IVA_CHOICES.items()],
        "local_kinds": [Choice("", "traslada"), Choice("retenido", "retiene")],
        "most_local": MAX_ROWS,
        "is_global": form.get("Receptor.Rfc") == NATIONAL,
        "path_of_form": PATH,
        "customers": keys_of(entries, EntryKind.CUSTOMER),
        "products": keys_of(entries, EntryKind.PRODUCT),
        "saved": page_request.query("aviso") == "guardado",
    }
    return page_request.render("invoice_form.html", values, status=422 if is_rejected else 200)


def _view(
    form: InvoiceForm,
    services: InvoiceServices,
    stored: Sequence[StoredCertificate],
    reviewed: tuple[Composition, Sequence[FormFinding]] | None,
    is_new: bool,
) -> FormView:
    """Compute and describe the form; reads the database."""
    if reviewed is None:
        composition = compose(form, services)
        # What has not been written yet is no error before the accountant reviews the invoice.
        findings = [] if is_new else amounts_problem(composition, services, form)
    else:
        composition, findings = reviewed[0], list(reviewed[1])
    validation = services.validation
    return form_view(form, composition, findings, stored, validation.catalogs, validation.today())


def _complete(form: InvoiceForm, stored: Sequence[StoredCertificate], entries: Sequence[InvoiceEntry]) -> None:
    """Fill in the issuer when none is chosen, the last one that was used, and the name of its certificate."""
    issuers = issuers_of(stored)
    if not form.get("Emisor.Rfc") and issuers:
        used = (entry.key for entry in entries if entry.kind is EntryKind.ISSUER and entry.key in issuers)
        form.values["Emisor.Rfc"] = next(used, next(iter(issuers)))
    rfc, name = form.get("Emisor.Rfc"), form.get("Emisor.Nombre")
    is_of_another = name in {each for other, each in issuers.items() if other != rfc} and name != issuers.get(rfc)
    if not name or is_of_another:
        form.values["Emisor.Nombre"] = issuers.get(form.get("Emisor.Rfc"), "")


def _action(form: FormData) -> str:
    value = form.get("accion")
    return value[:500] if isinstance(value, str) else ""


def _add_line(form: InvoiceForm, _: str) -> str:
    if len(form.lines) >= MAX_LINES:
        raise ServiceError("TB4005", f"El formulario admite a lo más {MAX_LINES} conceptos.")
    form.lines.append(new_line())
    return f"Concepto.{len(form.lines)}.ClaveProdServ"


def _remove_line(form: InvoiceForm, target: str) -> str:
    number = int(target) if target.isascii() and target.isdigit() and len(target) <= len(str(MAX_LINES)) else 0
    if 0 < number <= len(form.lines):
        del form.lines[number - 1]
    if not form.lines:
        form.lines.append(new_line())
    return f"Concepto.{min(max(number, 1), len(form.lines))}.ClaveProdServ"


def _use_value(form: InvoiceForm, target: str) -> str:
    """Set a field to a value that the page proposed."""
    name, _, value = target.partition(":")
    prefix, _, rest = name.partition(".")
    if name in FIELDS:
        form.values[name] = value
    elif prefix == "Concepto":
        number, _, attribute = rest.partition(".")
        place = int(number) if number.isascii() and number.isdigit() and len(number) <= len(str(MAX_LINES)) else 0
        if 0 < place <= len(form.lines) and attribute in LINE_FIELDS:
            form.lines[place - 1][attribute] = value
    return name


ACTIONS: dict[str, Action] = {"agregar": _add_line, "quitar": _remove_line, "usar": _use_value}

PAGES = (
    Page("GET", PATH, show, menu=MenuItem("Nueva factura", 15), icon="plus", shortcut="f", scope=STAMP),
    Page("POST", PATH, submit, max_bytes=MAX_BYTES, scope=STAMP),
    Page("POST", OPENING, open_document, max_bytes=MAX_DOCUMENT_BYTES, scope=STAMP),
    Page("GET", f"{PATH}/claves", search_keys, scope=STAMP),
    Page("GET", f"{PATH}/borradores/{{draft:int}}", open_draft, scope=STAMP),
    Page("GET", f"{PATH}/de/{{uuid}}/{{como}}", derive_form, scope=STAMP),
)
