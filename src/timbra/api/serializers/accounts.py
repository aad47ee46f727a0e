"""Accounts and balances in the vendor's shapes. The OpenAPI schemas of these answers are derived from the classes.

Identifiers are GUIDs. Instants are local times of central Mexico without a zone. Members that strict clients read are
not null.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlencode
from uuid import UUID, uuid5

from timbra.accounts.caller import ADMINISTRATOR
from timbra.api.serializers.stamps import Json
from timbra.clock import to_central_mexico
from timbra.service.administration.accounts import BalanceView, UserListView, UserView

PROFILES = {ADMINISTRATOR: 2}
CHILD = 3
"""The vendor's numbers: 2 is a dealer, 3 a dealer's child."""


@dataclass(frozen=True, slots=True)
class TransactionAnswer:
    """The last entry of a balance."""

    folio: int
    idUser: str
    idUserReceiver: str
    nameReceiver: str
    stampsIn: int
    stampsOut: int
    stampsCurrent: int
    comment: str
    date: str
    isEmailSent: bool


@dataclass(frozen=True, slots=True)
class BalanceAnswer:
    """The balance, in the shape of the second generation."""

    idUserBalance: str
    idUser: str
    stampsBalance: int
    stampsUsed: int
    stampsAssigned: int
    isUnlimited: bool
    unlimited: bool
    expirationDate: None
    lastTransaction: TransactionAnswer


@dataclass(frozen=True, slots=True)
class OldBalanceAnswer:
    """The balance, in the shape of the first generation."""

    idSaldoCliente: str
    idClienteUsuario: str
    saldoTimbres: int
    timbresUtilizados: int
    fechaExpiracion: None
    unlimited: bool
    timbresAsignados: int


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """A user. accessToken: only in the answer that creates it."""

    idUser: str
    idDealer: str
    name: str
    taxId: str
    username: str
    lastPasswordChange: str
    email: str
    notificationEmail: str
    profile: int
    isActive: bool
    registeredDate: str
    accessToken: str
    phone: str
    stamps: int
    isUnlimited: bool


@dataclass(frozen=True, slots=True)
class PageMeta:
    """A page of a list, counted from 1."""

    page: int
    perPage: int
    pageCount: int
    totalCount: int
    totalPages: int


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Addresses of pages. Next: empty on the last page."""

    Self: str
    First: str
    End: str
    Next: str


@dataclass(frozen=True, slots=True)
class UserListAnswer:
    """The whole answer of a page of users."""

    data: list[UserAnswer]
    meta: PageMeta
    links: PageLinks
    status: Literal["success"]


def balance_body(view: BalanceView) -> Json:
    """The whole answer of the second generation's balance."""
    account = view.account
    return single_body(
        BalanceAnswer(
            idUserBalance=_balance_guid(account.guid),
            idUser=account.guid,
            stampsBalance=account.remaining,
            stampsUsed=account.used,
            stampsAssigned=account.assigned,
            isUnlimited=account.unlimited,
            unlimited=account.unlimited,
            expirationDate=None,
            lastTransaction=_last_transaction(view),
        )
    )


def old_balance(view: BalanceView) -> OldBalanceAnswer:
    """`data` of the first generation's balance."""
    account = view.account
    return OldBalanceAnswer(
        idSaldoCliente=_balance_guid(account.guid),
        idClienteUsuario=account.guid,
        saldoTimbres=account.remaining,
        timbresUtilizados=account.used,
        fechaExpiracion=None,
        unlimited=account.unlimited,
        timbresAsignados=account.assigned,
    )


def user_body(view: UserView) -> Json:
    """The whole answer with one user."""
    return single_body(_user(view))


def users_body(views: UserListView, path: str, filters: dict[str, str]) -> UserListAnswer:
    """The whole answer with a page of users. path, filters: of the request, for the links."""
    pages = max(-(-views.total // views.per_page), 1)

    def link(page: int) -> str:
        return f"{path}?{urlencode({**filters, 'page': page, 'perPage': views.per_page})}"

    return UserListAnswer(
        data=[_user(view) for view in views.users],
        meta=PageMeta(
            page=views.page,
            perPage=views.per_page,
            pageCount=len(views.users),
            totalCount=views.total,
            totalPages=pages,
        ),
        links=PageLinks(
            Self=link(views.page),
            First=link(1),
            End=link(pages),
            Next=link(views.page + 1) if views.page < pages else "",
        ),
        status="success",
    )


def single_body(data: object) -> Json:
    """The envelope of the management services for a single value."""
    return {"data": data, "meta": None, "links": None, "status": "success"}


def _user(view: UserView) -> UserAnswer:
    account, holder = view.account, view.account.holder
    return UserAnswer(
        idUser=account.guid,
        idDealer=view.dealer,
        name=account.shown_name,
        taxId=holder.tax_id,
        username=account.user,
        lastPasswordChange=to_central_mexico(account.password_at),
        email=account.user,
        notificationEmail=holder.notification_email,
        profile=PROFILES.get(account.role, CHILD),
        isActive=account.active,
        registeredDate=to_central_mexico(account.created_at),
        accessToken=view.token,
        phone=holder.phone,
        stamps=account.remaining,
        isUnlimited=account.unlimited,
    )


def _last_transaction(view: BalanceView) -> TransactionAnswer:
    """The last entry; before the first one, the creation of the account: nothing in, nothing out."""
    account, last = view.account, view.last
    return TransactionAnswer(
        folio=last.number if last else 0,
        idUser=view.mover,
        idUserReceiver=account.guid,
        nameReceiver=account.shown_name,
        stampsIn=last.stamps_in if last else 0,
        stampsOut=last.stamps_out if last else 0,
        stampsCurrent=last.current if last else account.remaining,
        comment=last.comment if last else "",
        date=to_central_mexico(last.at if last else account.created_at),
        isEmailSent=False,
    )


def _balance_guid(guid: str) -> str:
    """A balance has one account, so its identifier follows from the account's."""
    return str(uuid5(UUID(guid), "balance"))
