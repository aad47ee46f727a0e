"""The provider's codes about certificate, seal and date, one refusal each, in their order."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.rules.seals.sealed import CADENA, NUMBER, certificate_text, listed_world, sealed
from tests.support.world import NOW

from timbra.errors import ServiceError
from timbra.examples import Change, Node
from timbra.rules import seals
from timbra.rules.finding import NotEvaluated
from timbra.rules.seals.context import SealContext
from timbra.service.order import AFTER_REPEATS

WRITTEN = datetime(2026, 11, 17, 18, 0, tzinfo=UTC)
"""The example's Fecha as an instant."""


ASKED = [seals.BOOK.rule(code) for step in AFTER_REPEATS for code in step.codes if code not in ("matrix", "AU2001")]
"""The checks of certificate, seal and date, as `service/order.py` has them."""


def refuse_first(context: SealContext) -> None:
    for rule in ASKED:
        seals.refuse(rule, context)


def refusal(context: SealContext) -> tuple[str, str]:
    with pytest.raises(ServiceError) as caught:
        refuse_first(context)
    return caught.value.code, caught.value.detail or ""


def test_a_good_document_passes() -> None:
    refuse_first(sealed())
    assert seals.examine(sealed(), seals.ISSUER["4.0"]).findings == ()


@pytest.mark.parametrize("text", ["", "no es base64", "MIID*", "MIIDabc"])
def test_what_is_no_base64_is_cfdi40106(text: str) -> None:
    code, detail = refusal(sealed({"@Certificado": text or "="}))
    assert (code, detail) == ("CFDI40106", "Comprobante.Certificado: No es un valor base64 valido.")


def test_what_is_no_certificate_is_cfdi40106() -> None:
    assert refusal(sealed({"@Certificado": "MIIB"}))[0] == "CFDI40106"
    assert refusal(sealed({"@Certificado": ""}))[0] == "CFDI40106"


def test_another_number_is_cfdi40106() -> None:
    code, detail = refusal(sealed({"@NoCertificado": "30001000000500003416"}))
    assert code == "CFDI40106"
    assert detail.startswith(f"@NoCertificado: se encontró «30001000000500003416»; se esperaba {NUMBER}.")


def test_an_unknown_authority_is_308() -> None:
    code, detail = refusal(sealed(certificate=certificate_text(issuer="AC desconocida")))
    assert code == "308"
    assert "AC desconocida" in detail
    assert refusal(sealed(certificate=certificate_text(issuer_key=1)))[0] == "308"


def test_a_certificate_of_somebody_else_is_303() -> None:
    code, detail = refusal(sealed(certificate=certificate_text(rfc="URE180429TM6 / VADA800927DJ3")))
    assert code == "303"
    assert "URE180429TM6" in detail


def test_sat_certifies_for_others_with_registro_fiscal() -> None:
    name = "registrofiscal:CFDIRegistroFiscal"
    mark = Node(name, {"xmlns:registrofiscal": "http://www.sat.gob.mx/registrofiscal"})
    changes: dict[str, Change] = {"Complemento": Node("cfdi:Complemento", children=[mark])}
    certificate = certificate_text(rfc="SAT970701NN3")
    refuse_first(sealed(changes, certificate=certificate))
    assert refusal(sealed(certificate=certificate))[0] == "303"


def test_a_provider_may_seal_for_the_acquirer() -> None:
    certificate = certificate_text(rfc="SPR190613I52", branch="PAC CFDI_PRUEBAS")
    refuse_first(sealed({"Emisor/@FacAtrAdquirente": "0000000001"}, certificate=certificate))
    assert refusal(sealed(certificate=certificate))[0] == "303"


def test_an_issuer_outside_the_list_is_402_with_the_hint() -> None:
    code, detail = refusal(sealed(world=listed_world(obligations=None, registry_hint="Regístrelo así.")))
    assert code == "402"
    assert detail.endswith("Regístrelo así.")


def test_an_issuer_without_obligations_is_402() -> None:
    code, detail = refusal(sealed(world=listed_world(obligations=0)))
    assert code == "402"
    assert "ValidezObligaciones 0" in detail


def test_a_certificate_outside_the_list_is_305() -> None:
    code, detail = refusal(sealed(world=listed_world(number="30001000000500000000")))
    assert code == "305"
    assert NUMBER in detail
    assert "LCO" in detail
    assert "e.firma" not in detail


def test_an_efirma_is_305_and_the_detail_says_so() -> None:
    usage = ("digital_signature", "content_commitment", "data_encipherment", "key_agreement")
    certificate = certificate_text(usage=usage, branch=None)
    code, detail = refusal(sealed(certificate=certificate, world=listed_world(number="30001000000500000000")))
    assert code == "305"
    assert "e.firma" in detail
    validated = seals.examine(sealed(certificate=certificate), seals.ISSUER["4.0"])
    assert [finding.code for finding in validated.findings] == ["306"]


def test_a_date_outside_the_certificate_is_305_and_the_detail_says_so() -> None:
    code, detail = refusal(sealed(certificate=certificate_text(valid_from=WRITTEN + timedelta(seconds=1))))
    assert code == "305"
    assert detail.startswith("@Fecha:")
    refuse_first(sealed(certificate=certificate_text(valid_from=WRITTEN)))


@pytest.mark.parametrize("status", ["R", "C"])
def test_a_certificate_that_is_not_active_is_304(status: str) -> None:
    assert refusal(sealed(world=listed_world(status)))[0] == "304"


def test_a_certificate_that_expired_since_serves_validation() -> None:
    context = sealed(world=listed_world("C"), stamping=False)
    assert seals.examine(context, seals.ISSUER["4.0"]).findings == ()
    revoked = seals.examine(sealed(world=listed_world("R"), stamping=False), seals.ISSUER["4.0"])
    assert [finding.code for finding in revoked.findings] == ["304"]


def test_another_text_is_cfdi40102_and_the_detail_shows_it() -> None:
    assert refusal(sealed(cadena=CADENA + " ")) == ("CFDI40102", f"CadenaOriginal: {CADENA} ")
    assert refusal(sealed({"@Sello": "AAAA"}))[0] == "CFDI40102"


def test_validation_names_a_bad_seal_by_both_codes() -> None:
    outcome = seals.examine(sealed(cadena="||otra||"), seals.ISSUER["4.0"])
    assert [finding.code for finding in outcome.findings] == ["CFDI40102", "302"]


@pytest.mark.parametrize(
    ("now", "passes"),
    [
        (WRITTEN + timedelta(hours=72), True),
        (WRITTEN + timedelta(hours=72, seconds=1), False),
        (WRITTEN - timedelta(minutes=5), True),
        (WRITTEN - timedelta(minutes=5, seconds=1), False),
    ],
)
def test_the_window_is_72_hours_back_and_5_minutes_ahead(now: datetime, passes: bool) -> None:
    context = sealed(world=listed_world(now=now))
    if passes:
        refuse_first(context)
    else:
        code, detail = refusal(context)
        assert code == "401"
        assert "LugarExpedicion 42501" in detail


@pytest.mark.parametrize(("place", "offset"), [("22000", 8), ("42501", 6), ("77500", 5)])
def test_the_window_goes_by_the_zone_of_the_place(place: str, offset: int) -> None:
    written = datetime(2026, 11, 17, 12 + offset, tzinfo=UTC)
    refuse_first(sealed({"@LugarExpedicion": place}, world=listed_world(now=written - timedelta(minutes=5))))
    late = sealed({"@LugarExpedicion": place}, world=listed_world(now=written + timedelta(hours=72, seconds=1)))
    assert refusal(late)[0] == "401"


def test_an_hour_that_the_clock_repeats_may_mean_either() -> None:
    """In Tijuana 01:30 of 2026-11-01 comes twice."""
    changes: dict[str, Change] = {"@LugarExpedicion": "22000", "@Fecha": "2026-11-01T01:30:00"}
    first = datetime(2026, 11, 1, 8, 30, tzinfo=UTC)
    for written in (first, first + timedelta(hours=1)):
        refuse_first(sealed(changes, world=listed_world(now=written)))


@pytest.mark.parametrize("fecha", ["2026-11-17", "2026-02-30T12:00:00", "", "x"])
def test_what_is_no_date_is_left_to_cfdi40101(fecha: str) -> None:
    refuse_first(sealed({"@Fecha": fecha}))


def test_no_list_is_told() -> None:
    context = replace(sealed(), world=replace(listed_world(), obligations=None))
    outcome = seals.examine(context, ASKED)
    assert outcome.findings == ()
    assert outcome.not_evaluated == tuple(NotEvaluated(code, "LCO", "sellos") for code in ("402", "305", "304"))


@pytest.mark.parametrize(
    ("earlier", "context"),
    [
        ("CFDI40106", {"changes": {"@NoCertificado": "1"}, "certificate": {"issuer": "otra"}}),
        ("308", {"certificate": {"issuer": "otra", "rfc": "URE180429TM6"}}),
        ("303", {"certificate": {"rfc": "URE180429TM6"}, "world": {"obligations": 0}}),
        ("402", {"world": {"obligations": 0, "number": "30001000000500000000"}}),
        ("305", {"world": {"number": "30001000000500000000"}, "cadena": "otra"}),
        ("304", {"world": {"status": "R"}, "cadena": "otra"}),
        ("CFDI40102", {"world": {"now": NOW + timedelta(days=4)}, "cadena": "otra"}),
    ],
)
def test_of_two_neighbours_the_first_answers(earlier: str, context: dict[str, dict[str, object]]) -> None:
    given = dict(context)
    certificate = certificate_text(**given.pop("certificate", {}))
    listed = listed_world(**given.pop("world", {}))  # type: ignore[arg-type]
    changes = given.pop("changes", {})
    assert refusal(sealed(changes, certificate=certificate, world=listed, **given))[0] == earlier  # type: ignore[arg-type]
