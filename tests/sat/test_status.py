"""The client of ConsultaCFDI against a local service with valid, slow, wrong and missing responses."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree
from tests.sat.stepped_status import QUERY, SteppedClock, sat_status
from tests.support.corpus import CORPUS, corpus_path, needs_corpus
from tests.support.sat_services import WRONG, SatServices, sat_services

from timbra.core.errors import ServiceError
from timbra.core.retry import Backoff
from timbra.sat.port import FiscalStatus

ACTION = "http://tempuri.org/IConsultaCFDIService/Consulta"

GOOD = "S - Comprobante obtenido satisfactoriamente."
RECORDED = sorted(path for path in CORPUS.glob("services/*/*estado-*") if "request" not in path.name)


def test_status_returns_the_fields_of_the_response(services: SatServices) -> None:
    found = sat_status(f"{services.address}/answer/well").status(QUERY)
    assert found == FiscalStatus("Vigente", GOOD, "Cancelable con aceptación", "En proceso", "200")


def test_status_sends_the_request_of_the_contract(services: SatServices) -> None:
    sat_status(f"{services.address}/answer/well").status(QUERY)
    seen = services.seen()
    assert seen["headers"]["soapaction"] == f'"{ACTION}"'
    assert seen["headers"]["content-type"] == "text/xml; charset=utf-8"
    consulta = etree.fromstring(seen["body"]).find("{*}Body/{http://tempuri.org/}Consulta")
    assert consulta is not None
    expected = f"?re=EKU9003173C9&rr=URE180429TM6&tt=116.0&id={QUERY.uuid}&fe=Ab+/Cd=="
    assert consulta.findtext("{http://tempuri.org/}expresionImpresa") == expected


@needs_corpus
@pytest.mark.parametrize("file", RECORDED, ids=lambda path: path.stem)
def test_status_reads_every_recorded_response(file: Path) -> None:
    corpus_path()
    with sat_services(file.parent) as running:
        found = sat_status(f"{running.address}/file/{file.name}").status(QUERY)
    words = {
        str(etree.QName(word).localname): word.text or "" for word in etree.parse(file).iterfind(".//{*}Estado/../*")
    }
    assert (found.status, found.code) == (words["Estado"], words["CodigoEstatus"])
    assert (found.cancelable or "", found.cancellation) == (words["EsCancelable"], words["EstatusCancelacion"])
    assert found.efos == words.get("ValidacionEFOS", "")


@pytest.mark.parametrize("kind", [*WRONG, "gzip", "hangup"])
def test_status_raises_authority_down_for_malformed_responses(services: SatServices, kind: str) -> None:
    with pytest.raises(ServiceError) as caught:
        sat_status(f"{services.address}/answer/{kind}").status(QUERY)
    assert caught.value.code == "authority-down"
    assert (caught.value.detail or "").endswith("No hay una respuesta anterior.")


@pytest.mark.parametrize("kind", ["silent", "drip"])
def test_status_fails_after_the_timeout_when_the_service_is_silent(services: SatServices, kind: str) -> None:
    with pytest.raises(ServiceError) as caught:
        sat_status(f"{services.address}/answer/{kind}", seconds=0.3).status(QUERY)
    assert "a tiempo" in (caught.value.detail or "")


def test_status_fails_when_no_server_listens(services: SatServices) -> None:
    with pytest.raises(ServiceError) as caught:
        sat_status("http://127.0.0.1:9/").status(QUERY)
    assert "La conexión falló." in (caught.value.detail or "")


def test_status_accepts_a_slow_response(services: SatServices) -> None:
    assert sat_status(f"{services.address}/answer/slow").status(QUERY).status == "Vigente"


def test_status_retries_transient_failures_after_random_pauses(services: SatServices) -> None:
    watch = SteppedClock()
    backoff = Backoff(1.0, spread=1.0, jitter=lambda: 0.5)
    client = sat_status(f"{services.address}/answer/2-500", watch, attempts=3, backoff=backoff)
    assert client.status(QUERY).status == "Vigente"
    assert watch.slept == [0.5, 1.0]
    assert services.request_count("/answer/2-500") == 3


def test_status_stops_after_its_attempts(services: SatServices) -> None:
    with pytest.raises(ServiceError):
        sat_status(f"{services.address}/answer/9-html", SteppedClock(), attempts=3).status(QUERY)
    assert services.request_count("/answer/9-html") == 3


def test_status_does_not_pause_beyond_its_time_limit(services: SatServices) -> None:
    watch = SteppedClock()
    client = sat_status(
        f"{services.address}/answer/99-500", watch, attempts=9, seconds=5.0, backoff=Backoff(4.0, spread=0.0)
    )
    with pytest.raises(ServiceError):
        client.status(QUERY)
    assert watch.slept == [4.0]


def test_status_error_describes_the_cached_status_and_its_age(services: SatServices) -> None:
    watch = SteppedClock()
    client = sat_status(f"{services.address}/answer/well", watch)
    client.status(QUERY)
    watch.seconds = 7_300
    client._service._url = f"{services.address}/answer/500"
    with pytest.raises(ServiceError) as caught:
        client.status(QUERY)
    assert "La última respuesta, de hace 2 horas, fue Vigente." in (caught.value.detail or "")


def test_status_sends_no_request_while_the_circuit_is_open(services: SatServices) -> None:
    watch, path = SteppedClock(), "/answer/3-fault"
    client = sat_status(f"{services.address}{path}", watch, failures=2)
    for expected in (1, 2, 2):
        with pytest.raises(ServiceError):
            client.status(QUERY)
        assert services.request_count(path) == expected
    watch.seconds += 31
    for _ in range(2):
        with pytest.raises(ServiceError):
            client.status(QUERY)
    assert services.request_count(path) == 3, "one request is allowed, the next one is rejected"
    watch.seconds += 31
    assert client.status(QUERY).status == "Vigente"
    assert client.status(QUERY).status == "Vigente"
