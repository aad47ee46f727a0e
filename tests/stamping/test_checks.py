"""The order of checks: of two violations of neighbouring checks, the first one is reported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute, without_attribute

from timbra import examples
from timbra.examples import ingreso
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind
from timbra.web.framework.error_responses import envelope

OLD = "2026-11-10T11:00:00"
UUID_INSIDE = b"0b7a6a5c-3f56-4f6e-9df5-0e8a7d1f2c3b"
TFD = (
    '<cfdi:Complemento><tfd:TimbreFiscalDigital xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="1.1"'
    f' UUID="{UUID_INSIDE.decode()}"/></cfdi:Complemento></cfdi:Comprobante>'
)


@pytest.fixture
def other_installation(tmp_path: Path) -> Iterator[SandboxApp]:
    """Return a credential of another installation, whose authority is not trusted here."""
    sandbox_app = SandboxApp(tmp_path / "other", own_keys=True)
    yield sandbox_app
    sandbox_app.container.close()


def invoice(fecha: str = FECHA, **changes: str) -> str:
    return ingreso({name.replace("__", "/@"): value for name, value in changes.items()}, fecha=fecha)


def stamped_inside(text: str) -> str:
    return text.replace("</cfdi:Comprobante>", TFD)


def test_check_document_parses_before_it_checks_the_version(sandbox_app: SandboxApp) -> None:
    old_version = b'<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/3" Version="3.3">'
    rejection = sandbox_app.rejection(old_version)
    assert rejection.code == "301"
    assert "Premature end" in (rejection.detail or "")


def test_check_document_checks_version_before_stamp_inside(sandbox_app: SandboxApp) -> None:
    text = stamped_inside(invoice()).replace("http://www.sat.gob.mx/cfd/4", "http://www.sat.gob.mx/cfd/3")
    rejection = sandbox_app.rejection(text.replace('Version="4.0"', 'Version="3.3"').encode())
    assert rejection.code == "301"
    assert "CFDI 3.3" in (rejection.detail or "")


def test_check_document_rejects_stamp_inside_before_missing_csd(sandbox_app: SandboxApp) -> None:
    assert sandbox_app.rejection(stamped_inside(invoice()).encode(), issue=True).code == "307"


def test_check_document_rejects_stamp_inside_before_structure(sandbox_app: SandboxApp) -> None:
    assert sandbox_app.rejection(without_attribute(stamped_inside(invoice()).encode(), "Moneda")).code == "307"


def test_check_document_rejects_missing_csd_before_structure(sandbox_app: SandboxApp) -> None:
    broken = without_attribute(invoice().encode(), "Moneda")
    assert sandbox_app.rejection(broken, issue=True).code == "csd-missing"
    sandbox_app.store(sandbox_app.mint())
    assert sandbox_app.rejection(broken, issue=True).code == "301"


def test_check_document_rejects_structure_before_earlier_stamp(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(invoice(), sandbox_app.mint())
    sandbox_app.stamp(sealed)
    assert sandbox_app.rejection(without_attribute(sealed, "Moneda")).code == "301"


def test_check_document_rejects_stamped_seal_of_other_document_before_certificate(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(invoice(), sandbox_app.mint())
    unreadable = with_attribute(sealed, "Certificado", "no")
    assert sandbox_app.rejection(unreadable).code == "CFDI40106"
    sandbox_app.stamp(sealed)
    rejection = sandbox_app.rejection(unreadable)
    assert rejection.code == "CFDI40102"
    assert rejection.data is None


def test_check_document_returns_earlier_stamp_before_issuer_obligations(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(invoice(), sandbox_app.mint())
    first = sandbox_app.stamp(sealed)
    no_obligations(sandbox_app)
    rejection = sandbox_app.rejection(sealed)
    assert rejection.code == "307"
    assert rejection.data == first


def test_check_document_returns_earlier_stamp_before_certificate_revocation(sandbox_app: SandboxApp) -> None:
    credential = sandbox_app.mint()
    sealed = sandbox_app.sealed(invoice(), credential)
    first = sandbox_app.stamp(sealed)
    sandbox_app.container.get(sandbox_services).certificates.revoke(credential.number)
    sandbox_app.container.get(sandbox_services).registry.refresh()
    assert sandbox_app.rejection(sealed).data == first


@pytest.mark.parametrize("age", ["0d", "20d", "3650d"])
def test_check_document_returns_earlier_stamp_for_any_age_and_addenda(sandbox_app: SandboxApp, age: str) -> None:
    sealed = sandbox_app.sealed(invoice(), sandbox_app.mint())
    first = sandbox_app.stamp(sealed)
    sandbox_app.container.get(sandbox_services).clock_control.advance(age)
    for addenda in (b"", b"<cfdi:Addenda><x/></cfdi:Addenda>"):
        rejection = sandbox_app.rejection(sealed.replace(b"</cfdi:Comprobante>", addenda + b"</cfdi:Comprobante>"))
        assert rejection.code == "307"
        assert rejection.data == first


@pytest.mark.parametrize("age", ["0d", "20d"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Descripcion", "otra"),
        ("Fecha", OLD),
        ("NoCertificado", "1" * 20),
        ("LugarExpedicion", "00000"),
        ("Total", "9.00"),
    ],
)
def test_check_document_rejects_stamped_seal_when_document_changed(
    sandbox_app: SandboxApp, name: str, value: str, age: str
) -> None:
    sealed = sandbox_app.sealed(invoice(), sandbox_app.mint())
    sandbox_app.stamp(sealed)
    sandbox_app.container.get(sandbox_services).clock_control.advance(age)
    rejection = sandbox_app.rejection(with_attribute(sealed, name, value))
    assert rejection.code == "CFDI40102"
    assert rejection.data is None
    assert (rejection.detail or "").startswith("CadenaOriginal: ||4.0|")


def test_check_document_rejects_stamped_seal_when_certificate_changed(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(invoice(), sandbox_app.mint())
    sandbox_app.stamp(sealed)
    other = sandbox_app.sealed(invoice(), sandbox_app.mint())
    certificate = re.search(rb' Certificado="([^"]*)"', other)
    assert certificate is not None
    rejection = sandbox_app.rejection(with_attribute(sealed, "Certificado", certificate[1].decode()))
    assert (rejection.code, rejection.data) == ("CFDI40102", None)


def test_check_document_returns_stamp_inside_only_for_its_own_document(sandbox_app: SandboxApp) -> None:
    credential = sandbox_app.mint()
    first = sandbox_app.stamp(sandbox_app.sealed(invoice(), credential))
    stamped = first.cfdi.encode()
    assert sandbox_app.rejection(stamped).data == first
    edited = sandbox_app.rejection(with_attribute(stamped, "Descripcion", "otra"))
    assert (edited.code, edited.data) == ("307", None)
    another = sandbox_app.sealed(stamped_inside(invoice("2026-11-17T10:00:00")), credential)
    rejection = sandbox_app.rejection(another.replace(UUID_INSIDE, first.uuid.encode()))
    assert (rejection.code, rejection.data) == ("307", None)


def test_check_document_rejects_unreadable_certificate_before_unknown_authority(
    sandbox_app: SandboxApp, other_installation: SandboxApp
) -> None:
    foreign = sandbox_app.sealed(invoice(), other_installation.mint())
    assert sandbox_app.rejection(with_attribute(foreign, "NoCertificado", "1" * 20)).code == "CFDI40106"


def test_check_document_rejects_unknown_authority_before_other_holder(
    sandbox_app: SandboxApp, other_installation: SandboxApp
) -> None:
    foreign = sandbox_app.sealed(invoice(), other_installation.mint(examples.ROBOTICA.rfc))
    assert sandbox_app.rejection(foreign).code == "308"


def no_obligations(sandbox_app: SandboxApp) -> None:
    from timbra.sandbox.authority.taxpayers.models import TaxpayerChange

    sandbox_app.container.get(sandbox_services).registry.change(examples.KEMPER.rfc, TaxpayerChange(obligations=0))
    sandbox_app.container.get(sandbox_services).registry.refresh()


def test_check_document_rejects_other_holder_before_missing_obligations(sandbox_app: SandboxApp) -> None:
    no_obligations(sandbox_app)
    assert sandbox_app.rejection(sandbox_app.sealed(invoice(), sandbox_app.mint(examples.ROBOTICA.rfc))).code == "303"


def test_check_document_rejects_missing_obligations_before_unlisted_certificate(sandbox_app: SandboxApp) -> None:
    no_obligations(sandbox_app)
    assert (
        sandbox_app.rejection(sandbox_app.sealed(invoice(), sandbox_app.mint(kind=CertificateKind.EFIRMA))).code
        == "402"
    )


def test_check_document_rejects_efirma_as_305(sandbox_app: SandboxApp) -> None:
    rejection = sandbox_app.rejection(sandbox_app.sealed(invoice(), sandbox_app.mint(kind=CertificateKind.EFIRMA)))
    assert rejection.code == "305"
    assert "e.firma" in (rejection.detail or "")


def test_check_document_rejects_expired_certificate_before_revocation(sandbox_app: SandboxApp) -> None:
    expired = sandbox_app.mint(
        valid_from=sandbox_app.now - timedelta(days=9), valid_to=sandbox_app.now - timedelta(days=8)
    )
    sandbox_app.container.get(sandbox_services).certificates.revoke(expired.number)
    sandbox_app.container.get(sandbox_services).registry.refresh()
    rejection = sandbox_app.rejection(sandbox_app.sealed(invoice(), expired))
    assert rejection.code == "305"
    assert "no estaba vigente" in (rejection.detail or "")


def test_check_document_rejects_revoked_certificate_before_false_seal(sandbox_app: SandboxApp) -> None:
    credential = sandbox_app.mint()
    sealed = with_attribute(sandbox_app.sealed(invoice(), credential), "Folio", "otro")
    sandbox_app.container.get(sandbox_services).certificates.revoke(credential.number)
    sandbox_app.container.get(sandbox_services).registry.refresh()
    assert sandbox_app.rejection(sealed).code == "304"


def test_check_document_rejects_false_seal_before_time_window(sandbox_app: SandboxApp) -> None:
    sealed = sandbox_app.sealed(invoice(), sandbox_app.mint())
    rejection = sandbox_app.rejection(with_attribute(sealed, "Fecha", OLD))
    assert rejection.code == "CFDI40102"
    assert (rejection.detail or "").startswith("CadenaOriginal: ||4.0|")


def test_check_document_rejects_time_window_before_rules(sandbox_app: SandboxApp) -> None:
    wrong = invoice(OLD, Receptor__DomicilioFiscalReceptor="01000")
    assert sandbox_app.rejection(sandbox_app.sealed(wrong, sandbox_app.mint())).code == "401"


def test_check_document_evaluates_rules_last(sandbox_app: SandboxApp) -> None:
    wrong = invoice(Receptor__DomicilioFiscalReceptor="01000")
    rejection = sandbox_app.rejection(sandbox_app.sealed(wrong, sandbox_app.mint()))
    assert rejection.code == "CFDI40148"
    assert envelope(rejection)["message"] == (
        "CFDI40147 - DomicilioFiscalReceptor debe ser el código postal registrado para el RFC del receptor."
    )
    assert "Receptor/@DomicilioFiscalReceptor" in (rejection.detail or "")


@pytest.mark.parametrize(
    ("fecha", "stamped"),
    [
        ("2026-11-14T12:00:00", True),
        ("2026-11-14T11:59:59", False),
        ("2026-11-17T12:05:00", True),
        ("2026-11-17T12:05:01", False),
    ],
)
def test_time_window_is_72_hours_back_and_5_minutes_ahead(sandbox_app: SandboxApp, fecha: str, stamped: bool) -> None:
    sealed = sandbox_app.sealed(invoice(fecha), sandbox_app.mint())
    if stamped:
        assert sandbox_app.stamp(sealed).uuid
    else:
        assert sandbox_app.rejection(sealed).code == "401"


def test_time_window_uses_the_zone_of_lugar_expedicion(sandbox_app: SandboxApp) -> None:
    """Tijuana (22000) is two hours behind central Mexico in November."""
    ahead = invoice("2026-11-17T10:30:00").replace('LugarExpedicion="42501"', 'LugarExpedicion="22000"')
    assert sandbox_app.rejection(sandbox_app.sealed(ahead, sandbox_app.mint())).code == "401"
    fine = ahead.replace("2026-11-17T10:30:00", "2026-11-17T09:59:00")
    assert sandbox_app.stamp(sandbox_app.sealed(fine, sandbox_app.mint())).uuid
