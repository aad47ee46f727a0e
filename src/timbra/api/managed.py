"""Accounts and balances on the wire: the vendor's shapes, as JSON-ready dictionaries.

Identifiers are GUIDs. Instants are local times of central Mexico without a zone. What strict clients read is not null.
"""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import UUID, uuid5

from timbra.accounts.caller import ADMINISTRATOR
from timbra.api.wire import Json
from timbra.clock import to_central_mexico
from timbra.service.management import BalanceView, UserView, UserViews

PROFILES = {ADMINISTRATOR: 2}
CHILD = 3
"""The vendor's numbers: 2 is a dealer, 3 a dealer's child."""


def balance_body(view: BalanceView) -> Json:
    """The whole body of the second generation's balance."""
    account = view.account
    return single_body(
        {
            "idUserBalance": _balance_guid(account.guid),
            "idUser": account.guid,
            "stampsBalance": account.remaining,
            "stampsUsed": account.used,
            "stampsAssigned": account.assigned,
            "isUnlimited": account.unlimited,
            "unlimited": account.unlimited,
            "expirationDate": None,
            "lastTransaction": _last_transaction(view),
        }
    )


def old_balance(view: BalanceView) -> Json:
    """`data` of the first generation's balance."""
    account = view.account
    return {
        "idSaldoCliente": _balance_guid(account.guid),
        "idClienteUsuario": account.guid,
        "saldoTimbres": account.remaining,
        "timbresUtilizados": account.used,
        "fechaExpiracion": None,
        "unlimited": account.unlimited,
        "timbresAsignados": account.assigned,
    }


def user_body(view: UserView) -> Json:
    """The whole body that tells one user."""
    return single_body(_user(view))


def users_body(views: UserViews, path: str, filters: dict[str, str]) -> Json:
    """The whole body that lists users. path, filters: of the request, for the links."""
    pages = max(-(-views.total // views.per_page), 1)

    def link(page: int) -> str:
        return f"{path}?{urlencode({**filters, 'page': page, 'perPage': views.per_page})}"

    return {
        "data": [_user(view) for view in views.users],
        "meta": {
            "page": views.page,
            "perPage": views.per_page,
            "pageCount": len(views.users),
            "totalCount": views.total,
            "totalPages": pages,
        },
        "links": {
            "Self": link(views.page),
            "First": link(1),
            "End": link(pages),
            "Next": link(views.page + 1) if views.page < pages else "",
        },
        "status": "success",
    }


def single_body(data: object) -> Json:
    """The envelope of the management services where they tell one thing."""
    return {"data": data, "meta": None, "links": None, "status": "success"}


def _user(view: UserView) -> Json:
    account, holder = view.account, view.account.holder
    return {
        "idUser": account.guid,
        "idDealer": view.dealer,
        "name": account.shown_name,
        "taxId": holder.tax_id,
        "username": account.user,
        "lastPasswordChange": to_central_mexico(account.password_at),
        "email": account.user,
        "notificationEmail": holder.notification_email,
        "profile": PROFILES.get(account.role, CHILD),
        "isActive": account.active,
        "registeredDate": to_central_mexico(account.created_at),
        "accessToken": view.token,
        "phone": holder.phone,
        "stamps": account.remaining,
        "isUnlimited": account.unlimited,
    }


def _last_transaction(view: BalanceView) -> Json:
    """The last movement; before the first one, the account's beginning: nothing in, nothing out."""
    account, last = view.account, view.last
    return {
        "folio": last.number if last else 0,
        "idUser": view.mover,
        "idUserReceiver": account.guid,
        "nameReceiver": account.shown_name,
        "stampsIn": last.stamps_in if last else 0,
        "stampsOut": last.stamps_out if last else 0,
        "stampsCurrent": last.current if last else account.remaining,
        "comment": last.comment if last else "",
        "date": to_central_mexico(last.at if last else account.created_at),
        "isEmailSent": False,
    }


def _balance_guid(guid: str) -> str:
    """A balance has one account, so its identifier follows from the account's."""
    return str(uuid5(UUID(guid), "balance"))
