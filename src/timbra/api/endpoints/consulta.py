"""The sandbox's ConsultaCFDIService, for clients that ask the SAT directly: they are given this address instead."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from timbra.api.address import base_address
from timbra.api.endpoints.sandbox import in_sandbox
from timbra.api.exchange import Exchange
from timbra.api.operations import Access, Operation, Payload
from timbra.authority.sandbox.consulta import LARGEST_QUESTION, answer_to, description

PATH = "/ConsultaCFDIService.svc"
XML = "text/xml; charset=utf-8"
FAULT_STATUS = 500


async def consulta(exchange: Exchange) -> Response:
    """SOAP 1.1, the operation `Consulta`."""
    question = await exchange.body(LARGEST_QUESTION)
    answer = await asyncio.to_thread(answer_to, question, exchange.house.ledger.status)
    return Response(answer.xml, FAULT_STATUS if answer.is_fault else 200, headers={"content-type": XML})


async def wsdl(exchange: Exchange) -> Response:
    """What programs generate their client from, with or without `?wsdl`."""
    return Response(description(base_address(exchange) + PATH), headers={"content-type": XML})


OPERATIONS = (
    Operation(
        name="consulta-cfdi",
        method="POST",
        paths=(PATH,),
        endpoint=in_sandbox(consulta),
        summary="The status of a CFDI as the SAT's ConsultaCFDIService tells it; sandbox only",
        tag="sandbox",
        answer="file",
        access=Access.PUBLIC,
        payloads=(Payload("text/xml", "SoapEnvelope"),),
    ),
    Operation(
        name="consulta-cfdi-wsdl",
        method="GET",
        paths=(PATH,),
        endpoint=in_sandbox(wsdl),
        summary="The WSDL of that service",
        tag="sandbox",
        answer="file",
        access=Access.PUBLIC,
    ),
)
