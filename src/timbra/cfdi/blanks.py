"""Blanks around the value of an attribute, which do not belong to it.

XML Schema collapses white space before it compares a value with its type, for every attribute of the invoice and
nearly all of its complements; the cadena original does the same. So ` AAA010101AAA ` passes the schema, is sealed as
AAA010101AAA, and is that for everybody who reads the document after it was parsed. Its bytes stay as they came.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lxml import etree

SAT = "http://www.sat.gob.mx/"
INVOICES = (f"{SAT}cfd/4", f"{SAT}cfd/3")
BLANKS = " \t\r\n"

KEPT: Mapping[str, frozenset[str]] = MappingProxyType(
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
    }
)  # fmt: skip
"""By the namespaces that rules read: attributes whose type keeps its blanks, which the schema judges as written."""

_PADDED = etree.XPath(
    "boolean(//@*[contains($blanks, substring(concat(., 'x'), 1, 1)) or contains($blanks, "
    "substring(concat('x', .), string-length(.) + 1, 1))])"
)
_BESIDE_QUOTES = tuple((blank, blank + b'"', b'="' + blank) for blank in (b" ", b"\n", b"\t", b"\r"))


def drop_blanks(source: bytes, root: etree._Element) -> None:
    """Takes the blanks off the tree of `source`; a document without any costs two searches of its bytes."""
    if not _may_be_padded(source, root):
        return
    for element in root.iter(*(f"{{{namespace}}}*" for namespace in KEPT)):
        kept = KEPT[str(element.tag)[1:].partition("}")[0]]
        for name in element.keys():  # noqa: SIM118 - an element iterates over its children
            value = element.get(name, "")
            plain = value.strip(BLANKS)
            if plain != value and name not in kept:
                element.set(name, plain)


def _may_be_padded(source: bytes, root: etree._Element) -> bool:
    """Whether a blank stands inside a double quote; of values that are written otherwise, whether one is padded."""
    for blank, at_end, at_start in _BESIDE_QUOTES:
        if blank in source and (at_end in source or _opens(source, at_start)):
            return True
    is_quoted_otherwise = b"'" in source and source.find(b"='", source.find(b"?>") + 1) >= 0
    return (is_quoted_otherwise or (b"&" in source and b"&#" in source)) and bool(_PADDED(root, blanks=BLANKS))


def _opens(source: bytes, start: bytes) -> bool:
    """Whether `="` and a blank begin a value anywhere, instead of ending one: base64 often ends so, every Sello does.

    Blanks part the name of an attribute from what stands before it. A value that has blanks of its own is taken for
    a name, which costs no more than a search.
    """
    at = source.find(start)
    while at >= 0:
        before = source[source.rfind(b'"', 0, at) + 1 : at]
        if before.split() != [before]:
            return True
        at = source.find(start, at + 1)
    return False
