"""Stamping: every generation of the stamp and issue routes, with XML or JSON, answered in the versions v1..v4."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping

from starlette.responses import Response

from timbra.api.content import xml_bytes
from timbra.api.exchange import Exchange, json_answer
from timbra.api.faults import lose_answer
from timbra.api.headers import custom_id, emails
from timbra.api.json_body import json_object, lower_keys
from timbra.api.multipart import xml_part
from timbra.api.operations import Operation, Parameter, Payload
from timbra.api.refused import noted
from timbra.api.wire import conflict_data, stamped_data, success
from timbra.errors import ServiceError
from timbra.service.orders import CustomIdConflict, Stamped, StampOrder

JSON_CFDI = "application/jsontoxml"


async def stamp_document(exchange: Exchange) -> Response:
    """A CFDI as the `xml` part of a multipart body."""
    content = xml_part(await exchange.body(), exchange.content_type)
    return await _stamp(exchange, xml_bytes(content, base64=_base64(exchange)))


async def stamp_json(exchange: Exchange) -> Response:
    """A CFDI as JSON, or XML inside JSON: the Content-Type decides, then the shape of the object."""
    body = await exchange.body()
    if not exchange.content_type.lower().startswith(JSON_CFDI):
        members = json_object(body)
        if _is_wrapped(members):
            return await _stamp(exchange, _unwrapped(exchange, members))
    return await _stamp(exchange, exchange.house.json_invoices.to_xml(body))


async def refuse_retenciones(_: Exchange) -> Response:
    """Retenciones have their own documents and rules, which are not served."""
    raise ServiceError("TB4006", "El timbrado de retenciones e información de pagos no está disponible.")


async def stamp_zip(exchange: Exchange) -> Response:
    """A CFDI of 10,000 to 120,000 concepts inside a ZIP."""
    archive = xml_part(await exchange.body(), exchange.content_type)
    headers = exchange.headers
    emails(headers)
    work = exchange.house.large.stamp(exchange.caller, archive, exchange.request_id, custom_id(headers))
    return await _answer(exchange, work)


async def _stamp(exchange: Exchange, xml: bytes) -> Response:
    house = exchange.house
    exchange.document = xml
    order = _order(exchange, xml)
    issuing = exchange.parameters.get("operation") != "stamp"
    return await _answer(exchange, house.stamping.issue(order) if issuing else house.stamping.stamp(order))


async def _answer(exchange: Exchange, work: Awaitable[Stamped]) -> Response:
    """The stamp, or the refusal, in the shape that was asked for."""
    try:
        stamped = await work
    except ServiceError as error:
        raise ServiceError(
            error.code, error.detail, data=_shaped(exchange, error.data), retry_after=error.retry_after
        ) from error
    lose_answer(exchange.house)
    return json_answer(success(_shaped(exchange, stamped)))


def _order(exchange: Exchange, xml: bytes) -> StampOrder:
    """The order. The `/v4` generation brought customid and email; whoever sends them elsewhere means the same."""
    headers = exchange.headers
    addresses = emails(headers)
    mail_to = tuple(dict.fromkeys(addresses)) if exchange.house.settings.smtp_host else ()
    return StampOrder(exchange.caller, xml, exchange.request_id, custom_id(headers), mail_to)


def _shaped(exchange: Exchange, told: object) -> dict[str, object] | None:
    """A stamp, or the stamp behind a conflict, in the version and encoding that the path asks for."""
    version, base64 = exchange.parameters.get("version", "v1"), _base64(exchange)
    if isinstance(told, Stamped):
        return stamped_data(told, version, base64=base64, qr=exchange.house.qr.png)
    if isinstance(told, CustomIdConflict):
        return conflict_data(told, version, base64=base64)
    return None


def _base64(exchange: Exchange) -> bool:
    return "format" in exchange.parameters


def _is_wrapped(members: Mapping[str, object]) -> bool:
    return {name.lower() for name in members} == {"data"}


def _unwrapped(exchange: Exchange, members: dict[str, object]) -> bytes:
    """The XML of `{"data": ...}`, as text or base64 by the same rules as an uploaded file."""
    data = lower_keys(members)["data"]
    if not isinstance(data, str):
        raise ServiceError("xml-missing")
    return xml_bytes(data.encode("utf-8", "surrogatepass"), base64=_base64(exchange))


VERSIONS = ("v1", "v2", "v3", "v4")
CHOICES = {"operation": ("stamp", "issue"), "version": VERSIONS, "format": ("b64",), "generation": ("v4",)}
HEADERS = (
    Parameter("customid", "header", "Opaque id of the commercial operation, at most 300 characters; guards 72 hours."),
    Parameter("email", "header", "Up to ten addresses, comma separated, that get XML and PDF if a mail server is set."),
    Parameter("extra", "header", "`pdf`; accepted: every stamp has its PDF, made when it is asked for."),
    Parameter("pdf", "header", "`true` or empty; as `extra: pdf`."),
)
ZIP_HEADERS = (
    HEADERS[0],
    Parameter("email", "header", "Up to ten addresses, comma separated; checked, documents this large are not mailed."),
)
DOCUMENT = (Payload("multipart/form-data", "XmlUpload"),)
JSON_DOCUMENT = (Payload(JSON_CFDI, "JsonCfdi"), Payload("application/json", "XmlInJson"))


def _with_format(*paths: str) -> tuple[str, ...]:
    return tuple(path + suffix for path in paths for suffix in ("", "/{format}"))


OPERATIONS = (
    Operation(
        name="stamp-document",
        method="POST",
        paths=_with_format(
            "/cfdi33/{operation}/{version}",
            "/cfdi33/v2/{operation}/{version}",
            "/v3/cfdi33/{operation}/{version}",
        ),
        endpoint=noted(stamp_document),
        summary="Stamp a CFDI",
        description="`stamp`: the client has sealed it. `issue`: the server seals it with the account's CSD.",
        tag="stamping",
        answer="Stamp",
        choices=CHOICES,
        parameters=HEADERS,
        payloads=DOCUMENT,
    ),
    Operation(
        name="stamp-document-v4",
        method="POST",
        paths=(
            *_with_format("/{generation}/cfdi33/{operation}/{version}"),
            "/{generation}/cfdi33/{operation}/{version}/analytics",
            "/{generation}/cfdi33/{operation}/{version}/{format}/analytics",
        ),
        endpoint=noted(stamp_document),
        summary="Stamp a CFDI, fourth generation",
        tag="stamping",
        answer="Stamp",
        choices=CHOICES,
        parameters=HEADERS,
        payloads=DOCUMENT,
    ),
    Operation(
        name="issue-json",
        method="POST",
        paths=_with_format("/cfdi33/issue/json/{version}", "/v3/cfdi33/issue/json/{version}"),
        endpoint=noted(stamp_json),
        summary="Seal and stamp a CFDI given as JSON, or as XML inside JSON",
        tag="stamping",
        answer="Stamp",
        choices=CHOICES,
        parameters=HEADERS,
        payloads=JSON_DOCUMENT,
    ),
    Operation(
        name="issue-json-v4",
        method="POST",
        paths=_with_format("/{generation}/cfdi33/issue/json/{version}"),
        endpoint=noted(stamp_json),
        summary="Seal and stamp a CFDI given as JSON, fourth generation",
        tag="stamping",
        answer="Stamp",
        choices=CHOICES,
        parameters=HEADERS,
        payloads=JSON_DOCUMENT,
    ),
    Operation(
        name="stamp-zip",
        method="POST",
        paths=("/cfdi/stamp/v1/zip", "/cfdi/stamp/v1/zip/{version}"),
        endpoint=noted(stamp_zip),
        summary="Stamp a sealed CFDI of 10,000 to 120,000 concepts, sent inside a ZIP",
        tag="stamping",
        answer="Stamp",
        choices=CHOICES,
        parameters=ZIP_HEADERS,
        payloads=(Payload("multipart/form-data", "ZipUpload"),),
    ),
    Operation(
        name="refuse-retenciones",
        method="POST",
        paths=_with_format(
            "/retencion/{operation}/{version}",
            "/v3/retencion/{operation}/{version}",
            "/{generation}/retencion/{operation}/{version}",
        ),
        endpoint=noted(refuse_retenciones),
        summary="Retenciones: always refused",
        tag="stamping",
        answer="Error",
        choices=CHOICES,
        payloads=DOCUMENT,
    ),
)
