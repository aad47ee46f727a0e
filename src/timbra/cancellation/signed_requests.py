"""Signatures of the requests that a taxpayer signs: by files, by stored CSD, or by the client.

Every rejection has one of the codes that clients compare (`cancel-fields`, `cancel-xml`, `cancel-failed`) with the
cause as its detail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog
from lxml import etree

from timbra.accounts.vault.csd import read_csd
from timbra.accounts.vault.signers import IssuerCredential
from timbra.accounts.vault.vault import Vault
from timbra.cancellation.admission import SignedAdmission
from timbra.cfdi.byte_splice import DECLARATION
from timbra.cfdi.cancelacion.reading import CANCELACFD, read_root
from timbra.cfdi.rfc import is_rfc
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.messages import cancelling as details
from timbra.messages.cancelling import RequestRejections
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.reference.messages import sentence
from timbra.sat.port import RequestOrigin
from timbra.seals.certificates.certificate import Certificate, CertificateKind
from timbra.seals.certificates.trust_store import TrustStore
from timbra.seals.file_forms import decode_file
from timbra.seals.keys.pfx import load_pfx
from timbra.seals.signers.memory import pair_key
from timbra.seals.xml_signatures.blank_text import without_blank_text
from timbra.seals.xml_signatures.xmldsig import VerifiedSignature, sign, verify

LOG = structlog.get_logger(__name__)
NO_FOLIO = frozenset({"", "null", "undefined"})
_KEY_ERRORS = frozenset({"certificate-unreadable", "key-password", "key-cipher", "key-unreadable", "key-mismatch"})


@dataclass(frozen=True, slots=True)
class CsdFiles:
    """A certificate and its key as texts that `decode_file` reads, with the password of the key, empty for none."""

    certificate: str = field(repr=False)
    key: str = field(repr=False)
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PfxFile:
    """A PFX file with certificate and key, as a text that `decode_file` reads, with its password, empty for none."""

    pfx: str = field(repr=False)
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class VerifiedRequest:
    """A request that its signer signed, after its signature was verified.

    Attributes:
        certificate: The signer's certificate, see `SignedRequests.require_usable`.
        content: The signed content without the signature, canonical.
        document: The document to forward: its signature verifies without any change to it.
    """

    certificate: Certificate
    content: bytes = field(repr=False)
    document: bytes = field(repr=False)


class SignedRequests:
    """Signs requests and verifies their signatures.

    Args:
        vault: stored CSD.
        trust: certificates of the SAT's authorities.
        reference_data: returns the current fiscal time and LCO.
        rejections: those of the kind of document that the requests are about.
        namespaces: those that the XML of a request may have.
        admission: further checks of requests that clients signed; none when None.
    """

    def __init__(
        self,
        vault: Vault,
        trust: TrustStore,
        reference_data: Callable[[], ReferenceData],
        rejections: RequestRejections = details.CFDI,
        namespaces: Sequence[str] = (CANCELACFD,),
        admission: SignedAdmission | None = None,
    ) -> None:
        self._vault = vault
        self._trust = trust
        self.reference_data = reference_data
        self.rejections = rejections
        self.namespaces = namespaces
        self._admission = admission

    def admit(self, signed: VerifiedRequest, origin: RequestOrigin) -> None:
        """Check the Fecha of a client's signed request, and that no other account sent it; see `SignedAdmission`."""
        if self._admission is not None:
            self._admission.require(signed.content, origin)

    def from_files(self, files: CsdFiles | PfxFile, rfc: str) -> IssuerCredential:
        """Read the credential of the client's files and check that it may sign for the RFC.

        The call takes about 30 ms; do not make it on the event loop.
        """
        with self._translated_key_errors():
            try:
                credential = _csd_credential(files) if isinstance(files, CsdFiles) else _pfx_credential(files)
            except ServiceError as error:
                if error.code == "key-password" and not files.password.strip():
                    raise _fields_missing(files) from error
                raise
        self.require_usable(credential.certificate, rfc)
        return credential

    def from_vault(self, account_id: int, rfc: str) -> IssuerCredential:
        """Return the CSD of the RFC that the account stores, after checking that it may sign."""
        try:
            credential = self._vault.signer_for(account_id, rfc, self.reference_data().now)
        except ServiceError as error:
            if error.code != "csd-missing":
                raise
            raise ServiceError("cancel-failed", error.detail) from error
        self.require_usable(credential.certificate, rfc)
        return credential

    def require_held(self, caller: Caller, rfc: str) -> None:
        """Check that the caller may read data of the RFC: its account stores a CSD that may sign for the RFC.

        For an administrator, an active CSD in any account suffices.
        """
        if not (caller.is_administrator and self._vault.has_active(rfc)):
            self.from_vault(caller.account_id, rfc)

    def sign(self, credential: IssuerCredential, root: etree._Element) -> bytes:
        """Return the document with the credential's signature (XML-DSig)."""
        sign(root, credential.certificate, credential.signer)
        return DECLARATION + etree.tostring(root, encoding="utf-8")

    def verify(self, xml: bytes, name: str) -> VerifiedRequest:
        """Verify the signature of a document; `require_usable` checks its certificate.

        A signature that only verifies without the blank text of the document is accepted and logged: .NET programs
        indent documents after they sign them. The document to forward is then the one without blank text.

        Args:
            name: local name of its root.

        Raises:
            ServiceError: "cancel-xml" for an invalid signature, or a code of `translated_reading_errors`.
        """
        with self.translated_reading_errors():
            root = read_root(xml, name, self.namespaces)
        try:
            return _verified(verify(root), xml)
        except ServiceError as error:
            plain = without_blank_text(root)
            if plain is None:
                raise ServiceError("cancel-xml", self.rejections.signature) from error
        try:
            verified = _verified(verify(plain), DECLARATION + etree.tostring(plain, encoding="utf-8"))
        except ServiceError as error:
            raise ServiceError("cancel-xml", self.rejections.signature) from error
        LOG.info("signature verified without blank text", document=name, rfc=verified.certificate.rfc)
        return verified

    @contextmanager
    def translated_reading_errors(self) -> Iterator[None]:
        """Translate errors of reading a request document into the codes that clients compare."""
        try:
            yield
        except ServiceError as error:
            if error.code == "request-unreadable":
                raise ServiceError(*self.rejections.unreadable) from error
            if error.code == "date-invalid":
                raise ServiceError(*self.rejections.date) from error
            if error.code == "request-empty":
                raise ServiceError("CASD", error.detail) from error
            if error.code == "folio-invalid":
                raise ServiceError(*self.rejections.folio) from error
            if error.code == "folios-many":
                raise ServiceError("cancel-xml", error.detail) from error
            raise

    def require_usable(self, certificate: Certificate, rfc: str) -> None:
        """Check that the certificate may sign for the RFC now: a CSD of the SAT, of this RFC, in force.

        Raises:
            ServiceError: "cancel-xml" with the reason.
        """
        if certificate.kind is not CertificateKind.CSD:
            raise ServiceError("cancel-xml", self.rejections.not_csd)
        if self._trust.issuer_of(certificate) is None:
            raise ServiceError("cancel-xml", self.rejections.not_sat)
        if certificate.rfc != rfc:
            raise ServiceError("cancel-xml", self.rejections.other_rfc)
        reference_data = self.reference_data()
        row = (
            reference_data.obligations.certificate(rfc, certificate.number)
            if reference_data.obligations is not None
            else None
        )
        if not certificate.is_valid_at(reference_data.now) or (row is not None and row.status != "A"):
            raise ServiceError("cancel-xml", self.rejections.expired)

    @contextmanager
    def _translated_key_errors(self) -> Iterator[None]:
        try:
            yield
        except ServiceError as error:
            if error.code == "certificate-not-csd":
                raise ServiceError("cancel-xml", self.rejections.not_csd) from error
            if error.code in _KEY_ERRORS:
                raise ServiceError("cancel-fields", error.detail or sentence(error.code)) from error
            raise


def _verified(signature: VerifiedSignature, document: bytes) -> VerifiedRequest:
    return VerifiedRequest(signature.certificate, signature.content, document)


def checked_rfc(rfc: str) -> str:
    """Return the RFC in upper case; ServiceError("cancel-failed") when the text is not an RFC."""
    upper = rfc.strip().upper()
    if not is_rfc(upper):
        raise ServiceError("cancel-failed", details.BAD_RFC)
    return upper


def checked_folio(uuid: str, *, path: bool = False) -> str:
    """Return the UUID in lower case.

    Args:
        uuid: text of the client.
        path: whether the UUID is part of the request's path, which determines the code of the error.

    Raises:
        ServiceError: the text is not a UUID: "cancel-failed" with `path`, else "cancel-fields".
    """
    folio = canonical_uuid(uuid.strip())
    if folio is None:
        raise (
            ServiceError("cancel-failed", details.BAD_PATH_UUID)
            if path
            else ServiceError("cancel-fields", details.BAD_UUID)
        )
    return folio


def require_fields(files: CsdFiles | PfxFile, *values: str) -> None:
    """Raise ServiceError("cancel-fields") when a file or one of the values is empty."""
    if isinstance(files, PfxFile) and not files.pfx.strip():
        raise ServiceError("cancel-fields", details.PFX_MISSING)
    fields = (files.certificate, files.key) if isinstance(files, CsdFiles) else ()
    if not all(value.strip() for value in (*fields, *values)):
        raise _fields_missing(files)


def _fields_missing(files: CsdFiles | PfxFile) -> ServiceError:
    return ServiceError("cancel-fields", details.CSD_MISSING if isinstance(files, CsdFiles) else details.PFX_FIELDS)


def _csd_credential(files: CsdFiles) -> IssuerCredential:
    csd = read_csd(_decode(files.certificate), _decode(files.key), files.password)
    return IssuerCredential(csd.certificate, csd.signer)


def _pfx_credential(files: PfxFile) -> IssuerCredential:
    certificate, key = load_pfx(_decode(files.pfx), files.password)
    return IssuerCredential(certificate, pair_key(certificate, key))


def _decode(text: str) -> bytes:
    try:
        return decode_file(text)
    except ValueError as error:
        raise ServiceError("cancel-fields", details.NOT_BASE64) from error
