"""Wrong cadenas originales that programs commonly sign, to explain a seal that does not verify."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from unicodedata import normalize
from xml.sax.saxutils import escape

from lxml import etree

from timbra.cfdi.cadena import CadenaOriginal
from timbra.cfdi.document import CFD3, CFD4

MAX_CADENA_LENGTH = 500_000
"""Length in characters up to which the document is transformed again for each variant; longer ones are skipped."""
BLANKS = {" ": "\ue000", "\t": "\ue001", "\n": "\ue002", "\r": "\ue003"}
"""Private-use characters that replace white space during the transformation, which would collapse it."""
HIDDEN = str.maketrans(BLANKS)
RESTORED = str.maketrans({hidden: blank for blank, hidden in BLANKS.items()})
OTHER_VERSION = {"3.3": ("4.0", CFD3, CFD4), "4.0": ("3.3", CFD4, CFD3)}


@dataclass(frozen=True, slots=True)
class CadenaVariant:
    """A wrong cadena and the bytes that a program would sign for it.

    Attributes:
        says: Spanish description of the mistake, for a message to the issuer.
        data: `text` in the encoding of the mistake.
    """

    says: str
    text: str
    data: bytes


def text_variants(cadena: str) -> Iterator[CadenaVariant]:
    """Yield the variants that change the text or the encoding of a correct cadena."""
    yield _utf8("con caracteres XML sin resolver (&amp; en lugar de &)", escape(cadena, {'"': "&quot;"}))
    yield _utf8("sin las barras de los extremos", cadena.strip("|"))
    yield _utf8("con un salto de línea al final", cadena + "\n")
    yield _utf8("con un salto de línea al final", cadena + "\r\n")
    yield _utf8("con una marca BOM al principio", "\ufeff" + cadena)
    if cadena.isascii():
        return
    yield _utf8("codificada dos veces en UTF-8", cadena.encode().decode("latin-1"))
    yield _utf8("con los acentos como caracteres aparte (Unicode NFD)", normalize("NFD", cadena))
    yield CadenaVariant("en Latin-1 en lugar de UTF-8", cadena, cadena.encode("cp1252", "replace"))


def document_variants(original: CadenaOriginal, root: etree._Element, version: str) -> Iterator[CadenaVariant]:
    """Yield the variants of a cadena that is derived from the document in another way.

    Args:
        root: Comprobante or Retenciones; it is not changed.
        version: "4.0" or "3.3", or of Retenciones "2.0" or "1.0".
    """
    changes: tuple[tuple[str, Callable[[etree._Element], str]], ...] = (
        ("sin normalizar los espacios", lambda copy: _with_blanks(original, copy, version)),
        ("sin el complemento", lambda copy: _without_complements(original, copy, version)),
        ("sin NoCertificado", lambda copy: _without_number(original, copy, version)),
    )
    for says, make in changes:
        yield _utf8(says, make(deepcopy(root)))
    if version in OTHER_VERSION:
        says = f"con la hoja de estilo de CFDI {OTHER_VERSION[version][0]}"
        yield _utf8(says, _with_other_stylesheet(original, deepcopy(root), version))


def _utf8(says: str, text: str) -> CadenaVariant:
    return CadenaVariant(says, text, text.encode())


def _with_blanks(original: CadenaOriginal, root: etree._Element, version: str) -> str:
    for element in root.iter(etree.Element):
        for name, value in element.attrib.items():
            text = str(value)
            if text != " ".join(text.split()):
                element.set(name, text.translate(HIDDEN))
    return original.build(root, version).translate(RESTORED)


def _without_complements(original: CadenaOriginal, root: etree._Element, version: str) -> str:
    for complement in root.findall("{*}Complemento"):
        root.remove(complement)
    return original.build(root, version)


def _without_number(original: CadenaOriginal, root: etree._Element, version: str) -> str:
    for name in ("NoCertificado", "NumCert"):
        root.attrib.pop(name, "")
    return original.build(root, version)


def _with_other_stylesheet(original: CadenaOriginal, root: etree._Element, version: str) -> str:
    other, own_namespace, other_namespace = OTHER_VERSION[version]
    for element in root.iter(f"{{{own_namespace}}}*"):
        element.tag = f"{{{other_namespace}}}{etree.QName(element).localname}"
    return original.build(root, other)
