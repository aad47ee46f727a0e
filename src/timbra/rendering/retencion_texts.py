"""Spanish texts of the complements of retenciones: their elements, their attributes, and the keys of catalogs."""

from __future__ import annotations

from timbra.catalogs.labels import CatalogLabels
from timbra.rendering.branches import BranchTexts
from timbra.rendering.parts import named_key
from timbra.rendering.texts import amount
from timbra.rendering.view import Field

RETENCIONES = "retenciones20"
PLATFORMS = "plataformastecnologicas10"
PLANS = "planesderetiro11"

ELEMENTS = {
    "Arrendamientoenfideicomiso": "Arrendamiento en fideicomiso",
    "Dividendos": "Dividendos",
    "DividOUtil": "Dividendo o utilidad",
    "Remanente": "Remanente",
    "EnajenaciondeAcciones": "Enajenación de acciones",
    "Fideicomisonoempresarial": "Fideicomiso no empresarial",
    "IngresosOEntradas": "Ingresos o entradas",
    "IntegracIngresos": "Integración de los ingresos",
    "DeduccOSalidas": "Deducciones o salidas",
    "IntegracEgresos": "Integración de los egresos",
    "RetEfectFideicomiso": "Retenciones que efectuó el fideicomiso",
    "Intereses": "Intereses",
    "Intereseshipotecarios": "Intereses hipotecarios",
    "Operacionesconderivados": "Operaciones con derivados",
    "Pagosaextranjeros": "Pagos a extranjeros",
    "NoBeneficiario": "No beneficiario",
    "Beneficiario": "Beneficiario",
    "Planesderetiro": "Planes de retiro",
    "AportacionesODepositos": "Aportaciones o depósitos",
    "ServiciosPlataformasTecnologicas": "Servicios de plataformas tecnológicas",
    "Servicios": "Servicios",
    "DetallesDelServicio": "Servicio",
    "ImpuestosTrasladadosdelServicio": "Impuesto trasladado del servicio",
    "ContribucionGubernamental": "Contribución gubernamental",
    "ComisionDelServicio": "Comisión del servicio",
    "Premios": "Premios",
    "SectorFinanciero": "Sector financiero",
}
"""Titles of elements."""

ATTRIBUTES = {
    "Version": "Versión",
    "Base": "Base",
    "Importe": "Importe",
    "Impuesto": "Impuesto",
    "TipoFactor": "Tipo de factor",
    "TasaCuota": "Tasa o cuota",
    "Porcentaje": "Porcentaje",
    "PagProvEfecPorFiduc": "Pagos provisionales del fiduciario",
    "RendimFideicom": "Rendimientos del fideicomiso",
    "DeduccCorresp": "Deducciones correspondientes",
    "MontTotRet": "Monto retenido",
    "MontResFiscDistFibras": "Resultado fiscal distribuido por FIBRAS",
    "MontOtrosConceptDistr": "Otros conceptos distribuidos",
    "DescrMontOtrosConceptDistr": "Descripción de los otros conceptos",
    "CveTipDivOUtil": "Tipo de dividendo o utilidad",
    "MontISRAcredRetMexico": "ISR acreditable retenido en México",
    "MontISRAcredRetExtranjero": "ISR acreditable retenido en el extranjero",
    "MontRetExtDivExt": "Retención en el extranjero sobre dividendos del extranjero",
    "TipoSocDistrDiv": "Sociedad que distribuye",
    "MontISRAcredNal": "ISR acreditable nacional",
    "MontDivAcumNal": "Dividendo acumulable nacional",
    "MontDivAcumExt": "Dividendo acumulable del extranjero",
    "ProporcionRem": "Proporción del remanente",
    "ContratoIntermediacion": "Contrato de intermediación",
    "Ganancia": "Ganancia",
    "Perdida": "Pérdida",
    "MontTotEntradasPeriodo": "Entradas del periodo",
    "PartPropAcumDelFideicom": "Parte proporcional acumulable",
    "PropDelMontTot": "Proporción del monto total",
    "Concepto": "Concepto",
    "MontTotEgresPeriodo": "Egresos del periodo",
    "PartPropDelFideicom": "Parte proporcional de las deducciones",
    "ConceptoS": "Concepto",
    "MontRetRelPagFideic": "Monto retenido",
    "DescRetRelPagFideic": "Descripción de la retención",
    "SistFinanciero": "Del sistema financiero",
    "RetiroAORESRetInt": "Intereses retirados en el periodo",
    "OperFinancDerivad": "De operaciones financieras derivadas",
    "MontIntNominal": "Interés nominal",
    "MontIntReal": "Interés real",
    "CreditoDeInstFinanc": "Crédito de una institución financiera",
    "SaldoInsoluto": "Saldo insoluto",
    "PropDeducDelCredit": "Proporción deducible del crédito",
    "MontTotIntNominalesDev": "Intereses nominales devengados",
    "MontTotIntNominalesDevYPag": "Intereses nominales devengados y pagados",
    "MontTotIntRealPagDeduc": "Intereses reales pagados deducibles",
    "NumContrato": "Número de contrato",
    "MontGanAcum": "Ganancia acumulable",
    "MontPerdDed": "Pérdida deducible",
    "EsBenefEfectDelCobro": "Es el beneficiario efectivo del cobro",
    "PaisDeResidParaEfecFisc": "País de residencia fiscal",
    "ConceptoPago": "Contribuyente sujeto a la retención",
    "DescripcionConcepto": "Descripción del concepto",
    "RFC": "RFC",
    "CURP": "CURP",
    "NomDenRazSocB": "Nombre o razón social",
    "SistemaFinanc": "Del sistema financiero",
    "MontTotAportAnioInmAnterior": "Aportaciones del año anterior",
    "MontIntRealesDevengAniooInmAnt": "Intereses reales devengados del año anterior",
    "HuboRetirosAnioInmAntPer": "Hubo retiros del año anterior, antes de la permanencia",
    "MontTotRetiradoAnioInmAntPer": "Retirado antes de la permanencia, año anterior",
    "MontTotExentRetiradoAnioInmAnt": "Retirado exento, año anterior",
    "MontTotExedenteAnioInmAnt": "Excedente del exento, año anterior",
    "HuboRetirosAnioInmAnt": "Hubo retiros del año anterior",
    "MontTotRetiradoAnioInmAnt": "Retirado, año anterior",
    "NumReferencia": "Número de referencia",
    "TipoAportacionODeposito": "Tipo de aportación o depósito",
    "MontAportODep": "Monto de la aportación o depósito",
    "RFCFiduciaria": "RFC de la fiduciaria",
    "Periodicidad": "Periodicidad",
    "NumServ": "Número de servicios",
    "MonTotServSIVA": "Servicios sin IVA",
    "TotalIVATrasladado": "IVA trasladado",
    "TotalIVARetenido": "IVA retenido",
    "TotalISRRetenido": "ISR retenido",
    "DifIVAEntregadoPrestServ": "Diferencia de IVA entregada al prestador",
    "MonTotalporUsoPlataforma": "Cobrado por el uso de la plataforma",
    "MonTotalContribucionGubernamental": "Contribución gubernamental",
    "FormaPagoServ": "Forma de pago",
    "TipoDeServ": "Tipo de servicio",
    "SubTipServ": "Subtipo de servicio",
    "RFCTerceroAutorizado": "RFC del tercero autorizado",
    "FechaServ": "Fecha del servicio",
    "PrecioServSinIVA": "Precio sin IVA",
    "ImpContrib": "Importe de la contribución",
    "EntidadDondePagaLaContribucion": "Entidad donde se paga",
    "EntidadFederativa": "Entidad federativa",
    "MontTotPago": "Monto del pago",
    "MontTotPagoGrav": "Monto gravado",
    "MontTotPagoExent": "Monto exento",
    "IdFideicom": "Identificador del fideicomiso",
    "NomFideicom": "Nombre del fideicomiso",
    "DescripFideicom": "Descripción del fideicomiso",
}
"""Labels of attributes."""

CATALOGS = {
    "CveTipDivOUtil": (RETENCIONES, "c_TipoDividendoOUtilidadDistribuida"),
    "ConceptoPago": (RETENCIONES, "c_TipoContribuyenteSujetoRetencion"),
    "PaisDeResidParaEfecFisc": (RETENCIONES, "c_Pais"),
    "EntidadFederativa": (RETENCIONES, "c_EntidadesFederativas"),
    "EntidadDondePagaLaContribucion": (RETENCIONES, "c_EntidadesFederativas"),
    "Impuesto": (RETENCIONES, "c_TipoImpuesto"),
    "Periodicidad": (RETENCIONES, "c_Periodicidad"),
    "TipoAportacionODeposito": (PLANS, "c_TipoAportODep"),
    "FormaPagoServ": (PLATFORMS, "c_FormaPagoServ"),
    "TipoDeServ": (PLATFORMS, "c_TipoDeServ"),
    "SubTipServ": (PLATFORMS, "c_SubTipoServ"),
}
"""Standard and catalog of the attributes that are keys."""

NOT_AMOUNTS = frozenset({"Version", "TasaCuota", "Porcentaje", "ProporcionRem", "PropDelMontTot", "PropDeducDelCredit"})
"""Attributes with decimals that are no amounts."""


class RetencionTexts(BranchTexts):
    """The texts of complements of retenciones; names of other elements are those of the document.

    Args:
        labels: names of the keys of catalogs.
    """

    def __init__(self, labels: CatalogLabels) -> None:
        self._labels = labels

    def element(self, name: str) -> str:
        """Return the title of an element."""
        return ELEMENTS.get(name, name)

    def field(self, name: str, value: str) -> Field:
        """Return an attribute with its label; a key with its name, an amount with separators."""
        return Field(ATTRIBUTES.get(name, name), self._value(name, value))

    def _value(self, name: str, value: str) -> str:
        if name in CATALOGS:
            standard, catalog = CATALOGS[name]
            return named_key(self._labels, catalog, value, standard)
        return amount(value) if "." in value and name not in NOT_AMOUNTS else value
