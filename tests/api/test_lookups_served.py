"""What lists say of an RFC, over HTTP: l_RFC, and the list of article 69-B."""

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


def ask(server: Server, path: str, **members: object) -> tuple[int, dict[str, Any]]:
    with server.client() as client:
        answer = client.post(path, json=members) if members else client.get(path)
    return answer.status_code, answer.json()


@pytest.mark.parametrize("rfc", [examples.KEMPER.rfc, examples.KEMPER.rfc.lower()])
def test_l_rfc(server: Server, rfc: str) -> None:
    row = {"contribuyenteRFC": examples.KEMPER.rfc, "sncf": False, "subcontratacion": False}
    assert ask(server, f"/lrfc/{rfc}") == (200, {"data": row, "status": "success"})


@pytest.mark.parametrize("path", ["lrfc", "taxpayers"])
@pytest.mark.parametrize(
    ("rfc", "detail"),
    [(UNLISTED, NOTHING), ("x", "CS1002 - RFC malformado: x"), ("%00", "CS1002 - RFC malformado: \ufffd")],
)
def test_what_is_not_listed(server: Server, path: str, rfc: str, detail: str) -> None:
    status, body = ask(server, f"/{path}/{rfc}")
    told = {"message": "Error en la consulta.", "messageDetail": detail, "data": None, "status": "error"}
    assert (status, body) == (400, told)


def test_the_list_of_article_69b(server: Server) -> None:
    rfc = "XIA190128J61"
    with server.client() as client:
        client.patch(f"/sandbox/taxpayers/{rfc}", json={"situation": "Definitivo"})
        assert ask(server, f"/taxpayers/{rfc}")[1]["messageDetail"] == NOTHING
        client.post("/sandbox/refresh")

    status, body = ask(server, f"/taxpayers/{rfc}")

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
    assert ask(server, f"/taxpayers/{rfc}")[1]["messageDetail"] == NOTHING
