"""The ASGI endpoint of /docs: GET and HEAD of the files of the site, with conditional requests."""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from timbra.core.errors import ServiceError
from timbra.web.framework.error_responses import envelope
from timbra.web.framework.request_context import json_response, names_entity_tag
from timbra.web.portal.documentation.site import Site, SiteFile, open_site

ROOT = "/docs"
METHODS = ("GET", "HEAD")
NOT_BUILT_STATUS = 404
REVALIDATED = "no-cache"
POLICY_OF_GENERATED_PAGES = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The search of the theme inserts its styles by script. Scripts and every address are limited as on other pages."""
UNCHANGING = "public, max-age=31536000, immutable"


class DocumentationEndpoint:
    """Serves the site. The folder is read at the first request; later requests read one file each, in a thread.

    Args:
        folder: The built site; where it is absent, the first page says how to build it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._site: Site | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._respond(scope)
        await response(_without_range(scope), receive, send)

    async def _respond(self, scope: Scope) -> Response:
        if scope["method"] not in METHODS:
            rejection = json_response(envelope(ServiceError("TB4042", scope["method"])), 405)
            rejection.headers["Allow"] = ", ".join(METHODS)
            rejection.headers["Connection"] = "close"  # the request body was not read
            return rejection
        if self._site is None:
            self._site = await run_in_threadpool(open_site, self._folder)
        path = scope["path"].removeprefix(ROOT)
        name = path.removeprefix("/")
        if not path or (not name.endswith("/") and self._site.has_folder(name)):
            return RedirectResponse(f"{ROOT}{path}/", 308)
        file = self._site.find(name)
        if file is None:
            raise HTTPException(404)
        try:
            return await self._file_response(self._site, file, scope)
        except FileNotFoundError as error:
            self._site = None  # the site was built again: the next request reads its folder
            raise HTTPException(404) from error

    async def _file_response(self, site: Site, file: SiteFile, scope: Scope) -> Response:
        status = await run_in_threadpool(file.path.stat)
        tag = await run_in_threadpool(site.tag, file)
        cache = UNCHANGING if file.is_unchanging else REVALIDATED
        headers = {"ETag": tag, "Cache-Control": cache, "Accept-Ranges": "none"}
        if file.is_generated_page:
            headers["Content-Security-Policy"] = POLICY_OF_GENERATED_PAGES
        if names_entity_tag(Headers(scope=scope).get("if-none-match", ""), tag):
            return Response(status_code=304, headers=headers)
        is_notice = not site.is_built and file is site.find("")
        return FileResponse(
            file.path,
            status_code=NOT_BUILT_STATUS if is_notice else 200,
            headers=headers,
            media_type=file.content_type,
            stat_result=status,
        )


def _without_range(scope: Scope) -> Scope:
    """Return a scope without the header Range: the files are small, and every answer has the whole file."""
    headers = [(name, value) for name, value in scope["headers"] if name not in (b"range", b"if-range")]
    return {**scope, "headers": headers}
