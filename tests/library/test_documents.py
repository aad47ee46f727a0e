"""Reading, sealing, printing and explaining as a program calls them."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from tests.library.conftest import StampedDocument
from tests.support.sandbox_app import with_attribute

import timbra


def test_read_returns_typed_nodes(invoice: StampedDocument) -> None:
    cfdi = timbra.read(invoice.xml)
    comprobante = cfdi.comprobante
    assert (cfdi.version, cfdi.uuid, comprobante.total) == (
        "4.0",
        "5b64ada3-aa4c-40b4-a2f5-572ced52be31",
        Decimal("232.00"),
    )
    assert [(each.ClaveProdServ, each.Importe) for each in comprobante.conceptos] == [("84111506", "200.00")]
    assert cfdi.stamp is not None
    assert cfdi.stamp.fecha_timbrado == invoice.on


def test_read_returns_a_retencion() -> None:
    cfdi = timbra.read(timbra.example("retencion"))
    assert (cfdi.version, cfdi.uuid, cfdi.retenciones.emisor.RfcE) == ("2.0", None, "EKU9003173C9")
    with pytest.raises(timbra.Error) as raised:
        cfdi.comprobante  # noqa: B018 - it raises
    assert raised.value.code == "TB4021"
    with pytest.raises(timbra.Error) as raised:
        timbra.read(timbra.example()).retenciones  # noqa: B018 - it raises
    assert raised.value.code == "TB4020"


def test_read_raises_with_the_place_of_a_fault() -> None:
    text = timbra.example().replace('Cantidad="1"', 'Cantidad="uno"')
    with pytest.raises(timbra.Error) as raised:
        timbra.read(text)
    location = raised.value.location
    assert location is not None
    assert (raised.value.code, location.path, location.found) == ("301", "Conceptos/Concepto[1]/@Cantidad", "uno")


@pytest.mark.parametrize("version", ["3.2", "1.1"])
def test_read_raises_for_a_version_without_nodes(version: str) -> None:
    xml = f'<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/3" version="{version}"/>'
    with pytest.raises(timbra.Error) as raised:
        timbra.read(xml)
    assert raised.value.code == "301"


def test_seal_writes_a_valid_seal(invoice: StampedDocument, tmp_path: Path) -> None:
    text = timbra.example(on=datetime.fromisoformat(invoice.on))
    cer, key = tmp_path / "a.cer", tmp_path / "a.key"
    cer.write_bytes(invoice.cer)
    key.write_bytes(invoice.key)
    sealed = timbra.seal(text, cer, key, invoice.password)
    check = timbra.verify(sealed, on=datetime.fromisoformat(invoice.on), trust=invoice.trust)
    assert (check.seal, check.stamp) == ("valid", "absent")
    assert sealed == timbra.seal(text.encode(), invoice.cer, invoice.key, invoice.password)


@pytest.mark.parametrize(
    ("cer", "key", "password", "code"),
    [
        (None, None, "wrong", "key-password"),
        (b"no", None, None, "certificate-unreadable"),
        (None, b"no", None, "key-unreadable"),
        ("no/such.cer", None, None, "certificate-unreadable"),
        (None, "no/such.key", None, "key-unreadable"),
    ],
)
def test_seal_raises_for_unusable_files(
    invoice: StampedDocument, cer: bytes | str | None, key: bytes | str | None, password: str | None, code: str
) -> None:
    with pytest.raises(timbra.Error) as raised:
        timbra.seal(timbra.example(), cer or invoice.cer, key or invoice.key, password or invoice.password)
    assert raised.value.code == code


def test_cadena_is_what_the_seal_signs() -> None:
    text = timbra.example(on=datetime(2026, 11, 17, 9, 30))  # noqa: DTZ001 (central Mexico)
    assert timbra.cadena(text).startswith("||4.0|2026-11-17T09:30:00|03||200.00|MXN|232.00|I|01|PUE|42501|")
    with pytest.raises(timbra.Error) as raised:
        timbra.cadena("<a/>")
    assert raised.value.code == "301"


def test_example_has_the_version_that_is_asked_for() -> None:
    assert 'Version="3.3"' in timbra.example("nomina12", version="3.3")
    for name, version in (("nomina13", None), ("pagos20", "3.3")):
        with pytest.raises(timbra.Error) as raised:
            timbra.example(name, version=version)
        assert raised.value.code == "name-unknown"


def test_explain_takes_a_code_in_any_form() -> None:
    explanation = timbra.explain("cfdi-40147")[0]
    assert explanation.code == "CFDI40147"
    assert dict(explanation.facts)["Necesita"] == "l_RFC"
    with pytest.raises(timbra.Error, match="CFDI40147") as raised:
        timbra.explain("CFDX40147")
    assert raised.value.code == "name-unknown"


def test_print_pdf_marks_a_document_without_a_trusted_stamp(invoice: StampedDocument) -> None:
    import pypdfium2

    legend = "Documento sin timbre fiscal verificable"
    for trust, is_marked in ((invoice.trust, False), (None, True)):
        pdf = pypdfium2.PdfDocument(timbra.print_pdf(invoice.xml, trust=trust))
        assert bytes(pdf.get_attachment(0).get_data()) == invoice.xml
        text = " ".join(pdf[0].get_textpage().get_text_range().split())
        assert (legend in text) is is_marked


def test_seal_changes_nothing_else(invoice: StampedDocument) -> None:
    text = timbra.example()
    sealed = timbra.seal(text, invoice.cer, invoice.key, invoice.password).decode()
    for name in ("Sello", "NoCertificado", "Certificado"):
        sealed = with_attribute(sealed.encode(), name, "").decode()
    assert sealed == text.strip()
