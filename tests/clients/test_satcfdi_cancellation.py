"""The client of this service in `satcfdi` cancels, answers as the receiver and queries relations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.requirements import need
from tests.support.satcfdi_names import (
    CFDI,
    SAT,
    Cancelacion,
    CancelReason,
    Environment,
    Folio,
    Folios,
    ResponseError,
    Signer,
    SolicitudAceptacionRechazo,
    SWSapien,
    cancelacionretencion,
    sat_module,
)
from tests.support.server import AGE, USER, Server, minted, retencion, running, seed

from timbra import examples
from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import open_container
from timbra.container.build import fiscal_clock
from timbra.core.clock import to_central_mexico
from timbra.examples import Change
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind
from timbra.settings import Settings

# The client reads certificates with deprecated functions of pyOpenSSL.
pytestmark = pytest.mark.filterwarnings("ignore:X509.get_:DeprecationWarning")
RECEIVER = examples.ROBOTICA.rfc


@dataclass
class SatcfdiClient:
    """The client with a running server and the credentials of an issuer and a receiver."""

    server: Server
    client: Any
    issuer: MintedCredential
    receiver: MintedCredential
    issued: int = 0

    def issue(self, *, replaces: str = "") -> Any:
        """Stamp a CFDI and return it as the client reads it."""
        self.issued += 1
        with open_container(Settings(data=self.server.data)) as container:
            fecha = to_central_mexico(container.get(fiscal_clock).now() - AGE)
        changes: dict[str, Change] = {"@Folio": str(self.issued)}
        if replaces:
            changes["CfdiRelacionados"] = examples.relation("04", replaces)
        text = examples.ingreso(changes, concepts=[examples.concepto(price="5000.00")], fecha=fecha)
        return CFDI.from_string(self.client.issue(CFDI.from_string(text.encode())).xml)

    def advance(self, duration: str) -> None:
        with self.server.client() as client:
            assert client.post("/sandbox/clock/advance", json={"duration": duration}).status_code == 200

    def state(self, cfdi: Any) -> tuple[str, str]:
        report = self.client.validate(cfdi)
        return report["statusSat"], report["statusCancelation"]


def folio_of(cfdi: Any) -> str:
    return str(cfdi["Complemento"]["TimbreFiscalDigital"]["UUID"])


def signer(credential: MintedCredential) -> Any:
    return Signer.load(certificate=credential.certificate_der, key=credential.key_der, password=credential.password)


@pytest.fixture(scope="module")
def satcfdi(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SatcfdiClient]:
    need("satcfdi", SWSapien, "the package is not installed")
    data: Path = tmp_path_factory.mktemp("satcfdi") / "data"
    token = seed(data)
    with open_container(Settings(data=data)) as container:
        now = container.get(fiscal_clock).now().replace(microsecond=0)
        name, ends = examples.ROBOTICA.name, now + timedelta(days=1400)
        receiver = container.get(sandbox_services).authority_ca.mint(
            RECEIVER, CertificateKind.CSD, name, now - timedelta(days=30), ends
        )
        account = container.get(account_services).accounts.find(USER).account_id
        container.get(certificate_services).vault.save(
            account, receiver.certificate_der, receiver.key_der, receiver.password
        )
    with running(data, token=token) as server:

        class Local(SWSapien):  # type: ignore[misc]
            def _host(self, service: str = "services") -> str:
                return server.address

        yield SatcfdiClient(server, Local(token=token, environment=Environment.TEST), minted(data), receiver)


def test_satcfdi_cancels_by_uuid(satcfdi: SatcfdiClient) -> None:
    cfdi = satcfdi.issue()
    response = satcfdi.client.cancel(cfdi, CancelReason.COMPROBANTE_EMITIDO_CON_ERRORES_SIN_RELACION)
    assert response.code == "201"
    assert "<Acuse " in response.acuse
    assert satcfdi.state(cfdi) == ("Cancelado", "Cancelado sin aceptación")


def test_satcfdi_substitutes(satcfdi: SatcfdiClient) -> None:
    wrong = satcfdi.issue()
    right = satcfdi.issue(replaces=folio_of(wrong))
    related = satcfdi.client.relations(right)
    assert related["codStatus"] == "2000"
    assert [one["uuid"] for one in related["data"]["uuidsRelacionadosPadres"]] == [folio_of(wrong).upper()]
    reason = CancelReason.COMPROBANTE_EMITIDO_CON_ERRORES_CON_RELACION
    assert satcfdi.client.cancel(wrong, reason, folio_of(right)).code == "201"
    assert satcfdi.state(wrong) == ("Cancelado", "Cancelado sin aceptación")


def test_satcfdi_cancels_several_by_a_signed_document(satcfdi: SatcfdiClient) -> None:
    first, second = satcfdi.issue(), satcfdi.issue()
    folios = [Folio(folio_of(first), "02"), Folio(folio_of(second), "03")]
    response = satcfdi.client.cancel_comprobante(Cancelacion(signer(satcfdi.issuer), folios))
    assert response.code == {folio_of(first).upper(): "201", folio_of(second).upper(): "201"}


def test_satcfdi_answers_as_the_receiver(satcfdi: SatcfdiClient) -> None:
    wanted, kept = satcfdi.issue(), satcfdi.issue()
    with pytest.raises(ResponseError):
        satcfdi.client.pending(RECEIVER)
    satcfdi.advance("5d")
    for cfdi in (wanted, kept):
        assert satcfdi.client.cancel(cfdi, CancelReason.NO_SE_LLEVO_A_CABO_LA_OPERACION).code == "201"
        assert satcfdi.state(cfdi) == ("Vigente", "En proceso")
    assert sorted(satcfdi.client.pending(RECEIVER)) == sorted(folio_of(cfdi).upper() for cfdi in (wanted, kept))
    answers = [Folios("Aceptacion", folio_of(wanted)), Folios("Rechazo", folio_of(kept))]
    response = satcfdi.client.accept_reject(SolicitudAceptacionRechazo(signer(satcfdi.receiver), SWSapien.RFC, answers))
    assert response.folios == {
        folio_of(wanted).upper(): {"estatusUUID": "1000", "respuesta": "Aceptacion"},
        folio_of(kept).upper(): {"estatusUUID": "1000", "respuesta": "Rechazo"},
    }
    assert "<AcuseAceptacionRechazo " in response.acuse
    assert satcfdi.state(wanted) == ("Cancelado", "Cancelado con aceptación")
    assert satcfdi.state(kept) == ("Vigente", "Solicitud rechazada")


def test_satcfdi_status_client_works_with_the_sandbox(satcfdi: SatcfdiClient) -> None:
    class Local(SAT):  # type: ignore[misc]
        def _request(self, soap_url: str, **options: Any) -> Any:
            _, _, path = soap_url.rpartition("/")
            return super()._request(soap_url=f"{satcfdi.server.address}/{path}", **options)

    cfdi = satcfdi.issue()
    sat = Local(environment=Environment.TEST)
    assert sat.status(cfdi) == {
        "CodigoEstatus": "S - Comprobante obtenido satisfactoriamente.",
        "EsCancelable": "Cancelable sin aceptación",
        "Estado": "Vigente",
        "EstatusCancelacion": None,
        "ValidacionEFOS": "200",
    }
    satcfdi.client.cancel(cfdi, CancelReason.NO_SE_LLEVO_A_CABO_LA_OPERACION)
    found = sat.status(cfdi)
    assert (found["Estado"], found["EstatusCancelacion"]) == ("Cancelado", "Cancelado sin aceptación")


def cancel_retencion(satcfdi: SatcfdiClient, uuid: str) -> Any:
    """Send the document that the client signs for retenciones; the client has no call for it."""
    with open_container(Settings(data=satcfdi.server.data)) as container:
        fecha = datetime.fromisoformat(to_central_mexico(container.get(fiscal_clock).now()))
    request = cancelacionretencion.Cancelacion(signer(satcfdi.issuer), cancelacionretencion.Folio(uuid, "02"), fecha)
    with satcfdi.server.client() as client:
        answer = client.post("/retencion/cancel/xml", files={"xml": ("cancelacion.xml", request.xml_bytes())})
    return answer.json()


def test_satcfdi_signs_the_cancellation_of_a_retencion_and_reads_the_page(
    satcfdi: SatcfdiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with satcfdi.server.client() as client:
        file = {"xml": ("retencion.xml", retencion(satcfdi.server.data, "S1"), "text/xml")}
        stamped = client.post("/retencion/issue/v4", files=file).json()["data"]
    uuid = stamped["uuid"]
    assert cancel_retencion(satcfdi, uuid)["data"]["uuid"] == {uuid.upper(): "1201"}
    ask = sat_module.requests.get

    def ask_the_sandbox(url: str, parameters: dict[str, str]) -> Any:
        _, _, path = url.partition(".gob.mx")
        return ask(f"{satcfdi.server.address}{path}", parameters)

    monkeypatch.setattr(sat_module.requests, "get", ask_the_sandbox)
    found = SAT(environment=Environment.TEST).status_retencion(CFDI.from_string(stamped["retencion"].encode()))
    assert found["estado"] == "Cancelado"
    assert found["fecha"][:4].isdigit()
