"""The validator for people: drop documents, see everything that is wrong with them. Nothing is kept."""

from __future__ import annotations

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.messages import MESSAGES
from timbra.messages.literal import LITERAL
from timbra.portal.books import sentence_of
from timbra.portal.examination import Examined, examine
from timbra.portal.page import Access, Page
from timbra.portal.visit import Visit
from timbra.rules.lookup import facts, rows

MOST_FILES = 50
MOST_BYTES = 40 * 1024 * 1024


async def show(visit: Visit) -> Response:
    return visit.show("validator.html", {"examined": [], "most_files": MOST_FILES, "status": True})


async def judge(visit: Visit) -> Response:
    """The documents of the form, one report each."""
    form = await visit.form(most_files=MOST_FILES)
    status = form.get("status") == "yes"
    examined: list[Examined] = []
    for number, upload in enumerate(_uploads(form), 1):
        name, content = upload.filename or f"documento {number}", await upload.read()
        examined.append(await examine(visit.house, visit.templates, number, name, content, status=status))
    values = {"examined": examined, "most_files": MOST_FILES, "status": status}
    return visit.show("validator.html", values, status=200 if examined else 422)


def _uploads(form: FormData) -> list[UploadFile]:
    """The files that were chosen; a browser sends an empty one for none."""
    return [value for value in form.getlist("xml") if isinstance(value, UploadFile) and (value.filename or value.size)]


async def rule(visit: Visit) -> Response:
    """What a code demands."""
    code = visit.request.path_params["code"]
    found = rows(code)
    sentence = next((text for name, text in (LITERAL | MESSAGES).items() if name.casefold() == code.casefold()), None)
    if not found and sentence is None:
        raise HTTPException(404)
    told = [(row.code, sentence_of(row.code.partition(":")[0]), facts(row)) for row in found]
    return visit.show("rule.html", {"code": code, "rules": told or [(code, sentence, [])]})


PAGES = (
    Page("GET", "/validador", show, Access.OPEN_IN_SANDBOX, menu="Validador"),
    Page("POST", "/validador", judge, Access.OPEN_IN_SANDBOX, most_bytes=MOST_BYTES),
    Page("GET", "/validador/reglas/{code}", rule, Access.OPEN_IN_SANDBOX),
)
