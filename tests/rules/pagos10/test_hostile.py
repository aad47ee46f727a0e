"""Rules of payments 1.0 return results for every payment that the schema accepts; they never raise."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.support.hostile_values import NUMBER, POSITIVE, TEXT
from tests.support.rules import checked

from timbra.cfdi.nodes.pagos10 import DoctoRelacionado, Pago
from timbra.examples import ExampleNode
from timbra.examples.codes.pagos10 import pesos_in_dollars
from timbra.rules.engine.profiles import Profile
from timbra.rules.engine.result import Severity
from timbra.rules.rulesets.pagos10 import RULE_SET

EVERYTHING = Profile("everything", dict.fromkeys((rule.code for rule in RULE_SET.rules), Severity.ERROR))

PAGO, DOCUMENT = Pago.PATH, DoctoRelacionado.PATH

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
    f"{DOCUMENT}/@MetodoDePagoDR",
]
NUMBERS = [f"{PAGO}/@Monto", *(f"{DOCUMENT}/@{name}" for name in ("ImpSaldoAnt", "ImpPagado", "ImpSaldoInsoluto"))]
DIVISORS = [f"{DOCUMENT}/@TipoCambioDR", f"{PAGO}/@TipoCambioP"]

CHANGES = st.dictionaries(
    st.sampled_from(TEXTS), TEXT | st.sampled_from(["MXN", "USD", "JPY", "XXX", "02"]), max_size=5
)
AMOUNTS = st.dictionaries(st.sampled_from(NUMBERS), NUMBER | st.none(), max_size=4)
FACTORS = st.dictionaries(st.sampled_from(DIVISORS), POSITIVE | st.none())


@given(CHANGES, AMOUNTS, FACTORS)
def test_rules_return_findings_for_any_payment(
    texts: dict[str, str], amounts: dict[str, str | None], factors: dict[str, str | None]
) -> None:
    changes: dict[str, str | ExampleNode | None] = {**texts, **amounts, **factors}
    for finding in checked(pesos_in_dollars(changes), profile=EVERYTHING).findings:
        assert finding.detail
        assert finding.path
