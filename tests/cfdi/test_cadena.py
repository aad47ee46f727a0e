"""The cadena original by SAT's stylesheets."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import pytest
from lxml import etree
from tests.support.corpus import CORPUS, corpus_path

from timbra.cfdi.cadena import _DENIED, OriginalString
from timbra.cfdi.structure import Structure
from timbra.errors import ServiceError
from timbra.examples import ingreso, pago
from timbra.snapshot import Snapshot

USED_CAR = (
    '<v:VehiculoUsado xmlns:v="http://www.sat.gob.mx/vehiculousado" Version="1.0" montoAdquisicion="10.00"'
    ' montoEnajenacion="9.00" claveVehicular="1" marca="M" tipo="T" modelo="2000" valor="8.00"/>'
)


def test_an_invoice_gives_the_parts_in_the_order_of_the_norm(original_string: OriginalString) -> None:
    assert original_string.of(etree.fromstring(ingreso().encode()), "4.0") == (
        "||4.0|2026-11-17T12:00:00|03||200.00|MXN|232.00|I|01|PUE|42501|EKU9003173C9|ESCUELA KEMPER URGATE|601"
        "|URE180429TM6|UNIVERSIDAD ROBOTICA ESPAÑOLA|86991|601|G03|84111506|1|E48|Servicio de facturación|200.00"
        "|200.00|02|200.00|002|Tasa|0.160000|32.00|200.00|002|Tasa|0.160000|32.00|32.00||"
    )


def test_white_space_collapses_as_in_xpath_and_no_other(original_string: OriginalString) -> None:
    text = ingreso({"Emisor/@Nombre": "  A\t\n  B\u00a0 \u2003C\u0085  "})
    cadena = original_string.of(etree.fromstring(text.encode()), "4.0")
    assert "|EKU9003173C9|A B\u00a0 \u2003C\u0085|601|" in cadena


def test_an_optional_attribute_that_is_empty_keeps_its_pipe(original_string: OriginalString) -> None:
    cadena = original_string.of(etree.fromstring(ingreso({"@Serie": ""}).encode()), "4.0")
    assert cadena.startswith("||4.0||2026-11-17T12:00:00|")


def test_the_seal_and_the_addenda_do_not_count(original_string: OriginalString) -> None:
    root = etree.fromstring(ingreso().encode())
    before = original_string.of(root, "4.0")
    root.set("Sello", "otro")
    root.set("Certificado", "otro")
    etree.SubElement(root, "{http://www.sat.gob.mx/cfd/4}Addenda").text = "texto"
    assert original_string.of(root, "4.0") == before


def test_the_invoice_s_own_root_template_runs(original_string: OriginalString) -> None:
    root = etree.fromstring(ingreso().encode())
    plain = original_string.of(root, "4.0")
    etree.SubElement(root, "{http://www.sat.gob.mx/cfd/4}Complemento").append(etree.fromstring(USED_CAR))
    assert original_string.of(root, "4.0") == plain[:-1] + "1.0|10.00|9.00|1|M|T|2000|8.00||"


def test_only_one_root_template_is_left(sat_snapshot: Snapshot) -> None:
    main = {"cadenaoriginal_4_0", "cadenaoriginal_3_3", "cadenaoriginal_TFD_1_1", "cadenaoriginal_TFD_1_0"}
    sheets = [name for name in sat_snapshot.manifest.files if name.endswith(".xslt")]
    with_root = {name for name in sheets if b'match="/"' in sat_snapshot.read(name)}
    assert with_root == {f"xslt/{name}.xslt" for name in main}


def test_complements_of_each_version_are_told(original_string: OriginalString, structure: Structure) -> None:
    four, three = original_string.complements("4.0"), original_string.complements("3.3")
    assert {"http://www.sat.gob.mx/Pagos20", "http://www.sat.gob.mx/CartaPorte31"} <= four - three
    assert {"http://www.sat.gob.mx/Pagos", "http://www.sat.gob.mx/terceros"} <= three - four
    assert "http://www.sat.gob.mx/vehiculousado" in four & three
    known = {standard.namespace for standard in structure.supported}
    assert four | three <= known


def test_another_version_is_refused(original_string: OriginalString) -> None:
    with pytest.raises(KeyError):
        original_string.of(etree.fromstring(ingreso().encode()), "3.2")


def test_payments_count(original_string: OriginalString) -> None:
    cadena = original_string.of(etree.fromstring(pago().encode()), "4.0")
    assert cadena.startswith("||4.0|")
    assert "|2.0|" in cadena


def test_a_damaged_stylesheet_is_refused(sat_snapshot: Snapshot) -> None:
    damaged = sat_snapshot.path("xslt/utilerias.xslt")
    content = damaged.read_bytes()
    try:
        damaged.write_bytes(content.replace(b"Requerido", b"Required_"))
        with pytest.raises(ServiceError, match="snapshot-damaged"):
            OriginalString(sat_snapshot).of(etree.fromstring(ingreso().encode()), "4.0")
    finally:
        damaged.write_bytes(content)


@pytest.mark.parametrize("reach", ["document('/etc/hostname')", "document('http://127.0.0.1:9/x')"])
def test_a_stylesheet_reaches_nothing_outside(reach: str) -> None:
    sheet = etree.XSLT(
        etree.fromstring(
            '<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="1.0"><xsl:template match="/">'
            f'<x><xsl:value-of select="{reach}"/></x></xsl:template></xsl:stylesheet>'
        ),
        access_control=_DENIED,
    )
    with pytest.raises(etree.XSLTApplyError):
        sheet(etree.fromstring("<a/>"))


@cache
def corpus_cadenas() -> tuple[tuple[str, str, str], ...]:
    """File, version and SHA-256 of the cadena original."""
    if not CORPUS.is_dir():
        return ()
    documents = json.loads((CORPUS / "manifest.json").read_text("utf-8"))["documents"]
    known = [d for d in documents if d["version"] in ("3.3", "4.0") and d.get("cadena_sha256")]
    return tuple((d["file"], d["version"], d["cadena_sha256"]) for d in known)


def test_every_cadena_of_the_corpus_agrees(original_string: OriginalString) -> None:
    corpus: Path = corpus_path()
    for file, version, digest in corpus_cadenas():
        root = etree.parse(corpus / file, etree.XMLParser(resolve_entities=False)).getroot()
        assert hashlib.sha256(original_string.of(root, version).encode()).hexdigest() == digest, file
    assert len(corpus_cadenas()) >= 70
