"""Rules return results for every structurally valid document; they never raise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.reference_data import registry
from tests.support.rule_set_examples import EXAMPLES
from tests.support.rules import checked

from timbra.examples import ingreso, ingreso33
from timbra.examples.codes.example import CodeExampleBuilder
from timbra.rules.engine.profiles import Profile
from timbra.rules.engine.result import Severity

EVERYTHING = Profile("everything", dict.fromkeys(EXAMPLES, Severity.ERROR))
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=40)
NUMBER = st.from_regex(r"[+-]?[0-9]{1,25}(\.[0-9]{0,90})?", fullmatch=True)
SMALL_NUMBER = st.from_regex(r"[0-9]{1,18}(\.[0-9]{1,6})?", fullmatch=True)

TEXTS = [
    "@Fecha",
    "@FormaPago",
    "@Moneda",
    "@TipoCambio",
    "@TipoDeComprobante",
    "@Exportacion",
    "@MetodoPago",
    "@LugarExpedicion",
    "@Confirmacion",
    "Emisor/@Rfc",
    "Emisor/@Nombre",
    "Emisor/@RegimenFiscal",
    "Receptor/@Rfc",
    "Receptor/@Nombre",
    "Receptor/@UsoCFDI",
    "Receptor/@DomicilioFiscalReceptor",
    "Receptor/@ResidenciaFiscal",
    "Receptor/@NumRegIdTrib",
    "Receptor/@RegimenFiscalReceptor",
    "Conceptos/Concepto/@ClaveProdServ",
    "Conceptos/Concepto/@ClaveUnidad",
    "Conceptos/Concepto/@ObjetoImp",
    "InformacionGlobal/@Periodicidad",
    "InformacionGlobal/@Meses",
    "InformacionGlobal/@Año",
    "CfdiRelacionados/@TipoRelacion",
    "Conceptos/Concepto/InformacionAduanera/@NumeroPedimento",
    "Conceptos/Concepto/ACuentaTerceros/@RfcACuentaTerceros",
    "Conceptos/Concepto/ACuentaTerceros/@NombreACuentaTerceros",
    "Impuestos/Traslados/Traslado/@Impuesto",
    "Impuestos/Traslados/Traslado/@TipoFactor",
]
NUMBERS = [
    "@SubTotal",
    "@Descuento",
    "@Total",
    "Conceptos/Concepto/@Descuento",
    "Impuestos/@TotalImpuestosTrasladados",
    "Impuestos/@TotalImpuestosRetenidos",
    "Impuestos/Traslados/Traslado/@Base",
    "Impuestos/Traslados/Traslado/@Importe",
    "Impuestos/Traslados/Traslado/@TasaOCuota",
    "Impuestos/Retenciones/Retencion/@Importe",
]
SMALL_NUMBERS = [
    "Conceptos/Concepto/@Cantidad",
    "Conceptos/Concepto/@ValorUnitario",
    "Conceptos/Concepto/@Importe",
    "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Base",
    "Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota",
    "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe",
]

CHANGES = st.dictionaries(st.sampled_from(TEXTS), TEXT, max_size=6)
AMOUNTS = st.dictionaries(st.sampled_from(NUMBERS), NUMBER, max_size=4)
SMALL_AMOUNTS = st.dictionaries(st.sampled_from(SMALL_NUMBERS), SMALL_NUMBER, max_size=4)


@pytest.mark.parametrize("builder", [ingreso, ingreso33])
@given(CHANGES, AMOUNTS, SMALL_AMOUNTS)
def test_rules_return_findings_for_any_document(
    builder: CodeExampleBuilder, texts: dict[str, str], amounts: dict[str, str], small: dict[str, str]
) -> None:
    outcome = checked(builder({**texts, **amounts, **small}), profile=EVERYTHING, names=registry())
    for finding in outcome.findings:
        assert finding.detail
        assert finding.path
