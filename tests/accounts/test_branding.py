"""Branding of accounts: stored, changed in parts, and checked before it is stored."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.accounts.support import ENVELOPE, MovableClock, rejected
from tests.support.events import list_audit_events
from tests.support.images import red_png

from timbra.accounts.accounts import Accounts
from timbra.accounts.administration.branding import BrandingChange, BrandingService
from timbra.database.database import Database
from timbra.rendering.branding import DEFAULT_BRANDING

ANA, EVA = 1, 2


@pytest.fixture
def branding(any_database: Database, wall: MovableClock) -> Iterator[BrandingService]:
    accounts = Accounts(any_database, ENVELOPE, "sandbox", wall, wall)
    for user in ("ana", "eva"):
        accounts.create(user, "una contraseña")
    yield BrandingService(any_database, wall, wall)
    accounts.close()


def test_change_stores_only_what_is_given(branding: BrandingService, any_database: Database) -> None:
    png = red_png(30, 10)
    branding.change(ANA, BrandingChange(template="Moderna", color="#AA0000", logo=png))
    branding.change(ANA, BrandingChange(footer="  Tel.  55 "))
    stored = branding.find(ANA)

    assert (stored.template, stored.color, stored.footer) == ("moderna", "#aa0000", "Tel. 55")
    assert stored.logo is not None
    assert (stored.logo.kind, stored.logo.content) == ("png", png)
    assert branding.find(EVA) == DEFAULT_BRANDING
    assert len(list_audit_events(any_database, "branding.changed")) == 2


def test_empty_values_and_reset_restore_the_default(branding: BrandingService) -> None:
    branding.change(ANA, BrandingChange("moderna", "#aa0000", "Pie", red_png(30, 10)))
    assert branding.change(ANA, BrandingChange("", "", "", b"")) == DEFAULT_BRANDING
    branding.change(ANA, BrandingChange("compacta"))
    assert branding.reset(ANA) == branding.find(ANA) == DEFAULT_BRANDING


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (BrandingChange(template="otra"), "No existe la plantilla «otra»"),
        (BrandingChange(color="rojo"), "#RRGGBB"),
        (BrandingChange(color="#ffffff"), "demasiado claro"),
        (BrandingChange(footer="x" * 301), "más de 300 caracteres"),
        (BrandingChange(logo=b"<svg xmlns='http://www.w3.org/2000/svg'/>"), "PNG o JPEG"),
        (BrandingChange(logo=red_png(30, 10)[:-12]), "dañada"),
    ],
)
def test_change_rejects_invalid_values(branding: BrandingService, change: BrandingChange, sentence: str) -> None:
    error = rejected(branding.change, ANA, change)
    assert error.code == "TB4005"
    assert sentence in str(error.detail)
    assert branding.find(ANA) == DEFAULT_BRANDING
