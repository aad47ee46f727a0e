"""The second factor: its page after the password, and the page where users add, renew and remove factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import segno
from starlette.responses import Response

from timbra.accounts.field_validation import normalize_user
from timbra.accounts.pages.sign_in import MAX_ANSWER_LENGTH, passkey_options, portal_site
from timbra.accounts.services import AccountServices
from timbra.accounts.store.approval_repository import Approval
from timbra.core.approvals import ProtectedAction
from timbra.core.errors import ServiceError
from timbra.core.roles import OWNER
from timbra.web.portal.dispatch import sessions
from timbra.web.portal.dispatch.field_errors import fields_of
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page, SessionStep
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field
from timbra.web.portal.dispatch.session_over import MAX_LENGTH, RETURN_FIELD, return_path

CODE_PATH, PATH = SessionStep.CODE.value, SessionStep.ENROLMENT.value
AT_CODE, AT_ENROLMENT = frozenset({SessionStep.CODE}), frozenset({SessionStep.ENROLMENT})
MAX_CODE_LENGTH = 40
MAX_NAME_LENGTH = 60
QR_SCALE = 5
NOTICES = {
    "quitado": "El segundo factor se quitó.",
    "confirmada": "La operación quedó confirmada.",
    "retirada": "La solicitud se retiró.",
}
ACTION_NAMES = {
    ProtectedAction.ROTATE_MASTER_KEY: "Renovar la llave maestra",
    ProtectedAction.ROTATE_TOKEN_SECRET: "Renovar el secreto de los tokens",
    ProtectedAction.INSTALL_PROVIDER: "Instalar un certificado del proveedor",
    ProtectedAction.DISABLE_CERTIFICATE: "Desactivar un certificado",
    ProtectedAction.FORCE_LISTS: "Importar listas del SAT sin las revisiones",
    ProtectedAction.FORCE_CATALOGS: "Instalar catálogos del SAT sin las revisiones",
    ProtectedAction.PRUNE: "Borrar lo que ya está archivado",
}


async def ask_code(page_request: PageRequest, services: AccountServices) -> Response:
    """Show the form of the code; a session that gave it is redirected."""
    path = return_path(page_request.query(RETURN_FIELD))
    if page_request.step is not SessionStep.CODE:
        return redirect(path)
    return await _render_code(page_request, services, path)


async def check_code(page_request: PageRequest, services: AccountServices) -> Response:
    """Open a session that gave the second factor."""
    form = await page_request.form()
    path = return_path(text_field(form, RETURN_FIELD, MAX_LENGTH))
    caller, pools = page_request.account, page_request.pools
    try:
        code = text_field(form, "code", MAX_CODE_LENGTH)
        await pools.run_database(services.second_factors.verify, caller, code, page_request.client_account)
    except ServiceError as error:
        return await _render_code(page_request, services, path, error)
    response = redirect(path)
    await _open_session(page_request, services, response)
    return response


async def show(page_request: PageRequest, services: AccountServices) -> Response:
    return await _render(page_request, services)


async def enrol(page_request: PageRequest, services: AccountServices) -> Response:
    """Create a secret; only this response shows it."""
    await page_request.form()
    try:
        enrolment = await page_request.pools.run_database(services.second_factors.enrol, page_request.account)
    except ServiceError as error:
        return await _render(page_request, services, error)
    qr = segno.make(enrolment.uri, micro=False).png_data_uri(scale=QR_SCALE, border=4)
    return await _render(page_request, services, secret=enrolment.secret, qr=qr)


async def confirm(page_request: PageRequest, services: AccountServices) -> Response:
    """Make the secret the second factor; only this response shows the recovery codes."""
    form = await page_request.form()
    factors, caller, pools = services.second_factors, page_request.account, page_request.pools
    try:
        code = text_field(form, "code", MAX_CODE_LENGTH)
        codes = await pools.run_database(factors.confirm, caller, code, page_request.client_account)
    except ServiceError as error:
        return await _render(page_request, services, error)
    return await _render_added(page_request, services, codes)


async def renew_codes(page_request: PageRequest, services: AccountServices) -> Response:
    await page_request.form()
    codes = await page_request.pools.run_database(services.second_factors.renew_codes, page_request.account)
    return page_request.render("recovery_codes.html", {"codes": codes})


async def remove_totp(page_request: PageRequest, services: AccountServices) -> Response:
    await page_request.form()
    await page_request.pools.run_database(services.second_factors.remove_totp, page_request.account)
    return redirect(f"{PATH}?aviso=quitado")


async def register(page_request: PageRequest, services: AccountServices) -> Response:
    """Store a passkey, which the browser made with the options of the page."""
    form = await page_request.form()
    passkeys, caller, browser = services.passkeys, page_request.account, page_request.csrf_secret
    try:
        name = text_field(form, "name", MAX_NAME_LENGTH) or "Llave de acceso"
        answer = text_field(form, "answer", MAX_ANSWER_LENGTH)
        codes = await page_request.pools.run_database(
            passkeys.register, caller, portal_site(page_request), browser, name, answer
        )
    except ServiceError as error:
        return await _render(page_request, services, error)
    return await _render_added(page_request, services, codes)


async def remove_passkey(page_request: PageRequest, services: AccountServices) -> Response:
    await page_request.form()
    number = int(page_request.request.path_params["number"])
    await page_request.pools.run_database(services.passkeys.remove, page_request.account, number)
    return redirect(f"{PATH}?aviso=quitado")


async def decide(page_request: PageRequest, services: AccountServices) -> Response:
    """Confirm or reject a request of another person."""
    form = await page_request.form()
    number, approvals = int(page_request.request.path_params["number"]), services.approvals
    is_confirmed = text_field(form, "decision") == "confirm"
    decide_request = approvals.confirm if is_confirmed else approvals.reject
    try:
        await page_request.pools.run_database(decide_request, page_request.account, number)
    except ServiceError as error:
        return await _render(page_request, services, error)
    return redirect(f"{PATH}?aviso={'confirmada' if is_confirmed else 'retirada'}")


async def _render_code(
    page_request: PageRequest, services: AccountServices, path: str, error: ServiceError | None = None
) -> Response:
    values: dict[str, object] = {"return_path": path, "passkey_options": await passkey_options(page_request, services)}
    if error is None:
        return page_request.render("sign_in_code.html", values)
    values |= {"error": error, "error_fields": fields_of(error)}
    return page_request.render("sign_in_code.html", values, status=429 if error.retry_after else 422)


async def _render_added(page_request: PageRequest, services: AccountServices, codes: Sequence[str]) -> Response:
    """Give the browser a session with the second factor that was added, and show new recovery codes."""
    page_request.step = None
    page_request.caller = replace(page_request.account, has_second_factor=True, passed_second_factor=True)
    response = Response()
    page_request.csrf_secret = await _open_session(page_request, services, response)
    page = page_request.render("recovery_codes.html", {"codes": codes})
    page.raw_headers.extend(pair for pair in response.raw_headers if pair[0] == b"set-cookie")
    return page


async def _open_session(page_request: PageRequest, services: AccountServices, response: Response) -> str:
    """Set the cookie of a session that gave the second factor; return its token."""
    create = partial(services.accounts.session_token, page_request.account.user, second_factor=True)
    token = (await page_request.pools.run_database(create)).token
    sessions.open_session(response, token, secure=page_request.secure)
    return token


async def _render(
    page_request: PageRequest,
    services: AccountServices,
    error: ServiceError | None = None,
    secret: str = "",
    qr: str = "",
) -> Response:
    pools, caller, site = page_request.pools, page_request.account, portal_site(page_request)
    passkeys = services.passkeys
    state = await pools.run_database(services.second_factors.state, caller)
    options = (
        await pools.run_database(passkeys.registration_options, caller, site, page_request.csrf_secret)
        if site.is_possible
        else ""
    )
    values: dict[str, object] = {
        "state": state,
        "passkeys": await pools.run_database(passkeys.list_passkeys, caller),
        "passkey_options": options,
        "approvals": [] if page_request.step else await _open_requests(page_request, services),
        "actions": ACTION_NAMES,
        "person": normalize_user(caller.user),
        "max_name_length": MAX_NAME_LENGTH,
        "is_needed": page_request.step is SessionStep.ENROLMENT,
        "secret": secret,
        "qr": qr,
        "notice_text": NOTICES.get(page_request.query("aviso"), ""),
    }
    return page_request.render_form("second_factor.html", values, error)


async def _open_requests(page_request: PageRequest, services: AccountServices) -> Sequence[Approval]:
    caller = page_request.account
    if not (caller.is_administrator or caller.user_role == OWNER):
        return ()
    return await page_request.pools.run_database(services.approvals.list_open, caller)


PAGES = (
    Page("GET", CODE_PATH, ask_code, scope="", steps=AT_CODE),
    Page("POST", CODE_PATH, check_code, scope="", steps=AT_CODE),
    Page(
        "GET",
        PATH,
        show,
        menu=MenuItem("Seguridad", 125, MenuGroup.ACCOUNT),
        icon="shield-check",
        scope="",
        steps=AT_ENROLMENT,
    ),
    Page("POST", f"{PATH}/aplicacion", enrol, scope="", steps=AT_ENROLMENT),
    Page("POST", f"{PATH}/aplicacion/confirmar", confirm, scope="", steps=AT_ENROLMENT),
    Page("POST", f"{PATH}/aplicacion/quitar", remove_totp, scope=""),
    Page("POST", f"{PATH}/llaves", register, scope="", steps=AT_ENROLMENT),
    Page("POST", f"{PATH}/llaves/{{number:int}}/quitar", remove_passkey, scope=""),
    Page("POST", f"{PATH}/solicitudes/{{number:int}}", decide),
    Page("POST", f"{PATH}/recuperacion", renew_codes, scope=""),
)
