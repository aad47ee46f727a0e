"""How the server is: what it runs with, how old its data is, what waits and what was given up."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Iterable
from importlib.metadata import version
from typing import TYPE_CHECKING

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.errors import ServiceError
from timbra.portal.books import book_lines
from timbra.portal.forms import take
from timbra.portal.page import Access, Page
from timbra.portal.texts import length_words
from timbra.portal.visit import Visit, text_of
from timbra.rules.checking import ENGINE

if TYPE_CHECKING:
    from timbra.wiring import House

PLACE = "/portal/estado"
MOST_SHOWN = 50
DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
LONGEST_SUBJECT = 400


async def show(visit: Visit) -> Response:
    return await _page(visit)


async def retry_delivery(visit: Visit) -> Response:
    """A dead delivery is tried again, or all of them where none is named."""

    def work(form: FormData) -> None:
        visit.house.outbox.revive(text_of(form, "subject", LONGEST_SUBJECT) or None)

    return await take(visit, work, f"{PLACE}?aviso=entrega", _page)


async def retry_letter(visit: Visit) -> Response:
    """Letters of a CFDI that were given up are tried again."""

    def work(form: FormData) -> None:
        visit.house.mailbox.revive(text_of(form, "uuid") or None)

    return await take(visit, work, f"{PLACE}?aviso=correo", _page)


async def _page(visit: Visit, error: ServiceError | None = None, _: FormData | None = None) -> Response:
    missing = await visit.house.condition.missing()
    values = {**await asyncio.to_thread(_values, visit.house), "missing": missing}
    if error is not None:
        return visit.show_error("state.html", error, values)
    return visit.show("state.html", values)


def _values(house: House) -> dict[str, object]:
    backlog, now, manifest = house.outbox.backlog(), house.wall.now(), house.snapshot.manifest
    return {
        "facts": (
            ("Timbra", version("timbra")),
            ("Python", platform.python_version()),
            ("Ambiente", house.settings.environment),
            ("Base de datos", DATABASES.get(house.database.dialect, house.database.dialect)),
            ("Este proceso atiende desde hace", length_words(now - house.opened_at)),
        ),
        "data": (
            ("Datos del SAT", house.snapshot.version),
            ("Tomados de", f"{manifest.source.package} {manifest.source.version}"),
            ("Catálogos", str(len(_catalogs(manifest.files)))),
            ("Listas", str(house.health()["lists_version"] or "ninguna")),
        ),
        "rules": ENGINE.version,
        "ages": [(name, length_words(age)) for name, age in house.list_ages().items()],
        "waiting": backlog.waiting,
        "oldest": None if backlog.oldest is None else length_words(now - backlog.oldest),
        "dead": house.outbox.listed(MOST_SHOWN, dead_only=True),
        "dead_count": sum(backlog.dead.values()),
        "letters": house.mailbox.letters(MOST_SHOWN, given_up=True),
        "books": book_lines(),
    }


def _catalogs(files: Iterable[str]) -> set[str]:
    """Names of catalogs; one may have several files."""
    return {name.partition(".")[0] for name in files if name.startswith("catalogs/")}


PAGES = (
    Page("GET", PLACE, show, Access.ADMINISTRATOR, menu="Estado"),
    Page("POST", f"{PLACE}/entregas", retry_delivery, Access.ADMINISTRATOR),
    Page("POST", f"{PLACE}/correos", retry_letter, Access.ADMINISTRATOR),
)
