"""Structure faults in Spanish from libxml2's schema errors.

libxml2 reports an error type and an English sentence. Only names are read from the sentence: the attribute, and the
elements that the schema expects. The value is read from the document, and what the schema accepts from its
declarations, so that no English text reaches the fault.
"""

from __future__ import annotations

import re
from itertools import chain

from lxml import etree

from timbra.cfdi.structure.declarations import Path, SchemaDeclarations
from timbra.cfdi.structure.errors import SchemaError, StructureFault
from timbra.cfdi.structure.paths import ElementPaths, element_line
from timbra.cfdi.structure.value_phrases import BY_SCHEMA, ValueType, names_phrase
from timbra.core.errors import PRESENT

MAX_TEXT = 80
"""Characters of an element's text that a fault contains."""
_HEAD = re.compile(
    r"Element '(?:\{[^}]*\})?(?P<element>[^']*)'"
    r"(?:, attribute '(?P<attribute>[^']*)')?: (?P<rest>.*)",
    re.S,
)
_MISSING_ATTRIBUTE = re.compile(r"The attribute '(?P<name>[^']*)' is required but missing\.")
_EXPECTED = re.compile(r"Expected is (?:one of )?\( (?P<names>.*) \)", re.S)
_WHITE_SPACE = re.compile(r"\s+")
_CLARK = re.compile(r"\{[^}]*\}")
_REQUIRED = "SCHEMAV_CVC_COMPLEX_TYPE_4"
_NOT_ALLOWED = "SCHEMAV_CVC_COMPLEX_TYPE_3_2_1"
_CONTENT = "SCHEMAV_ELEMENT_CONTENT"
_UNKNOWN_ELEMENT = "SCHEMAV_CVC_ELT_1"
_MAY_HAVE_TEXT = ("SCHEMAV_CVC_COMPLEX_TYPE_2_1", "SCHEMAV_CVC_COMPLEX_TYPE_2_3")
_NO_ELEMENTS = ("SCHEMAV_CVC_COMPLEX_TYPE_2_1", "SCHEMAV_CVC_COMPLEX_TYPE_2_2", "SCHEMAV_CVC_TYPE_3_1_2")


def local_name(name: str) -> str:
    """Return a qualified name without its namespace, for any text in place of a name too."""
    return name.rpartition("}")[2]


def attribute_of(error: SchemaError) -> str:
    """Return the qualified name of the attribute that an error is about, empty for an error of the element itself."""
    head = _HEAD.fullmatch(error.message)
    if head is None:
        return ""
    missing = _MISSING_ATTRIBUTE.fullmatch(head["rest"]) if error.kind == _REQUIRED else None
    return missing["name"] if missing else head["attribute"] or ""


def fault_of(error: SchemaError, element: etree._Element, paths: ElementPaths) -> StructureFault:
    """Return the fault of an error.

    Args:
        error: error of libxml2.
        element: the element that it is about.
        paths: paths of the elements of the document.
    """
    declarations, declared_path = paths.declared(element)
    line = error.line if error.element is None and error.line else element_line(element)
    path, attribute = paths.path(element), attribute_of(error)
    if attribute:
        name = local_name(attribute)
        place = f"{path}/@{name}" if path else f"@{name}"
        kind = None if declarations is None else declarations.attribute(declared_path, name)
        return _attribute_fault(error, element, attribute, paths.value(element, attribute), place, kind, line)
    return _element_fault(error, element, path, declarations, declared_path, line)


def _attribute_fault(
    error: SchemaError,
    element: etree._Element,
    attribute: str,
    found: str | None,
    path: str,
    kind: ValueType | None,
    line: int,
) -> StructureFault:
    if error.kind == _NOT_ALLOWED:
        name = etree.QName(element).localname
        expected, value = f"que no exista: el nodo {name} no tiene ese atributo", None
    else:
        expected, value = (BY_SCHEMA, None) if kind is None else (kind.phrase, kind.expected_value)
    if error.kind == _REQUIRED:
        expected = f"{expected}, porque es obligatorio"
    return StructureFault(path, line, found, expected, value, element, attribute)


def _element_fault(
    error: SchemaError,
    element: etree._Element,
    path: str,
    declarations: SchemaDeclarations | None,
    declared_path: Path,
    line: int,
) -> StructureFault:
    names = _expected_names(error.message)
    nodes = names_phrase(names) if names else ""
    if error.kind == _UNKNOWN_ELEMENT:
        return StructureFault(path, line, PRESENT, "un nodo que exista en su estándar", None, element)
    if error.kind == _CONTENT and "Missing child element" in error.message:
        if len(names) == 1:
            place = f"{path}/{names[0]}" if path else names[0]
            return StructureFault(place, line, None, "el nodo, porque es obligatorio", None, element, "", names)
        expected = f"que contenga {nodes}" if nodes else BY_SCHEMA
        return StructureFault(path, line, "incompleto", expected, None, element, "", names)
    if error.kind == _CONTENT:
        expected = f"en su lugar {nodes}" if nodes else "que no exista aquí"
        return StructureFault(path, line, PRESENT, expected, None, element, "", names, unexpected=True)
    if error.kind in _MAY_HAVE_TEXT and "haracter content" in error.message:
        return StructureFault(path, line, _text(element), "ningún texto en el nodo", None, element)
    if error.kind in _NO_ELEMENTS:
        return StructureFault(path, line, "con otros nodos", "ningún nodo en su contenido", None, element)
    kind = None if declarations is None else declarations.text(declared_path)
    expected, value = (BY_SCHEMA, None) if kind is None else (kind.phrase, kind.expected_value)
    return StructureFault(path, line, _text(element), expected, value, element)


def _expected_names(message: str) -> tuple[str, ...]:
    """Return the local names of the elements that the schema expects; wildcards are left out."""
    matched = _EXPECTED.search(message)
    if matched is None:
        return ()
    names = (_CLARK.sub("", name) for name in matched["names"].split(", "))
    return tuple(dict.fromkeys(name for name in names if not name.startswith(("#", "*"))))


def _text(element: etree._Element) -> str:
    """Return the text between the children of an element; only what a fault shows of it is read."""
    text = ""
    for piece in chain((element.text,), (child.tail for child in element)):
        text = _WHITE_SPACE.sub(" ", f"{text}{piece or ''}").lstrip()
        if len(text) > MAX_TEXT + 1:
            return f"{text[: MAX_TEXT - 1]}…"
    text = text.rstrip()
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
