"""Long documents are validated in chunks: same result, and a bounded number of faults."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.support.effort import rounds

from timbra import examples
from timbra.cfdi.structure import Structure, chunked_validation
from timbra.cfdi.structure.chunked_validation import is_long, iter_chunks
from timbra.snapshot import locate, open_snapshot

MAX_ERRORS = 50_000

STRUCTURE = Structure(open_snapshot(locate(None)))
PARSER = etree.XMLParser(resolve_entities=False, no_network=True)
GOOD = examples.ingreso(concepts=12)
ADDENDA = f"<cfdi:Addenda>{'<a/><b/>' * 40_000}</cfdi:Addenda>"
SHARE = rounds(4, 1)
"""By how much the suite divides the number of elements, the size of chunks and the limit of errors."""
MANY = 40_000 // SHARE
NAMES = ("ClaveProdServ", "Cantidad", "Importe", "Base", "TipoFactor", "Rfc", "LugarExpedicion")


def parsed(text: str) -> etree._Element:
    return etree.fromstring(text.encode(), PARSER)


def faults(text: str) -> list[str]:
    return [fault.path for fault in STRUCTURE.check(parsed(text))]


@pytest.fixture
def everything_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduce the chunk size to a few dozen elements."""
    monkeypatch.setattr(chunked_validation, "is_long", lambda _: True)
    monkeypatch.setattr("timbra.cfdi.structure.standards.is_long", lambda _: True)
    monkeypatch.setattr(chunked_validation, "CHUNK_ELEMENTS", 10)


def without(text: str, name: str, place: int) -> str:
    """Return the document without one of the attributes of that name."""
    found = list(re.finditer(f' {name}="[^"]*"', text))
    if not found:
        return text
    one = found[place % len(found)]
    return text[: one.start()] + text[one.end() :]


def _random(data: st.DataObject) -> str:
    text = GOOD
    for _ in range(data.draw(st.integers(0, 4))):
        text = without(text, data.draw(st.sampled_from(NAMES)), data.draw(st.integers(0, 30)))
    return text


@given(data=st.data())
def test_chunks_give_the_faults_of_the_whole_document(data: st.DataObject) -> None:
    text = _random(data)
    whole = faults(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("timbra.cfdi.structure.standards.is_long", lambda _: True)
        patch.setattr(chunked_validation, "CHUNK_ELEMENTS", 10)
        cut = faults(text)

    assert sorted(cut) == sorted(whole)


@pytest.mark.usefixtures("everything_is_long")
def test_iter_chunks_covers_every_element_without_changing_the_document() -> None:
    root = parsed(GOOD)
    before = etree.tostring(root)

    held = {part.original(element) for part in iter_chunks(root) for element in part.copy.iter("*")}

    assert held == set(root.iter("*"))
    assert etree.tostring(root) == before


@pytest.mark.usefixtures("everything_is_long")
def test_iter_chunks_bounds_the_size_of_chunks() -> None:
    row = "<cfdi:A>" + "<cfdi:B><cfdi:C/></cfdi:B>" * 40 + "</cfdi:A>"
    root = parsed(f'<cfdi:R xmlns:cfdi="{etree.QName(parsed(GOOD)).namespace}">{row * 30}</cfdi:R>')

    sizes = [sum(1 for _ in part.copy.iter("*")) for part in iter_chunks(root)]

    assert max(sizes) < 60


@pytest.mark.parametrize("number", [3, 11, 12])
def test_chunk_faults_have_the_path_in_the_document(number: int, everything_is_long: None) -> None:
    text = without(GOOD, "Descripcion", number - 1)

    assert faults(text) == [f"Conceptos/Concepto[{number}]/@Descripcion"]


def _conceptos(filling: str) -> str:
    head, _, rest = GOOD.partition("<cfdi:Conceptos>")
    return f"{head}<cfdi:Conceptos>{filling}</cfdi:Conceptos>{rest.partition('</cfdi:Conceptos>')[2]}"


@pytest.mark.parametrize(
    "hostile",
    [
        lambda: _conceptos("<cfdi:Concepto/>" * MANY),
        lambda: _conceptos("<cfdi:Concepto/><cfdi:Emisor/>" * (MANY // 2)),
        lambda: GOOD.replace("</cfdi:Traslados>", "<cfdi:Traslado/>" * MANY + "</cfdi:Traslados>", 1),
        lambda: GOOD.replace(
            "</cfdi:Comprobante>", f"<cfdi:Addenda>{'<a/><b/>' * MANY}</cfdi:Addenda></cfdi:Comprobante>"
        ),
    ],
    ids=["bare concepts", "two names in turn", "bare taxes", "addenda"],
)
def test_check_stops_before_counting_a_million_faults(
    hostile: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timbra.cfdi.structure.standards.MAX_ERRORS", MAX_ERRORS // SHARE)
    monkeypatch.setattr(chunked_validation, "CHUNK_ELEMENTS", chunked_validation.CHUNK_ELEMENTS // SHARE)
    text = hostile()

    assert is_long(parsed(text))
    assert len(faults(text)) < (MAX_ERRORS + 20_000) // SHARE
