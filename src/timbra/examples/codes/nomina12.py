"""Examples of rules about Nómina 1.2: NOM1 to NOM111."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

from timbra.examples.codes.example import Example, at
from timbra.examples.codes.receipt import Demand, Receipt
from timbra.examples.comprobante import CASAS, FECHA, KEMPER, ROBOTICA, XODAR, ExampleParty, with_schema
from timbra.examples.nomina12 import (
    NAMESPACE,
    SCHEMA,
    balance,
    dated,
    deduction,
    earned,
    employed,
    incapacity,
    line,
    nomina,
    other,
    overtime,
    payroll,
    shares,
    subsidy,
)
from timbra.examples.tree import Change, ExampleNode

NOMINA = "Complemento/Nomina"
EMPLOYER = f"{NOMINA}/Emisor"
ENTITY = f"{EMPLOYER}/EntidadSNCF"
WORKER = f"{NOMINA}/Receptor"
EARNINGS = f"{NOMINA}/Percepciones"
EARNED = f"{EARNINGS}/Percepcion"
RETIREMENT = f"{EARNINGS}/JubilacionPensionRetiro"
DEDUCTIONS = f"{NOMINA}/Deducciones"
OTHERS = f"{NOMINA}/OtrosPagos"
CONCEPTO = "Conceptos/Concepto"

CURP = "XOJI740919MQTDMN02"
UNKNOWN = "AAAA800101AB1"
CLABE = "072320002084170154"
ACCOUNT = "1234567890"
IEDU = "http://www.sat.gob.mx/iedu"
IEDU_SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/iedu/iedu.xsd"
SCHOOL = ExampleNode(
    "iedu:instEducativas",
    {
        "version": "1.0",
        "nombreAlumno": "INGRID XODAR JIMENEZ",
        "CURP": CURP,
        "nivelEducativo": "Primaria",
        "autRVOE": "1",
    },
)
"""A complement of a Concepto."""


def paying(amount: str) -> dict[str, Change]:
    """The invoice of another amount."""
    return {**at(CONCEPTO, ValorUnitario=amount, Importe=amount), "@SubTotal": amount, "@Total": amount}


def withholding(amount: str, total: str) -> dict[str, Change]:
    """The invoice with another discount."""
    return {**at(CONCEPTO, Descuento=amount), "@Descuento": amount, "@Total": total}


def differ(receipt: Receipt, failing: Mapping[str, Change], passing: Mapping[str, Change] | None = None) -> Demand:
    """Two receipts that differ by changes."""
    return Demand(receipt.but(passing), receipt.but(failing))


def payrolls(failing: Mapping[str, Change], passing: Mapping[str, Change] | None = None) -> Demand:
    """Two receipts of somebody assimilated to wages that differ by changes."""
    return differ(plain, failing, passing)


def holding(
    *rows: ExampleNode, withheld: tuple[ExampleNode, ...] = (), others: tuple[ExampleNode, ...] = ()
) -> Receipt:
    """A receipt of somebody assimilated to wages, with these rows."""
    return Receipt(lambda: payroll(deepcopy(rows) or None, withheld=deepcopy(withheld), others=deepcopy(others)))


def rows(failing: Receipt, passing: Receipt | None = None) -> Demand:
    """Two receipts that differ by what they pay or withhold; the passing one is `plain` unless it is told."""
    return Demand(passing or plain, failing)


def subsidised(kind: str, amount: str, due: str | None, days: str = "1") -> Receipt:
    """A receipt of a worker with another payment, by default a subsidy."""

    def make() -> ExampleNode:
        children = () if due is None else (subsidy(due),)
        return employed(None, {"@NumDiasPagados": days}, others=[other(kind, amount, *children)])

    return Receipt(make)


def deceased(regime: str) -> Receipt:
    """A receipt of a worker who died."""
    return Receipt(receiver=ExampleParty("XAXX010101000", XODAR.name, KEMPER.postal_code, regime))


def misplaced() -> Receipt:
    """The complement inside the Concepto."""
    there = ExampleNode("cfdi:ComplementoConcepto", children=[dated(payroll(), FECHA[:10])])
    return Receipt(changes={"Complemento": None, f"{CONCEPTO}/ComplementoConcepto": there})


def subcontracted(rfc: str, share: str) -> dict[str, Change]:
    return at(f"{WORKER}/SubContratacion", RfcLabora=rfc, PorcentajeTiempo=share)


plain = Receipt()
worker = Receipt(employed)
entity = Receipt(lambda: payroll(changes={"Emisor/EntidadSNCF/@OrigenRecurso": "IP"}), issuer=ROBOTICA)
mixed = Receipt(
    lambda: payroll(
        changes={"Emisor/EntidadSNCF/@OrigenRecurso": "IM", "Emisor/EntidadSNCF/@MontoRecursoPropio": "50.00"}
    ),
    issuer=ROBOTICA,
)
separated = Receipt(lambda: payroll([earned("001"), earned("022")]))
retired = Receipt(lambda: payroll([earned("001"), earned("039")]))
pensioned = Receipt(lambda: payroll([earned("001"), earned("044")]))
insured = Receipt(lambda: payroll(withheld=[deduction("004", "20.00")]))
taxed = Receipt(lambda: payroll(withheld=[deduction("002", "20.00")]))
ill = Receipt(lambda: payroll([earned("014")], incapacities=[incapacity("200.00")]))
absent = Receipt(lambda: payroll(withheld=[deduction("006", "20.00")], incapacities=[incapacity("20.00")]))
refunded = Receipt(lambda: payroll(others=[other("004", "50.00", balance("2025"))]))
reimbursed = Receipt(lambda: payroll(others=[other("003", "50.00")]))
assimilated = Receipt(lambda: employed(None, at("Receptor", TipoContrato="99", TipoRegimen="09"), others=[]))
unionised = Receipt(lambda: employed(None, at("Receptor", TipoRegimen="03"), others=[]))

_COMPROBANTE: dict[str, Demand] = {
    "NOM1": payrolls({"@Moneda": "USD", "@TipoCambio": "18.50"}),
    "NOM2": payrolls({"@TipoDeComprobante": "I", "@FormaPago": "03"}),
    "NOM3": payrolls({"@Exportacion": "03"}),
    "NOM4": payrolls(at("InformacionGlobal", Periodicidad="01", Meses="11", Año="2026")),
    "NOM5": payrolls(at(EMPLOYER, Curp=CURP)),
    "NOM6": differ(Receipt(payroll, issuer=CASAS), {}, at(EMPLOYER, Curp=CURP)),
    "NOM7": payrolls(at("Emisor", FacAtrAdquirente="0000000001")),
    "NOM8": Demand(
        plain, Receipt(payroll, receiver=ExampleParty(ROBOTICA.rfc, ROBOTICA.name, ROBOTICA.postal_code, "605"))
    ),
    "NOM9": payrolls(at("Receptor", Rfc=UNKNOWN, DomicilioFiscalReceptor=KEMPER.postal_code)),
    "NOM11": Demand(deceased("605"), deceased("616")),
    "NOM12": payrolls(at("Receptor", UsoCFDI="S01")),
}

_CONCEPTO: dict[str, Demand] = {
    "NOM13": payrolls({f"{CONCEPTO}[2]": line([payroll()]), "@SubTotal": "400.00", "@Total": "400.00"}),
    "NOM14": payrolls(at(CONCEPTO, ClaveProdServ="84111506")),
    "NOM15": payrolls(at(CONCEPTO, NoIdentificacion="1")),
    "NOM16": payrolls(at(CONCEPTO, Cantidad="1.0")),
    "NOM17": payrolls(at(CONCEPTO, ClaveUnidad="E48")),
    "NOM18": payrolls(at(CONCEPTO, Unidad="Actividad")),
    "NOM19": payrolls(at(CONCEPTO, Descripcion="Pago de quincena")),
    "NOM20": payrolls(at(CONCEPTO, ValorUnitario="210.00")),
    "NOM21": payrolls({**at(CONCEPTO, Importe="210.00"), "@SubTotal": "210.00", "@Total": "210.00"}),
    "NOM22": payrolls(withholding("10.00", "190.00")),
    "NOM23": payrolls(at(CONCEPTO, ObjetoImp="03")),
    "NOM24": payrolls(
        at(f"{CONCEPTO}/Impuestos/Traslados/Traslado", Base="200.00", Impuesto="002", TipoFactor="Exento")
    ),
    "NOM25": payrolls(
        at(
            f"{CONCEPTO}/ACuentaTerceros",
            RfcACuentaTerceros=CASAS.rfc,
            NombreACuentaTerceros=CASAS.name,
            RegimenFiscalACuentaTerceros=CASAS.regime,
            DomicilioFiscalACuentaTerceros=CASAS.postal_code,
        )
    ),
    "NOM26": payrolls(at(f"{CONCEPTO}/InformacionAduanera", NumeroPedimento="26  48  3009  6000123")),
    "NOM27": payrolls(at(f"{CONCEPTO}/CuentaPredial", Numero="1")),
    "NOM28": payrolls(
        {
            "@xmlns:iedu": IEDU,
            "@xsi:schemaLocation": f"{with_schema(NAMESPACE, SCHEMA)} {IEDU} {IEDU_SCHEMA}",
            f"{CONCEPTO}/ComplementoConcepto": ExampleNode("cfdi:ComplementoConcepto", children=[SCHOOL]),
        }
    ),
    "NOM29": payrolls(at(f"{CONCEPTO}/Parte", ClaveProdServ="01010101", Cantidad="1", Descripcion="Parte")),
}

_NOMINA: dict[str, Demand] = {
    "NOM30": rows(misplaced()),
    "NOM31": payrolls({EARNINGS: None, **at(NOMINA, TotalPercepciones=None), **paying("0")}),
    "NOM32": payrolls(at(NOMINA, TipoNomina="X")),
    "NOM33": payrolls(at(WORKER, PeriodicidadPago="99")),
    "NOM34": payrolls(at(NOMINA, TipoNomina="E"), {**at(NOMINA, TipoNomina="E"), **at(WORKER, PeriodicidadPago="99")}),
    "NOM35": payrolls(at(NOMINA, FechaInicialPago="2026-11-18")),
    "NOM36": payrolls({EARNINGS: None}),
    "NOM37": payrolls({**at(NOMINA, TotalPercepciones="210.00"), **paying("210.00")}),
    "NOM38": payrolls({**at(NOMINA, TotalDeducciones="10.00"), **withholding("10.00", "190.00")}),
    "NOM39": differ(insured, {**at(NOMINA, TotalDeducciones="30.00"), **withholding("30.00", "170.00")}),
    "NOM40": differ(reimbursed, {**at(NOMINA, TotalOtrosPagos="60.00"), **paying("260.00")}),
    "NOM111:TotalOtrosPagos": payrolls({**at(NOMINA, TotalOtrosPagos="10.00"), **paying("210.00")}),
}

_EMISOR: dict[str, Demand] = {
    "NOM41": payrolls(at(EMPLOYER, RfcPatronOrigen=UNKNOWN), at(EMPLOYER, RfcPatronOrigen=ROBOTICA.rfc)),
    "NOM42": differ(worker, at(EMPLOYER, RegistroPatronal=None)),
    "NOM43": differ(assimilated, {}, at(EMPLOYER, RegistroPatronal=None)),
    "NOM44": differ(worker, at(WORKER, NumSeguridadSocial=None)),
    "NOM45": differ(entity, {ENTITY: None}),
    "NOM46": payrolls(at(ENTITY, OrigenRecurso="IP")),
    "NOM47": differ(entity, at(ENTITY, OrigenRecurso="IX")),
    "NOM48": differ(mixed, at(ENTITY, MontoRecursoPropio=None)),
    "NOM49": differ(entity, at(ENTITY, MontoRecursoPropio="50.00")),
    "NOM50": differ(mixed, at(ENTITY, MontoRecursoPropio="200.00")),
}

_RECEPTOR: dict[str, Demand] = {
    "NOM51": payrolls(at(WORKER, TipoContrato="98")),
    "NOM52": payrolls(at(WORKER, TipoJornada="50"), at(WORKER, TipoJornada="01")),
    "NOM53": payrolls(at(WORKER, FechaInicioRelLaboral="2026-11-18"), at(WORKER, FechaInicioRelLaboral="2026-11-17")),
    "NOM54": differ(worker, at(WORKER, Antigüedad="P360W"), at(WORKER, Antigüedad="P359W")),
    "NOM55": differ(worker, at(WORKER, Antigüedad="P6Y10M15D"), at(WORKER, Antigüedad="P6Y10M17D")),
    "NOM56": payrolls(at(WORKER, TipoRegimen="98")),
    "NOM57": differ(unionised, at(WORKER, TipoRegimen="09")),
    "NOM58": payrolls(at(WORKER, TipoRegimen="03")),
    "NOM59": payrolls(at(WORKER, RiesgoPuesto="9"), at(WORKER, RiesgoPuesto="1")),
    "NOM60": payrolls(at(WORKER, PeriodicidadPago="50")),
    "NOM61": payrolls(at(WORKER, CuentaBancaria=ACCOUNT, Banco="001"), at(WORKER, CuentaBancaria=ACCOUNT, Banco="002")),
    "NOM62": payrolls(at(WORKER, CuentaBancaria="123456789012"), at(WORKER, CuentaBancaria=CLABE)),
    "NOM63": payrolls(at(WORKER, CuentaBancaria=CLABE, Banco="012"), at(WORKER, CuentaBancaria=CLABE)),
    "NOM64": payrolls(at(WORKER, CuentaBancaria=f"{CLABE[:-1]}5"), at(WORKER, CuentaBancaria=CLABE)),
    "NOM65": payrolls(at(WORKER, CuentaBancaria=ACCOUNT), at(WORKER, CuentaBancaria=ACCOUNT, Banco="002")),
    "NOM66": payrolls(at(WORKER, ClaveEntFed="TX")),
    "NOM67": payrolls(subcontracted(UNKNOWN, "100.000"), subcontracted(ROBOTICA.rfc, "100.000")),
    "NOM68": payrolls(subcontracted(ROBOTICA.rfc, "50.000"), subcontracted(ROBOTICA.rfc, "100.000")),
}

_TOTALS: dict[str, Demand] = {
    "NOM69": payrolls(at(EARNINGS, TotalGravado="210.00")),
    "NOM70": payrolls(
        {**at(EARNINGS, TotalSueldos="210.00"), **at(NOMINA, TotalPercepciones="210.00"), **paying("210.00")}
    ),
    "NOM71": differ(
        separated,
        {
            **at(EARNINGS, TotalSeparacionIndemnizacion="210.00"),
            **at(NOMINA, TotalPercepciones="410.00"),
            **paying("410.00"),
        },
    ),
    "NOM72": differ(
        retired,
        {
            **at(EARNINGS, TotalJubilacionPensionRetiro="210.00"),
            **at(NOMINA, TotalPercepciones="410.00"),
            **paying("410.00"),
        },
    ),
    "NOM73": payrolls(at(EARNINGS, TotalGravado="190.00")),
    "NOM74": payrolls(at(EARNINGS, TotalExento="10.00")),
    "NOM77": differ(
        separated, {**at(EARNINGS, TotalSueldos=None), **at(NOMINA, TotalPercepciones="200.00"), **paying("200.00")}
    ),
    "NOM78": differ(separated, {f"{EARNINGS}/SeparacionIndemnizacion": None}),
    "NOM79": differ(retired, {RETIREMENT: None}),
    "NOM80": differ(retired, at(RETIREMENT, TotalUnaExhibicion=None)),
    "NOM81": differ(pensioned, at(RETIREMENT, TotalParcialidad=None)),
    "NOM89": differ(retired, at(RETIREMENT, MontoDiario="10.00")),
    "NOM90": differ(pensioned, at(RETIREMENT, MontoDiario=None)),
}

_EARNED: dict[str, Demand] = {
    "NOM75": rows(holding(earned("001"), earned("046", "0.00")), holding(earned("001"), earned("046"))),
    "NOM76": payrolls(at(EARNED, TipoPercepcion="999")),
    "NOM82": rows(holding(earned("045")), holding(earned("045", "200.00", "0.00", shares()))),
    "NOM83": rows(holding(earned("001", "200.00", "0.00", shares()))),
    "NOM84": rows(holding(earned("019")), holding(earned("019", "200.00", "0.00", overtime()))),
    "NOM85": rows(holding(earned("001", "200.00", "0.00", overtime()))),
    "NOM86": differ(ill, {f"{NOMINA}/Incapacidades": None}),
    "NOM87": differ(ill, at(f"{NOMINA}/Incapacidades/Incapacidad", ImporteMonetario="100.00")),
    "NOM88": differ(
        Receipt(lambda: payroll([earned("019", "200.00", "0.00", overtime())])),
        at(f"{EARNED}/HorasExtra", TipoHoras="09"),
    ),
    "NOM109": rows(holding(earned("038", "100.00", "100.00")), holding(earned("056", "0.00", "200.00"))),
    "NOM110": rows(
        holding(earned("001"), earned("056", "0.00", "0.00")),
        holding(earned("001"), earned("056", "0.00", "100.00")),
    ),
}

_DEDUCTIONS: dict[str, Demand] = {
    "NOM91": differ(
        taxed,
        {
            **at(DEDUCTIONS, TotalImpuestosRetenidos="30.00"),
            **at(NOMINA, TotalDeducciones="30.00"),
            **withholding("30.00", "170.00"),
        },
    ),
    "NOM92": differ(insured, at(DEDUCTIONS, TotalImpuestosRetenidos="0.00")),
    "NOM93": differ(insured, at(f"{DEDUCTIONS}/Deduccion", TipoDeduccion="999")),
    "NOM94": differ(absent, {f"{NOMINA}/Incapacidades": None}),
    "NOM95": differ(absent, at(f"{NOMINA}/Incapacidades/Incapacidad", ImporteMonetario="10.00")),
    "NOM96": rows(holding(withheld=(deduction("004", "20.00"), deduction("001", "0.00"))), insured),
    "NOM111:TotalOtrasDeducciones": differ(
        insured,
        {
            **at(DEDUCTIONS, TotalOtrasDeducciones="30.00"),
            **at(NOMINA, TotalDeducciones="30.00"),
            **withholding("30.00", "170.00"),
        },
    ),
}

_OTHERS: dict[str, Demand] = {
    "NOM97": differ(reimbursed, at(f"{OTHERS}/OtroPago", TipoOtroPago="998")),
    "NOM98": differ(refunded, {f"{OTHERS}/OtroPago/CompensacionSaldosAFavor": None}),
    "NOM99": differ(worker, {f"{OTHERS}/OtroPago/SubsidioAlEmpleo": None}),
    "NOM100": rows(holding(others=(other("003", "0.00"),)), reimbursed),
    "NOM101": rows(subsidised("002", "0.00", "628.01"), subsidised("002", "0.00", "628.00")),
    "NOM102": differ(refunded, at(f"{OTHERS}/OtroPago/CompensacionSaldosAFavor", RemanenteSalFav="200.01")),
    "NOM103": differ(refunded, at(f"{OTHERS}/OtroPago/CompensacionSaldosAFavor", Año="2026")),
    "NOM104": differ(ill, at(f"{NOMINA}/Incapacidades/Incapacidad", TipoIncapacidad="09")),
    "NOM105": differ(worker, {OTHERS: None, **at(NOMINA, TotalOtrosPagos=None)}),
    "NOM106": rows(holding(others=(other("002", "0.00", subsidy("0.00")),))),
    "NOM107": rows(subsidised("002", "10.01", "10.00"), subsidised("002", "10.00", "10.00")),
    "NOM108": rows(subsidised("002", "0.00", "826.41", "40"), subsidised("002", "0.00", "826.40", "40")),
}

DEMANDS: dict[str, Demand] = {
    **_COMPROBANTE,
    **_CONCEPTO,
    **_NOMINA,
    **_EMISOR,
    **_RECEPTOR,
    **_TOTALS,
    **_EARNED,
    **_DEDUCTIONS,
    **_OTHERS,
}
"""By the number of revision E; revision B, for CFDI 3.3, has most of them under another."""

NOMINA12: dict[str, Example] = {code: demand.example(nomina) for code, demand in DEMANDS.items()}
