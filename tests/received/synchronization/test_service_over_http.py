"""The bulk download: started, watched, stopped and continued by the API, in the portal and by commands.

The server's own job or the command runs it, against the emulated SAT.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.emulator.bulk_download_support import CFDI, ISSUER, RECEIVER, DownloadSandbox
from tests.emulator.bulk_download_support import RETENCIONES as RETENCIONES_PATH
from tests.emulator.emulator_support import running_over
from tests.received.synchronization.test_emulated_sat import PATHS
from tests.support.asgi import Answer, application, call
from tests.support.browser import Visitor
from tests.support.sandbox_app import NOW, SandboxApp
from tests.support.waiting import wait_until
from typer.testing import CliRunner, Result

from timbra.accounts.build import account_services
from timbra.accounts.vault.tables import EFIRMA
from timbra.app.composition import build_container
from timbra.cli.main import app as command
from timbra.database.build import opened_database
from timbra.database.tables.audit import AUDIT_EVENT
from timbra.received.build import document_store
from timbra.received.synchronization.build import sync_runner, sync_service
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.seals.certificates.certificate import CertificateKind
from timbra.settings import Settings

PAGE = "/portal/descargas"
NAMES = ("authentication", "request", "verification", "download")


@dataclass
class Service:
    """The application over the folder of a sandbox whose SAT is emulated."""

    app: SandboxApp
    efirma: MintedCredential
    uuid: str
    urls: dict[str, str]

    def call(self, method: str, path: str, body: object = None, query: str = "", user: str = "ana") -> Answer:
        token = account_services(self.app.container).accounts.create_infinite_token(f"{user}@example.com")
        headers = {"Authorization": f"bearer {token}", "Content-Type": "application/json"}
        content = b"" if body is None else json.dumps(body).encode()
        return call(
            application(self.app.container), method, f"/received{path}", headers=headers, body=content, query=query
        )

    def save(self, user: str = "ana") -> Answer:
        files = {"b64Cer": self.efirma.certificate_der, "b64Key": self.efirma.key_der}
        body = {name: b64encode(content).decode() for name, content in files.items()}
        return self.call("POST", "/efirmas", {**body, "password": self.efirma.password}, user=user)

    def run(self) -> None:
        """Let the job of the server run until nothing is open."""
        container = self.app.container

        def is_done() -> bool:
            container.get(sync_runner).run_all()
            return all(report.is_complete for report in container.get(sync_service).reports())

        wait_until(is_done)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    data = tmp_path_factory.mktemp("bulk-download") / "data"
    app = SandboxApp(data)
    app.account("bea@example.com")
    with running_over(app.container) as emulator:
        sandbox = DownloadSandbox(app, emulator)
        uuid, efirma = sandbox.stamp(), app.mint(RECEIVER, CertificateKind.EFIRMA)
        sandbox.advance("3d")
        sandbox.options(accepted_polls=0, processing_polls=0)
        urls = {"sat_bulk_retenciones_url": emulator.url(RETENCIONES_PATH)}
        for name, path in zip(NAMES, PATHS, strict=True):
            urls[f"sat_bulk_{name}_url"] = emulator.url(CFDI + path)
        first, app.container = app.container, build_container(Settings(data=data, clock=NOW, **urls))  # type: ignore[arg-type]
        yield Service(app, efirma, uuid, urls)
        app.container.close()
        app.container = first
    first.close()


@pytest.fixture
def ana(service: Service) -> Visitor:
    visitor = Visitor(service.app)
    visitor.sign_in("ana@example.com")
    return visitor


def audited(service: Service, kind: str) -> list[str]:
    query = select(AUDIT_EVENT.c.subject).where(AUDIT_EVENT.c.kind == kind)
    with service.app.container.get(opened_database).read() as connection:
        return list(connection.execute(query).scalars())


def test_efirma_is_stored_listed_and_deleted(service: Service) -> None:
    assert service.call("GET", "/efirmas").json["data"] == []
    saved = service.save()
    assert saved.status == 200, saved.body
    listed = service.call("GET", "/efirmas").json["data"]
    assert listed == [saved.json["data"]]
    assert (listed[0]["rfc"], listed[0]["certificateNumber"]) == (RECEIVER, service.efirma.certificate.number)
    assert set(listed[0]) == {"rfc", "certificateNumber", "name", "validFrom", "validTo", "stored"}
    with service.app.container.get(opened_database).read() as connection:
        sealed = connection.execute(select(EFIRMA.c.sealed_key)).scalar_one()
    assert service.efirma.key_der not in sealed
    assert service.call("GET", "/efirmas", user="bea").json["data"] == []
    assert service.call("DELETE", f"/efirmas/{RECEIVER}", user="bea").status == 400
    assert service.call("DELETE", f"/efirmas/{RECEIVER}").status == 204
    assert audited(service, "efirma.deleted") == [service.efirma.certificate.number]


def test_efirma_is_rejected_when_it_is_none(service: Service) -> None:
    credential = service.app.mint(RECEIVER)
    files = {"b64Cer": credential.certificate_der, "b64Key": credential.key_der}
    body = {name: b64encode(content).decode() for name, content in files.items()}
    rejected = service.call("POST", "/efirmas", {**body, "password": credential.password})
    assert (rejected.status, "e.firma" in rejected.body.decode()) == (400, True)
    assert service.call("POST", "/efirmas", {**body, "b64Key": "!"}).status == 400
    assert service.call("POST", "/efirmas", {**body, "password": "otra"}).status == 400


def test_download_is_started_watched_stopped_and_continued_by_the_api(service: Service) -> None:
    service.save()
    body = {"rfc": RECEIVER, "since": "2026-11-10", "sides": ["received"], "kinds": ["cfdi"]}
    started = service.call("POST", "/synchronizations", body)
    assert started.status == 200, started.body
    [side] = started.json["data"]
    assert (side["status"], side["side"], side["askedUntil"], side["documents"]) == ("active", "received", None, 0)
    service.run()

    [side] = service.call("GET", f"/synchronizations/{RECEIVER}").json["data"]
    assert (side["documents"], side["withoutXml"], side["openRequests"], side["doneRequests"]) == (1, 0, 0, 2)
    assert (side["askedUntil"], side["sentMetadata"], side["sentXml"], side["nextCall"]) == ("2026-11-19", 1, 1, None)
    page = service.call("GET", f"/synchronizations/{RECEIVER}/requests", query="limit=1").json["data"]
    rest = service.call("GET", f"/synchronizations/{RECEIVER}/requests", query=f"cursor={page['cursor']}").json["data"]
    assert [
        (each["type"], each["status"], [one["status"] for one in each["packages"]])
        for each in (*page["records"], *rest["records"])
    ] == [("CFDI", "done", ["done"]), ("Metadata", "done", ["done"])]
    assert rest["cursor"] is None
    found = service.app.container.get(document_store).find(service.app.caller.account_id, service.uuid)
    assert found is not None
    assert (found.has_xml, found.result, found.moneda) == (True, "valid", "MXN")

    [stopped] = service.call("POST", f"/synchronizations/{RECEIVER}/stop").json["data"]
    assert stopped["status"] == "stopped"
    [resumed] = service.call("POST", f"/synchronizations/{RECEIVER}/resume").json["data"]
    assert resumed["status"] == "active"
    assert audited(service, "received.requested") == [RECEIVER] * 2


def test_api_rejects_wrong_fields_and_taxpayers_of_others(service: Service) -> None:
    service.save()
    for body in (
        {"rfc": RECEIVER},
        {"rfc": RECEIVER, "since": "ayer"},
        {"rfc": RECEIVER, "days": 0},
        {"rfc": "X", "days": 3},
        {"rfc": RECEIVER, "days": 3, "sides": ["both"]},
        {"rfc": RECEIVER, "days": 3, "kinds": ["pdf"]},
        {"rfc": "EKU9003173C9", "days": 3},
    ):
        assert service.call("POST", "/synchronizations", body).status == 400, body
    for path in ("", "/requests"):
        assert service.call("GET", f"/synchronizations/{RECEIVER}{path}", user="bea").status == 404
    for path in ("stop", "resume"):
        assert service.call("POST", f"/synchronizations/{RECEIVER}/{path}", user="bea").status == 404
    assert service.call("GET", "/synchronizations", user="bea").json["data"] == []


def test_days_count_back_from_today(service: Service) -> None:
    service.save()
    body = {"rfc": RECEIVER, "days": 4, "sides": ["issued"], "kinds": ["cfdi"]}
    sides = service.call("POST", "/synchronizations", body).json["data"]
    assert [side["since"] for side in sides if side["side"] == "issued"] == ["2026-11-16"]
    service.run()


def test_portal_stores_an_efirma_starts_shows_stops_and_continues(service: Service, ana: Visitor) -> None:
    ana.get(PAGE)
    files = [
        ("cer", ("a.cer", service.efirma.certificate_der)),
        ("key", ("a.key", service.efirma.key_der)),
    ]
    answer = ana.post(f"{PAGE}/efirma", {"password": "otra"}, files=files)
    assert (answer.status_code, service.efirma.password in ana.text) == (422, False)
    assert ana.post(f"{PAGE}/efirma", {"password": service.efirma.password}, files=files).status_code == 303
    ana.get(PAGE)
    assert service.efirma.certificate.number in ana.text
    assert ana.post(PAGE, {"rfc": RECEIVER, "desde": "mal", "lado": "received"}).status_code == 422
    answer = ana.post(PAGE, {"rfc": RECEIVER, "desde": "2026-11-09", "lado": "received"})
    address = answer.headers["location"]
    assert answer.status_code == 303
    service.run()

    ana.get(address)
    assert ana.page is not None
    assert "terminada" in ana.text
    assert "ninguna se repite" in ana.text
    assert ana.page.xpath("//*[@hx-get]") == []
    ana.post(f"{address}/detener", {})
    ana.get(address)
    assert "detenida" in ana.text
    ana.post(f"{address}/continuar", {})
    ana.get(address)
    assert "detenida" not in ana.text
    assert ana.get(f"{PAGE}/XAXX010101000").status_code == 404
    assert ana.get(f"{address}?cursor=x").status_code == 404
    ana.get(PAGE)
    ana.post(f"{PAGE}/efirma/{RECEIVER}/eliminar", {})
    assert ana.post(f"{PAGE}/efirma/{RECEIVER}/eliminar", {}).status_code == 404
    ana.get(PAGE)
    assert "No hay e.firmas guardadas" in ana.text


def test_portal_shows_why_a_download_is_blocked(service: Service, ana: Visitor) -> None:
    service.save()
    body = {"rfc": RECEIVER, "since": "2026-11-01", "sides": ["received"], "kinds": ["cfdi"]}
    service.call("POST", "/synchronizations", body)
    service.call("DELETE", f"/efirmas/{RECEIVER}")
    service.app.container.get(sync_runner).run_all()
    ana.get(f"{PAGE}/{RECEIVER}")
    assert "No hay una e.firma" in ana.text
    assert "bloqueada" in ana.text
    service.save()
    ana.post(f"{PAGE}/{RECEIVER}/continuar", {})
    service.run()
    ana.get(f"{PAGE}/{RECEIVER}")
    assert "bloqueada" not in ana.text


def invoke(service: Service, *arguments: str) -> Result:
    """Run a command of `timbra received` for the account."""
    account = ("--account", "ana@example.com", "--data", str(service.app.container.settings.data))
    names = {f"TIMBRA_{name.upper()}": url for name, url in service.urls.items()}
    return CliRunner(env={**names, "TIMBRA_CLOCK": NOW, "COLUMNS": "250"}).invoke(
        command, ["received", *arguments, *account]
    )


def test_commands_store_an_efirma_download_show_and_stop(service: Service, tmp_path: Path) -> None:
    credential = service.app.mint(ISSUER, CertificateKind.EFIRMA)
    cer, key = tmp_path / "a.cer", tmp_path / "a.key"
    cer.write_bytes(credential.certificate_der)
    key.write_bytes(credential.key_der)
    files = ("--cer", str(cer), "--key", str(key))
    assert invoke(service, "efirma", *files, "--password", "otra").exit_code == 1
    saved = invoke(service, "efirma", *files, "--password", credential.password)
    assert saved.stdout.split("\t")[:2] == [ISSUER, credential.certificate.number]

    taxpayer = ("--rfc", ISSUER.lower())
    sides = ("--since", "2026-11-10", "--side", "issued", "--kind", "cfdi")
    columns = ["EKU9003173C9", "cfdi", "issued"]
    rest = ["0", "0", "0", "0", ""]
    waiting = invoke(service, "sync", *taxpayer, *sides, "--detach")
    assert waiting.stdout.split("\t")[:6] == [*columns, "active", "2026-11-10", ""]
    assert ISSUER not in audited(service, "received.requested")
    done = invoke(service, "sync", *taxpayer, *sides)
    downloaded = ["2026-11-10", "2026-11-19", "1", *rest]
    assert (done.exit_code, done.stdout.rstrip("\n").split("\t")) == (0, [*columns, "active", *downloaded])
    assert ISSUER in audited(service, "received.requested")

    assert invoke(service, "status", *taxpayer).stdout == done.stdout
    stopped = invoke(service, "stop", *taxpayer)
    assert (stopped.exit_code, stopped.stdout) == (0, done.stdout.replace("active", "stopped"))
    assert invoke(service, "status").stdout.count("stopped") == 1


def test_sync_command_fails_without_an_efirma(service: Service) -> None:
    result = invoke(service, "sync", "--rfc", "XIA190128J61", "--since", "2026-11-10")
    assert (result.exit_code, "No hay una e.firma de XIA190128J61 en la cuenta." in result.stderr) == (1, True)
