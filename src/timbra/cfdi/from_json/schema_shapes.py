"""Element shapes of a schema: attributes and children, their order, and whether they repeat."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

XS = "{http://www.w3.org/2001/XMLSchema}"
_GROUPS = (f"{XS}sequence", f"{XS}choice", f"{XS}all")


@dataclass(slots=True)
class ElementShape:
    """An element as its schema declares it.

    Attributes:
        repeated: whether the parent may have it more than once.
        text: whether it has character data.
        open: whether it has elements of other namespaces (xs:any).
        attributes: names, in the order of the schema.
        children: by name, in the order that the schema requires.
    """

    name: str
    repeated: bool = False
    text: bool = False
    open: bool = False
    attributes: list[str] = field(default_factory=list)
    children: dict[str, ElementShape] = field(default_factory=dict)

    def attribute(self, name: str) -> str | None:
        """Return the declared attribute of that name in any letter case; None when there is none."""
        return _match_ignoring_case(name, self.attributes)

    def child(self, name: str) -> ElementShape | None:
        """Return the declared child of that name in any letter case; None when there is none."""
        declared = _match_ignoring_case(name, self.children)
        return None if declared is None else self.children[declared]

    def item(self) -> ElementShape | None:
        """Return the only repeated child of a container such as Conceptos; None when this is not a container."""
        repeated = [child for child in self.children.values() if child.repeated]
        return repeated[0] if len(repeated) == 1 else None


def _match_ignoring_case(name: str, names: list[str] | dict[str, ElementShape]) -> str | None:
    if name in names:
        return name
    folded = name.casefold()
    return next((candidate for candidate in names if candidate.casefold() == folded), None)


def read_shapes(schema: etree._Element) -> dict[str, ElementShape]:
    """Return the shape of each global element of a schema, by name."""
    reader = _Reader(schema)
    return {str(element.get("name")): reader.shape(element) for element in schema.iterfind(f"{XS}element")}


class _Reader:
    def __init__(self, schema: etree._Element) -> None:
        self._types = {str(kind.get("name")): kind for kind in schema.iterfind(f"{XS}complexType")}

    def shape(self, element: etree._Element) -> ElementShape:
        name = str(element.get("name") or element.get("ref")).rpartition(":")[2]
        shape = ElementShape(name, repeated=element.get("maxOccurs", "1") != "1")
        kind = element.find(f"{XS}complexType")
        if kind is None:
            kind = self._types.get(str(element.get("type")).rpartition(":")[2])
        if kind is None:
            shape.text = True
        else:
            self._fill(shape, kind, repeated=False)
        return shape

    def _fill(self, shape: ElementShape, node: etree._Element, *, repeated: bool) -> None:
        for part in node:
            if part.tag == f"{XS}attribute":
                shape.attributes.append(str(part.get("name") or part.get("ref")).rpartition(":")[2])
            elif part.tag == f"{XS}element":
                child = self.shape(part)
                child.repeated = child.repeated or repeated
                shape.children[child.name] = child
            elif part.tag == f"{XS}any":
                shape.open = True
            elif part.tag in _GROUPS:
                self._fill(shape, part, repeated=repeated or part.get("maxOccurs", "1") != "1")
            elif part.tag in (f"{XS}complexContent", f"{XS}simpleContent"):
                shape.text = shape.text or part.tag == f"{XS}simpleContent"
                self._fill(shape, part, repeated=repeated)
            elif part.tag in (f"{XS}extension", f"{XS}restriction"):
                base = self._types.get(str(part.get("base")).rpartition(":")[2])
                if base is not None:
                    self._fill(shape, base, repeated=repeated)
                self._fill(shape, part, repeated=repeated)
