"""The one table of pages: routes and navigation are made from it."""

from __future__ import annotations

from timbra.portal.page import Page
from timbra.portal.pages import home, password, sign_in, validator

PAGES: tuple[Page, ...] = (
    *home.PAGES,
    *validator.PAGES,
    *password.PAGES,
    *sign_in.PAGES,
)
