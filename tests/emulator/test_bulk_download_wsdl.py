"""The WSDL of the services of the bulk download: what clients send and get is valid by it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lxml import etree
from tests.emulator.bulk_download_support import (
    ACTIONS,
    CFDI,
    DOWNLOAD,
    MONTH,
    PETITION,
    RECEIVED,
    RECEIVER,
    REQUEST,
    RETENCIONES,
    VERIFICATION,
    VERIFY,
    DownloadClient,
    DownloadSandbox,
)
from tests.emulator.emulator_support import running_over
from tests.support.sandbox_app import SandboxApp

AUTHENTICATION = "/Autenticacion/Autenticacion.svc"
BODY = "{http://schemas.xmlsoap.org/soap/envelope/}Body"
WSDL, XS, SOAP = (
    "{http://schemas.xmlsoap.org/wsdl/}",
    "{http://www.w3.org/2001/XMLSchema}",
    "{http://schemas.xmlsoap.org/wsdl/soap/}",
)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DownloadSandbox]:
    app = SandboxApp(tmp_path_factory.mktemp("bulk-download") / "data")
    with running_over(app.container) as emulator:
        yield DownloadSandbox(app, emulator)
    app.container.close()


def described(sandbox: DownloadSandbox, path: str) -> etree._Element:
    answer = sandbox.emulator.client.get(sandbox.emulator.url(path) + "?wsdl")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/xml; charset=utf-8")
    return etree.fromstring(answer.content)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        (AUTHENTICATION, ["http://DescargaMasivaTerceros.gob.mx/IAutenticacion/Autentica"]),
        (REQUEST, [action for action in ACTIONS.values() if "ISolicitaDescargaService" in action]),
        (VERIFICATION, [action for action in ACTIONS.values() if "IVerifica" in action]),
        (DOWNLOAD, [action for action in ACTIONS.values() if "Descargar" in action]),
    ],
)
def test_description_has_the_actions_and_the_address(sandbox: DownloadSandbox, path: str, names: list[str]) -> None:
    for base in (CFDI, RETENCIONES):
        root = described(sandbox, base + path)
        actions = [each.get("soapAction") for each in root.iter(f"{SOAP}operation") if each.get("soapAction")]
        assert actions == names
        [address] = root.iter(f"{SOAP}address")
        assert address.get("location") == sandbox.emulator.url(base + path)
        messages = {each.get("name") for each in root.iter(f"{WSDL}message")}
        for way in ("input", "output"):
            named = {each.get("message", "")[2:] for each in root.iter(f"{WSDL}{way}") if each.get("message")}
            assert named <= messages


def test_messages_of_a_client_are_valid(sandbox: DownloadSandbox) -> None:
    sandbox.stamp()
    client = sandbox.client(RECEIVER)
    period = {**MONTH, "RfcReceptor": RECEIVER, "TipoSolicitud": "CFDI", "EstadoComprobante": "Vigente"}
    accepted = exchange(sandbox, client, REQUEST, RECEIVED, period)
    own = {"IdSolicitud": str(accepted[0].get("IdSolicitud")), "RfcSolicitante": RECEIVER}
    assert exchange(sandbox, client, VERIFICATION, VERIFY, own)[0].get("CodEstatus") == "5000"
    [package] = client.finish(own["IdSolicitud"])["packages"]
    assert exchange(sandbox, client, DOWNLOAD, PETITION, {"IdPaquete": package, "RfcSolicitante": RECEIVER})[0].text


def exchange(
    sandbox: DownloadSandbox, client: DownloadClient, path: str, operation: str, attributes: dict[str, str]
) -> etree._Element:
    """Call an operation; return the element of the answer, which is valid as that of the request is."""
    [schema] = described(sandbox, CFDI + path).iter(f"{XS}schema")
    compiled = etree.XMLSchema(etree.fromstring(etree.tostring(schema)))
    message = client.signed(operation, attributes)
    answer = client.send(path, operation, message).content
    bodies = [etree.fromstring(content).find(BODY)[0] for content in (message, answer)]  # type: ignore[index]
    for body in bodies:
        compiled.assertValid(etree.fromstring(etree.tostring(body)))
    return bodies[1]
