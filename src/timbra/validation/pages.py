"""The validator: reports on uploaded documents, which the server does not store; the rules, and the page of a rule."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.stamping.services import StampingServices
from timbra.validation.export_files import EXPORTS, ExportFile, examine_for_export, export_of
from timbra.validation.rule_views import explanation_views, known_code, near_codes, rule_set_rows, search_rules
from timbra.validation.services import ValidationServices
from timbra.validation.uploads import MAX_DOCUMENTS, ChosenFile, UploadedDocument, documents_of
from timbra.validation.view import ValidationView, examine
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest

MAX_FILES = MAX_DOCUMENTS
MAX_DETAILED = 50
"""Documents of an upload whose invoice and XML are shown."""
MAX_OPEN = 10
"""Documents of an upload of which those with errors are unfolded."""
MAX_RULES = 200
MAX_BYTES = 40 * 1024 * 1024
FILES, FOLDER = "xml", "carpeta"
"""Fields with files."""


@dataclass(frozen=True, slots=True)
class FormValues:
    """The options of the form.

    Attributes:
        with_status: Whether the authority is queried for the status of each document.
        require_stamp: Whether a document without a stamp has an error.
    """

    with_status: bool = True
    require_stamp: bool = False


async def show(page_request: PageRequest) -> Response:
    """Show the upload form."""
    return page_request.render("validator.html", _values(page_request, FormValues()))


async def validate(page_request: PageRequest, validation: ValidationServices, stamping: StampingServices) -> Response:
    """Validate the uploaded documents and show one report for each, or send a file with the results."""
    form = await page_request.form(max_files=MAX_FILES)
    chosen = FormValues(form.get("status") == "yes", form.get("require_stamp") == "yes")
    try:
        upload = await page_request.pools.run_files(documents_of, await _files(form))
        if not upload.documents:
            raise FieldError(FILES, NO_DOCUMENTS if upload.ignored else NO_FILES)
        export = EXPORTS.get(str(form.get("formato")))
        if export is not None:
            return await _export(page_request, validation, chosen, upload.documents, export)
    except ServiceError as error:
        return page_request.render_error("validator.html", error, _values(page_request, chosen))
    views: list[ValidationView] = []
    for number, document in enumerate(upload.documents, 1):
        if document.rejection is not None:
            views.append(ValidationView(number, document.name, rejection=document.rejection))
            continue
        view = await examine(
            validation,
            page_request.templates,
            number,
            document.name,
            document.content,
            with_status=chosen.with_status,
            require_stamp=chosen.require_stamp,
            pages=page_request.verification_pages,
            pools=page_request.pools,
            processes=stamping.processes,
            leniency=page_request.caller.vendor_leniency if page_request.caller else None,
            is_brief=len(upload.documents) > MAX_DETAILED,
        )
        views.append(view)
        await asyncio.sleep(0)  # other requests are served between two documents
    return page_request.render("validator.html", _values(page_request, chosen, views, upload.ignored))


async def _export(
    page_request: PageRequest,
    validation: ValidationServices,
    chosen: FormValues,
    documents: Sequence[UploadedDocument],
    export: ExportFile,
) -> Response:
    results = []
    for document in documents:
        result = await examine_for_export(
            validation.validation,
            document,
            with_status=chosen.with_status,
            require_stamp=chosen.require_stamp,
            pools=page_request.pools,
            leniency=page_request.caller.vendor_leniency if page_request.caller else None,
        )
        results.append(result)
        await asyncio.sleep(0)
    content = await page_request.pools.run_files(export_of, results, export.name)
    headers = {"Content-Disposition": f'attachment; filename="{export.name}"', "Cache-Control": "no-store"}
    return Response(content, media_type=export.media_type, headers=headers)


NO_FILES = "Elija o suelte uno o varios archivos XML, PDF o ZIP, o una carpeta."
NO_DOCUMENTS = "La carpeta o el archivo ZIP no tiene documentos XML ni PDF."


def _values(
    page_request: PageRequest, chosen: FormValues, views: Sequence[ValidationView] = (), ignored: int = 0
) -> dict[str, object]:
    return {
        "documents": views,
        "ignored": ignored,
        "wrong": sum(view.is_wrong for view in views),
        "max_files": MAX_FILES,
        "max_detailed": MAX_DETAILED,
        "max_open": MAX_OPEN,
        "max_bytes": min(MAX_BYTES, page_request.environment.requests.limits.max_body_bytes),
        "with_status": chosen.with_status,
        "require_stamp": chosen.require_stamp,
        "exports": EXPORTS.values(),
    }


async def _files(form: FormData) -> list[ChosenFile]:
    """Return the chosen files; a browser sends one empty file when none was chosen."""
    found = [
        (value, name)
        for name in (FILES, FOLDER)
        for value in form.getlist(name)
        if isinstance(value, UploadFile) and (value.filename or value.size)
    ]
    return [
        ChosenFile(value.filename or f"documento {number}", await value.read(), is_of_folder=name == FOLDER)
        for number, (value, name) in enumerate(found, 1)
    ]


async def show_rules(page_request: PageRequest) -> Response:
    """Show the rule sets, and the rules that match the search."""
    query, rule_set = page_request.query("q"), page_request.query("libro")
    rows, total = search_rules(query, rule_set, MAX_RULES) if query or rule_set else ([], 0)
    values = {"query": query, "rule_set": rule_set, "rule_sets": rule_set_rows(), "rows": rows, "total": total}
    return page_request.render("rules.html", values)


async def show_rule(page_request: PageRequest) -> Response:
    """Show the explanation of a code; status 404 with the nearest codes for an unknown one."""
    text = page_request.request.path_params["code"]
    code = known_code(text)
    if code is None:
        return page_request.render("rule.html", {"code": text, "views": [], "near": near_codes(text)}, status=404)
    return page_request.render("rule.html", {"code": code, "views": explanation_views(code), "near": []})


PAGES = (
    Page(
        "GET",
        "/validador",
        show,
        PageAccess.PUBLIC_IN_SANDBOX,
        menu=MenuItem("Validador", 150, MenuGroup.TOOLS),
        icon="file-check",
        shortcut="v",
    ),
    Page("POST", "/validador", validate, PageAccess.PUBLIC_IN_SANDBOX, max_bytes=MAX_BYTES),
    Page("GET", "/validador/reglas/{code}", show_rule, PageAccess.PUBLIC_IN_SANDBOX),
    Page("GET", "/validador/reglas", show_rules, PageAccess.PUBLIC_IN_SANDBOX),
)
