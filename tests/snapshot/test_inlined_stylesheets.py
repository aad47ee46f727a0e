"""Inlining the calls of a stylesheet changes no character of any cadena original."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree
from tests.support.sat import resources

from timbra.cfdi.from_json.schema_shapes import ElementShape, read_shapes
from timbra.cfdi.structure.standards import XmlStandard
from timbra.snapshot import locate, open_snapshot
from timbra.snapshot.build import stylesheets

SNAPSHOT = open_snapshot(locate(None))
STANDARDS = [XmlStandard(**entry) for entry in json.loads(SNAPSHOT.read("xsd/index.json"))]
DOCUMENTS = {standard.version: standard for standard in STANDARDS if standard.document}
VALUES = ["", " ", "a", " a  b ", "\u00a0x\u00a0", "1.50", "línea\tdos"]


def shape(standard: XmlStandard) -> ElementShape:
    return read_shapes(etree.fromstring(SNAPSHOT.read(f"xsd/{standard.file}")))[standard.element]


def filled(standard: XmlStandard, form: ElementShape, jitter: random.Random) -> etree._Element:
    """Return an element with some of its attributes and children, some of them twice, valid or not."""
    element = etree.Element(f"{{{standard.namespace}}}{form.name}")
    for name in form.attributes:
        if jitter.random() < 0.7:
            element.set(name, jitter.choice(VALUES))
    for child in form.children.values():
        for _ in range(jitter.choice((0, 1, 1, 2))):
            element.append(filled(standard, child, jitter))
    if form.text:
        element.text = jitter.choice(VALUES)
    return element


def documents(version: str, jitter: random.Random) -> Iterator[etree._Element]:
    """Return documents with each complement in turn."""
    invoice = DOCUMENTS[version]
    form = shape(invoice)
    for standard in STANDARDS:
        root = filled(invoice, form, jitter)
        if not standard.document:
            complement = etree.SubElement(root, f"{{{invoice.namespace}}}Complemento")
            complement.append(filled(standard, shape(standard), jitter))
            for concepto in root.iter(f"{{{invoice.namespace}}}Concepto"):
                inner = etree.SubElement(concepto, f"{{{invoice.namespace}}}ComplementoConcepto")
                inner.append(filled(standard, shape(standard), jitter))
        yield root


def compiled(folder: Path, main: str) -> etree.XSLT:
    for name, content in stylesheets.stylesheet_files(resources()).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return etree.XSLT(etree.parse(str(folder / "xslt" / Path(main).name)))


@pytest.mark.parametrize("version", ["4.0", "3.3", "2.0"])
def test_inlined_stylesheet_gives_the_same_cadena(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = stylesheets.DOCUMENTS[version]
    inlined = compiled(tmp_path / "inlined", main)
    monkeypatch.setattr(stylesheets, "inline_values", lambda _root: None)
    called = compiled(tmp_path / "called", main)
    jitter = random.Random(20261117)
    texts = set()
    for _ in range(3):
        for root in documents(version, jitter):
            text = str(called(root))
            assert str(inlined(root)) == text
            texts.add(text)
    assert len(texts) > 2 * len(STANDARDS)


def test_inline_values_removes_the_calls() -> None:
    """The remaining calls have a parameter that is no plain selection, or none."""
    root = resources().root(stylesheets.DOCUMENTS["4.0"])
    before = sum(1 for _ in root.iter(f"{stylesheets.XSL}call-template"))
    stylesheets.inline_values(root)
    assert before > 50
    assert sum(1 for _ in root.iter(f"{stylesheets.XSL}call-template")) == 0
