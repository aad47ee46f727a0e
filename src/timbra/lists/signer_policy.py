"""The policy that decides which signatures of lists are accepted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import Certificate, CertificateKind
from timbra.seals.certificates.trust_store import TrustStore

SAT = "SAT970701NN3"
MAX_AUTHORITIES = 8


class ListSigners:
    """Accepts certificates that chain to a trusted authority."""

    def __init__(self, trust: TrustStore, *, strict: bool, numbers: Iterable[str] = ()) -> None:
        """Use a set of trusted authorities.

        Args:
            trust: The trusted authorities.
            strict: Whether the holder must be the SAT itself, because the certificate of every taxpayer has a trusted
                chain too. Provider certificates name the SAT as their holder, but the providers have the keys; they are
                not accepted.
            numbers: Certificate numbers of 20 digits that are accepted for any holder.
        """
        self._trust = trust
        self._strict = strict
        self._numbers = frozenset(numbers)

    def require_trusted(self, certificate: Certificate, others: Sequence[Certificate], at: datetime) -> None:
        """Check that a certificate may sign lists.

        Args:
            certificate: The signer's certificate.
            others: The other certificates of the message; authorities that a trusted one issued extend the chain.
            at: The instant at which the certificate must be valid.

        Raises:
            ServiceError: "list-signature" when it may not, or was not valid at the instant.
        """
        if certificate.kind is CertificateKind.AUTHORITY or self._with(others).issuer_of(certificate) is None:
            raise _rejection(certificate, "no fue expedido por una autoridad del SAT")
        if not certificate.is_valid_at(at):
            raise _rejection(certificate, f"no estaba vigente el {at:%Y-%m-%dT%H:%M:%SZ}")
        if self._strict and certificate.number not in self._numbers and not _is_sat(certificate):
            raise _rejection(
                certificate,
                "no es del SAT; si el SAT publica sus listas con él, agréguelo a TIMBRA_LIST_SIGNERS",
            )

    def _with(self, others: Sequence[Certificate]) -> TrustStore:
        trust = self._trust
        pending = [certificate for certificate in others if certificate.kind is CertificateKind.AUTHORITY][
            :MAX_AUTHORITIES
        ]
        for _ in range(len(pending)):
            for authority in pending:
                larger = trust.with_subordinate(authority)
                if larger is not None:
                    trust = larger
                    pending.remove(authority)
                    break
        return trust


def _is_sat(certificate: Certificate) -> bool:
    return certificate.rfc == SAT and certificate.kind is not CertificateKind.PROVIDER


def _rejection(certificate: Certificate, why: str) -> ServiceError:
    return ServiceError("list-signature", f"El certificado {certificate.number} ({certificate.name}) {why}.")
