"""The check of everything that a provider needs to stamp and deliver, for `timbra provider check`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from timbra.container import Container, production_only
from timbra.core.checks import CheckOptions, CheckResult, CheckState, run_check
from timbra.core.errors import ServiceError
from timbra.delivery.build import delivery_backlog
from timbra.delivery.outages import outage_warnings
from timbra.lists.importing import fetch_records, list_refresh
from timbra.lists.sources.part_names import ListKind
from timbra.operations.doctor import Doctor
from timbra.operations.ports import list_ages
from timbra.provider.address_checks import answering_addresses, signature_expiry, unset_addresses, upload_admitted
from timbra.provider.identity import PROBE, ProviderIdentity, ProviderSchedule
from timbra.provider.parts import provider_builder, provider_schedule, sat_access, trusted_issuers
from timbra.provider.sample_delivery import sample_delivery
from timbra.sat.addresses import SatAddresses, require_delivery, sat_addresses
from timbra.sat.transport import Transport
from timbra.settings.lists import max_ages

EXPIRES_SOON = timedelta(days=30)
LIST_AGE_LIMIT = timedelta(hours=48)
CHECKED_LISTS = ("LCO", "l_RFC", "L_CNE", "69-B")
NEEDED_LISTS = frozenset({"LCO", "l_RFC"})
UNCHECKED = {
    "L_CNE": "No se revisan los permisos de hidrocarburos.",
    "69-B": "La validación no dice qué emisores están en el artículo 69-B.",
}
LOGINS = {
    "sat_reception_login_url": "recepción",
    "sat_cancel_login_url": "cancelación",
    "sat_retenciones_login_url": "recepción de retenciones",
    "sat_retenciones_cancel_login_url": "cancelación de retenciones",
}


class ProviderChecks:
    """Checks the settings, certificates, keys, addresses and lists of one server."""

    def __init__(self, container: Container) -> None:
        self._container = container

    def run(self, options: CheckOptions) -> Iterator[CheckResult]:
        """Yield the result of every check; a failure of one does not stop the others."""
        online = options.online
        yield run_check("autoridades", self._trust)
        schedule: list[ProviderSchedule] = []
        yield run_check("proveedor", lambda: self._schedule(schedule))
        for found in schedule:
            yield from self._identities(found)
        addresses: list[SatAddresses] = []
        yield run_check("direcciones del SAT", lambda: self._addresses(addresses))
        for found_addresses in addresses:
            yield run_check("entrega al SAT", lambda found=found_addresses: self._delivery(found))  # type: ignore[misc]
            yield from self._services(schedule, found_addresses, online=online)
        yield from self._lists(online=online)
        yield self._queue()
        if options.deliver:
            yield from sample_delivery(self._container)

    def _trust(self) -> str:
        self._container.get(trusted_issuers)
        return "se pueden leer"

    def _schedule(self, found: list[ProviderSchedule]) -> str:
        schedule = self._container.get(provider_schedule)
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
        builder = self._container.get(provider_builder)
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

    def _addresses(self, found: list[SatAddresses]) -> str:
        found.append(sat_addresses(self._container.settings))
        return "permitidas en este ambiente"

    def _delivery(self, addresses: SatAddresses) -> str:
        require_delivery(self._container.settings, addresses)
        return addresses.sat_container_url

    def _services(
        self, schedule: Sequence[ProviderSchedule], addresses: SatAddresses, *, online: bool
    ) -> Iterator[CheckResult]:
        settings, now = self._container.settings, self._container.wall.now()
        container, signature = addresses.sat_container_url, settings.sat_access_signature
        if signature:
            yield run_check("firma de acceso", lambda: signature_expiry(signature, now))
        yield from unset_addresses(addresses)
        if not online:
            return
        transport, seconds = Transport(), settings.sat_timeout_seconds
        yield from answering_addresses(addresses, transport, seconds)
        if container and signature:
            yield run_check("carga al contenedor", lambda: upload_admitted(container, signature, transport, seconds))
        transport.close()
        for found in schedule:
            yield from self._logins(found, addresses)

    def _logins(self, schedule: ProviderSchedule, addresses: SatAddresses) -> Iterator[CheckResult]:
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

    def _lists(self, *, online: bool) -> Iterator[CheckResult]:
        """Yield the state of each list, and of its source when it has one."""
        container = self._container
        ages, needed = container.get(list_ages)(), max_ages(container.settings.list_max_age_hours)
        for name in CHECKED_LISTS:
            age = ages.get(name)
            if age is None:
                state = CheckState.ERROR if name in NEEDED_LISTS or name in needed else CheckState.WARNING
                yield CheckResult(f"lista {name}", state, f"No se ha importado. {UNCHECKED.get(name, '')}".strip())
            else:
                limit = timedelta(hours=needed[name]) if name in needed else LIST_AGE_LIMIT
                state = CheckState.WARNING if age > min(limit, LIST_AGE_LIMIT) else CheckState.OK
                yield CheckResult(f"lista {name}", state, f"{age.total_seconds() / 3600:.0f} horas")
            yield from self._source(name, online=online)

    def _source(self, name: str, *, online: bool) -> Iterator[CheckResult]:
        label, kind = f"fuente de {name}", ListKind(name)
        try:
            refresh = self._container.get(list_refresh)
        except ServiceError as error:
            yield CheckResult(label, CheckState.ERROR, error.detail or error.code)
            return
        if kind not in refresh.kinds:
            setting = "TIMBRA_ARTICLE_69B_SOURCE" if kind is ListKind.ARTICLE_69B else "TIMBRA_LISTS_SOURCE"
            yield CheckResult(label, CheckState.WARNING, f"Falta {setting}: no se descarga.")
        elif online:
            yield run_check(label, lambda: f"{refresh.count_files(kind)} archivos")
        else:
            record = fetch_records(self._container).get(kind)
            if record is not None and record.code:
                detail = f"La última consulta falló: {record.code}. {record.detail}".strip()
                yield CheckResult(label, CheckState.ERROR, detail)

    def _queue(self) -> CheckResult:
        backlog = self._container.get(delivery_backlog)()
        dead = sum(backlog.dead.values())
        if backlog.outages:
            text = " ".join(outage_warnings(backlog, self._container.wall.now()))
            return CheckResult("cola de entregas", CheckState.ERROR, text)
        state = CheckState.WARNING if dead else CheckState.OK
        return CheckResult("cola de entregas", state, f"{backlog.waiting} en espera, {dead} sin más intentos")


def provider_checks(container: Container, options: CheckOptions) -> Iterator[CheckResult]:
    """Yield the checks of the provider; a sandbox has none."""
    if not container.environment.is_sandbox:
        yield from ProviderChecks(container).run(options)


class ProviderDoctor(Doctor):
    """The checks of a server with a provider."""


def provider_doctor(container: Container) -> ProviderDoctor:
    """Build the checks. Raises UnavailableServicesError: The environment is the sandbox."""
    if container.environment.is_sandbox:
        raise production_only()
    return ProviderDoctor(container)


SERVICES = {ProviderDoctor: provider_doctor}
DIAGNOSTICS = {"proveedor": provider_checks}
