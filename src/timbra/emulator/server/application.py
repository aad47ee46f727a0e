"""The routes of the services."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import File, FormParser, parse_options_header
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from timbra.emulator.bulk.contract import HOSTS, PATHS
from timbra.emulator.bulk.description import description
from timbra.emulator.emulator import EmulatedSoapService, Emulator
from timbra.emulator.faults import BULK_DOWNLOAD_SERVICES, SOAP_SERVICES, EmulatedService
from timbra.emulator.list_files import with_broken_signature
from timbra.emulator.query_string import query_values
from timbra.emulator.server.gateway import (
    Gateway,
    Handler,
    HttpCall,
    StreamedResponse,
    storage_error,
    xml_response,
)
from timbra.emulator.services.blobs import MAX_BLOB_BYTES
from timbra.emulator.services.retenciones_page import verification_page
from timbra.emulator.soap import MAX_REQUEST_BYTES, SoapStream
from timbra.sat.certificate_repository import place

NO_BODY = 64 * 1024
XML_HEADERS = {"Content-Type": "application/xml; charset=utf-8"}
XML_TYPES = frozenset({"text/xml"})
_NUMBER = re.compile(r"[0-9]{20}\Z", re.ASCII)
Endpoint = Callable[[Request], Awaitable[Response]]


FIELD = b"file"


@dataclass(frozen=True, slots=True)
class FormFile:
    """A part of a form."""

    name: str
    content: bytes = field(repr=False)


def single_file(body: bytes, boundary: bytes) -> FormFile | None:
    """Return the part `file` of a form that has no other part; None for any other body."""
    files: list[FormFile] = []
    fields: list[object] = []

    def on_file(file: File) -> None:
        file.file_object.seek(0)
        name = (file.file_name or b"").decode("utf-8", "replace")
        if file.field_name == FIELD:
            files.append(FormFile(name, file.file_object.read()))
        else:
            fields.append(file)

    try:
        parser = FormParser(
            "multipart/form-data",
            fields.append,
            on_file,
            boundary=boundary,
            config={"MAX_MEMORY_FILE_SIZE": len(body) + 1},
        )
        parser.write(body)
        parser.finalize()
    except FormParserError:
        return None
    return files[0] if len(files) == 1 and not fields else None


class EmulatorApplication:
    """The services at their paths. The paths of SOAP services are served in any letter case, as IIS serves them."""

    def __init__(self, emulator: Emulator, pause: Callable[[float], None]) -> None:
        """Build the routes. `pause`: Stops listening for seconds."""
        self._emulator = emulator
        self._gateway = Gateway(emulator.configuration, pause)
        self._paths = {path.lower(): path for path in emulator.soap}
        self._app: ASGIApp = Starlette(routes=[*self._soap_routes(), *self._rest_routes()])
        self._compressed: ASGIApp = GZipMiddleware(self._app, compresslevel=1)

    def _soap_routes(self) -> Iterator[Route]:
        for path, found in self._emulator.soap.items():
            yield Route(path, self._endpoint(found.service, _soap(found)), methods=["POST"])
            if found.service in BULK_DOWNLOAD_SERVICES:
                yield Route(path, _describe, methods=["GET"])

    def _rest_routes(self) -> Iterator[Route]:
        kinds = EmulatedService
        upload = self._endpoint(kinds.UPLOAD, self._upload, MAX_BLOB_BYTES)
        reject = self._endpoint(kinds.UPLOAD, self._reject)
        retencion = self._endpoint(kinds.RETENCIONES_RECEPTION, self._retencion, MAX_BLOB_BYTES)
        yield Route("/blob/{container}/{name}", upload, methods=["PUT"])
        yield Route("/blob/{container}/{name}", reject, methods=["GET", "DELETE"])
        yield Route("/blob/{container}", reject, methods=["GET", "DELETE"])
        yield Route("/rccf/{path:path}", self._endpoint(kinds.CERTIFICATES, self._certificate))
        yield Route("/lco", self._endpoint(kinds.LISTS, self._listing))
        yield Route("/lco/{name}", self._endpoint(kinds.LISTS, self._list_file))
        yield Route("/retenciones/api/Recibe", retencion, methods=["POST"])
        cancel_one = self._endpoint(kinds.RETENCIONES_CANCELLATION, self._cancel_retencion, MAX_REQUEST_BYTES)
        cancel_many = self._endpoint(kinds.RETENCIONES_CANCELLATION, self._cancel_retenciones, MAX_REQUEST_BYTES)
        acuse = self._endpoint(kinds.RETENCIONES_CANCELLATION, self._retenciones_acuse)
        yield Route("/retenciones/api/cancelauno", cancel_one, methods=["POST"])
        yield Route("/retenciones/api/cancela", cancel_many, methods=["POST"])
        yield Route("/retenciones/api/consultaacuse/{folio}", acuse)
        yield Route("/retenciones/Home/ConsultaRetencion", self._endpoint(kinds.RETENCIONES_PAGE, self._verification))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        path = self._paths.get(_prefix(scope) + scope.get("path", "").lower())
        if path is not None:
            scope["path"] = path
        is_compressed = path is not None and self._emulator.soap[path].service in BULK_DOWNLOAD_SERVICES
        await (self._compressed if is_compressed else self._app)(scope, receive, send)

    def _endpoint(self, service: EmulatedService, handler: Handler, max_bytes: int = NO_BODY) -> Endpoint:
        limit = MAX_REQUEST_BYTES if service in SOAP_SERVICES else max_bytes

        async def endpoint(request: Request) -> Response:
            return await self._gateway.serve(request, service, handler, limit)

        return endpoint

    def _upload(self, call: HttpCall) -> Response:
        container, name = call.path["container"], call.path["name"]
        operation = query_values(call.query).get("comp", "")
        if operation == "metadata":
            self._emulator.storage.put_metadata(container, name, call.query, call.headers)
            return Response(status_code=200)
        if operation:
            return Response(f"comp={operation} no se emula.", 400, {"x-ms-error-code": "InvalidQueryParameterValue"})
        digest = self._emulator.storage.put(container, name, call.query, call.headers, call.body)
        return Response(status_code=201, headers={"Content-MD5": digest})

    def _reject(self, call: HttpCall) -> Response:
        return storage_error(self._emulator.storage.reject_reading(call.path["container"], call.query))

    def _certificate(self, call: HttpCall) -> Response:
        number = call.path["path"].rpartition("/")[2].removesuffix(".cer")
        is_placed = _NUMBER.match(number) is not None and call.path["path"] == place(number)
        der = self._emulator.sat.authority.certificate_der(number) if is_placed else None
        if der is None:
            return Response("No hay un certificado.", 404)
        return Response(der, headers={"Content-Type": "application/octet-stream"})

    def _listing(self, call: HttpCall) -> Response:
        address = f"http://{call.headers.get('host', '')}/lco"
        return Response(
            self._emulator.lists.listing(address, query_values(call.query)), headers={"Content-Type": "application/xml"}
        )

    def _list_file(self, call: HttpCall) -> Response:
        found = self._emulator.lists.download(call.path["name"], call.headers)
        headers = {**found.headers, "Content-Type": "application/octet-stream"}
        content = found.content
        if call.faults.get("broken-signature") is not None:
            content, headers["Content-MD5"] = with_broken_signature(content)
            headers["ETag"] = f'"{headers["Content-MD5"]}"'
        return Response(content, found.status, headers)

    def _retencion(self, call: HttpCall) -> Response:
        content_type, options = parse_options_header(call.headers.get("content-type", ""))
        part = single_file(call.body, options.get(b"boundary", b"")) if content_type == b"multipart/form-data" else None
        version = query_values(call.query).get("versionEsquema", "")
        if part is None or not version:
            return Response("Envíe versionEsquema y multipart/form-data con una parte: file.", 400)
        reception = self._emulator.retenciones.receive(
            _authorization(call), version, part.name, part.content, call.faults
        )
        return Response(reception.acuse, headers=XML_HEADERS)

    def _cancel_retencion(self, call: HttpCall) -> Response:
        service = self._emulator.retenciones_cancellation
        return Response(service.cancel_one(_authorization(call), call.body, call.faults), headers=XML_HEADERS)

    def _cancel_retenciones(self, call: HttpCall) -> Response:
        service = self._emulator.retenciones_cancellation
        return Response(service.cancel_many(_authorization(call), call.body, call.faults), headers=XML_HEADERS)

    def _retenciones_acuse(self, call: HttpCall) -> Response:
        service = self._emulator.retenciones_cancellation
        acuse = service.acuse(_authorization(call), call.path["folio"], call.faults)
        if acuse is None:
            return Response("No hay un acuse con ese folio.", 404)
        return Response(acuse, headers=XML_HEADERS)

    def _verification(self, call: HttpCall) -> Response:
        values = query_values(call.query)
        folio, issuer, receiver = (values.get(name, "") for name in ("folio", "rfcEmisor", "rfcReceptor"))
        return HTMLResponse(verification_page(self._emulator.sat, folio, issuer, receiver))


def _prefix(scope: Scope) -> str:
    """Return the beginning of the path of the register whose host name the request has; empty for other hosts."""
    host = next((value for name, value in scope.get("headers", ()) if name == b"host"), b"")
    register = HOSTS.get(host.decode("latin-1").partition(":")[0].lower())
    return "" if register is None else register.path


async def _describe(request: Request) -> Response:
    """Answer with the WSDL of a service of the bulk download, with or without `?wsdl`."""
    address = str(request.url).partition("?")[0]
    path = next(path for path in PATHS if request.url.path.endswith(path))
    return xml_response(description(path, address))


def _authorization(call: HttpCall) -> str:
    return call.headers.get("authorization", "")


def _soap(found: EmulatedSoapService) -> Handler:
    types = XML_TYPES | {""} if found.service in BULK_DOWNLOAD_SERVICES else XML_TYPES

    def handle(call: HttpCall) -> Response:
        content_type = call.headers.get("content-type", "").partition(";")[0].strip().lower()
        if content_type not in types:
            return Response("El servicio es SOAP 1.1: Content-Type debe ser text/xml; charset=utf-8.", 415)
        answer = found.endpoint.respond(call.headers, call.body, call.faults)
        return StreamedResponse(answer) if isinstance(answer, SoapStream) else xml_response(answer)

    return handle
