"""The provider that stamps: one certificate, and a second one that replaces it at an announced instant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.provider.certificate_rules import CertificateRules, validity_problem
from timbra.provider.signing_pool import SigningPool
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.signers.port import Signer

PROBE = b"timbra"
KEY_MISMATCH = "La llave privada no corresponde al certificado {number}."
TRANSIENT = frozenset({"signer-unavailable"})


@dataclass(frozen=True, slots=True)
class StampingCertificate:
    """A certificate with which a provider stamps, or will stamp.

    Attributes:
        role: What it is used for now, in Spanish.
        since: The change-over to it; None for the first one.
    """

    rfc: str
    number: str
    role: str
    since: datetime | None
    valid_from: datetime
    valid_to: datetime


@dataclass(frozen=True, slots=True)
class ProviderIdentity:
    """A provider with one of its certificates.

    Attributes:
        signer: Signs with the key of the certificate.
        signing: The threads that sign; None for a key in memory.
    """

    rfc: str
    certificate: Certificate
    signer: Signer = field(repr=False)
    signing: SigningPool | None = field(default=None, repr=False)

    @property
    def login(self) -> ProviderLogin:
        """The certificate with a signer for threads, which does not wait for a device that hangs."""
        signer = self.signer if self.signing is None else self.signing.limited(self.signer)
        return ProviderLogin(self.certificate, signer)


@dataclass(frozen=True, slots=True)
class ProviderLogin:
    """The credential with which a provider logs in at the SAT's services, in a thread."""

    certificate: Certificate
    signer: Signer = field(repr=False)


@dataclass(frozen=True, slots=True)
class ChangeOver:
    """The next certificate, and when it replaces the current one.

    Attributes:
        at: Wall time; aware.
    """

    following: ProviderIdentity
    at: datetime


class ProviderSchedule:
    """Selects the certificate that stamps now. Thread-safe."""

    def __init__(
        self, current: ProviderIdentity, change: ChangeOver | None, rules: CertificateRules, wall: Clock
    ) -> None:
        """Evaluate the permanent conditions of both certificates once.

        Args:
            current: The first certificate.
            change: The change-over; None without one.
        """
        self._current = current
        self._change = change
        self._wall = wall
        self._lock = Lock()
        self._problems = {identity.certificate.number: list(rules.problems(identity.certificate)) for identity in self}
        self._fitting: set[str] = set()

    def __iter__(self) -> Iterator[ProviderIdentity]:
        yield self._current
        if self._change is not None:
            yield self._change.following

    @property
    def change(self) -> ChangeOver | None:
        """The change-over; None without one."""
        return self._change

    def scheduled(self) -> ProviderIdentity:
        """Return the certificate of the moment, whether it may stamp or not."""
        change = self._change
        return self._current if change is None or self._wall.now() < change.at else change.following

    def in_force(self) -> ProviderIdentity:
        """Return the provider that stamps now; no input or output.

        Raises:
            ServiceError: "CO1000" when the certificate of the moment may not stamp.
        """
        identity = self.scheduled()
        problems = self.problems(identity)
        if problems:
            raise ServiceError("CO1000", f"No se puede timbrar. {' '.join(problems)}")
        return identity

    def problems(self, identity: ProviderIdentity) -> Sequence[str]:
        """Return why a certificate may not stamp now, in Spanish, as far as it is known without its key."""
        expired = validity_problem(identity.certificate, self._wall.now())
        return [*self._problems[identity.certificate.number], *filter(None, [expired])]

    def verify_keys(self) -> None:
        """Sign once with each key that was not verified yet; a key that does not fit is a problem until it signs well.

        Raises:
            ServiceError: "signer-unavailable" when a device does not respond.
        """
        for identity in self:
            self.verify_key(identity)

    def verify_key(self, identity: ProviderIdentity) -> None:
        """As `verify_keys`, for one certificate."""
        number = identity.certificate.number
        with self._lock:
            if number in self._fitting:
                return
        try:
            identity.login.signer.sign(PROBE)
        except ServiceError as error:
            if error.code in TRANSIENT:
                raise
            self._add_problem(number, KEY_MISMATCH.format(number=number))
            return
        with self._lock:
            self._fitting.add(number)
            text = KEY_MISMATCH.format(number=number)
            self._problems[number] = [problem for problem in self._problems[number] if problem != text]

    def _add_problem(self, number: str, text: str) -> None:
        with self._lock:
            if text not in self._problems[number]:
                self._problems[number].append(text)
