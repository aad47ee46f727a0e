"""The provider's codes about certificate, seal and date, one rejection each, in their order."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.rules.certificates.sealed import CADENA, NUMBER, certificate_text, listed_reference_data, sealed
from tests.support.reference_data import NOW

from timbra.core.errors import ServiceError
from timbra.examples import Change, ExampleNode
from timbra.rules.engine.result import NotEvaluated
from timbra.rules.rulesets.certificates import RULE_SET
from timbra.rules.rulesets.certificates import evaluation as seals
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.stamping.checks import CERTIFICATE

WRITTEN = datetime(2026, 11, 17, 18, 0, tzinfo=UTC)
"""The example's Fecha as an instant."""


STAMPING_RULES = [RULE_SET.rule(code) for check in CERTIFICATE.checks for code in check.codes]
"""The checks of certificate, seal and date, in the order of `timbra.stamping.checks`."""


def reject_first(context: SealContext) -> None:
    for rule in STAMPING_RULES:
        seals.reject(rule, context)


def rejection(context: SealContext) -> tuple[str, str]:
    with pytest.raises(ServiceError) as caught:
        reject_first(context)
    return caught.value.code, caught.value.detail or ""


def test_reject_accepts_a_valid_document() -> None:
    reject_first(sealed())
    assert seals.examine(sealed(), seals.ISSUER["4.0"]).findings == ()


@pytest.mark.parametrize("text", ["", "no es base64", "MIID*", "MIIDabc"])
def test_cfdi40106_rejects_text_that_is_no_base64(text: str) -> None:
    code, detail = rejection(sealed({"@Certificado": text or "="}))
    assert (code, detail) == ("CFDI40106", "Comprobante.Certificado: No es un valor base64 valido.")


def test_cfdi40106_rejects_bytes_that_are_no_certificate() -> None:
    assert rejection(sealed({"@Certificado": "MIIB"}))[0] == "CFDI40106"
    assert rejection(sealed({"@Certificado": ""}))[0] == "CFDI40106"


def test_cfdi40106_rejects_another_certificate_number() -> None:
    code, detail = rejection(sealed({"@NoCertificado": "30001000000500003416"}))
    assert code == "CFDI40106"
    assert detail.startswith(f"@NoCertificado: se encontró «30001000000500003416»; se esperaba {NUMBER}.")


def test_code_308_rejects_an_unknown_authority() -> None:
    code, detail = rejection(sealed(certificate=certificate_text(issuer="AC desconocida")))
    assert code == "308"
    assert "AC desconocida" in detail
    assert rejection(sealed(certificate=certificate_text(issuer_key=1)))[0] == "308"


def test_code_303_rejects_a_certificate_of_another_rfc() -> None:
    code, detail = rejection(sealed(certificate=certificate_text(rfc="URE180429TM6 / VADA800927DJ3")))
    assert code == "303"
    assert "URE180429TM6" in detail


def test_code_303_accepts_the_sat_with_registro_fiscal() -> None:
    name = "registrofiscal:CFDIRegistroFiscal"
    mark = ExampleNode(name, {"xmlns:registrofiscal": "http://www.sat.gob.mx/registrofiscal"})
    changes: dict[str, Change] = {"Complemento": ExampleNode("cfdi:Complemento", children=[mark])}
    certificate = certificate_text(rfc="SAT970701NN3")
    reject_first(sealed(changes, certificate=certificate))
    assert rejection(sealed(certificate=certificate))[0] == "303"


def test_code_303_accepts_a_provider_that_seals_for_the_acquirer() -> None:
    certificate = certificate_text(rfc="SPR190613I52", branch="PAC CFDI_PRUEBAS")
    reject_first(sealed({"Emisor/@FacAtrAdquirente": "0000000001"}, certificate=certificate))
    assert rejection(sealed(certificate=certificate))[0] == "303"


def test_code_402_rejects_an_issuer_outside_the_list_with_the_hint() -> None:
    code, detail = rejection(
        sealed(reference_data=listed_reference_data(obligations=None, registry_hint="Regístrelo así."))
    )
    assert code == "402"
    assert detail.endswith("Regístrelo así.")


def test_code_402_rejects_an_issuer_without_obligations() -> None:
    code, detail = rejection(sealed(reference_data=listed_reference_data(obligations=0)))
    assert code == "402"
    assert "ValidezObligaciones 0" in detail


def test_code_305_rejects_a_certificate_outside_the_list() -> None:
    code, detail = rejection(sealed(reference_data=listed_reference_data(number="30001000000500000000")))
    assert code == "305"
    assert NUMBER in detail
    assert "LCO" in detail
    assert "e.firma" not in detail


def test_code_305_names_an_efirma() -> None:
    usage = ("digital_signature", "content_commitment", "data_encipherment", "key_agreement")
    certificate = certificate_text(usage=usage, branch=None)
    code, detail = rejection(
        sealed(certificate=certificate, reference_data=listed_reference_data(number="30001000000500000000"))
    )
    assert code == "305"
    assert "e.firma" in detail
    validated = seals.examine(sealed(certificate=certificate), seals.ISSUER["4.0"])
    assert [finding.code for finding in validated.findings] == ["306"]


def test_code_305_rejects_a_date_outside_the_validity() -> None:
    code, detail = rejection(sealed(certificate=certificate_text(valid_from=WRITTEN + timedelta(seconds=1))))
    assert code == "305"
    assert detail.startswith("@Fecha:")
    reject_first(sealed(certificate=certificate_text(valid_from=WRITTEN)))


@pytest.mark.parametrize(("place", "first"), [("22000", "T04:00:01"), ("42501", "T06:00:01"), ("77500", "T07:00:01")])
def test_code_305_states_the_validity_in_the_time_of_lugar_expedicion(place: str, first: str) -> None:
    certificate = certificate_text(valid_from=datetime(2026, 11, 20, 12, 0, 1, tzinfo=UTC))
    code, detail = rejection(sealed({"@LugarExpedicion": place}, certificate=certificate))
    assert code == "305"
    assert f"entre 2026-11-20{first} y " in detail
    assert f"hora de LugarExpedicion {place}" in detail


@pytest.mark.parametrize("status", ["R", "C"])
def test_code_304_rejects_a_certificate_that_is_not_active(status: str) -> None:
    assert rejection(sealed(reference_data=listed_reference_data(status)))[0] == "304"


def test_code_304_accepts_an_expired_certificate_for_validation() -> None:
    context = sealed(reference_data=listed_reference_data("C"), stamping=False)
    assert seals.examine(context, seals.ISSUER["4.0"]).findings == ()
    revoked = seals.examine(sealed(reference_data=listed_reference_data("R"), stamping=False), seals.ISSUER["4.0"])
    assert [finding.code for finding in revoked.findings] == ["304"]


def test_cfdi40102_shows_the_cadena_original() -> None:
    assert rejection(sealed(cadena=CADENA + " ")) == ("CFDI40102", f"CadenaOriginal: {CADENA} ")
    assert rejection(sealed({"@Sello": "AAAA"}))[0] == "CFDI40102"


def test_validation_reports_a_wrong_seal_by_both_codes() -> None:
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
def test_code_401_accepts_72_hours_back_and_5_minutes_ahead(now: datetime, passes: bool) -> None:
    context = sealed(reference_data=listed_reference_data(now=now))
    if passes:
        reject_first(context)
    else:
        code, detail = rejection(context)
        assert code == "401"
        assert "LugarExpedicion 42501" in detail


@pytest.mark.parametrize(("place", "offset"), [("22000", 8), ("42501", 6), ("77500", 5)])
def test_code_401_uses_the_zone_of_lugar_expedicion(place: str, offset: int) -> None:
    written = datetime(2026, 11, 17, 12 + offset, tzinfo=UTC)
    reject_first(
        sealed({"@LugarExpedicion": place}, reference_data=listed_reference_data(now=written - timedelta(minutes=5)))
    )
    late = sealed(
        {"@LugarExpedicion": place}, reference_data=listed_reference_data(now=written + timedelta(hours=72, seconds=1))
    )
    assert rejection(late)[0] == "401"


def test_code_401_accepts_both_instants_of_a_repeated_hour() -> None:
    """In Tijuana the clock shows 01:30 twice on 2026-11-01."""
    changes: dict[str, Change] = {"@LugarExpedicion": "22000", "@Fecha": "2026-11-01T01:30:00"}
    first = datetime(2026, 11, 1, 8, 30, tzinfo=UTC)
    for written in (first, first + timedelta(hours=1)):
        reject_first(sealed(changes, reference_data=listed_reference_data(now=written)))


@pytest.mark.parametrize("fecha", ["2026-11-17", "2026-02-30T12:00:00", "", "x"])
def test_rules_skip_text_that_is_no_date(fecha: str) -> None:
    reject_first(sealed({"@Fecha": fecha}))


def test_rules_on_the_lco_are_not_evaluated_without_it() -> None:
    context = replace(sealed(), reference_data=replace(listed_reference_data(), obligations=None))
    outcome = seals.examine(context, STAMPING_RULES)
    assert outcome.findings == ()
    assert outcome.not_evaluated == tuple(NotEvaluated(code, "LCO", "sellos") for code in ("402", "305", "304"))


@pytest.mark.parametrize(
    ("earlier", "context"),
    [
        ("CFDI40106", {"changes": {"@NoCertificado": "1"}, "certificate": {"issuer": "otra"}}),
        ("308", {"certificate": {"issuer": "otra", "rfc": "URE180429TM6"}}),
        ("303", {"certificate": {"rfc": "URE180429TM6"}, "reference_data": {"obligations": 0}}),
        ("402", {"reference_data": {"obligations": 0, "number": "30001000000500000000"}}),
        ("305", {"reference_data": {"number": "30001000000500000000"}, "cadena": "otra"}),
        ("304", {"reference_data": {"status": "R"}, "cadena": "otra"}),
        ("CFDI40102", {"reference_data": {"now": NOW + timedelta(days=4)}, "cadena": "otra"}),
    ],
)
def test_reject_reports_the_first_of_two_violations(earlier: str, context: dict[str, dict[str, object]]) -> None:
    arguments = dict(context)
    certificate = certificate_text(**arguments.pop("certificate", {}))
    listed = listed_reference_data(**arguments.pop("reference_data", {}))  # type: ignore[arg-type]
    changes = arguments.pop("changes", {})
    assert rejection(sealed(changes, certificate=certificate, reference_data=listed, **arguments))[0] == earlier  # type: ignore[arg-type]
