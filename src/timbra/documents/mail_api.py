"""Sending a stored CFDI by mail while the client waits."""

from __future__ import annotations

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.core.text import is_email_address
from timbra.documents.build import DocumentServices
from timbra.web.envelopes import MessageAnswer
from timbra.web.framework.operation import Operation, Payload
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.json_fields import JsonFields

MAX_BODY_BYTES = 16 * 1024
MOST_RECIPIENTS = 5


async def resend(request: RequestContext, services: DocumentServices) -> Response:
    """Send the XML and the PDF to one to five addresses."""
    members = JsonFields.read(await request.body(MAX_BODY_BYTES))
    recipients = _recipients(members.text("to"))
    await services.mailer.resend_in_pool(request.caller, members.text("uuid").strip(), recipients)
    return json_response(MessageAnswer("OK", "OK", "email sent ok"))


def _recipients(written: str) -> list[str]:
    """The distinct addresses of a comma list. ServiceError TB4005 for none, too many, or a malformed one."""
    addresses = list(dict.fromkeys(filter(None, (one.strip() for one in written.split(",")))))
    if not addresses:
        raise ServiceError("TB4005", "El campo to no tiene correos.")
    if len(addresses) > MOST_RECIPIENTS:
        raise ServiceError("TB4005", f"El campo to tiene más de {MOST_RECIPIENTS} correos.")
    wrong = [one for one in addresses if not is_email_address(one)]
    if wrong:
        raise ServiceError("TB4005", "El campo to tiene un correo que no es válido.")
    return addresses


OPERATIONS = (
    Operation(
        name="mail-resend",
        method="POST",
        paths=("/comprobante/resendemail",),
        endpoint=resend,
        summary="Mail a stored CFDI or retención",
        description="`to`: up to five addresses, comma separated. The answer follows when the mail server has accepted "
        "the messages.",
        tag="mail",
        answer="Resent",
        payloads=(Payload("application/json", "ResendOrder"),),
    ),
)
