"""A stored CFDI by mail, at once."""

from __future__ import annotations

from starlette.responses import Response

from timbra.api.exchange import Exchange, json_answer
from timbra.api.headers import is_address
from timbra.api.members import Members
from timbra.api.operations import Operation, Payload
from timbra.api.wire import success
from timbra.errors import ServiceError

MAX_BODY_BYTES = 16 * 1024
MOST_RECIPIENTS = 5


async def resend(exchange: Exchange) -> Response:
    """Sends the XML and the PDF to one to five addresses."""
    members = Members.read(await exchange.body(MAX_BODY_BYTES))
    recipients = _recipients(members.text("to"))
    await exchange.house.mailing.resent(exchange.caller, members.text("uuid").strip(), recipients)
    return json_answer({"message": "OK", "messageDetail": "OK"} | success("email sent ok"))


def _recipients(written: str) -> list[str]:
    """The distinct addresses of a comma list. ServiceError TB4005 for none, too many, or what is none."""
    addresses = list(dict.fromkeys(filter(None, (one.strip() for one in written.split(",")))))
    if not addresses:
        raise ServiceError("TB4005", "El campo to no tiene correos.")
    if len(addresses) > MOST_RECIPIENTS:
        raise ServiceError("TB4005", f"El campo to tiene más de {MOST_RECIPIENTS} correos.")
    wrong = [one for one in addresses if not is_address(one)]
    if wrong:
        raise ServiceError("TB4005", "El campo to tiene un correo que no es válido.")
    return addresses


OPERATIONS = (
    Operation(
        name="mail-resend",
        method="POST",
        paths=("/comprobante/resendemail",),
        endpoint=resend,
        summary="Mail a stored CFDI",
        description="`to`: up to five addresses, comma separated. Answers when the mail server has taken the messages.",
        tag="mail",
        answer="Resent",
        payloads=(Payload("application/json", "ResendOrder"),),
    ),
)
