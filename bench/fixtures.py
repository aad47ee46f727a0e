"""A data folder with an account and a CSD, and documents to send."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from timbra import examples
from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import Container, open_container
from timbra.cfdi.build import document_parser
from timbra.cfdi.byte_splice import set_root_attributes
from timbra.container.build import fiscal_clock
from timbra.core.caller import Caller
from timbra.core.clock import to_central_mexico
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.seal import seal
from timbra.seals.signers.memory import pair_key
from timbra.seals.signers.port import Signer
from timbra.settings import Settings
from timbra.stamping.build import stamping_services

USER = "bench@example.com"
PASSWORD = "una contraseña para medir"
PLACE = "0123456789"
BOUNDARY = "b0undary"
_NUMBERS = count(1)


@dataclass(frozen=True)
class Prepared:
    """A data folder that can issue.

    Attributes:
        csd_key: key of the account's CSD, for the limit and for documents that the client seals.
    """

    data: Path
    caller: Caller
    token: str = field(repr=False)
    credential: MintedCredential
    csd_key: RSAPrivateKey = field(repr=False)

    @property
    def signer(self) -> Signer:
        """Signer of a client that has the CSD."""
        return pair_key(self.credential.certificate, self.csd_key)


def prepare(data: Path, database_url: str = "") -> Prepared:
    """Create the folder, with SQLite or another database."""
    with open_container(Settings(data=data, database_url=database_url)) as container:
        account = container.get(account_services).accounts.create(USER, PASSWORD)
        now = container.get(fiscal_clock).now().replace(microsecond=0)
        validity = now - timedelta(days=30), now + timedelta(days=1400)
        credential = container.get(sandbox_services).authority_ca.mint(
            examples.KEMPER.rfc, CertificateKind.CSD, examples.KEMPER.name, *validity
        )
        container.get(certificate_services).vault.save(
            account.account_id, credential.certificate_der, credential.key_der, credential.password
        )
        return Prepared(
            data,
            Caller(account.account_id, account.user, account.role),
            container.get(account_services).accounts.create_infinite_token(USER),
            credential,
            load_private_key(credential.key_der, credential.password),
        )


def unsealed(container: Container, concepts: int = 3) -> Iterator[bytes]:
    """Yield invoices that differ only in Folio, without end; no two of this process are equal."""
    fecha = to_central_mexico(container.get(fiscal_clock).now() - timedelta(hours=1))
    head, tail = examples.ingreso({"@Folio": PLACE}, fecha=fecha, concepts=concepts).encode().split(PLACE.encode())
    for number in _NUMBERS:
        yield b"%b%010d%b" % (head, number, tail)


def sealed(container: Container, prepared: Prepared, concepts: int = 3) -> Iterator[bytes]:
    """Yield the same invoices sealed with the account's CSD; each costs a signature."""
    signer, certificate = prepared.signer, prepared.credential.certificate
    given = {"NoCertificado": certificate.number, "Certificado": b64encode(certificate.der).decode()}
    for xml in unsealed(container, concepts):
        document = set_root_attributes(container.get(document_parser).parse(xml), given)
        sello = seal(signer, container.get(stamping_services).checks.cadena.build(document.root, document.version))
        yield set_root_attributes(document, {"Sello": sello}).source


def request(path: str, token: str, xml: bytes) -> bytes:
    """Return a whole HTTP request with the document as its multipart body."""
    part = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="xml"; filename="xml"\r\n\r\n'.encode()
    body = part + xml + f"\r\n--{BOUNDARY}--\r\n".encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
