"""The validator: reports on uploaded documents, which the server does not store; the rules, and the page of a rule."""

from __future__ import annotations

from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from timbra.stamping.services import StampingServices
from timbra.validation.rule_views import explanation_views, known_code, near_codes, rule_set_rows, search_rules
from timbra.validation.services import ValidationServices
from timbra.validation.view import ValidationView, examine
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest

MAX_FILES = 50
MAX_RULES = 200
MAX_BYTES = 40 * 1024 * 1024


async def show(page_request: PageRequest) -> Response:
    """Show the upload form."""
    return _render(page_request, [], with_status=True, require_stamp=False)


async def validate(page_request: PageRequest, validation: ValidationServices, stamping: StampingServices) -> Response:
    """Validate the uploaded documents and show one report for each."""
    form = await page_request.form(max_files=MAX_FILES)
    with_status, require_stamp = form.get("status") == "yes", form.get("require_stamp") == "yes"
    views: list[ValidationView] = []
    for number, upload in enumerate(_uploads(form), 1):
        name, content = upload.filename or f"documento {number}", await upload.read()
        view = await examine(
            validation,
            page_request.templates,
            number,
            name,
            content,
            with_status=with_status,
            require_stamp=require_stamp,
            pages=page_request.verification_pages,
            pools=page_request.pools,
            processes=stamping.processes,
            leniency=page_request.caller.vendor_leniency if page_request.caller else None,
        )
        views.append(view)
    return _render(
        page_request, views, with_status=with_status, require_stamp=require_stamp, status=200 if views else 422
    )


def _render(
    page_request: PageRequest,
    views: list[ValidationView],
    *,
    with_status: bool,
    require_stamp: bool,
    status: int = 200,
) -> Response:
    values = {
        "documents": views,
        "max_files": MAX_FILES,
        "with_status": with_status,
        "require_stamp": require_stamp,
    }
    return page_request.render("validator.html", values, status=status)


def _uploads(form: FormData) -> list[UploadFile]:
    """Return the chosen files; a browser sends one empty file when none was chosen."""
    return [value for value in form.getlist("xml") if isinstance(value, UploadFile) and (value.filename or value.size)]


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
