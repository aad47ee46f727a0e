"""Removal of white space around attribute values in the parsed tree.

XML Schema collapses white space before it compares a value with its type, for every attribute of the invoice and
nearly all of its complements; so does the cadena original. ` AAA010101AAA ` therefore passes the schema and is sealed
as AAA010101AAA; the tree has that value too. Blanks inside of a value stay as they are written: a rule that counts its
characters collapses them itself. The bytes of the document are not changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lxml import etree

from timbra._native import STATE, has_padded_values

SAT = "http://www.sat.gob.mx/"
INVOICES = (f"{SAT}cfd/4", f"{SAT}cfd/3")
RETENCIONES = f"{SAT}esquemas/retencionpago/"
WHITESPACE = " \t\r\n"

PRESERVED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        INVOICES[0]: frozenset({"NumeroPedimento"}),
        INVOICES[1]: frozenset({"NumeroPedimento"}),
        f"{SAT}CartaPorte31": frozenset(
            {"Dimensiones", "LogisticaInversaRecoleccionDevolucion", "NombreEmbarc", "NumPedimento", "RegistroISTMO",
             "UUIDComercioExt"}
        ),
        f"{SAT}ComercioExterior20": frozenset(),
        f"{SAT}EstadoDeCuentaCombustible12": frozenset(),
        f"{SAT}GastosHidrocarburos10": frozenset({"NumeroPedimentoVinculado", "OrigenErogacion"}),
        f"{SAT}IngresosHidrocarburos10": frozenset(),
        f"{SAT}Pagos": frozenset({"NumOperacion"}),
        f"{SAT}Pagos20": frozenset({"NumOperacion"}),
        f"{SAT}hidrocarburospetroliferos": frozenset(),
        f"{SAT}ine": frozenset({"ClaveEntidad"}),
        f"{SAT}nomina12": frozenset({"Clave", "Concepto", "Version"}),
        f"{RETENCIONES}2": frozenset(),
        f"{RETENCIONES}1/PlataformasTecnologicas10": frozenset({"TipoFactor"}),
        f"{RETENCIONES}1/pagosaextranjeros": frozenset(),
        f"{RETENCIONES}1/planesderetiro11": frozenset({"HuboRetirosAnioInmAnt"}),
    }
)  # fmt: skip
"""Attributes whose type preserves white space, by namespace that rules read; the schema checks them as written."""

_BESIDE_QUOTES = tuple((blank, blank + b'"', b'="' + blank) for blank in (b" ", b"\n", b"\t", b"\r"))


def strip_attribute_whitespace(source: bytes, root: etree._Element) -> None:
    """Strip the attribute values in the tree; without native code, the bytes are searched before the tree.

    Args:
        source: bytes that the tree was parsed from.
        root: root of the tree, changed in place.
    """
    if not (has_padded_values(root) if STATE.active else _may_be_padded(source, root)):
        return
    for element in root.iter(*(f"{{{namespace}}}*" for namespace in PRESERVED)):
        preserved = PRESERVED[str(element.tag)[1:].partition("}")[0]]
        for name in element.keys():  # noqa: SIM118 - an element iterates over its children
            value = element.get(name, "")
            plain = value.strip(WHITESPACE)
            if plain != value and name not in preserved:
                element.set(name, plain)


def _may_be_padded(source: bytes, root: etree._Element) -> bool:
    """Whether a blank is next to a double quote; for values in other forms, whether one is padded."""
    for blank, at_end, at_start in _BESIDE_QUOTES:
        if blank in source and (at_end in source or _starts_value(source, at_start)):
            return True
    is_quoted_otherwise = b"'" in source and source.find(b"='", source.find(b"?>") + 1) >= 0
    return (is_quoted_otherwise or (b"&" in source and b"&#" in source)) and has_padded_values(root)


def _starts_value(source: bytes, start: bytes) -> bool:
    """Whether `="` and a blank begin a value anywhere, instead of ending one, as base64 often does (every Sello).

    Blanks separate the name of an attribute from what precedes it. A value that contains blanks may be taken for a
    name, which costs only a search.
    """
    at = source.find(start)
    while at >= 0:
        before = source[source.rfind(b'"', 0, at) + 1 : at]
        if before.split() != [before]:
            return True
        at = source.find(start, at + 1)
    return False
