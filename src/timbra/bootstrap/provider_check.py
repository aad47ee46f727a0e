"""The check of everything that a provider needs to stamp and deliver, for `timbra provider check`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from timbra.authority.provider.identity import PROBE, ProviderIdentity, ProviderSchedule
from timbra.bootstrap.sat_addresses import SatAddresses, require_delivery, sat_addresses
from timbra.errors import ServiceError
from timbra.service.operations.provider_check import CheckResult, CheckState, run_check

if TYPE_CHECKING:
    from timbra.bootstrap.provider import ProviderBuilder
    from timbra.clock import Clock
    from timbra.environments import Environment
    from timbra.seals.certificates.trust_store import TrustStore
    from timbra.settings import Settings
    from timbra.store.database.database import Database
    from timbra.store.outbox.deliveries import Backlog

EXPIRES_SOON = timedelta(days=30)
LIST_AGE_LIMIT = timedelta(hours=48)
LOGINS = {
    "sat_reception_login_url": "recepción",
    "sat_cancel_login_url": "cancelación",
    "sat_retenciones_login_url": "recepción de retenciones",
    "sat_retenciones_cancel_login_url": "cancelación de retenciones",
}


class CheckedContainer(Protocol):
    """The parts of a container that are checked; see `ProductionContainer`."""

    @property
    def settings(self) -> Settings: ...
    @property
    def environment(self) -> Environment: ...
    @property
    def wall(self) -> Clock: ...
    @property
    def database(self) -> Database: ...
    @property
    def issuers(self) -> TrustStore: ...
    @property
    def provider_builder(self) -> ProviderBuilder: ...
    @property
    def provider_schedule(self) -> ProviderSchedule | None: ...
    def list_ages(self) -> Mapping[str, timedelta]: ...
    def backlog(self) -> Backlog: ...


class ProviderChecks:
    """Checks the settings, certificates, keys, addresses and lists of one server."""

    def __init__(self, container: CheckedContainer) -> None:
        self._container = container

    def run(self, *, online: bool) -> Sequence[CheckResult]:
        """Return the result of every check; a failure of one does not stop the others.

        Args:
            online: Whether to log in at the SAT's services too.
        """
        return list(self._results(online=online))

    def _results(self, *, online: bool) -> Iterator[CheckResult]:
        container = self._container
        yield run_check("ambiente", lambda: container.environment.label)
        yield run_check("base de datos", lambda: f"ambiente {container.database.environment}")
        yield run_check("autoridades", self._trust)
        schedule: list[ProviderSchedule] = []
        yield run_check("proveedor", lambda: self._schedule(schedule))
        for found in schedule:
            yield from self._identities(found)
        addresses: list[SatAddresses] = []
        yield run_check("entrega al SAT", lambda: self._delivery(addresses))
        if online and schedule and addresses:
            yield from self._logins(schedule[0], addresses[0])
        yield from self._lists()
        yield self._queue()

    def _trust(self) -> str:
        self._container.issuers  # noqa: B018 - read at first use
        return "se pueden leer"

    def _schedule(self, found: list[ProviderSchedule]) -> str:
        schedule = self._container.provider_schedule
        if schedule is None:
            raise ServiceError("provider-settings", "Falta TIMBRA_PROVIDER_RFC.")
        found.append(schedule)
        return self._container.settings.provider_rfc

    def _identities(self, schedule: ProviderSchedule) -> Iterator[CheckResult]:
        for number, identity in enumerate(schedule):
            name = "siguiente certificado" if number else "certificado"
            yield from self._identity(name, schedule, identity)
        if schedule.change is not None:
            yield self._change_over(schedule)

    def _identity(self, name: str, schedule: ProviderSchedule, identity: ProviderIdentity) -> Iterator[CheckResult]:
        certificate = identity.certificate
        until = f"{certificate.number}, vigente hasta {certificate.valid_to:%Y-%m-%d}"
        try:
            schedule.verify_key(identity)
        except ServiceError as error:
            yield CheckResult(f"llave del {name}", CheckState.ERROR, error.detail or error.code)
        else:
            yield run_check(f"llave del {name}", lambda: self._tokens(identity))
        problems = schedule.problems(identity)
        if identity is schedule.scheduled() and problems:
            yield CheckResult(name, CheckState.ERROR, " ".join(problems))
        elif problems:
            yield CheckResult(name, CheckState.WARNING, " ".join(problems))
        elif certificate.valid_to - self._container.wall.now() < EXPIRES_SOON:
            yield CheckResult(name, CheckState.WARNING, until)
        else:
            yield CheckResult(name, CheckState.OK, until)

    def _tokens(self, identity: ProviderIdentity) -> str:
        """Sign once with each token: a pool would hide that one of them does not work."""
        builder = self._container.provider_builder
        if identity.signing is None:
            return "en un archivo cifrado"
        failed = []
        for label in builder.token_labels:
            try:
                builder.signer_of_token(label, identity).sign(PROBE)
            except ServiceError as error:
                failed.append(error.detail or error.code)
        if failed:
            raise ServiceError("signer-unavailable", " ".join(failed))
        return f"en {', '.join(builder.token_labels)}"

    def _change_over(self, schedule: ProviderSchedule) -> CheckResult:
        change = schedule.change
        current = next(iter(schedule))
        if change is None:
            raise AssertionError("the caller has checked that there is a change-over")
        valid = current.certificate.is_valid_at(change.at), change.following.certificate.is_valid_at(change.at)
        text = f"{change.at.isoformat()}: de {current.certificate.number} a {change.following.certificate.number}"
        if all(valid):
            return CheckResult("cambio de certificado", CheckState.OK, text)
        return CheckResult("cambio de certificado", CheckState.ERROR, f"{text}; uno de ellos no está vigente entonces")

    def _delivery(self, found: list[SatAddresses]) -> str:
        settings = self._container.settings
        addresses = sat_addresses(settings)
        require_delivery(settings, addresses)
        found.append(addresses)
        return addresses.sat_container_url

    def _logins(self, schedule: ProviderSchedule, addresses: SatAddresses) -> Iterator[CheckResult]:
        from timbra.authority.sat.transport import Transport
        from timbra.bootstrap.sat_services import sat_access

        container, transport = self._container, Transport()
        settings = container.settings

        def log_in(url: str) -> str:
            sat_access(settings, url, schedule, transport, container.wall).authorization(settings.sat_timeout_seconds)
            return url

        for name, service in LOGINS.items():
            url: str = getattr(addresses, name)
            label = f"autenticación de {service}"
            if url:
                yield run_check(label, lambda url=url: log_in(url))  # type: ignore[misc]
            else:
                yield CheckResult(label, CheckState.WARNING, f"Falta TIMBRA_{name.upper()}.")
        transport.close()

    def _lists(self) -> Iterator[CheckResult]:
        ages = self._container.list_ages()
        for name in ("LCO", "l_RFC"):
            age = ages.get(name)
            if age is None:
                yield CheckResult(f"lista {name}", CheckState.ERROR, "No se ha importado.")
            else:
                state = CheckState.WARNING if age > LIST_AGE_LIMIT else CheckState.OK
                yield CheckResult(f"lista {name}", state, f"{age.total_seconds() / 3600:.0f} horas")

    def _queue(self) -> CheckResult:
        backlog = self._container.backlog()
        dead = sum(backlog.dead.values())
        state = CheckState.WARNING if dead else CheckState.OK
        return CheckResult("cola de entregas", state, f"{backlog.waiting} en espera, {dead} sin más intentos")
