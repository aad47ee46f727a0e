"""Application factory: the ASGI application of the pages over a page table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jinja2 import PackageLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from timbra.errors import ServiceError
from timbra.portal.dispatch.environment import environment_label
from timbra.portal.dispatch.page import Page
from timbra.portal.dispatch.page_handler import PageDispatcher, SecurityHeadersMiddleware
from timbra.portal.dispatch.page_table import pages_for
from timbra.portal.documentation.endpoint import ROOT, DocumentationEndpoint
from timbra.portal.pages import PAGES
from timbra.portal.views.api_calls import file_size, milliseconds, status_class
from timbra.portal.views.documents import complement_name, kind_icon, money, state_badge
from timbra.portal.views.formatting import (
    document_kind,
    error_message,
    iso_to_spanish,
    local,
    local_day,
    spanish_day,
)
from timbra.rendering.html import environment as template_environment
from timbra.rendering.texts import amount

if TYPE_CHECKING:
    from timbra.portal.dispatch.environment import PageEnvironment
    from timbra.service.injection import Groups


def build(environment: PageEnvironment, groups: Groups, pages: Sequence[Page] = PAGES) -> ASGIApp:
    """Build the application of the pages.

    Args:
        environment: Limits, metrics and thread pools of the worker.
        groups: Builds each group of services, by its class; every handler gets the groups that it declares.
        pages: The page table.
    """
    templates = template_environment(PackageLoader("timbra.portal"))
    templates.globals["error_message"] = error_message
    templates.filters |= {
        "document_kind": document_kind,
        "local": local,
        "local_day": local_day,
        "spanish_day": spanish_day,
        "iso_to_spanish": iso_to_spanish,
        "amount": amount,
        "complement_name": complement_name,
        "kind_icon": kind_icon,
        "money": money,
        "state_badge": state_badge,
        "environment_label": environment_label,
        "file_size": file_size,
        "milliseconds": milliseconds,
        "status_class": status_class,
    }
    bound = pages_for(groups, pages)
    dispatcher = PageDispatcher(environment, templates, bound)
    routes = [Route(page.path, dispatcher.endpoint(page), methods=[page.method]) for page in bound]
    static_files = StaticFiles(packages=[("timbra.portal", "static"), ("timbra.rendering", "static")])
    if environment.documentation is not None:
        documentation = DocumentationEndpoint(environment.documentation)
        routes += [Route(path, documentation) for path in (ROOT, f"{ROOT}/{{path:path}}")]
    app = Starlette(
        routes=[Route("/", _home), *routes, Mount("/estaticos", static_files)],
        exception_handlers={
            HTTPException: dispatcher.error_page,
            ServiceError: dispatcher.error_page,
            ClientDisconnect: dispatcher.client_disconnected,
            Exception: dispatcher.internal_error,
        },
    )
    return SecurityHeadersMiddleware(app)


async def _home(_: Request) -> Response:
    return RedirectResponse("/portal", 307)
