"""Slim schemas differ from the SAT's by catalogs, owned facets and wildcards only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from decimal import Decimal, InvalidOperation
from itertools import chain

import pytest
from lxml import etree
from tests.support.sat import XS, schema_folder_files

from timbra.cfdi.nodes.complement import ANY, ComplementNode, MisplacedComplement
from timbra.cfdi.nodes.complements import CONCEPTO_KINDS, KINDS
from timbra.core.errors import ServiceError
from timbra.rules.registry import RULE_SETS
from timbra.snapshot import Snapshot
from timbra.snapshot.build.enumerations import RULED, UNRULED
from timbra.snapshot.build.owned import BOUNDS, DECIMALS, LENGTH, MINIMUM, OWNED, TEXT, FacetClaim
from timbra.snapshot.build.slimming import Types, attribute_catalogs, elements_at, remove_catalogs, remove_owned

CATALOGS = "http://www.sat.gob.mx/sitio_internet/cfd/catalogos"

ORIGINALS = {file.name: file for file in schema_folder_files() if file.suffix == ".xsd"}
CLAIMS = [
    pytest.param(standard, path, name, claim, id=f"{path}/@{name} {claim[1]}")
    for standard, claims in OWNED.items()
    for path, attributes in claims.items()
    for name, claim in attributes.items()
]
PROBES = (
    *("", " ", "x", "-", "0", "0.00", "0.000001", "0.0000001", "1", "1.0000000", "1.00000000001", "-1", "-0.01", "+1"),
    *(
        "1.1234567",
        "-1.1234567",
        ".5",
        "5.",
        "1e3",
        "INF",
        "1" * 18,
        "1" * 19,
        "2018",
        "-5",
        "123",
        "1" * 30,
        "1" * 19 + ".00",
        "-" + "1" * 19 + ".00",
        "1" * 26,
        "A" * 60,
    ),
    *("2026-11-17T12:00:00", "2026-02-30T12:00:00", "17-11-2026", "15  48  3009  0001234", "15 48 3009 0001234"),
)


def original(name: str) -> etree._Element:
    return etree.parse(ORIGINALS[name], etree.XMLParser(huge_tree=True)).getroot()


def slim(snapshot: Snapshot, name: str) -> etree._Element:
    return etree.fromstring(snapshot.read(f"xsd/{name}"), etree.XMLParser(huge_tree=True))


def schema_names(snapshot: Snapshot) -> list[str]:
    return [name.removeprefix("xsd/") for name in snapshot.manifest.files if name.endswith(".xsd")]


def shape(root: etree._Element) -> list[tuple[str, ...]]:
    """Return every declaration with its attributes except links."""
    return [(str(e.tag), *_attributes(e)) for e in root.iter(etree.Element)]


def _attributes(element: etree._Element) -> Iterator[str]:
    yield from sorted(f"{n!s}={value!s}" for n, value in element.items() if n != "schemaLocation")


def blank_out(root: etree._Element, namespace: str, version: str) -> None:
    """Remove the allowed differences: types of owned and unruled attributes, content of Addenda, modes of wildcards."""
    key = namespace, version
    for path, claims in (*OWNED.get(key, {}).items(), *UNRULED.get(key, {}).items()):
        for element, name in ((e, n) for e in elements_at(root, path) for n in claims):
            for attribute in element.iterfind(f"{XS}complexType/{XS}attribute[@name='{name}']"):
                attribute.attrib.pop("type", "")
                attribute[:] = []
    for wildcard in root.iter(f"{XS}any"):
        wildcard.attrib.pop("processContents", "")
    for addenda in root.iter(f"{XS}element"):
        if addenda.get("name") == "Addenda":
            addenda[:] = []


def test_slim_schemas_keep_other_facets(sat_snapshot: Snapshot) -> None:
    names = schema_names(sat_snapshot)
    for name in names:
        full, light = original(name), slim(sat_snapshot, name)
        namespace = str(full.get("targetNamespace"))
        for version in {
            version for space, version in (*OWNED, *UNRULED) if space == namespace and name != "cfdv32.xsd"
        }:
            blank_out(full, namespace, version)
            blank_out(light, namespace, version)
        if namespace.startswith(CATALOGS):
            remove_catalogs(full)
        if name in ("cfdv40.xsd", "cfdv33.xsd", "cfdv32.xsd", "retencionpagov2.xsd", "retencionpagov1.xsd"):
            blank_out(full, "", "")
            blank_out(light, "", "")
        assert shape(light) == shape(full), name
    assert len(names) == 77


def test_remove_catalogs_empties_catalog_types_only(sat_snapshot: Snapshot) -> None:
    kinds = chain.from_iterable(slim(sat_snapshot, name).iter(f"{XS}simpleType") for name in schema_names(sat_snapshot))
    named = {str(kind.get("name")): kind for kind in kinds if kind.get("name")}
    values = {name: len(list(kind.iter(f"{XS}enumeration"))) for name, kind in named.items()}
    assert [values[name] for name in ("c_ClaveProdServ", "c_TipoNomina", "c_Estaciones")] == [0, 0, 0]
    assert [values[name] for name in ("t_TipoProc", "SubActividad", "c_TAR")] == [3, 39, 78]


def test_attribute_catalogs_has_every_emptied_type(sat_snapshot: Snapshot) -> None:
    used = set()
    for name in schema_names(sat_snapshot):
        root = slim(sat_snapshot, name)
        types = Types({str(original(n).get("targetNamespace")): original(n) for n in ("tdCFDI.xsd",)})
        listed = attribute_catalogs(root, types)
        used |= {kind for attributes in listed.values() for kind in attributes.values()}
        written = re.findall(r'type="cat\w+:(c_\w+)"', etree.tostring(root).decode())
        assert len(written) == sum(map(len, listed.values())), name
    assert {"c_FormaPago", "c_CodigoPostal", "c_FraccionArancelaria", "c_TipoNomina"} < used


def test_flatten_links_leaves_names_of_the_snapshot(sat_snapshot: Snapshot) -> None:
    for name in sat_snapshot.manifest.files:
        if not name.endswith(".json"):
            signed_links = re.findall(rb'(?:schemaLocation|href)="([^"]*)"', sat_snapshot.read(name))
            assert all(
                f"{name.partition('/')[0]}/{link.decode()}" in sat_snapshot.manifest.files for link in signed_links
            )


TYPES = {
    "tdCFDI": "tdCFDI.xsd",
    "catCEH": "catHidrocarburos.xsd",
    "c_retenciones": "catRetenciones.xsd",
    "CatPlataformasTecnologicas": "CatPlataformasTecnologicas.xsd",
}
"""Return the schemas of the types of owned attributes by prefix."""


def _type_schema(declaration: etree._Element) -> etree.XMLSchema:
    """Return a schema of one element whose only attribute has the declared type."""
    spaces = {prefix: str(original(name).get("targetNamespace")) for prefix, name in TYPES.items()}
    root = etree.Element(f"{XS}schema", nsmap={"xs": XS[1:-1], **spaces})
    for prefix, name in TYPES.items():
        etree.SubElement(root, f"{XS}import", namespace=spaces[prefix], schemaLocation=ORIGINALS[name].as_uri())
    kind = etree.SubElement(etree.SubElement(root, f"{XS}element", name="e"), f"{XS}complexType")
    kind.append(deepcopy(declaration))
    return etree.XMLSchema(root)


def _owned(claim: FacetClaim, value: str) -> bool:
    """Return whether the claim allows the slim schema to accept a value that the SAT's schema rejects."""
    if claim[0] == TEXT:
        return True
    if claim[0] == LENGTH:
        return value.isdigit()
    try:
        number = Decimal(value)
    except InvalidOperation:
        return False
    if claim[0] == MINIMUM:
        return number <= 0
    whole, _, decimals = value.lstrip("+-").partition(".")
    outside = BOUNDS in claim[0] and number < 0
    whole_digits = whole.isdigit() and (len(whole) <= 18 or outside)
    digits = DECIMALS in claim[0] or len(decimals) <= 6
    return whole_digits and digits and (BOUNDS in claim[0] or number >= 0)


def _declaration(root: etree._Element, path: str, name: str) -> etree._Element:
    (element,) = elements_at(root, path)
    (attribute,) = element.iterfind(f"{XS}complexType/{XS}attribute[@name='{name}']")
    return attribute


@pytest.fixture(scope="module")
def files(sat_snapshot: Snapshot) -> Mapping[tuple[str, str], str]:
    """The schemas by the namespace and the version of their document."""
    return {_standard(sat_snapshot, file): file for file in schema_names(sat_snapshot)}


@pytest.mark.parametrize(("standard", "path", "name", "claim"), CLAIMS)
def test_remove_owned_drops_only_owned_facets(
    sat_snapshot: Snapshot,
    files: Mapping[tuple[str, str], str],
    standard: tuple[str, str],
    path: str,
    name: str,
    claim: FacetClaim,
) -> None:
    file = files[standard]
    full = _type_schema(_declaration(original(file), path, name))
    light = _type_schema(_declaration(slim(sat_snapshot, file), path, name))
    dead_only = 0
    for value in PROBES:
        element = etree.Element("e", {name: value})
        before, after = full.validate(element), light.validate(element)
        assert after or not before, f"{value!r} was accepted and no longer is"
        assert before or not after or _owned(claim, value), f"{value!r} is not owned by {claim[1]}"
        dead_only += after and not before
    assert dead_only


def _standard(snapshot: Snapshot, file: str) -> tuple[str, str]:
    root = slim(snapshot, file)
    return str(root.get("targetNamespace")), str(root.xpath("string(*/*/*[@name='Version']/@fixed)"))


def test_owned_codes_have_the_form_of_the_matrices() -> None:
    tables = (attributes for claims in OWNED.values() for attributes in claims.values())
    codes = [code for attributes in tables for _, owners in attributes.values() for code in owners.split()]
    form = re.compile(r"(CFDI(33|40)|CRP(20)?|NOM|CP|CCE|GCEH|IEEH|CCHYP|Reten20|SPT)\d{2,3}")
    assert all(form.fullmatch(code) for code in codes)
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("path", ["Comprobante/Nada", "Comprobante/Emisor"])
def test_remove_owned_rejects_table_that_differs_from_schema(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    root = original("cfdv40.xsd")
    monkeypatch.setitem(OWNED, ("x", "1"), {path: {"Nada": (TEXT, "CFDI40101")}})
    with pytest.raises(ServiceError, match="snapshot-source"):
        remove_owned(root, "x", "1", Types({}))


def test_ruled_standards_are_those_of_the_rule_sets() -> None:
    """Where a rule set asks the catalogs of a complement, by the versions of its documents.

    A rule set without rules about nodes of the complement asks none: that of Carta Porte in an invoice of 3.3.
    """
    asked: dict[tuple[str, str], set[str]] = {}
    for rule_set in RULE_SETS:
        complement = rule_set.complement
        if not any(issubclass(rule.kind, ComplementNode) for rule in rule_set.rules):
            continue
        for tables, holder in ((KINDS, "Complemento"), (CONCEPTO_KINDS, "ComplementoConcepto")):
            for (tag, version), kind in tables.items():
                if kind is complement and version != ANY and not issubclass(kind, MisplacedComplement):
                    key = tag[1:].partition("}")[0], version
                    asked.setdefault(key, set()).update(f"{each} {holder}" for each in rule_set.versions)
    complements = {key: places for key, places in RULED.items() if any(" " in place for place in places)}
    assert {key: set(places) for key, places in complements.items()} == {key: asked[key] for key in complements}
