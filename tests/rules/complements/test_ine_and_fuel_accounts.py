"""INE and fuel accounts, in invoices of both versions."""

from __future__ import annotations

import pytest
from tests.support.rules import checked, codes, unknown

from timbra.examples import Change, ExampleNode, estado_de_cuenta, ine
from timbra.examples.cfdi33 import ingreso33
from timbra.examples.codes.ecc12 import ACCOUNT, PURCHASE
from timbra.examples.codes.ine11 import INE, STATE, campaign, local, state, with_process
from timbra.examples.comprobante import ROBOTICA
from timbra.examples.ecc12 import account
from timbra.examples.ine11 import committee


def test_ine_is_evaluated_in_both_versions_of_the_invoice() -> None:
    assert codes(ine()) == codes(ingreso33(committee())) == set()
    (finding,) = checked(ingreso33({**committee(), f"{INE}/@TipoComite": None})).findings
    assert (finding.code, finding.path, finding.rule_set) == ("INE180", "Complemento/INE/@TipoComite", "ine11")


def test_fuel_accounts_are_evaluated_in_both_versions_of_the_invoice() -> None:
    assert codes(estado_de_cuenta()) == codes(ingreso33(account())) == set()
    wrong = {f"{ACCOUNT}/@Total": "1.00", f"{PURCHASE}/@TipoCombustible": "9"}
    assert codes(ingreso33({**account(), **wrong})) == {"ECC122", "ECC999"}


@pytest.mark.parametrize("process", ["Precampaña", "Campaña"])
def test_ine181_requires_the_scope_of_each_state(process: str) -> None:
    assert codes(ine(with_process(process, None))) == {"INE181"}
    (finding,) = checked(ine(with_process(process, None, local(), state("BCN")))).findings
    assert (finding.code, finding.path) == ("INE181", "Complemento/INE/Entidad[2]/@Ambito")


@pytest.mark.parametrize("committee", ["Ejecutivo Estatal", "Directivo Estatal"])
def test_ine186_forbids_the_scope_for_state_committees(committee: str) -> None:
    (finding,) = checked(ine(with_process("Ordinario", committee, state("BCN"), local()))).findings
    assert (finding.code, finding.path, finding.found) == ("INE186", "Complemento/INE/Entidad[2]/@Ambito", "Local")


def test_ine187_rejects_a_state_repeated_in_one_scope() -> None:
    assert codes(ine(campaign(state("BCN", "Local"), state("BCN", "Federal")))) == set()
    (finding,) = checked(ine(campaign(local(), state("BCN", "Local"), local()))).findings
    assert (finding.code, finding.path) == ("INE187", f"{STATE}[3]/@ClaveEntidad")


@pytest.mark.parametrize("key", ["NAC", "CR1", "CR5"])
def test_ine188_requires_the_federal_scope_for_national_keys(key: str) -> None:
    assert codes(ine(campaign(state(key, "Local")))) == {"INE188"}
    assert codes(ine(campaign(state(key, "Federal")))) == set()


def test_ecc_totals_sum_a_thousand_purchases() -> None:
    tax = {"Impuesto": "IVA", "TasaOCuota": "0.160000", "Importe": "0.02"}
    rows = [
        ExampleNode(
            "ecc12:ConceptoEstadoDeCuentaCombustible",
            {"Rfc": ROBOTICA.rfc, "TipoCombustible": "1", "Importe": "0.10"},
            [ExampleNode("ecc12:Traslados", children=[ExampleNode("ecc12:Traslado", dict(tax)) for _ in range(2)])],
        )
        for _ in range(1000)
    ]
    whole: dict[str, Change] = {
        f"{ACCOUNT}/Conceptos": ExampleNode("ecc12:Conceptos", children=rows),
        f"{ACCOUNT}/@SubTotal": "100.00",
        f"{ACCOUNT}/@Total": "140.00",
    }
    assert codes(estado_de_cuenta(whole)) == set()
    assert codes(estado_de_cuenta({**whole, f"{ACCOUNT}/@Total": "140.01"})) == {"ECC122"}


def test_ecc123_is_not_evaluated_without_the_list() -> None:
    unlisted = estado_de_cuenta({f"{PURCHASE}/@Rfc": "ZZZ010101AAA"})
    assert "ECC123" in codes(unlisted)
    assert "ECC123" not in codes(unlisted, obligations=None)
    assert "ECC123" in unknown(unlisted, obligations=None)
