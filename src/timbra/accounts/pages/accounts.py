"""Account administration: creating and deactivating accounts, passwords and stamp balances."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.accounts.article_69b import CHOICES
from timbra.accounts.balances import MAX_COMMENT_LENGTH
from timbra.accounts.field_validation import validate_text
from timbra.accounts.pages.password import WEAK_PASSWORD
from timbra.accounts.pages.user_names import user_names
from timbra.accounts.services import AccountServices
from timbra.accounts.store.models import Account, AccountHolder, UserFilter
from timbra.accounts.store.second_factor_repository import ACCOUNT_ITSELF
from timbra.accounts.users import FIRST_STAMPS, AccountChange
from timbra.accounts.vendor_leniency import NONE
from timbra.cfdi.rfc import is_rfc
from timbra.core.caller import ROLES
from timbra.core.errors import ServiceError
from timbra.core.leniencies import ALL
from timbra.database.transaction import Transaction
from timbra.web.portal.dispatch.forms import integer_field, submit_form
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, text_field

PATH = "/portal/cuentas"
PER_PAGE = 50
ENTRIES_PER_PAGE = 50
MAX_NUMBER = 10**9
LIMITS = {"limited": AccountChange(unlimited=False), "unlimited": AccountChange(unlimited=True)}
ACTIVITIES = {"closed": AccountChange(active=False), "active": AccountChange(active=True)}
POLICIES = {choice: AccountChange(article_69b=choice) for choice in CHOICES}
POLICY_NAMES = {
    "default": "la del servidor",
    "ignore": "no revisar la lista",
    "warn": "timbrar y avisar",
    "block": "no timbrar",
}
LENIENCY_NAMES = {
    "default": "lo que acepte el servidor",
    NONE: "nada: se rechaza como dice la matriz",
    "carta-porte": "carta-porte: datos de mercancías que su SectorCOFEPRIS no usa",
    "foreign-use": "foreign-use: un UsoCFDI distinto de S01 de un receptor extranjero",
    ALL: "todo lo que timbra el proveedor",
}
LENIENCY_CHANGES = {choice: AccountChange(vendor_leniency=choice) for choice in LENIENCY_NAMES}
ROLE_NAMES = {"account": "usuario", "administrator": "administrador"}


async def search(page_request: PageRequest, services: AccountServices) -> Response:
    """List accounts, filtered by RFC or user name."""
    return await _render_list(page_request, services)


async def create(page_request: PageRequest, services: AccountServices) -> Response:
    """Create an account, with a first balance of stamps or without limit."""
    create_account = partial(_create, services, page_request.account.account_id)
    return await submit_form(
        page_request, create_account, f"{PATH}?aviso=creada", partial(_render_list, page_request, services)
    )


async def show(page_request: PageRequest, services: AccountServices) -> Response:
    """Show one account with its balance entries."""
    return await _render_account(page_request, services)


async def change_balance(page_request: PageRequest, services: AccountServices) -> Response:
    """Add stamps to the balance of an account, or remove them."""
    guid, caller, administration = _guid(page_request), page_request.account, services.administration

    def add_or_remove(form: FormData) -> None:
        count = integer_field(form, "stamps", "Timbres") or 0
        comment = text_field(form, "comment", MAX_COMMENT_LENGTH)
        change = administration.remove_stamps if form.get("move") == "remove" else administration.add_stamps
        change(caller, guid, count, comment)

    return await submit_form(
        page_request, add_or_remove, f"{PATH}/{guid}?aviso=timbres", partial(_render_account, page_request, services)
    )


async def change_limit(page_request: PageRequest, services: AccountServices) -> Response:
    """Switch an account between a balance and unlimited stamps."""
    return await _change(page_request, services, LIMITS, "limite")


async def change_activity(page_request: PageRequest, services: AccountServices) -> Response:
    """Activate or deactivate an account; an administrator cannot deactivate its own account."""
    return await _change(page_request, services, ACTIVITIES, "actividad")


async def change_article_69b(page_request: PageRequest, services: AccountServices) -> Response:
    """Set the policy of an account for listed parties of article 69-B."""
    return await _change(page_request, services, POLICIES, "articulo-69b")


async def change_leniency(page_request: PageRequest, services: AccountServices) -> Response:
    """Set what the vendor stamps although a rule rejects it."""
    return await _change(page_request, services, LENIENCY_CHANGES, "tolerancia")


async def change_password(page_request: PageRequest, services: AccountServices) -> Response:
    """Set a new password; the sessions of the old one end."""
    account = await _account(page_request, services)

    def set_password(form: FormData) -> str:
        password = str(form.get("password") or "")
        services.accounts.set_password(account.user, password)
        return _weak_password_query(services, account.user, password)

    return await submit_form(
        page_request,
        set_password,
        f"{PATH}/{account.guid}?aviso=password",
        partial(_render_account, page_request, services),
    )


async def reset_factor(page_request: PageRequest, services: AccountServices) -> Response:
    """Remove the second factors of the user of the account itself, who lost them."""
    account = await _account(page_request, services)

    def reset(_: FormData) -> None:
        services.second_factors.reset(account.account_id, None, account.user)

    return await submit_form(
        page_request, reset, f"{PATH}/{account.guid}?aviso=factor", partial(_render_account, page_request, services)
    )


async def revoke_token(page_request: PageRequest, services: AccountServices) -> Response:
    account, token_id = await _account(page_request, services), page_request.path_parameter("token_id")

    def revoke(_: FormData) -> None:
        live = services.accounts.list_infinite_tokens(account.user)
        if token_id not in {token.token_id for token in live}:
            raise ServiceError("token-unknown")
        services.accounts.revoke(token_id)

    return await submit_form(
        page_request, revoke, f"{PATH}/{account.guid}?aviso=token", partial(_render_account, page_request, services)
    )


async def _change(
    page_request: PageRequest, services: AccountServices, states: Mapping[str, AccountChange], notice: str
) -> Response:
    """Apply the state that the form names; the present state is not an error."""
    guid, caller = _guid(page_request), page_request.account

    def update(form: FormData) -> None:
        change = states.get(text_field(form, "state"))
        if change is None:
            raise ServiceError("TB4005", "El formulario no dice a qué estado pasar.")
        try:
            services.administration.update(caller, guid, change)
        except ServiceError as error:
            if error.code != "user-unchanged":
                raise

    return await submit_form(
        page_request, update, f"{PATH}/{guid}?aviso={notice}", partial(_render_account, page_request, services)
    )


def _create(services: AccountServices, dealer_id: int, form: FormData) -> str:
    role = text_field(form, "role")
    if role not in ROLES:
        raise ServiceError("TB4005", "El rol es usuario o administrador.")
    count = integer_field(form, "stamps", "Timbres") or 0

    def add_first_stamps(transaction: Transaction, account_id: int) -> None:
        if count:
            services.balances.add_within(transaction, account_id, count, FIRST_STAMPS, dealer_id)

    user, password = text_field(form, "user"), str(form.get("password") or "")
    services.accounts.create(
        user,
        password,
        role,
        AccountHolder(name=validate_text("nombre", text_field(form, "name"))),
        unlimited=form.get("unlimited") == "yes",
        dealer_id=dealer_id,
        seed=add_first_stamps,
    )
    return _weak_password_query(services, user, password)


def _weak_password_query(services: AccountServices, user: str, password: str) -> str:
    """Return the query parameter with which the next page warns about a weak password; empty for a strong one."""
    return WEAK_PASSWORD if services.accounts.policy.warning(user, password) else ""


async def _render_list(
    page_request: PageRequest,
    services: AccountServices,
    error: ServiceError | None = None,
    form: FormData | None = None,
) -> Response:
    query, page = page_request.query("q"), _page_number(page_request)
    rfc = query.upper() if is_rfc(query.upper()) else None
    filters = UserFilter(tax_id=rfc, user=None if rfc else query or None)
    found = await page_request.pools.run_database(
        services.administration.users, page_request.account, filters, page, PER_PAGE
    )
    defaults = {"role": "account", "unlimited": "yes" if page_request.environment.profile.unlimited_accounts else ""}
    values: dict[str, object] = {
        "accounts": [view.account for view in found.users],
        "found": found,
        "query": query,
        "roles": ROLE_NAMES,
        "fields": _fields(form) if form is not None else defaults,
    }
    return page_request.render_form("accounts.html", values, error)


async def _render_account(
    page_request: PageRequest,
    services: AccountServices,
    error: ServiceError | None = None,
    form: FormData | None = None,
) -> Response:
    account = await _account(page_request, services)
    before = page_request.query("antes")
    last = int(before) if before.isascii() and before.isdigit() and int(before) < MAX_NUMBER else None
    entries = await page_request.pools.run_database(
        services.balances.list_entries, account.account_id, before=last, limit=ENTRIES_PER_PAGE
    )
    tokens = await page_request.pools.run_database(services.accounts.list_infinite_tokens, account.user)
    enrolled = await page_request.pools.run_database(services.second_factors.enrolled_users, account.account_id)
    users = await page_request.pools.run_database(user_names, page_request, services)
    values: dict[str, object] = {
        "account": account,
        "tokens": tokens,
        "has_factor": ACCOUNT_ITSELF in enrolled,
        "own": account.account_id == page_request.account.account_id,
        "roles": ROLE_NAMES,
        "policies": POLICY_NAMES,
        "leniencies": LENIENCY_NAMES,
        "entries": [(entry, _author_name(entry.by_account_id, users)) for entry in entries],
        "next": entries[-1].number if len(entries) == ENTRIES_PER_PAGE else None,
        "fields": _fields(form),
    }
    return page_request.render_form("account.html", values, error)


async def _account(page_request: PageRequest, services: AccountServices) -> Account:
    """Return the account of the path. HTTPException(404) when it does not exist."""
    try:
        view = await page_request.pools.run_database(
            services.administration.user, page_request.account, _guid(page_request)
        )
    except ServiceError as error:
        raise HTTPException(404) from error
    return view.account


def _author_name(account_id: int | None, users: Mapping[int, str]) -> str:
    return "quien administra el servidor" if account_id is None else users[account_id]


def _fields(form: FormData | None) -> dict[str, object]:
    """Return the fields of a rejected form that the page shows again: all except the password."""
    return {name: value for name, value in (form or {}).items() if name != "password"}


def _page_number(page_request: PageRequest) -> int:
    text = page_request.query("pagina")
    return max(int(text), 1) if text.isascii() and text.isdigit() and int(text) < MAX_NUMBER else 1


def _guid(page_request: PageRequest) -> str:
    return page_request.path_parameter("guid")


PAGES = (
    Page(
        "GET",
        PATH,
        search,
        PageAccess.ADMINISTRATOR,
        menu=MenuItem("Cuentas", 190, MenuGroup.ADMINISTRATION),
        icon="users",
        shortcut="k",
    ),
    Page("POST", PATH, create, PageAccess.ADMINISTRATOR),
    Page("GET", f"{PATH}/{{guid}}", show, PageAccess.ADMINISTRATOR),
    Page("POST", f"{PATH}/{{guid}}/timbres", change_balance, PageAccess.ADMINISTRATOR),
    Page("POST", f"{PATH}/{{guid}}/limite", change_limit, PageAccess.ADMINISTRATOR),
    Page("POST", f"{PATH}/{{guid}}/actividad", change_activity, PageAccess.ADMINISTRATOR),
    Page("POST", f"{PATH}/{{guid}}/articulo-69b", change_article_69b, PageAccess.ADMINISTRATOR),
    Page("POST", f"{PATH}/{{guid}}/tolerancia", change_leniency, PageAccess.ADMINISTRATOR),
    Page("POST", f"{PATH}/{{guid}}/password", change_password, PageAccess.ADMINISTRATOR),
    Page("POST", f"{PATH}/{{guid}}/segundo-factor", reset_factor, PageAccess.ADMINISTRATOR),
    Page("POST", f"{PATH}/{{guid}}/tokens/{{token_id}}/revocar", revoke_token, PageAccess.ADMINISTRATOR),
)
