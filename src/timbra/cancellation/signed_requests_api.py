"""Operations in a taxpayer's name: with a CSD or a PFX of the request, or by a signed document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from starlette.responses import Response

from timbra.cancellation.services import CancellationServices
from timbra.cancellation.signed_requests import CsdFiles, PfxFile
from timbra.web.framework.operation import Endpoint, Operation, Payload
from timbra.web.framework.request_context import RequestContext
from timbra.web.parsing.decoding import xml_bytes
from timbra.web.parsing.json_fields import JsonFields
from timbra.web.parsing.multipart import xml_part

MAX_BODY_BYTES = 1024 * 1024
TAG = "cancellation"

ByFiles = Callable[[RequestContext, CancellationServices, JsonFields, CsdFiles | PfxFile], Awaitable[Response]]
ByXml = Callable[[RequestContext, CancellationServices, bytes], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class SignedEndpoints:
    """The three operations under one path.

    Attributes:
        payload: Beginning of the names of the component schemas of its JSON.
        document: The SAT's name of the signed document.
        signer: The taxpayer whose CSD signs, in words.
        answer: Name of the component schema of success.
        authority_down_code: Code of the contract while the tax authority does not respond.
        error_answers: Component schemas of errors, see `Operation`.
    """

    name: str
    path: str
    summary: str
    payload: str
    document: str
    signer: str
    answer: str
    authority_down_code: str
    error_answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def operations(self, by_files: ByFiles, by_xml: ByXml) -> tuple[Operation, ...]:
        """Build the operations.

        Args:
            by_files: Handles the fields of the JSON with the CSD or PFX.
            by_xml: Handles the bytes of the document, which were not checked.
        """

        async def by_csd(request: RequestContext, services: CancellationServices) -> Response:
            members = await _members(request)
            files = CsdFiles(members.text("b64Cer"), members.text("b64Key"), members.password())
            return await by_files(request, services, members, files)

        async def by_pfx(request: RequestContext, services: CancellationServices) -> Response:
            members = await _members(request)
            return await by_files(request, services, members, PfxFile(members.text("b64Pfx"), members.password()))

        async def by_document(request: RequestContext, services: CancellationServices) -> Response:
            part = xml_part(await request.body(MAX_BODY_BYTES), request.content_type)
            return await by_xml(request, services, xml_bytes(part, base64=False))

        return (
            self._operation("csd", by_csd, "with a CSD in the request", self._json("ByCsd")),
            self._operation("pfx", by_pfx, "with a PFX in the request", self._json("ByPfx")),
            self._operation(
                "xml",
                by_document,
                "by a signed document",
                Payload("multipart/form-data", "XmlUpload"),
                f"The document is `{self.document}` of the SAT, signed with the CSD of {self.signer}.",
            ),
        )

    def _json(self, way: str) -> Payload:
        return Payload("application/json", f"{self.payload}{way}")

    def _operation(self, way: str, endpoint: Endpoint, how: str, payload: Payload, description: str = "") -> Operation:
        return Operation(
            name=f"{self.name}-{way}",
            method="POST",
            paths=(f"{self.path}/{way}",),
            endpoint=endpoint,
            summary=f"{self.summary}, {how}",
            description=description,
            tag=TAG,
            answer=self.answer,
            payloads=(payload,),
            authority_down_code=self.authority_down_code,
            error_answers=self.error_answers,
        )


async def _members(request: RequestContext) -> JsonFields:
    """The fields of the JSON; a value of a wrong type is the error `cancel-fields`."""
    return JsonFields.read(await request.body(MAX_BODY_BYTES), "cancel-fields")
