"""The sandbox's ConsultaCFDIService: what it reads, and the responses that the client of the SAT gets from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest
from httpx2 import Client, post
from lxml import etree
from tests.sat.stepped_status import sat_status
from tests.support.asgi import call
from tests.support.corpus import CORPUS, corpus_path, needs_corpus
from tests.support.fake_services import FakeServices
from tests.support.server import AGE, Server, running, seed

from timbra import examples
from timbra.app.composition import open_container
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.sandbox.authority.ledger.ledger import INVALID_EXPRESSION
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.status_service import answer_to, description, read_expression
from timbra.sat.port import MISSING, FiscalStatus, StatusQuery
from timbra.settings import Settings

ANSWER = "http://schemas.datacontract.org/2004/07/Sat.Cfdi.Negocio.ConsultaCfdi.Servicio"
LONGEST_EXPRESSION = 400
FOUND = "S - Comprobante obtenido satisfactoriamente."

UUID = "fe4e71b0-8959-4fb9-8091-f5ac4fb0fef8"
QUERY = StatusQuery(UUID, "A&B010101AAA", "ÑÑÑ010101AAA", "116.0", "Ab+/Cd==")
EXPRESSION = f"?re=A&B010101AAA&rr=ÑÑÑ010101AAA&tt=116.0&id={UUID}&fe=Ab+/Cd=="
PATH = "/ConsultaCFDIService.svc"
GOOD = FiscalStatus("Vigente", FOUND, "Cancelable con aceptación", "En proceso", "200")


def question(content: str) -> bytes:
    return (
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Consulta xmlns="http://tempuri.org/">'
        f"<expresionImpresa>{content}</expresionImpresa></Consulta></s:Body></s:Envelope>"
    ).encode()


def answer_fields(
    content: bytes, status: Callable[[StatusQuery], FiscalStatus] = lambda _: GOOD
) -> dict[str, str | None]:
    """Return the fields of a response by name."""
    [result] = etree.fromstring(answer_to(content, status).xml).iterfind(".//{http://tempuri.org/}ConsultaResult")
    return {str(etree.QName(word).localname): word.text for word in result}


@pytest.mark.parametrize(
    "written",
    [
        EXPRESSION.replace("&", "&amp;"),
        EXPRESSION.replace("A&B", "A&amp;B").replace("&", "&amp;"),
        f"<![CDATA[{EXPRESSION}]]>",
        f"<![CDATA[{EXPRESSION.replace('A&B', 'A&amp;B')}]]>",
        f"<![CDATA[{EXPRESSION.replace('&', '&amp;')}]]>",
        EXPRESSION.replace("&", "&#38;").replace("Ñ", "&#209;"),
        f"\n {EXPRESSION.replace('&', '&amp;')} ",
        EXPRESSION.replace("&rr=", "&RR=").replace("&", "&amp;"),
        f"?id={UUID}&amp;fe=Ab+/Cd==&amp;tt=116.0&amp;rr=ÑÑÑ010101AAA&amp;re=A&amp;B010101AAA",
    ],
)
def test_answer_to_accepts_every_spelling_of_the_expression(written: str) -> None:
    queries: list[StatusQuery] = []

    def status(query: StatusQuery) -> FiscalStatus:
        queries.append(query)
        return GOOD

    answer_fields(question(written), status)
    assert queries == [QUERY]


def test_read_expression_accepts_an_expression_of_3_2_without_seal() -> None:
    assert read_expression(EXPRESSION.partition("&fe=")[0]) == replace(QUERY, seal_tail="")


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "?",
        "?a=foo&b=bar",
        EXPRESSION[1:],
        f"x{EXPRESSION}",
        EXPRESSION.replace("&tt=116.0", ""),
        EXPRESSION.replace("&rr=", "&xx="),
        f"{EXPRESSION}&id={UUID}",
        EXPRESSION + "=" * LONGEST_EXPRESSION,
    ],
)
def test_read_expression_rejects_a_malformed_expression_with_601(expression: str) -> None:
    assert read_expression(expression) is None
    assert answer_fields(question(expression.replace("&", "&amp;")))["CodigoEstatus"] == INVALID_EXPRESSION.code


@needs_corpus
@pytest.mark.parametrize("file", sorted(CORPUS.glob("services/synthetic/estado-*.xml")), ids=lambda path: path.stem)
def test_answer_to_has_the_form_of_recorded_responses(file: object) -> None:
    corpus_path()
    recorded = etree.parse(str(file)).getroot()
    words = {str(etree.QName(word).localname): word.text or "" for word in recorded.iterfind(f".//{{{ANSWER}}}*")}
    status = FiscalStatus(
        words["Estado"],
        words["CodigoEstatus"],
        words["EsCancelable"] or None,
        words["EstatusCancelacion"],
        words["ValidacionEFOS"],
    )
    ours = etree.fromstring(answer_to(question(EXPRESSION.replace("&", "&amp;")), lambda _: status).xml)
    parts = [[(element.tag, element.text) for element in root.iter()] for root in (recorded, ours)]
    assert parts[0] == parts[1]


def test_answer_to_reads_an_envelope_when_blanks_precede_it() -> None:
    assert not answer_to(b"\r\n  " + question(EXPRESSION.replace("&", "&amp;")), lambda _: GOOD).is_fault


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no",
        b"<Consulta/>",
        question("x").replace(b"soap/envelope", b"other"),
        question("x").replace(b"Consulta", b"Otra"),
        b"<!DOCTYPE x [<!ENTITY e 'e'>]>" + question("&e;"),
        question("x" * 70_000),
    ],
)
def test_answer_to_returns_a_client_fault_for_other_content(content: bytes) -> None:
    answer = answer_to(content, lambda _: GOOD)
    assert answer.is_fault
    assert etree.fromstring(answer.xml).findtext(".//faultcode") == "s:Client"


def test_answer_to_returns_a_server_fault_when_the_authority_is_down() -> None:
    def down(_: StatusQuery) -> FiscalStatus:
        raise ServiceError("authority-down")

    answer = answer_to(question(EXPRESSION.replace("&", "&amp;")), down)
    assert (answer.is_fault, etree.fromstring(answer.xml).findtext(".//faultcode")) == (True, "s:Server")


def test_description_has_the_address_of_the_service() -> None:
    root = etree.fromstring(description("http://127.0.0.1/a&b"))
    [address] = root.iterfind(".//{http://schemas.xmlsoap.org/wsdl/soap/}address")
    assert address.get("location") == "http://127.0.0.1/a&b"
    names = {element.get("name") for element in root.iterfind(".//{http://www.w3.org/2001/XMLSchema}element")}
    assert {"Consulta", "ConsultaResponse", "expresionImpresa", "EsCancelable", "ValidacionEFOS"} <= names


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_service_answers_404_outside_the_sandbox(method: str) -> None:
    answer = call(FakeServices(sandbox=False).app(), method, PATH)
    assert (answer.status, answer.json["message"][:6]) == (404, "TB4040")


@dataclass(frozen=True)
class Stamped:
    """A CFDI on a running server, and the query for it."""

    server: Server
    query: StatusQuery

    def call(self, **changes: str) -> FiscalStatus:
        """Return the server's response to the client of the SAT."""
        return sat_status(f"{self.server.address}{PATH}").status(replace(self.query, **changes))  # type: ignore[arg-type]

    def ledger(self, **changes: str) -> FiscalStatus:
        """Return the status of the server's ledger."""
        with open_container(Settings(data=self.server.data)) as container:
            return container.get(sandbox_services).ledger.status(replace(self.query, **changes))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def stamped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stamped]:
    data = tmp_path_factory.mktemp("consulta") / "data"
    with running(data, token=seed(data)) as server, server.client() as client:
        yield Stamped(server, issue(client))


def issue(client: Client) -> StatusQuery:
    text = examples.ingreso({}, fecha=to_central_mexico(datetime.now(UTC) - AGE))
    data = client.post("/cfdi33/issue/v4", files={"xml": ("invoice.xml", text.encode())}).json()["data"]
    root = etree.fromstring(data["cfdi"].encode())
    emisor, receptor = root.find("{*}Emisor"), root.find("{*}Receptor")
    assert emisor is not None
    assert receptor is not None
    return StatusQuery(
        data["uuid"],
        str(emisor.get("Rfc")),
        str(receptor.get("Rfc")),
        str(root.get("Total")),
        str(root.get("Sello"))[-8:],
    )


def test_service_returns_the_status_of_the_ledger(stamped: Stamped) -> None:
    before = stamped.call()
    assert before == stamped.ledger() == FiscalStatus("Vigente", FOUND, "Cancelable sin aceptación", "", "200")
    with stamped.server.client() as client:
        answer = client.post(f"/cfdi33/cancel/{stamped.query.issuer_rfc}/{stamped.query.uuid}/02")
    assert answer.json()["status"] == "success"
    after = stamped.call()
    assert after == stamped.ledger()
    assert (after.status, after.cancellation) == ("Cancelado", "Cancelado sin aceptación")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"seal_tail": "AAAAAAA="}, MISSING),
        ({"total": "0.01"}, MISSING),
        ({"total": "x"}, MISSING),
        ({"issuer_rfc": "URE180429TM6"}, MISSING),
        ({"receiver_rfc": "A&B010101AAA"}, MISSING),
        ({"uuid": "no-uuid"}, MISSING),
        ({"uuid": UUID}, MISSING),
    ],
)
def test_service_returns_602_for_other_values(
    stamped: Stamped, changes: dict[str, str], expected: FiscalStatus
) -> None:
    assert stamped.call(**changes) == stamped.ledger(**changes) == expected


def test_service_ignores_case_and_leading_zeros(stamped: Stamped) -> None:
    query = stamped.query
    assert stamped.call(uuid=query.uuid.upper(), total=f"000{query.total}0").code == FOUND


def test_service_publishes_its_wsdl(stamped: Stamped) -> None:
    address = f"{stamped.server.address}{PATH}"
    with Client() as client:
        wsdl = client.get(f"{address}?wsdl")
    assert (wsdl.status_code, wsdl.headers["content-type"]) == (200, "text/xml; charset=utf-8")
    assert address in wsdl.text
    wrong = post(address, content=b"no")
    assert (wrong.status_code, wrong.headers["content-type"]) == (500, "text/xml; charset=utf-8")
