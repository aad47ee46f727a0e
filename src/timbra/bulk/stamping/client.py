"""A client of stamping servers: it spreads requests over nodes and repeats those that get no answer."""

from __future__ import annotations

import binascii
import re
import time
from base64 import b64decode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx2

from timbra.cfdi.document import without_leading_space
from timbra.cfdi.header_reader import has_root_of_retenciones
from timbra.core.errors import ServiceError
from timbra.core.retry import Backoff
from timbra.stamping.models import content_custom_id

ATTEMPTS = 10
BACKOFF = Backoff(0.2, limit=20.0)
STAMPED, REPEATED, REJECTED = "stamped", "repeated", "rejected"
ALREADY_STAMPED = frozenset({"307", "T307"})
"""Codes of a document with an earlier stamp, which the answer has."""
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
UNAUTHORIZED = frozenset({401, 403})
NO_BALANCE = "AU2001"
_CODE = re.compile(r"[A-Za-z0-9-]*[A-Za-z0-9]")
_UUID = re.compile(r'TimbreFiscalDigital\s[^>]*?\bUUID="([0-9A-Fa-f-]{36})"')


@dataclass(frozen=True, slots=True)
class StampOutcome:
    """What a server answered.

    Attributes:
        result: `stamped`, `repeated` or `rejected`.
        cfdi: the stamped document; empty for a rejected one.
    """

    result: str
    custom_id: str
    uuid: str | None = None
    cfdi: str = ""
    code: str | None = None
    message: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class PrintOutcome:
    """A printed document; code, message and detail of the rejection when it is empty."""

    pdf: bytes = b""
    code: str | None = None
    message: str | None = None
    detail: str | None = None


class StampClient:
    """Stamps documents by HTTP; safe for several threads.

    A document is sent with a customid from its content, and a server answers a repetition with the earlier stamp. So a
    request without an answer can be repeated, also to another node.

    Args:
        http: a client of httpx2 with the token in its headers.
        addresses: base addresses of the nodes.
        sealed: whether documents are sealed already.
        sleep: waits for seconds.
        backoff: pauses before repetitions.
    """

    def __init__(
        self,
        http: httpx2.Client,
        addresses: Sequence[str],
        *,
        sealed: bool,
        sleep: Callable[[float], None] = time.sleep,
        backoff: Backoff = BACKOFF,
    ) -> None:
        self._http = http
        self._addresses = [address.rstrip("/") for address in addresses]
        self._operation = "stamp" if sealed else "issue"
        self._sleep = sleep
        self._backoff = backoff
        self._turn = count()

    def stamp(self, document: bytes) -> StampOutcome:
        """Stamp a document, XML or JSON.

        Raises:
            ServiceError: `bulk-engine` when no node answers, or when the token or the balance is not sufficient.
        """
        custom_id = content_custom_id(document)
        path, body = self._request(document, custom_id)
        return _stamp_outcome(self._post(path, body), custom_id)

    def print_pdf(self, cfdi: str) -> PrintOutcome:
        """Print a stamped document. Raises ServiceError: as `stamp`."""
        response = self._post("/pdf/v1/api/GeneratePdf", {"json": {"xmlContent": cfdi}})
        body, data = _members(response)
        if body.get("status") != "success":
            return PrintOutcome(b"", *_rejection(response, body))
        try:
            return PrintOutcome(b64decode(data["contentB64"], validate=True))
        except (KeyError, TypeError, binascii.Error) as error:
            raise _not_a_server(response) from error

    def _post(self, path: str, body: dict[str, Any]) -> httpx2.Response:
        """Send a request to the nodes in turn until one answers."""
        reason = ""
        for attempt in range(1, ATTEMPTS + 1):
            address = self._addresses[next(self._turn) % len(self._addresses)]
            try:
                response = self._http.post(f"{address}{path}", **body)
            except httpx2.TransportError as error:
                reason = f"{address}: {type(error).__name__}"
            else:
                if response.status_code not in RETRIED:
                    return response
                reason = f"{address}: HTTP {response.status_code}"
            if attempt < ATTEMPTS:
                self._sleep(self._backoff.pause(attempt))
        raise ServiceError("bulk-engine", f"{reason}. Repita el comando: nada se timbra dos veces.")

    def _request(self, document: bytes, custom_id: str) -> tuple[str, dict[str, Any]]:
        headers = {"customid": custom_id}
        if without_leading_space(document)[:1] == b"{":
            headers["Content-Type"] = "application/jsontoxml"
            return "/v4/cfdi33/issue/json/v3", {"content": document, "headers": headers}
        files = {"xml": ("document.xml", document)}
        kind = "/retencion" if has_root_of_retenciones(document) else "/cfdi33"
        return f"{kind}/{self._operation}/v3", {"files": files, "headers": headers}


def _stamp_outcome(response: httpx2.Response, custom_id: str) -> StampOutcome:
    body, data = _members(response)
    cfdi = str(data.get("cfdi") or "")
    found = _UUID.search(cfdi)
    uuid = found[1].lower() if found else None
    if body.get("status") == "success":
        return StampOutcome(STAMPED, custom_id, uuid, cfdi)
    code, message, detail = _rejection(response, body)
    if code in ALREADY_STAMPED and uuid is not None:
        return StampOutcome(REPEATED, custom_id, uuid, cfdi)
    return StampOutcome(REJECTED, custom_id, code=code, message=message, detail=detail)


def _members(response: httpx2.Response) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the envelope of an answer and its member `data`, empty without one."""
    try:
        body = response.json()
        data = body.get("data") or {}
    except (ValueError, AttributeError) as error:
        raise _not_a_server(response) from error
    return body, data if isinstance(data, dict) else {}


def _rejection(response: httpx2.Response, body: dict[str, Any]) -> tuple[str | None, str, str | None]:
    """Return code, message and detail of a rejection.

    Raises:
        ServiceError: for a rejection of the token or the balance, which every document would get.
    """
    message, detail = str(body.get("message") or ""), body.get("messageDetail")
    code = match[0] if (match := _CODE.match(message)) else None
    if response.status_code in UNAUTHORIZED or code == NO_BALANCE:
        raise ServiceError("bulk-engine", f"{message} {detail or ''}".strip())
    return code, message, None if detail is None else str(detail)


def _not_a_server(response: httpx2.Response) -> ServiceError:
    return ServiceError("bulk-engine", f"{response.url}: la respuesta no es de un servidor de timbrado")
