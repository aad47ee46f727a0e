"""The page table: routes and navigation are built from it."""

from __future__ import annotations

from timbra.portal.dispatch.page import Page
from timbra.portal.pages import (
    accounts,
    audit,
    branding,
    certificates,
    home,
    invoice_bulk_cancellation,
    invoice_exports,
    invoices,
    password,
    rejections,
    reports,
    rules,
    sandbox,
    server_state,
    sign_in,
    sign_in_links,
    stamping,
    theme,
    tokens,
    usage,
    users,
    validator,
)

PAGES: tuple[Page, ...] = (
    *home.PAGES,
    *stamping.PAGES,
    *invoices.PAGES,
    *invoice_exports.PAGES,
    *invoice_bulk_cancellation.PAGES,
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
    *theme.PAGES,
)
