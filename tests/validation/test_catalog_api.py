"""Catalogs over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pytest
from httpx2 import Client, Response
from tests.support.server import running, seed


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    data = tmp_path_factory.mktemp("catalogs") / "data"
    with running(data, token=seed(data)) as server, server.client() as connected:
        yield connected


def data_of(answer: Response) -> Any:
    assert (answer.status_code, answer.json()["status"]) == (200, "success")
    return answer.json()["data"]


def keys_of(answer: Response) -> list[str]:
    return [each["clave"] for each in data_of(answer)["keys"]]


def test_list_has_every_catalog_with_its_columns(client: Client) -> None:
    by_name = {each["name"]: each for each in data_of(client.get("/catalogs"))}
    assert by_name["c_RegimenFiscal"]["columns"] == ["aplica_fisica", "aplica_moral", "vigencia_desde"]
    assert by_name["cartaporte31:c_Estaciones"]["standard"] == "cartaporte31"
    assert "c_TasaOCuota" in by_name


def test_search_answers_with_keys_texts_and_columns(client: Client) -> None:
    found = data_of(client.get("/catalogs/c_RegimenFiscal", params={"q": "morales", "on": "2026-11-17", "limit": 1}))
    assert found == {
        "catalog": "c_RegimenFiscal",
        "on": "2026-11-17",
        "total": 2,
        "keys": [
            {
                "clave": "601",
                "texto": "General de Ley Personas Morales",
                "columnas": {"aplica_moral": "1", "vigencia_desde": "2022-01-01"},
            }
        ],
    }


def test_search_uses_the_day_of_fiscal_time(client: Client) -> None:
    client.post("/sandbox/clock/set", json={"instant": "2021-12-31T23:30:00-06:00"})
    assert data_of(client.get("/catalogs/c_UsoCFDI"))["on"] == "2021-12-31"
    client.post("/sandbox/clock/reset")


def test_search_follows_dependencies_and_pages(client: Client) -> None:
    path = "/catalogs/c_Colonia?where=codigo_postal:20339"
    first, second = (keys_of(client.get(f"{path}&limit=8&offset={offset}")) for offset in (0, 8))
    assert (len(first), set(first) & set(second)) == (8, set())
    assert data_of(client.get(path))["total"] == len({*first, *second}) == 15
    of_company = "/catalogs/c_UsoCFDI?where=aplica_moral:1,%20regimenes_fiscales_receptores:601"
    assert "G03" in keys_of(client.get(of_company))


def test_answers_may_be_cached(client: Client) -> None:
    for path in ("/catalogs", "/catalogs/c_UsoCFDI?on=2026-11-17"):
        answer = client.get(path)
        assert answer.headers["etag"].startswith(f'"{version("timbra")}-')
        assert answer.headers["cache-control"] == "private, max-age=3600"
        repeated = client.get(path, headers={"If-None-Match": answer.headers["etag"]})
        assert (repeated.status_code, repeated.content) == (304, b"")
        assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize(
    ("path", "status", "code", "words"),
    [
        ("c_Nada", 404, "TB4041", "No hay un catálogo c_Nada; GET /catalogs los enumera."),
        ("%2e%2e", 404, "TB4041", "No hay un catálogo ..; GET /catalogs los enumera."),
        ("c_UsoCFDI?on=ayer", 400, "TB4005", "El parámetro on es un día como 2026-11-28."),
        ("c_UsoCFDI?where=nada:1", 400, "TB4005", "c_UsoCFDI no tiene la columna nada; tiene: aplica_fisica, "),
        ("c_UsoCFDI?where=nada", 400, "TB4005", "El parámetro where es columna:valor, separados por comas."),
        ("c_UsoCFDI?limit=501", 400, "TB4005", "El parámetro limit es un entero de 1 a 500."),
        ("c_UsoCFDI?offset=-1", 400, "TB4005", "El parámetro offset es un entero de 0 a 1000000."),
        ("c_UsoCFDI?q=" + "a" * 201, 400, "TB4005", "El parámetro q es de 200 caracteres a lo más."),
    ],
)
def test_search_rejects_bad_input(client: Client, path: str, status: int, code: str, words: str) -> None:
    answer = client.get(f"/catalogs/{path}")
    assert answer.status_code == status
    assert code in answer.json()["message"]
    assert answer.json()["messageDetail"].startswith(words)


def test_search_rejects_an_unknown_catalog_whatever_the_client_has(client: Client) -> None:
    assert client.get("/catalogs/c_Nada", headers={"If-None-Match": "*"}).status_code == 404


def test_catalogs_need_a_token(client: Client) -> None:
    assert client.get("/catalogs", headers={"Authorization": ""}).status_code == 401
