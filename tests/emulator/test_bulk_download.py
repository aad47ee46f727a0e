"""The bulk download from login to the last package, over what was stamped and cancelled in the sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from lxml import etree
from tests.emulator.bulk_download_support import (
    FOLIO,
    ISSUER,
    RECEIVED,
    RECEIVER,
    RETENCIONES,
    DownloadSandbox,
    new_download_sandbox,
    rows_of,
    token_of,
)
from tests.emulator.emulator_support import WSU
from tests.support.sandbox_app import FECHA

from timbra import examples
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.sandbox.authority.build import sandbox_cancellations
from timbra.sat.port import RequestOrigin


@pytest.fixture(scope="module")
def module_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DownloadSandbox]:
    with new_download_sandbox(tmp_path_factory.mktemp("bulk-download") / "data") as found:
        yield found


@pytest.fixture
def sandbox(module_sandbox: DownloadSandbox) -> Iterator[DownloadSandbox]:
    yield module_sandbox
    module_sandbox.restore()


@pytest.fixture(scope="module")
def invoice(module_sandbox: DownloadSandbox) -> str:
    """Return the folio of the only invoice from ISSUER to RECEIVER that every test may expect."""
    return module_sandbox.stamp()


def cancel(sandbox: DownloadSandbox, uuid: str) -> None:
    request = Cancelacion(ISSUER, (Folio(uuid, "02"),))
    sandbox.app.container.get(sandbox_cancellations).cancel(request, b"", RequestOrigin(None, ""))


def test_autentica_returns_a_token_and_five_minutes(sandbox: DownloadSandbox) -> None:
    response = sandbox.client().login()
    assert token_of(response).split("%26wrap_subject%3d")[1] == sandbox.efirma().certificate.number.encode().hex()
    root = etree.fromstring(response.content)
    created, expires = (datetime.fromisoformat(root.findtext(f".//{{{WSU}}}{n}") or "") for n in ("Created", "Expires"))
    assert expires - created == timedelta(minutes=5)


def test_issued_xml_is_downloaded_from_login_to_package(sandbox: DownloadSandbox, invoice: str) -> None:
    client = sandbox.client()
    accepted = client.request()
    assert (accepted["CodEstatus"], accepted["Mensaje"]) == ("5000", "Solicitud Aceptada")
    assert accepted["RfcSolicitante"] == ISSUER
    states = [client.verify(accepted["IdSolicitud"])["EstadoSolicitud"] for _ in range(2)]
    assert states == ["1", "2"]
    found = client.finish(accepted["IdSolicitud"])
    assert (found["CodEstatus"], found["EstadoSolicitud"], found["CodigoEstadoSolicitud"]) == ("5000", "3", "5000")
    assert found["packages"] == [f"{accepted['IdSolicitud'].upper()}_01"]
    header, content = client.download(found["packages"][0])
    assert header == {"CodEstatus": "5000", "Mensaje": "Solicitud Aceptada"}
    assert content[:2] == b"PK"


def test_received_xml_has_the_stamped_bytes(sandbox: DownloadSandbox, invoice: str) -> None:
    files = sandbox.client(RECEIVER).files(RECEIVED)
    ledger = sandbox.emulator.emulator.sat.ledger
    assert files[f"{invoice}.xml"] == ledger.stored_document(invoice)


def test_metadata_has_the_row_of_an_invoice(sandbox: DownloadSandbox, invoice: str) -> None:
    files = sandbox.client().files(TipoSolicitud="Metadata")
    assert {name.rpartition("_")[2] for name in files} == {"01.txt", "tercero.txt"}
    [row] = [row for row in rows_of(files) if row["Uuid"] == invoice.upper()]
    assert row == {
        "Uuid": invoice.upper(),
        "RfcEmisor": "EKU9003173C9",
        "NombreEmisor": "ESCUELA KEMPER URGATE",
        "RfcReceptor": RECEIVER,
        "NombreReceptor": examples.ROBOTICA.name,
        "RfcPac": "TIM010101SB9",
        "FechaEmision": "2026-11-17 11:00:00",
        "FechaCertificacionSat": "2026-11-17 12:00:00",
        "Monto": row["Monto"],
        "EfectoComprobante": "I",
        "Estatus": "1",
        "FechaCancelacion": "",
    }
    assert float(row["Monto"]) > 0


def test_cancellation_changes_metadata_and_removes_the_xml(sandbox: DownloadSandbox) -> None:
    uuid = sandbox.stamp()
    client = sandbox.client()
    period = {"FechaInicial": "2026-11-02T00:00:00"}
    before = {
        row["Uuid"]: row for row in rows_of(client.files(TipoSolicitud="Metadata", EstadoComprobante="", **period))
    }
    cancel(sandbox, uuid)
    found = client.files(TipoSolicitud="Metadata", EstadoComprobante="Todos", **period)
    after = {row["Uuid"]: row for row in rows_of(found)}
    assert (before[uuid.upper()]["Estatus"], before[uuid.upper()]["FechaCancelacion"]) == ("1", "")
    assert (after[uuid.upper()]["Estatus"], after[uuid.upper()]["FechaCancelacion"]) == ("0", "2026-11-17 12:00:00")
    assert f"{uuid}.xml" not in client.files(**period)
    assert client.request(FOLIO, Folio=uuid)["CodEstatus"] == "5012"


def test_retenciones_have_services_of_their_own(sandbox: DownloadSandbox) -> None:
    uuid = sandbox.stamp(text=examples.retencion(fecha=FECHA))
    client = sandbox.client(register=RETENCIONES)
    assert list(client.files()) == [f"{uuid}.xml"]
    assert f"{uuid}.xml" not in sandbox.client().files(FechaInicial="2026-11-03T00:00:00")
    client.token = token_of(sandbox.client().login())
    assert client.request()["CodEstatus"] == "300"


def test_folio_returns_one_document(sandbox: DownloadSandbox, invoice: str) -> None:
    assert list(sandbox.client(RECEIVER).files(FOLIO, Folio=invoice.upper())) == [f"{invoice}.xml"]


def test_empty_period_is_rejected_with_5004(sandbox: DownloadSandbox) -> None:
    client = sandbox.client()
    accepted = client.request(FechaInicial="2026-10-01T00:00:00", FechaFinal="2026-10-31T23:59:59")
    found = client.finish(accepted["IdSolicitud"])
    assert (found["EstadoSolicitud"], found["CodigoEstadoSolicitud"], found["NumeroCFDIs"]) == ("5", "5004", "0")
    assert found["packages"] == []


def test_documents_of_other_providers_are_found_with_what_the_emulator_has(sandbox: DownloadSandbox) -> None:
    emulator, fecha = sandbox.emulator, "2026-11-16T11:00:00"
    xml, uuid = emulator.stamped({"@Fecha": fecha}, text="")
    emulator.deliver(xml, uuid)
    period = {"FechaInicial": "2026-11-16T00:00:00", "FechaFinal": "2026-11-17T00:00:00"}
    client = sandbox.client()
    assert client.files(**period) == {f"{uuid.lower()}.xml": xml}
    [row] = rows_of(client.files(TipoSolicitud="Metadata", **period))
    assert (row["Uuid"], row["RfcPac"], row["FechaEmision"]) == (uuid, "PAC010101AB1", "2026-11-16 11:00:00")
    other, imported = emulator.stamped()
    emulator.emulator.sat.ledger.import_document(other)
    later = {"FechaInicial": "2026-11-17T11:29:00", "FechaFinal": "2026-11-17T11:31:00"}
    assert client.finish(client.request(**later)["IdSolicitud"])["CodigoEstadoSolicitud"] == "5004"
    [row] = rows_of(client.files(TipoSolicitud="Metadata", **later))
    assert (row["Uuid"], row["NombreEmisor"], row["FechaEmision"]) == (imported, "", "2026-11-17 11:30:00")
