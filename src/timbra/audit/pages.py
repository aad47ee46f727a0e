"""The audit log, read-only: that of the account, or of all accounts for an administrator and its auditors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import orjson
from starlette.responses import Response

from timbra.accounts.services import AccountServices
from timbra.audit.audit_log import AuditLog
from timbra.core.errors import ServiceError
from timbra.events.audit.events import AuditEntry, AuditFilter
from timbra.web.portal.dispatch.forms import date_range
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest
from timbra.web.portal.views.formatting import local

PATH = "/portal/bitacora"
PER_PAGE = 50
MAX_NUMBER = 2**63 - 1
FIELDS = ("tipo", "autor", "asunto", "cuenta", "desde", "hasta")
GROUPS = {
    "login": "entradas",
    "session": "sesiones",
    "token": "tokens",
    "key": "uso de llaves",
    "account": "cuentas",
    "user": "usuarios",
    "balance": "saldos",
    "certificate": "certificados",
    "document": "lecturas de documentos",
    "settings": "configuración",
    "lists": "listas del SAT",
    "clock": "reloj fiscal",
    "fault": "fallas simuladas",
    "sandbox": "ambiente de pruebas",
}
"""Groups of kinds, by the beginning of the kinds."""
LABELS = {
    "count": "veces",
    "first": "primera",
    "last": "última",
    "code": "código",
    "comment": "comentario",
    "reason": "motivo",
    "address": "dirección",
    "active": "activo",
    "certificates": "certificados",
    "dated": "fecha",
    "description": "descripción",
    "enabled": "habilitado",
    "events": "eventos",
    "format": "formato",
    "kind": "tipo",
    "label": "etiqueta",
    "listed": "en la lista",
    "remaining": "restantes",
    "rfc": "RFC",
    "role": "rol",
    "rows": "renglones",
    "saved_at": "guardado",
    "scopes": "alcances",
    "signers": "firmantes",
    "unlimited": "sin límite",
    "url": "dirección",
    "valid_to": "vence",
}
INSTANTS = frozenset({"first", "last", "saved_at", "valid_to"})
ACTORS = {"server": "el servidor", "operator": "operador", "anonymous": "anónimo", "user": ""}


@dataclass(frozen=True, slots=True)
class AuditRow:
    """An event as the page shows it.

    Attributes:
        account: The user name of the account that the event is about.
        address: Empty for an actor of another account, unless the reader may see all accounts.
        content: Name and value of the body, flattened.
    """

    entry: AuditEntry
    actor: str
    account: str
    address: str
    content: list[tuple[str, str]]


async def search(page_request: PageRequest, accounts: AccountServices, audit: AuditLog) -> Response:
    """List events, newest first."""
    caller = page_request.account
    fields = {name: page_request.query(name) for name in FIELDS}
    values: dict[str, object] = {
        "fields": fields,
        "groups": GROUPS,
        "all_accounts": caller.audits_every_account,
        "rows": (),
        "cursor": None,
    }
    try:
        since, until = date_range(page_request)

        def read() -> dict[str, object]:
            users: Mapping[int, str] = {caller.account_id: caller.user}
            account_id: int | None = caller.account_id
            if caller.audits_every_account:
                users = {one.account_id: one.user for one in accounts.accounts.list_accounts()}
                account_id = accounts.accounts.find(fields["cuenta"]).account_id if fields["cuenta"] else None
            filters = AuditFilter(account_id, fields["tipo"], fields["autor"], fields["asunto"], since, until)
            entries = audit.page(filters, _number(page_request.query("cursor")), PER_PAGE)
            rows = [_row(entry, users, None if caller.audits_every_account else caller.account_id) for entry in entries]
            return {"rows": rows, "cursor": entries[-1].number if len(entries) == PER_PAGE else None}

        found = await page_request.pools.run_database(read)
    except ServiceError as error:
        return page_request.render_error("audit.html", error, values)
    return page_request.render("audit.html", {**values, **found})


def _row(entry: AuditEntry, users: Mapping[int, str], own_account: int | None) -> AuditRow:
    event = entry.event
    actor = " ".join(filter(None, (ACTORS.get(event.actor_kind, event.actor_kind), event.actor)))
    is_visible = own_account is None or event.actor_account_id == own_account or event.actor_kind == "anonymous"
    account = "" if event.account_id is None else users.get(event.account_id, "cuenta cerrada")
    return AuditRow(entry, actor, account, event.address if is_visible else "", _content(event.body))


def _content(body: str) -> list[tuple[str, str]]:
    """Flatten a body: changed values as `before → after`, the others by their names."""
    members = orjson.loads(body)
    before, after = members.pop("before", None) or {}, members.pop("after", None) or {}
    members.pop("settings", None)
    changed = [
        (name, f"{_text(name, before.get(name))} → {_text(name, after.get(name))}")
        for name in sorted({*before, *after})
    ]
    found = [*changed, *((name, _text(name, value)) for name, value in members.items())]
    return [(LABELS.get(name, name), text) for name, text in found]


def _text(name: str, value: object) -> str:
    if value is None or value == "":
        return "—"
    if isinstance(value, bool):
        return "sí" if value else "no"
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    if not isinstance(value, str):
        return orjson.dumps(value).decode()
    return local(datetime.fromisoformat(value)) if name in INSTANTS else value


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and int(text) <= MAX_NUMBER else None


PAGES = (
    Page("GET", PATH, search, PageAccess.AUDITOR, menu=MenuItem("Bitácora", 140, MenuGroup.ACCOUNT), icon="book-open"),
)
