"""A running emulator in a thread of the test's process, and a provider whose requests xmlsec signs.

Requests are built here, without the client code of the product, so that both sides do not only agree with each other.
"""

from __future__ import annotations

import importlib
import threading
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Queue
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from httpx2 import Client, Response
from lxml import etree
from tests.support.databases import prepare_sqlite

from timbra import examples
from timbra.app.composition import Container, build_container
from timbra.cfdi.byte_splice import insert_complement
from timbra.cfdi.document import DocumentParser
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.emulator.build import EmulatorAddress, RunningEmulator, build_emulator, run_emulator
from timbra.emulator.emulator import Emulator
from timbra.examples import Change
from timbra.sandbox.authority.build import sandbox_authority
from timbra.seals.certificates.certificate import Certificate, CertificateKind
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import MemorySigner
from timbra.settings import Settings

# The stubs of xmlsec are incomplete.
xmlsec: Any = importlib.import_module("xmlsec")
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
WSSE = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
WSU = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
X509 = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3"
BASE64 = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary"
DSIG = "http://www.w3.org/2000/09/xmldsig#"
RECEPTION = "http://recibecfdi.sat.gob.mx"
CANCELACFD = "http://cancelacfd.sat.gob.mx"
AUTENTICA = '<Autentica xmlns="http://tempuri.org/"/>'
PROVIDER = "PAC010101AB1"
FISCAL_NOW = "2026-11-17T12:00:00"
FECHA = "2026-11-17T11:00:00"
STAMPED = "2026-11-17T11:30:00"
SEAL = "c2VsbG8gZGUgcHJ1ZWJhIHkgbmFkYSBtYXM="
WAIT_SECONDS = 60
PARSER = DocumentParser()


@dataclass
class Holder:
    """A certificate with its key."""

    certificate: Certificate
    key: RSAPrivateKey

    @property
    def rfc(self) -> str:
        return self.certificate.rfc

    def xmlsec_key(self) -> Any:
        pem = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return xmlsec.Key.from_memory(pem, xmlsec.KeyFormat.PEM)


@dataclass
class EmulatorRun:
    """A running emulator."""

    container: Container
    emulator: Emulator
    running: RunningEmulator
    client: Client
    holders: dict[tuple[str, CertificateKind], Holder] = field(default_factory=dict, repr=False)

    def url(self, path: str) -> str:
        return self.running.address + path

    def control(self, method: str, path: str, json: Any = None) -> Response:
        address = self.running.control_address + path
        return self.client.request(method, address, json={} if json is None and method != "GET" else json)

    def fault(self, fault: str, **rule: Any) -> None:
        assert self.control("POST", "/faults", {"fault": fault, **rule}).status_code == 200

    def soap(self, path: str, action: str, body: str, header: str = "", token: str = "") -> Response:
        """Send a SOAP message. token: as in AutenticaResult, decoded here as most clients do."""
        headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": f'"{action}"'}
        if token:
            headers["Authorization"] = f'WRAP access_token="{unquote(token)}"'
        message = f'<s:Envelope xmlns:s="{SOAP}"><s:Header>{header}</s:Header><s:Body>{body}</s:Body></s:Envelope>'
        return self.client.post(self.url(path), content=message.encode(), headers=headers)

    def provider(self, rfc: str = PROVIDER) -> Holder:
        """Register a provider and return its credential."""
        registered = self.emulator.providers.register(rfc)
        files = registered.folder / rfc
        key = load_private_key(files.with_suffix(".key").read_bytes(), files.with_suffix(".password").read_text())
        return Holder(registered.certificate, key)

    def holder(self, rfc: str, kind: CertificateKind = CertificateKind.CSD) -> Holder:
        """Return a credential of a taxpayer, issued once."""
        if (rfc, kind) not in self.holders:
            now = datetime(2026, 1, 1, tzinfo=UTC)
            minted = self.container.get(sandbox_authority).mint(rfc, kind, rfc, now, now + timedelta(days=1400))
            key = load_private_key(minted.key_der, minted.password)
            self.holders[rfc, kind] = Holder(minted.certificate, key)
        return self.holders[rfc, kind]

    def login(self, path: str = "/Seguridad/Autenticacion.svc", holder: Holder | None = None) -> str:
        """Return a token for the provider."""
        return token_of(self.send_login(login_message(holder or self.provider()), path))

    def send_login(self, message: bytes, path: str = "/Seguridad/Autenticacion.svc") -> Response:
        headers = {
            "Content-Type": "text/xml; charset=utf-8",
            "SOAPAction": "http://tempuri.org/IAutenticacion/Autentica",
        }
        return self.client.post(self.url(path), content=message, headers=headers)

    def upload(self, xml: bytes, name: str, query: str | None = None, **headers: str) -> Response:
        registered = self.emulator.providers.register(PROVIDER)
        query = registered.access_signature if query is None else query
        usual = {"x-ms-version": "2011-08-18", "x-ms-blob-type": "BlockBlob", "x-ms-meta-versionCFDI": "4.0"}
        address = self.url(f"/blob/{registered.container}/{name}{query}")
        return self.client.put(address, content=xml, headers={**usual, **headers})

    def announce(self, token: str, uuid: str, path: str | None = None, **fields: str) -> Response:
        """Announce an uploaded document. fields: other values of EncabezadoCFDI."""
        values = {
            "RfcEmisor": examples.KEMPER.rfc,
            "UUID": uuid,
            "Fecha": STAMPED,
            "NumeroCertificado": self.provider().certificate.number,
            "VersionComprobante": "4.0",
        }
        content = "".join(f"<{name}>{value}</{name}>" for name, value in {**values, **fields}.items())
        header = f'<EncabezadoCFDI xmlns="{RECEPTION}">{content}</EncabezadoCFDI>'
        address = self.url(f"/blob/{PROVIDER.lower()}/{uuid}.xml") if path is None else path
        body = f'<CFDI xmlns="{RECEPTION}"><RutaCFDI>{address}</RutaCFDI></CFDI>'
        action = "http://recibecfdi.sat.gob.mx/IRecibeCFDIService/Recibe"
        return self.soap("/Recepcion/CFDI40/RecibeCFDIService.svc", action, body, header, token)

    def deliver(self, xml: bytes, uuid: str, token: str | None = None) -> Response:
        assert self.upload(xml, f"{uuid}.xml").status_code == 201
        return self.announce(token or self.login(), uuid)

    def stamped(self, changes: dict[str, Change] | None = None, *, uuid: str = "", text: str = "") -> tuple[bytes, str]:
        """Return a document that the provider stamped, and its folio in upper case."""
        folio = uuid or str(uuid4()).upper()
        source = text or examples.ingreso({"@Total": "2320.00", "@Sello": SEAL, **(changes or {})}, fecha=FECHA)
        return stamped_by(self.provider(), source, folio), folio


def satcfdi_signer(holder: Holder) -> Any:
    """Return the holder as a signer of satcfdi."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from satcfdi.models import Signer
    encryption = BestAvailableEncryption(b"secret")
    key = holder.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, encryption)
    return Signer.load(certificate=holder.certificate.der, key=key, password="secret")


def stamped_by(holder: Holder, text: str, folio: str) -> bytes:
    document = PARSER.parse(text.encode())
    sello = document.root.get("Sello") or ""
    timbre = TimbreFiscalDigital(folio, STAMPED, holder.rfc, sello, holder.certificate.number)
    seal = MemorySigner(holder.key).sign(timbre.cadena_original.encode())
    return insert_complement(document, timbre.sealed(b64encode(seal).decode()).to_xml().encode())


def login_message(holder: Holder, created: datetime | None = None, seconds: float = 300, body: str = "") -> bytes:
    """Return a message of Autentica that xmlsec signed."""
    start = created or datetime.now(UTC)
    identifier = f"uuid-{uuid4()}-1"
    certificate = b64encode(holder.certificate.der).decode()
    message = (
        f'<s:Envelope xmlns:s="{SOAP}" xmlns:u="{WSU}"><s:Header>'
        f'<o:Security xmlns:o="{WSSE}" s:mustUnderstand="1"><u:Timestamp u:Id="_0">'
        f"<u:Created>{_written(start)}</u:Created><u:Expires>{_written(start + timedelta(seconds=seconds))}</u:Expires>"
        f'</u:Timestamp><o:BinarySecurityToken u:Id="{identifier}" ValueType="{X509}" EncodingType="{BASE64}">'
        f"{certificate}</o:BinarySecurityToken></o:Security></s:Header>"
        f"<s:Body>{body or AUTENTICA}</s:Body></s:Envelope>"
    )
    root = etree.fromstring(message.encode())
    security = root.find(f".//{{{WSSE}}}Security")
    assert security is not None
    transform = xmlsec.Transform
    signature = xmlsec.template.create(security, transform.EXCL_C14N, transform.RSA_SHA1)
    security.append(signature)
    reference = xmlsec.template.add_reference(signature, transform.SHA1, uri="#_0")
    xmlsec.template.add_transform(reference, transform.EXCL_C14N)
    pointer = etree.SubElement(
        etree.SubElement(etree.SubElement(signature, f"{{{DSIG}}}KeyInfo"), f"{{{WSSE}}}SecurityTokenReference"),
        f"{{{WSSE}}}Reference",
    )
    pointer.set("ValueType", X509)
    pointer.set("URI", f"#{identifier}")
    xmlsec.tree.add_ids(root, ["Id"])
    context = xmlsec.SignatureContext()
    context.key = holder.xmlsec_key()
    context.register_id(root.find(f".//{{{WSU}}}Timestamp"), "Id", WSU)
    context.sign(signature)
    return etree.tostring(root)


def signed_request(holder: Holder, text: str) -> str:
    """Return a request that xmlsec signed, without declaration."""
    root = etree.fromstring(text.encode())
    transform = xmlsec.Transform
    signature = xmlsec.template.create(root, transform.C14N, transform.RSA_SHA1)
    root.append(signature)
    reference = xmlsec.template.add_reference(signature, transform.SHA1, uri="")
    xmlsec.template.add_transform(reference, transform.ENVELOPED)
    data = etree.SubElement(etree.SubElement(signature, f"{{{DSIG}}}KeyInfo"), f"{{{DSIG}}}X509Data")
    etree.SubElement(data, f"{{{DSIG}}}X509Certificate").text = b64encode(holder.certificate.der).decode()
    context = xmlsec.SignatureContext()
    context.key = holder.xmlsec_key()
    context.sign(signature)
    return etree.tostring(root, encoding="unicode")


def token_of(response: Response) -> str:
    assert response.status_code == 200, response.text
    result = etree.fromstring(response.content).findtext(".//{http://tempuri.org/}AutenticaResult")
    assert result
    return result


def fault_of(response: Response) -> tuple[str, str]:
    """Return the local name of the faultcode, and the faultstring."""
    assert response.status_code == 500
    root = etree.fromstring(response.content)
    return (root.findtext(".//faultcode") or "").rpartition(":")[2], root.findtext(".//faultstring") or ""


def acuse_of(response: Response) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the attributes of an acuse, and code and message of each Incidencia."""
    assert response.status_code == 200, response.text
    acuse = etree.fromstring(response.content).find(f".//{{{RECEPTION}}}AcuseRecepcionCFDI")
    assert acuse is not None
    incidencias = [
        (node.findtext(f"{{{RECEPTION}}}CodigoError") or "", node.findtext(f"{{{RECEPTION}}}MensajeIncidencia") or "")
        for node in acuse
    ]
    return {str(name): str(value) for name, value in acuse.attrib.items()}, incidencias


def _written(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@contextmanager
def running_emulator(data: Path, configuration: Path | None = None, clock: str = FISCAL_NOW) -> Iterator[EmulatorRun]:
    """Run an emulator over a new sandbox.

    clock: its fiscal clock, stopped at an instant of the past; empty for real time.
    """
    prepare_sqlite(data)
    container = build_container(Settings(data=data, clock=clock))
    try:
        with running_over(container, configuration) as run:
            yield run
    finally:
        container.close()


@contextmanager
def running_over(container: Container, configuration: Path | None = None) -> Iterator[EmulatorRun]:
    """Run an emulator over an open sandbox."""
    ready: Queue[RunningEmulator | BaseException] = Queue()
    emulator = build_emulator(container, configuration, [PROVIDER])
    thread = threading.Thread(target=_run, args=(container, emulator, ready.put))
    thread.start()
    started = ready.get(timeout=WAIT_SECONDS)
    if isinstance(started, BaseException):
        raise started
    try:
        with Client(timeout=WAIT_SECONDS) as client:
            yield EmulatorRun(container, emulator, started, client)
    finally:
        started.stop()
        thread.join(WAIT_SECONDS)


def _run(container: Container, emulator: Emulator, ready: Callable[[RunningEmulator | BaseException], None]) -> None:
    try:
        run_emulator(container, emulator, EmulatorAddress("127.0.0.1", 0, 0), ready)
    except BaseException as error:
        ready(error)
        raise
