"""The sandbox's ConsultaCFDIService, for clients that query the SAT's service directly."""

from __future__ import annotations

from starlette.responses import Response

from timbra.core.soap import CONTENT_TYPE, FAULT_STATUS
from timbra.sandbox.services import SandboxServices
from timbra.sandbox.status_service import LARGEST_QUESTION, answer_to, description
from timbra.web.framework.base_url import base_url
from timbra.web.framework.request_context import RequestContext
from timbra.web.framework.soap_operations import soap_operations

PATH = "/ConsultaCFDIService.svc"


async def consulta(request: RequestContext, services: SandboxServices) -> Response:
    """Answer the operation `Consulta` of SOAP 1.1."""
    question = await request.body(LARGEST_QUESTION)
    answer = await request.pools.run_database(answer_to, question, services.ledger.status)
    return Response(answer.xml, FAULT_STATUS if answer.is_fault else 200, headers={"content-type": CONTENT_TYPE})


async def wsdl(request: RequestContext, _: SandboxServices) -> Response:
    """Answer with the WSDL, with or without `?wsdl`."""
    return Response(description(base_url(request) + PATH), headers={"content-type": CONTENT_TYPE})


OPERATIONS = soap_operations(
    "consulta-cfdi",
    PATH,
    consulta,
    wsdl,
    summary="Get the status of a CFDI in the form of the SAT's ConsultaCFDIService; sandbox only",
    tag="sandbox",
)
