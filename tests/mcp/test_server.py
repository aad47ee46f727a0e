"""The server as a program, called by the client of the protocol's own library over standard input and output."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from lxml import etree
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, TextContent
from tests.support.rule_set_examples import EXAMPLES

import timbra
from timbra.mcp.server import mcp_server

Call = Callable[..., CallToolResult]
TOOLS = {
    "validate": {"document", "on", "draft"},
    "explain": {"code"},
    "search_codes": {"words", "limit"},
    "search_catalog": {"catalog", "query", "on", "limit"},
    "example": {"name", "version", "on"},
    "totals": {"invoice", "price_includes_tax", "rounding", "on"},
    "preview": {"document", "reseal"},
}
MAX_CALLS = 3
BROKEN = (
    "CFDI40119", "CFDI40103", "CFDI40108", "Reten20127", "CP103", "CCE108", "NOM14", "NOM4", "CRP20102", "INE182",
    "CFDI40105", "CFDI40109", "CFDI40114", "CFDI40116", "CFDI40125", "CFDI40149", "CFDI40159", "CFDI40189",
    "CFDI40201", "CFDI40203", "CFDI40215", "CFDI33107", "CFDI33108", "CFDI33113", "CFDI33115", "Reten20108",
    "Reten20117", "Reten20131", "CP107", "CP111", "CP120", "CP122", "CP135", "CCE106", "CCE110", "ECC121",
    "ECC122", "GCEH102", "GCEH103", "GCEH104", "IEEH102", "IEEH108", "NOM2", "NOM3", "NOM5", "CRP20101",
    "CRP20114", "CRP20229", "PDR103", "SPT102"
)  # fmt: skip
"""Rules whose failing example is the broken document: of 13 rule sets, some of them repaired in two steps."""


@pytest.fixture(scope="module")
def client() -> Iterator[tuple[Call, Mapping[str, Any]]]:
    """Start `timbra mcp`; give a function that calls a tool, and the tools by name."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "timbra.cli", "mcp"])
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(server))) as connected,
    ):
        tools = {tool.name: tool for tool in portal.call(connected.list_tools).tools}

        def call(tool: str, **arguments: object) -> CallToolResult:
            answer: CallToolResult = portal.call(connected.call_tool, tool, arguments)
            return answer

        yield call, tools


@pytest.fixture
def call(client: tuple[Call, Mapping[str, Any]]) -> Call:
    return client[0]


def content(answer: CallToolResult) -> dict[str, Any]:
    assert not answer.is_error, answer.content
    assert isinstance(answer.structured_content, dict)
    return answer.structured_content


def error(answer: CallToolResult) -> str:
    assert answer.is_error
    (text,) = answer.content
    assert isinstance(text, TextContent)
    return text.text


def test_server_lists_read_only_tools_with_schemas(client: tuple[Call, Mapping[str, Any]]) -> None:
    _, tools = client
    assert {name: set(tool.input_schema["properties"]) for name, tool in tools.items()} == TOOLS
    for tool in tools.values():
        assert tool.annotations.read_only_hint
        assert not tool.annotations.open_world_hint
        assert tool.description == tool.description.strip()
        assert tool.output_schema["type"] == "object"


def test_validate_answers_the_findings_of_a_file(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "wrong.xml"
    path.write_text(timbra.example().replace('Total="232.00"', 'Total="233.00"'), "utf-8")
    answer = content(call("validate", document=str(path)))
    assert [each["code"] for each in answer["findings"]] == ["CFDI40102", "CFDI40119", "TB6001"]
    assert answer["findings"][1]["repair"] == {"action": "set", "path": "@Total", "value": "232.00"}


def test_explain_search_and_example_answer_structured_content(call: Call) -> None:
    (meaning,) = content(call("explain", code="cfdi40119"))["result"]
    assert meaning["example"] == [{"path": "@Total", "passing": "232.00", "failing": "233.00"}]
    assert content(call("search_codes", words="@TipoCambio", limit=1))["codes"][0]["path"] == "@TipoCambio"
    keys = content(call("search_catalog", catalog="c_UsoCFDI", query="gastos en general"))["keys"]
    assert [(each["key"], each["text"]) for each in keys] == [("G03", "Gastos en general")]
    assert content(call("example", name="pagos20"))["xml"].count("pago20:Pagos ") == 1


def test_totals_answers_the_invoice_with_its_amounts(call: Call) -> None:
    iva = {"Impuesto": "002", "TasaOCuota": "0.16"}
    line = {"Cantidad": "3", "ValorUnitario": "33.33", "Impuestos": {"Traslados": [iva]}}
    answer = content(call("totals", invoice={"Conceptos": [line]}, price_includes_tax=True))
    assert (answer["total"], answer["difference"]) == ("99.99", "0.00")
    assert answer["comprobante"]["Conceptos"][0]["Importe"] == "86.20"
    assert answer["lines"] == [{"total": "99.99", "wished": "99.99", "difference": "0.00"}]


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("totals", {"invoice": {}}, "TB4005: .*Conceptos"),
        ("validate", {"document": "/no/such/file.xml"}, "source-unreadable: .*/no/such/file.xml"),
        ("validate", {"document": "-"}, "source-unreadable: .*-: no es XML ni la ruta de un archivo"),
        ("validate", {"document": "/dev/zero"}, "source-unreadable: "),
        ("validate", {"document": "x" * 100_000}, "source-unreadable: "),
        ("validate", {"document": ""}, "document\n"),
        ("validate", {}, "document\n"),
        ("validate", {"document": "<a/>", "on": "yesterday"}, "on.date\n"),
        ("explain", {"code": "CFDI4"}, "name-unknown: "),
        ("search_codes", {"words": "total", "limit": 101}, "limit\n"),
        ("search_catalog", {"catalog": "c_USO"}, r"name-unknown: .*¿Quiso decir c_UsoCFDI"),
        ("search_catalog", {"catalog": "../c_UsoCFDI"}, "name-unknown: "),
        ("example", {"name": "nomina"}, r"name-unknown: .*¿Quiso decir nomina12"),
        ("example", {"name": "ingreso", "version": "5.0"}, "name-unknown: "),
    ],
)
def test_tool_answers_an_error_with_its_code(call: Call, tool: str, arguments: dict[str, Any], text: str) -> None:
    answered = error(call(tool, **arguments))
    assert re.search(text, answered)
    assert len(answered) < 1000
    assert "Traceback" not in answered


def test_server_goes_on_after_a_document_that_is_no_xml(call: Call) -> None:
    answer = content(call("validate", document="<a" + "\0" * 10))
    assert (answer["ok"], answer["findings"][0]["code"]) == (False, "301")
    assert content(call("explain", code="301"))["result"]


@pytest.mark.parametrize(("option", "code"), [("lists", "list-damaged"), ("trust", "trust-refused")])
def test_server_validates_with_the_folders_that_it_was_given(tmp_path: Path, option: str, code: str) -> None:
    folders: dict[str, Path] = {option: tmp_path / "absent"}

    async def answer() -> CallToolResult:
        async with Client(mcp_server(folders.get("lists"), folders.get("trust"))) as connected:
            return await connected.call_tool("validate", {"document": timbra.example()})

    assert error(anyio.run(answer)).startswith(f"Error executing tool validate: {code}: ")


def test_server_says_nothing_about_an_unexpected_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def explain(_code: str) -> None:
        raise RuntimeError("/srv/secret")

    async def answer() -> CallToolResult:
        async with Client(mcp_server()) as connected:
            return await connected.call_tool("explain", {"code": "301"})

    monkeypatch.setattr(timbra, "explain", explain)
    assert error(anyio.run(answer)) == "Error executing tool explain"


def test_server_ends_when_its_input_ends_and_prints_nothing() -> None:
    done = subprocess.run([sys.executable, "-m", "timbra.cli", "mcp"], input=b"", capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_broken_documents_are_repaired_by_what_the_tools_say(call: Call) -> None:
    assert len(set(BROKEN)) == 50
    wrong = {code: found for code in BROKEN if (found := unrepaired(call, code))}
    assert wrong == {}


def unrepaired(call: Call, code: str) -> list[Any]:
    """Validate the failing example of a rule and apply each `repair`, in at most three calls; return what is left."""
    root = etree.fromstring(EXAMPLES[code].failing().encode())
    on = root.get("Fecha") or root.get("FechaExp")
    errors: list[Any] = []
    for number in range(MAX_CALLS):
        answer = content(call("validate", document=etree.tostring(root, encoding="unicode"), on=on, draft=True))
        errors = [each for each in answer["findings"] if each["severity"] == "error"]
        if number == 0:
            assert code in {each["code"] for each in errors}
        if answer["ok"]:
            assert errors == []
            break
        for each in errors:
            if each["repair"]:
                apply(root, **each["repair"])
    return [(each["code"], each["path"], each["expected"]) for each in errors]


def apply(root: etree._Element, action: str, path: str, value: str | None) -> None:
    """Apply a repair: names of a path have no prefixes."""
    steps, _, attribute = path.partition("@")
    element = root
    if steps:
        by_local_name = re.sub(r"([^/\[\]]+)((?:\[\d+\])?)(?=/|$)", r"*[local-name()='\1']\2", steps.rstrip("/"))
        (element,) = cast(list[etree._Element], root.xpath(by_local_name))
    if not attribute:
        assert action == "remove"
        parent = element.getparent()
        assert parent is not None
        parent.remove(element)
    elif action == "set":
        assert value is not None
        element.set(attribute, value)
    else:
        del element.attrib[attribute]
