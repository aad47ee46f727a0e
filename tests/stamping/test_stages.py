"""An issuance permit stamps the document that was validated, and stamps it once."""

from __future__ import annotations

import asyncio
from typing import get_type_hints

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.examples import ingreso
from timbra.sandbox.build import sandbox_services
from timbra.seals.seal import seal
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampingOperation, StampRequest
from timbra.stamping.pipeline import check_document
from timbra.stamping.stages import IssuancePermit, Submission
from timbra.stamping.stamp_factory import finish_stamp, prepare_stamp


def permit_for(sandbox_app: SandboxApp, folio: str) -> IssuancePermit:
    dependencies = sandbox_app.container.get(stamping_services).checks
    request = StampRequest(sandbox_app.caller, ingreso({"@Folio": folio}, fecha=FECHA).encode(), folio)
    submission = Submission(request, StampingOperation.ISSUE, dependencies.reference_data())
    return asyncio.run(check_document(submission, dependencies, asyncio.to_thread))


@pytest.fixture
def issuer_app(sandbox_app: SandboxApp) -> SandboxApp:
    sandbox_app.store(sandbox_app.mint())
    return sandbox_app


def test_prepare_stamp_takes_the_document_from_the_permit(issuer_app: SandboxApp) -> None:
    first, second = permit_for(issuer_app, "A"), permit_for(issuer_app, "B")
    provider = issuer_app.container.get(sandbox_services).authority_ca.provider
    unsigned = prepare_stamp(first, provider)
    stamped = finish_stamp(unsigned, seal(provider.signer, unsigned.cadena))
    assert first.document is not second.document
    assert b' Folio="A"' in stamped.cfdi
    assert stamped.stamp.sello_cfd == first.document.root.get("Sello") != second.document.root.get("Sello")


def test_prepare_stamp_takes_nothing_but_a_permit() -> None:
    parameters = get_type_hints(prepare_stamp)
    assert parameters["permit"] is IssuancePermit
    assert set(parameters) == {"permit", "provider", "return"}


def test_permit_rejects_the_validation_of_another_document(issuer_app: SandboxApp) -> None:
    first, second = permit_for(issuer_app, "A"), permit_for(issuer_app, "B")
    with pytest.raises(ValueError, match="another document"):
        IssuancePermit(second.certified, first.validated)


def test_permit_is_used_once(issuer_app: SandboxApp) -> None:
    permit = permit_for(issuer_app, "A")
    provider = issuer_app.container.get(sandbox_services).authority_ca.provider
    prepare_stamp(permit, provider)
    with pytest.raises(RuntimeError, match="one signature"):
        prepare_stamp(permit, provider)
