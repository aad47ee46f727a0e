"""The sound parts of a document whose structure has faults, so that the rules about them are evaluated.

A copy of the document is repaired until its schemas accept it: elements in a wrong place are removed, absent ones are
added empty, faulted attributes are removed. The nodes of the copy hide what the repair changed: a rule that reads such
a part raises `UnsoundPartError` and is reported as not evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import chain

from lxml import etree

from timbra.cfdi.nodes import ComplementNode, FiscalDocument, Node
from timbra.cfdi.nodes.documents import walk_document
from timbra.cfdi.nodes.unsound import children_named, conceal, derived_of, make_partial, node_kinds, values_of
from timbra.cfdi.structure import Structure, StructureFault
from timbra.cfdi.structure.check import iter_complements
from timbra.cfdi.structure.chunked_validation import is_long
from timbra.core.errors import PRESENT

MAX_ROUNDS = 40
"""Repairs after which a document counts as unsound as a whole."""
SUBSTITUTE = "1"
"""Value with which the nodes are read a second time, to find what is derived from a faulted attribute."""
_INDEX = re.compile(r"\[\d+\]")


@dataclass(slots=True)
class _Repairs:
    """What the repair of a copy changed.

    Attributes:
        paths: paths without indexes of elements that were removed or added.
        tags: qualified names of these elements.
        attributes: path of the element, with indexes, and name of each faulted attribute.
        complements: qualified names of the complements that contain faults.
    """

    paths: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    attributes: list[tuple[str, str]] = field(default_factory=list)
    complements: set[str] = field(default_factory=set)


def sound_parts(root: etree._Element, structure: Structure) -> FiscalDocument | None:
    """Return the nodes of a document with structure faults; its parts that are not sound raise when they are read.

    Args:
        root: the document, which is not changed.

    Returns:
        The nodes; None for a long document, and for one that cannot be repaired.
    """
    if is_long(root):
        return None
    copy, repairs = deepcopy(root), _Repairs()
    faults = _repair(copy, structure, repairs)
    if faults is None:
        return None
    return _nodes(copy, faults, repairs)


def _repair(copy: etree._Element, structure: Structure, repairs: _Repairs) -> list[StructureFault] | None:
    """Repair the elements of the copy and return the faults of its attributes; None when faults remain."""
    for _ in range(MAX_ROUNDS):
        faults = structure.check(copy)
        repairs.complements |= {tag for fault in faults if (tag := _complement_of(fault.element)) is not None}
        of_elements = [fault for fault in faults if not fault.attribute]
        if not of_elements:
            return faults
        for fault in of_elements:
            if fault.element is None or not _repair_element(copy, fault, fault.element, repairs):
                return None
    return None


def _complement_of(element: etree._Element | None) -> str | None:
    """Return the qualified name of the complement of the invoice that contains an element."""
    while element is not None and (parent := element.getparent()) is not None:
        if etree.QName(parent).localname == "Complemento":
            return str(element.tag)
        element = parent
    return None


def _repair_element(copy: etree._Element, fault: StructureFault, element: etree._Element, repairs: _Repairs) -> bool:
    """Change the copy so that the fault disappears; False when that is not possible."""
    parent = element.getparent()
    if element is not copy and parent is None:
        return True
    if fault.missing and not fault.unexpected:
        _add(element, len(element), fault.missing[-1], copy, repairs)
    elif fault.unexpected and parent is not None:
        _replace_unexpected(fault, element, parent, copy, repairs)
    else:
        return _repair_content(copy, fault, element, parent, repairs)
    return True


def _replace_unexpected(
    fault: StructureFault, element: etree._Element, parent: etree._Element, copy: etree._Element, repairs: _Repairs
) -> None:
    """Add the element that the schema expects when it is absent, else remove the unexpected one."""
    required = fault.missing[-1] if fault.missing else ""
    if required and all(etree.QName(child).localname != required for child in parent.iterchildren(etree.Element)):
        _add(parent, parent.index(element), required, copy, repairs)
    else:
        _remove(element, parent, copy, repairs)


def _repair_content(
    copy: etree._Element,
    fault: StructureFault,
    element: etree._Element,
    parent: etree._Element | None,
    repairs: _Repairs,
) -> bool:
    if fault.found == "con otros nodos":
        for child in list(element):
            _remove(child, element, copy, repairs)
    elif fault.found == PRESENT and parent is not None:
        _remove(element, parent, copy, repairs)
    elif len(element) or (element.text or "").strip():
        element.text = None
        for child in element:
            child.tail = None
    elif parent is not None:
        _remove(element, parent, copy, repairs)
    else:
        return False
    return True


def _add(parent: etree._Element, position: int, name: str, copy: etree._Element, repairs: _Repairs) -> None:
    added = parent.makeelement(f"{{{etree.QName(parent).namespace}}}{name}")
    parent.insert(position, added)
    repairs.paths.add(_plain_path(added, copy))
    repairs.tags.add(str(added.tag))


def _remove(element: etree._Element, parent: etree._Element, copy: etree._Element, repairs: _Repairs) -> None:
    if isinstance(element.tag, str):
        repairs.paths.add(_plain_path(element, copy))
        repairs.tags.add(str(element.tag))
    parent.remove(element)


def _plain_path(element: etree._Element, copy: etree._Element) -> str:
    steps = [etree.QName(element).localname]
    while (parent := element.getparent()) is not None and parent is not copy:
        steps.append(etree.QName(parent).localname)
        element = parent
    return "/".join(reversed(steps))


def _nodes(copy: etree._Element, faults: list[StructureFault], repairs: _Repairs) -> FiscalDocument:
    """Read the nodes of the repaired copy twice, without and with values, and hide what differs."""
    substituted: dict[tuple[etree._Element, str], None] = {}  # several faults may be about one attribute
    for fault in faults:
        if fault.element is not None:
            path, _, name = fault.path.rpartition("@")
            repairs.attributes.append((path.rstrip("/"), name))
            fault.element.set(fault.attribute, SUBSTITUTE)
            substituted[fault.element, fault.attribute] = None
    other = walk_document(deepcopy(copy))
    for element, name in substituted:
        del element.attrib[name]
    document = walk_document(copy)
    _conceal_values(document, other, repairs)
    _conceal_kinds(document, copy, repairs)
    return document


def _all_nodes(document: FiscalDocument) -> Iterator[Node]:
    return chain([document], chain.from_iterable(document.by_kind.values()))


def _conceal_values(document: FiscalDocument, other: FiscalDocument, repairs: _Repairs) -> None:
    substituted = {(type(node), node.path): node for node in _all_nodes(other)}
    attributes: dict[str, set[str]] = {}
    for path, name in repairs.attributes:
        attributes.setdefault(path, set()).add(name)
    for node in list(_all_nodes(document)):
        twin = substituted.get((type(node), node.path))
        values, others = values_of(node), {} if twin is None else values_of(twin)
        hidden = {name for name in values.keys() | others.keys() if values.get(name) != others.get(name)}
        if node.path in attributes:
            hidden |= attributes[node.path] | set(derived_of(node))
        conceal(node, hidden)


def _conceal_kinds(document: FiscalDocument, copy: etree._Element, repairs: _Repairs) -> None:
    kinds = {kind for kind in node_kinds() if _is_below(kind, repairs)}
    names = {kind.__name__ for kind in kinds}
    for node in list(_all_nodes(document)):
        base = type(node).PATH
        if names and any(not base or path.startswith(f"{base}/") for path in repairs.paths):
            conceal(node, children_named(node, names))
    hidden = ["element"]
    complements = {str(element.tag) for element in iter_complements(copy)}
    if (
        repairs.paths & {"Complemento"}
        or any("Complemento/" in path for path in repairs.paths)
        or any(getattr(kind, "TAG", "") in repairs.tags for kind in kinds)
    ):
        hidden.append("complementos")
    tags = repairs.complements | (repairs.tags - complements)
    make_partial(document, kinds, tags)
    conceal(document, hidden)


def _is_below(kind: type[Node], repairs: _Repairs) -> bool:
    """Whether nodes of the kind may have been removed from the copy, or added to it."""
    path = _INDEX.sub("", kind.PATH)
    if not path:
        return False
    if any(path == changed or path.startswith(f"{changed}/") for changed in repairs.paths):
        return True
    if not issubclass(kind, ComplementNode):
        return False
    heads = {other.HEAD for other in node_kinds() if getattr(other, "TAG", "") in repairs.tags}  # type: ignore[attr-defined]
    return kind.HEAD in heads
