"""Requests to the authority that a taxpayer must sign: with what it sends, with its stored CSD, or signed already.

Every refusal is one of the envelopes that clients know: `cancel-fields`, `cancel-xml`, `cancel-failed`, with the cause
as its detail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from lxml import etree

from timbra.accounts.csd import read_csd
from timbra.accounts.signers import IssuerCredential
from timbra.accounts.vault import Vault
from timbra.cfdi.cancelacion.reading import read_root
from timbra.cfdi.folio import canonical_uuid
from timbra.cfdi.rfc import is_rfc
from timbra.cfdi.splice import DECLARATION
from timbra.errors import ServiceError
from timbra.messages import cancelling as told
from timbra.messages import sentence
from timbra.rules.world import World
from timbra.seals.certificate import Certificate, Kind
from timbra.seals.encoding import strict_base64
from timbra.seals.keys import pair
from timbra.seals.pfx import load_pfx
from timbra.seals.trust import Trust
from timbra.seals.xmldsig import Signed, sign, verify

NO_FOLIO = frozenset({"", "null", "undefined"})
_KEY_TROUBLES = frozenset({"certificate-unreadable", "key-password", "key-cipher", "key-unreadable", "key-mismatch"})


@dataclass(frozen=True, slots=True)
class CsdFiles:
    """A certificate and its key as a client sends them, in base64, with the password of the key."""

    certificate: str = field(repr=False)
    key: str = field(repr=False)
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PfxFile:
    """Both in one file, in base64, with its password."""

    pfx: str = field(repr=False)
    password: str = field(repr=False)


class SignedRequests:
    """Signs and verifies. world: of the request's moment, for the fiscal instant and the LCO."""

    def __init__(self, vault: Vault, trust: Trust, world: Callable[[], World]) -> None:
        self._vault = vault
        self._trust = trust
        self.world = world

    def from_files(self, files: CsdFiles | PfxFile, rfc: str) -> IssuerCredential:
        """The credential in what the client sends, fit to sign for the RFC. About 30 ms, so not on the event loop."""
        with _told():
            credential = _of_csd(files) if isinstance(files, CsdFiles) else _of_pfx(files)
        self.require_usable(credential.certificate, rfc)
        return credential

    def from_vault(self, account_id: int, rfc: str) -> IssuerCredential:
        """The account's stored CSD of the RFC, fit to sign."""
        try:
            credential = self._vault.signer_for(account_id, rfc, self.world().now)
        except ServiceError as error:
            if error.code != "csd-missing":
                raise
            raise ServiceError("cancel-failed", error.detail) from error
        self.require_usable(credential.certificate, rfc)
        return credential

    def signed(self, credential: IssuerCredential, root: etree._Element) -> bytes:
        """The document with the credential's signature."""
        sign(root, credential.certificate, credential.signer)
        return DECLARATION + etree.tostring(root, encoding="utf-8")

    def verified(self, xml: bytes, name: str) -> Signed:
        """What is signed in a document with that root, and by whom: not yet whether they may."""
        with unreadable_told():
            root = read_root(xml, name)
        try:
            return verify(root)
        except ServiceError as error:
            raise ServiceError("cancel-xml", told.SIGNATURE) from error

    def require_usable(self, certificate: Certificate, rfc: str) -> None:
        """Whether the certificate signs for the RFC at this moment: a CSD of the SAT, the RFC's own, in force."""
        if certificate.kind is not Kind.CSD:
            raise ServiceError("cancel-xml", told.NOT_CSD)
        if self._trust.issuer_of(certificate) is None:
            raise ServiceError("cancel-xml", told.NOT_SAT)
        if certificate.rfc != rfc:
            raise ServiceError("cancel-xml", told.OTHER_RFC)
        world = self.world()
        listed = world.obligations.certificate(rfc, certificate.number) if world.obligations is not None else None
        if not certificate.covers(world.now) or (listed is not None and listed.status != "A"):
            raise ServiceError("cancel-xml", told.EXPIRED)


def checked_rfc(rfc: str) -> str:
    """In capitals. ServiceError("cancel-failed") for what is no RFC."""
    upper = rfc.strip().upper()
    if not is_rfc(upper):
        raise ServiceError("cancel-failed", told.BAD_RFC)
    return upper


def checked_folio(uuid: str, *, path: bool = False) -> str:
    """In lower case. ServiceError("cancel-fields"), or "cancel-failed" for one in the path of a request."""
    folio = canonical_uuid(uuid.strip())
    if folio is None:
        raise (
            ServiceError("cancel-failed", told.BAD_PATH_UUID) if path else ServiceError("cancel-fields", told.BAD_UUID)
        )
    return folio


def require_fields(files: CsdFiles | PfxFile, *values: str) -> None:
    """ServiceError("cancel-fields") when a file or one of the values is empty."""
    if isinstance(files, PfxFile) and not files.pfx.strip():
        raise ServiceError("cancel-fields", told.PFX_MISSING)
    sent = (files.certificate, files.key, files.password) if isinstance(files, CsdFiles) else (files.password,)
    if not all(value.strip() for value in (*sent, *values)):
        raise ServiceError("cancel-fields", told.CSD_MISSING if isinstance(files, CsdFiles) else told.PFX_FIELDS)


@contextmanager
def unreadable_told() -> Iterator[None]:
    """What is wrong with a document of a request, in the words that clients know."""
    try:
        yield
    except ServiceError as error:
        if error.code == "request-unreadable":
            raise ServiceError("cancel-failed", told.BAD_XML) from error
        if error.code == "request-empty":
            raise ServiceError("CASD", error.detail) from error
        if error.code == "folio-invalid":
            raise ServiceError("cancel-fields", told.BAD_UUID) from error
        if error.code == "folios-many":
            raise ServiceError("cancel-xml", error.detail) from error
        raise


def _of_csd(files: CsdFiles) -> IssuerCredential:
    csd = read_csd(_decoded(files.certificate), _decoded(files.key), files.password)
    return IssuerCredential(csd.certificate, csd.signer)


def _of_pfx(files: PfxFile) -> IssuerCredential:
    certificate, key = load_pfx(_decoded(files.pfx), files.password)
    return IssuerCredential(certificate, pair(certificate, key))


def _decoded(text: str) -> bytes:
    try:
        return strict_base64("".join(text.split()))
    except ValueError as error:
        raise ServiceError("cancel-fields", told.NOT_BASE64) from error


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except ServiceError as error:
        if error.code == "certificate-not-csd":
            raise ServiceError("cancel-xml", told.NOT_CSD) from error
        if error.code in _KEY_TROUBLES:
            raise ServiceError("cancel-fields", error.detail or sentence(error.code)) from error
        raise
