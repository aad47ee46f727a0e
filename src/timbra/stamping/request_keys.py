"""Signatures for child processes: a child asks, the parent signs. No private key leaves the parent.

A child can obtain the signatures of its request only: one of the issuer, with a CSD of the account of the request, and
one of the provider.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from timbra.accounts.vault.signers import IssuerCredential
from timbra.core.errors import ServiceError
from timbra.evaluation.dependencies import IssuerKeys
from timbra.pools.parent import ask
from timbra.sat.port import Provider
from timbra.seals.certificates.certificate import Certificate, read_certificate
from timbra.seals.rsa_signature import Digest
from timbra.seals.signers.port import Signer
from timbra.stamping.models import StampingOperation
from timbra.stamping.stamping import NO_PROVIDER


@dataclass(frozen=True, slots=True)
class IssuerQuestion:
    """Asks for the certificate of the CSD that seals the documents of an issuer: its DER, as bytes."""

    rfc: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ProviderQuestion:
    """Asks for RFC and certificate (DER) of the provider."""


@dataclass(frozen=True, slots=True)
class SignatureQuestion:
    """Asks for a signature of the issuer or provider about which the child asked before."""

    of: type[IssuerQuestion | ProviderQuestion]
    data: bytes = field(repr=False)
    digest: Digest


class RequestKeys:
    """Answers the questions of a child for one request, in the parent; the instance cannot be used again.

    Args:
        vault: the credentials of the accounts.
        provider: returns the provider that stamps now.
        account_id: account of the request.
        operation: operation of the request; only `issue` obtains a signature of the issuer.
    """

    def __init__(
        self, vault: IssuerKeys, provider: Callable[[], Provider | None], account_id: int, operation: StampingOperation
    ) -> None:
        self._vault = vault
        self._provider = provider
        self._account_id = account_id
        self._operation = operation
        self._signers: dict[type, Signer] = {}

    def answer(self, question: object) -> object:
        """Answer a question of the child.

        Raises:
            ServiceError: "csd-missing", or an error of the signer; it is raised in the child.
            PermissionError: The request has no right to the answer.
        """
        if isinstance(question, IssuerQuestion) and self._operation is StampingOperation.ISSUE:
            credential = self._vault.signer_for(self._account_id, question.rfc, question.at)
            self._signers[IssuerQuestion] = credential.signer
            return credential.certificate.der
        if isinstance(question, ProviderQuestion):
            return self._name_provider()
        if isinstance(question, SignatureQuestion) and question.of in self._signers:
            return self._signers.pop(question.of).sign(question.data, question.digest)
        raise PermissionError(f"the request has no right to {type(question).__name__}")

    def _name_provider(self) -> tuple[str, bytes]:
        provider = self._provider()
        if provider is None:
            raise ServiceError("CO1000", NO_PROVIDER)
        self._signers[ProviderQuestion] = provider.signer
        return provider.rfc, provider.certificate.der


class ParentSigner:
    """The signer of a child: its parent signs.

    Args:
        of: the question that named the certificate.
    """

    def __init__(self, of: type[IssuerQuestion | ProviderQuestion]) -> None:
        self._of = of

    def sign(self, data: bytes, digest: Digest = "sha256") -> bytes:
        signature = ask(SignatureQuestion(self._of, data, digest))
        if not isinstance(signature, bytes):
            raise TypeError("a signature is bytes")
        return signature


class ParentVault:
    """The credentials of a child: certificates without keys."""

    def has_read(self, _account_id: int, _issuer_rfc: str) -> bool:
        """Return True: a child has no database."""
        return True

    def signer_for(self, _account_id: int, issuer_rfc: str, at: datetime) -> IssuerCredential:
        """See `Vault.signer_for`; the parent knows the account."""
        certificate = ask(IssuerQuestion(issuer_rfc, at))
        if not isinstance(certificate, bytes):
            raise TypeError("a certificate is bytes")
        return IssuerCredential(read_certificate(certificate), ParentSigner(IssuerQuestion))


@dataclass(frozen=True, slots=True)
class ParentProvider:
    """The provider of a child: its parent signs."""

    rfc: str
    certificate: Certificate
    signer: Signer
    signing: None = None


def parent_provider() -> ParentProvider:
    """Ask the parent for its provider. Raises ServiceError: "CO1000" when the parent has none."""
    answer = ask(ProviderQuestion())
    if not isinstance(answer, tuple):
        raise TypeError("a provider is a pair")
    rfc, certificate = answer
    return ParentProvider(rfc, read_certificate(certificate), ParentSigner(ProviderQuestion))
