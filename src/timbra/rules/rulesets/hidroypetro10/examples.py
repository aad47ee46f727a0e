"""The documents that violate the rules, by code, and the tables that replace the data in force."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.codes.hidroypetro10 import PERMITS
from timbra.examples.hidroypetro10 import gasolina
from timbra.rules.engine.rule import Fails
from timbra.rules.engine.tables import Tables, tables

BASE = gasolina
"""Builder of the document that the changes of `FAILS` concern."""
FAILS: Mapping[str, Fails] = {
    "CCHYP107": {"Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@TipoPermiso": "PER03"},
    "CCHYP107:L_CNE": {"Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@NumeroPermiso": "PL/99999/EXP/ES/2015"},
    "CCHYP108": {"Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@NumeroPermiso": "PL/54321/EXP/ES/2015"},
    "CCHYP110": {"Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@SubProductoHYP": "SP16"},
    "CFDI40999:HYP-ClaveHYP": {
        "Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@ClaveHYP": "15101514",
        "Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@SubProductoHYP": "SP16",
    },
    "CFDI40999:HYP-ClaveHYP-L_CNE": {
        "Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@NumeroPermiso": "PL/11111/EXP/ES/2015"
    },
    "CFDI40999:HYP-NumeroPermiso": {
        "Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@NumeroPermiso": "PL/EXP/ES/2015"
    },
    "CFDI40999:HYP-TipoPermiso": {"Conceptos/Concepto/ComplementoConcepto/HidroYPetro/@TipoPermiso": "PER99"},
    "CFDI40999:HYP-unit": {"Conceptos/Concepto/@ClaveUnidad": "H87"},
}
FAILS_WITH: Mapping[str, Tables] = {
    "CCHYP107:L_CNE": tables(permits=PERMITS),
    "CCHYP108": tables(permits=PERMITS),
    "CFDI40999:HYP-ClaveHYP-L_CNE": tables(permits=PERMITS),
}
