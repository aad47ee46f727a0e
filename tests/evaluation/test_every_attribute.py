"""What the SAT's schemas reject in an attribute is an error at its path, by the structure check or by a rule."""

from __future__ import annotations

from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

import pytest
from lxml import etree
from tests.support.effort import LONG
from tests.support.minimal_elements import DeclaredElement, elements, full_schemas, with_short_catalogs
from tests.support.rule_set_examples import EXAMPLES
from tests.support.sandbox_app import SandboxApp
from tests.support.sat import make_snapshot
from tests.validation.test_validation import errors, report

from timbra.cfdi.nodes.documents import walk_document
from timbra.cfdi.structure import Structure, XmlStandard
from timbra.cfdi.structure.error_messages import attribute_of
from timbra.cfdi.structure.paths import ElementPaths, no_declarations
from timbra.cfdi.structure.standards import CompiledSchema
from timbra.examples import ingreso, ingreso33, retencion
from timbra.examples.documents import DOCUMENTS
from timbra.snapshot.build.enumerations import RULED, UNRULED
from timbra.snapshot.build.owned import OWNED
from timbra.validation.models import ReportEntryKind

CONTAINERS = ("Complemento", "ComplementoConcepto")

VALUES = (
    *("~Z~", "", " ", "-0.00", "-0", "-0.000000", "-1", "1e3", "INF", "+1", "1" * 19, "1.1234567", "0", "5.", "true "),
    *("2026-02-30", "2026-02-30T00:00:00", "\t1", "  x  ", "A" * 300, "á", "a|b", "X\nY"),
)
CFDI = "{http://www.sat.gob.mx/cfd/4}"
SAMPLE = 10
"""One of so many elements is checked in the suite."""

Place = tuple[str, str, str]
"""File name of a schema, element path and attribute."""

WARNED = {
    ("cfdv33.xsd", "Comprobante", "LugarExpedicion"),
    ("cfdv33.xsd", "Comprobante/Conceptos/Concepto", "ClaveProdServ"),
    ("cfdv33.xsd", "Comprobante/Conceptos/Concepto/Parte", "ClaveProdServ"),
}
"""CFDI 3.3 had postal codes and products of its own; only those of CFDI 4.0 are at hand (CFDI33125, 33142, 33172)."""

HIDDEN = {
    ("CartaPorte31.xsd", "CartaPorte/Mercancias", "PesoBrutoTotal"),
    ("CartaPorte31.xsd", "CartaPorte/Mercancias", "NumTotalMercancias"),
}
"""In an invoice of CFDI 3.3, which CP101 rejects for its version; the rules of these facets are those of CFDI 4.0."""


@pytest.fixture(scope="module")
def structure(tmp_path_factory: pytest.TempPathFactory) -> Structure:
    return Structure(make_snapshot(tmp_path_factory.mktemp("sat")))


@pytest.fixture(scope="module")
def full(structure: Structure, tmp_path_factory: pytest.TempPathFactory) -> dict[str, CompiledSchema]:
    return full_schemas(structure.supported, with_short_catalogs(tmp_path_factory.mktemp("schemas"), VALUES))


def is_ruled(structure: Structure, declared: DeclaredElement, name: str) -> bool:
    """Whether rules check the attribute or a facet of it in the place where its complement belongs."""
    standard, path = declared.standard, declared.path
    key = standard.namespace, standard.version
    if name in UNRULED.get(key, {}).get(path, ()):
        return False
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


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("app"))
    yield made
    made.container.close()


def examples() -> Iterable[str]:
    """Return the example documents: those of every standard, then those that satisfy a rule, then those that do not."""
    made = (each.make(version) for each in DOCUMENTS.values() for version in each.builders)
    pairs = EXAMPLES.values()
    return dict.fromkeys(chain(made, (each.passing() for each in pairs), (each.failing() for each in pairs)))


def placed(structure: Structure, root: etree._Element) -> Iterator[tuple[str, str, etree._Element, etree._Element]]:
    """Yield file name of the schema, path in its standard, element, and root of the standard for each element."""
    files = {(f"{{{each.namespace}}}{each.element}", each.version): each.file for each in structure.supported}
    for element in root.iter(etree.Element):
        top, names = element, [etree.QName(element).localname]
        while (parent := top.getparent()) is not None and etree.QName(parent).localname not in CONTAINERS:
            top = parent
            names.append(etree.QName(top).localname)
        file = files.get((str(top.tag), top.get("Version") or top.get("version") or ""))
        if file is not None:
            yield file, "/".join(reversed(names)), element, top


def ruled_places(structure: Structure) -> set[Place]:
    return {
        (declared.standard.file, declared.path, name)
        for standard in structure.supported
        for declared in elements(standard)
        for name in declared.attributes
        if is_ruled(structure, declared, name)
    }


def first_examples(structure: Structure, places: set[Place]) -> dict[tuple[Place, str], str]:
    """Return the first example that has an attribute, for each attribute and version of the document."""
    first: dict[tuple[Place, str], str] = {}
    for text in examples():
        root = etree.fromstring(text.encode())
        for file, path, element, _ in placed(structure, root):
            for name in element.attrib:
                if (place := (file, path, str(name))) in places:
                    first.setdefault((place, str(root.get("Version"))), text)
    return first


def test_values_that_the_schema_rejects_are_errors_at_the_path_where_rules_check_them(
    app: SandboxApp, structure: Structure, full: dict[str, CompiledSchema]
) -> None:
    places, certificate = ruled_places(structure), app.mint().certificate
    first = first_examples(structure, places)
    assert {place for place, _ in first} == places
    accepted, tried = defaultdict(list), 0
    for number, ((place, version), text) in enumerate(first.items()):
        root = etree.fromstring(text.encode())
        root.set("Sello", "c2VsbG8=")
        root.set("NoCertificado", certificate.number)
        root.set("Certificado", b64encode(certificate.der).decode())
        file, path, name = place
        element, top = next(
            (element, top)
            for *at, element, top in placed(structure, root)
            if at == [file, path] and name in element.attrib
        )
        above = ElementPaths(structure._standards.declarations).path(element)
        expected = f"{above}/@{name}".removeprefix("/")
        for value in VALUES if LONG else VALUES[number % len(VALUES) :] + VALUES:
            element.set(name, value)
            if not rejects(full[file], top, element, name):
                continue
            tried += 1
            found = report(app, etree.tostring(root, encoding="utf-8"), status=False)
            kinds = {each.kind for section in found.sections for each in section.entries if each.path == expected}
            if ReportEntryKind.ERROR not in kinds and not is_known(place, version, kinds):
                accepted[expected, version].append(value)
            if not LONG:
                break
    assert accepted == {}
    assert tried > (5_000 if LONG else 200)


def is_known(place: Place, version: str, kinds: set[ReportEntryKind]) -> bool:
    if place in WARNED:
        return kinds == {ReportEntryKind.WARNING}
    return version == "3.3" and place in HIDDEN


def test_nodes_have_the_paths_of_the_structure_check(structure: Structure) -> None:
    """The rules and the structure check write paths in one notation."""
    compared = 0
    for text in examples():
        root = etree.fromstring(text.encode())
        paths = ElementPaths(structure._standards.declarations)
        known = {paths.path(element) for element in root.iter(etree.Element)}
        nodes = {node.path for node in chain.from_iterable(walk_document(root).by_kind.values())}
        assert nodes <= known
        compared += len(nodes)
    assert compared > 5_000


def with_value(text: str, tag: str, name: str, value: str) -> bytes:
    """Return the document with a value in the last element of that local name."""
    root = etree.fromstring(text.encode())
    [*root.iter(f"{{*}}{tag}")][-1].set(name, value)
    return etree.tostring(root)


GLOBAL_FACTOR = "Impuestos/Traslados/Traslado[1]/@TipoFactor"


@pytest.mark.parametrize(
    ("xml", "code", "path"),
    [
        (with_value(ingreso(), "Traslado", "TipoFactor", "~Z~"), "301", GLOBAL_FACTOR),
        (with_value(ingreso33(), "Traslado", "TipoFactor", "~Z~"), "301", GLOBAL_FACTOR),
        (
            with_value(EXAMPLES["CFDI33129"].passing(), "CfdiRelacionados", "TipoRelacion", "~Z~"),
            "CFDI33129",
            "CfdiRelacionados/@TipoRelacion",
        ),
        (
            with_value(retencion(), "ImpRetenidos", "ImpuestoRet", "~Z~"),
            "T301",
            "Totales/ImpRetenidos[1]/@ImpuestoRet",
        ),
    ],
)
def test_wrong_key_has_its_code_and_path(app: SandboxApp, xml: bytes, code: str, path: str) -> None:
    assert (code, path) in [(each.code, each.path) for each in errors(report(app, xml, status=False))]
