"""The services that the checks of a document use: parser, rules, lists, keys, stores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from timbra.accounts.balances import EmptyBalanceCache
    from timbra.accounts.vault.signers import IssuerCredential
    from timbra.cfdi.cadena import CadenaOriginal
    from timbra.cfdi.document import DocumentParser
    from timbra.cfdi.nodes import FiscalDocument
    from timbra.cfdi.structure import Structure
    from timbra.core.metrics import MetricsRegistry
    from timbra.evaluation.article_69b import Article69bScreening
    from timbra.evaluation.confirmations import ConfirmationRegistry
    from timbra.evaluation.known_documents import KnownDocuments
    from timbra.pools import RunInThread
    from timbra.rules.engine.engine import Engine
    from timbra.rules.engine.ports import ReferenceData
    from timbra.rules.engine.profiles import Profiles
    from timbra.rules.rulesets.declarations.evaluation import DeclarationChecks
    from timbra.seals.certificates.certificate import CertificateCache
    from timbra.seals.certificates.trust_store import TrustStore
    from timbra.seals.signature_queue import SignatureQueue
    from timbra.stamps.port import StampStore


class IssuerKeys(Protocol):
    """The credentials of issuers, such as `timbra.accounts.vault.vault.Vault`."""

    def signer_for(self, account_id: int, issuer_rfc: str, at: datetime, /) -> IssuerCredential:
        """Return the credential that seals the issuer's documents at a fiscal instant; raise "csd-missing"."""
        ...

    def has_read(self, account_id: int, issuer_rfc: str, /) -> bool:
        """Whether `signer_for` needs no I/O."""
        ...


class DocumentKeys(Protocol):
    """The registry of keys of confirmation, such as `timbra.evaluation.confirmations.ConfirmationRegistry`."""

    def with_key(self, reference_data: ReferenceData, document: FiscalDocument, /) -> ReferenceData:
        """Return the reference data with what the registry has about the document's key."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationServices:
    """The services that evaluate a document, of which none needs a database.

    Attributes:
        profiles: severities of the rules at stamping and at validation.
        related: looks up the CFDI that a document relates to.
        reference_data: returns the current catalogs, lists and fiscal time.
        confirmations: the registry of keys of confirmation.
        certificate_hint: Spanish sentence that explains how to list a certificate of a registered issuer; only a
            sandbox has one.
        known_reference_data: returns the same without reading the database; None when it has to be read. By default
            nothing is known.
    """

    parser: DocumentParser
    structure: Structure
    declarations: DeclarationChecks
    engine: Engine
    profiles: Profiles
    cadena: CadenaOriginal
    certificates: CertificateCache
    trust: TrustStore
    related: KnownDocuments
    reference_data: Callable[[], ReferenceData]
    confirmations: DocumentKeys
    certificate_hint: str | None = None
    known_reference_data: Callable[[], ReferenceData | None] = lambda: None

    async def current_reference_data(self, run_in_thread: RunInThread) -> ReferenceData:
        """Return the current reference data; in a thread when the database has to be read."""
        known = self.known_reference_data()
        return await run_in_thread(self.reference_data) if known is None else known


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies(EvaluationServices):
    """The services that stamping and validation of a server use; one instance per process.

    Attributes:
        require_manifest: raises AU2003 or AU2005 for an issuer without a signed manifest; None when none is required.
        signatures: signs for concurrent requests.
        article_69b: looks issuers and receivers up in the definitive list of article 69-B.
    """

    vault: IssuerKeys
    stamps: StampStore
    empty: EmptyBalanceCache
    metrics: MetricsRegistry
    signatures: SignatureQueue
    article_69b: Article69bScreening
    confirmations: ConfirmationRegistry
    require_manifest: Callable[[str], None] | None = None
