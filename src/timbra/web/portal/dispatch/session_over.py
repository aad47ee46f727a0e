"""Requests for pages of an account by a browser whose session is over: the way back after signing in."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from timbra.web.portal.dispatch import sessions
from timbra.web.portal.dispatch.page import Page, SessionStep
from timbra.web.portal.dispatch.page_request import PageRequest

SIGN_IN = "/portal/entrar"
HOME = "/portal"
RETURN_FIELD = "regreso"
MAX_LENGTH = 1_000
PREFIXES = ("/portal", "/validador")


def return_path(text: str) -> str:
    """Return the page to which the browser goes after signing in; the home page for anything but a page of ours."""
    path = urlsplit(text).path if text.isprintable() and len(text) <= MAX_LENGTH and text.startswith("/") else ""
    is_page = any(path == prefix or path.startswith(f"{prefix}/") for prefix in PREFIXES)
    return text if is_page and "\\" not in text and not path.startswith((SIGN_IN, "/portal/salir")) else HOME


def sign_in_address(text: str, *, had_session: bool) -> str:
    """Return the address of the sign-in page that leads back to a page, and says so when a session ended."""
    path = return_path(text)
    query = {"aviso": "sesion"} if had_session else {}
    query |= {} if path == HOME else {RETURN_FIELD: path}
    return f"{SIGN_IN}?{urlencode(query)}" if query else SIGN_IN


def redirect_to_sign_in(request: Request, public_url: str, step: SessionStep | None = None) -> Response:
    """Redirect to the sign-in page, which leads back to the page, or to the page with the form that was sent.

    Args:
        step: What the session waits for, whose page takes the place of the sign-in page; None without a session.
    """
    if step is None:
        address = sign_in_address(_page_of(request), had_session=_had_session(request, public_url))
    else:
        path = return_path(_page_of(request))
        address = step.value if path == HOME else f"{step.value}?{urlencode({RETURN_FIELD: path})}"
    if "hx-request" in request.headers:
        # The script replaces a part of the page; this header makes it open another one.
        return Response(headers={"HX-Redirect": address})
    return RedirectResponse(address, 303)


async def show_kept_text(page_request: PageRequest, page: Page) -> Response:
    """Show the text of a form that was sent after the end of the session, so that it is not lost.

    The session to which its CSRF token belongs is over. The text is only shown to the browser that sent it, and only
    when the form came from a page of this server.
    """
    request = page_request.request
    if request.headers.get("origin") is None or not sessions.is_same_origin(request):
        return redirect_to_sign_in(request, page_request.environment.requests.public_url)
    form = await page_request.unverified_form(max_files=1, max_field_bytes=page.max_bytes)
    values = {"text": _text(form, page.kept_field), "address": sign_in_address(_page_of(request), had_session=False)}
    return page_request.render("session_over.html", values, status=401)


def _had_session(request: Request, public_url: str) -> bool:
    """Whether the browser has the cookie of a session, or a page of an account that outlived it."""
    if "hx-request" in request.headers or sessions.comes_from_portal(request):
        return True
    return sessions.session_token(request, secure=sessions.is_secure(request, public_url)) is not None


def _text(form: FormData, name: str) -> str:
    value = form.get(name)
    return value if isinstance(value, str) else ""


def _page_of(request: Request) -> str:
    """Return the path of the page: of a GET its own, of a form that of the page which has it."""
    if request.method in {"GET", "HEAD"}:
        return request.url.path + (f"?{request.url.query}" if request.url.query else "")
    referer = urlsplit(request.headers.get("referer", ""))
    if referer.netloc != request.headers.get("host"):
        return HOME
    return referer.path + (f"?{referer.query}" if referer.query else "")
