"""Theme of the pages: the choice of the browser's user, in a cookie that the server reads to render the page."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

COOKIE = "timbra_theme"
THEMES = ("auto", "light", "dark")
YEAR_SECONDS = 365 * 24 * 3600


def theme_of(request: Request) -> str:
    """Return the chosen theme; `auto` follows the preference of the system."""
    theme = request.cookies.get(COOKIE, "")
    return theme if theme in THEMES else THEMES[0]


def set_theme(response: Response, theme: str, *, secure: bool) -> None:
    """Set the cookie of the theme.

    Args:
        response: Response that carries the cookie.
        theme: One of `THEMES`.
        secure: Whether browsers send the cookie over HTTPS only.
    """
    response.set_cookie(COOKIE, theme, max_age=YEAR_SECONDS, path="/", httponly=True, samesite="strict", secure=secure)
