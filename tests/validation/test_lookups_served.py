"""Look-ups of an RFC in l_RFC and in the list of article 69-B over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.server import Server, running, seed

from timbra import examples

UNLISTED = "ZUA160101AB3"
NOTHING = "CS1002 - La consulta no arrojo resultados."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("lookups") / "data"
    with running(data, token=seed(data)) as running_server:
        yield running_server


def call(server: Server, path: str, **members: object) -> tuple[int, dict[str, Any]]:
    with server.client() as client:
        answer = client.post(path, json=members) if members else client.get(path)
    return answer.status_code, answer.json()


@pytest.mark.parametrize("rfc", [examples.KEMPER.rfc, examples.KEMPER.rfc.lower()])
def test_lrfc_returns_the_row_of_the_rfc(server: Server, rfc: str) -> None:
    row = {"contribuyenteRFC": examples.KEMPER.rfc, "sncf": False, "subcontratacion": False}
    assert call(server, f"/lrfc/{rfc}") == (200, {"data": row, "status": "success"})


@pytest.mark.parametrize("path", ["lrfc", "taxpayers"])
@pytest.mark.parametrize(
    ("rfc", "detail"),
    [(UNLISTED, NOTHING), ("x", "CS1002 - RFC malformado: x"), ("%00", "CS1002 - RFC malformado: \ufffd")],
)
def test_lookups_reject_an_rfc_that_is_not_listed(server: Server, path: str, rfc: str, detail: str) -> None:
    status, body = call(server, f"/{path}/{rfc}")
    expected = {"message": "Error en la consulta.", "messageDetail": detail, "data": None, "status": "error"}
    assert (status, body) == (400, expected)


def test_taxpayers_returns_the_row_of_article_69b(server: Server) -> None:
    rfc = "XIA190128J61"
    with server.client() as client:
        client.patch(f"/sandbox/taxpayers/{rfc}", json={"situation": "Definitivo"})
        assert call(server, f"/taxpayers/{rfc}")[1]["messageDetail"] == NOTHING
        client.post("/sandbox/refresh")

    status, body = call(server, f"/taxpayers/{rfc}")

    row = body["data"]
    assert (status, body["status"]) == (200, "success")
    assert (row["rfc"], row["situacion_del_contribuyente"]) == (rfc, "Definitivo")
    assert isinstance(row["id"], str)
    assert isinstance(row["nombre_Contribuyente"], str)
    assert len(row) == 16

    with server.client() as client:
        rejected = client.patch(f"/sandbox/taxpayers/{rfc}", json={"situation": "Dudoso"})
        assert rejected.json()["message"].startswith("taxpayer-invalid")
        client.patch(f"/sandbox/taxpayers/{rfc}", json={"situation": ""})
        client.post("/sandbox/refresh")
    assert call(server, f"/taxpayers/{rfc}")[1]["messageDetail"] == NOTHING
