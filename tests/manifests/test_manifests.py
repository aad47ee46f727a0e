"""Manifests of issuers: their register, and stamping that requires them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError
from tests.support.events import list_events
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.examples import ingreso
from timbra.manifests.build import issuer_manifests
from timbra.settings import Settings

KEMPER = "EKU9003173C9"


def invoice(folio: str = "1") -> bytes:
    return ingreso({"@Folio": folio}, fecha=FECHA).encode()


def test_manifest_is_required_of_issuers_by_a_setting(tmp_path: Path) -> None:
    app = SandboxApp(tmp_path, manifests_required=True)
    app.store(app.mint())
    assert app.rejection(invoice(), issue=True).code == "AU2003"
    manifests = app.container.get(issuer_manifests)
    signed_at = app.container.wall.now() - timedelta(days=1)
    registered = manifests.register(KEMPER.lower(), signed_at, "manifiesto.pdf", b"%PDF-1.7 signed")
    assert app.issue(invoice()).uuid
    assert [found.digest for found in manifests.all()] == [registered.digest]
    assert manifests.remove(KEMPER)
    assert app.rejection(invoice("2"), issue=True).code == "AU2003"
    kinds = [event.kind for event in list_events(app.container.get(opened_database))]
    assert [kind for kind in kinds if kind.startswith("manifest.")] == ["manifest.registered", "manifest.removed"]
    app.container.close()


def test_manifest_that_cannot_be_looked_up_is_another_code(sandbox_app: SandboxApp) -> None:
    manifests = sandbox_app.container.get(issuer_manifests)

    def fail(issuer_rfc: str) -> bool:
        raise ServiceError("CO1000", "no database") from OperationalError("", {}, Exception())

    manifests._repository.has = fail  # type: ignore[method-assign]
    with pytest.raises(ServiceError) as caught:
        manifests.require(KEMPER)
    assert caught.value.code == "AU2005"


@pytest.mark.parametrize(
    ("rfc", "document", "days"),
    [("no rfc", b"x", -1), (KEMPER, b"", -1), (KEMPER, b"x", 1)],
    ids=["rfc", "empty", "future"],
)
def test_manifest_rejects_impossible_values(sandbox_app: SandboxApp, rfc: str, document: bytes, days: int) -> None:
    at = sandbox_app.container.wall.now() + timedelta(days=days)
    with pytest.raises(ServiceError) as caught:
        sandbox_app.container.get(issuer_manifests).register(rfc, at, "m.pdf", document)
    assert caught.value.code == "manifest-invalid"


def test_stamping_needs_no_manifest_by_default() -> None:
    assert Settings().manifests_required is False
