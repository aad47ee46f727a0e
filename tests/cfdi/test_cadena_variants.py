"""Common mistakes in a cadena original, computed from the document."""

from __future__ import annotations

import pytest
from lxml import etree
from tests.support.declarations import original_string

from timbra.cfdi.cadena_variants import document_variants
from timbra.examples import ingreso, ingreso33, pago


def variants(text: str, version: str = "4.0") -> dict[str, str]:
    root = etree.fromstring(text.encode())
    before = etree.tostring(root)
    found = {variant.says: variant.text for variant in document_variants(original_string(), root, version)}
    assert etree.tostring(root) == before, "the document is not changed"
    return found


def test_document_variants_keep_white_space() -> None:
    text = ingreso().replace('Descripcion="', 'Descripcion=" Dos  espacios&#10;y una línea ', 1)
    assert "| Dos  espacios\ny una línea " in variants(text)["sin normalizar los espacios"]
    assert "|Dos espacios y una línea " in original_string().build(etree.fromstring(text.encode()), "4.0")


def test_document_variants_omit_the_complement() -> None:
    own = original_string().build(etree.fromstring(pago().encode()), "4.0")
    without = variants(pago())["sin el complemento"]
    assert without != own
    assert own.startswith(without.removesuffix("||"))


def test_document_variants_omit_no_certificado() -> None:
    text = ingreso({"@NoCertificado": "30001000000500003416"})
    assert "30001000000500003416" not in variants(text)["sin NoCertificado"]


@pytest.mark.parametrize(("text", "version", "other"), [(ingreso(), "4.0", "3.3"), (ingreso33(), "3.3", "4.0")])
def test_document_variants_use_the_other_stylesheet(text: str, version: str, other: str) -> None:
    found = variants(text, version)[f"con la hoja de estilo de CFDI {other}"]
    assert "EKU9003173C9" in found
    assert found != original_string().build(etree.fromstring(text.encode()), version)
