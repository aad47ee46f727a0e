"""Codes, limits and lives of the bulk download, each reached by a caller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from tests.emulator.bulk_download_support import (
    FOLIO,
    ISSUED,
    ISSUER,
    MONTH,
    RECEIVED,
    RECEIVER,
    REQUEST,
    VERIFICATION,
    VERIFY,
    DownloadClient,
    DownloadSandbox,
    attributes_of,
    new_download_sandbox,
)
from tests.emulator.emulator_support import Holder, fault_of
from tests.support.sandbox_app import FECHA

from timbra import examples
from timbra.seals.certificates.certificate import Certificate, CertificateKind
from timbra.seals.certificates.trust_anchors import TrustAnchor
from timbra.seals.certificates.trust_store import TrustStore
from timbra.seals.keys.private_key import load_private_key

BEGINNING = "La solicitud de descarga no es válida. "


@pytest.fixture(scope="module")
def module_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DownloadSandbox]:
    with new_download_sandbox(tmp_path_factory.mktemp("limits") / "data") as found:
        for _ in range(3):
            found.stamp()
        yield found


@pytest.fixture
def sandbox(module_sandbox: DownloadSandbox) -> Iterator[DownloadSandbox]:
    yield module_sandbox
    module_sandbox.restore()


def period(second: int) -> dict[str, str]:
    """Return a period that no other test asks for."""
    return {"FechaInicial": f"2026-11-01T00:{second // 60:02d}:{second % 60:02d}"}


def test_third_equal_request_of_xml_is_answered_with_5002_and_a_void_identifier(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    for _ in range(2):
        client.finish(client.request(**period(1))["IdSolicitud"])
    exhausted = client.request(**period(1))
    assert (exhausted["CodEstatus"], exhausted["Mensaje"]) == ("5002", "Se han agotado las solicitudes de por vida")
    assert exhausted["RfcSolicitante"] == ISSUER
    found = client.verify(exhausted["IdSolicitud"])
    assert (found["CodEstatus"], found["EstadoSolicitud"], found["NumeroCFDIs"]) == ("5004", "0", "0")
    assert client.request(**period(2))["CodEstatus"] == "5000"


def test_metadata_has_no_life_time_limit(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    for _ in range(3):
        accepted = client.request(TipoSolicitud="Metadata", **period(1))
        assert client.finish(accepted["IdSolicitud"])["EstadoSolicitud"] == "3"
    sandbox.options(lifetime_metadata_requests=3)
    assert client.request(TipoSolicitud="Metadata", **period(1))["CodEstatus"] == "5002"


def test_life_time_limit_outlives_the_packages(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    sandbox.options(lifetime_requests=1)
    client.finish(client.request(**period(3))["IdSolicitud"])
    sandbox.advance("600h")
    assert client.request(**period(3))["CodEstatus"] == "5002"


def test_equal_waiting_request_is_answered_with_5005(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    accepted = client.request(**period(4))
    assert client.request(**period(4))["CodEstatus"] == "5005"
    assert client.request(TipoSolicitud="Metadata", **period(4))["CodEstatus"] == "5000"
    client.finish(accepted["IdSolicitud"])
    sandbox.options(live_requests="with-packages")
    assert client.request(**period(4))["CodEstatus"] == "5005"
    sandbox.options(live_requests="waiting")
    assert client.request(**period(4))["CodEstatus"] == "5000"


def test_third_download_is_answered_with_5008(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    [package] = client.finish(client.request(**period(5))["IdSolicitud"])["packages"]
    for identifier in (package, package.lower()):
        assert client.download(identifier)[0]["CodEstatus"] == "5000"
    header, content = client.download(package)
    assert (header, content) == ({"CodEstatus": "5008", "Mensaje": "Maximo de descargas permitidas."}, b"")


def test_packages_expire_after_72_fiscal_hours(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    identifier = client.request(**period(6))["IdSolicitud"]
    [package] = client.finish(identifier)["packages"]
    sandbox.advance("71h")
    assert client.download(package)[0]["CodEstatus"] == "5000"
    sandbox.advance("1h")
    assert client.download(package)[0]["CodEstatus"] == "5007"
    found = client.verify(identifier)
    assert (found["EstadoSolicitud"], found["CodigoEstadoSolicitud"], found["NumeroCFDIs"]) == ("6", "5000", "0")
    assert found["packages"] == []


def test_life_of_packages_begins_when_the_request_is_finished(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    identifier = client.request(**period(21))["IdSolicitud"]
    sandbox.advance("200h")
    assert client.verify(identifier)["EstadoSolicitud"] == "1"
    [package] = client.finish(identifier)["packages"]
    assert client.download(package)[0]["CodEstatus"] == "5000"


@pytest.mark.parametrize(("kind", "limit"), [("CFDI", "xml_limit"), ("Metadata", "metadata_limit")])
def test_more_documents_than_the_limit_end_with_5003(sandbox: DownloadSandbox, kind: str, limit: str) -> None:
    client = sandbox.client()
    sandbox.options(**{limit: 2})
    found = client.finish(client.request(TipoSolicitud=kind, **period(7))["IdSolicitud"])
    assert (found["EstadoSolicitud"], found["CodigoEstadoSolicitud"], found["packages"]) == ("5", "5003", [])
    sandbox.options(**{limit: 3})
    assert client.finish(client.request(TipoSolicitud=kind, **period(8))["IdSolicitud"])["NumeroCFDIs"] == "3"


def test_documents_are_divided_into_packages(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    sandbox.options(package_documents=2)
    found = client.finish(client.request(**period(9))["IdSolicitud"])
    assert [package[-3:] for package in found["packages"]] == ["_01", "_02"]
    assert len(client.files(**period(10))) == 3


def test_expired_token_is_answered_with_300(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    identifier = client.request(**period(11))["IdSolicitud"]
    assert sandbox.emulator.control("POST", "/tokens/expire").status_code == 200
    found = client.verify(identifier)
    assert (found["CodEstatus"], found["Mensaje"], found["EstadoSolicitud"]) == ("300", "Usuario No Válido", "0")
    client.token = ""
    assert client.verify(identifier)["CodEstatus"] == "5000"


def test_expired_token_is_a_fault_by_an_option(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    sandbox.options(unauthenticated="fault")
    message = client.signed(VERIFY, {"IdSolicitud": "x", "RfcSolicitante": ISSUER})
    response = client.send(VERIFICATION, VERIFY, message, token="other")
    assert fault_of(response) == ("InvalidSecurity", "An error occurred when verifying security for the message.")


def test_unknown_request_and_package_are_5004(sandbox: DownloadSandbox) -> None:
    client, unknown = sandbox.client(), "00000000-0000-4000-8000-000000000000"
    assert client.verify(unknown)["CodEstatus"] == "5004"
    assert client.download(f"{unknown}_01")[0] == {"CodEstatus": "5004", "Mensaje": "No se encontro la informacion"}
    assert client.download("no package")[0]["CodEstatus"] == "5004"


def test_request_of_another_taxpayer_is_unknown(sandbox: DownloadSandbox) -> None:
    identifier = sandbox.client().request(**period(12))["IdSolicitud"]
    assert sandbox.client(RECEIVER).verify(identifier)["CodEstatus"] == "5004"


def test_folio_codes(sandbox: DownloadSandbox) -> None:
    uuid = sandbox.stamp()
    found = sandbox.client().request(FOLIO, Folio="00000000-0000-4000-8000-000000000000")
    assert (found["CodEstatus"], found["RfcSolicitante"], len(found["IdSolicitud"])) == ("5004", ISSUER, 36)
    assert sandbox.client("CACX7605101P8").request(FOLIO, Folio=uuid)["CodEstatus"] == "5001"
    for _ in range(2):
        sandbox.client().files(FOLIO, Folio=uuid, EstadoComprobante="Vigente", TipoSolicitud="CFDI")
    assert sandbox.client().request(FOLIO, Folio=uuid)["CodEstatus"] == "5002"


REVERSED = "La fecha inicial es mayor o igual a la fecha final."
CANCELLED = "No se permite la descarga de xml que se encuentren cancelados."
REJECTED: Mapping[str, tuple[str, dict[str, str], str]] = {
    "equal dates": (
        ISSUED,
        {"FechaFinal": MONTH["FechaInicial"]},
        "La fecha inicial es mayor o igual a la fecha final.",
    ),
    "reversed dates": (
        ISSUED,
        {"FechaFinal": "2026-10-31T00:00:00"},
        "La fecha inicial es mayor o igual a la fecha final.",
    ),
    "a day too early": (ISSUED, {"FechaInicial": "2020-11-16T23:59:59"}, ""),
    "no date": (ISSUED, {"FechaInicial": ""}, ""),
    "no such day": (ISSUED, {"FechaInicial": "2026-02-30T00:00:00"}, ""),
    "received of all states": (RECEIVED, {"EstadoComprobante": "Todos"}, CANCELLED),
    "received without state": (RECEIVED, {"EstadoComprobante": ""}, CANCELLED),
    "numeric state": (ISSUED, {"EstadoComprobante": "1"}, ""),
    "unknown type": (ISSUED, {"TipoSolicitud": "PDF"}, ""),
    "unknown kind": (ISSUED, {"TipoComprobante": "X"}, ""),
    "unknown complement": (ISSUED, {"Complemento": "ninguno"}, ""),
    "no issuer": (ISSUED, {"RfcEmisor": ""}, ""),
    "malformed folio": (FOLIO, {"Folio": "x"}, ""),
}


@pytest.mark.parametrize("case", list(REJECTED))
def test_request_that_breaks_a_rule_is_301_without_identifier(sandbox: DownloadSandbox, case: str) -> None:
    operation, attributes, reason = REJECTED[case]
    found = sandbox.client().request(operation, **attributes)
    assert set(found) == {"CodEstatus", "Mensaje"}
    assert found["CodEstatus"] == "301"
    assert found["Mensaje"].startswith(f"XML Mal Formado:{BEGINNING}{reason}")


def receivers(*rfcs: str) -> str:
    return (
        f"<des:RfcReceptores>{''.join(f'<des:RfcReceptor>{rfc}</des:RfcReceptor>' for rfc in rfcs)}</des:RfcReceptores>"
    )


def test_receivers_filter_and_are_five_at_most(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    six = ["AAA010101AA1", "AAA010101AA2", "AAA010101AA3", "AAA010101AA4", "AAA010101AA5", "AAA010101AA6"]
    assert client.request(content=receivers(*six), **period(13))["CodEstatus"] == "301"
    assert len(client.files(content=receivers(""), **period(14))) >= 3
    assert len(client.files(content=receivers(RECEIVER, *six[:4]), **period(15))) >= 3
    found = client.finish(client.request(content=receivers(*six[:5]), **period(15))["IdSolicitud"])
    assert found["CodigoEstadoSolicitud"] == "5004"


def test_dates_may_lack_a_time_and_may_have_a_zone(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    whole = {"FechaInicial": "2026-11-17", "FechaFinal": "2026-11-18"}
    assert len(client.files(**whole)) >= 3
    empty = client.request(FechaInicial="2026-11-16", FechaFinal="2026-11-17")
    assert client.finish(empty["IdSolicitud"])["CodigoEstadoSolicitud"] == "5004"
    assert len(client.files(FechaInicial="2026-11-17T16:59:59.000Z", FechaFinal="2026-11-17T17:00:00.000Z")) >= 3
    sandbox.options(zulu_dates="local")
    found = client.request(FechaInicial="2026-11-17T16:59:59.500Z", FechaFinal="2026-11-17T17:00:01.000Z")
    assert client.finish(found["IdSolicitud"])["CodigoEstadoSolicitud"] == "5004"


def test_filters_by_kind_complement_and_state(sandbox: DownloadSandbox) -> None:
    payment = sandbox.stamp(text=examples.pago({}, fecha=FECHA, related=sandbox.stamp()))
    client = sandbox.client()
    assert list(client.files(TipoComprobante="P", **period(16))) == [f"{payment}.xml"]
    assert list(client.files(Complemento="pagos20", **period(17))) == [f"{payment}.xml"]
    found = client.request(EstadoComprobante="Cancelado", **period(18))
    assert client.finish(found["IdSolicitud"])["CodigoEstadoSolicitud"] == "5004"


def test_rfc_of_another_signer_is_303(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    assert client.request(RfcEmisor=RECEIVER)["CodEstatus"] == "303"
    assert client.request(RfcSolicitante=RECEIVER)["CodEstatus"] == "303"
    assert client.request(RfcEmisor=ISSUER.lower(), **period(19))["CodEstatus"] == "5000"
    answer = client.call(VERIFICATION, VERIFY, {"IdSolicitud": "x", "RfcSolicitante": RECEIVER})
    assert attributes_of(answer, f"{VERIFY}Result")["CodEstatus"] == "303"


def test_rfc_with_ampersand_and_enie_is_escaped_and_found(sandbox: DownloadSandbox) -> None:
    client = sandbox.client("Ñ&A010101AAA")
    found = client.request()
    assert (found["CodEstatus"], found["RfcSolicitante"]) == ("5000", "Ñ&A010101AAA")
    assert client.finish(found["IdSolicitud"])["CodigoEstadoSolicitud"] == "5004"


def other_certificate(sandbox: DownloadSandbox, kind: CertificateKind, ends: str = "") -> Holder:
    app = sandbox.app
    minted = app.mint(kind=kind) if not ends else app.mint(kind=kind, valid_to=app.now)
    return Holder(minted.certificate, load_private_key(minted.key_der, minted.password))


def test_csd_gets_a_token_and_then_305(sandbox: DownloadSandbox) -> None:
    client = DownloadClient(sandbox.emulator, other_certificate(sandbox, CertificateKind.CSD))
    found = client.request()
    assert found == {"CodEstatus": "305", "Mensaje": "Certificado Inválido"}
    assert client.verify("no identifier")["CodEstatus"] == "305"
    assert client.download("no package") == ({"CodEstatus": "305", "Mensaje": "Certificado Inválido"}, b"")


def test_efirma_of_the_sats_test_authority_is_accepted_by_an_option(
    sandbox: DownloadSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    issuer_of = TrustStore.issuer_of

    def test_authority(trust: TrustStore, certificate: Certificate) -> TrustAnchor | None:
        found = issuer_of(trust, certificate)
        return None if found is None else replace(found, environment="test")

    client = sandbox.client()
    monkeypatch.setattr(TrustStore, "issuer_of", test_authority)
    assert client.request(**period(22))["CodEstatus"] == "5000"
    sandbox.options(test_efirmas="reject")
    assert client.request(**period(23))["CodEstatus"] == "305"


def test_expired_efirma_is_304(sandbox: DownloadSandbox) -> None:
    client = DownloadClient(sandbox.emulator, other_certificate(sandbox, CertificateKind.EFIRMA, "now"))
    sandbox.advance("1h")
    assert client.request()["CodEstatus"] == "304"


def test_changed_message_is_302(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    attributes = {**MONTH, "RfcEmisor": ISSUER, "TipoSolicitud": "CFDI"}
    changed = client.signed(ISSUED, attributes).replace(b"2026-11-30", b"2026-11-29")
    answer = client.read(client.send(REQUEST, ISSUED, changed))
    assert attributes_of(answer, f"{ISSUED}Result")["CodEstatus"] == "302"


def test_old_operation_is_not_supported(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    client.request()
    action = "http://DescargaMasivaTerceros.sat.gob.mx/ISolicitaDescargaService/SolicitaDescarga"
    response = sandbox.emulator.client.post(
        sandbox.emulator.url("/descarga-masiva/cfdi" + REQUEST),
        content=client.signed(ISSUED, {}),
        headers={"SOAPAction": action, "Content-Type": "text/xml"},
    )
    code, text = fault_of(response)
    assert code == "ActionNotSupported"
    assert text.startswith(f"The message with Action '{action}' cannot be processed at the receiver")


def test_hosts_of_the_sat_lead_to_the_registers(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    client.request(**period(20))
    message = client.signed(VERIFY, {"IdSolicitud": "x", "RfcSolicitante": ISSUER})
    codes = {}
    for host in ("cfdidescargamasivasolicitud.clouda.sat.gob.mx", "retendescargamasivasolicitud.clouda.sat.gob.mx"):
        response = sandbox.emulator.client.post(
            sandbox.emulator.url(VERIFICATION),
            content=message,
            headers={
                "Host": host,
                "SOAPAction": f'"http://DescargaMasivaTerceros.sat.gob.mx/I{VERIFY}Service/{VERIFY}"',
                "Authorization": f'WRAP access_token="{client.token}"',
            },
        )
        codes[host[:4]] = attributes_of(client.read(response), f"{VERIFY}Result")["CodEstatus"]
    assert codes == {"cfdi": "5004", "rete": "300"}
