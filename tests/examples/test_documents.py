"""Every named example document: SAT's schemas, rules, the sandbox, and JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import datetime

import pytest
from lxml import etree
from tests.cfdi.mutations import mutants
from tests.cfdi.oracle import Oracle, filled
from tests.cfdi.test_from_json import converted, tree
from tests.support.effort import rounds
from tests.support.json_documents import as_json
from tests.support.sandbox_app import FECHA, SandboxApp
from tests.support.sat import CFD, full_schema, make_snapshot, package

from timbra.cfdi.structure import Structure
from timbra.cfdi.structure.standards import CompiledSchema
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.examples import DOCUMENTS
from timbra.examples.complements import COMPLEMENTS
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.example_sealing import ExampleSealer
from timbra.snapshot import Snapshot, locate, open_snapshot
from timbra.stamping.build import stamping_services
from timbra.validation.build import validation_services

UNSTAMPED_CODE = "SIN-TIMBRE"

EVERY = [(name, version) for name, document in DOCUMENTS.items() for version in document.builders]
MUTANTS = rounds(4, 8)
XSI = "http://www.w3.org/2001/XMLSchema-instance"
STAMP = "http://www.sat.gob.mx/TimbreFiscalDigital"
PLANES_10 = "http://www.sat.gob.mx/esquemas/retencionpago/1/planesderetiro"
"""Planes de retiro 1.0, of documents that are validated and no longer made."""
REPLACED = {"ine10": CFD / "ine/ine10.xsd"}
"""Schemas that a later version of the same namespace replaces in the SAT's schemas."""


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return open_snapshot(locate(None))


@pytest.fixture(scope="module")
def structure(snapshot: Snapshot) -> Structure:
    return Structure(snapshot)


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """Return an oracle over newly built schemas, because the installed snapshot may be older than the rules."""
    return Oracle(Structure(make_snapshot(tmp_path_factory.mktemp("sat"))))


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    sandbox_app = SandboxApp(tmp_path_factory.mktemp("documents") / "data")
    sandbox_app.store(sandbox_app.mint())
    yield sandbox_app
    sandbox_app.container.close()


def root_of(name: str, version: str) -> etree._Element:
    return filled(etree.fromstring(DOCUMENTS[name].make(version).encode()))


def complement_of(root: etree._Element, tag: str) -> etree._Element:
    (found,) = root.iter(tag)
    return found


def test_documents_include_every_complement_with_a_schema(structure: Structure) -> None:
    wanted = {
        (f"{{{standard.namespace}}}{standard.element}", standard.version)
        for standard in structure.supported
        if not standard.document and standard.namespace not in (STAMP, PLANES_10)
    }
    assert {(document.tag, document.version) for document in DOCUMENTS.values() if document.tag} == wanted
    assert len(wanted) == len(structure.supported) - 8


def test_complements_have_the_versions_of_the_stylesheets(snapshot: Snapshot) -> None:
    """INE 1.0 is an exception: it shares its namespace with its successor."""
    stylesheets = json.loads(snapshot.read("cadena/index.json"))["cfdi"]
    for complement in COMPLEMENTS:
        namespace = complement.tag[1:].partition("}")[0]
        versions = [version for version in ("4.0", "3.3") if namespace in stylesheets[version]["complements"]]
        assert list(complement.versions) == (versions or ["3.3"]) or complement.name == "ine10"


def test_documents_have_their_version_and_complement(structure: Structure) -> None:
    for name, version in EVERY:
        root, document = root_of(name, version), DOCUMENTS[name]
        assert root.get("Version") == version, name
        if not document.tag:
            continue
        element = complement_of(root, document.tag)
        (standard,) = [
            each
            for each in structure.supported
            if (f"{{{each.namespace}}}{each.element}", each.version) == (document.tag, document.version)
        ]
        assert element.prefix == standard.prefix, name
        assert f"{standard.namespace} {standard.location}" in str(root.get(f"{{{XSI}}}schemaLocation")), name


def test_documents_are_valid_by_the_full_schema() -> None:
    for name, version in EVERY:
        root = root_of(name, version)
        if name in REPLACED:
            element = complement_of(root, DOCUMENTS[name].tag)
            own = CompiledSchema(etree.parse(package() / REPLACED[name]).getroot())
            assert own.errors(element) == [], name
            holder = element.getparent()
            assert holder is not None, name
            holder.remove(element)
        assert full_schema().errors(root) == [], name


def test_documents_are_valid_by_the_structure_check(structure: Structure) -> None:
    for name, version in EVERY:
        root = root_of(name, version)
        assert structure.check(root) == [], name
        assert structure.unknown_complements(root) == [], name


@pytest.mark.parametrize(("name", "version"), [each for each in EVERY if each[0] not in REPLACED])
def test_mutants_have_the_result_of_the_full_schema(oracle: Oracle, name: str, version: str) -> None:
    """Differences are allowed where a rule covers them."""
    for what, mutant in mutants(root_of(name, version), MUTANTS, name + version):
        assert oracle.differences(mutant) == [], what


CURRENT = [name for name, document in DOCUMENTS.items() if "4.0" in document.builders and not document.has_ended]
ENDED = [name for name, document in DOCUMENTS.items() if document.has_ended]


@pytest.mark.parametrize("name", CURRENT)
def test_current_document_is_stamped_and_valid(sandbox_app: SandboxApp, name: str) -> None:
    stamped = sandbox_app.issue(DOCUMENTS[name].make("4.0", FECHA).encode())
    report = asyncio.run(
        sandbox_app.container.get(validation_services).validation.validate(stamped.cfdi.encode(), with_status=False)
    )
    assert report.entries == []


@pytest.mark.parametrize("name", ENDED)
def test_ended_document_is_valid_at_its_time_and_not_stamped(sandbox_app: SandboxApp, name: str) -> None:
    sealed = ExampleSealer(
        sandbox_app.container.get(sandbox_services).authority_ca, sandbox_app.container.get(stamping_services).checks
    ).seal(DOCUMENTS[name].make("4.0"))
    report = asyncio.run(sandbox_app.container.get(validation_services).validation.validate(sealed, with_status=False))
    assert [entry.code for entry in report.entries] == [UNSTAMPED_CODE]
    with pytest.raises(ServiceError) as caught:
        sandbox_app.issue(DOCUMENTS[name].make("4.0", FECHA).encode())
    assert caught.value.code == "CFDI40999"


@pytest.mark.parametrize("name", [name for name, document in DOCUMENTS.items() if "3.3" in document.builders])
def test_document_of_33_is_valid_at_its_time(sandbox_app: SandboxApp, name: str) -> None:
    sealed = ExampleSealer(
        sandbox_app.container.get(sandbox_services).authority_ca, sandbox_app.container.get(stamping_services).checks
    ).seal(DOCUMENTS[name].make("3.3"))
    report = asyncio.run(sandbox_app.container.get(validation_services).validation.validate(sealed, with_status=False))
    assert not report.wrong, report.entries


@pytest.mark.parametrize(("name", "version"), [each for each in EVERY if each[1] != "2.0"])
def test_document_round_trips_through_json(name: str, version: str) -> None:
    """Elements with both text and attributes have no JSON form."""
    root = root_of(name, version)
    if any(element.attrib and (element.text or "").strip() for element in root.iter("*")):
        assert name == "detallista"
        return
    assert tree(converted(as_json(root))) == tree(root)


def test_make_rejects_another_version() -> None:
    with pytest.raises(KeyError):
        DOCUMENTS["pagos20"].make("3.3")


@pytest.mark.parametrize(
    ("name", "version", "fecha"),
    [
        ("ingreso", None, "2026-11-22T11:50:00"),
        ("retencion", None, "2026-11-22T11:50:00"),
        ("retencion-premios", "2.0", "2026-11-22T11:50:00"),
        ("ingreso", "3.3", None),
    ],
)
def test_default_fecha_is_shortly_before_now_for_a_document_that_can_be_stamped(
    name: str, version: str | None, fecha: str | None
) -> None:
    assert DOCUMENTS[name].default_fecha(version, datetime(2026, 11, 22, 12, tzinfo=CENTRAL_MEXICO)) == fecha
