"""Element shapes of a schema, and the names that a key of a JSON document nearly is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from lxml import etree

from timbra.cfdi.from_json.reading import ATTRIBUTE_MARK, FLAG_SUFFIX, TEXT_KEY, local_name

XS = "{http://www.w3.org/2001/XMLSchema}"
_GROUPS = (f"{XS}sequence", f"{XS}choice", f"{XS}all")
MAX_MEMBERS = 512
"""Keys of JSON objects that a shape remembers: the names of its members, in the notations of some clients."""
MAX_NAME = 128
"""Characters of a name; no schema declares a longer one."""
_WORD = re.compile(r"[^\W\d_]?[^\WA-Z\d_]+|[A-Z]+|\d+")
_PLURAL_ENDINGS = ("s", "es")


@dataclass(frozen=True, slots=True)
class Member:
    """A key of a JSON object, as the shape of its element declares it.

    Attributes:
        name: the key without the mark of attributes.
        folded: the local name, case-folded.
        attribute: the declared attribute of that name; None when there is none.
        child: the declared child of that name; None when there is none.
        flag_of: case-folded name of the member whose presence the key decides (`...Specified`); None for other keys.
        is_namespace: whether the key is a namespace declaration or schemaLocation, which the conversion writes itself.
        meant: the declared name that the key nearly is; None for a declared name and for other keys.
    """

    name: str
    folded: str
    attribute: str | None
    child: ElementShape | None
    flag_of: str | None
    is_namespace: bool
    meant: str | None


@dataclass
class ElementShape:
    """An element as its schema declares it; it must not change after its first use.

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
        return self._attribute_names.get(name) or self._attribute_names.get(name.casefold())

    def child(self, name: str) -> ElementShape | None:
        """Return the declared child of that name in any letter case; None when there is none."""
        declared = self._child_names.get(name) or self._child_names.get(name.casefold())
        return None if declared is None else self.children[declared]

    def rank(self, child: str) -> int:
        """Return the position of a declared child in the order that the schema requires."""
        return self._ranks[child]

    def member(self, key: str) -> Member:
        """Return what a key of the JSON object of this element means."""
        known = self._members.get(key)
        if known is None:
            known = self._member(key)
            if len(self._members) < MAX_MEMBERS:
                self._members[key] = known
        return known

    def _member(self, key: str) -> Member:
        name, local = key.removeprefix(ATTRIBUTE_MARK), local_name(key)
        attribute, child, base = self.attribute(local), self.child(local), local[: -len(FLAG_SUFFIX)]
        is_flag = local.endswith(FLAG_SUFFIX) and attribute is None and bool(self.attribute(base) or self.child(base))
        is_namespace = name in ("xmlns", "schemaLocation") or name.startswith(("xmlns:", "xsi:"))
        flag_of = base.casefold() if is_flag else None
        is_known = attribute or child or is_flag or is_namespace or key == TEXT_KEY
        meant = None if is_known else near_name(local, (*self.attributes, *self.children))
        return Member(name, local.casefold(), attribute, child, flag_of, is_namespace, meant)

    @cached_property
    def _attribute_names(self) -> dict[str, str]:
        return _by_name(self.attributes)

    @cached_property
    def _child_names(self) -> dict[str, str]:
        return _by_name(self.children)

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.children)}

    @cached_property
    def _members(self) -> dict[str, Member]:
        return {}

    @cached_property
    def _item(self) -> ElementShape | None:
        repeated = [child for child in self.children.values() if child.repeated]
        return repeated[0] if len(repeated) == 1 else None

    def item(self) -> ElementShape | None:
        """Return the only repeated child of a container such as Conceptos; None when this is not a container."""
        return self._item


def _by_name(names: Iterable[str]) -> dict[str, str]:
    """Return the declared names by themselves, and by their case-folded form; the first of several counts."""
    declared = list(names)
    return {name.casefold(): name for name in reversed(declared)} | {name: name for name in declared}


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


def near_name(name: str, declared: Iterable[str]) -> str | None:
    """Return the first declared name that a name nearly is, in any letter case; None when it is near none.

    A name is near another by one letter that is missing, added or different, by two neighbours that are exchanged, or
    by words that are singular in one and plural in the other.

    Args:
        name: a local name that is not declared itself.
        declared: names, in the order of the schema.
    """
    if len(name) > MAX_NAME:
        return None
    folded = name.casefold()
    return next((each for each in declared if _is_one_edit(folded, each.casefold()) or _is_plural(name, each)), None)


def _is_one_edit(name: str, other: str) -> bool:
    if abs(len(name) - len(other)) > 1 or not name:
        return False
    start = next((at for at, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), min(len(name), len(other)))
    rest, expected = name[start:], other[start:]
    is_exchanged = rest[1::-1] == expected[:2] and rest[2:] == expected[2:]
    return is_exchanged or rest[1:] == expected[1:] or rest[1:] == expected or rest == expected[1:]


def _is_plural(name: str, other: str) -> bool:
    if _differ_in_number(name, other):
        return True
    words, expected = _WORD.findall(name), _WORD.findall(other)
    return len(words) == len(expected) and all(map(_differ_in_number, words, expected))


def _differ_in_number(word: str, other: str) -> bool:
    short, long = sorted((word.casefold(), other.casefold()), key=len)
    return short == long or (long.startswith(short) and long[len(short) :] in _PLURAL_ENDINGS)
