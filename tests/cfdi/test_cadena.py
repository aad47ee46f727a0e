"""The cadena original by programs made from the SAT's stylesheets."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import pytest
from lxml import etree
from tests.support.corpus import CORPUS, corpus_path
from tests.support.retenciones10 import retencion10
from tests.support.stylesheets import document_stylesheet

from timbra.cfdi.cadena import CadenaOriginal, load_program
from timbra.cfdi.structure import Structure
from timbra.core.errors import ServiceError
from timbra.examples import ingreso, pago
from timbra.examples.retenciones20 import RETENCION_COMPLEMENTS, RetencionComplement
from timbra.seals.certificates.certificate import CertificateCache
from timbra.seals.seal import verify
from timbra.snapshot import Snapshot, SnapshotSource, open_snapshot
from timbra.snapshot.build import write_manifest
from timbra.snapshot.build.folder import write_files

RETENCIONES1 = "http://www.sat.gob.mx/esquemas/retencionpago/1"

USED_CAR = (
    '<v:VehiculoUsado xmlns:v="http://www.sat.gob.mx/vehiculousado" Version="1.0" montoAdquisicion="10.00"'
    ' montoEnajenacion="9.00" claveVehicular="1" marca="M" tipo="T" modelo="2000" valor="8.00"/>'
)


def test_build_writes_parts_in_the_order_of_anexo_20(original_string: CadenaOriginal) -> None:
    assert original_string.build(etree.fromstring(ingreso().encode()), "4.0") == (
        "||4.0|2026-11-17T12:00:00|03||200.00|MXN|232.00|I|01|PUE|42501|EKU9003173C9|ESCUELA KEMPER URGATE|601"
        "|URE180429TM6|UNIVERSIDAD ROBOTICA ESPAÑOLA|86991|601|G03|84111506|1|E48|Servicio de facturación|200.00"
        "|200.00|02|200.00|002|Tasa|0.160000|32.00|200.00|002|Tasa|0.160000|32.00|32.00||"
    )


def test_build_collapses_white_space_as_xpath_does(original_string: CadenaOriginal) -> None:
    text = ingreso({"Emisor/@Nombre": "  A\t\n  B\u00a0 \u2003C\u0085  "})
    cadena = original_string.build(etree.fromstring(text.encode()), "4.0")
    assert "|EKU9003173C9|A B\u00a0 \u2003C\u0085|601|" in cadena


def test_build_keeps_the_pipe_of_an_empty_optional_attribute(original_string: CadenaOriginal) -> None:
    cadena = original_string.build(etree.fromstring(ingreso({"@Serie": ""}).encode()), "4.0")
    assert cadena.startswith("||4.0||2026-11-17T12:00:00|")


def test_build_ignores_seal_and_addenda(original_string: CadenaOriginal) -> None:
    root = etree.fromstring(ingreso().encode())
    before = original_string.build(root, "4.0")
    root.set("Sello", "otro")
    root.set("Certificado", "otro")
    etree.SubElement(root, "{http://www.sat.gob.mx/cfd/4}Addenda").text = "texto"
    assert original_string.build(root, "4.0") == before


def test_build_uses_the_root_template_of_the_invoice(original_string: CadenaOriginal) -> None:
    root = etree.fromstring(ingreso().encode())
    plain = original_string.build(root, "4.0")
    etree.SubElement(root, "{http://www.sat.gob.mx/cfd/4}Complemento").append(etree.fromstring(USED_CAR))
    assert original_string.build(root, "4.0") == plain[:-1] + "1.0|10.00|9.00|1|M|T|2000|8.00||"


def test_complements_lists_namespaces_of_each_version(original_string: CadenaOriginal, structure: Structure) -> None:
    four, three = original_string.complements("4.0"), original_string.complements("3.3")
    assert {"http://www.sat.gob.mx/Pagos20", "http://www.sat.gob.mx/CartaPorte31"} <= four - three
    assert {"http://www.sat.gob.mx/Pagos", "http://www.sat.gob.mx/terceros"} <= three - four
    assert "http://www.sat.gob.mx/vehiculousado" in four & three
    namespaces = {standard.namespace for standard in structure.supported}
    assert four | three <= namespaces


def test_build_rejects_another_version(original_string: CadenaOriginal) -> None:
    with pytest.raises(KeyError):
        original_string.build(etree.fromstring(ingreso().encode()), "2.2")


def test_build_includes_payments(original_string: CadenaOriginal) -> None:
    cadena = original_string.build(etree.fromstring(pago().encode()), "4.0")
    assert cadena.startswith("||4.0|")
    assert "|2.0|" in cadena


def test_build_rejects_damaged_program(sat_snapshot: Snapshot) -> None:
    damaged = sat_snapshot.path("cadena/cfdi-4.0.json")
    content = damaged.read_bytes()
    try:
        damaged.write_bytes(content.replace(b"Moneda", b"Monedx"))
        with pytest.raises(ServiceError, match="snapshot-damaged"):
            CadenaOriginal(sat_snapshot).build(etree.fromstring(ingreso().encode()), "4.0")
    finally:
        damaged.write_bytes(content)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format":2}', b'{"format":1,"templates":[]}'])
def test_load_program_rejects_what_is_no_program(tmp_path: Path, content: bytes) -> None:
    write_files(tmp_path, {"cadena/x.json": content})
    write_manifest(tmp_path, SnapshotSource("satcfdi", "0", "0"))
    with pytest.raises(ServiceError, match="snapshot-damaged"):
        load_program(open_snapshot(tmp_path), "x.json")


@cache
def corpus_cadenas() -> tuple[tuple[str, str, str], ...]:
    """Return file, version and SHA-256 of the cadena original of the documents with one."""
    if not CORPUS.is_dir():
        return ()
    documents = json.loads((CORPUS / "manifest.json").read_text("utf-8"))["documents"]
    hashed = [d for d in documents if d["version"] in ("3.3", "4.0") and d.get("cadena_sha256")]
    return tuple((d["file"], d["version"], d["cadena_sha256"]) for d in hashed)


def test_build_agrees_with_the_seal_of_a_retencion(original_string: CadenaOriginal) -> None:
    file = corpus_path() / "docs/lunasoft_SW-sdk-NetStandard/retention20.xml"
    root = etree.parse(file, etree.XMLParser(resolve_entities=False)).getroot()
    key = CertificateCache().read_base64(root.get("Certificado", "")).public_key
    assert verify(key, original_string.build(root, "2.0"), root.get("Sello", ""))


@pytest.mark.parametrize("foreign", [False, True])
@pytest.mark.parametrize("inside", ["", "\n   ", " texto & más "])
def test_build_of_retenciones_10_agrees_with_the_stylesheet(
    original_string: CadenaOriginal, foreign: bool, inside: str
) -> None:
    """The stylesheet of version 1.0 applies its templates to ImpRetenidos, which copies the text inside."""
    root = etree.fromstring(retencion10({"@DescRetenc": " a  b\t"}, foreign=foreign).encode())
    next(root.iter("{*}ImpRetenidos")).text = inside
    made = original_string.build(root, "1.0")
    assert made == str(document_stylesheet("1.0")(root))
    assert made.startswith("||1.0|")
    assert made.endswith("|Pago provisional||")


@pytest.mark.parametrize("complement", RETENCION_COMPLEMENTS, ids=lambda each: each.name)
def test_build_of_retenciones_10_includes_every_complement(
    original_string: CadenaOriginal, complement: RetencionComplement
) -> None:
    changes = complement.changes("2024-05-01T12:00:00")
    root = etree.fromstring(retencion10(changes).encode())
    made = original_string.build(root, "1.0")
    assert made == str(document_stylesheet("1.0")(root))
    assert len(made) > len(original_string.build(etree.fromstring(retencion10().encode()), "1.0"))


def test_complements_of_retenciones_are_those_with_a_schema(
    original_string: CadenaOriginal, structure: Structure
) -> None:
    spaces = {each.namespace for each in structure.supported if each.namespace.startswith(f"{RETENCIONES1}/")}
    assert len(spaces) == 13
    assert original_string.complements("1.0") == spaces
    assert original_string.complements("2.0") == spaces - {f"{RETENCIONES1}/planesderetiro"}


def test_build_agrees_with_every_seal_of_the_corpus(original_string: CadenaOriginal) -> None:
    corpus: Path = corpus_path()
    for file, version, digest in corpus_cadenas():
        root = etree.parse(corpus / file, etree.XMLParser(resolve_entities=False)).getroot()
        assert hashlib.sha256(original_string.build(root, version).encode()).hexdigest() == digest, file
    assert len(corpus_cadenas()) >= 70
