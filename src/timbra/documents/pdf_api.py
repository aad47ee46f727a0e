"""The printed representation: of a CFDI in the request, or of a stored one; the branding of an account's prints."""

from __future__ import annotations

from starlette.responses import Response

from timbra.accounts.administration.branding import BrandingChange
from timbra.accounts.services import AccountServices
from timbra.core.errors import ServiceError
from timbra.documents.build import DocumentServices
from timbra.documents.print_options import read_extras, read_logo_text
from timbra.documents.printing import PrintOptions
from timbra.documents.serializers import branding_answer, pdf_answer
from timbra.rendering.branding import requested_template
from timbra.web.envelopes import MessageAnswer, success
from timbra.web.framework.base_url import verification_pages
from timbra.web.framework.operation import Operation, Payload
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.decoding import xml_bytes
from timbra.web.parsing.json_fields import JsonFields

BRANDING = "/pdf/v1/api/Branding"
MAX_BRANDING_BYTES = 1024 * 1024
REGENERATED = "Solicitud se proceso correctamente."


async def generate(request: RequestContext, services: DocumentServices) -> Response:
    """Answer with a PDF of the CFDI in `xmlContent`.

    Raises:
        ServiceError: "TB4005" for an unknown template or for extras of another form, and those of the printing service.
    """
    members = JsonFields.read(await request.body())
    xml = xml_bytes(members.text("xmlContent").encode("utf-8", "surrogatepass"), base64=False)
    options = PrintOptions(
        account_id=request.caller.account_id,
        template=requested_template(members.text("templateId")),
        logo=read_logo_text(members.text("logo")),
        extras=read_extras(members),
    )
    printed = await services.printing.print_in_pool(request.pools.account, xml, options, verification_pages(request))
    return json_response(success(pdf_answer(printed)))


async def regenerate(request: RequestContext, services: DocumentServices) -> Response:
    """Answer with a PDF of a stored CFDI.

    Raises:
        ServiceError: "pdf-unknown" when the account has no stamp with this UUID, and those of the printing service.
    """
    try:
        record = await request.pools.run_database(services.storage.own, request.caller, request.parameters["uuid"])
    except ServiceError as error:
        raise ServiceError("pdf-unknown") if error.code == "storage-unknown" else error from error
    printed = await services.printing.print_stored(request.pools.account, record, verification_pages(request))
    return json_response(MessageAnswer(REGENERATED, None, pdf_answer(printed)))


async def branding(request: RequestContext, services: AccountServices) -> Response:
    """Answer with the branding of the account."""
    found = await request.run_for_account(services.branding.find)
    return json_response(success(branding_answer(found)))


async def change_branding(request: RequestContext, services: AccountServices) -> Response:
    """Change the members of the branding that the request has, and answer with the whole."""
    members = JsonFields.read(await request.body(MAX_BRANDING_BYTES))
    change = BrandingChange(
        template=_given(members, "template"),
        color=_given(members, "color"),
        footer=_given(members, "footer"),
        logo=_given_logo(members),
    )
    changed = await request.run_for_account(services.branding.change, change)
    return json_response(success(branding_answer(changed)))


async def reset_branding(request: RequestContext, services: AccountServices) -> Response:
    """Return the account to the default branding."""
    restored = await request.run_for_account(services.branding.reset)
    return json_response(success(branding_answer(restored)))


def _given(members: JsonFields, name: str) -> str | None:
    return members.text(name) if name in members.values else None


def _given_logo(members: JsonFields) -> bytes | None:
    if "logo" not in members.values:
        return None
    logo = read_logo_text(members.text("logo"))
    return b"" if logo is None else logo.content


OPERATIONS = (
    Operation(
        name="pdf-generate",
        method="POST",
        paths=("/pdf/v1/api/GeneratePdf",),
        endpoint=generate,
        summary="Print a stamped CFDI or retención",
        description="`xmlContent`: XML or base64. `logo`: PNG or JPEG in base64, at most 512 KiB and 4 million pixels; "
        "without it, the logo of the account is printed. `templateId`: `clasica`, `moderna` or `compacta`; names of "
        "the vendor, such as `cfdi40`, print the template of the account: the kind of the document decides how it "
        "is arranged. `extras`: an object of texts, printed beside the data of the CFDI: keys that begin with "
        "`EDIRECCION` below the issuer, with `RDIRECCION` below the receiver, all others as additional data.",
        tag="pdf",
        answer="Pdf",
        payloads=(Payload("application/json", "PdfOrder"),),
    ),
    Operation(
        name="pdf-regenerate",
        method="POST",
        paths=("/pdf/v1/api/RegeneratePdf/{uuid}",),
        endpoint=regenerate,
        summary="Print a stored CFDI or retención again",
        tag="pdf",
        answer="RegeneratedPdf",
    ),
    Operation(
        name="pdf-branding",
        method="GET",
        paths=(BRANDING,),
        endpoint=branding,
        summary="Read the branding of the account's printed documents",
        tag="pdf",
        answer="Branding",
    ),
    Operation(
        name="pdf-branding-change",
        method="PUT",
        paths=(BRANDING,),
        endpoint=change_branding,
        summary="Change the branding of the account's printed documents",
        description="Members that are absent stay as they are; an empty text restores the default, or removes the "
        "logo. `template`: `clasica`, `moderna` or `compacta`. `color`: `#RRGGBB`, dark enough for white paper. "
        "`footer`: at most 300 characters. `logo`: PNG or JPEG in base64, at most 512 KiB and 4 million pixels.",
        tag="pdf",
        answer="Branding",
        payloads=(Payload("application/json", "BrandingOrder"),),
    ),
    Operation(
        name="pdf-branding-reset",
        method="DELETE",
        paths=(BRANDING,),
        endpoint=reset_branding,
        summary="Return the account to the default branding",
        tag="pdf",
        answer="Branding",
    ),
)
