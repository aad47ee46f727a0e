"""The one table of pages: routes and navigation are made from it."""

from __future__ import annotations

from timbra.portal.page import Page
from timbra.portal.pages import (
    certificates,
    home,
    invoices,
    password,
    refusals,
    sandbox,
    sign_in,
    tokens,
    usage,
    validator,
)

PAGES: tuple[Page, ...] = (
    *home.PAGES,
    *invoices.PAGES,
    *refusals.PAGES,
    *usage.PAGES,
    *certificates.PAGES,
    *tokens.PAGES,
    *validator.PAGES,
    *sandbox.PAGES,
    *password.PAGES,
    *sign_in.PAGES,
)
