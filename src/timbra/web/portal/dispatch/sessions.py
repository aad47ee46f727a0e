"""Session cookies and CSRF tokens.

The session cookie is `HttpOnly` and carries a session token of two hours, the same that API clients use; a changed
password or a closed account ends it. The CSRF token is a MAC under the session token: it ends with the session, and it
cannot be computed without the cookie. A form with files carries its CSRF token in the URL, so that the server verifies
it before it reads the body; because a URL may leak, that token is valid for its path only.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

SESSION_COOKIE = "timbra_session"
VISITOR_COOKIE = "timbra_visitor"
SECURE_PREFIX = "__Host-"
"""Of the names over HTTPS: browsers accept such a cookie only from this host, over HTTPS and for all paths, so that
neither another host of the domain nor a connection without encryption can set it."""
SESSION_SECONDS = 7200
CSRF_FIELD = "csrf_token"
CSRF_HEADER = "X-CSRF-Token"
LEGACY_CSRF_FIELD = "proof"
LEGACY_CSRF_HEADER = "X-Proof"
"""Names of release 0.1, still read by release 0.2."""


def session_token(request: Request, *, secure: bool) -> str | None:
    """Return the session token that the browser sends, unverified.

    Args:
        secure: Whether browsers use HTTPS; a cookie of another name is then ignored.
    """
    return request.cookies.get(_name(SESSION_COOKIE, secure=secure)) or None


def open_session(response: Response, token: str, *, secure: bool) -> None:
    """Set the session cookie and remove the visitor cookie.

    Args:
        response: Response that carries the cookies.
        secure: Whether browsers send the cookie over HTTPS only.
    """
    _set_cookie(response, SESSION_COOKIE, token, secure=secure)
    _delete_cookie(response, VISITOR_COOKIE, secure=secure)


def close_session(response: Response, *, secure: bool) -> None:
    """Remove the session cookie."""
    _delete_cookie(response, SESSION_COOKIE, secure=secure)


def visitor_id(request: Request, *, secure: bool) -> str:
    """Return the random id of a browser without a session; a new one when it has none."""
    return request.cookies.get(_name(VISITOR_COOKIE, secure=secure)) or secrets.token_urlsafe(32)


def set_visitor_id(response: Response, visitor: str, *, secure: bool) -> None:
    """Set the visitor cookie.

    Args:
        response: Response that carries the cookie.
        secure: Whether browsers send the cookie over HTTPS only.
    """
    _set_cookie(response, VISITOR_COOKIE, visitor, secure=secure)


def csrf_token(secret: str, path: str = "") -> str:
    """Compute the CSRF token of a session.

    Args:
        secret: The session token, or the visitor id before there is a session.
        path: The only path for which the token is valid; empty for all paths.
    """
    return hmac.new(secret.encode(), b"timbra form" + path.encode(), hashlib.sha256).hexdigest()


def verify_csrf(secret: str, token: str, path: str = "") -> bool:
    """Compare a CSRF token, in constant time, with the one of this session and path."""
    return hmac.compare_digest(csrf_token(secret, path).encode(), token.encode())


def has_cookie(request: Request, *, secure: bool) -> bool:
    """Whether the browser sends one of the cookies; without a cookie no CSRF token can be valid."""
    names = (_name(name, secure=secure) for name in (SESSION_COOKIE, VISITOR_COOKIE))
    return any(request.cookies.get(name) for name in names)


def is_secure(request: Request, public_url: str) -> bool:
    """Whether browsers reach the server over HTTPS: by the address of the settings, or of this request."""
    return public_url.startswith("https://") or request.url.scheme == "https"


def is_same_origin(request: Request) -> bool:
    """Whether Origin, Sec-Fetch-Site or Referer name this host; a request without these headers passes."""
    headers = request.headers
    origin = headers.get("origin")
    if origin is None and (site := headers.get("sec-fetch-site")) is not None:
        return site in ("same-origin", "none")
    source = headers.get("referer") if origin is None else origin
    return source is None or urlsplit(source).netloc == headers.get("host")


def comes_from_portal(request: Request) -> bool:
    """Whether a page of an account sent the browser here: after hours its cookie is gone, but not the page."""
    source = urlsplit(request.headers.get("referer", ""))
    is_own = source.netloc == request.headers.get("host")
    return is_own and f"{source.path}/".startswith("/portal/") and not source.path.startswith("/portal/entrar")


def _set_cookie(response: Response, name: str, value: str, *, secure: bool) -> None:
    name = _name(name, secure=secure)
    response.set_cookie(name, value, max_age=SESSION_SECONDS, path="/", httponly=True, samesite="strict", secure=secure)


def _delete_cookie(response: Response, name: str, *, secure: bool) -> None:
    # A browser ignores the deletion of a cookie with the prefix unless it has the same attributes.
    response.delete_cookie(_name(name, secure=secure), path="/", httponly=True, samesite="strict", secure=secure)


def _name(name: str, *, secure: bool) -> str:
    return f"{SECURE_PREFIX}{name}" if secure else name
