"""Accounts as an administrator keeps them: made, closed, given a password and stamps."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlalchemy import Connection
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.accounts.balances import LONGEST_COMMENT
from timbra.accounts.caller import ROLES
from timbra.accounts.records import Account, Holder, checked_text
from timbra.accounts.users import FIRST_STAMPS, Change, Filters
from timbra.cfdi.rfc import is_rfc
from timbra.errors import ServiceError
from timbra.portal.forms import take, whole_of
from timbra.portal.owners import users
from timbra.portal.page import Access, Page
from timbra.portal.visit import Visit, text_of

if TYPE_CHECKING:
    from timbra.wiring import House

PLACE = "/portal/cuentas"
PER_PAGE = 50
MOVEMENTS = 50
LARGEST_NUMBER = 10**9
LIMITS = {"limited": Change(unlimited=False), "unlimited": Change(unlimited=True)}
ACTIVITIES = {"closed": Change(active=False), "active": Change(active=True)}
ROLE_WORDS = {"account": "cuenta", "administrator": "administrador"}


async def show(visit: Visit) -> Response:
    return await _list(visit)


async def create(visit: Visit) -> Response:
    """A new account, with stamps to begin with or without a limit."""
    by = visit.account.account_id
    return await take(visit, lambda form: _create(visit.house, form, by), f"{PLACE}?aviso=creada", _list)


async def one(visit: Visit) -> Response:
    return await _one(visit)


async def stamps(visit: Visit) -> Response:
    """Gives stamps, or takes them."""
    guid, caller, management = _guid(visit), visit.account, visit.house.management

    def work(form: FormData) -> None:
        count = whole_of(form, "stamps", "Timbres") or 0
        move = management.remove_stamps if form.get("move") == "remove" else management.add_stamps
        move(caller, guid, count, text_of(form, "comment", LONGEST_COMMENT))

    return await take(visit, work, f"{PLACE}/{guid}?aviso=timbres", _one)


async def limit(visit: Visit) -> Response:
    """With a balance, or without."""
    return await _changed(visit, LIMITS, "limite")


async def activity(visit: Visit) -> Response:
    """Opens or closes the account; nobody closes their own."""
    return await _changed(visit, ACTIVITIES, "actividad")


async def password(visit: Visit) -> Response:
    """A new password for somebody who has lost theirs; ends the sessions of the old one."""
    account = await _account(visit)

    def work(form: FormData) -> None:
        visit.house.accounts.set_password(account.user, str(form.get("password") or ""))

    return await take(visit, work, f"{PLACE}/{account.guid}?aviso=password", _one)


async def _changed(visit: Visit, states: Mapping[str, Change], notice: str) -> Response:
    """Passes to the state that the form names; the one that it is in already is no error."""
    guid, caller, house = _guid(visit), visit.account, visit.house

    def work(form: FormData) -> None:
        change = states.get(text_of(form, "state"))
        if change is None:
            raise ServiceError("TB4005", "El formulario no dice a qué estado pasar.")
        try:
            house.management.update(caller, guid, change)
        except ServiceError as error:
            if error.code != "user-unchanged":
                raise

    return await take(visit, work, f"{PLACE}/{guid}?aviso={notice}", _one)


def _create(house: House, form: FormData, by: int) -> None:
    role = text_of(form, "role")
    if role not in ROLES:
        raise ServiceError("TB4005", "El papel es cuenta o administrador.")
    count = whole_of(form, "stamps", "Timbres") or 0

    def furnish(connection: Connection, number: int) -> None:
        if count:
            house.balances.give(connection, number, count, FIRST_STAMPS, by)

    house.accounts.create(
        text_of(form, "user"),
        str(form.get("password") or ""),
        role,
        Holder(name=checked_text("nombre", text_of(form, "name"))),
        unlimited=form.get("unlimited") == "yes",
        dealer_id=by,
        furnish=furnish,
    )


async def _list(visit: Visit, error: ServiceError | None = None, form: FormData | None = None) -> Response:
    wanted, page = visit.query("q"), _page_number(visit)
    rfc = wanted.upper() if is_rfc(wanted.upper()) else None
    filters = Filters(tax_id=rfc, user=None if rfc else wanted or None)
    found = await asyncio.to_thread(visit.house.management.users, visit.account, filters, page, PER_PAGE)
    usual = {"role": "account", "unlimited": "yes" if visit.house.sandbox else ""}
    values: dict[str, object] = {
        "accounts": [view.account for view in found.users],
        "found": found,
        "wanted": wanted,
        "roles": ROLE_WORDS,
        "given": _kept(form) if form is not None else usual,
    }
    if error is not None:
        return visit.show_error("accounts.html", error, values)
    return visit.show("accounts.html", values)


async def _one(visit: Visit, error: ServiceError | None = None, form: FormData | None = None) -> Response:
    account = await _account(visit)
    before = visit.query("antes")
    last = int(before) if before.isascii() and before.isdigit() and int(before) < LARGEST_NUMBER else None
    house = visit.house
    movements = await asyncio.to_thread(house.balances.movements, account.account_id, before=last, limit=MOVEMENTS)
    named = await asyncio.to_thread(users, visit)
    values: dict[str, object] = {
        "account": account,
        "own": account.account_id == visit.account.account_id,
        "roles": ROLE_WORDS,
        "movements": [(movement, _mover(movement.by_account_id, named)) for movement in movements],
        "next": movements[-1].number if len(movements) == MOVEMENTS else None,
        "given": _kept(form),
    }
    if error is not None:
        return visit.show_error("account.html", error, values)
    return visit.show("account.html", values)


async def _account(visit: Visit) -> Account:
    try:
        view = await asyncio.to_thread(visit.house.management.user, visit.account, _guid(visit))
    except ServiceError as error:
        raise HTTPException(404) from error
    return view.account


def _mover(number: int | None, named: Mapping[int, str]) -> str:
    return "quien administra el servidor" if number is None else named[number]


def _kept(form: FormData | None) -> dict[str, object]:
    """What is shown again of a refused form: never a password."""
    return {name: value for name, value in (form or {}).items() if name != "password"}


def _page_number(visit: Visit) -> int:
    text = visit.query("pagina")
    return max(int(text), 1) if text.isascii() and text.isdigit() and int(text) < LARGEST_NUMBER else 1


def _guid(visit: Visit) -> str:
    return visit.part("guid")


PAGES = (
    Page("GET", PLACE, show, Access.ADMINISTRATOR, menu="Cuentas"),
    Page("POST", PLACE, create, Access.ADMINISTRATOR),
    Page("GET", f"{PLACE}/{{guid}}", one, Access.ADMINISTRATOR),
    Page("POST", f"{PLACE}/{{guid}}/timbres", stamps, Access.ADMINISTRATOR),
    Page("POST", f"{PLACE}/{{guid}}/limite", limit, Access.ADMINISTRATOR),
    Page("POST", f"{PLACE}/{{guid}}/actividad", activity, Access.ADMINISTRATOR),
    Page("POST", f"{PLACE}/{{guid}}/password", password, Access.ADMINISTRATOR),
)
