"""Smallest elements of the SAT's schemas with one chosen descendant: what is required before it, and the way to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lxml import etree
from tests.support.sat import XS, package, schema_folder_files

from timbra.cfdi.structure.standards import CompiledSchema, XmlStandard

Step = tuple[etree._Element, ...]
"""Declarations from the root element of a schema to an element."""
MAX_DEPTH = 12
KEYS = 300
"""Keys of a catalog that `with_short_catalogs` keeps."""


@cache
def originals() -> dict[str, Path]:
    """Return the SAT's schemas by file name."""
    return {file.name: file for file in schema_folder_files() if file.suffix == ".xsd"}


@cache
def original(name: str) -> etree._Element:
    return etree.parse(originals()[name], etree.XMLParser(huge_tree=True)).getroot()


def with_short_catalogs(folder: Path, values: Collection[str]) -> dict[str, Path]:
    """Write the SAT's schemas with the first keys of each catalog only; they decide alike about all of some values.

    An error about a key lists its whole catalog, which takes libxml2 seconds for 95,000 postal codes.

    Args:
        folder: gets the schemas.
        values: the values; those that are keys remain.

    Returns:
        The written schemas by file name.
    """
    kept, written = {*values, *(" ".join(value.split()) for value in values)}, {}
    for file in originals().values():
        tree = etree.parse(file, etree.XMLParser(huge_tree=True))
        for restriction in tree.iter(f"{XS}restriction"):
            for key in restriction.findall(f"{XS}enumeration")[KEYS:]:
                if key.get("value") not in kept:
                    restriction.remove(key)
        copy = written[file.name] = folder / file.relative_to(package())
        copy.parent.mkdir(parents=True, exist_ok=True)
        tree.write(copy, encoding="utf-8", xml_declaration=True)
    return written


def full_schemas(
    standards: tuple[XmlStandard, ...], files: Mapping[str, Path] | None = None
) -> dict[str, CompiledSchema]:
    """Return the SAT's schema of each standard by file name; one compiled schema has one version of each namespace.

    Args:
        standards: the standards.
        files: schemas by file name; the SAT's own for None.
    """
    files = files or originals()
    compiled: dict[str, CompiledSchema] = {}
    waiting = list(standards)
    while waiting:
        chosen = {standard.namespace: standard for standard in waiting}
        driver = etree.Element(f"{XS}schema")
        for namespace, standard in sorted(chosen.items()):
            etree.SubElement(driver, f"{XS}import", namespace=namespace, schemaLocation=files[standard.file].as_uri())
        schema = CompiledSchema(driver)
        compiled |= {standard.file: schema for standard in chosen.values()}
        waiting = [standard for standard in waiting if standard.file not in compiled]
    return compiled


@dataclass(frozen=True)
class DeclaredElement:
    """An element of a standard and the declarations on the way to it."""

    standard: XmlStandard
    way: Step

    @property
    def path(self) -> str:
        return "/".join(str(step.get("name")) for step in self.way)

    @property
    def attributes(self) -> list[str]:
        """Names of the declared attributes."""
        names = []
        for part in _parts(self.way[-1]):
            names += [str(each.get("name")) for each in part.iter(f"{XS}attribute") if _owner(each, part)]
        return names

    def build(self) -> tuple[etree._Element, etree._Element]:
        """Return a new root element of the standard, and the element in it."""
        qualified = original(self.standard.file).get("elementFormDefault") == "qualified"
        root = etree.Element(f"{{{self.standard.namespace}}}{self.standard.element}")
        if self.standard.version:
            names = DeclaredElement(self.standard, self.way[:1]).attributes
            root.set(next(name for name in names if name.lower() == "version"), self.standard.version)
        element = root
        for declared, following in zip(self.way, self.way[1:], strict=False):
            element = _fill(element, declared, following, self.standard.namespace if qualified else "", 0)
        return root, element


def elements(standard: XmlStandard) -> Iterator[DeclaredElement]:
    """Yield every declared element of a standard; a recursive declaration is entered once."""
    for root in original(standard.file).iterfind(f"{XS}element"):
        waiting: list[Step] = [(root,)]
        while waiting:
            way = waiting.pop()
            yield DeclaredElement(standard, way)
            if len(way) < MAX_DEPTH:
                waiting += [(*way, child) for child in _child_declarations(way[-1]) if child not in way]


def _owner(attribute: etree._Element, part: etree._Element) -> bool:
    above = attribute.getparent()
    while above is not None and above is not part:
        if above.tag == f"{XS}element":
            return False
        above = above.getparent()
    return attribute.get("name") is not None


def _parts(declared: etree._Element) -> list[etree._Element]:
    """Return the complex type of an element and those that it extends."""
    parts = []
    schema = declared.getroottree().getroot()
    kind, name = declared.find(f"{XS}complexType"), declared.get("type")
    if kind is None and name is not None:
        kind = schema.find(f"{XS}complexType[@name='{name.rpartition(':')[2]}']")
    while kind is not None:
        parts.append(kind)
        base = kind.find(f"{XS}complexContent/{XS}extension")
        kind = (
            None
            if base is None
            else schema.find(f"{XS}complexType[@name='{str(base.get('base')).rpartition(':')[2]}']")
        )
    return list(reversed(parts))


def _models(part: etree._Element) -> Iterator[etree._Element]:
    for child in part.iterchildren(etree.Element):
        if child.tag in (f"{XS}sequence", f"{XS}choice", f"{XS}all"):
            yield child
        elif child.tag in (f"{XS}complexContent", f"{XS}extension"):
            yield from _models(child)


def _child_declarations(declared: etree._Element) -> list[etree._Element]:
    found: list[etree._Element] = []

    def collect(model: etree._Element) -> None:
        for child in model.iterchildren(etree.Element):
            if child.tag == f"{XS}element" and child.get("name"):
                found.append(child)
            elif child.tag in (f"{XS}sequence", f"{XS}choice", f"{XS}all"):
                collect(child)

    for part in _parts(declared):
        for model in _models(part):
            collect(model)
    return found


def _fill(  # noqa: C901
    element: etree._Element, declared: etree._Element, wanted: etree._Element | None, namespace: str, depth: int
) -> etree._Element:
    """Add the required children of an element up to the wanted one; return the wanted one."""
    found: list[etree._Element] = []

    def add(child: etree._Element) -> None:
        tag = f"{{{namespace}}}{child.get('name')}" if namespace else str(child.get("name"))
        added = etree.SubElement(element, tag)
        if child is wanted:
            found.append(added)
        elif depth < MAX_DEPTH:
            _fill(added, child, None, namespace, depth + 1)

    def walk(model: etree._Element) -> None:
        parts = [part for part in model.iterchildren(etree.Element) if part.tag != f"{XS}annotation"]
        if model.tag == f"{XS}choice" and parts:
            parts = [next((part for part in parts if _contains(part, wanted)), parts[0])]
        for part in parts:
            if found:
                return
            if part.get("minOccurs", "1") == "0" and not _contains(part, wanted):
                continue
            if part.tag == f"{XS}element" and part.get("name"):
                for _ in range(1 if part is wanted else max(1, int(part.get("minOccurs", "1")))):
                    add(part)
            elif part.tag in (f"{XS}sequence", f"{XS}choice", f"{XS}all"):
                walk(part)

    for part in _parts(declared):
        for model in _models(part):
            if not found and (model.get("minOccurs", "1") != "0" or _contains(model, wanted)):
                walk(model)
    return found[0] if found else element


def _contains(part: etree._Element, wanted: etree._Element | None) -> bool:
    return wanted is not None and (part is wanted or any(each is wanted for each in part.iterdescendants()))
