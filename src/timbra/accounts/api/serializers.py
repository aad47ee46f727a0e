"""Sessions, accounts and balances in the vendor's shapes. The OpenAPI schemas are derived from the classes.

Identifiers are GUIDs. Instants are local times of central Mexico without a zone. Members that strict clients read are
not null.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlencode
from uuid import UUID, uuid5

from timbra.accounts.administration.accounts import BalanceView, UserListView, UserView
from timbra.accounts.administration.certificates import CertificateItem
from timbra.core.caller import ADMINISTRATOR
from timbra.core.clock import to_central_mexico
from timbra.web.envelopes import ManagementAnswer, SuccessAnswer

if TYPE_CHECKING:
    from timbra.accounts.store.models import AccountUser
    from timbra.accounts.tokens.account_tokens import SessionToken

PROFILES = {ADMINISTRATOR: 2}
CHILD = 3
"""The vendor's numbers: 2 is a dealer, 3 a dealer's child."""


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """A session token. Clients read its type under two names, of which one is misspelt."""

    token: str = field(repr=False)
    expires_in: Annotated[int, "Unix time in seconds at which the token expires; not a duration."]
    tokeny_type: Literal["Bearer"] = "Bearer"
    token_type: Literal["Bearer"] = "Bearer"  # noqa: S105


@dataclass(frozen=True, slots=True)
class AccountUserAnswer:
    """A user of an account."""

    id: str
    user: str
    role: str
    isActive: bool
    registeredDate: str
    lastPasswordChange: str


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
class BalanceV1Answer:
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
    """A user."""

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
    accessToken: Annotated[str, "Only in the answer that creates the user; empty in all others."]
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
    """Addresses of pages."""

    Self: str
    First: str
    End: str
    Next: Annotated[str, "Empty on the last page."]


@dataclass(frozen=True, slots=True)
class UserListAnswer:
    """The whole answer of a page of users."""

    data: list[UserAnswer]
    meta: PageMeta
    links: PageLinks
    status: Literal["success"] = "success"


@dataclass(frozen=True, slots=True)
class UserKeptAnswer:
    """The whole answer when a user with stamps cannot be deleted; clients read these two members only."""

    message: str
    status: Literal["error"] = "error"


def session_answer(session: SessionToken) -> SessionAnswer:
    """Build `data` of a login."""
    return SessionAnswer(session.token, session.expires_at)


def balance_body(view: BalanceView) -> ManagementAnswer[BalanceAnswer]:
    """Build the whole answer of the second generation's balance."""
    account = view.account
    return ManagementAnswer(
        BalanceAnswer(
            idUserBalance=_balance_guid(account.guid),
            idUser=account.guid,
            stampsBalance=account.remaining,
            stampsUsed=view.used,
            stampsAssigned=account.assigned,
            isUnlimited=account.unlimited,
            unlimited=account.unlimited,
            expirationDate=None,
            lastTransaction=_last_transaction(view),
        )
    )


def balance_v1_answer(view: BalanceView) -> BalanceV1Answer:
    """Build `data` of the first generation's balance."""
    account = view.account
    return BalanceV1Answer(
        idSaldoCliente=_balance_guid(account.guid),
        idClienteUsuario=account.guid,
        saldoTimbres=account.remaining,
        timbresUtilizados=view.used,
        fechaExpiracion=None,
        unlimited=account.unlimited,
        timbresAsignados=account.assigned,
    )


def user_body(view: UserView) -> ManagementAnswer[UserAnswer]:
    """Build the whole answer with one user."""
    return ManagementAnswer(_user(view))


def users_body(views: UserListView, path: str, filters: dict[str, str]) -> UserListAnswer:
    """Build the whole answer with a page of users.

    Args:
        views: The page.
        path: Address of the list, without a query; the links begin with it.
        filters: The query values of the request that the links repeat.
    """
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
    )


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


def account_user_answer(user: AccountUser) -> AccountUserAnswer:
    """Return a user of an account."""
    return AccountUserAnswer(
        id=user.guid,
        user=user.user,
        role=user.role,
        isActive=user.active,
        registeredDate=to_central_mexico(user.created_at),
        lastPasswordChange=to_central_mexico(user.password_at),
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


ANSWERS: dict[str, object] = {
    "UserKept": UserKeptAnswer,
    "Session": SuccessAnswer[SessionAnswer],
    "Certificate": SuccessAnswer[CertificateItem],
    "CertificateList": SuccessAnswer[list[CertificateItem]],
    "Balance": ManagementAnswer[BalanceAnswer],
    "BalanceV1": SuccessAnswer[BalanceV1Answer],
    "BalanceChanged": ManagementAnswer[int],
    "AccountUser": SuccessAnswer[AccountUserAnswer],
    "AccountUserList": SuccessAnswer[list[AccountUserAnswer]],
    "User": ManagementAnswer[UserAnswer],
    "UserId": ManagementAnswer[str],
    "UserList": UserListAnswer,
}
