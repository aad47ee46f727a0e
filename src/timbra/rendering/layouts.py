"""How complements are laid out: the elements that are tables with chosen columns, and the order of attributes.

Elements without a layout become a table when there are several of them, otherwise a list of labels and values.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table.

    Attributes:
        columns: the attributes of each column, joined with a blank; other attributes follow as details of the row.
        with_parent: whether the attributes of the parent are the totals of this table.
    """

    columns: tuple[str, ...]
    title: str = ""
    with_parent: bool = False


_PERCEPTION = TableLayout(
    ("TipoPercepcion", "Clave Concepto", "ImporteGravado", "ImporteExento"), "Percepciones", with_parent=True
)
_DEDUCTION = TableLayout(
    ("TipoDeduccion", "Clave Concepto", "Importe", "ImporteGravado", "ImporteExento"),
    "Deducciones",
    with_parent=True,
)
_STOPS = TableLayout(
    (
        "TipoUbicacion IDUbicacion",
        "RFCRemitenteDestinatario NombreRemitenteDestinatario",
        "FechaHoraSalidaLlegada",
        "DistanciaRecorrida",
    ),
    "Ubicaciones",
)

TABLES = {
    "Pagos/Pago/DoctoRelacionado": TableLayout(
        ("IdDocumento", "Serie Folio", "NumParcialidad", "MonedaDR", "ImpSaldoAnt", "ImpPagado", "ImpSaldoInsoluto"),
        "Documentos pagados",
    ),
    "Pagos/Pago/ImpuestosP/TrasladosP/TrasladoP": TableLayout(
        ("ImpuestoP", "TipoFactorP", "TasaOCuotaP", "BaseP", "ImporteP"), "Impuestos trasladados del pago"
    ),
    "Pagos/Pago/ImpuestosP/RetencionesP/RetencionP": TableLayout(
        ("ImpuestoP", "ImporteP"), "Impuestos retenidos del pago"
    ),
    "Nomina/Percepciones/Percepcion": _PERCEPTION,
    "Nomina/Deducciones/Deduccion": _DEDUCTION,
    "Nomina/OtrosPagos/OtroPago": TableLayout(
        ("TipoOtroPago", "Clave Concepto", "Importe"), "Otros pagos", with_parent=True
    ),
    "Nomina/Incapacidades/Incapacidad": TableLayout(
        ("TipoIncapacidad", "DiasIncapacidad", "ImporteMonetario", "Descuento"), "Incapacidades"
    ),
    "CartaPorte/Ubicaciones/Ubicacion": _STOPS,
    "CartaPorte/Mercancias/Mercancia": TableLayout(
        ("BienesTransp", "Descripcion", "Cantidad", "ClaveUnidad", "PesoEnKg", "ValorMercancia", "Moneda"), "Mercancías"
    ),
    "CartaPorte/FiguraTransporte/TiposFigura": TableLayout(
        ("TipoFigura", "NombreFigura", "RFCFigura", "NumLicencia"), "Figuras del transporte"
    ),
    "ComercioExterior/Mercancias/Mercancia": TableLayout(
        (
            "NoIdentificacion",
            "FraccionArancelaria",
            "CantidadAduana",
            "UnidadAduana",
            "ValorUnitarioAduana",
            "ValorDolares",
        ),
        "Mercancías",
    ),
    "EstadoDeCuentaCombustible/Conceptos/ConceptoEstadoDeCuentaCombustible": TableLayout(
        ("Fecha", "FolioOperacion", "NombreCombustible", "Cantidad", "ValorUnitario", "Importe"), "Consumos"
    ),
    "ConsumoDeCombustibles/Conceptos/ConceptoConsumoDeCombustibles": TableLayout(
        ("fecha", "identificador", "nombreCombustible", "cantidad", "valorUnitario", "importe"), "Consumos"
    ),
    "ImpuestosLocales/RetencionesLocales": TableLayout(
        ("ImpLocRetenido", "TasadeRetencion", "Importe"), "Retenciones locales"
    ),
    "ImpuestosLocales/TrasladosLocales": TableLayout(
        ("ImpLocTrasladado", "TasadeTraslado", "Importe"), "Traslados locales"
    ),
}
"""By path of the element, without namespaces and numbers."""

AMOUNT_PREFIXES = (
    *("Base", "Cargo", "Deducc", "Descuento", "Dif", "Ganancia", "IVA", "Imp", "Ingreso", "KilometrajePagado", "Mont"),
    *("PagProv", "PartProp", "Perdida", "Precio", "Prima", "RemanenteSalFav", "Rendim", "Salario", "Saldo", "SubTotal"),
    *("SubsidioCausado", "Subtotal", "TUA", "Total", "UltimoSueldo", "Utilidad", "Valor"),
)
"""Beginnings of the names of attributes that are amounts, when their value has decimals."""
NOT_AMOUNTS = frozenset({"TotalDistRec", "Impuesto", "ImpuestoP", "ImpuestoDR", "TotalParcialidad"})
NUMBERS = frozenset(
    {
        "Cantidad",
        "CantidadAduana",
        "DistanciaRecorrida",
        "NumParcialidad",
        "DiasIncapacidad",
        "cantidad",
        "Tasa",
        "tasa",
    }
)
NUMBER_PREFIXES = ("Peso", "TasaOCuota", "Tasade")

ATTRIBUTE_CATALOGS = {
    ("NotariosPublicos", "EntidadFederativa"): ("retenciones20", "c_EntidadesFederativas"),
    ("NotariosPublicos", "Pais"): ("cfdi40", "c_Pais"),
    ("GastosHidrocarburos", "Mes"): ("gceh10", "Meses"),
    ("GastosHidrocarburos", "ActividadRelacionada"): ("gceh10", "c_Actividad"),
    ("GastosHidrocarburos", "SubActividadRelacionada"): ("gceh10", "c_SubActividad"),
    ("GastosHidrocarburos", "TareaRelacionada"): ("gceh10", "c_Tarea"),
    ("GastosHidrocarburos", "ClavePedimentoVinculado"): ("gceh10", "ClavePedimento"),
    ("GastosHidrocarburos", "ClavePagoPedimentoVinculado"): ("gceh10", "ClavePagoPedimento"),
    ("IngresosHidrocarburos", "Mes"): ("gceh10", "Meses"),
    ("INE", "ClaveEntidad"): ("ine11", "t_ClaveEntidad"),
    ("obrasarteantiguedades", "TipoBien"): ("obrasarte10", "c_TipoBien"),
    ("obrasarteantiguedades", "TituloAdquirido"): ("obrasarte10", "c_Tituloadquirido"),
    ("obrasarteantiguedades", "CaracterísticasDeObraoPieza"): ("obrasarte10", "c_CaracterísticasDeObraoPieza"),
    ("renovacionysustitucionvehiculos", "TipoDeDecreto"): ("decreto10", "c_TipoDecreto"),
    ("renovacionysustitucionvehiculos", "VehEnaj"): ("decreto10", "c_VehiculoEnajenado"),
    ("DecretoRenovVehicular", "TipoVeh"): ("decreto10", "c_TipoVehiculo_r"),
    ("DecretoSustitVehicular", "TipoVeh"): ("decreto10", "c_TipoVehiculo_s"),
}
"""Standard and catalog by complement and attribute, where no schema names the catalog."""

KEYS = {
    ("NotariosPublicos", "TipoInmueble"): {
        "01": "Terreno",
        "02": "Terreno comercial",
        "03": "Construcción habitacional",
        "04": "Construcción de uso comercial",
        "05": "Uso mixto",
    }
}
"""Texts of keys that only a schema's documentation has, by complement and attribute."""
