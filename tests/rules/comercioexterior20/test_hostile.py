"""Rules of Comercio Exterior return results for every export that the schema accepts; they never raise."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from tests.support.rule_set_examples import RELATED
from tests.support.rules import checked

from timbra.examples import envio, exportacion
from timbra.examples.codes.comercioexterior20 import (
    CONCEPTO,
    DESTINATION,
    GOODS,
    HEAD,
    ISSUER,
    OWNER,
    RECEIVER,
    TEXAS,
    destination,
)
from timbra.examples.lists import PublishedRates
from timbra.examples.tree import Change, ExampleNode

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=40)
KEY = st.sampled_from(["MEX", "USA", "DEU", "99", "01", "02", "05", "9801000100", "A1", "E48", "T", "E", "MXN"])
AMOUNT = st.from_regex(r"[0-9]{1,16}(\.[0-9]{1,6})?", fullmatch=True)
ADDRESS = ("Colonia", "Localidad", "Municipio", "Estado", "Pais", "CodigoPostal")

TEXTS = [
    "@TipoDeComprobante",
    "@Moneda",
    "@Exportacion",
    "Receptor/@Rfc",
    "Receptor/@ResidenciaFiscal",
    f"{CONCEPTO}/@Unidad",
    f"{CONCEPTO}/@NoIdentificacion",
    f"{CONCEPTO}/@ClaveUnidad",
    *(f"{HEAD}/@{name}" for name in ("MotivoTraslado", "Incoterm", "ClaveDePedimento", "NumeroExportadorConfiable")),
    *(
        f"{place}/@{name}"
        for place in (ISSUER, f"{RECEIVER}/Domicilio", f"{DESTINATION}/Domicilio")
        for name in ADDRESS
    ),
    *(f"{place}/@NumRegIdTrib" for place in (OWNER, RECEIVER, DESTINATION)),
    f"{OWNER}/@ResidenciaFiscal",
    f"{GOODS}/@NoIdentificacion",
    f"{GOODS}/@FraccionArancelaria",
    f"{GOODS}/@UnidadAduana",
]
NUMBERS = [
    f"{HEAD}/@TipoCambioUSD",
    f"{HEAD}/@TotalUSD",
    f"{GOODS}/@CantidadAduana",
    f"{GOODS}/@ValorUnitarioAduana",
    f"{GOODS}/@ValorDolares",
    f"{CONCEPTO}/@Cantidad",
    f"{CONCEPTO}/@ValorUnitario",
    f"{CONCEPTO}/@Importe",
]
CHANGES = st.dictionaries(st.sampled_from(TEXTS), KEY | TEXT | st.none(), max_size=8)
AMOUNTS = st.dictionaries(st.sampled_from(NUMBERS), AMOUNT, max_size=6)


@given(st.sampled_from([exportacion, envio]), CHANGES, AMOUNTS)
def test_rules_return_findings_for_any_export(
    build: object, texts: dict[str, str | None], amounts: dict[str, str]
) -> None:
    whole: dict[str, Change] = {
        OWNER: ExampleNode("cce20:Propietario", {"NumRegIdTrib": "123456789", "ResidenciaFiscal": "USA"}),
        DESTINATION: destination(TEXAS),
    }
    rates = PublishedRates({"USD": Decimal("18.50")})
    text = build({**whole, **texts, **amounts})  # type: ignore[operator]
    for finding in checked(text, exchange_rates=rates, related=RELATED).findings:
        assert finding.detail
