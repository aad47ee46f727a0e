"""Whose signature makes a list SAT's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from timbra.errors import ServiceError
from timbra.seals.certificate import Certificate, Kind
from timbra.seals.trust import Trust

SAT = "SAT970701NN3"
MOST_AUTHORITIES = 8


class ListSigners:
    """Accepts certificates that chain to a trusted authority.

    strict: also demands that the holder is the SAT itself, for every taxpayer's certificate chains to it too. The
    certificates that providers stamp with name the SAT as their holder, yet the keys lie with the providers: they do
    not count. numbers: certificates, of 20 digits each, that are accepted whoever holds them.
    """

    def __init__(self, trust: Trust, *, strict: bool, numbers: Iterable[str] = ()) -> None:
        self._trust = trust
        self._strict = strict
        self._numbers = frozenset(numbers)

    def demand(self, certificate: Certificate, others: Sequence[Certificate], at: datetime) -> None:
        """ServiceError("list-signature") when the certificate may not sign lists or was not in force at the instant.

        others: certificates that came with it; authorities among them count when a trusted one issued them.
        """
        if certificate.kind is Kind.AUTHORITY or self._with(others).issuer_of(certificate) is None:
            raise _refusal(certificate, "no fue expedido por una autoridad del SAT")
        if not certificate.covers(at):
            raise _refusal(certificate, f"no estaba vigente el {at:%Y-%m-%dT%H:%M:%SZ}")
        if self._strict and certificate.number not in self._numbers and not _is_sat(certificate):
            raise _refusal(
                certificate,
                "no es del SAT; si el SAT publica sus listas con él, agréguelo a TIMBRA_LIST_SIGNERS",
            )

    def _with(self, others: Sequence[Certificate]) -> Trust:
        trust = self._trust
        waiting = [certificate for certificate in others if certificate.kind is Kind.AUTHORITY][:MOST_AUTHORITIES]
        for _ in range(len(waiting)):
            for authority in waiting:
                issuer = trust.issuer_of(authority)
                if issuer is not None and issuer.issues_authorities:
                    trust = trust.with_authority(authority)
                    waiting.remove(authority)
                    break
        return trust


def _is_sat(certificate: Certificate) -> bool:
    return certificate.rfc == SAT and certificate.kind is not Kind.PROVIDER


def _refusal(certificate: Certificate, why: str) -> ServiceError:
    return ServiceError("list-signature", f"El certificado {certificate.number} ({certificate.name}) {why}.")
