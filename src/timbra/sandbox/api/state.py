"""Reset, save and restore of the whole sandbox, for an administrator; and the reset of one account, for itself."""

from __future__ import annotations

import tempfile
from io import BytesIO
from typing import IO

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from timbra.core.errors import ServiceError
from timbra.pools import AccountPools
from timbra.sandbox.api.controls import control, members_of
from timbra.sandbox.serializers import account_reset_answer, reset_answer, restored_answer
from timbra.sandbox.services import SandboxServices
from timbra.sandbox.state_file import MAX_FILE_BYTES, MEBIBYTE, MEDIA_TYPE, damaged, too_large
from timbra.web.envelopes import success
from timbra.web.framework.operation import OperationAccess, Payload
from timbra.web.framework.request_context import RequestContext, json_response

CHUNK_BYTES = 256 * 1024
FILE_NAME = "timbra-sandbox.state"


class StateFileResponse(Response):
    """A response with the content of a file, read in chunks; it closes the file."""

    def __init__(self, pools: AccountPools, file: IO[bytes], size: int) -> None:
        """Build the headers.

        Args:
            pools: Run the reads of the file.
            file: The file, at its begin.
            size: Its size in bytes.
        """
        headers = {
            "Content-Length": str(size),
            "Content-Disposition": f'attachment; filename="{FILE_NAME}"',
            "Cache-Control": "private, no-store",
        }
        super().__init__(headers=headers, media_type=MEDIA_TYPE)
        self._pools = pools
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        with self._file:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            while chunk := await self._pools.run_database(self._file.read, CHUNK_BYTES):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def reset(request: RequestContext, services: SandboxServices) -> Response:
    """Remove what testing produced, and on demand the other accounts."""
    members = await members_of(request)
    summary = await request.pools.run_database(
        services.state.reset,
        accounts=members.flag("accounts", default=False),
        caller=request.caller.account_id,
    )
    return json_response(success(reset_answer(summary)))


async def reset_account(request: RequestContext, services: SandboxServices) -> Response:
    """Remove what the tests of the caller's account produced."""
    members, caller = await members_of(request), request.caller
    confirmation = members.text("confirm")
    summary = await request.pools.run_database(
        services.account_reset.reset, caller.account_id, caller.user, confirmation
    )
    return json_response(success(account_reset_answer(summary)))


async def save(request: RequestContext, services: SandboxServices) -> Response:
    """Answer with the state as a file, which is complete on disk before the answer begins."""
    # The response closes the file.
    file = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        await request.pools.run_database(services.state.save, file)
        size = file.seek(0, 2)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return StateFileResponse(request.pools, file, size)


async def load(request: RequestContext, services: SandboxServices) -> Response:
    """Replace the state by that of a file, all or nothing."""
    file = BytesIO(await request.body(MAX_FILE_BYTES))
    summary = await request.pools.run_database(services.state.load, file)
    return json_response(success(restored_answer(summary)))


BAD_RESETS = (
    ServiceError("TB4004", "El cuerpo no es un objeto JSON."),
    ServiceError("TB4005", "El campo accounts debe ser true o false."),
)
BAD_ACCOUNT_RESETS = (
    ServiceError("TB4004", "El cuerpo no es un objeto JSON."),
    ServiceError("TB4005", "Para confirmar, escriba el nombre del usuario: ana@example.com."),
)
BAD_STATES = (
    damaged("está cortado o alterado"),
    too_large(),
    ServiceError("state-environment", "Es del ambiente production."),
    ServiceError("state-master-key", "Sus secretos no se podrían descifrar."),
    ServiceError("state-schema", "El estado es de la 0009 (Timbra 0.1.0); la base de datos, de la 0010."),
)
STATE_PAYLOAD = Payload(MEDIA_TYPE, "SandboxState")

OPERATIONS = (
    control(
        "reset",
        "POST",
        "/reset",
        reset,
        "Reset the sandbox",
        "SandboxReset",
        body="SandboxResetOrder",
        rejections=BAD_RESETS,
        description="Removes what testing produced; accounts, tokens, certificates and the keys of the authority stay. "
        "`accounts` removes all other accounts too, never the caller's.",
    ),
    control(
        "account-reset",
        "POST",
        "/account/reset",
        reset_account,
        "Reset the account of the token",
        "SandboxAccountReset",
        body="SandboxAccountResetOrder",
        rejections=BAD_ACCOUNT_RESETS,
        access=OperationAccess.ACCOUNT,
        description="Removes stamps, their documents at the simulated authority, rejections, usage and recorded calls "
        "of the account, and restores its balance; users, tokens, certificates and other accounts stay. `confirm` is "
        "the name of the user of the token.",
    ),
    control(
        "state",
        "GET",
        "/state",
        save,
        "Save the state of the sandbox",
        "file",
        media_types=(MEDIA_TYPE,),
        description=f"A file of the type `{MEDIA_TYPE}`. Its secrets are encrypted under the master key.",
    ),
    control(
        "state-restore",
        "POST",
        "/state",
        load,
        "Restore a saved state of the sandbox",
        "SandboxRestored",
        payload=STATE_PAYLOAD,
        rejections=BAD_STATES,
        description="All or nothing. Rejects damaged files and files of production, of another schema and of another "
        f"master key. A file has at most {MAX_FILE_BYTES // MEBIBYTE} MiB.",
    ),
)
