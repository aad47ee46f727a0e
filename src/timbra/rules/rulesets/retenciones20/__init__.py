"""The error matrix of the CFDI de retenciones e información de pagos 2.0."""

from __future__ import annotations

from timbra.cfdi.nodes.retenciones20 import Retenciones
from timbra.rules.engine.rule import NotImplementedRow
from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.retenciones20.sources import MATRIX_2025_04_09

RULE_SET = RuleSet(
    "retenciones20",
    "2025-04-09",
    discover_rules(__name__, cites=MATRIX_2025_04_09),
    standard="Retenciones e información de pagos 2.0",
    package=__name__,
    not_implemented=(
        NotImplementedRow(
            "Reten20114",
            "Receptor/Nacional/@RfcR",
            "El RFC genérico XAXX010101000 no se busca en la lista de RFC inscritos.",
            MATRIX_2025_04_09,
            "es la excepción de Reten20113, que la aplica",
        ),
        NotImplementedRow(
            "Reten20118",
            "Receptor/Nacional",
            "La matriz de 2025-04-09 no tiene este número.",
            MATRIX_2025_04_09,
            "la matriz vigente no trae el código",
        ),
        NotImplementedRow(
            "Reten20125",
            "Periodo/@Ejercicio",
            "Ejercicio debe ser una clave de c_Ejercicio.",
            MATRIX_2025_04_09,
            "la matriz vigente no trae el código; Reten20126 revisa la clave",
        ),
    ),
    versions=Retenciones.VERSIONS,
    root=Retenciones,
    messages={
        "T301": "La estructura del CFDI de retenciones es incorrecta.",
        "TB4023": "El complemento no es de retenciones e información de pagos.",
    },
    prefixes=("Reten",),
)
RULE_SETS = (RULE_SET,)
