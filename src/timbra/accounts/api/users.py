"""Users: the accounts that an administrator creates, lists, changes and deletes."""

from __future__ import annotations

from starlette.responses import Response

from timbra.accounts.administration.accounts import LARGEST_PAGE, checked_change, checked_holder
from timbra.accounts.api.serializers import CHILD, UserKeptAnswer, user_body, users_body
from timbra.accounts.article_69b import SERVER_DEFAULT
from timbra.accounts.services import AccountServices
from timbra.accounts.store.models import UserFilter
from timbra.accounts.users import AccountChange, NewUser
from timbra.core.errors import ServiceError
from timbra.core.text import is_email_address
from timbra.web.envelopes import ManagementAnswer
from timbra.web.framework.error_responses import envelope, status_of
from timbra.web.framework.operation import Operation, OperationAccess, Parameter, Payload
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.json_body import lower_keys
from timbra.web.parsing.json_fields import JsonFields

MAX_BODY_BYTES = 64 * 1024
USERS = "/management/v2/api/dealers/users"
USER = USERS + "/{id}"
DEFAULT_PER_PAGE = 50
FILTERS = ("IdUser", "Email", "TaxId", "IsActive")
PAGING = ("page", "perPage")
KEPT = frozenset({"user-has-stamps", "user-unlimited"})


async def create(request: RequestContext, services: AccountServices) -> Response:
    """Create a user; only this answer has its access token."""
    new = _new_user(JsonFields.read(await request.body(MAX_BODY_BYTES)))
    view = await request.pools.run_database(services.administration.create, request.caller, new)
    warning = await request.pools.run_database(services.accounts.policy.warning, new.user, new.password)
    if warning:
        request.add_warning(warning)
    return json_response(user_body(view))


async def list_users(request: RequestContext, services: AccountServices) -> Response:
    """Answer with a page of the users that match the filters."""
    given = {name: value for name in (*FILTERS, *PAGING) if (value := request.query(name.lower()))}
    query = JsonFields(lower_keys({**given}))
    page, per_page = _count(query, "page", 1), _count(query, "perPage", DEFAULT_PER_PAGE)
    filters = UserFilter(given.get("IdUser"), given.get("Email"), given.get("TaxId"), query.flag_or_none("IsActive"))
    views = await request.pools.run_database(services.administration.users, request.caller, filters, page, per_page)
    kept = {name: given[name] for name in FILTERS if name in given}
    return json_response(users_body(views, request.environment.public_url + USERS, kept))


async def get_user(request: RequestContext, services: AccountServices) -> Response:
    """Answer with one user."""
    view = await request.pools.run_database(services.administration.user, request.caller, request.parameters["id"])
    # The body has the members of the vendor's contract only.
    account = view.account
    request.response_headers["X-Timbra-Article-69B-Policy"] = account.article_69b or SERVER_DEFAULT
    request.response_headers["X-Timbra-Vendor-Leniency"] = account.vendor_leniency or SERVER_DEFAULT
    return json_response(user_body(view))


async def update(request: RequestContext, services: AccountServices) -> Response:
    """Change the members that are present and not null; `data` is the identifier."""
    members = JsonFields.read(await request.body(MAX_BODY_BYTES))
    change = checked_change(
        AccountChange(
            name=members.text("name"),
            tax_id=_tax_id(members),
            notification_email=_address(members, "notificationEmail"),
            phone=members.text("phone"),
            unlimited=_unlimited(members),
            active=members.flag_or_none("isActive"),
            article_69b=members.text("article69b") or None,
            vendor_leniency=members.text("vendorLeniency") or None,
        )
    )
    guid = request.parameters["id"]
    return json_response(
        ManagementAnswer(await request.pools.run_database(services.administration.update, request.caller, guid, change))
    )


async def delete(request: RequestContext, services: AccountServices) -> Response:
    """Delete a user without stamps; the rejection of a user that has some is `UserKeptAnswer`."""
    try:
        await request.pools.run_database(services.administration.delete, request.caller, request.parameters["id"])
    except ServiceError as error:
        if error.code not in KEPT:
            raise
        request.error_code = error.code
        return json_response(UserKeptAnswer(str(envelope(error)["message"])), status_of(error))
    return Response(status_code=204)


def _new_user(members: JsonFields) -> NewUser:
    if members.whole("profile") not in (None, CHILD):
        raise ServiceError("TB4005", f"Por la API solo se crean cuentas hijas: profile es {CHILD}.")
    stamps = members.whole("stamps") or 0
    if stamps < 0:
        raise ServiceError("TB4005", "El campo stamps no puede ser negativo.")
    holder = checked_holder(
        members.text("name"), _tax_id(members), _address(members, "notificationEmail"), members.text("phone")
    )
    email = _address(members, "email")
    if not email:
        raise ServiceError("TB4005", "Falta el campo email.")
    return NewUser(email, members.text("password"), holder, stamps, _unlimited(members))


def _tax_id(members: JsonFields) -> str:
    """The RFC, by its name of either generation."""
    return members.text("taxId") or members.text("rfc")


def _unlimited(members: JsonFields) -> bool | None:
    """Whether stamps need no balance, by its name of either generation."""
    newer = members.flag_or_none("isUnlimited")
    return members.flag_or_none("unlimited") if newer is None else newer


def _address(members: JsonFields, name: str) -> str:
    text = members.text(name).strip()
    if text and not is_email_address(text):
        raise ServiceError("TB4005", f"El campo {name} debe ser un correo.")
    return text


def _count(query: JsonFields, name: str, default: int) -> int:
    number = query.whole(name)
    if number is None:
        return default
    if number < 1:
        raise ServiceError("TB4005", f"El campo {name} se cuenta desde 1.")
    return number


OPERATIONS = (
    Operation(
        name="users-create",
        method="POST",
        paths=(USERS,),
        endpoint=create,
        summary="Create a user that belongs to the caller",
        description="`accessToken` of the answer is an infinite token that is not shown again.",
        tag="management",
        answer="User",
        access=OperationAccess.ADMINISTRATOR,
        payloads=(Payload("application/json", "UserOrder"),),
    ),
    Operation(
        name="users-list",
        method="GET",
        paths=(USERS,),
        endpoint=list_users,
        summary="List users, oldest first",
        tag="management",
        answer="UserList",
        access=OperationAccess.ADMINISTRATOR,
        parameters=(
            Parameter("IdUser", "query", "Only the one with this identifier."),
            Parameter("Email", "query", "Only the one with this e-mail address."),
            Parameter("TaxId", "query", "Only those with this RFC."),
            Parameter("IsActive", "query", "Only those that are active, or those that are not.", ("true", "false")),
            Parameter("page", "query", "From 1."),
            Parameter("perPage", "query", f"Users of a page, up to {LARGEST_PAGE}; {DEFAULT_PER_PAGE} when absent."),
        ),
    ),
    Operation(
        name="users-one",
        method="GET",
        paths=(USER,),
        endpoint=get_user,
        summary="Get a user",
        tag="management",
        answer="User",
        access=OperationAccess.ADMINISTRATOR,
    ),
    Operation(
        name="users-update",
        method="PUT",
        paths=(USER,),
        endpoint=update,
        summary="Change a user; null or absent members keep their value",
        tag="management",
        answer="UserId",
        access=OperationAccess.ADMINISTRATOR,
        payloads=(Payload("application/json", "UserChange"),),
    ),
    Operation(
        name="users-delete",
        failures={"500": "The user has stamps or no limit, and is kept."},
        error_answers={"500": ("UserKept",)},
        method="DELETE",
        paths=(USER,),
        endpoint=delete,
        summary="Delete a user whose balance is empty; its stored stamps and history are kept",
        tag="management",
        answer="nothing",
        access=OperationAccess.ADMINISTRATOR,
    ),
)
