"""What the SAT's schemas reject in an attribute that no rule checks is a fault at its path."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lxml import etree
from tests.support.effort import LONG
from tests.support.minimal_elements import DeclaredElement, elements, full_schemas
from tests.support.sat import make_snapshot

from timbra.cfdi.structure import Structure, XmlStandard
from timbra.cfdi.structure.error_messages import attribute_of
from timbra.cfdi.structure.paths import ElementPaths, no_declarations
from timbra.cfdi.structure.standards import CompiledSchema
from timbra.snapshot.build.enumerations import RULED
from timbra.snapshot.build.owned import OWNED

VALUES = (
    *("~Z~", "", " ", "-0.00", "-0", "-0.000000", "-1", "1e3", "INF", "+1", "1" * 19, "1.1234567", "0", "5.", "true "),
    *("2026-02-30", "2026-02-30T00:00:00", "\t1", "  x  ", "A" * 300, "á", "a|b", "X\nY"),
)
CFDI = "{http://www.sat.gob.mx/cfd/4}"
SAMPLE = 10
"""One of so many elements is checked in the suite."""


@pytest.fixture(scope="module")
def structure(tmp_path_factory: pytest.TempPathFactory) -> Structure:
    return Structure(make_snapshot(tmp_path_factory.mktemp("sat")))


@pytest.fixture(scope="module")
def full(structure: Structure) -> dict[str, CompiledSchema]:
    return full_schemas(structure.supported)


def is_ruled(structure: Structure, declared: DeclaredElement, name: str) -> bool:
    """Whether rules check the attribute or a facet of it in the place where its complement belongs."""
    standard, path = declared.standard, declared.path
    key = standard.namespace, standard.version
    owned = name in OWNED.get(key, {}).get(path, {})
    return owned or (key in RULED and name in structure.catalogs(standard).get(path, {}))


def rejects(schema: CompiledSchema, root: etree._Element, element: etree._Element, name: str) -> bool:
    errors = (error for error in schema.errors(root) if attribute_of(error) == name)
    paths = ElementPaths(no_declarations)
    return any(paths.element_at(root, error.path) is element for error in errors)


def chosen(structure: Structure) -> Iterator[DeclaredElement]:
    number = 0
    for standard in structure.supported:
        for declared in elements(standard):
            number += 1
            if LONG or number % SAMPLE == 0:
                yield declared


def document_with(standard: XmlStandard, root: etree._Element) -> etree._Element:
    if standard.document:
        return root
    document = etree.Element(f"{CFDI}Comprobante", Version="4.0")
    etree.SubElement(document, f"{CFDI}Complemento").append(root)
    return document


def test_values_that_the_schema_rejects_are_faults(structure: Structure, full: dict[str, CompiledSchema]) -> None:
    rejected, accepted = 0, []
    for declared in chosen(structure):
        root, element = declared.build()
        document = document_with(declared.standard, root)
        for name in declared.attributes:
            before = element.get(name)
            if (element is root and name.lower() == "version") or is_ruled(structure, declared, name):
                continue
            for value in VALUES:
                element.set(name, value)
                if rejects(full[declared.standard.file], root, element, name):
                    rejected += 1
                    faults = [each for each in structure.check(document) if each.element is element]
                    if not any(each.attribute == name and each.path.endswith(f"@{name}") for each in faults):
                        accepted.append((declared.standard.file, declared.path, name, value))
            if before is None:
                del element.attrib[name]
            else:
                element.set(name, before)
    assert accepted == []
    assert rejected > 1_000
