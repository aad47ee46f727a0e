"""Scripted faults of the bulk download."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from zipfile import BadZipFile, ZipFile

import pytest
from lxml import etree
from tests.emulator.bulk_download_support import (
    DES,
    DOWNLOAD,
    ISSUER,
    PETITION,
    VERIFICATION,
    VERIFY,
    DownloadClient,
    DownloadSandbox,
    new_download_sandbox,
)
from tests.emulator.emulator_support import fault_of


@pytest.fixture(scope="module")
def module_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DownloadSandbox]:
    with new_download_sandbox(tmp_path_factory.mktemp("faults") / "data") as found:
        for _ in range(4):
            found.stamp()
        yield found


@pytest.fixture
def sandbox(module_sandbox: DownloadSandbox) -> Iterator[DownloadSandbox]:
    module_sandbox.options(lifetime_requests=0)
    yield module_sandbox
    module_sandbox.restore()


def finished(client: DownloadClient, **attributes: str) -> list[str]:
    """Return the packages of a request."""
    return list(client.finish(client.request(**attributes)["IdSolicitud"])["packages"])


@pytest.mark.parametrize("code", ["404", "5002", "5005", "5006", "5001", "300", "302", "304"])
def test_request_is_answered_with_a_scripted_code_at_once(sandbox: DownloadSandbox, code: str) -> None:
    client = sandbox.client()
    sandbox.emulator.fault("code", service="download-request", code=code, times=1)
    found = client.request()
    assert found["CodEstatus"] == code
    assert ("IdSolicitud" in found) is (code in ("404", "5002"))
    if "IdSolicitud" in found:
        assert client.verify(found["IdSolicitud"])["CodEstatus"] == "5004"
    client.finish(client.request()["IdSolicitud"])


def test_request_stays_in_a_state_for_ever(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    sandbox.emulator.fault("state", service="download-request", state=1, times=1)
    period = {"FechaInicial": "2026-11-05T00:00:00"}
    stuck = client.request(**period)["IdSolicitud"]
    other = client.request(FechaInicial="2026-11-05T00:00:01")["IdSolicitud"]
    sandbox.advance("240h")
    assert {client.verify(stuck)["EstadoSolicitud"] for _ in range(8)} == {"1"}
    assert client.finish(other)["EstadoSolicitud"] == "3"
    assert client.request(**period)["CodEstatus"] == "5005"


@pytest.mark.parametrize(("state", "code"), [(4, "5000"), (5, "5002"), (5, "5004"), (6, "5000"), (3, "5010")])
def test_request_ends_in_a_scripted_state(sandbox: DownloadSandbox, state: int, code: str) -> None:
    client = sandbox.client()
    sandbox.emulator.fault("state", service="download-request", state=state, code=code, times=1)
    identifier = client.request(FechaInicial=f"2026-11-06T00:00:0{state}")["IdSolicitud"]
    assert client.verify(identifier)["EstadoSolicitud"] == "1"
    found = client.finish(identifier)
    assert (found["CodEstatus"], found["Mensaje"]) == ("5000", "Solicitud Aceptada")
    assert (found["EstadoSolicitud"], found["CodigoEstadoSolicitud"]) == (str(state), code)
    assert bool(found["packages"]) is (state == 3)


def test_verification_is_answered_with_a_scripted_state_once(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    identifier = client.request()["IdSolicitud"]
    client.finish(identifier)
    sandbox.emulator.fault("state", service="download-verification", state=2, times=1)
    assert [client.verify(identifier)["EstadoSolicitud"] for _ in range(2)] == ["2", "3"]
    sandbox.emulator.fault("code", service="download-verification", code="5011", times=1)
    found = client.verify(identifier)
    assert (found["CodEstatus"], found["Mensaje"]) == ("5011", "Límite de descargas por folio por día")
    assert "CodigoEstadoSolicitud" not in found


def test_verification_may_lack_packages_and_count_and_change_their_order(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    sandbox.options(package_documents=2)
    identifier = client.request()["IdSolicitud"]
    packages = client.finish(identifier)["packages"]
    for fault in ("no-packages", "no-count", "reversed-packages"):
        sandbox.emulator.fault(fault, times=1)
        found = client.verify(identifier)
        count = "0" if fault == "no-count" else "4"
        expected = {"no-packages": [], "no-count": packages, "reversed-packages": packages[::-1]}[fault]
        assert (found["EstadoSolicitud"], found["NumeroCFDIs"], found["packages"]) == ("3", count, expected)


def test_empty_period_is_finished_without_packages_by_an_option(sandbox: DownloadSandbox) -> None:
    sandbox.options(empty_period="finished")
    client = sandbox.client()
    period = {"FechaInicial": "2026-10-01T00:00:00", "FechaFinal": "2026-10-02T00:00:00"}
    found = client.finish(client.request(**period)["IdSolicitud"])
    assert (found["EstadoSolicitud"], found["NumeroCFDIs"], found["packages"]) == ("3", "0", [])


def test_package_is_empty_cut_or_broken(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    [package] = finished(client)
    sandbox.options(package_downloads=10)
    whole = client.download(package)[1]
    sandbox.emulator.fault("empty-package", times=1)
    assert client.download(package) == ({"CodEstatus": "5000", "Mensaje": "Solicitud Aceptada"}, b"")
    sandbox.emulator.fault("truncated-package", times=1)
    text = package_text(client, package)
    assert len(text) % 4 != 0
    assert whole.startswith(b64decode(text[: len(text) // 4 * 4]))
    sandbox.emulator.fault("broken-zip", times=1)
    cut = client.download(package)[1]
    assert cut == whole[: len(whole) // 2]
    with pytest.raises(BadZipFile):
        ZipFile(BytesIO(cut))
    sandbox.emulator.fault("slow-body", seconds=0.01, times=1)
    assert client.download(package)[1] == whole


def package_text(client: DownloadClient, package: str) -> str:
    answer = client.call(DOWNLOAD, PETITION, {"IdPaquete": package, "RfcSolicitante": ISSUER})
    return answer.findtext(f".//{{{DES}}}Paquete") or ""


def test_package_is_cut_in_the_middle_of_the_message(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    [package] = finished(client)
    sandbox.emulator.fault("truncated", service="download-package", times=1)
    message = client.signed(PETITION, {"IdPaquete": package, "RfcSolicitante": ISSUER})
    with pytest.raises(etree.XMLSyntaxError):
        etree.fromstring(client.send(DOWNLOAD, PETITION, message).content)


def test_scripted_code_of_a_download_does_not_count(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    [package] = finished(client)
    for code in ("404", "5007", "5008"):
        sandbox.emulator.fault("code", service="download-package", code=code, times=1)
        assert client.download(package)[0]["CodEstatus"] == code
    assert [client.download(package)[0]["CodEstatus"] for _ in range(3)] == ["5000", "5000", "5008"]


def test_transport_faults(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    client.request(FechaInicial="2026-11-07T00:00:00")
    message = client.signed(VERIFY, {"IdSolicitud": "x", "RfcSolicitante": ISSUER})
    sandbox.emulator.fault("html", service="download-verification", status=500, times=1)
    page = client.send(VERIFICATION, VERIFY, message)
    assert (page.status_code, page.headers["content-type"]) == (500, "text/html; charset=utf-8")
    assert page.text.startswith("<!DOCTYPE html>")
    sandbox.emulator.fault("status", service="download-verification", status=503, times=1)
    assert client.send(VERIFICATION, VERIFY, message).status_code == 503
    sandbox.emulator.fault("soap-fault", service="download-verification", code="InvalidSecurity", times=1)
    assert fault_of(client.send(VERIFICATION, VERIFY, message))[0] == "InvalidSecurity"
    sandbox.emulator.fault("soap-fault", service="download-verification", status=200, times=1)
    found = client.send(VERIFICATION, VERIFY, message)
    assert (found.status_code, b"faultstring" in found.content) == (200, True)
    sandbox.emulator.fault("stale-token", service="download-verification", times=1)
    assert client.verify("x")["CodEstatus"] == "300"


def test_xml_packages_have_scripted_defects(sandbox: DownloadSandbox) -> None:
    sandbox.options(package_documents=3)
    for fault in ("foreign-files", "double-extension", "byte-order-mark", "repeated-documents", "other-parties"):
        sandbox.emulator.fault(fault, times=1)
    client, archives = sandbox.client(), []
    for package in finished(client, FechaInicial="2026-11-08T00:00:00"):
        with ZipFile(BytesIO(client.download(package)[1])) as archive:
            archives.append({name: archive.read(name) for name in archive.namelist()})
    documents = [[name for name in files if name.endswith(".xml.xml")] for files in archives]
    assert [len(names) for names in documents] == [3, 3]
    assert documents[0][2] == documents[1][0]
    assert all(content.startswith(b"\xef\xbb\xbf<") for content in archives[0].values() if content.endswith(b"nte>"))
    assert b'Rfc="XAXX010101000"' in archives[1][documents[1][2]]
    foreign = ["__MACOSX/._paquete", "carpeta/ajeno.xml", "vacio.xml"]
    assert [list(files)[-3:] for files in archives] == [foreign, foreign]


def test_metadata_has_scripted_defects(sandbox: DownloadSandbox) -> None:
    for fault in ("broken-metadata", "renamed-column"):
        sandbox.emulator.fault(fault, times=1)
    files = sandbox.client().files(TipoSolicitud="Metadata")
    [content] = [content.decode() for name, content in files.items() if name.endswith("_01.txt")]
    header, *rows = content.split("\r\n")
    assert header.split("~")[5] == "PacCertifico"
    assert len(rows) == 4
    assert rows[0].split("~")[2] == '"ESCUELA KEMPER URGATE" "'
    assert "\n" in rows[1]
    assert [row.count("~") for row in rows] == [11, 11, 12, 11]
    assert rows[3].split("~")[2] == rows[3].split("~")[4] == ""


def test_requests_are_listed_by_the_control_endpoints(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    identifier = client.request(FechaInicial="2026-11-09T00:00:00")["IdSolicitud"]
    found = sandbox.emulator.control("GET", "/bulk-download/requests").json()
    [row] = [row for row in found if row["id"] == identifier]
    assert (row["rfc"], row["state"], row["polls"]) == (ISSUER, 1, 0)
