"""Stamps batches of plain invoices: the checks of the ordinary path, with most of their results taken from keys."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import localcontext
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from timbra._native import PlainReader
from timbra.cfdi.nodes import CfdiRelacionados, Comprobante
from timbra.cfdi.read_back import find_mismatch
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.cfdi.uuid_text import random_uuid
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.engine import WIDE
from timbra.rules.engine.instants import instants
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.seals.seal import seal_bytes
from timbra.seals.signers.batches import SignatureBatches, SignatureRequest
from timbra.stamping.checks import BALANCE, CERTIFICATE
from timbra.stamping.models import DocumentKind, StampingOperation
from timbra.stamping.plain.declarations import DeclaredPrologs
from timbra.stamping.plain.layout import PATHS, RELATED, ROLES
from timbra.stamping.plain.nodes import UNKNOWN_ERRORS
from timbra.stamping.plain.settled import (
    NOTHING_LEFT,
    Checks,
    Header,
    Left,
    Lists,
    NotPlainError,
    Parties,
    PartyChecks,
    SettledKeys,
    lists_of,
    require_satisfied,
)
from timbra.stamping.stages import Submission
from timbra.stamping.stamp_factory import NewStamp, Versions, new_record
from timbra.stamps.port import Claim

if TYPE_CHECKING:
    from timbra._native import PlainDocument
    from timbra.accounts.vault.signers import IssuerCredential
    from timbra.evaluation.article_69b import Article69bFinding
    from timbra.evaluation.dependencies import Dependencies
    from timbra.rules.engine.ports import ReferenceData, RelatedDocuments
    from timbra.sat.port import Provider
    from timbra.seals.certificates.certificate import Certificate
    from timbra.seals.signers.port import Signer
    from timbra.stamping.check_sequence import Check, CheckSequence
    from timbra.stamping.models import StampRequest

SERIE, FOLIO, FECHA, TOTAL, CERTIFICATE_NUMBER, CERTIFICATE_TEXT, SELLO = range(len(ROLES))
FOLIOS = PATHS.index(RELATED), 0
"""Where the folios of related CFDI are in a plain document."""
_CURRENCY = re.compile(rb' Moneda(?:P|DR)="([A-Z]{3})"')
ROOT_TAG = "{http://www.sat.gob.mx/cfd/4}Comprobante"
First = TypeVar("First")
Last = TypeVar("Last")


@dataclass(slots=True)
class _Plain:
    """One document on its way; the checks of the ordinary path read the attributes that their stages have there.

    Attributes:
        root_checks: rules of the root that keys do not settle.
        left: those of other nodes.
        signer: the issuer's key; None for a document that its issuer sealed.
        sello: the seal of such a document.
    """

    submission: Submission
    document: PlainDocument = field(repr=False)
    header: Header
    parties: Parties
    root_checks: Checks = field(repr=False)
    left: list[Left] = field(repr=False)
    signer: Signer | None = field(repr=False)
    certificate: _CertificateTexts = field(repr=False)
    sello: str
    fecha: str
    cadena: bytes = field(repr=False)
    seals: SealContext | None = None
    article_69b: Article69bFinding | None = None

    @property
    def request(self) -> StampRequest:
        """As of `IssuancePermit`."""
        return self.submission.request

    @property
    def certified(self) -> _Plain:
        """As of `IssuancePermit`."""
        return self

    @property
    def validated(self) -> _Validated:
        """As of `IssuancePermit`."""
        return _Validated(self.parties.root)

    @property
    def root(self) -> Comprobante:
        """The nodes that the documents of these parties share, with the values of this document."""
        root, value = self.parties.root, self.document.value
        root.Fecha, root.Total, root.Serie, root.Folio = self.fecha, value(TOTAL) or "", value(SERIE), value(FOLIO)
        root.NoCertificado, root.Certificado = self.certificate.number, self.certificate.encoded
        if self.signer is None:
            root.Sello = self.sello
        return root


class _Sealed(NamedTuple):
    """A sealed document with its unsigned stamp."""

    plain: _Plain
    seal: bytes
    tfd: TimbreFiscalDigital


@dataclass(frozen=True, slots=True)
class _Validated:
    document: Comprobante


@dataclass(frozen=True, slots=True)
class PlainStamp:
    """A finished stamp that is not stored yet."""

    claim: Claim
    stamp: NewStamp
    article_69b: Article69bFinding | None


class PlainRequest(NamedTuple):
    """A document to issue, or to stamp after its issuer sealed it.

    Attributes:
        related: the types of the CFDI that it relates to; None before they are looked up, and for no such CFDI.
    """

    request: StampRequest
    operation: StampingOperation
    related: RelatedDocuments | None = None


class PlainBatches:
    """Issues and stamps several documents at once.

    Args:
        dependencies: the services of the checks.
        provider: returns the provider that stamps now.
        reader: reads plain documents.
        keys: the rules that keys settle.
        batches: makes the signatures.
        environment: as for `StampingService`.
    """

    def __init__(
        self,
        dependencies: Dependencies,
        provider: Callable[[], Provider | None],
        reader: PlainReader,
        keys: SettledKeys,
        batches: SignatureBatches,
        environment: str,
    ) -> None:
        self._dependencies = dependencies
        self._provider = provider
        self._reader = reader
        self._keys = keys
        self._batches = batches
        self._environment = environment
        self._prologs = DeclaredPrologs(dependencies.parser, dependencies.declarations)

    def stamp(self, requests: Sequence[PlainRequest]) -> list[PlainStamp | None]:
        """Seal the documents that are issued, and stamp all.

        Returns:
            For each request its stamp; None for a document that the ordinary path has to process.
        """
        provider, reference_data = self._provider(), self._dependencies.known_reference_data()
        if provider is None or provider.signing is not None or reference_data is None:
            return [None] * len(requests)
        results: list[PlainStamp | None] = [None] * len(requests)
        lists = lists_of(reference_data)
        with localcontext(WIDE):
            checked = self._each(
                enumerate(requests), lambda each: self._checked(self._read(each, reference_data, lists), lists)
            )
            stamped = self._sign(
                self._sealed(checked, provider),
                lambda each: SignatureRequest(provider.signer, each.tfd.cadena_original.encode()),
                self._finish,
            )
        for place, stamp in stamped:
            results[place] = stamp
        return results

    def _sealed(self, checked: Sequence[tuple[int, _Plain]], provider: Provider) -> list[tuple[int, _Sealed]]:
        """Seal the documents that are issued; return all with their unsigned stamps."""
        issued = [(place, (each, each.signer)) for place, each in checked if each.signer is not None]
        sealed = self._sign(
            issued,
            lambda each: SignatureRequest(each[1], each[0].cadena),
            lambda each, signature: _sealed(each[0], signature, provider),
        )
        received = [(place, each) for place, each in checked if each.signer is None]
        return sealed + self._each(received, lambda each: _sealed(each, seal_bytes(each.sello) or b"", provider))

    def with_related(self, requested: PlainRequest) -> PlainRequest:
        """Look up the CFDI that a plain document relates to; reads the database."""
        document = self._reader.read(requested.request.xml, requested.operation is StampingOperation.STAMP)
        reference_data = self._dependencies.known_reference_data()
        folios = () if document is None else document.grouped(*FOLIOS)
        if not folios or reference_data is None:
            return requested
        root = Comprobante.__new__(Comprobante)
        root.relacionados = tuple([_relation(each) for each in folios])
        return requested._replace(related=self._dependencies.related.with_related(reference_data, root).related)

    def forget_keys(self) -> None:
        """Settle all keys again."""
        self._keys.clear()

    def _each(self, values: Iterable[tuple[int, First]], work: Callable[[First], Last]) -> list[tuple[int, Last]]:
        """Return the results of the work, without those of documents that are left to the ordinary path."""
        results = []
        for place, value in values:
            try:
                results.append((place, work(value)))
            except (NotPlainError, ServiceError):
                continue
        return results

    def _sign(
        self,
        values: Sequence[tuple[int, First]],
        request: Callable[[First], SignatureRequest],
        finish: Callable[[First, bytes], Last],
    ) -> list[tuple[int, Last]]:
        """Make a signature for each document, several at once."""
        signatures = self._batches.sign([request(each) for _, each in values])
        return self._each(
            [(place, (each, found)) for (place, each), found in zip(values, signatures, strict=True)],
            lambda pair: finish(pair[0], _signature(pair[1])),
        )

    def _read(self, requested: PlainRequest, reference_data: ReferenceData, lists: Lists) -> _Plain:
        """Read a document, settle what its keys settle, and prepare its seal."""
        (request, operation, related), keys, dependencies = requested, self._keys, self._dependencies
        is_whole = _pays_in_several_currencies(request.xml)
        document = self._reader.read(request.xml, operation is StampingOperation.STAMP, is_whole)
        if document is None or request.kind is not DocumentKind.CFDI or request.dry_run:
            raise NotPlainError
        if related is not None:
            reference_data = replace(reference_data, related=related)
            lists = lists_of(reference_data)
        fecha = document.value(FECHA) or ""
        profile = dependencies.profiles.for_account(request.caller.vendor_leniency).stamp
        header = keys.header(document.header, fecha[:10], reference_data, (operation, profile), lists)
        self._prologs.require(document.prolog, header.complement)
        is_whole = is_whole or header.is_whole
        parties = keys.parties(header, document.receiver, reference_data, keep=not is_whole)
        if is_whole:
            left = [keys.whole(header, parties.root, document.concept_keys, document.complement_key)]
        else:
            known = header.concepts.get
            left = [known(key) or keys.concept(header, key, reference_data) for key in document.concept_keys]
            if header.complement is not None:
                left.append(keys.complement(header, document.complement_key, reference_data))
            left = [each for each in left if each is not NOTHING_LEFT]
        if header.root.relacionados:
            left.append(_of_relations(header, related, document))
        root_checks = keys.root_checks(header, parties, document.tail, reference_data, keep=not is_whole)
        submission = Submission(request, operation, reference_data)
        if operation is StampingOperation.STAMP:
            number, encoded = document.value(CERTIFICATE_NUMBER) or "", document.value(CERTIFICATE_TEXT) or ""
            certificate, sello = _CertificateTexts(number, encoded, b"", b""), document.value(SELLO) or ""
            signer, cadena = None, document.original()
        else:
            credential = self._credential(request, header.root.emisor.Rfc, reference_data)
            certificate, sello = _certificate_texts(credential.certificate), ""
            signer, cadena = credential.signer, document.prepare(certificate.number_bytes, certificate.encoded_bytes)
        return _Plain(
            submission, document, header, parties, root_checks, left, signer, certificate, sello, fecha, cadena
        )

    def _credential(self, request: StampRequest, rfc: str, reference_data: ReferenceData) -> IssuerCredential:
        """Return the key of an issuer; NotPlainError for one that is not in memory."""
        vault, account_id = self._dependencies.vault, request.caller.account_id
        if not vault.has_read(account_id, rfc):
            raise NotPlainError
        credential = vault.signer_for(account_id, rfc, reference_data.now)
        if not self._batches.accepts(credential.signer):
            raise NotPlainError
        return credential

    def _checked(self, plain: _Plain, lists: Lists) -> _Plain:
        """Run the checks that are not settled; unlike those of the ordinary path, before the seal, which none reads."""
        reference_data, parties, root = plain.submission.reference_data, plain.parties, plain.root
        checks = parties.checks
        if checks is None or checks.lists != lists.lists or checks.certificate_texts != plain.certificate[:2]:
            checks = parties.checks = self._party_checks(plain, lists)
            root = plain.root
        issued = instants(root.Fecha, checks.zone)
        if not issued:
            raise NotPlainError
        if checks.seal:
            plain.seals = SealContext(
                root, checks.certificate, True, plain.cadena.decode(), self._dependencies.trust, reference_data, issued
            )
            for check in checks.seal:
                check.run(plain, self._dependencies)
        if checks.issuer or checks.receiver or plain.root_checks or plain.left:
            ctx = EvaluationContext(root, reference_data)
            require_satisfied(checks.issuer, root.emisor, ctx)
            require_satisfied(checks.receiver, root.receptor, ctx)
            require_satisfied(plain.root_checks, root, ctx)
            for left in plain.left:
                if left.rfcs or left.names:
                    _require_read(reference_data, left.rfcs, left.names)
                for node, rules in left.nodes:
                    require_satisfied(rules, node, ctx)
        self._run(BALANCE, plain)
        plain.seals = None
        return plain

    def _party_checks(self, plain: _Plain, lists: Lists) -> PartyChecks:
        """Settle the rules that read no time; NotPlainError when a look-up would read the database."""
        reference_data, parties, dependencies = plain.submission.reference_data, plain.parties, self._dependencies
        _require_read(reference_data, parties.rfcs, parties.names)
        seals = SealContext.of(
            plain.root, plain.cadena.decode(), dependencies.certificates, dependencies.trust, reference_data, ()
        )
        if seals.certificate is None:
            raise NotPlainError
        return self._keys.party_checks(
            plain.header, parties, seals, lists.lists, lambda known: self._seal_checks(plain, known)
        )

    def _seal_checks(self, plain: _Plain, known: SealContext) -> tuple[Check, ...]:
        """Run the checks of the certificate; return those that read more than is known."""
        left = []
        plain.seals = known
        for check in CERTIFICATE.by_operation[plain.submission.operation]:
            try:
                check.run(plain, self._dependencies)
            except UNKNOWN_ERRORS:
                left.append(check)
        return tuple(left)

    def _run(self, sequence: CheckSequence[Any, Any], plain: _Plain) -> None:
        for check in sequence.by_operation[plain.submission.operation]:
            if check.reads is not None and check.reads(plain, self._dependencies):
                raise NotPlainError
            check.run(plain, self._dependencies)

    def _finish(self, sealed: _Sealed, signature: bytes) -> PlainStamp:
        """Write the stamp into the document, read it back, and build what is stored."""
        plain, stamp = sealed.plain, sealed.tfd.sealed(b64encode(signature).decode("ascii"))
        xml, certificate = stamp.to_xml(), plain.certificate
        written = certificate.number_bytes, certificate.encoded_bytes, stamp.sello_cfd.encode()
        cfdi = plain.document.finish(xml.encode(), () if plain.signer is None else written)
        if find_mismatch(cfdi, stamp, ROOT_TAG) is not None:
            raise NotPlainError
        new_stamp = NewStamp(stamp, xml, stamp.cadena_original, ROOT_TAG, cfdi)
        return PlainStamp(self._claim(sealed, new_stamp), new_stamp, plain.article_69b)

    def _claim(self, sealed: _Sealed, new_stamp: NewStamp) -> Claim:
        plain = sealed.plain
        request, reference_data = plain.submission.request, plain.submission.reference_data
        catalogs, lists = reference_data.catalogs.version, reference_data.lists_version
        record = new_record(
            plain.root,
            request,
            new_stamp,
            sha256(sealed.seal).digest(),
            reference_data.now,
            Versions(self._dependencies.engine.version, catalogs, lists),
            self._environment,
        )
        return Claim(record, request.custom_id or None, request.caller.limited, request.mail_to, None)


def _sealed(plain: _Plain, signature: bytes, provider: Provider) -> _Sealed:
    """Return the document with its seal and its unsigned stamp."""
    tfd = TimbreFiscalDigital(
        uuid=random_uuid(),
        fecha_timbrado=to_central_mexico(plain.submission.reference_data.now),
        rfc_prov_certif=provider.rfc,
        sello_cfd=plain.sello or b64encode(signature).decode(),
        no_certificado_sat=provider.certificate.number,
    )
    return _Sealed(plain, signature, tfd)


def _pays_in_several_currencies(xml: bytes) -> bool:
    """Whether a document about payments has several currencies, for which the forms of amounts are not stated."""
    return b"Pagos20" in xml and len(set(_CURRENCY.findall(xml))) > 1


def _relation(folios: Sequence[str]) -> CfdiRelacionados:
    node = CfdiRelacionados.__new__(CfdiRelacionados)
    node.folios = tuple(folios)
    return node


def _of_relations(header: Header, related: RelatedDocuments | None, document: PlainDocument) -> Left:
    """Return the rules about relations that keys do not settle; NotPlainError when they are not looked up."""
    if related is None:
        raise NotPlainError
    nodes = []
    for known, folios, checks in zip(
        header.root.relacionados, document.grouped(*FOLIOS), header.related_checks, strict=True
    ):
        node = _relation(folios)
        node.TipoRelacion, node.places = known.TipoRelacion, known.places
        nodes.append((node, checks))
    return Left(tuple(nodes), frozenset(), ())


def _require_read(reference_data: ReferenceData, rfcs: frozenset[str], names: Sequence[tuple[str, str]]) -> None:
    """Raise NotPlainError when a look-up would read the database."""
    stored = reference_data.stored
    if stored is not None and stored.needs_reading(rfcs, names):
        raise NotPlainError


def _signature(found: bytes | Exception) -> bytes:
    if isinstance(found, Exception):
        raise NotPlainError from found
    return found


class _CertificateTexts(NamedTuple):
    """NoCertificado and Certificado, as text, and as bytes where they are written."""

    number: str
    encoded: str
    number_bytes: bytes
    encoded_bytes: bytes


@lru_cache(maxsize=256)
def _certificate_texts(certificate: Certificate) -> _CertificateTexts:
    encoded = b64encode(certificate.der)
    return _CertificateTexts(certificate.number, encoded.decode(), certificate.number.encode(), encoded)
