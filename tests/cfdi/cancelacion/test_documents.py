"""Requests and acuses of the cancellation services: written, read back, and rejected when malformed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.support.corpus import CORPUS, corpus_path

from timbra.cfdi.cancelacion.acuse import answer_acuse, cancellation_acuse, retenciones_acuse
from timbra.cfdi.cancelacion.answer import AcceptReject, ReceiverAnswer, read_accept_reject
from timbra.cfdi.cancelacion.relations import RelationsRequest, read_relations_request
from timbra.cfdi.cancelacion.request import Cancelacion, Folio, read_cancelacion
from timbra.core.errors import ServiceError

CANCELACFD = "http://cancelacfd.sat.gob.mx"
CANCELARETENCION = "http://cancelaretencion.sat.gob.mx"
RETENCIONES_NAMESPACES = ("http://www.sat.gob.mx/esquemas/retencionpago/1", "http://cancelaretencion.sat.gob.mx")

NOON = datetime(2026, 11, 17, 18, tzinfo=UTC)
FIRST = "0d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
SECOND = "1d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d12"
REQUEST = Cancelacion("EKU9003173C9", (Folio(FIRST, "01", SECOND), Folio(SECOND, "02")))
ANSWER = AcceptReject("URE180429TM6", {FIRST: ReceiverAnswer.ACCEPT, SECOND: ReceiverAnswer.REJECT}, "TIM010101SB9")


ONE = f'<Folios><Folio UUID="{FIRST}" Motivo="02"/></Folios>'


def written(root: etree._Element) -> str:
    return etree.tostring(root, encoding="unicode")


def cancelacion(inner: str, attributes: str = 'RfcEmisor="EKU9003173C9" Fecha="2026-11-17T12:00:00"') -> bytes:
    return f'<Cancelacion xmlns="http://cancelacfd.sat.gob.mx" {attributes}>{inner}</Cancelacion>'.encode()


def rejection(xml: bytes) -> str:
    with pytest.raises(ServiceError) as rejected:
        read_cancelacion(xml)
    return rejected.value.code


def test_read_cancelacion_round_trips() -> None:
    text = written(REQUEST.to_root(NOON))
    assert read_cancelacion(text.encode()) == REQUEST
    assert 'Fecha="2026-11-17T12:00:00"' in text
    assert f'<Folio UUID="{SECOND.upper()}" Motivo="02"/>' in text


def test_read_accept_reject_round_trips() -> None:
    assert read_accept_reject(written(ANSWER.to_root(NOON)).encode()) == ANSWER


def test_read_relations_request_round_trips() -> None:
    request = RelationsRequest(FIRST, "URE180429TM6", "TIM010101SB9")
    assert read_relations_request(written(request.to_root()).encode()) == request


@pytest.mark.parametrize(
    ("inner", "folios"),
    [
        (f'<Folios><Folio UUID="{FIRST.upper()}" Motivo="02" FolioSustitucion=""/></Folios>', [Folio(FIRST, "02")]),
        (f'<Folios><Folio UUID="{FIRST}"/></Folios>', [Folio(FIRST, "")]),
        (f"<Folios><UUID>\n{FIRST} </UUID></Folios>", [Folio(FIRST, "")]),
        (f"{ONE}{ONE.replace('02', '03')}", [Folio(FIRST, "02")]),
    ],
)
def test_read_cancelacion_accepts_forms_of_other_programs(inner: str, folios: list[Folio]) -> None:
    assert read_cancelacion(cancelacion(inner)).folios == tuple(folios)


@pytest.mark.parametrize(
    ("xml", "code"),
    [
        (b"", "request-unreadable"),
        (b"<Cancelacion/>", "request-unreadable"),
        (b"<a" * 9, "request-unreadable"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]>' + cancelacion(ONE), "request-unreadable"),
        (b"\xef\xbb\xbf" * 2 + b'<!DOCTYPE a [<!ENTITY b "c">]>' + cancelacion(ONE), "request-unreadable"),
        (b"\xef\xbb\xbf" * 2 + cancelacion(ONE), "request-unreadable"),
        (cancelacion(ONE, 'RfcEmisor="EKU9003173C9"'), "date-invalid"),
        (cancelacion(ONE, 'Fecha="ayer"'), "date-invalid"),
        (cancelacion("<a>" * 20 + "</a>" * 20), "request-unreadable"),
        (cancelacion("".join(f'<a xmlns:n{place}="u"/>' for place in range(70))), "request-unreadable"),
        (cancelacion(" " * 600_000), "request-unreadable"),
        (cancelacion(""), "request-empty"),
        (cancelacion("<Folios/>"), "request-empty"),
        (cancelacion('<Folios><Folio UUID="x" Motivo="02"/></Folios>'), "folio-invalid"),
        (cancelacion(ONE.replace("/>", ' FolioSustitucion="x"/>', 1)), "folio-invalid"),
        (cancelacion(ONE * 501), "folios-many"),
    ],
)
def test_read_cancelacion_rejects_other_documents(xml: bytes, code: str) -> None:
    assert rejection(xml) == code


def test_read_cancelacion_accepts_the_maximum_of_folios() -> None:
    assert len(read_cancelacion(cancelacion(ONE * 500)).folios) == 1


RETENCIONES = replace(REQUEST, namespace="http://www.sat.gob.mx/esquemas/retencionpago/1")


def test_read_cancelacion_of_retenciones_round_trips() -> None:
    text = written(RETENCIONES.to_root(NOON))
    assert 'Cancelacion xmlns="http://www.sat.gob.mx/esquemas/retencionpago/1"' in text
    assert f'<Folios><Folio UUID="{SECOND.upper()}" Motivo="02"/></Folios>' in text
    assert read_cancelacion(text.encode(), RETENCIONES_NAMESPACES) == RETENCIONES
    assert RETENCIONES.is_retenciones
    assert not REQUEST.is_retenciones


@pytest.mark.parametrize("inner", [ONE, f"<Folios><UUID>{FIRST}</UUID></Folios>"])
def test_read_cancelacion_accepts_the_second_namespace_of_retenciones(inner: str) -> None:
    xml = cancelacion(inner).replace(CANCELACFD.encode(), CANCELARETENCION.encode())
    request = read_cancelacion(xml, RETENCIONES_NAMESPACES)
    assert [folio.uuid for folio in request.folios] == [FIRST]
    assert request.is_retenciones


@pytest.mark.parametrize(
    ("request_", "namespaces", "expected"),
    [
        (RETENCIONES, (CANCELACFD,), CANCELACFD),
        (REQUEST, RETENCIONES_NAMESPACES, RETENCIONES_NAMESPACES[0]),
        (
            replace(REQUEST, namespace="http://www.sat.gob.mx/esquemas/retencionpago/2"),
            RETENCIONES_NAMESPACES,
            "pago/1",
        ),
    ],
)
def test_read_cancelacion_rejects_the_namespace_of_the_other_kind(
    request_: Cancelacion, namespaces: tuple[str, ...], expected: str
) -> None:
    with pytest.raises(ServiceError) as rejected:
        read_cancelacion(written(request_.to_root(NOON)).encode(), namespaces)
    assert rejected.value.code == "request-unreadable"
    assert expected in (rejected.value.detail or "")
    assert request_.namespace in (rejected.value.detail or "")


def test_retenciones_acuse_has_a_namespace_of_its_own() -> None:
    root = retenciones_acuse(NOON, "EKU9003173C9", {FIRST: "1201", SECOND: "1205"})
    names = "{http://cancelaretencion.sat.gob.mx}"
    assert (root.tag, root.get("Fecha"), root.get("RfcEmisor")) == (
        f"{names}Acuse",
        "2026-11-17T12:00:00",
        "EKU9003173C9",
    )
    assert [group.findtext(f"{names}UUID") for group in root.iterchildren(f"{names}Folios")] == [
        FIRST.upper(),
        SECOND.upper(),
    ]
    assert [group.findtext(f"{names}EstatusUUID") for group in root] == ["1201", "1205"]


@pytest.mark.parametrize("text", ["Aceptacion", "aceptacion", " ACEPTACION\n"])
def test_read_answer_ignores_case(text: str) -> None:
    xml = written(ANSWER.to_root(NOON)).replace(">Aceptacion<", f">{text}<")
    assert read_accept_reject(xml.encode()).answers[FIRST] is ReceiverAnswer.ACCEPT


def test_read_answer_rejects_other_values() -> None:
    with pytest.raises(ServiceError, match="request-unreadable"):
        read_accept_reject(written(ANSWER.to_root(NOON)).replace(">Rechazo<", ">Quizá<").encode())


def test_cancellation_acuse_has_status_of_each_uuid() -> None:
    root = cancellation_acuse(NOON, "EKU9003173C9", {FIRST: "201", SECOND: "205"})
    assert (root.tag, root.get("Fecha"), root.get("RfcEmisor")) == ("Acuse", "2026-11-17T12:00:00", "EKU9003173C9")
    folios = "{http://cancelacfd.sat.gob.mx}"
    assert [group.findtext(f"{folios}EstatusUUID") for group in root.iterchildren(f"{folios}Folios")] == ["201", "205"]
    assert f'<Folios xmlns="http://cancelacfd.sat.gob.mx"><UUID>{FIRST.upper()}</UUID>' in written(root)


def test_answer_acuse_has_status_of_each_uuid() -> None:
    root = answer_acuse(NOON, ANSWER, {FIRST: "1000", SECOND: "1001"})
    assert root.get("CodEstatus") == "1000"
    assert [group.get("Respuesta") for group in root] == ["Aceptacion", "Rechazo"]


def test_read_cancelacion_reads_public_requests() -> None:
    corpus_path()
    folder = CORPUS / "services"
    request = read_cancelacion((folder / "cancel-request" / "SW-sdk-NetStandard__CancelacionXML.xml").read_bytes())
    assert request == Cancelacion("EKU9003173C9", (Folio("fe4e71b0-8959-4fb9-8091-f5ac4fb0fef8", "02"),))
    several = read_cancelacion((folder / "cancel-request" / "sw-tools-dotnet__cancelacionCFDI.xml").read_bytes())
    assert [one.motivo for one in several.folios] == ["02", "02", "02"]
    for path in (folder / "accept-reject").glob("*.xml"):
        assert set(read_accept_reject(path.read_bytes()).answers.values()) == {ReceiverAnswer.ACCEPT}
    query = read_relations_request((folder / "relations" / "SW-sdk-NetStandard__RelationsXML.xml").read_bytes())
    assert (query.uuid, query.rfc) == ("51bade4d-8285-4597-a092-7db1d50e5efd", "LAN7008173R5")


@pytest.mark.parametrize(
    ("name", "folios"),
    [
        ("SW-sdk-NetStandard__CancelacionRetencionesXML", [("02", None)]),
        (
            "python-satcfdi__cancelacionretencion",
            [("01", "20d816a0-ba64-4df4-be87-aa55e62f992f"), ("02", None)],
        ),
    ],
)
def test_read_cancelacion_reads_public_requests_for_retenciones(
    name: str, folios: list[tuple[str, str | None]]
) -> None:
    corpus_path()
    xml = (CORPUS / "services" / "cancel-request" / f"{name}.xml").read_bytes()
    request = read_cancelacion(xml, RETENCIONES_NAMESPACES)
    assert [(folio.motivo, folio.substitute) for folio in request.folios] == folios


SAMPLE = written(REQUEST.to_root(NOON)).encode()


@given(st.binary(max_size=200) | st.tuples(st.integers(0, 600), st.binary(max_size=3)))
def test_read_cancelacion_raises_only_service_errors(change: bytes | tuple[int, bytes]) -> None:
    xml = change if isinstance(change, bytes) else SAMPLE[: change[0]] + change[1] + SAMPLE[change[0] + 1 :]
    for read in (read_cancelacion, read_accept_reject, read_relations_request):
        try:
            read(xml)
        except ServiceError as error:
            assert error.code in {  # noqa: PT017
                "request-unreadable",
                "date-invalid",
                "request-empty",
                "folio-invalid",
                "folios-many",
            }
