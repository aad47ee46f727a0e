"""A sandbox with documents, its emulator, and a client of the bulk download that signs as the PHP library does.

The client is built here, without the code of the product, so that both sides do not only agree with each other.
"""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA1
from httpx2 import Response
from lxml import etree
from tests.emulator.emulator_support import DSIG, SOAP, EmulatorRun, Holder, login_message, running_over
from tests.support.sandbox_app import FECHA, NOW, SandboxApp

from timbra import examples
from timbra.emulator.options import EmulatorOptions
from timbra.examples import Change
from timbra.sandbox.authority.build import clock_control
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.keys.private_key import load_private_key
from timbra.stamping.models import DocumentKind

DES = "http://DescargaMasivaTerceros.sat.gob.mx"
AUTENTICA = "http://DescargaMasivaTerceros.gob.mx"
CFDI, RETENCIONES = "/descarga-masiva/cfdi", "/descarga-masiva/retenciones"
REQUEST, VERIFICATION = "/SolicitaDescargaService.svc", "/VerificaSolicitudDescargaService.svc"
DOWNLOAD = "/DescargaMasivaService.svc"
ISSUED, RECEIVED, FOLIO = "SolicitaDescargaEmitidos", "SolicitaDescargaRecibidos", "SolicitaDescargaFolio"
VERIFY = "VerificaSolicitudDescarga"
PETITION = "PeticionDescargaMasivaTercerosEntrada"
ACTIONS = {
    ISSUED: f"{DES}/ISolicitaDescargaService/{ISSUED}",
    RECEIVED: f"{DES}/ISolicitaDescargaService/{RECEIVED}",
    FOLIO: f"{DES}/ISolicitaDescargaService/{FOLIO}",
    VERIFY: f"{DES}/IVerificaSolicitudDescargaService/{VERIFY}",
    PETITION: f"{DES}/IDescargaMasivaTercerosService/Descargar",
}
MONTH = {"FechaInicial": "2026-11-01T00:00:00", "FechaFinal": "2026-11-30T23:59:59"}
ISSUER, RECEIVER = examples.KEMPER.rfc, examples.ROBOTICA.rfc


@dataclass
class DownloadSandbox:
    """A sandbox that stamps, with an emulator over it."""

    app: SandboxApp
    emulator: EmulatorRun
    stamps: int = 0
    credential: Any = None
    efirmas: dict[str, Holder] = field(default_factory=dict)

    def stamp(self, changes: Mapping[str, Change] | None = None, *, text: str = "") -> str:
        """Stamp an invoice, or another unsealed document; return its folio in lower case."""
        self.stamps += 1
        self.credential = self.credential or self.app.mint()
        document = text or examples.ingreso({"@Folio": str(self.stamps), **(changes or {})}, fecha=FECHA)
        kind = DocumentKind.RETENCIONES if "retencionpago" in document else DocumentKind.CFDI
        return self.app.stamp(self.app.sealed(document, self.credential), kind=kind).uuid.lower()

    def efirma(self, rfc: str = ISSUER) -> Holder:
        if rfc not in self.efirmas:
            minted = self.app.mint(rfc, CertificateKind.EFIRMA)
            self.efirmas[rfc] = Holder(minted.certificate, load_private_key(minted.key_der, minted.password))
        return self.efirmas[rfc]

    def advance(self, duration: str) -> None:
        """Move fiscal time; `restore` moves it back."""
        self.app.container.get(clock_control).advance(duration)

    def restore(self) -> None:
        """Restore options, faults and the clock, so that tests share a sandbox."""
        self.emulator.emulator.configuration.change(EmulatorOptions())
        self.emulator.emulator.configuration.faults.replace(())
        self.app.container.get(clock_control).set(NOW)

    def client(self, rfc: str = ISSUER, register: str = CFDI) -> DownloadClient:
        return DownloadClient(self.emulator, self.efirma(rfc), register)

    def options(self, **values: object) -> None:
        assert self.emulator.control("PATCH", "/options", {"bulk_download": values}).status_code == 200


@dataclass
class DownloadClient:
    """The calls of one taxpayer."""

    emulator: EmulatorRun
    holder: Holder
    register: str = CFDI
    token: str = ""

    def login(self, message: bytes | None = None) -> Response:
        body = f'<Autentica xmlns="{AUTENTICA}"/>'
        headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": f"{AUTENTICA}/IAutenticacion/Autentica"}
        content = message or login_message(self.holder, datetime.now(UTC), body=body)
        address = self.emulator.url(self.register + "/Autenticacion/Autenticacion.svc")
        return self.emulator.client.post(address, content=content, headers=headers)

    def call(self, path: str, operation: str, attributes: Mapping[str, str], content: str = "") -> etree._Element:
        """Send a signed request; return the Body of the response."""
        return self.read(self.send(path, operation, self.signed(operation, attributes, content)))

    def send(self, path: str, operation: str, message: bytes, token: str | None = None) -> Response:
        if token is None:
            self.token = self.token or token_of(self.login())
        given = self.token if token is None else token
        headers = {
            "Content-Type": 'text/xml; charset="utf-8"',
            "SOAPAction": ACTIONS[operation],
            "Authorization": f'WRAP access_token="{given}"',
        }
        return self.emulator.client.post(self.emulator.url(self.register + path), content=message, headers=headers)

    def signed(self, operation: str, attributes: Mapping[str, str], content: str = "") -> bytes:
        return signed(self.holder, operation, attributes, content)

    @staticmethod
    def read(response: Response) -> etree._Element:
        assert response.status_code == 200, response.text
        return etree.fromstring(response.content, etree.XMLParser(huge_tree=True))

    def request(self, operation: str = ISSUED, content: str = "", **attributes: str) -> dict[str, str]:
        """Return the attributes of the answer. attributes: beyond those of an ordinary request of XML of a month."""
        own = {ISSUED: {"RfcEmisor": self.holder.rfc}, RECEIVED: {"RfcReceptor": self.holder.rfc}, FOLIO: {}}[operation]
        usual = {} if operation == FOLIO else {**MONTH, "TipoSolicitud": "CFDI", "EstadoComprobante": "Vigente"}
        values = {**usual, **own, "RfcSolicitante": self.holder.rfc, **attributes}
        answer = self.call(REQUEST, operation, {name: value for name, value in values.items() if value}, content)
        return attributes_of(answer, f"{operation}Result")

    def verify(self, identifier: str) -> dict[str, Any]:
        answer = self.call(VERIFICATION, VERIFY, {"IdSolicitud": identifier, "RfcSolicitante": self.holder.rfc})
        packages = [node.text for node in answer.iter(f"{{{DES}}}IdsPaquetes")]
        return {**attributes_of(answer, f"{VERIFY}Result"), "packages": packages}

    def finish(self, identifier: str) -> dict[str, Any]:
        """Verify until a request has ended."""
        for _ in range(20):
            found = self.verify(identifier)
            if found["EstadoSolicitud"] not in ("1", "2"):
                return found
        raise AssertionError(found)

    def download(self, package: str) -> tuple[dict[str, str], bytes]:
        """Return the attributes of the header, and the ZIP."""
        answer = self.call(DOWNLOAD, PETITION, {"IdPaquete": package, "RfcSolicitante": self.holder.rfc})
        text = answer.findtext(f".//{{{DES}}}Paquete") or ""
        return attributes_of(answer, "respuesta"), b64decode(text)

    def files(self, operation: str = ISSUED, content: str = "", **attributes: str) -> dict[str, bytes]:
        """Request, verify and download everything; return the files of all packages."""
        accepted = self.request(operation, content, **attributes)
        assert accepted["CodEstatus"] == "5000", accepted
        files: dict[str, bytes] = {}
        for package in self.finish(accepted["IdSolicitud"])["packages"]:
            header, content_of = self.download(package)
            assert header["CodEstatus"] == "5000"
            with ZipFile(BytesIO(content_of)) as archive:
                files |= {name: archive.read(name) for name in archive.namelist()}
        return files


@contextmanager
def new_download_sandbox(data: Path) -> Iterator[DownloadSandbox]:
    """Open a sandbox with an emulator over it."""
    app = SandboxApp(data)
    with running_over(app.container) as emulator:
        yield DownloadSandbox(app, emulator)
    app.container.close()


def signed(holder: Holder, operation: str, attributes: Mapping[str, str], content: str = "") -> bytes:
    """Return a message whose signature covers the operation, canonical in the exclusive form."""
    inner = "peticionDescarga" if operation == PETITION else "solicitud"
    root = etree.fromstring(
        f'<s:Envelope xmlns:s="{SOAP}" xmlns:des="{DES}"><s:Header/><s:Body><des:{operation}><des:{inner}>{content}'
        f"</des:{inner}></des:{operation}></s:Body></s:Envelope>"
    )
    signed_element, solicitud = root[1][0], root[1][0][0]
    for name, value in attributes.items():
        solicitud.set(name, value)
    digest = b64encode(hashlib.sha1(canonical(signed_element)).digest()).decode()
    info = (
        f'<SignedInfo xmlns="{DSIG}"><CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>'
        f'<SignatureMethod Algorithm="{DSIG}rsa-sha1"/><Reference URI=""><Transforms>'
        '<Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></Transforms>'
        f'<DigestMethod Algorithm="{DSIG}sha1"/><DigestValue>{digest}</DigestValue></Reference></SignedInfo>'
    )
    signature = rsa_sha1(holder, canonical(etree.fromstring(info)))
    solicitud.append(etree.fromstring(signature_xml(holder, info, signature)))
    return etree.tostring(root)


def signature_xml(holder: Holder, info: str, value: bytes) -> str:
    certificate = b64encode(holder.certificate.der).decode()
    return (
        f'<Signature xmlns="{DSIG}">{info}<SignatureValue>{b64encode(value).decode()}</SignatureValue><KeyInfo>'
        "<X509Data><X509IssuerSerial><X509IssuerName>CN=AC</X509IssuerName><X509SerialNumber>1</X509SerialNumber>"
        f"</X509IssuerSerial><X509Certificate>{certificate}</X509Certificate></X509Data></KeyInfo></Signature>"
    )


def rsa_sha1(holder: Holder, data: bytes) -> bytes:
    return holder.key.sign(data, PKCS1v15(), SHA1())


def canonical(element: etree._Element, *, exclusive: bool = True) -> bytes:
    return etree.tostring(element, method="c14n", exclusive=exclusive)


def token_of(response: Response) -> str:
    assert response.status_code == 200, response.text
    token = etree.fromstring(response.content).findtext(f".//{{{AUTENTICA}}}AutenticaResult")
    assert token
    return token


def attributes_of(root: etree._Element, name: str) -> dict[str, str]:
    found = root.find(f".//{{{DES}}}{name}")
    assert found is not None, etree.tostring(root)
    return {str(key): str(value) for key, value in found.attrib.items()}


def rows_of(files: Mapping[str, bytes], ending: str = "_01.txt") -> list[dict[str, str]]:
    """Return the rows of a metadata file by column."""
    [content] = [content for name, content in files.items() if name.endswith(ending)]
    header, *rows = content.decode().removesuffix("\r\n").split("\r\n")
    return [dict(zip(header.split("~"), row.split("~"), strict=True)) for row in rows]
