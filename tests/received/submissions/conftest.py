"""A sandbox with an account, and stamped documents for it and for others."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from sqlalchemy import delete
from tests.support.sandbox_app import FECHA, SandboxApp
from tests.support.tls import TlsServer, tls_server

from timbra import examples
from timbra.database.build import opened_database
from timbra.delivery.ports import authority_work
from timbra.received.documents.tables import RECEIVED_DOCUMENT, RECEIVED_XML
from timbra.received.submissions.tables import RECEIVED_SUBMISSION

OURS = {
    "Receptor/@Rfc": "EKU9003173C9",
    "Receptor/@Nombre": examples.KEMPER.name,
    "Receptor/@DomicilioFiscalReceptor": "42501",
    "Receptor/@RegimenFiscalReceptor": "601",
}


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> TlsServer:
    return tls_server(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, tls: TlsServer) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"), received_mail_ca=tls.authority)
    made.store(made.mint())
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def documents(app: SandboxApp) -> dict[str, bytes]:
    """Three documents for the account, one of them changed after the stamp, and one for another receiver."""
    made = {
        "uno.xml": examples.ingreso({**OURS, "@Folio": "1"}, fecha=FECHA),
        "dos.xml": examples.ingreso({**OURS, "@Folio": "2"}, fecha=FECHA),
        "mal.xml": examples.ingreso({**OURS, "@Folio": "3"}, fecha=FECHA),
        "otro.xml": examples.ingreso({"@Folio": "4"}, fecha=FECHA),
    }
    stamped = {name: app.issue(text.encode()).cfdi.encode() for name, text in made.items()}
    stamped["mal.xml"] = stamped["mal.xml"].replace(b'SubTotal="', b'SubTotal="1')
    app.container.get(authority_work).deliver()
    return stamped


@pytest.fixture(autouse=True)
def _no_documents(app: SandboxApp) -> None:
    """Begin each test without received documents."""
    with app.container.get(opened_database).write() as connection:
        for table in (RECEIVED_XML, RECEIVED_DOCUMENT, RECEIVED_SUBMISSION):
            connection.execute(delete(table))


def archive(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return buffer.getvalue()


def written(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        folder.joinpath(name).write_bytes(content)
    return folder
