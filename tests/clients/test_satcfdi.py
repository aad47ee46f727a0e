"""The client of this service in `satcfdi`, with a token, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from tests.support.requirements import need
from tests.support.satcfdi_names import CFDI, Environment, ResponseError, SWSapien
from tests.support.server import Server, invoice, minted, running, seed


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    need("satcfdi", SWSapien, "the package is not installed")
    data = tmp_path_factory.mktemp("satcfdi") / "data"
    with running(data, token=seed(data)) as started:
        yield started


@pytest.fixture
def client(server: Server) -> Any:
    class Local(SWSapien):  # type: ignore[misc]
        def _host(self, service: str = "services") -> str:
            return server.address

    return Local(token=server.token, environment=Environment.TEST)


def test_satcfdi_issues_and_reads_the_stamped_document(server: Server, client: Any) -> None:
    document = client.issue(CFDI.from_string(invoice(server.data)))
    root = etree.fromstring(document.xml)
    stamp = root.find(".//{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital")
    assert stamp is not None
    assert stamp.get("UUID") == document.document_id


def test_satcfdi_receives_an_error_for_a_repeated_customid(server: Server, client: Any) -> None:
    cfdi = CFDI.from_string(invoice(server.data, folio="77"))
    client.issue(cfdi, ref_id="pedido-77")
    with pytest.raises(ResponseError):
        client.issue(cfdi, ref_id="pedido-77")


def test_satcfdi_stamps_a_document_that_it_sealed(server: Server, client: Any, tmp_path: Path) -> None:
    from satcfdi.models import Signer

    credential = minted(server.data)
    cfdi = CFDI.from_string(invoice(server.data, folio="78"))
    cfdi.sign(Signer.load(certificate=credential.certificate_der, key=credential.key_der, password=credential.password))
    assert client.stamp(cfdi).document_id


def test_satcfdi_validates(server: Server, client: Any) -> None:
    document = client.issue(CFDI.from_string(invoice(server.data, folio="79")))
    report = client.validate(CFDI.from_string(document.xml))
    assert report["statusSat"] == "Vigente"
    assert report["uuid"] == document.document_id
