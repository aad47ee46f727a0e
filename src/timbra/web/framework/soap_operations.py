"""Declaration of a SOAP 1.1 service: the operation of its messages, and that of its WSDL, under one path."""

from __future__ import annotations

from timbra.web.framework.operation import Endpoint, Operation, OperationAccess, Payload

MEDIA_TYPE = "text/xml"


def soap_operations(
    name: str, path: str, endpoint: Endpoint, wsdl: Endpoint, *, summary: str, tag: str, description: str = ""
) -> tuple[Operation, Operation]:
    """Return the two operations of a service whose messages carry their credentials, if any.

    Args:
        name: Name of the operation of the messages; that of the WSDL has the suffix `-wsdl`.
        endpoint: Handles a message; a fault has the status 500.
        summary: Title of the first operation in the OpenAPI document.
        tag: Group in the OpenAPI document.
        description: Further text of the first operation.
    """
    messages = Operation(
        name=name,
        method="POST",
        paths=(path,),
        endpoint=endpoint,
        summary=summary,
        description=description,
        tag=tag,
        answer="file",
        media_types=(MEDIA_TYPE,),
        access=OperationAccess.PUBLIC,
        payloads=(Payload(MEDIA_TYPE, "SoapEnvelope"),),
        failures={"500": "A SOAP fault."},
        error_answers={"500": ("SoapFault",)},
    )
    definition = Operation(
        name=f"{name}-wsdl",
        method="GET",
        paths=(path,),
        endpoint=wsdl,
        summary="The WSDL of that service",
        tag=tag,
        answer="file",
        media_types=(MEDIA_TYPE,),
        access=OperationAccess.PUBLIC,
    )
    return messages, definition
