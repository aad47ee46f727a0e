"""The cancellation endpoints: requests of every published client, and the shapes of the responses."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.support.asgi import BEARER, Answer, call, upload
from tests.support.cancel_requests import JSON_BODIES, PATHS
from tests.support.fake_cancelling import ACUSE, OTHER, UUID, RecordingFake
from tests.support.fake_services import FakeServices

from timbra.cancellation.acceptance import AcceptanceRequest
from timbra.cancellation.cancelling import CancellationRequest
from timbra.cancellation.late_requests import LateFinding
from timbra.cancellation.relations import RelationsResult
from timbra.cancellation.signed_requests import CsdFiles, PfxFile
from timbra.core.errors import ServiceError
from timbra.messages import cancelling as messages
from timbra.rules.reference.messages import sentence

RFC = "EKU9003173C9"
CSD = {"b64Cer": "Y2Vy", "b64Key": "a2V5", "password": "contraseña"}
PFX = {"b64Pfx": "cGZ4", "password": "contraseña"}
CSD_FILES, PFX_FILE = CsdFiles("Y2Vy", "a2V5", "contraseña"), PfxFile("cGZ4", "contraseña")
PLAIN = CancellationRequest(RFC, UUID, "02")
CANCELLED = {"data": {"acuse": ACUSE, "uuid": {UUID: "201"}}, "status": "success"}
RETENCION_CANCELLED = {"data": {"acuse": ACUSE, "uuid": {UUID: "1201"}}, "status": "success"}
ANSWERED = {
    "data": {"acuse": ACUSE, "folios": [{"uuid": UUID, "estatusUUID": "1000", "respuesta": "Aceptacion"}]},
    "codStatus": "1000",
    "status": "success",
}
RELATED = {
    "data": {
        "uuidConsultado": UUID,
        "resultado": "resultado",
        "uuidsRelacionadosPadres": [{"uuid": OTHER, "rfcEmisor": RFC, "rfcReceptor": "URE180429TM6"}],
        "uuidsRelacionadosHijos": [],
    },
    "codStatus": "2000",
    "message": "Se encontraron CFDI relacionados. ",
    "status": "success",
}


def post(fakes: FakeServices, path: str, body: object = b"", **headers: str) -> Answer:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return call(fakes.app(), "POST", path, headers={**BEARER, **headers}, body=sent)


@pytest.mark.parametrize("client", PATHS)
def test_cancel_by_uuid_accepts_requests_of_every_client(client: str) -> None:
    fakes, sent = FakeServices(), PATHS[client]
    answer = post(fakes, sent.path.format(rfc=RFC, uuid=UUID), sent.body)
    [(account, order)] = fakes.cancellation_services.cancelling.calls
    assert account == 7
    assert order in (PLAIN, CancellationRequest(RFC, UUID, "02", "null"))
    assert (answer.status, answer.json) == (200, CANCELLED)


@pytest.mark.parametrize(
    ("path", "order"),
    [
        (f"/cfdi33/cancel/{RFC}/{UUID}/01/{OTHER}", CancellationRequest(RFC, UUID, "01", OTHER)),
        (f"/cfdi33/cancel/{RFC}/{UUID}/01/{OTHER}/", CancellationRequest(RFC, UUID, "01", OTHER)),
        (f"/CFDI33/Cancel/{RFC.lower()}/{UUID.lower()}/02", CancellationRequest(RFC.lower(), UUID.lower(), "02")),
        (f"/cfdi33/cancel/{RFC}/{UUID}", CancellationRequest(RFC, UUID, "")),
        (f"//cfdi33//cancel/{RFC}/{UUID}/02", PLAIN),
        (f"/cfdi33/cancel/A&B010101AAA/{UUID}/02", CancellationRequest("A&B010101AAA", UUID, "02")),
    ],
)
def test_cancel_by_uuid_reads_motive_and_substitute(path: str, order: CancellationRequest) -> None:
    fakes = FakeServices()
    assert post(fakes, path).json == CANCELLED
    assert fakes.cancellation_services.cancelling.calls == [(7, order)]


@pytest.mark.parametrize(
    "path", [f"/cfdi33/cancel//{UUID}/02/null", f"/cfdi33/cancel/{RFC}//02/null", "/cfdi33/cancel///02/null"]
)
def test_cancel_by_uuid_answers_404_for_an_empty_segment(path: str) -> None:
    fakes = FakeServices()
    answer = post(fakes, path)
    assert (answer.status, answer.body) == (404, b"")
    assert fakes.cancellation_services.cancelling.calls == []


@pytest.mark.parametrize("client", JSON_BODIES)
@pytest.mark.parametrize(("way", "files"), [("csd", CSD_FILES), ("pfx", PFX_FILE)])
def test_cancel_by_files_accepts_requests_of_every_client(client: str, way: str, files: object) -> None:
    fakes = FakeServices()
    members: dict[str, str | None] = {"uuid": UUID, "rfc": RFC, "motivo": "02", **(CSD if way == "csd" else PFX)}
    answer = post(fakes, f"/cfdi33/cancel/{way}", JSON_BODIES[client](members))
    assert fakes.cancellation_services.cancelling.calls == [(7, PLAIN, files)]
    assert (answer.status, answer.json) == (200, CANCELLED)


@pytest.mark.parametrize("name", ["foliosustitucion", "folioSustitucion", "FolioSustitucion"])
def test_cancel_by_files_accepts_every_name_of_the_substitute(name: str) -> None:
    fakes = FakeServices()
    post(fakes, "/cfdi33/cancel/csd", {"uuid": UUID, "rfc": RFC, "motivo": "01", name: OTHER, **CSD})
    assert fakes.cancellation_services.cancelling.calls == [(7, CancellationRequest(RFC, UUID, "01", OTHER), CSD_FILES)]


@pytest.mark.parametrize("body", [b"", b"{}", b'{"uuid": null, "rfc": null}'])
def test_cancel_by_files_reads_missing_members_as_empty(body: bytes) -> None:
    fakes = FakeServices()
    post(fakes, "/cfdi33/cancel/csd", body)
    assert fakes.cancellation_services.cancelling.calls == [(7, CancellationRequest("", "", ""), CsdFiles("", "", ""))]


@pytest.mark.parametrize(("body", "message"), [(b"{", "TB4004"), (b"[]", "TB4004"), (b'{"rfc": {}}', "CACFDI33")])
def test_endpoints_reject_malformed_json(body: bytes, message: str) -> None:
    for path in ("/cfdi33/cancel/csd", "/retencion/cancel/pfx", "/acceptreject/pfx", "/relations/csd"):
        answer = post(FakeServices(), path, body)
        assert (answer.status, answer.json["message"].split(" ")[0]) == (400, message)
        assert answer.json["messageDetail"]


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("/cfdi33/cancel/xml", "cancelling", CANCELLED),
        ("/retencion/cancel/xml", "cancelling_retenciones", RETENCION_CANCELLED),
        ("/acceptreject/xml", "accepting", ANSWERED),
        ("/relations/xml", "relating", RELATED),
    ],
)
def test_endpoints_by_xml_accept_signed_documents(path: str, name: str, expected: Any) -> None:
    fakes = FakeServices()
    headers, body = upload(b"<Cancelacion/>")
    answer = call(fakes.app(), "POST", path, headers=headers, body=[body[:30], body[30:]])
    service: RecordingFake = getattr(fakes.cancellation_services, name)
    assert [one[-1] for one in service.calls] == [b"<Cancelacion/>"]
    assert (answer.status, answer.json) == (200, expected)
    without = post(fakes, path, b"")
    assert (without.status, without.json["message"]) == (400, "Xml CFDI33 no proporcionado o viene vacio.")


REJECTIONS = [
    (ServiceError("cancel-fields", messages.CSD_MISSING), 400, "CACFDI33 - Problemas con los campos."),
    (ServiceError("cancel-fields", messages.PFX_MISSING), 400, "CACFDI33 - Problemas con los campos."),
    (ServiceError("cancel-xml", messages.EXPIRED), 400, "CACFDI33 - Problemas con el xml."),
    (ServiceError("cancel-failed", messages.BAD_PATH_UUID), 400, "CACFDI33 - Error no controlado"),
    (ServiceError("CASD", "La solicitud no trae folios."), 400, "CASD - Acuse sin descripción específica."),
]


@pytest.mark.parametrize(("failure", "status", "message"), REJECTIONS)
@pytest.mark.parametrize("path", ["/cfdi33/cancel/csd", f"/cfdi33/cancel/{RFC}/{UUID}/02"])
def test_cancel_returns_rejections_of_the_service(path: str, failure: ServiceError, status: int, message: str) -> None:
    fakes = FakeServices()
    fakes.cancellation_services.cancelling.failure = failure
    answer = post(fakes, path)
    expected = {"message": message, "messageDetail": failure.detail, "data": None, "status": "error"}
    assert (answer.status, answer.json) == (status, expected)
    assert answer.headers.get("retry-after") == (str(failure.retry_after) if failure.retry_after else None)


@pytest.mark.parametrize(
    ("path", "name", "code"),
    [
        ("/cfdi33/cancel/csd", "cancelling", "CA2000"),
        (f"/cfdi33/cancel/{RFC}/{UUID}/02", "cancelling", "CA2000"),
        ("/retencion/cancel/csd", "cancelling_retenciones", "CR1001"),
        (f"/retencion/cancel/{RFC}/{UUID}/02", "cancelling_retenciones", "CR1001"),
        ("/relations/pfx", "relating", "CA2100"),
        (f"/relations/{RFC}/{UUID}", "relating", "CA2100"),
        (f"/acceptreject/{RFC}/{UUID}/Aceptacion", "accepting", "CA2300"),
        (f"/pendings/{RFC}", "accepting", "CA2300"),
    ],
)
@pytest.mark.parametrize("retry_after", [None, 5])
def test_endpoints_answer_400_when_the_authority_is_down(
    path: str, name: str, code: str, retry_after: int | None
) -> None:
    fakes = FakeServices()
    failure = ServiceError("authority-down", "No respondió.", retry_after=retry_after)
    getattr(fakes.cancellation_services, name).failure = failure
    method = "GET" if path.startswith("/pendings") else "POST"
    answer = call(fakes.app(), method, path, headers=BEARER)
    assert (answer.status, answer.json) == (
        400,
        {
            "message": f"{code} - {sentence(code)}",
            "messageDetail": "La autoridad no responde. No respondió.",
            "data": None,
            "status": "error",
        },
    )
    assert answer.headers.get("retry-after") == (None if retry_after is None else str(retry_after))


@pytest.mark.parametrize("client", JSON_BODIES)
@pytest.mark.parametrize(("way", "files"), [("csd", CSD_FILES), ("pfx", PFX_FILE)])
def test_cancel_of_retenciones_by_files_accepts_requests_of_every_client(client: str, way: str, files: object) -> None:
    fakes = FakeServices()
    members: dict[str, str | None] = {"uuid": UUID, "rfc": RFC, "motivo": "02", **(CSD if way == "csd" else PFX)}
    answer = post(fakes, f"/retencion/cancel/{way}", JSON_BODIES[client](members))
    assert fakes.cancellation_services.cancelling_retenciones.calls == [(7, PLAIN, files)]
    assert fakes.cancellation_services.cancelling.calls == []
    assert (answer.status, answer.json) == (200, RETENCION_CANCELLED)


@pytest.mark.parametrize(
    ("path", "order"),
    [
        (f"/retencion/cancel/{RFC}/{UUID}/02", PLAIN),
        (f"/Retencion/Cancel/{RFC}/{UUID}/02/", PLAIN),
        (f"/retencion/cancel/{RFC}/{UUID}/01/{OTHER}", CancellationRequest(RFC, UUID, "01", OTHER)),
        (f"/retencion/cancel/{RFC}/{UUID}/02/null", CancellationRequest(RFC, UUID, "02", "null")),
        (f"/retencion/cancel/{RFC}/{UUID}", CancellationRequest(RFC, UUID, "")),
    ],
)
def test_cancel_of_retenciones_by_uuid_reads_motive_and_substitute(path: str, order: CancellationRequest) -> None:
    fakes = FakeServices()
    assert post(fakes, path).json == RETENCION_CANCELLED
    assert fakes.cancellation_services.cancelling_retenciones.calls == [(7, order)]


@pytest.mark.parametrize("path", [f"/retencion/cancel//{UUID}/02/null", f"/retencion/cancel/{RFC}//02/null"])
def test_cancel_of_retenciones_by_uuid_answers_404_for_an_empty_segment(path: str) -> None:
    fakes = FakeServices()
    answer = post(fakes, path)
    assert (answer.status, answer.body) == (404, b"")
    assert fakes.cancellation_services.cancelling_retenciones.calls == []


LATE = LateFinding(UUID, "Cancelacion/Folios[1]/Folio", "2026-04-01", "una fecha hasta 2026-03-31")


def test_cancel_tells_findings_in_the_detail_of_the_message() -> None:
    fakes = FakeServices()
    fakes.cancellation_services.cancelling.late = (LATE, replace(LATE, path="Cancelacion/Folios[2]/Folio"))
    answer = post(fakes, f"/cfdi33/cancel/{RFC}/{UUID}/02")
    detail = " ".join(
        f"210 - Ya pasó el plazo del ejercicio para cancelar. Cancelacion/Folios[{place}]/Folio: se encontró "
        "«2026-04-01»; se esperaba una fecha hasta 2026-03-31."
        for place in (1, 2)
    )
    assert (answer.status, answer.json) == (200, {**CANCELLED, "messageDetail": detail})


def test_accept_reject_accepts_every_form_of_a_request() -> None:
    fakes = FakeServices()
    uuids = [{"uuid": UUID, "action": "Aceptacion"}, {"UUID": OTHER, "Action": "Rechazo"}]
    order = AcceptanceRequest("URE180429TM6", [(UUID, "Aceptacion"), (OTHER, "Rechazo")])
    by_csd = post(fakes, "/acceptreject/csd", {"rfc": "URE180429TM6", "uuids": uuids, **CSD})
    by_pfx = post(fakes, "/acceptreject/pfx/", {"Rfc": "URE180429TM6", "Uuids": uuids, **PFX})
    by_path = post(fakes, f"/acceptreject/URE180429TM6/{UUID}/Aceptacion", b"{}")
    assert fakes.cancellation_services.accepting.calls == [
        (7, order, CSD_FILES),
        (7, order, PFX_FILE),
        (7, "URE180429TM6", UUID, "Aceptacion"),
    ]
    assert by_csd.json == by_pfx.json == by_path.json == ANSWERED


@pytest.mark.parametrize("uuids", ["x", ["x"], {"uuid": UUID}, [{"uuid": 1.5, "action": []}]])
def test_accept_reject_rejects_malformed_uuids(uuids: object) -> None:
    fakes = FakeServices()
    answer = post(fakes, "/acceptreject/csd", {"rfc": RFC, "uuids": uuids, **CSD})
    assert (answer.status, answer.json["message"]) == (400, "CACFDI33 - Problemas con los campos.")
    assert fakes.cancellation_services.accepting.calls == []


def test_pendings_returns_folios() -> None:
    fakes = FakeServices()
    answer = call(fakes.app(), "GET", "/pendings/URE180429TM6/", headers=BEARER)
    assert fakes.cancellation_services.accepting.calls == [(7, "URE180429TM6")]
    assert (answer.status, answer.json) == (
        200,
        {
            "data": {"uuid": [UUID]},
            "codStatus": "1100",
            "message": "CA1100 - Se recibío la respuesta de la petición de forma exitosa.",
            "status": "success",
        },
    )


def test_pendings_answers_1101_without_folios() -> None:
    fakes = FakeServices()
    fakes.cancellation_services.accepting.waiting = ()
    answer = call(fakes.app(), "GET", "/pendings/URE180429TM6", headers=BEARER)
    assert (answer.status, answer.json) == (
        400,
        {
            "message": "CA1101 - No existen peticiones para el RFC Receptor.",
            "messageDetail": None,
            "data": None,
            "codStatus": "1101",
            "status": "error",
        },
    )


def test_relations_accepts_every_form_of_a_request() -> None:
    fakes = FakeServices()
    by_csd = post(fakes, "/relations/csd", {"uuid": UUID, "rfc": RFC, **CSD})
    by_pfx = post(fakes, "/relations/pfx", {"uuid": UUID, "rfc": RFC, "b64pfx": "cGZ4", "password": "contraseña"})
    by_path = post(fakes, f"/relations/{RFC}/{UUID}")
    assert fakes.cancellation_services.relating.calls == [
        (RFC, UUID, CSD_FILES),
        (RFC, UUID, PFX_FILE),
        (7, RFC, UUID),
    ]
    assert by_csd.json == by_pfx.json == by_path.json == RELATED


@pytest.mark.parametrize(("code", "status", "word"), [("2001", 200, "success"), ("2002", 400, "error")])
def test_relations_answers_2001_and_2002_without_relations(code: str, status: int, word: str) -> None:
    fakes = FakeServices()
    fakes.cancellation_services.relating.related = RelationsResult(UUID, code, "Nada. ", "resultado")
    answer = post(fakes, f"/relations/{RFC}/{UUID}")
    assert answer.status == status
    members = ("data", "codStatus", "message", "status")
    assert [answer.json[name] for name in members] == [None, code, "Nada. ", word]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/cfdi33/cancel/csd"),
        ("POST", f"/cfdi33/cancel/{RFC}/{UUID}/02"),
        ("POST", "/acceptreject/xml"),
        ("GET", f"/pendings/{RFC}"),
        ("POST", f"/relations/{RFC}/{UUID}"),
    ],
)
def test_endpoints_require_a_token(method: str, path: str) -> None:
    assert call(FakeServices().app(), method, path).status == 401
