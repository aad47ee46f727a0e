"""The page table: routes and navigation are built from it."""

from __future__ import annotations

from timbra.portal.dispatch.page import Page
from timbra.portal.pages import (
    accounts,
    audit,
    branding,
    certificates,
    home,
    invoices,
    password,
    rejections,
    reports,
    rules,
    sandbox,
    server_state,
    sign_in,
    sign_in_links,
    tokens,
    usage,
    users,
    validator,
)

PAGES: tuple[Page, ...] = (
    *home.PAGES,
    *invoices.PAGES,
    *rejections.PAGES,
    *usage.PAGES,
    *certificates.PAGES,
    *branding.PAGES,
    *tokens.PAGES,
    *users.PAGES,
    *audit.PAGES,
    *validator.PAGES,
    *rules.PAGES,
    *sandbox.PAGES,
    *accounts.PAGES,
    *reports.PAGES,
    *server_state.PAGES,
    *password.PAGES,
    *sign_in.PAGES,
    *sign_in_links.PAGES,
)
