"""Rows of stored lists are read once for a document, before its evaluation."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

import pytest
from lxml import etree
from tests.support.reference_data import reference_data

from timbra.evaluation.known_documents import read_mentioned
from timbra.examples import ingreso
from timbra.examples.retenciones20 import retencion

CARTA = '<x:Ubicacion xmlns:x="urn:x" RFCRemitenteDestinatario="TIN130215QR7" Clave="OR101010"/>'
THIRD = (
    '<cfdi:ACuentaTerceros RfcACuentaTerceros="CACX7605101P8" NombreACuentaTerceros="XOCHILT CASAS CHAVEZ"'
    ' RegimenFiscalACuentaTerceros="605" DomicilioFiscalACuentaTerceros="36257"/></cfdi:Concepto>'
)


class Stored:
    """Lists that note what is read."""

    def __init__(self, *, are_complete: bool = False) -> None:
        self.are_complete = are_complete
        self.asked: list[tuple[set[str], set[tuple[str, str]]]] = []
        self.gathered: list[tuple[set[str], set[tuple[str, str]]]] = []

    def needs_reading(self, rfcs: Collection[str], parties: Collection[tuple[str, str]]) -> bool:
        self.asked.append((set(rfcs), set(parties)))
        return not self.are_complete

    def gather(self, rfcs: Collection[str], parties: Collection[tuple[str, str]]) -> None:
        self.gathered.append((set(rfcs), set(parties)))


def read_for(text: str, stored: Stored) -> None:
    data = reference_data(stored=stored)
    asyncio.run(read_mentioned(etree.fromstring(text.encode()), data, asyncio.to_thread))


INVOICE = ingreso()
KEMPER, UNIVERSITY = ("EKU9003173C9", "ESCUELA KEMPER URGATE"), ("URE180429TM6", "UNIVERSIDAD ROBOTICA ESPAÑOLA")


@pytest.mark.parametrize(
    ("text", "rfcs", "parties"),
    [
        (INVOICE, {KEMPER[0], UNIVERSITY[0]}, {KEMPER, UNIVERSITY}),
        (
            INVOICE.replace("</cfdi:Concepto>", THIRD, 1),
            {KEMPER[0], UNIVERSITY[0], "CACX7605101P8"},
            {KEMPER, UNIVERSITY, ("CACX7605101P8", "XOCHILT CASAS CHAVEZ")},
        ),
        (
            INVOICE.replace(
                "</cfdi:Comprobante>",
                f"<cfdi:Complemento><x:C xmlns:x='urn:x'>{CARTA}</x:C></cfdi:Complemento></cfdi:Comprobante>",
            ),
            {KEMPER[0], UNIVERSITY[0], "TIN130215QR7"},
            {KEMPER, UNIVERSITY},
        ),
    ],
)
def test_read_mentioned_reads_parties_and_what_complements_name(
    text: str, rfcs: set[str], parties: set[tuple[str, str]]
) -> None:
    stored = Stored()
    read_for(text, stored)
    assert stored.gathered == [(rfcs, parties)]


def test_read_mentioned_reads_both_parties_of_a_retencion() -> None:
    stored = Stored()
    read_for(retencion(), stored)
    [(rfcs, parties)] = stored.gathered
    assert rfcs == {"EKU9003173C9", "CACX7605101P8"}
    assert parties == {("CACX7605101P8", "XOCHILT CASAS CHAVEZ")}


def test_read_mentioned_reads_nothing_when_memory_has_the_rows() -> None:
    stored = Stored(are_complete=True)
    read_for(INVOICE, stored)
    assert (len(stored.asked), stored.gathered) == (1, [])
