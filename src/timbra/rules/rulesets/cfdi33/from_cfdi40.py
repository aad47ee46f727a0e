"""The rules that repeat those of CFDI 4.0; their examples are documents of CFDI 3.3."""

from __future__ import annotations

from typing import Final

from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule_set import derived
from timbra.rules.rulesets import cfdi40
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01

CODES: Final = {
    "CFDI33104": "CFDI40104",
    "CFDI33106": "CFDI40107",
    "CFDI33107": "CFDI40108",
    "CFDI33108": "CFDI40109",
    "CFDI33109": "CFDI40110",
    "CFDI33111": "CFDI40112",
    "CFDI33112": "CFDI40113",
    "CFDI33114": "CFDI40115",
    "CFDI33115": "CFDI40116",
    "CFDI33117": "CFDI40118",
    "CFDI33119": "CFDI40120",
    "CFDI33120": "CFDI40121",
    "CFDI33121": "CFDI40124",
    "CFDI33123": "CFDI40125",
    "CFDI33125": "CFDI40126",
    "CFDI33126": "CFDI40127",
    "CFDI33127": "CFDI40128",
    "CFDI33128": "CFDI40129",
    "CFDI33129": "CFDI40137",
    "CFDI33130": "CFDI40140",
    "CFDI33131": "CFDI40141",
    "CFDI33132": "CFDI40143",
    "CFDI33133": "CFDI40150",
    "CFDI33134": "CFDI40151",
    "CFDI33135": "CFDI40152",
    "CFDI33136": "CFDI40153",
    "CFDI33137": "CFDI40154",
    "CFDI33138": "CFDI40155",
    "CFDI33139": "CFDI40156",
    "CFDI33140": "CFDI40160",
    "CFDI33142": "CFDI40162",
    "CFDI33143": "CFDI40163",
    "CFDI33144": "CFDI40164",
    "CFDI33145": "CFDI40165",
    "CFDI33147": "CFDI40166",
    "CFDI33149": "CFDI40167",
    "CFDI33150": "CFDI40168",
    "CFDI33151": "CFDI40169",
    "CFDI33152": "CFDI40173",
    "CFDI33154": "CFDI40174",
    "CFDI33156": "CFDI40176",
    "CFDI33157": "CFDI40177",
    "CFDI33158": "CFDI40178",
    "CFDI33161": "CFDI40180",
    "CFDI33163": "CFDI40181",
    "CFDI33165": "CFDI40183",
    "CFDI33166": "CFDI40184",
    "CFDI33169": "CFDI40186",
    "CFDI33170": "CFDI40194",
    "CFDI33171": "CFDI40195",
    "CFDI33172": "CFDI40196",
    "CFDI33174": "CFDI40197",
    "CFDI33176": "CFDI40198",
    "CFDI33177": "CFDI40199",
    "CFDI33178": "CFDI40200",
    "CFDI33179": "CFDI40201",
    "CFDI33180": "CFDI40202",
    "CFDI33182": "CFDI40204",
    "CFDI33184": "CFDI40206",
    "CFDI33185": "CFDI40207",
    "CFDI33186": "CFDI40208",
    "CFDI33187": "CFDI40209",
    "CFDI33191": "CFDI40217",
    "CFDI33192": "CFDI40218",
    "CFDI33196:IVA8-ClaveProdServ": "CFDI40999:IVA8-ClaveProdServ",
    "CFDI33196:IVA8-LugarExpedicion": "CFDI40999:IVA8-LugarExpedicion",
    "CFDI33196:IVA8-RFC": "CFDI40999:IVA8-RFC",
}
"""By code: the code in the other rule set."""
DERIVED = derived(
    cfdi40.RULE_SET.rules,
    CODES,
    cites=MATRIX_2022_01,
    changed={
        "CFDI33125": {
            "severity": Severity.WARNING,
            "note": "Se usan los códigos postales de CFDI 4.0, los únicos disponibles.",
        },
        "CFDI33132": {"note": "Con una lista de otra fecha que el comprobante, el error se informa como aviso."},
        "CFDI33142": {
            "severity": Severity.WARNING,
            "note": "Se usan los productos de CFDI 4.0, los únicos disponibles.",
        },
        "CFDI33143": {
            "severity": Severity.WARNING,
            "note": "Se usan los productos de CFDI 4.0; en su edición vigente ninguna clave exige un complemento: "
            "no se evalúa.",
        },
        "CFDI33144": {
            "severity": Severity.WARNING,
            "note": "Se usan los productos de CFDI 4.0, los únicos disponibles.",
        },
        "CFDI33172": {
            "severity": Severity.WARNING,
            "note": "Se usan los productos de CFDI 4.0, los únicos disponibles.",
        },
        "CFDI33179": {"note": "En Nómina, que el Anexo 20 también menciona, se informa NOM149."},
        "CFDI33196:IVA8-ClaveProdServ": {"severity": Severity.WARNING},
        "CFDI33196:IVA8-LugarExpedicion": {"severity": Severity.WARNING},
    },
)
