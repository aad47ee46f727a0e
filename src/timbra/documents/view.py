"""Texts of rows of documents: kind with icon, state, complements and the cells of exports."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from timbra.core.clock import to_central_mexico
from timbra.core.spreadsheets import Cell
from timbra.documents.listing import ListedDocument
from timbra.events.cancellation_states import DocumentState
from timbra.web.portal.views.formatting import document_kind

KIND_ICONS = {
    "I": "arrow-down-left",
    "E": "arrow-up-right",
    "T": "truck",
    "N": "wallet",
    "P": "banknote",
    "R": "percent",
}
STATES = {
    DocumentState.VALID: ("Vigente", "good", "circle-check"),
    DocumentState.PENDING: ("En proceso", "warn", "hourglass"),
    DocumentState.CANCELLED: ("Cancelado", "bad", "circle-x"),
}
"""Text, class of the badge and icon of each state."""
COMPLEMENTS = {
    "Pagos": "Pagos",
    "Nomina": "Nómina",
    "CartaPorte": "Carta Porte",
    "ComercioExterior": "Comercio exterior",
    "INE": "INE",
    "acreditamientoIEPS": "Acreditamiento de IEPS",
    "Aerolineas": "Aerolíneas",
    "certificadodedestruccion": "Certificado de destrucción",
    "ConsumoDeCombustibles": "Consumo de combustibles",
    "detallista": "Detallista",
    "Divisas": "Divisas",
    "EstadoDeCuentaBancario": "Estado de cuenta bancario",
    "obrasarteantiguedades": "Obras de arte y antigüedades",
    "PagoEnEspecie": "Pago en especie",
    "PFintegranteCoordinado": "Persona física integrante de coordinado",
    "PrestadoresDeServiciosDeCFD": "Prestadores de servicios de CFD",
    "CFDIRegistroFiscal": "CFDI registro fiscal",
    "renovacionysustitucionvehiculos": "Renovación y sustitución de vehículos",
    "parcialesconstruccion": "Servicios parciales de construcción",
    "Complemento_SPEI": "SPEI",
    "PorCuentadeTerceros": "Por cuenta de terceros",
    "TuristaPasajeroExtranjero": "Turista pasajero extranjero",
    "ValesDeDespensa": "Vales de despensa",
    "VehiculoUsado": "Vehículo usado",
    "VentaVehiculos": "Venta de vehículos",
    "Arrendamientoenfideicomiso": "Arrendamiento en fideicomiso",
    "EnajenaciondeAcciones": "Enajenación de acciones",
    "Fideicomisonoempresarial": "Fideicomiso no empresarial",
    "Intereseshipotecarios": "Intereses hipotecarios",
    "Operacionesconderivados": "Operaciones con derivados",
    "Premios": "Premios",
    "SectorFinanciero": "Sector financiero",
    "ImpuestosLocales": "Impuestos locales",
    "LeyendasFiscales": "Leyendas fiscales",
    "Donatarias": "Donatarias",
    "EstadoDeCuentaCombustible": "Estado de cuenta de combustible",
    "HidroYPetro": "Hidrocarburos y petrolíferos",
    "IngresosHidrocarburos": "Ingresos de hidrocarburos",
    "GastosHidrocarburos": "Gastos de hidrocarburos",
    "instEducativas": "Instituciones educativas",
    "NotariosPublicos": "Notarios públicos",
    "ServiciosPlataformasTecnologicas": "Plataformas tecnológicas",
    "Pagosaextranjeros": "Pagos a extranjeros",
    "Dividendos": "Dividendos",
    "Intereses": "Intereses",
    "planesderetiro": "Planes de retiro",
}
HEAD = (
    "Folio fiscal",
    "Estado",
    "Motivo",
    "Sustituida por",
    "Tipo",
    "Serie",
    "Folio",
    "Timbrado",
    "RFC emisor",
    "Nombre emisor",
    "RFC receptor",
    "Nombre receptor",
    "Total",
    "Moneda",
    "Complementos",
    "Observación",
)
"""Titles of the columns of an export."""


def complement_name(name: str) -> str:
    """Return the Spanish name of a complement; an unknown local name unchanged."""
    return COMPLEMENTS.get(name, name)


def kind_icon(kind: str) -> str:
    """Return the icon of TipoDeComprobante, or of a retención."""
    return KIND_ICONS.get(kind, "receipt-text")


def state_badge(state: DocumentState) -> tuple[str, str, str]:
    """Return text, class and icon of a state."""
    return STATES[state]


def money(total: Decimal) -> str:
    """Format a sum: `1,234.50`."""
    return f"{total:,.2f}"


def cells(row: ListedDocument) -> Sequence[Cell]:
    """Return the cells of a document, in the order of `HEAD`; the total is a number, and empty when it is damaged."""
    stamp, extract, cancellation = row.stamp, row.extract, row.cancellation
    total = row.total
    return (
        stamp.uuid,
        STATES[cancellation.state][0],
        cancellation.motive,
        cancellation.substitute,
        document_kind(stamp.kind),
        stamp.serie,
        stamp.folio,
        to_central_mexico(stamp.stamped_at),
        stamp.issuer_rfc,
        extract.issuer_name,
        stamp.receiver_rfc,
        extract.receiver_name,
        "" if total is None else total,
        extract.currency,
        ", ".join(map(complement_name, extract.complements)),
        row.damage,
    )


FILTERS = {
    "complement_name": complement_name,
    "kind_icon": kind_icon,
    "money": money,
    "state_badge": state_badge,
}
