"""The validator: reports on uploaded documents, which the server does not store, and the page of a rule."""

from __future__ import annotations

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.messages import MESSAGES
from timbra.messages.literal import LITERAL
from timbra.portal.dispatch.page import Page, PageAccess
from timbra.portal.dispatch.page_request import PageRequest
from timbra.portal.views.rule_catalog import sentence_of
from timbra.portal.views.validation import ValidationView, examine
from timbra.rules.reference.lookup import facts, rows
from timbra.service.services import DocumentServices, ValidationServices

MAX_FILES = 50
MAX_BYTES = 40 * 1024 * 1024


async def show(page_request: PageRequest) -> Response:
    """Show the upload form."""
    return page_request.render("validator.html", {"documents": [], "max_files": MAX_FILES, "with_status": True})


async def validate(page_request: PageRequest, validation: ValidationServices, documents: DocumentServices) -> Response:
    """Validate the uploaded documents and show one report for each."""
    form = await page_request.form(max_files=MAX_FILES)
    with_status = form.get("status") == "yes"
    views: list[ValidationView] = []
    for number, upload in enumerate(_uploads(form), 1):
        name, content = upload.filename or f"documento {number}", await upload.read()
        view = await examine(
            validation,
            documents,
            page_request.templates,
            number,
            name,
            content,
            with_status=with_status,
            pools=page_request.pools,
        )
        views.append(view)
    values = {"documents": views, "max_files": MAX_FILES, "with_status": with_status}
    return page_request.render("validator.html", values, status=200 if views else 422)


def _uploads(form: FormData) -> list[UploadFile]:
    """Return the chosen files; a browser sends one empty file when none was chosen."""
    return [value for value in form.getlist("xml") if isinstance(value, UploadFile) and (value.filename or value.size)]


async def show_rule(page_request: PageRequest) -> Response:
    """Show the sentence and the facts of a code. HTTPException(404) for an unknown code."""
    code = page_request.request.path_params["code"]
    found = rows(code)
    sentence = next((text for name, text in (LITERAL | MESSAGES).items() if name.casefold() == code.casefold()), None)
    if not found and sentence is None:
        raise HTTPException(404)
    rules = [(row.code, sentence_of(row.code.partition(":")[0]), facts(row)) for row in found]
    return page_request.render("rule.html", {"code": code, "rules": rules or [(code, sentence, [])]})


PAGES = (
    Page("GET", "/validador", show, PageAccess.PUBLIC_IN_SANDBOX, menu="Validador"),
    Page("POST", "/validador", validate, PageAccess.PUBLIC_IN_SANDBOX, max_bytes=MAX_BYTES),
    Page("GET", "/validador/reglas/{code}", show_rule, PageAccess.PUBLIC_IN_SANDBOX),
)
