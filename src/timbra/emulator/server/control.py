"""The control endpoints: providers, faults, options, tokens and received documents, as JSON.

They are served on a loopback address of their own. A request that changes something needs the content type of JSON,
which a page of another site cannot send without a preflight; requests to other host names are rejected.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from timbra.core.errors import ServiceError
from timbra.emulator.acuses import Reception
from timbra.emulator.emulator import Emulator
from timbra.emulator.faults import MAX_SECONDS, FaultRule
from timbra.emulator.options import EmulatorOptions, first_error
from timbra.emulator.providers import EmulatedProvider
from timbra.emulator.server.gateway import BodyTooLargeError, read_body

HOSTS = ["127.0.0.1", "localhost"]
MAX_BODY_BYTES = 8 * 1024 * 1024
_RULES = TypeAdapter(list[FaultRule])
Handler = Callable[[Request, bytes], Any]
"""Returns the JSON of a response, in a thread."""


class _Pause(BaseModel):
    model_config = ConfigDict(extra="forbid")
    seconds: float = Field(gt=0, le=MAX_SECONDS)


class _Registration(BaseModel):
    model_config = ConfigDict(extra="forbid")
    rfc: str = Field(max_length=13)


class _CertificateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")
    request: Base64Bytes = Field(max_length=65_536)


class _Permits(BaseModel):
    model_config = ConfigDict(extra="forbid")
    rows: list[str]


class EmulatorControl:
    """The control endpoints of an emulator."""

    def __init__(self, emulator: Emulator, address: Callable[[], str], pause: Callable[[float], None]) -> None:
        """Control an emulator.

        Args:
            address: Returns the address of its services.
            pause: Stops listening for seconds; called on the event loop.
        """
        self._emulator = emulator
        self._address = address
        self._pause = pause

    def application(self) -> Starlette:
        routes = [
            Route("/state", _endpoint(self._state)),
            Route("/faults", _endpoint(self._list_faults), methods=["GET"]),
            Route("/faults", _endpoint(self._add_fault), methods=["POST"]),
            Route("/faults", _endpoint(self._replace_faults), methods=["PUT"]),
            Route("/faults", _endpoint(self._clear_faults), methods=["DELETE"]),
            Route("/options", _endpoint(self._get_options), methods=["GET"]),
            Route("/options", _endpoint(self._change_options), methods=["PATCH"]),
            Route("/providers", _endpoint(self._list_providers), methods=["GET"]),
            Route("/providers", _endpoint(self._register), methods=["POST"]),
            Route("/providers/{rfc}/access-signature", _endpoint(self._rotate), methods=["POST"]),
            Route("/providers/{rfc}/certificate", _endpoint(self._certify), methods=["POST"]),
            Route("/tokens/expire", _endpoint(self._expire), methods=["POST"]),
            Route("/pause", self._pause_listening, methods=["POST"]),
            Route("/receptions", _endpoint(self._list_receptions)),
            Route("/receptions/{uuid}", _endpoint(self._reception)),
            Route("/bulk-download/requests", _endpoint(self._list_download_requests)),
            Route("/lists/L_CNE", _endpoint(self._set_permits), methods=["PUT"]),
        ]
        return Starlette(routes=routes, middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS)])

    def _state(self, _request: Request, _body: bytes) -> Any:
        emulator = self._emulator
        return {
            "address": self._address(),
            "fiscal_time": emulator.sat.ledger.clock.now().isoformat(),
            "wall_time": emulator.sat.wall.now().isoformat(),
            "providers": [provider.rfc for provider in emulator.providers.all()],
            "faults": len(emulator.configuration.faults.rules()),
            "received": sum(1 for _ in emulator.receptions.uuids()),
        }

    def _list_faults(self, _request: Request, _body: bytes) -> Any:
        self._emulator.configuration.refresh()
        rules = self._emulator.configuration.faults.rules()
        return [rule.model_dump(mode="json", exclude_defaults=True) for rule in rules]

    def _add_fault(self, request: Request, body: bytes) -> Any:
        self._emulator.configuration.faults.add(FaultRule.model_validate_json(body))
        return self._list_faults(request, body)

    def _replace_faults(self, request: Request, body: bytes) -> Any:
        self._emulator.configuration.faults.replace(_RULES.validate_json(body))
        return self._list_faults(request, body)

    def _clear_faults(self, request: Request, body: bytes) -> Any:
        self._emulator.configuration.faults.replace(())
        return self._list_faults(request, body)

    def _get_options(self, _request: Request, _body: bytes) -> Any:
        return self._emulator.configuration.options.model_dump()

    def _change_options(self, request: Request, body: bytes) -> Any:
        changed = TypeAdapter(dict[str, Any]).validate_json(body)
        current = self._emulator.configuration.options.model_dump()
        merged = {**current, **{name: _merged(current.get(name), value) for name, value in changed.items()}}
        self._emulator.configuration.change(EmulatorOptions.model_validate(merged))
        return self._get_options(request, body)

    def _list_providers(self, _request: Request, _body: bytes) -> Any:
        return [self._provider(provider) for provider in self._emulator.providers.all()]

    def _register(self, _request: Request, body: bytes) -> Any:
        rfc = _Registration.model_validate_json(body).rfc
        return self._provider(self._emulator.providers.register(rfc.upper()))

    def _rotate(self, request: Request, _body: bytes) -> Any:
        return self._provider(self._emulator.providers.rotate(request.path_params["rfc"].upper()))

    def _certify(self, request: Request, body: bytes) -> Any:
        encoded = _CertificateRequest.model_validate_json(body).request
        found = self._emulator.providers.certify(request.path_params["rfc"].upper(), encoded)
        return {"certificate_number": found.number, "certificate": b64encode(found.der).decode()}

    def _expire(self, _request: Request, _body: bytes) -> Any:
        return {"expired_before": self._emulator.expire_tokens().isoformat()}

    def _list_download_requests(self, _request: Request, _body: bytes) -> Any:
        return [
            {
                "id": found.id,
                "register": found.register,
                "rfc": found.rfc,
                "package_type": found.package_type,
                "requested_at": found.requested_at.isoformat(),
                "polls": found.polls,
                "state": int(state),
                "documents": found.documents,
                "criteria": found.criteria,
                "scripted": found.scripted,
            }
            for found, state in self._emulator.bulk_download.requests.newest()
        ]

    def _list_receptions(self, _request: Request, _body: bytes) -> Any:
        return list(self._emulator.receptions.uuids())

    def _reception(self, request: Request, _body: bytes) -> Any:
        found = self._emulator.receptions.get(request.path_params["uuid"].lower())
        if found is None:
            raise ServiceError("document-unknown", "No se recibió ese folio.")
        return _reception_json(found)

    def _set_permits(self, _request: Request, body: bytes) -> Any:
        rows = _Permits.model_validate_json(body).rows
        self._emulator.list_files.set_permits("\n".join(rows))
        return {"rows": len(rows)}

    async def _pause_listening(self, request: Request) -> Response:
        try:
            _require_json(request)
            seconds = _Pause.model_validate_json(await read_body(request, MAX_BODY_BYTES)).seconds
        except BodyTooLargeError:
            return JSONResponse({"error": f"El cuerpo pasa de {MAX_BODY_BYTES} bytes."}, 413)
        except (ServiceError, ValidationError) as error:
            return _error(error)
        self._pause(seconds)
        return JSONResponse({"seconds": seconds})

    def _provider(self, provider: EmulatedProvider) -> Any:
        address, files = self._address(), provider.folder / provider.rfc
        return {
            "rfc": provider.rfc,
            "certificate_number": provider.certificate.number,
            "certificate": b64encode(provider.certificate.der).decode(),
            "key": b64encode(files.with_suffix(".key").read_bytes()).decode(),
            "password": files.with_suffix(".password").read_text(),
            "files": str(files) + ".*",
            "container": f"{address}/blob/{provider.container}",
            "access_signature": provider.access_signature,
        }


def _merged(current: Any, value: Any) -> Any:
    """Return a changed option; of a group of options only the given ones change."""
    return {**current, **value} if isinstance(current, dict) and isinstance(value, dict) else value


def _reception_json(reception: Reception) -> Any:
    value = {**asdict(reception), "received_at": reception.received_at.isoformat()}
    return {**value, "incidencias": [asdict(found) for found in reception.incidencias]}


def _endpoint(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            body = await read_body(request, MAX_BODY_BYTES)
            if request.method != "GET":
                _require_json(request)
            return JSONResponse(await run_in_threadpool(handler, request, body))
        except BodyTooLargeError:
            return JSONResponse({"error": f"El cuerpo pasa de {MAX_BODY_BYTES} bytes."}, 413)
        except (ServiceError, ValidationError) as error:
            return _error(error)

    return endpoint


def _require_json(request: Request) -> None:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise ServiceError("request-unreadable", "Content-Type debe ser application/json.")


def _error(error: ServiceError | ValidationError) -> Response:
    if isinstance(error, ValidationError):
        return JSONResponse({"error": first_error(error)}, 400)
    return JSONResponse({"error": error.detail or error.code}, 404 if error.code.endswith("-unknown") else 400)
