"""Addenda of a JSON invoice: JSON of any shape becomes elements, because no schema describes an Addenda."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from lxml import etree

from timbra.cfdi.from_json.reading import ATTRIBUTE_MARK, TEXT_KEY, json_rejection

MAX_DEPTH = 100
TEXT_ELEMENT = "Texto"
"""Element for text that has no name of its own: the schema of the Comprobante accepts elements only."""
XMLNS = "xmlns"


def addenda_elements(content: object, path: str) -> list[etree._Element]:
    """Convert the value of the member `Addenda` into the children of the element Addenda.

    A member `@name` is an attribute, `#text` the text of its element, every other member an element; a list repeats
    its element. `Any` adds no element. A text that is itself an XML element is inserted as that element. A prefix that
    no member `@xmlns:prefix` declares is dropped.

    Args:
        content: The JSON value; numbers are text.
        path: Path of the member, for errors.

    Raises:
        ServiceError: 301 for a name that XML does not allow, or for more than `MAX_DEPTH` levels.
    """
    return list(_children(content, path, {}, 0))


def _children(content: object, path: str, namespaces: Mapping[str, str], depth: int) -> Iterator[etree._Element]:
    if depth > MAX_DEPTH:
        raise json_rejection(f"{path} tiene más de {MAX_DEPTH} niveles.")
    if isinstance(content, list):
        for entry in content:
            yield from _children(entry, path, namespaces, depth + 1)
    elif isinstance(content, dict):
        for key, value in content.items():
            if key.casefold() == "any":
                yield from _children(value, path, namespaces, depth + 1)
            else:
                for entry in value if isinstance(value, list) else [value]:
                    yield _element(key, entry, f"{path}/{key}", namespaces, depth)
    elif content is not None:
        parsed = _parse(str(content))
        yield _element(TEXT_ELEMENT, content, path, namespaces, depth) if parsed is None else parsed


def _element(key: str, content: object, path: str, namespaces: Mapping[str, str], depth: int) -> etree._Element:
    members = content if isinstance(content, dict) else {}
    attributes = {name[1:]: value for name, value in members.items() if name.startswith(ATTRIBUTE_MARK)}
    declared = {
        name.partition(":")[2]: _text(value, path) for name, value in attributes.items() if _is_declaration(name)
    }
    scope = {**namespaces, **declared}
    try:
        element = etree.Element(_qualified(key, scope), nsmap=_namespace_map(scope))
        for name, value in attributes.items():
            if not _is_declaration(name) and value is not None:
                element.set(_qualified(name, {**scope, "": ""}), _text(value, f"{path}/@{name}"))
        if isinstance(content, dict):
            element.text = _text(members[TEXT_KEY], path) if members.get(TEXT_KEY) is not None else None
            rest = {name: value for name, value in members.items() if not name.startswith((ATTRIBUTE_MARK, TEXT_KEY))}
            element.extend(list(_children(rest, path, scope, depth + 1)))
        elif isinstance(content, list):
            element.extend(list(_children(content, path, scope, depth + 1)))
        elif content is not None:
            element.text = _text(content, path)
    except ValueError as error:
        raise json_rejection(f"{path} no se puede escribir en XML.") from error
    return element


def _namespace_map(scope: Mapping[str, str]) -> dict[str, str]:
    """Return the map for lxml, whose stubs do not know that None names the default namespace."""
    return cast("dict[str, str]", {prefix or None: uri for prefix, uri in scope.items()})


def _is_declaration(name: str) -> bool:
    return name == XMLNS or name.startswith(f"{XMLNS}:")


def _qualified(name: str, namespaces: Mapping[str, str]) -> str:
    prefix, _, local = name.rpartition(":")
    uri = namespaces.get(prefix, "")
    return f"{{{uri}}}{local}" if uri else local


def _text(value: object, path: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    raise json_rejection(f"{path} debe ser un texto o un número.")


def _parse(text: str) -> etree._Element | None:
    """Parse text that is an XML element without DTD; None for any other text."""
    if not text.lstrip().startswith("<"):
        return None
    parser = etree.XMLParser(no_network=True, resolve_entities=False, load_dtd=False, remove_pis=True)
    try:
        root = etree.fromstring(text.strip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    return None if root.getroottree().docinfo.internalDTD is not None else root
