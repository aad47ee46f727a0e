"""Rules of payments 2.0 return results for every payment that the schema accepts; they never raise."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.support.hostile_values import NUMBER, POSITIVE, TEXT
from tests.support.rules import checked

from timbra.cfdi.nodes.pagos20 import DoctoRelacionado, Pago, RetencionDR, RetencionP, Totales, TrasladoDR, TrasladoP
from timbra.examples import ExampleNode, tax
from timbra.examples.codes.pagos20 import with_taxes
from timbra.rules.engine.profiles import Profile
from timbra.rules.engine.result import Severity
from timbra.rules.rulesets.pagos20 import RULE_SET

EVERYTHING = Profile("everything", dict.fromkeys((rule.code for rule in RULE_SET.rules), Severity.ERROR))

TOTALS, PAGO, DOCUMENT = Totales.PATH, Pago.PATH, DoctoRelacionado.PATH
TRANSFERRED_DR, WITHHELD_DR = TrasladoDR.PATH, RetencionDR.PATH
TRANSFERRED_P, WITHHELD_P = TrasladoP.PATH, RetencionP.PATH

TEXTS = [
    "@TipoDeComprobante",
    "@Moneda",
    "Receptor/@UsoCFDI",
    "Conceptos/Concepto/@Descripcion",
    f"{PAGO}/@FormaDePagoP",
    f"{PAGO}/@MonedaP",
    f"{PAGO}/@FechaPago",
    f"{PAGO}/@RfcEmisorCtaOrd",
    f"{PAGO}/@CtaOrdenante",
    f"{PAGO}/@CtaBeneficiario",
    f"{PAGO}/@NomBancoOrdExt",
    f"{PAGO}/@TipoCadPago",
    f"{DOCUMENT}/@MonedaDR",
    f"{DOCUMENT}/@ObjetoImpDR",
    f"{TRANSFERRED_DR}/@ImpuestoDR",
    f"{TRANSFERRED_DR}/@TipoFactorDR",
    f"{WITHHELD_DR}/@ImpuestoDR",
    f"{WITHHELD_DR}/@TipoFactorDR",
    f"{TRANSFERRED_P}/@ImpuestoP",
    f"{TRANSFERRED_P}/@TipoFactorP",
    f"{WITHHELD_P}/@ImpuestoP",
]
NUMBERS = [
    f"{TOTALS}/@MontoTotalPagos",
    f"{TOTALS}/@TotalRetencionesISR",
    f"{TOTALS}/@TotalTrasladosBaseIVA16",
    f"{PAGO}/@Monto",
    f"{DOCUMENT}/@ImpSaldoAnt",
    f"{DOCUMENT}/@ImpPagado",
    f"{DOCUMENT}/@ImpSaldoInsoluto",
    f"{TRANSFERRED_DR}/@BaseDR",
    f"{TRANSFERRED_DR}/@TasaOCuotaDR",
    f"{TRANSFERRED_DR}/@ImporteDR",
    f"{WITHHELD_DR}/@BaseDR",
    f"{WITHHELD_DR}/@TasaOCuotaDR",
    f"{WITHHELD_DR}/@ImporteDR",
    f"{TRANSFERRED_P}/@BaseP",
    f"{TRANSFERRED_P}/@TasaOCuotaP",
    f"{TRANSFERRED_P}/@ImporteP",
    f"{WITHHELD_P}/@ImporteP",
]
DIVISORS = [f"{DOCUMENT}/@EquivalenciaDR", f"{PAGO}/@TipoCambioP"]

CHANGES = st.dictionaries(
    st.sampled_from(TEXTS), TEXT | st.sampled_from(["MXN", "USD", "JPY", "XXX", "02"]), max_size=5
)
AMOUNTS = st.dictionaries(st.sampled_from(NUMBERS), NUMBER, max_size=6)
FACTORS = st.dictionaries(st.sampled_from(DIVISORS), POSITIVE)


@given(CHANGES, AMOUNTS, FACTORS)
def test_rules_return_findings_for_any_payment(
    texts: dict[str, str], amounts: dict[str, str], factors: dict[str, str]
) -> None:
    build = with_taxes([tax("200.00", "002", "0.160000")], [tax("200.00", "001", "0.100000")])
    changes: dict[str, str | ExampleNode | None] = {**texts, **amounts, **factors}
    for finding in checked(build(changes), profile=EVERYTHING).findings:
        assert finding.detail
        assert finding.path
