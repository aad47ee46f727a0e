"""Whose signature makes a list SAT's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from timbra.errors import ServiceError
from timbra.seals.certificates.certificate import Certificate, CertificateKind
from timbra.seals.certificates.trust_store import TrustStore

SAT = "SAT970701NN3"
MOST_AUTHORITIES = 8


class ListSigners:
    """Accepts certificates that chain to a trusted authority.

    strict: also demands that the holder is the SAT itself, for every taxpayer's certificate chains to it too. The
    certificates that providers stamp with name the SAT as their holder, yet the keys lie with the providers: they do
    not count. numbers: certificates, of 20 digits each, that are accepted for any holder.
    """

    def __init__(self, trust: TrustStore, *, strict: bool, numbers: Iterable[str] = ()) -> None:
        self._trust = trust
        self._strict = strict
        self._numbers = frozenset(numbers)

    def demand(self, certificate: Certificate, others: Sequence[Certificate], at: datetime) -> None:
        """ServiceError("list-signature") when the certificate may not sign lists or was not in force at the instant.

        others: certificates that came with it; authorities among them count when a trusted one issued them.
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
        waiting = [certificate for certificate in others if certificate.kind is CertificateKind.AUTHORITY][
            :MOST_AUTHORITIES
        ]
        for _ in range(len(waiting)):
            for authority in waiting:
                issuer = trust.issuer_of(authority)
                if issuer is not None and issuer.issues_authorities:
                    trust = trust.with_authority(authority)
                    waiting.remove(authority)
                    break
        return trust


def _is_sat(certificate: Certificate) -> bool:
    return certificate.rfc == SAT and certificate.kind is not CertificateKind.PROVIDER


def _rejection(certificate: Certificate, why: str) -> ServiceError:
    return ServiceError("list-signature", f"El certificado {certificate.number} ({certificate.name}) {why}.")
