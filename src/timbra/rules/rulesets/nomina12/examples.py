"""The documents that violate the rules, by code, and the tables that replace the data in force."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.codes.nomina12 import (
    SCHOOL_COMPLEMENT,
    coordinated_entity,
    deceased,
    invoice_amount,
    invoice_discount,
    misplaced,
    mixed_funds,
    plain,
    receipt_of,
    with_balance,
    with_incapacity,
    with_incapacity_deduction,
    with_isr,
    with_other_deduction,
    with_overtime,
    with_regime_03,
    with_retirement_installments,
    with_separation,
    with_single_retirement,
    with_subsidy,
    with_travel_expenses,
    without_employment,
    worker,
)
from timbra.examples.codes.receipt import Receipt, ReceiptPair
from timbra.examples.comprobante import CASAS, ROBOTICA, ExampleParty
from timbra.examples.lists import CoordinatedEntities
from timbra.examples.nomina12 import deduction, earned, nomina, other, overtime, payroll, shares, subsidy
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails
from timbra.rules.engine.tables import Tables, tables

BASE = nomina
"""Builder of the document that the changes of `FAILS` concern."""
FAILS: Mapping[str, Fails] = {
    "NOM1": {"@Moneda": "USD", "@TipoCambio": "18.50"},
    "NOM2": {"@TipoDeComprobante": "I", "@FormaPago": "03"},
    "NOM3": {"@Exportacion": "03"},
    "NOM4": {
        "InformacionGlobal/@Periodicidad": "01",
        "InformacionGlobal/@Meses": "11",
        "InformacionGlobal/@Año": "2026",
    },
    "NOM5": {"Complemento/Nomina/Emisor/@Curp": "XOJI740919MQTDMN02"},
    "NOM6": Receipt(payroll, issuer=CASAS).example(
        {}, passes={"Complemento/Nomina/Emisor/@Curp": "XOJI740919MQTDMN02"}
    ),
    "NOM7": {"Emisor/@FacAtrAdquirente": "0000000001"},
    "NOM8": ReceiptPair(
        plain, Receipt(payroll, receiver=ExampleParty(ROBOTICA.rfc, ROBOTICA.name, ROBOTICA.postal_code, "605"))
    ),
    "NOM9": {"Receptor/@Rfc": "AAAA800101AB1", "Receptor/@DomicilioFiscalReceptor": "42501"},
    "NOM11": ReceiptPair(deceased("605"), deceased("616")),
    "NOM12": {"Receptor/@UsoCFDI": "S01"},
    "NOM13": {
        "Conceptos/Concepto[2]": ExampleNode(
            "cfdi:Concepto",
            {
                "ClaveProdServ": "84111505",
                "Cantidad": "1",
                "ClaveUnidad": "ACT",
                "Descripcion": "Pago de nómina",
                "ValorUnitario": "200.00",
                "Importe": "200.00",
                "ObjetoImp": "01",
            },
        ),
        "@SubTotal": "400.00",
        "@Total": "400.00",
    },
    "NOM14": {"Conceptos/Concepto/@ClaveProdServ": "84111506"},
    "NOM15": {"Conceptos/Concepto/@NoIdentificacion": "1"},
    "NOM16": {"Conceptos/Concepto/@Cantidad": "1.0"},
    "NOM17": {"Conceptos/Concepto/@ClaveUnidad": "E48"},
    "NOM18": {"Conceptos/Concepto/@Unidad": "Actividad"},
    "NOM19": {"Conceptos/Concepto/@Descripcion": "Pago de quincena"},
    "NOM20": {"Conceptos/Concepto/@ValorUnitario": "210.00"},
    "NOM21": {"Conceptos/Concepto/@Importe": "210.00", "@SubTotal": "210.00", "@Total": "210.00"},
    "NOM22": {
        **invoice_discount("10.00", total="190.00"),
    },
    "NOM23": {"Conceptos/Concepto/@ObjetoImp": "03"},
    "NOM24": {
        "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Base": "200.00",
        "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Impuesto": "002",
        "Conceptos/Concepto/Impuestos/Traslados/Traslado/@TipoFactor": "Exento",
    },
    "NOM25": {
        "Conceptos/Concepto/ACuentaTerceros/@RfcACuentaTerceros": "CACX7605101P8",
        "Conceptos/Concepto/ACuentaTerceros/@NombreACuentaTerceros": "XOCHILT CASAS CHAVEZ",
        "Conceptos/Concepto/ACuentaTerceros/@RegimenFiscalACuentaTerceros": "612",
        "Conceptos/Concepto/ACuentaTerceros/@DomicilioFiscalACuentaTerceros": "36257",
    },
    "NOM26": {"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "26  48  3009  6000123"},
    "NOM27": {"Conceptos/Concepto/CuentaPredial/@Numero": "1"},
    "NOM28": SCHOOL_COMPLEMENT,
    "NOM29": {
        "Conceptos/Concepto/Parte/@ClaveProdServ": "01010101",
        "Conceptos/Concepto/Parte/@Cantidad": "1",
        "Conceptos/Concepto/Parte/@Descripcion": "Parte",
    },
    "NOM30": ReceiptPair(plain, misplaced()),
    "NOM31": {
        "Complemento/Nomina/Percepciones": None,
        "Complemento/Nomina/@TotalPercepciones": None,
        **invoice_amount("0"),
    },
    "NOM32": {"Complemento/Nomina/@TipoNomina": "X"},
    "NOM33": {"Complemento/Nomina/Receptor/@PeriodicidadPago": "99"},
    "NOM34": plain.example(
        {"Complemento/Nomina/@TipoNomina": "E"},
        passes={"Complemento/Nomina/@TipoNomina": "E", "Complemento/Nomina/Receptor/@PeriodicidadPago": "99"},
    ),
    "NOM35": {"Complemento/Nomina/@FechaInicialPago": "2026-11-18"},
    "NOM36": {"Complemento/Nomina/Percepciones": None},
    "NOM37": {
        "Complemento/Nomina/@TotalPercepciones": "210.00",
        **invoice_amount("210.00"),
    },
    "NOM38": {
        "Complemento/Nomina/@TotalDeducciones": "10.00",
        **invoice_discount("10.00", total="190.00"),
    },
    "NOM39": with_other_deduction.example(
        {
            "Complemento/Nomina/@TotalDeducciones": "30.00",
            **invoice_discount("30.00", total="170.00"),
        }
    ),
    "NOM40": with_travel_expenses.example(
        {
            "Complemento/Nomina/@TotalOtrosPagos": "60.00",
            **invoice_amount("260.00"),
        }
    ),
    "NOM41": plain.example(
        {"Complemento/Nomina/Emisor/@RfcPatronOrigen": "AAAA800101AB1"},
        passes={"Complemento/Nomina/Emisor/@RfcPatronOrigen": "URE180429TM6"},
    ),
    "NOM42": worker.example({"Complemento/Nomina/Emisor/@RegistroPatronal": None}),
    "NOM43": without_employment.example({}, passes={"Complemento/Nomina/Emisor/@RegistroPatronal": None}),
    "NOM44": worker.example({"Complemento/Nomina/Receptor/@NumSeguridadSocial": None}),
    "NOM45": coordinated_entity.example({"Complemento/Nomina/Emisor/EntidadSNCF": None}),
    "NOM46": {"Complemento/Nomina/Emisor/EntidadSNCF/@OrigenRecurso": "IP"},
    "NOM47": coordinated_entity.example({"Complemento/Nomina/Emisor/EntidadSNCF/@OrigenRecurso": "IX"}),
    "NOM48": mixed_funds.example({"Complemento/Nomina/Emisor/EntidadSNCF/@MontoRecursoPropio": None}),
    "NOM49": coordinated_entity.example({"Complemento/Nomina/Emisor/EntidadSNCF/@MontoRecursoPropio": "50.00"}),
    "NOM50": mixed_funds.example({"Complemento/Nomina/Emisor/EntidadSNCF/@MontoRecursoPropio": "200.00"}),
    "NOM51": {"Complemento/Nomina/Receptor/@TipoContrato": "98"},
    "NOM52": plain.example(
        {"Complemento/Nomina/Receptor/@TipoJornada": "50"}, passes={"Complemento/Nomina/Receptor/@TipoJornada": "01"}
    ),
    "NOM53": plain.example(
        {"Complemento/Nomina/Receptor/@FechaInicioRelLaboral": "2026-11-18"},
        passes={"Complemento/Nomina/Receptor/@FechaInicioRelLaboral": "2026-11-17"},
    ),
    "NOM54": worker.example(
        {"Complemento/Nomina/Receptor/@Antigüedad": "P360W"},
        passes={"Complemento/Nomina/Receptor/@Antigüedad": "P359W"},
    ),
    "NOM55": worker.example(
        {"Complemento/Nomina/Receptor/@Antigüedad": "P6Y10M15D"},
        passes={"Complemento/Nomina/Receptor/@Antigüedad": "P6Y10M17D"},
    ),
    "NOM56": {"Complemento/Nomina/Receptor/@TipoRegimen": "98"},
    "NOM57": with_regime_03.example({"Complemento/Nomina/Receptor/@TipoRegimen": "09"}),
    "NOM58": {"Complemento/Nomina/Receptor/@TipoRegimen": "03"},
    "NOM59": plain.example(
        {"Complemento/Nomina/Receptor/@RiesgoPuesto": "9"}, passes={"Complemento/Nomina/Receptor/@RiesgoPuesto": "1"}
    ),
    "NOM60": {"Complemento/Nomina/Receptor/@PeriodicidadPago": "50"},
    "NOM61": plain.example(
        {"Complemento/Nomina/Receptor/@CuentaBancaria": "1234567890", "Complemento/Nomina/Receptor/@Banco": "001"},
        passes={
            "Complemento/Nomina/Receptor/@CuentaBancaria": "1234567890",
            "Complemento/Nomina/Receptor/@Banco": "002",
        },
    ),
    "NOM62": plain.example(
        {"Complemento/Nomina/Receptor/@CuentaBancaria": "123456789012"},
        passes={"Complemento/Nomina/Receptor/@CuentaBancaria": "072320002084170154"},
    ),
    "NOM63": plain.example(
        {
            "Complemento/Nomina/Receptor/@CuentaBancaria": "072320002084170154",
            "Complemento/Nomina/Receptor/@Banco": "012",
        },
        passes={"Complemento/Nomina/Receptor/@CuentaBancaria": "072320002084170154"},
    ),
    "NOM64": plain.example(
        {"Complemento/Nomina/Receptor/@CuentaBancaria": "072320002084170155"},
        passes={"Complemento/Nomina/Receptor/@CuentaBancaria": "072320002084170154"},
    ),
    "NOM65": plain.example(
        {"Complemento/Nomina/Receptor/@CuentaBancaria": "1234567890"},
        passes={
            "Complemento/Nomina/Receptor/@CuentaBancaria": "1234567890",
            "Complemento/Nomina/Receptor/@Banco": "002",
        },
    ),
    "NOM66": {"Complemento/Nomina/Receptor/@ClaveEntFed": "TX"},
    "NOM67": plain.example(
        {
            "Complemento/Nomina/Receptor/SubContratacion/@RfcLabora": "AAAA800101AB1",
            "Complemento/Nomina/Receptor/SubContratacion/@PorcentajeTiempo": "100.000",
        },
        passes={
            "Complemento/Nomina/Receptor/SubContratacion/@RfcLabora": "URE180429TM6",
            "Complemento/Nomina/Receptor/SubContratacion/@PorcentajeTiempo": "100.000",
        },
    ),
    "NOM68": plain.example(
        {
            "Complemento/Nomina/Receptor/SubContratacion/@RfcLabora": "URE180429TM6",
            "Complemento/Nomina/Receptor/SubContratacion/@PorcentajeTiempo": "50.000",
        },
        passes={
            "Complemento/Nomina/Receptor/SubContratacion/@RfcLabora": "URE180429TM6",
            "Complemento/Nomina/Receptor/SubContratacion/@PorcentajeTiempo": "100.000",
        },
    ),
    "NOM69": {"Complemento/Nomina/Percepciones/@TotalGravado": "210.00"},
    "NOM70": {
        "Complemento/Nomina/Percepciones/@TotalSueldos": "210.00",
        "Complemento/Nomina/@TotalPercepciones": "210.00",
        **invoice_amount("210.00"),
    },
    "NOM71": with_separation.example(
        {
            "Complemento/Nomina/Percepciones/@TotalSeparacionIndemnizacion": "210.00",
            "Complemento/Nomina/@TotalPercepciones": "410.00",
            **invoice_amount("410.00"),
        }
    ),
    "NOM72": with_single_retirement.example(
        {
            "Complemento/Nomina/Percepciones/@TotalJubilacionPensionRetiro": "210.00",
            "Complemento/Nomina/@TotalPercepciones": "410.00",
            **invoice_amount("410.00"),
        }
    ),
    "NOM73": {"Complemento/Nomina/Percepciones/@TotalGravado": "190.00"},
    "NOM74": {"Complemento/Nomina/Percepciones/@TotalExento": "10.00"},
    "NOM75": ReceiptPair(receipt_of(earned("001"), earned("046")), receipt_of(earned("001"), earned("046", "0.00"))),
    "NOM76": {"Complemento/Nomina/Percepciones/Percepcion/@TipoPercepcion": "999"},
    "NOM77": with_separation.example(
        {
            "Complemento/Nomina/Percepciones/@TotalSueldos": None,
            "Complemento/Nomina/@TotalPercepciones": "200.00",
            **invoice_amount("200.00"),
        }
    ),
    "NOM78": with_separation.example({"Complemento/Nomina/Percepciones/SeparacionIndemnizacion": None}),
    "NOM79": with_single_retirement.example({"Complemento/Nomina/Percepciones/JubilacionPensionRetiro": None}),
    "NOM80": with_single_retirement.example(
        {"Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@TotalUnaExhibicion": None}
    ),
    "NOM81": with_retirement_installments.example(
        {"Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@TotalParcialidad": None}
    ),
    "NOM82": ReceiptPair(receipt_of(earned("045", "200.00", "0.00", shares())), receipt_of(earned("045"))),
    "NOM83": ReceiptPair(plain, receipt_of(earned("001", "200.00", "0.00", shares()))),
    "NOM84": ReceiptPair(receipt_of(earned("019", "200.00", "0.00", overtime())), receipt_of(earned("019"))),
    "NOM85": ReceiptPair(plain, receipt_of(earned("001", "200.00", "0.00", overtime()))),
    "NOM86": with_incapacity.example({"Complemento/Nomina/Incapacidades": None}),
    "NOM87": with_incapacity.example({"Complemento/Nomina/Incapacidades/Incapacidad/@ImporteMonetario": "100.00"}),
    "NOM88": with_overtime.example({"Complemento/Nomina/Percepciones/Percepcion/HorasExtra/@TipoHoras": "09"}),
    "NOM89": with_single_retirement.example(
        {"Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@MontoDiario": "10.00"}
    ),
    "NOM90": with_retirement_installments.example(
        {"Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@MontoDiario": None}
    ),
    "NOM91": with_isr.example(
        {
            "Complemento/Nomina/Deducciones/@TotalImpuestosRetenidos": "30.00",
            "Complemento/Nomina/@TotalDeducciones": "30.00",
            **invoice_discount("30.00", total="170.00"),
        }
    ),
    "NOM92": with_other_deduction.example({"Complemento/Nomina/Deducciones/@TotalImpuestosRetenidos": "0.00"}),
    "NOM93": with_other_deduction.example({"Complemento/Nomina/Deducciones/Deduccion/@TipoDeduccion": "999"}),
    "NOM94": with_incapacity_deduction.example({"Complemento/Nomina/Incapacidades": None}),
    "NOM95": with_incapacity_deduction.example(
        {"Complemento/Nomina/Incapacidades/Incapacidad/@ImporteMonetario": "10.00"}
    ),
    "NOM96": ReceiptPair(
        with_other_deduction, receipt_of(withheld=(deduction("004", "20.00"), deduction("001", "0.00")))
    ),
    "NOM97": with_travel_expenses.example({"Complemento/Nomina/OtrosPagos/OtroPago/@TipoOtroPago": "998"}),
    "NOM98": with_balance.example({"Complemento/Nomina/OtrosPagos/OtroPago/CompensacionSaldosAFavor": None}),
    "NOM99": worker.example({"Complemento/Nomina/OtrosPagos/OtroPago/SubsidioAlEmpleo": None}),
    "NOM100": ReceiptPair(with_travel_expenses, receipt_of(others=(other("003", "0.00"),))),
    "NOM101": ReceiptPair(with_subsidy("0.00", "628.00"), with_subsidy("0.00", "628.01")),
    "NOM102": with_balance.example(
        {"Complemento/Nomina/OtrosPagos/OtroPago/CompensacionSaldosAFavor/@RemanenteSalFav": "200.01"}
    ),
    "NOM103": with_balance.example({"Complemento/Nomina/OtrosPagos/OtroPago/CompensacionSaldosAFavor/@Año": "2026"}),
    "NOM104": with_incapacity.example({"Complemento/Nomina/Incapacidades/Incapacidad/@TipoIncapacidad": "09"}),
    "NOM105": worker.example({"Complemento/Nomina/OtrosPagos": None, "Complemento/Nomina/@TotalOtrosPagos": None}),
    "NOM106": ReceiptPair(plain, receipt_of(others=(other("002", "0.00", subsidy("0.00")),))),
    "NOM107": ReceiptPair(with_subsidy("10.00", "10.00"), with_subsidy("10.01", "10.00")),
    "NOM108": ReceiptPair(with_subsidy("0.00", "826.40", days="40"), with_subsidy("0.00", "826.41", days="40")),
    "NOM109": ReceiptPair(receipt_of(earned("056", "0.00", "200.00")), receipt_of(earned("038", "100.00", "100.00"))),
    "NOM110": ReceiptPair(
        receipt_of(earned("001"), earned("056", "0.00", "100.00")),
        receipt_of(earned("001"), earned("056", "0.00", "0.00")),
    ),
    "NOM111:TotalOtrasDeducciones": with_other_deduction.example(
        {
            "Complemento/Nomina/Deducciones/@TotalOtrasDeducciones": "30.00",
            "Complemento/Nomina/@TotalDeducciones": "30.00",
            **invoice_discount("30.00", total="170.00"),
        }
    ),
    "NOM111:TotalOtrosPagos": {
        "Complemento/Nomina/@TotalOtrosPagos": "10.00",
        **invoice_amount("210.00"),
    },
}
FAILS_WITH: Mapping[str, Tables] = {
    "NOM45": tables(coordinated=CoordinatedEntities(frozenset({ROBOTICA.rfc}))),
    "NOM46": tables(coordinated=CoordinatedEntities(frozenset({ROBOTICA.rfc}))),
}
