"""Who visits: a session token in a cookie that scripts cannot read, and the proof that a form came from our page.

The cookie carries a session token of two hours, as programs use it: a changed password or a closed account ends it. The
proof is a MAC under the session token, so that it dies with the session and nobody without the cookie can make it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

SESSION = "timbra_session"
VISITOR = "timbra_visitor"
SECONDS = 7200


def session_of(request: Request) -> str | None:
    """The session token that the browser sends, unchecked."""
    return request.cookies.get(SESSION) or None


def open_session(response: Response, token: str, *, secure: bool) -> None:
    """A new session: the cookie of the visitor before it is of no use any more."""
    _set(response, SESSION, token, secure=secure)
    response.delete_cookie(VISITOR, path="/")


def close_session(response: Response) -> None:
    response.delete_cookie(SESSION, path="/")


def visitor_of(request: Request) -> str:
    """What tells one browser without a session from another; a new one where it has none."""
    return request.cookies.get(VISITOR) or secrets.token_urlsafe(32)


def keep_visitor(response: Response, visitor: str, *, secure: bool) -> None:
    _set(response, VISITOR, visitor, secure=secure)


def proof(holder: str) -> str:
    """The proof that forms carry. holder: the session token, or the visitor's mark before there is one."""
    return hmac.new(holder.encode(), b"timbra form", hashlib.sha256).hexdigest()


def is_proved(holder: str, sent: str) -> bool:
    return hmac.compare_digest(proof(holder).encode(), sent.encode())


def comes_from_us(request: Request) -> bool:
    """Whether the browser says that the form was sent from a page of this host; silence counts as yes."""
    origin = request.headers.get("origin")
    if origin is None:
        return request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    return urlsplit(origin).netloc == request.headers.get("host")


def _set(response: Response, name: str, value: str, *, secure: bool) -> None:
    response.set_cookie(name, value, max_age=SECONDS, path="/", httponly=True, samesite="strict", secure=secure)
