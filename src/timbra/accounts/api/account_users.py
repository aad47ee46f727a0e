"""Users of the caller's account: several people share it, each with a password and a role."""

from __future__ import annotations

from starlette.responses import Response

from timbra.accounts.account_users import AccountUserChange
from timbra.accounts.api.serializers import account_user_answer
from timbra.accounts.services import AccountServices
from timbra.core.roles import ROLE_SCOPES
from timbra.web.envelopes import success
from timbra.web.framework.operation import Operation, OperationAccess, Payload
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.framework.scopes import USERS_TAG
from timbra.web.parsing.json_fields import JsonFields

MAX_BODY_BYTES = 64 * 1024
USERS = "/account/users"
USER = USERS + "/{id}"
ROLES = ", ".join(ROLE_SCOPES)


async def list_users(request: RequestContext, services: AccountServices) -> Response:
    """Answer with the users of the account, oldest first."""
    users = await request.run_for_account(services.accounts.users.list_users)
    return json_response(success([account_user_answer(user) for user in users]))


async def create(request: RequestContext, services: AccountServices) -> Response:
    """Create a user."""
    members = JsonFields.read(await request.body(MAX_BODY_BYTES))
    user, password, role = (members.text(name) for name in ("user", "password", "role"))
    created = await request.run_for_account(services.accounts.users.create, user, password, role)
    warning = await request.pools.run_database(services.accounts.policy.warning, user, password)
    if warning:
        request.add_warning(warning)
    return json_response(success(account_user_answer(created)))


async def update(request: RequestContext, services: AccountServices) -> Response:
    """Change the members that are present and not null: role, state, password."""
    members = JsonFields.read(await request.body(MAX_BODY_BYTES))
    users, guid = services.accounts.users, request.parameters["id"]
    password, role = members.text("password"), members.text("role")
    if password:
        await request.run_for_account(users.set_password, guid, password)
    change = AccountUserChange(role or None, members.flag_or_none("isActive"))
    changed = await request.run_for_account(users.update, guid, change)
    return json_response(success(account_user_answer(changed)))


async def remove(request: RequestContext, services: AccountServices) -> Response:
    """Remove a user: its sessions and tokens end."""
    await request.run_for_account(services.accounts.users.remove, request.parameters["id"])
    return Response(status_code=204)


OPERATIONS = (
    Operation(
        name="account-users-list",
        method="GET",
        paths=(USERS,),
        endpoint=list_users,
        summary="List the users of the account",
        tag=USERS_TAG,
        answer="AccountUserList",
        access=OperationAccess.ACCOUNT,
    ),
    Operation(
        name="account-users-create",
        method="POST",
        paths=(USERS,),
        endpoint=create,
        summary="Create a user of the account",
        description=f"Roles: {ROLES}. The user logs in like an account; its tokens have the scopes of its role.",
        tag=USERS_TAG,
        answer="AccountUser",
        access=OperationAccess.ACCOUNT,
        payloads=(Payload("application/json", "AccountUserOrder"),),
    ),
    Operation(
        name="account-users-update",
        method="PUT",
        paths=(USER,),
        endpoint=update,
        summary="Change role, state or password of a user; absent members keep their value",
        tag=USERS_TAG,
        answer="AccountUser",
        access=OperationAccess.ACCOUNT,
        payloads=(Payload("application/json", "AccountUserChange"),),
    ),
    Operation(
        name="account-users-remove",
        method="DELETE",
        paths=(USER,),
        endpoint=remove,
        summary="Remove a user; its sessions and tokens end",
        tag=USERS_TAG,
        answer="nothing",
        access=OperationAccess.ACCOUNT,
    ),
)
