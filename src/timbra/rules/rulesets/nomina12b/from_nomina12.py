"""The rules that repeat those of Nómina 1.2 for CFDI 4.0: NOM135 to NOM138, NOM140 to NOM148, NOM151 to NOM229."""

from __future__ import annotations

from typing import Final

from timbra.examples.codes.nomina12 import plain, with_subsidy, worker
from timbra.examples.codes.nomina12b import with_balance_of_2021
from timbra.examples.codes.receipt import Receipt, ReceiptPair
from timbra.examples.comprobante import ROBOTICA
from timbra.rules.engine.rule_set import derived
from timbra.rules.rulesets import nomina12
from timbra.rules.rulesets.nomina12b.sources import MATRIX_B, REVISION_B
from timbra.rules.shared.nomina.otros_pagos import SUBSIDIES, is_within_daily_limit, is_within_monthly_limit

LIMITS: Final = SUBSIDIES[:1]
"""Limits of the subsidy of revision B, the last revision for CFDI 3.3."""
NOMINA = "Complemento/Nomina"
RECEPTOR = f"{NOMINA}/Receptor"
BALANCE = f"{NOMINA}/OtrosPagos/OtroPago/CompensacionSaldosAFavor"

RULES = derived(
    nomina12.RULE_SET,
    {
        "NOM135": "NOM5",
        "NOM136": "NOM6",
        "NOM137": "NOM8",
        "NOM138": "NOM9",
        "NOM140": "NOM14",
        "NOM141": "NOM15",
        "NOM142": "NOM16",
        "NOM143": "NOM17",
        "NOM144": "NOM18",
        "NOM145": "NOM19",
        "NOM146": "NOM20",
        "NOM147": "NOM21",
        "NOM148": "NOM22",
        "NOM151": "NOM31",
        "NOM152": "NOM32",
        "NOM153": "NOM33",
        "NOM154": "NOM34",
        "NOM155": "NOM35",
        "NOM156": "NOM36",
        "NOM157": "NOM37",
        "NOM158": "NOM38",
        "NOM159": "NOM39",
        "NOM160": "NOM40",
        "NOM161": "NOM41",
        "NOM162": "NOM42",
        "NOM163": "NOM43",
        "NOM164": "NOM44",
        "NOM165": "NOM45",
        "NOM166": "NOM46",
        "NOM167": "NOM47",
        "NOM168": "NOM48",
        "NOM169": "NOM49",
        "NOM170": "NOM50",
        "NOM171": "NOM51",
        "NOM172": "NOM52",
        "NOM173": "NOM53",
        "NOM174": "NOM54",
        "NOM175": "NOM55",
        "NOM176": "NOM56",
        "NOM177": "NOM57",
        "NOM178": "NOM58",
        "NOM179": "NOM59",
        "NOM180": "NOM60",
        "NOM181": "NOM61",
        "NOM182": "NOM62",
        "NOM183": "NOM63",
        "NOM184": "NOM64",
        "NOM185": "NOM65",
        "NOM186": "NOM66",
        "NOM187": "NOM67",
        "NOM188": "NOM68",
        "NOM189": "NOM69",
        "NOM190": "NOM70",
        "NOM191": "NOM71",
        "NOM192": "NOM72",
        "NOM193": "NOM73",
        "NOM194": "NOM74",
        "NOM195": "NOM75",
        "NOM196": "NOM76",
        "NOM197": "NOM77",
        "NOM198": "NOM78",
        "NOM199": "NOM79",
        "NOM200": "NOM80",
        "NOM201": "NOM81",
        "NOM202": "NOM82",
        "NOM203": "NOM83",
        "NOM204": "NOM84",
        "NOM205": "NOM85",
        "NOM206": "NOM86",
        "NOM207": "NOM87",
        "NOM208": "NOM88",
        "NOM209": "NOM89",
        "NOM210": "NOM90",
        "NOM211": "NOM91",
        "NOM212": "NOM92",
        "NOM213": "NOM93",
        "NOM214": "NOM94",
        "NOM215": "NOM95",
        "NOM216": "NOM96",
        "NOM217": "NOM97",
        "NOM218": "NOM98",
        "NOM219": "NOM99",
        "NOM220": "NOM100",
        "NOM221": "NOM101",
        "NOM222": "NOM102",
        "NOM223": "NOM103",
        "NOM224": "NOM104",
        "NOM225:TotalOtrasDeducciones": "NOM111:TotalOtrasDeducciones",
        "NOM225:TotalOtrosPagos": "NOM111:TotalOtrosPagos",
        "NOM226": "NOM105",
        "NOM227": "NOM106",
        "NOM228": "NOM107",
        "NOM229": "NOM108",
    },
    cites=MATRIX_B,
    changed={
        "NOM137": {"note": "", "inseparable": frozenset(), "fails": ReceiptPair(plain, Receipt(receiver=ROBOTICA))},
        "NOM138": {"inseparable": frozenset({"CFDI33132"}), "fails": {"Receptor/@Rfc": "AAAA800101AB1"}},
        "NOM151": {"note": "", "inseparable": frozenset({"CFDI33147"})},
        "NOM155": {"fails": {f"{NOMINA}/@FechaInicialPago": "2022-11-18"}},
        "NOM173": {
            "fails": plain.example(
                {f"{RECEPTOR}/@FechaInicioRelLaboral": "2022-11-18"},
                passes={f"{RECEPTOR}/@FechaInicioRelLaboral": "2022-11-17"},
            )
        },
        "NOM174": {
            "fails": worker.example({f"{RECEPTOR}/@Antigüedad": "P151W"}, passes={f"{RECEPTOR}/@Antigüedad": "P150W"})
        },
        "NOM175": {
            "fails": worker.example(
                {f"{RECEPTOR}/@Antigüedad": "P2Y10M15D"}, passes={f"{RECEPTOR}/@Antigüedad": "P2Y10M17D"}
            )
        },
        "NOM189": {"note": ""},
        "NOM195": {"note": "", "inseparable": frozenset()},
        "NOM209": {"note": ""},
        "NOM210": {"note": ""},
        "NOM218": {"fails": with_balance_of_2021.example({BALANCE: None})},
        "NOM221": {
            "predicate": is_within_monthly_limit(LIMITS),
            "fails": ReceiptPair(with_subsidy("0.00", "407.02"), with_subsidy("0.00", "407.03")),
        },
        "NOM222": {"fails": with_balance_of_2021.example({f"{BALANCE}/@RemanenteSalFav": "200.01"})},
        "NOM223": {"fails": with_balance_of_2021.example({f"{BALANCE}/@Año": "2022"})},
        "NOM226": {"since": REVISION_B},
        "NOM227": {"since": REVISION_B},
        "NOM228": {"since": REVISION_B},
        "NOM229": {
            "since": REVISION_B,
            "predicate": is_within_daily_limit(LIMITS),
            "fails": ReceiptPair(with_subsidy("0.00", "535.60", days="40"), with_subsidy("0.00", "535.61", days="40")),
        },
    },
)
