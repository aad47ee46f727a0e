"""The page on which a taxpayer signs the manifest, and the register of the operator."""

from __future__ import annotations

from functools import partial

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.manifests.printing import print_manifest
from timbra.manifests.signed_document import SignedManifest
from timbra.manifests.signing import DEFAULT_DAYS, ManifestSigning
from timbra.web.portal.dispatch.forms import integer_field
from timbra.web.portal.dispatch.log_path import MANIFEST_LINK
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

PATH = "/portal/manifiestos"
NOT_FOUND = 404
MAX_BYTES = 128 * 1024
FILES = ("cer", "key")


async def show_form(page_request: PageRequest, signing: ManifestSigning) -> Response:
    """Show the text and the form, or the signed manifest."""
    try:
        rfc = await _rfc(page_request, signing)
    except ServiceError as error:
        return page_request.render("manifest.html", {"rfc": "", "error": error}, status=NOT_FOUND)
    return page_request.render("manifest.html", await _values(page_request, signing, rfc))


async def sign(page_request: PageRequest, signing: ManifestSigning) -> Response:
    """Sign with the e.firma, or show why not. The key and its password are used for this signature only."""
    try:
        rfc = await _rfc(page_request, signing)
    except ServiceError as error:
        return page_request.render("manifest.html", {"rfc": "", "error": error}, status=NOT_FOUND)
    form = await page_request.form(max_files=len(FILES))
    certificate, key = [await _content(form, name) for name in FILES]
    password, address = str(form.get("password") or ""), page_request.origin().address
    try:
        await page_request.pools.run_keys(signing.sign, rfc, certificate, key, password, address)
    except ServiceError as error:
        values = await _values(page_request, signing, rfc)
        return page_request.render_error("manifest.html", error, values)
    finally:
        await form.close()
    return redirect(page_request.request.url.path)


async def download_signed(page_request: PageRequest, signing: ManifestSigning) -> Response:
    """Return the signed manifest of a link to the taxpayer."""
    try:
        rfc = await _rfc(page_request, signing)
    except ServiceError as error:
        raise HTTPException(NOT_FOUND) from error
    return await _download(page_request, signing, rfc)


async def show_register(page_request: PageRequest, signing: ManifestSigning) -> Response:
    """List the manifests: who signed when."""
    return await _render(page_request, signing, None)


async def create_link(page_request: PageRequest, signing: ManifestSigning) -> Response:
    """Create a link for a taxpayer; only this response shows its address."""
    form = await page_request.form()
    rfc = text_field(form, "rfc", 13)
    try:
        days = integer_field(form, "dias", "Días") or DEFAULT_DAYS
        path, expires = await page_request.pools.run_database(signing.link, rfc, days)
    except ServiceError as error:
        return await _render(page_request, signing, error, form)
    values = await _register(page_request, signing)
    created = {"created": rfc.upper(), "address": f"{page_request.base_url}{path}", "expires": expires}
    return page_request.render("manifests.html", {**values, **created})


async def show_one(page_request: PageRequest, signing: ManifestSigning) -> Response:
    """Verify one manifest and show the evidence."""
    rfc = page_request.path_parameter("rfc")
    document = await page_request.pools.run_database(signing.manifests.document, rfc)
    if document is None:
        raise HTTPException(NOT_FOUND)
    try:
        manifest, problem = await page_request.pools.run_database(signing.verify, document), ""
    except ServiceError as error:
        manifest, problem = None, error.detail or ""
    return page_request.render("manifest_evidence.html", {"rfc": rfc, "manifest": manifest, "problem": problem})


async def download(page_request: PageRequest, signing: ManifestSigning) -> Response:
    """Return a manifest to the operator, as it is stored or as PDF."""
    return await _download(page_request, signing, page_request.path_parameter("rfc"))


async def _download(page_request: PageRequest, signing: ManifestSigning, rfc: str) -> Response:
    run = page_request.pools.run_database
    document = await run(signing.manifests.document, rfc)
    if document is None:
        raise HTTPException(NOT_FOUND)
    if page_request.request.path_params["form"] == "pdf":
        try:
            manifest = await run(signing.verify, document)
        except ServiceError as error:
            raise HTTPException(NOT_FOUND) from error
        printed = await page_request.pools.run_files(print_manifest, manifest, document)
        return _attachment(printed, "application/pdf", f"manifiesto-{rfc}.pdf")
    return _attachment(document, "application/octet-stream", f"manifiesto-{rfc}.xml")


def _attachment(content: bytes, media_type: str, name: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


async def _rfc(page_request: PageRequest, signing: ManifestSigning) -> str:
    return await page_request.pools.run_database(signing.rfc_of, page_request.path_parameter("token"))


async def _content(form: FormData, name: str) -> bytes:
    file = form.get(name)
    return await file.read() if isinstance(file, UploadFile) else b""


async def _values(page_request: PageRequest, signing: ManifestSigning, rfc: str) -> dict[str, object]:
    return await page_request.pools.run_database(partial(_read, signing, rfc))


def _read(signing: ManifestSigning, rfc: str) -> dict[str, object]:
    manifest: SignedManifest | None = None
    is_stored = signing.manifests.document(rfc) is not None
    if is_stored:
        try:
            manifest = signing.signed(rfc)
        except ServiceError:
            manifest = None
    text = manifest.text if manifest is not None else signing.text(rfc) if not is_stored else ""
    paragraphs = [part for part in text.split("\n\n") if part.strip()]
    return {"rfc": rfc, "manifest": manifest, "is_stored": is_stored, "paragraphs": paragraphs}


async def _register(page_request: PageRequest, signing: ManifestSigning) -> dict[str, object]:
    stored = await page_request.pools.run_database(signing.manifests.all)
    return {"manifests": stored, "path": PATH, "fields": {"rfc": "", "dias": str(DEFAULT_DAYS)}, "created": ""}


async def _render(
    page_request: PageRequest, signing: ManifestSigning, error: ServiceError | None, form: FormData | None = None
) -> Response:
    values = await _register(page_request, signing)
    if form is not None:
        values["fields"] = {name: str(form.get(name) or "") for name in ("rfc", "dias")}
    return page_request.render_form("manifests.html", values, error)


PAGES = (
    Page("GET", f"{MANIFEST_LINK}{{token}}", show_form, PageAccess.PUBLIC),
    Page("POST", f"{MANIFEST_LINK}{{token}}", sign, PageAccess.PUBLIC, max_bytes=MAX_BYTES),
    Page("GET", f"{MANIFEST_LINK}{{token}}/firmado.{{form}}", download_signed, PageAccess.PUBLIC),
    Page(
        "GET",
        PATH,
        show_register,
        PageAccess.ADMINISTRATOR,
        menu=MenuItem("Manifiestos", 215, MenuGroup.ADMINISTRATION),
        icon="file-check",
    ),
    Page("POST", PATH, create_link, PageAccess.ADMINISTRATOR),
    Page("GET", f"{PATH}/{{rfc}}", show_one, PageAccess.ADMINISTRATOR),
    Page("GET", f"{PATH}/{{rfc}}/firmado.{{form}}", download, PageAccess.ADMINISTRATOR),
)
