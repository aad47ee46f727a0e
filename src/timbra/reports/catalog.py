"""The reports by name, and what each one says."""

from __future__ import annotations

import calendar
import json
import socket
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from heapq import merge
from operator import itemgetter
from typing import BinaryIO

from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.errors import ServiceError
from timbra.core.periods import DayPeriod
from timbra.events.recorder import CLOCK_READING, PLANNED_STOP, RESTORE_TEST
from timbra.lists.history import import_row
from timbra.lists.published import PublishedLists
from timbra.lists.refresh import IMPORTED
from timbra.operations.availability import AvailabilityLog
from timbra.operations.clock_discipline import ClockDiscipline
from timbra.provider.identity import StampingCertificate
from timbra.reports.files import write_csv
from timbra.reports.inventory import inventory_rows
from timbra.reports.queries import ReportQueries
from timbra.reports.report import ReportTable, Row

MINUTES_OF_DAY = 1440
SECURITY_KINDS = ("manifest.", "archive.")
"""Kinds of the event log that the report of security has besides the audit log."""


@dataclass(frozen=True, slots=True)
class ReportSources:
    """What reports read.

    Attributes:
        provider_certificates: Returns the provider's certificates of the settings.
        data_version: Version of the SAT's data.
        dialect: Name of the database system.
    """

    queries: ReportQueries
    availability: AvailabilityLog
    provider_certificates: Callable[[], Sequence[StampingCertificate]]
    lists: PublishedLists
    clock: ClockDiscipline
    wall: Clock
    data_version: Callable[[], str]
    dialect: str


@dataclass(frozen=True, slots=True)
class ReportKind:
    """A report.

    Attributes:
        title: Spanish title.
        says: What it is for, in Spanish.
        columns: Spanish headings.
        has_period: Whether the period matters; else the report is of now.
    """

    title: str
    says: str
    columns: Sequence[str]
    rows: Callable[[ReportSources, DayPeriod], Iterable[Row]]
    has_period: bool = True


class Reports:
    """Builds reports by name."""

    def __init__(self, sources: ReportSources) -> None:
        self._sources = sources

    def today(self) -> date:
        """Return the day in central Mexico."""
        return self._sources.wall.now().astimezone(CENTRAL_MEXICO).date()

    def build(self, name: str, period: DayPeriod) -> ReportTable:
        """Return a report; its rows are read while they are iterated.

        Args:
            name: A key of `REPORTS`.

        Raises:
            ServiceError: "report-invalid" for an unknown name.
        """
        kind = REPORTS.get(name)
        if kind is None:
            raise ServiceError("report-invalid", f"{name[:40]}: los reportes son {', '.join(REPORTS)}.")
        return ReportTable(name, kind.title, kind.columns, kind.rows(self._sources, period))

    def csv_files(self, period: DayPeriod) -> Iterator[tuple[str, Callable[[BinaryIO], int]]]:
        """Yield the file of each report, and the function that writes it."""
        for name in REPORTS:
            yield f"{name}.csv", partial(write_csv, self.build(name, period))


def _lists(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    return (import_row(event) for event in sources.queries.events(period.instants, (IMPORTED,)))


def _list_failures(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    for event in sources.queries.events(period.instants, ("list.failed",)):
        body = event.body
        yield event.at, str(body.get("node", "")), event.subject, str(body.get("code", "")), str(body.get("detail", ""))


def _stamps(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    for month in period.months():
        for issuer, kind, count in sources.queries.stamps(month.instants):
            yield f"{month.first:%Y-%m}", issuer, kind, count


def _rejections(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    for month in period.months():
        for operation, code, count in sources.queries.rejections(month.instants):
            yield f"{month.first:%Y-%m}", operation, code, count


def _cancellations(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    for event in sources.queries.events(period.instants, ("cancellation.",)):
        codes = event.body.get("codes")
        folios = codes.items() if isinstance(codes, Mapping) and codes else [(event.subject, None)]
        for folio, code in folios:
            yield event.at, event.kind, event.subject, str(folio), code, "acuse" in event.body, event.request_id


def _deliveries(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    for found in sources.queries.receptions(period.instants):
        yield (
            found.uuid,
            found.issuer_rfc,
            found.version,
            found.stamped_at,
            found.uploaded_at,
            found.acknowledged_at,
            int((found.acknowledged_at - found.stamped_at).total_seconds()),
            found.attempts,
            found.state,
            found.status,
            " ".join(str(one.get("code", "")) for one in found.incidencias),
        )


def _delivery_totals(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    for month in period.months():
        counts = Counter(found.state for found in sources.queries.receptions(month.instants))
        for state, count in sorted(counts.items()):
            yield f"{month.first:%Y-%m}", state, count


def _key_uses(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    for day, number, signatures in sources.queries.key_uses(period.first, period.last):
        yield date.fromisoformat(day), number, signatures


def _pending_deliveries(sources: ReportSources, _: DayPeriod) -> Iterator[Row]:
    now = sources.wall.now()
    for kind, subject, created, attempts, dead, reason in sources.queries.pending_deliveries():
        waited = int((now - created).total_seconds())
        yield kind, subject, created, waited, attempts, "apartada" if dead else "pendiente", reason


def _certificates(sources: ReportSources, _: DayPeriod) -> Iterator[Row]:
    now = sources.wall.now()
    for rfc, number, user, valid_from, valid_to, active in sources.queries.certificates():
        listed = sources.lists.certificate(rfc, number)
        days = (valid_to - now).days
        yield rfc, number, user, valid_from, valid_to, days, active, None if listed is None else listed.status


def _provider_certificates(sources: ReportSources, _: DayPeriod) -> Iterator[Row]:
    now = sources.wall.now()
    for found in sources.provider_certificates():
        days = (found.valid_to - now).days
        yield found.rfc, found.number, found.role, found.since, found.valid_from, found.valid_to, days


def _archives(sources: ReportSources, _: DayPeriod) -> Iterator[Row]:
    for found in sources.queries.archives():
        yield (
            found.name,
            date.fromisoformat(found.first_day),
            date.fromisoformat(found.last_day),
            found.place,
            found.documents,
            found.acuses,
            found.events,
            found.exported_at,
            found.pruned_at,
            found.digest,
            found.failure,
        )


def _restore_tests(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    for event in sources.queries.events(period.instants, (RESTORE_TEST,)):
        body = event.body
        seconds = body.get("seconds")
        yield (
            event.at,
            event.subject,
            event.instant("made_at"),
            _float(seconds.get("total")) if isinstance(seconds, Mapping) else None,
            event.number("files"),
            event.number("read_back"),
            "correcta" if not body.get("problems") else "con problemas",
            " ".join(event.texts("problems")),
        )


def _planned_stops(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    for event in sources.queries.events(period.instants, (PLANNED_STOP,)):
        begin, end = event.instant("from"), event.instant("until")
        minutes = int((end - begin).total_seconds() // 60) if begin and end else None
        yield event.at, begin, end, minutes, str(event.body.get("reason", ""))


def _clock(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    for event in sources.queries.events(period.instants, (CLOCK_READING,)):
        body = event.body
        yield (
            event.at,
            event.subject,
            "adjtimex",
            bool(body.get("synchronized")),
            _float(body.get("offset")),
            _float(body.get("max_error")),
        )
    reading = sources.clock.read()
    if reading is not None:
        now, node = sources.wall.now(), socket.gethostname()
        yield now, node, "adjtimex", reading.synchronized, reading.offset, reading.max_error


def _security(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    recorded = (
        (event.at, event.kind, event.account_id, event.subject, event.request_id, _text_of(event.body))
        for event in sources.queries.events(period.instants, SECURITY_KINDS)
    )
    audited = (
        (event.at, event.kind, event.account_id, event.subject, event.request_id, _text_of(json.loads(event.body)))
        for event in sources.queries.audit_events(period.instants)
    )
    yield from merge(recorded, audited, key=itemgetter(0))


def _text_of(body: Mapping[str, object]) -> str:
    return json.dumps(body, ensure_ascii=False, sort_keys=True) if body else ""


def _access(sources: ReportSources, _: DayPeriod) -> Iterator[Row]:
    for found in sources.queries.access(sources.wall.now()):
        yield (
            found.user,
            found.role,
            found.active and found.deleted_at is None,
            found.created_at,
            found.deleted_at,
            found.seen_at,
            found.tokens,
        )


def _inventory(sources: ReportSources, _: DayPeriod) -> Iterator[Row]:
    return inventory_rows(sources.data_version(), sources.dialect)


def _availability(sources: ReportSources, period: DayPeriod) -> Iterator[Row]:
    for month in period.months():
        days = sources.availability.days(month.first, month.last)
        if not days:
            continue
        ready, unready = sum(day[1] for day in days), sum(day[2] for day in days)
        whole = calendar.monthrange(month.first.year, month.first.month)[1]
        unobserved = len(days) * MINUTES_OF_DAY - ready - unready
        yield (
            f"{month.first:%Y-%m}",
            len(days),
            whole,
            ready,
            unready,
            max(unobserved, 0),
            round(100 * ready / (len(days) * MINUTES_OF_DAY), 4),
        )


def _manifests(sources: ReportSources, _: DayPeriod) -> Iterator[Row]:
    yield from sources.queries.manifests()


REPORTS: Mapping[str, ReportKind] = {
    "stamps": ReportKind("Timbres", "timbres por mes, emisor y tipo", ("Mes", "Emisor", "Tipo", "Timbres"), _stamps),
    "rejections": ReportKind(
        "Rechazos", "rechazos por mes, operación y código", ("Mes", "Operación", "Código", "Rechazos"), _rejections
    ),
    "cancellations": ReportKind(
        "Cancelaciones",
        "solicitudes de cancelación y respuestas, con sus códigos",
        ("Fecha", "Evento", "Asunto", "Folio", "Código", "Con acuse", "Solicitud HTTP"),
        _cancellations,
    ),
    "deliveries": ReportKind(
        "Entregas",
        "entregas al SAT con su acuse, por folio",
        (
            *("Folio", "Emisor", "Versión", "Timbrado", "Cargado", "Acuse", "Segundos", "Intentos", "Estado"),
            *("CodEstatus", "Incidencias"),
        ),
        _deliveries,
    ),
    "delivery-totals": ReportKind(
        "Totales de entregas", "entregas al SAT por mes y estado", ("Mes", "Estado", "Entregas"), _delivery_totals
    ),
    "pending-deliveries": ReportKind(
        "Entregas pendientes",
        "entregas al SAT que esperan o se apartaron",
        ("Tipo", "Asunto", "Desde", "Segundos", "Intentos", "Estado", "Motivo"),
        _pending_deliveries,
        has_period=False,
    ),
    "key-use": ReportKind(
        "Uso de llaves", "firmas con las llaves del proveedor, por día", ("Día", "Certificado", "Firmas"), _key_uses
    ),
    "lists": ReportKind(
        "Listas",
        "listas importadas, con su demora, firma y diferencias",
        (
            *("Nodo", "Lista", "Día", "Publicada", "Importada", "Demora (s)", "Renglones", "Nuevos", "Retirados"),
            *("Cambiados", "Firmó", "SHA-256"),
        ),
        _lists,
    ),
    "list-failures": ReportKind(
        "Fallas de listas",
        "listas que no se pusieron en uso, y por qué",
        ("Fecha", "Nodo", "Lista", "Código", "Detalle"),
        _list_failures,
    ),
    "certificates": ReportKind(
        "Certificados",
        "CSD guardados, su vigencia y su estado en la LCO",
        ("RFC", "Número", "Usuario", "Desde", "Hasta", "Días restantes", "Activo", "Estado en la LCO"),
        _certificates,
        has_period=False,
    ),
    "provider-certificates": ReportKind(
        "Certificados del proveedor",
        "certificados con los que el proveedor timbra, con su vigencia y su cambio",
        ("RFC", "Número", "Uso", "Desde el cambio", "Vigente desde", "Vigente hasta", "Días restantes"),
        _provider_certificates,
        has_period=False,
    ),
    "archives": ReportKind(
        "Archivos mensuales",
        "archivos de cada mes, con su manifiesto, y lo que ya no está en la base de datos",
        (
            *("Archivo", "Primer día", "Último día", "Lugar", "Documentos", "Acuses", "Eventos", "Exportado"),
            *("Podado", "SHA-256", "Falla"),
        ),
        _archives,
        has_period=False,
    ),
    "restore-tests": ReportKind(
        "Pruebas de restauración",
        "restauraciones de prueba de los respaldos, con su duración y resultado",
        ("Fecha", "Respaldo", "Hecho", "Segundos", "Archivos", "Timbres leídos", "Resultado", "Problemas"),
        _restore_tests,
    ),
    "planned-stops": ReportKind(
        "Paros planeados",
        "paros del servicio que se anunciaron",
        ("Registrado", "Desde", "Hasta", "Minutos", "Motivo"),
        _planned_stops,
    ),
    "clock": ReportKind(
        "Reloj",
        "error del reloj de cada nodo, cada hora",
        ("Fecha", "Nodo", "Fuente", "Sincronizado", "Diferencia (s)", "Error máximo (s)"),
        _clock,
    ),
    "security": ReportKind(
        "Eventos de seguridad",
        "cuentas, accesos, tokens, certificados y saldos",
        ("Fecha", "Evento", "Cuenta", "Asunto", "Solicitud HTTP", "Datos"),
        _security,
    ),
    "access": ReportKind(
        "Revisión de accesos",
        "usuarios, papeles, último acceso y tokens vigentes",
        ("Usuario", "Papel", "Activo", "Alta", "Baja", "Último acceso", "Tokens vigentes"),
        _access,
        has_period=False,
    ),
    "inventory": ReportKind(
        "Inventario",
        "programas de este nodo, con versión y licencia",
        ("Nodo", "Componente", "Versión", "Licencia"),
        _inventory,
        has_period=False,
    ),
    "availability": ReportKind(
        "Disponibilidad",
        "minutos en servicio por mes, medidos por el propio servidor",
        ("Mes", "Días medidos", "Días del mes", "Minutos en servicio", "Sin servicio", "Sin medición", "Porcentaje"),
        _availability,
    ),
    "manifests": ReportKind(
        "Manifiestos",
        "emisores que autorizaron la entrega de sus CFDI al SAT",
        ("Emisor", "Firmado", "Registrado", "Archivo", "SHA-256"),
        _manifests,
        has_period=False,
    ),
}
"""The reports, in the order of the portal."""


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
