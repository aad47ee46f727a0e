"""A change of any attribute of a stamped document adds a finding to the report."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from lxml import etree
from tests.support.corpus import CORPUS, corpus_path, needs_corpus
from tests.support.sandbox_app import FECHA, SandboxApp
from tests.support.stamped import stamped

from timbra.examples import ingreso, nomina, pago
from timbra.examples.cfdi33 import FECHA_33, ingreso33
from timbra.validation.build import validation_services

TFD_TAG = "{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital"

EVERY = 7
"""The step between changed attributes in documents of the corpus."""


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    sandbox_app = SandboxApp(tmp_path_factory.mktemp("sandbox") / "data")
    yield sandbox_app
    sandbox_app.container.close()


@dataclass(frozen=True)
class Place:
    """An attribute: the position of its element in the document, and its name."""

    element: int
    attribute: str

    def is_of_stamp(self, xml: bytes) -> bool:
        return list(etree.fromstring(xml).iter(etree.Element))[self.element].tag == TFD_TAG

    def changed(self, xml: bytes) -> bytes:
        """Return the document with another last letter or digit in the attribute."""
        root = etree.fromstring(xml)
        element = list(root.iter(etree.Element))[self.element]
        value = str(element.get(self.attribute))
        at = max((place for place, email in enumerate(value) if email.isalnum()), default=0)
        other = "1" if value[at : at + 1] != "1" else "2"
        element.set(self.attribute, value[:at] + other + value[at + 1 :])
        return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


def places(xml: bytes) -> list[Place]:
    """Return every attribute of the invoice except namespaces, schemaLocation and the Addenda.

    The Version of the root is excluded, because another version is rejected without a report.
    """
    found: list[Place] = []
    for place, element in enumerate(etree.fromstring(xml).iter(etree.Element)):
        ways = [str(step.tag) for step in (element, *element.iterancestors())]
        if not any(way.endswith("}Addenda") for way in ways):
            found += [Place(place, str(name)) for name in element.attrib if not str(name).startswith("{")]
    return [place for place in found if place != Place(0, "Version")]


def findings_of(sandbox_app: SandboxApp, xml: bytes) -> set[tuple[str | None, ...]]:
    entries = asyncio.run(sandbox_app.container.get(validation_services).validation.validate(xml, False)).entries
    return {(entry.code, entry.path, entry.found, entry.detail) for entry in entries}


def unnoticed(sandbox_app: SandboxApp, xml: bytes, changed: list[Place]) -> list[Place]:
    before = findings_of(sandbox_app, xml)
    return [place for place in changed if findings_of(sandbox_app, place.changed(xml)) <= before]


@pytest.mark.parametrize(
    ("make", "fecha"),
    [(ingreso, FECHA), (pago, FECHA), (nomina, FECHA), (ingreso33, FECHA_33)],
    ids=["ingreso", "pago", "nomina", "ingreso33"],
)
def test_validate_reports_a_change_of_every_attribute(
    sandbox_app: SandboxApp, make: Callable[..., str], fecha: str
) -> None:
    xml = stamped(sandbox_app, make(fecha=fecha), fecha)
    every = places(xml)
    assert len(every) > 30
    assert unnoticed(sandbox_app, xml, every) == []


def _with_true_seals() -> list[str]:
    manifest = CORPUS / "manifest.json"
    rows = json.loads(manifest.read_text("utf-8"))["documents"] if manifest.is_file() else []
    return [row["file"] for row in rows if row["version"] in ("3.3", "4.0") and row["tfd_seal_ok"]]


@needs_corpus
@pytest.mark.parametrize("name", _with_true_seals())
def test_validate_reports_changes_in_public_documents(sandbox_app: SandboxApp, name: str) -> None:
    """Attributes of a stamp count only when its provider is trusted; otherwise it cannot be verified."""
    corpus_path()
    xml = (CORPUS / name).read_bytes()
    trusted = "TFD-PROVEEDOR" not in {code for code, *_ in findings_of(sandbox_app, xml)}
    chosen = [place for place in places(xml) if trusted or not place.is_of_stamp(xml)][len(name) % EVERY :: EVERY]
    assert len(chosen) >= 4
    assert unnoticed(sandbox_app, xml, chosen) == []
