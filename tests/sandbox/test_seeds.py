"""The initial data of the sandbox, checked against public documents and certificates."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from lxml import etree
from tests.support.corpus import CORPUS, corpus_path, credentials

from timbra.cfdi.rfc import is_rfc
from timbra.sandbox.authority.taxpayers import seeds
from timbra.sandbox.authority.taxpayers.registry import registered_name
from timbra.seals.certificates.certificate import read_certificate

GENERIC = frozenset({"EXT990101NI1", "XAXX010101000", "XEXX010101000"})
COMPANY_LENGTH = 12

CFD4 = "{http://www.sat.gob.mx/cfd/4}"
TAXPAYERS = {seed.rfc: seed for seed in seeds.taxpayers()}


def valid_documents() -> Iterator[etree._Element]:
    """The CFDI 4.0 that their sources assert to be valid."""
    corpus_path()
    for document in json.loads((CORPUS / "manifest.json").read_text("utf-8"))["documents"]:
        if document["version"] == "4.0" and document["expected"] == "valid":
            yield etree.parse(CORPUS / document["file"]).getroot()


@pytest.mark.parametrize(
    ("rfc", "postal_code", "regime"),
    [
        ("EKU9003173C9", "42501", "601"),
        ("URE180429TM6", "86991", "601"),
        ("CACX7605101P8", "36257", "612"),
        ("JUFA7608212V6", "01160", "616"),
        ("MASO451221PM4", "80290", "626"),
        ("XOJI740919U48", "76028", "605"),
        ("IIA040805DZ4", "62661", "601"),
    ],
)
def test_taxpayers_includes_published_taxpayers(rfc: str, postal_code: str, regime: str) -> None:
    assert (TAXPAYERS[rfc].postal_code, TAXPAYERS[rfc].regimes) == (postal_code, (regime,))


def test_taxpayers_are_wellformed_and_unique() -> None:
    assert len(TAXPAYERS) == len(list(seeds.taxpayers()))
    for seed in TAXPAYERS.values():
        assert is_rfc(seed.rfc)
        assert seed.name == seed.name.strip().upper() != ""
        assert seed.postal_code == "" or (len(seed.postal_code) == 5 and seed.postal_code.isdecimal())
        assert all(len(regime) == 3 and regime.isdecimal() for regime in seed.regimes)


def test_taxpayers_include_receivers_of_valid_documents() -> None:
    checked = 0
    for root in valid_documents():
        receptor = root.find(f"{CFD4}Receptor")
        assert receptor is not None
        if receptor.get("Rfc") in GENERIC:
            continue
        seed = TAXPAYERS[str(receptor.get("Rfc"))]
        assert receptor.get("Nombre") == seed.name
        assert receptor.get("DomicilioFiscalReceptor") == seed.postal_code
        assert receptor.get("RegimenFiscalReceptor") in seed.regimes
        checked += 1
    assert checked > 30


def test_taxpayers_include_issuers_of_valid_documents() -> None:
    issuers = [root.find(f"{CFD4}Emisor") for root in valid_documents()]
    names = {(issuer.get("Rfc"), issuer.get("Nombre")) for issuer in issuers if issuer is not None}
    assert names == {("EKU9003173C9", TAXPAYERS["EKU9003173C9"].name)}


def test_seals_include_every_public_csd() -> None:
    corpus_path()
    listed = {(seal.number, seal.rfc, seal.valid_from, seal.valid_to) for seal in seeds.seals()}
    public = {
        (entry.number, entry.rfc, entry.valid_from, entry.valid_to) for entry in credentials() if entry.kind == "CSD"
    }
    assert listed == public
    assert {seal.rfc for seal in seeds.seals()} <= set(TAXPAYERS)


def test_taxpayers_have_the_certificate_name_without_company_form() -> None:
    corpus_path()
    for entry in credentials():
        if entry.rfc in TAXPAYERS:
            assert registered_name(entry.rfc, read_certificate(entry.read()).name) == TAXPAYERS[entry.rfc].name, entry


@pytest.mark.parametrize(
    ("rfc", "name", "registered"),
    [
        ("TES030201001", "EMPRESA DE PRUEBA SA DE CV", "EMPRESA DE PRUEBA"),
        ("TES030201001", "EMPRESA DE PRUEBA, S.A. DE C.V.", "EMPRESA DE PRUEBA"),
        ("TES030201001", "EMPRESA DE PRUEBA S.A DE C.V", "EMPRESA DE PRUEBA"),
        ("TES030201001", "EMPRESA S DE RL DE CV", "EMPRESA"),
        ("TES030201001", "EMPRESA  S A P I DE C V", "EMPRESA"),
        ("TES030201001", "DESPACHO SC", "DESPACHO"),
        ("TES030201001", "SA DE CV", "SA DE CV"),
        ("TES030201001", "CASA", "CASA"),
        ("TES030201001", "A.B.C. Y ASOCIADOS", "A.B.C. Y ASOCIADOS"),
        ("JUFA7608212V6", "ADRIANA JUAREZ SA", "ADRIANA JUAREZ SA"),
    ],
)
def test_registered_name_removes_the_company_form(rfc: str, name: str, registered: str) -> None:
    assert registered_name(rfc, name) == registered


def test_taxpayers_have_regimes_of_their_kind_of_person() -> None:
    companies = {"601", "603", "622", "624", "626"}
    people = {"605", "606", "608", "612", "614", "616", "621", "622", "626"}
    for seed in TAXPAYERS.values():
        assert set(seed.regimes) <= (companies if len(seed.rfc) == COMPANY_LENGTH else people), seed
