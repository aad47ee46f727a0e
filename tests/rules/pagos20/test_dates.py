"""Rules of payments that changed by date, and rules on lists."""

from __future__ import annotations

import pytest
from tests.support.rules import checked, codes, unknown

from timbra.cfdi.nodes.pagos20 import DoctoRelacionado, Pago, Totales
from timbra.examples import ExampleNode, pago, tax
from timbra.examples.codes.example import at
from timbra.examples.codes.pagos20 import currency_in_pesos, two_currencies, with_taxes
from timbra.examples.pagos20 import document, payment

PAGO, DOCUMENT, TOTALS = Pago.PATH, DoctoRelacionado.PATH, Totales.PATH
IVA = tax("200.00", "002", "0.160000")
ISR = tax("200.00", "001", "0.100000")


def paid(*documents: ExampleNode, fecha: str) -> set[str]:
    return codes(pago(payments=[payment(list(documents))], fecha=fecha))


@pytest.mark.parametrize(("fecha", "rejected"), [("2023-12-11T12:00:00", set()), ("2023-12-12T12:00:00", {"CRP20247"})])
def test_crp20247_forbids_taxes_for_objects_04_and_05_since_december_2023(fecha: str, rejected: set[str]) -> None:
    for key in ("04", "05"):
        assert paid(document(changes={"@ObjetoImpDR": key}, traslados=[IVA]), fecha=fecha) == rejected
    for key in ("01", "03"):
        assert paid(document(changes={"@ObjetoImpDR": key}, traslados=[IVA]), fecha=fecha) == {"CRP20247"}


@pytest.mark.parametrize(("fecha", "rejected"), [("2024-12-12T12:00:00", set()), ("2024-12-13T12:00:00", {"CRP20278"})])
def test_crp20278_forbids_iva_for_objects_06_and_08_since_december_2024(fecha: str, rejected: set[str]) -> None:
    for key in ("06", "08"):
        assert paid(document(changes={"@ObjetoImpDR": key}, traslados=[IVA]), fecha=fecha) == rejected
        assert paid(document(changes={"@ObjetoImpDR": key}, retenciones=[ISR]), fecha=fecha) == set()


@pytest.mark.parametrize(
    ("traslados", "retenciones", "holds"),
    [
        ([tax("200.00", "003", "0.080000")], [], True),
        ([tax("200.00", "003", "0.080000")], [ISR], True),
        ([tax("200.00", "003", "0.080000"), IVA], [], False),
        ([], [ISR], False),
    ],
)
def test_crp20279_requires_ieps_without_iva_for_object_07(
    traslados: list[dict[str, str]], retenciones: list[dict[str, str]], holds: bool
) -> None:
    made = document(changes={"@ObjetoImpDR": "07"}, traslados=traslados, retenciones=retenciones)
    assert codes(pago(payments=[payment([made])])) == (set() if holds else {"CRP20279"})


@pytest.mark.parametrize(("fecha", "rejected"), [("2023-12-11T12:00:00", set()), ("2023-12-12T12:00:00", {"CRP20277"})])
def test_crp20277_requires_ten_decimals_since_revision_b(fecha: str, rejected: set[str]) -> None:
    other = document("100.00", currency="USD", equivalence="0.054054")
    assert paid(document(equivalence="1"), other, fecha=fecha) == rejected
    assert paid(document(equivalence="1.0000000000"), other, fecha=fecha) == set()


def test_crp20277_requires_ten_decimals_only_beside_other_currencies() -> None:
    assert codes(pago(payments=[payment([document(), document()])])) == set()
    assert codes(currency_in_pesos("USD")()) == set()
    assert codes(two_currencies()) == set()


def test_crp20222_is_not_evaluated_without_the_list() -> None:
    text = pago(at(PAGO, RfcEmisorCtaOrd="EKU9003173C9"))
    assert codes(text) == set()
    assert "CRP20222" in unknown(text, taxpayers=None)
    assert "CRP20222" not in unknown(pago(), taxpayers=None)
    assert "CRP20222" not in unknown(
        pago(at(PAGO, RfcEmisorCtaOrd="XEXX010101000", NomBancoOrdExt="BANK")), taxpayers=None
    )


def test_crp20222_has_the_hint_of_the_registry() -> None:
    (finding,) = checked(pago(at(PAGO, RfcEmisorCtaOrd="BBA830831LJ2")), registry_hint="Se registra así.").findings
    assert (finding.code, finding.hint) == ("CRP20222", "Se registra así.")


@pytest.mark.parametrize(
    ("account", "holds"), [("012345678901234567", True), ("1234567890", True), ("12345678901", False), ("", False)]
)
def test_crp20226_checks_accounts_by_form_of_payment(account: str, holds: bool) -> None:
    assert codes(pago(at(PAGO, CtaBeneficiario=account))) == (set() if holds else {"CRP20226"})


@pytest.mark.parametrize(
    ("written", "holds"), [("232.00", True), ("232.0", True), ("232", True), ("232.01", False), ("231.9", False)]
)
def test_crp20211_compares_at_the_written_decimals(written: str, holds: bool) -> None:
    assert codes(pago(at(TOTALS, MontoTotalPagos=written))) == (set() if holds else {"CRP20211"})


def test_crp20202_and_crp20208_forbid_totals_without_taxes() -> None:
    assert codes(pago(at(TOTALS, TotalRetencionesISR="0.00"))) == {"CRP20202"}
    assert codes(pago(at(TOTALS, TotalTrasladosBaseIVA0="0.00"))) == {"CRP20208"}


def test_crp20260_rejects_transferred_isr() -> None:
    assert codes(with_taxes([tax("200.00", "001", "0.100000")])()) == {"CRP20260", "CRP20272"}


def test_rates_are_compared_as_numbers() -> None:
    short = {**IVA, "TasaOCuota": "0.16"}
    transferred = f"{PAGO}/ImpuestosP/TrasladosP/TrasladoP/@TasaOCuotaP"
    assert codes(with_taxes([short])({transferred: "0.160000", **at(TOTALS, **_sixteen())})) == set()


def _sixteen() -> dict[str, str]:
    return {"TotalTrasladosBaseIVA16": "200.00", "TotalTrasladosImpuestoIVA16": "32.00"}


@pytest.mark.parametrize(
    ("text", "holds"), [("1", True), ("1.0000000000", True), ("1.1", False), ("0.9999999999", False)]
)
def test_crp20238_requires_one_for_the_currency_of_the_payment(text: str, holds: bool) -> None:
    assert codes(pago(at(DOCUMENT, EquivalenciaDR=text))) == (set() if holds else {"CRP20238"})
