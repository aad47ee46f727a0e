"""Minimal valid CFDI de retenciones e información de pagos 2.0: the plain document, and one for each complement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from timbra.examples.comprobante import CASAS, FECHA, KEMPER, ExampleParty, public_at
from timbra.examples.tree import Change, ExampleNode, change

NAMESPACE = "http://www.sat.gob.mx/esquemas/retencionpago/2"
COMPLEMENTS_NAMESPACE = "http://www.sat.gob.mx/esquemas/retencionpago/1/"
SCHEMA = f"{NAMESPACE}/retencionpagov2.xsd"
EARLIER = "7c91d2be-4a07-4b61-9f0e-6a2b1c5d8e90"
CURP = "CACX760510MGTSHC04"
CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Withheld:
    """A tax that is withheld: key of c_Impuesto, base, amount, key of c_TipoPagoRet."""

    impuesto: str
    base: str
    monto: str
    pago: str

    def node(self) -> ExampleNode:
        """Return the element."""
        attributes = {"BaseRet": self.base, "ImpuestoRet": self.impuesto, "MontoRet": self.monto}
        return ExampleNode("retenciones:ImpRetenidos", attributes | {"TipoPagoRet": self.pago})


ISR = Withheld("001", "1000.00", "100.00", "04")


def retencion(
    changes: Mapping[str, Change] | None = None,
    *,
    fecha: str = FECHA,
    issuer: ExampleParty = KEMPER,
    receiver: ExampleParty | None = CASAS,
    key: str = "01",
    taxes: tuple[Withheld, ...] = (ISR,),
    extra: Mapping[str, Change] | None = None,
) -> str:
    """Return a retención of the month of `fecha`, unsealed.

    Args:
        changes: see `timbra.examples.tree.change`; applied last.
        fecha: FechaExp.
        issuer: the issuer.
        receiver: the receiver; None for one who resides abroad.
        key: CveRetenc.
        taxes: the taxes that are withheld.
        extra: changes of this kind of retención.
    """
    root = ExampleNode(
        "retenciones:Retenciones",
        {
            "xmlns:retenciones": NAMESPACE,
            "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "xsi:schemaLocation": f"{NAMESPACE} {SCHEMA}",
            "Version": "2.0",
            "FolioInt": "1",
            "Sello": "",
            "NoCertificado": "",
            "Certificado": "",
            "FechaExp": fecha,
            "LugarExpRetenc": issuer.postal_code,
            "CveRetenc": key,
        },
    )
    emisor = {"RfcE": issuer.rfc, "NomDenRazSocE": issuer.name, "RegimenFiscalE": issuer.regime}
    periodo = {"MesIni": fecha[5:7], "MesFin": fecha[5:7], "Ejercicio": fecha[:4]}
    amounts = {"MontoTotOperacion": "1000.00", "MontoTotGrav": "1000.00", "MontoTotExent": "0.00"}
    withheld = sum((Decimal(tax.monto) for tax in taxes), Decimal(0)).quantize(CENT)
    root.children += [
        ExampleNode("retenciones:Emisor", emisor),
        _receptor(receiver),
        ExampleNode("retenciones:Periodo", periodo),
        ExampleNode("retenciones:Totales", amounts | {"MontoTotRet": f"{withheld}"}, [tax.node() for tax in taxes]),
    ]
    change(root, {**(extra or {}), **(changes or {})})
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + root.write()


def _receptor(receiver: ExampleParty | None) -> ExampleNode:
    if receiver is None:
        child = ExampleNode("retenciones:Extranjero", {"NumRegIdTribR": "123456789", "NomDenRazSocR": "ACME INC"})
        return ExampleNode("retenciones:Receptor", {"NacionalidadR": "Extranjero"}, [child])
    attributes = {"RfcR": receiver.rfc, "NomDenRazSocR": receiver.name, "DomicilioFiscalR": receiver.postal_code}
    child = ExampleNode("retenciones:Nacional", attributes)
    return ExampleNode("retenciones:Receptor", {"NacionalidadR": "Nacional"}, [child])


def retencion_rif(changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA) -> str:
    """Return the information of payments to a taxpayer of the RIF: without amounts of the operation."""
    rif: dict[str, Change] = {
        "Totales/@MontoTotOperacion": "0.00",
        "Totales/@MontoTotGrav": "0.00",
        "Totales/@UtilidadBimestral": "500.00",
        "Totales/@ISRCorrespondiente": "50.00",
    }
    return retencion(changes, fecha=fecha, key="28", taxes=(), extra=rif)


def retencion_to_public(changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA) -> str:
    """Return a retención whose receiver has the generic RFC."""
    return retencion(changes, fecha=fecha, receiver=public_at(KEMPER.postal_code))


def related(tipo: str) -> ExampleNode:
    """Return CfdiRetenRelacionados with that TipoRelacion."""
    return ExampleNode("retenciones:CfdiRetenRelacionados", {"TipoRelacion": tipo, "UUID": EARLIER})


@dataclass(frozen=True, slots=True)
class RetencionComplement:
    """A complement of retenciones in its smallest form; calling it builds the retención that carries it.

    Attributes:
        name: name of the example document, after `retencion-`.
        namespace: below the namespace of the complements.
        file: name of the SAT's schema.
        version: version of the complement.
        key: CveRetenc that demands the complement.
        node: builds the complement for the FechaExp of the document.
        is_foreign: whether the receiver resides abroad.
        taxes: taxes that are withheld.
    """

    name: str
    namespace: str
    version: str
    key: str
    node: Callable[[str], ExampleNode]
    file: str = ""
    is_foreign: bool = False
    taxes: tuple[Withheld, ...] = field(default=(ISR,))

    def __call__(self, changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA) -> str:
        """Return the document as text, unsealed."""
        receiver = None if self.is_foreign else CASAS
        extra = self.changes(fecha)
        return retencion(changes, fecha=fecha, receiver=receiver, key=self.key, taxes=self.taxes, extra=extra)

    def changes(self, fecha: str) -> dict[str, Change]:
        """Return the changes that put the complement into a retención."""
        node = self.node(fecha)
        namespace = COMPLEMENTS_NAMESPACE + self.namespace
        location = f"{namespace}/{self.file or self.namespace}.xsd"
        return {
            f"@xmlns:{node.name.partition(':')[0]}": namespace,
            "@xsi:schemaLocation": f"{NAMESPACE} {SCHEMA} {namespace} {location}",
            "Complemento": ExampleNode("retenciones:Complemento", children=[node]),
        }

    @property
    def tag(self) -> str:
        """Qualified name of its element: `{namespace}local`."""
        return f"{{{COMPLEMENTS_NAMESPACE}{self.namespace}}}{self.node(FECHA).local}"


def _with_attributes(name: str, **attributes: str) -> Callable[[str], ExampleNode]:
    return lambda _fecha: ExampleNode(name, {"Version": "1.0", **attributes})


def _dividendos(_fecha: str) -> ExampleNode:
    amounts = {"MontISRAcredRetMexico": "100.00", "MontISRAcredRetExtranjero": "0.00"}
    row = {"CveTipDivOUtil": "01", **amounts, "TipoSocDistrDiv": "Sociedad Nacional"}
    return ExampleNode("dividendos:Dividendos", {"Version": "1.0"}, [ExampleNode("dividendos:DividOUtil", row)])


def _fideicomiso(_fecha: str) -> ExampleNode:
    prefix = "fideicomisonoempresarial"
    entries = {"MontTotEntradasPeriodo": "1000.00", "PartPropAcumDelFideicom": "1000.00", "PropDelMontTot": "1.0"}
    exits = {"MontTotEgresPeriodo": "0.00", "PartPropDelFideicom": "0.00", "PropDelMontTot": "0.0"}
    withheld = {"MontRetRelPagFideic": "100.00", "DescRetRelPagFideic": "ISR"}
    income = ExampleNode(f"{prefix}:IntegracIngresos", {"Concepto": "Rentas"})
    expense = ExampleNode(f"{prefix}:IntegracEgresos", {"ConceptoS": "Ninguno"})
    children = [
        ExampleNode(f"{prefix}:IngresosOEntradas", entries, [income]),
        ExampleNode(f"{prefix}:DeduccOSalidas", exits, [expense]),
        ExampleNode(f"{prefix}:RetEfectFideicomiso", withheld),
    ]
    return ExampleNode(f"{prefix}:Fideicomisonoempresarial", {"Version": "1.0"}, children)


def _pagos_a_extranjeros(_fecha: str) -> ExampleNode:
    payee = {"PaisDeResidParaEfecFisc": "US", "ConceptoPago": "3", "DescripcionConcepto": "Servicios"}
    child = ExampleNode("pagosaextranjeros:NoBeneficiario", payee)
    head = {"Version": "1.0", "EsBenefEfectDelCobro": "NO"}
    return ExampleNode("pagosaextranjeros:Pagosaextranjeros", head, [child])


def _planes_de_retiro(_fecha: str) -> ExampleNode:
    withdrawn = {
        "MontTotRetiradoAnioInmAntPer": "100.00",
        "MontTotExentRetiradoAnioInmAnt": "40.00",
        "MontTotExedenteAnioInmAnt": "60.00",
    }
    head = {
        "Version": "1.1",
        "SistemaFinanc": "SI",
        "MontIntRealesDevengAniooInmAnt": "10.00",
        "HuboRetirosAnioInmAntPer": "SI",
        **withdrawn,
        "HuboRetirosAnioInmAnt": "NO",
    }
    row = ExampleNode(
        "planesderetiro11:AportacionesODepositos", {"TipoAportacionODeposito": "a", "MontAportODep": "100.00"}
    )
    return ExampleNode("planesderetiro11:Planesderetiro", head, [row])


RETENCION_COMPLEMENTS: tuple[RetencionComplement, ...] = (
    RetencionComplement(
        "arrendamientoenfideicomiso",
        "arrendamientoenfideicomiso",
        "1.0",
        "17",
        _with_attributes(
            "arrendamientoenfideicomiso:Arrendamientoenfideicomiso",
            PagProvEfecPorFiduc="100.00",
            RendimFideicom="1000.00",
            DeduccCorresp="0.00",
        ),
    ),
    RetencionComplement("dividendos", "dividendos", "1.0", "14", _dividendos),
    RetencionComplement(
        "enajenaciondeacciones",
        "enajenaciondeacciones",
        "1.0",
        "06",
        _with_attributes(
            "enajenaciondeacciones:EnajenaciondeAcciones",
            ContratoIntermediacion="Contrato 1",
            Ganancia="1000.00",
            Perdida="0.00",
        ),
    ),
    RetencionComplement("fideicomisonoempresarial", "fideicomisonoempresarial", "1.0", "21", _fideicomiso),
    RetencionComplement(
        "intereses",
        "intereses",
        "1.0",
        "16",
        _with_attributes(
            "intereses:Intereses",
            SistFinanciero="SI",
            RetiroAORESRetInt="NO",
            OperFinancDerivad="NO",
            MontIntNominal="1000.00",
            MontIntReal="900.00",
            Perdida="0.00",
        ),
    ),
    RetencionComplement(
        "intereseshipotecarios",
        "intereseshipotecarios",
        "1.0",
        "23",
        _with_attributes(
            "intereseshipotecarios:Intereseshipotecarios", CreditoDeInstFinanc="SI", SaldoInsoluto="100000.00"
        ),
    ),
    RetencionComplement(
        "operacionesconderivados",
        "operacionesconderivados",
        "1.0",
        "24",
        _with_attributes("operacionesconderivados:Operacionesconderivados", MontGanAcum="1000.00", MontPerdDed="0.00"),
    ),
    RetencionComplement(
        "pagosaextranjeros",
        "pagosaextranjeros",
        "1.0",
        "18",
        _pagos_a_extranjeros,
        is_foreign=True,
        taxes=(Withheld("001", "1000.00", "250.00", "03"),),
    ),
    RetencionComplement("planesderetiro11", "planesderetiro11", "1.1", "22", _planes_de_retiro),
    RetencionComplement(
        "premios",
        "premios",
        "1.0",
        "20",
        _with_attributes(
            "premios:Premios",
            EntidadFederativa="09",
            MontTotPago="1000.00",
            MontTotPagoGrav="1000.00",
            MontTotPagoExent="0.00",
        ),
    ),
    RetencionComplement(
        "sectorfinanciero",
        "sectorfinanciero",
        "1.0",
        "27",
        _with_attributes("sectorfinanciero:SectorFinanciero", IdFideicom="F-1", DescripFideicom="Administración"),
    ),
)
"""The complements without services of platforms, which `timbra.examples.plataformas10` has."""

BY_NAME: Mapping[str, RetencionComplement] = {each.name: each for each in RETENCION_COMPLEMENTS}
planes_de_retiro = BY_NAME["planesderetiro11"]
pagos_a_extranjeros = BY_NAME["pagosaextranjeros"]
