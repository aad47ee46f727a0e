"""The one table of pages: routes and navigation are made from it."""

from __future__ import annotations

from timbra.portal.page import Page
from timbra.portal.pages import (
    accounts,
    certificates,
    home,
    invoices,
    password,
    refusals,
    rules,
    sandbox,
    sign_in,
    state,
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
    *rules.PAGES,
    *sandbox.PAGES,
    *accounts.PAGES,
    *state.PAGES,
    *password.PAGES,
    *sign_in.PAGES,
)
