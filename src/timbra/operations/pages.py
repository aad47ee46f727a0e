"""Server state for administrators: health checks, versions, age of the data, outboxes and dead letters."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from functools import partial
from importlib.metadata import version

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.catalogs.current import CatalogsInForce
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.delivery.outages import outage_warnings
from timbra.operations.services import OperationsServices
from timbra.rules.registry import ENGINE
from timbra.validation.rule_views import rule_set_rows
from timbra.web.portal.dispatch.forms import submit_form
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, text_field
from timbra.web.portal.views.formatting import format_duration, iso_to_spanish

PATH = "/portal/estado"
MAX_ROWS = 50
LIST_NAMES = {"sandbox": "simulada"}
DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
MAX_SUBJECT_LENGTH = 400


async def show(page_request: PageRequest, services: OperationsServices) -> Response:
    """Show the state of the server."""
    return await _render(page_request, services)


async def retry_delivery(page_request: PageRequest, services: OperationsServices) -> Response:
    """Requeue the dead letter that the form names, or all of them."""

    def requeue(form: FormData) -> None:
        services.outbox.requeue(text_field(form, "subject", MAX_SUBJECT_LENGTH) or None)

    return await submit_form(page_request, requeue, f"{PATH}?aviso=entrega", partial(_render, page_request, services))


async def retry_email(page_request: PageRequest, services: OperationsServices) -> Response:
    """Requeue the dead e-mails of the CFDI that the form names, or all of them."""

    def requeue(form: FormData) -> None:
        services.email_outbox.requeue(text_field(form, "uuid") or None)

    return await submit_form(page_request, requeue, f"{PATH}?aviso=correo", partial(_render, page_request, services))


async def _render(
    page_request: PageRequest,
    services: OperationsServices,
    error: ServiceError | None = None,
    _: FormData | None = None,
) -> Response:
    failing, warnings = await services.health_checks.failing(), await services.health_checks.warnings()
    values = await page_request.pools.run_database(_values, services, page_request.environment.profile.label)
    return page_request.render_form("state.html", {**values, "failing": failing, "warnings": warnings}, error)


def _values(services: OperationsServices, environment: str) -> dict[str, object]:
    backlog, now, info = services.backlog(), services.wall.now(), services.server_info()
    manifest = info.catalogs.snapshot.manifest
    return {
        "server": (
            ("Timbra", version("timbra")),
            ("Python", platform.python_version()),
            ("Ambiente", environment),
            ("Base de datos", DATABASES.get(info.dialect, info.dialect)),
            ("Tiempo en servicio de este proceso", format_duration(now - info.started_at)),
        ),
        "data": (
            ("Datos del SAT", info.catalogs.snapshot.version),
            ("Edición de los catálogos", _edition(info.catalogs)),
            ("Tomados de", f"{manifest.source.package} {manifest.source.version}"),
            ("Catálogos", str(len(_catalog_names(manifest.files)))),
            ("Listas", iso_to_spanish(str(services.health()["lists_version"] or "ninguna"))),
        ),
        "engine_version": ENGINE.version,
        "list_ages": [(LIST_NAMES.get(name, name), format_duration(age)) for name, age in services.list_ages().items()],
        "outages": outage_warnings(backlog, now),
        "waiting": backlog.waiting,
        "minutes_behind": backlog.minutes_behind(now),
        "oldest": None if backlog.oldest is None else format_duration(now - backlog.oldest),
        "dead_letters": services.outbox.list_pending(MAX_ROWS, dead_only=True),
        "dead_count": sum(backlog.dead.values()),
        "dead_emails": services.email_outbox.list_pending(MAX_ROWS, dead_only=True),
        "rule_sets": rule_set_rows(),
    }


def _edition(catalogs: CatalogsInForce) -> str:
    if catalogs.since is None:
        return "la de esta versión"
    since = catalogs.since.astimezone(CENTRAL_MEXICO)
    return f"{catalogs.edition or 'la de esta versión'}, desde el {since:%d/%m/%Y a las %H:%M}"


def _catalog_names(files: Iterable[str]) -> set[str]:
    """Return the names of catalogs; one catalog may have several files."""
    return {name.partition(".")[0] for name in files if name.startswith("catalogs/")}


PAGES = (
    Page(
        "GET",
        PATH,
        show,
        PageAccess.ADMINISTRATOR,
        menu=MenuItem("Estado", 210, MenuGroup.ADMINISTRATION),
        icon="server",
        shortcut="e",
    ),
    Page("POST", f"{PATH}/entregas", retry_delivery, PageAccess.ADMINISTRATOR),
    Page("POST", f"{PATH}/correos", retry_email, PageAccess.ADMINISTRATOR),
)
