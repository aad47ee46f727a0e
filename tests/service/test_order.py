"""The order of checks: of two faults that stand next to each other in the list, the first is told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.desk import FECHA, Desk, with_attribute, without_attribute

from timbra import examples
from timbra.examples import ingreso
from timbra.seals.certificate import Kind

OLD = "2026-11-10T11:00:00"
TFD = (
    '<cfdi:Complemento><tfd:TimbreFiscalDigital xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="1.1"'
    ' UUID="0b7a6a5c-3f56-4f6e-9df5-0e8a7d1f2c3b"/></cfdi:Complemento></cfdi:Comprobante>'
)


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[Desk]:
    """Another installation: its certificates have an authority that the first does not know."""
    desk = Desk(tmp_path / "stranger")
    yield desk
    desk.house.close()


def invoice(fecha: str = FECHA, **changes: str) -> str:
    return ingreso({name.replace("__", "/@"): value for name, value in changes.items()}, fecha=fecha)


def stamped_inside(text: str) -> str:
    return text.replace("</cfdi:Comprobante>", TFD)


def test_a_document_that_cannot_be_read_before_its_version(desk: Desk) -> None:
    old_version = b'<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/3" Version="3.3">'
    refusal = desk.refusal(old_version)
    assert refusal.code == "301"
    assert "Premature end" in (refusal.detail or "")


def test_the_version_before_a_stamp_inside(desk: Desk) -> None:
    text = stamped_inside(invoice()).replace("http://www.sat.gob.mx/cfd/4", "http://www.sat.gob.mx/cfd/3")
    refusal = desk.refusal(text.replace('Version="4.0"', 'Version="3.3"').encode())
    assert refusal.code == "301"
    assert "CFDI 3.3" in (refusal.detail or "")


def test_a_stamp_inside_before_the_missing_csd(desk: Desk) -> None:
    assert desk.refusal(stamped_inside(invoice()).encode(), issue=True).code == "307"


def test_a_stamp_inside_before_the_structure(desk: Desk) -> None:
    assert desk.refusal(without_attribute(stamped_inside(invoice()).encode(), "Moneda")).code == "307"


def test_the_missing_csd_before_the_structure(desk: Desk) -> None:
    broken = without_attribute(invoice().encode(), "Moneda")
    assert desk.refusal(broken, issue=True).code == "csd-missing"
    desk.store(desk.mint())
    assert desk.refusal(broken, issue=True).code == "301"


def test_the_structure_before_an_earlier_stamp(desk: Desk) -> None:
    sealed = desk.sealed(invoice(), desk.mint())
    desk.stamp(sealed)
    assert desk.refusal(without_attribute(sealed, "Moneda")).code == "301"


def test_an_earlier_stamp_before_the_certificate(desk: Desk) -> None:
    sealed = desk.sealed(invoice(), desk.mint())
    first = desk.stamp(sealed)
    refusal = desk.refusal(with_attribute(sealed, "Certificado", "no"))
    assert refusal.code == "307"
    assert refusal.data == first


def test_an_earlier_stamp_however_old_the_document_is(desk: Desk) -> None:
    sealed = desk.sealed(invoice(), desk.mint())
    desk.stamp(sealed)
    desk.house.clock_control.advance("20d")
    assert desk.refusal(sealed).code == "307"


def test_an_unreadable_certificate_before_an_unknown_authority(desk: Desk, stranger: Desk) -> None:
    foreign = desk.sealed(invoice(), stranger.mint())
    assert desk.refusal(with_attribute(foreign, "NoCertificado", "1" * 20)).code == "CFDI40106"


def test_an_unknown_authority_before_another_holder(desk: Desk, stranger: Desk) -> None:
    foreign = desk.sealed(invoice(), stranger.mint(examples.ROBOTICA.rfc))
    assert desk.refusal(foreign).code == "308"


def no_obligations(desk: Desk) -> None:
    from timbra.authority.sandbox.listing import Change

    desk.house.registry.change(examples.KEMPER.rfc, Change(obligations=0))
    desk.house.registry.refresh()


def test_another_holder_before_missing_obligations(desk: Desk) -> None:
    no_obligations(desk)
    assert desk.refusal(desk.sealed(invoice(), desk.mint(examples.ROBOTICA.rfc))).code == "303"


def test_missing_obligations_before_an_unlisted_certificate(desk: Desk) -> None:
    no_obligations(desk)
    assert desk.refusal(desk.sealed(invoice(), desk.mint(kind=Kind.EFIRMA))).code == "402"


def test_an_unlisted_certificate_is_305_and_says_that_it_is_an_efirma(desk: Desk) -> None:
    refusal = desk.refusal(desk.sealed(invoice(), desk.mint(kind=Kind.EFIRMA)))
    assert refusal.code == "305"
    assert "e.firma" in (refusal.detail or "")


def test_an_expired_certificate_before_its_revocation(desk: Desk) -> None:
    expired = desk.mint(valid_from=desk.now - timedelta(days=9), valid_to=desk.now - timedelta(days=8))
    desk.house.registry.revoke(expired.number)
    desk.house.registry.refresh()
    refusal = desk.refusal(desk.sealed(invoice(), expired))
    assert refusal.code == "305"
    assert "no estaba vigente" in (refusal.detail or "")


def test_a_revoked_certificate_before_a_false_seal(desk: Desk) -> None:
    credential = desk.mint()
    sealed = with_attribute(desk.sealed(invoice(), credential), "Folio", "otro")
    desk.house.registry.revoke(credential.number)
    desk.house.registry.refresh()
    assert desk.refusal(sealed).code == "304"


def test_a_false_seal_before_the_window(desk: Desk) -> None:
    sealed = desk.sealed(invoice(), desk.mint())
    refusal = desk.refusal(with_attribute(sealed, "Fecha", OLD))
    assert refusal.code == "CFDI40102"
    assert (refusal.detail or "").startswith("CadenaOriginal: ||4.0|")


def test_the_window_before_the_rules(desk: Desk) -> None:
    wrong = invoice(OLD, Receptor__DomicilioFiscalReceptor="01000")
    assert desk.refusal(desk.sealed(wrong, desk.mint())).code == "401"


def test_a_rule_is_told_last(desk: Desk) -> None:
    wrong = invoice(Receptor__DomicilioFiscalReceptor="01000")
    refusal = desk.refusal(desk.sealed(wrong, desk.mint()))
    assert refusal.code == "CFDI40147"
    assert "Receptor/@DomicilioFiscalReceptor" in (refusal.detail or "")


@pytest.mark.parametrize(
    ("fecha", "stamped"),
    [
        ("2026-11-14T12:00:00", True),
        ("2026-11-14T11:59:59", False),
        ("2026-11-17T12:05:00", True),
        ("2026-11-17T12:05:01", False),
    ],
)
def test_the_window_is_72_hours_back_and_5_minutes_ahead(desk: Desk, fecha: str, stamped: bool) -> None:
    sealed = desk.sealed(invoice(fecha), desk.mint())
    if stamped:
        assert desk.stamp(sealed).uuid
    else:
        assert desk.refusal(sealed).code == "401"


def test_the_window_follows_the_zone_of_the_place_of_issue(desk: Desk) -> None:
    """Tijuana (22000) is two hours behind central Mexico in November."""
    ahead = invoice("2026-11-17T10:30:00").replace('LugarExpedicion="42501"', 'LugarExpedicion="22000"')
    assert desk.refusal(desk.sealed(ahead, desk.mint())).code == "401"
    fine = ahead.replace("2026-11-17T10:30:00", "2026-11-17T09:59:00")
    assert desk.stamp(desk.sealed(fine, desk.mint())).uuid
