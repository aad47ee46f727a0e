"""The documents that violate the rules, by code."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.ecc12 import estado_de_cuenta
from timbra.rules.engine.rule import Fails

BASE = estado_de_cuenta
"""Builder of the document that the changes of `FAILS` concern."""
FAILS: Mapping[str, Fails] = {
    "ECC121": {
        "Complemento/EstadoDeCuentaCombustible/@SubTotal": "201.00",
        "Complemento/EstadoDeCuentaCombustible/@Total": "233.00",
    },
    "ECC122": {"Complemento/EstadoDeCuentaCombustible/@Total": "200.00"},
    "ECC123": {
        "Complemento/EstadoDeCuentaCombustible/Conceptos/ConceptoEstadoDeCuentaCombustible/@Rfc": "ZZZ010101AAA"
    },
    "ECC124": {"@TipoDeComprobante": "E"},
    "ECC999:TipoCombustible": {
        "Complemento/EstadoDeCuentaCombustible/Conceptos/ConceptoEstadoDeCuentaCombustible/@TipoCombustible": "9"
    },
}
