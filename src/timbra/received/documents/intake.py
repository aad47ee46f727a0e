"""The intake of documents that come by other ways than the SAT's bulk download."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection

from timbra.cfdi.document import without_leading_space
from timbra.core.errors import ServiceError, finding_sentence
from timbra.events.audit.audit import Audit
from timbra.messages.codes import public_code
from timbra.received.documents.models import CANCELLED, DeliveredXml, Outcome, ReceivedHeader
from timbra.received.documents.store import DocumentStore
from timbra.rules.reference.messages import full_message
from timbra.validation.receivers import OTHER_RECEIVER
from timbra.validation.report_sections import UNSTAMPED_CODE

if TYPE_CHECKING:
    from timbra.received.examination import ExaminedEntry
    from timbra.received.store import NewResult

MAX_REASONS: Final = 20
MAX_DETAIL: Final = 160
"""Of a longer detail, such as a cadena original, the sentence of the finding says enough."""
REJECTED: Final = "rejected"
METADATA_FILE: Final = "Es un archivo de metadatos: solo se guardan documentos XML, también adjuntos a un PDF."
OTHER_PARTIES: Final = "Ni el emisor ni el receptor es un RFC de la cuenta."
OTHER_ISSUER: Final = "El emisor no es {rfc}, para quien es este enlace."
CANCELLED_AT_SAT: Final = "El SAT informa que está cancelado."


@dataclass(frozen=True, slots=True)
class IntakeTerms:
    """On what terms documents are stored.

    Attributes:
        source: A name of `timbra.received.documents.models`.
        origin: Who sent them, or the name of the link.
        rfc: A party that each must have; empty for those of the account.
        issuer_rfc: The issuer that each must have; empty for any.
        is_strict: Whether they come from others: each must be addressed to the account, without errors and in force.
    """

    source: str
    origin: str = ""
    rfc: str = ""
    issuer_rfc: str = ""
    is_strict: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a document is rejected: a code that clients read, and a sentence in Spanish."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Arrival:
    """What became of a document.

    Attributes:
        name: Of its file.
        outcome: None for one that was rejected.
        result: That of the validation.
        document: Columns of `documents`.
        reasons: Why it was rejected.
    """

    name: str
    outcome: Outcome | None
    result: str
    document: Mapping[str, Any]
    reasons: tuple[Reason, ...] = ()

    @property
    def is_stored(self) -> bool:
        return self.outcome is not None

    @property
    def word(self) -> str:
        """The outcome; `rejected` without one."""
        return REJECTED if self.outcome is None else self.outcome.value


class DocumentIntake:
    """Stores examined documents on terms.

    Args:
        documents: The store.
        audit: Records what was stored.
        rfcs: Returns the RFC of an account: those of its certificates.
    """

    def __init__(self, documents: DocumentStore, audit: Audit, rfcs: Callable[[int], Collection[str]]) -> None:
        self._documents = documents
        self._audit = audit
        self.rfcs = rfcs

    def put(
        self, account_id: int, examined: Sequence[tuple[ExaminedEntry, NewResult]], terms: IntakeTerms
    ) -> list[Arrival]:
        """Store the documents that the terms accept; return what became of each, in their order."""
        rfcs = frozenset((terms.rfc,)) if terms.rfc else self.rfcs(account_id)
        reasons = [tuple(_reasons(entry, result, terms, rfcs)) for entry, result in examined]
        delivered = [
            delivered_xml(header_of(result.document["kind"], result.document), entry.xml, result, terms)
            for (entry, result), rejected in zip(examined, reasons, strict=True)
            if entry.xml is not None and not rejected
        ]
        outcomes = iter(self._documents.put_xml(account_id, delivered, self._recorder(account_id, terms)))
        return [
            Arrival(
                entry.source,
                None if rejected else next(outcomes),
                result.document.get("result", ""),
                result.document,
                rejected,
            )
            for (entry, result), rejected in zip(examined, reasons, strict=True)
        ]

    def _recorder(self, account_id: int, terms: IntakeTerms) -> Callable[[Connection, Sequence[Outcome]], None]:
        def record(connection: Connection, outcomes: Sequence[Outcome]) -> None:
            counts = Counter(outcome.value for outcome in outcomes)
            if counts.keys() - {Outcome.KNOWN.value}:
                body = {"source": terms.source, **counts}
                self._audit.record(connection, "received.added", account_id, terms.origin, body)

        return record


def _reasons(entry: ExaminedEntry, result: NewResult, terms: IntakeTerms, rfcs: Collection[str]) -> Iterator[Reason]:
    """Yield why a document is rejected."""
    document = result.document
    if entry.is_metadata:
        yield Reason(public_code("source-not-xml"), METADATA_FILE)
    elif entry.xml is None or entry.rejection is not None:
        yield reason_of(entry.rejection or ServiceError("source-unreadable"))
    elif not document.get("uuid"):
        yield Reason(public_code(UNSTAMPED_CODE), _sentence(UNSTAMPED_CODE))
    else:
        yield from _party_reasons(document, terms, rfcs)
        if terms.is_strict:
            yield from _errors(result.findings)
            if document.get("status") == CANCELLED:
                yield Reason(public_code("TB4005"), CANCELLED_AT_SAT)


def _party_reasons(document: Mapping[str, Any], terms: IntakeTerms, rfcs: Collection[str]) -> Iterator[Reason]:
    issuer, receiver = (str(document.get(name) or "").upper() for name in ("issuer_rfc", "receiver_rfc"))
    if terms.is_strict and receiver not in rfcs:
        found = finding_sentence("Receptor/@Rfc", receiver or None, " o ".join(sorted(rfcs)))
        yield Reason(public_code(OTHER_RECEIVER), f"{_sentence(OTHER_RECEIVER)} {found}")
    elif rfcs and not {issuer, receiver} & {*rfcs}:
        yield Reason(public_code(OTHER_RECEIVER), OTHER_PARTIES)
    if terms.issuer_rfc and issuer != terms.issuer_rfc:
        yield Reason(public_code("TB4005"), OTHER_ISSUER.format(rfc=terms.issuer_rfc))


def _errors(findings: Sequence[Mapping[str, Any]]) -> Iterator[Reason]:
    errors = [finding for finding in findings if finding.get("severity") == "error"]
    for finding in errors[:MAX_REASONS]:
        code, detail = finding.get("code") or "", finding.get("detail") or ""
        if finding.get("found") is not None or finding.get("expected") is not None:
            detail = finding_sentence(finding.get("path") or "", finding.get("found"), finding.get("expected"))
        elif len(detail) > MAX_DETAIL:
            detail = ""
        yield Reason(public_code(code) if code else "", " ".join(filter(None, (_sentence(code), detail))))


def reason_of(error: ServiceError) -> Reason:
    """Return the reason that an error is."""
    return Reason(public_code(error.code), " ".join(filter(None, (_sentence(error.code), error.detail))))


def _sentence(code: str) -> str:
    """Return the message of a code without the code; empty without a code."""
    return full_message(code).removeprefix(f"{code} - ") if code else ""


def header_of(kind: str, values: Mapping[str, Any]) -> ReceivedHeader:
    """Return what a row of `documents` states of a document."""
    text = {name: str(values.get(name) or "") for name in ReceivedHeader.__slots__}
    return ReceivedHeader(
        text["uuid"],
        kind,
        text["issuer_rfc"].upper(),
        text["issuer_name"],
        text["receiver_rfc"].upper(),
        text["receiver_name"],
        text["provider_rfc"],
        text["fecha"],
        text["fecha_timbrado"],
        *(text[name] or None for name in ("total", "tipo_de_comprobante", "serie", "folio", "moneda")),
    )


def delivered_xml(header: ReceivedHeader, xml: bytes, result: NewResult, terms: IntakeTerms) -> DeliveredXml:
    """Return a document to be stored with the outcome of its validation."""
    values = result.document
    return DeliveredXml(
        header,
        xml,
        hash_of(xml),
        terms.source,
        values["result"],
        values.get("errors", 0),
        values.get("warnings", 0),
        values.get("article_69b"),
        values.get("seal_tail"),
        result.findings,
        terms.origin,
    )


def hash_of(xml: bytes) -> str:
    """Return the SHA-256 of a document, without what may precede its root."""
    return sha256(without_leading_space(xml)).hexdigest()
