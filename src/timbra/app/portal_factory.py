"""Application factory: the ASGI application of the pages over a page table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import PackageLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from timbra.core.errors import ServiceError
from timbra.core.features import features
from timbra.core.scopes import READ
from timbra.rendering.html import environment as template_environment
from timbra.rendering.texts import amount
from timbra.sandbox.services import SandboxServices
from timbra.web.injection import Groups, bind_services, is_available
from timbra.web.portal.dispatch.card import Card, Cards, bind_cards
from timbra.web.portal.dispatch.environment import environment_label
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_handler import PageDispatcher, SecurityHeadersMiddleware
from timbra.web.portal.documentation.endpoint import ROOT, DocumentationEndpoint
from timbra.web.portal.views.formatting import (
    document_kind,
    error_message,
    iso_to_spanish,
    local,
    local_day,
    spanish_day,
)

if TYPE_CHECKING:
    from timbra.web.injection import Groups
    from timbra.web.portal.dispatch.environment import PageEnvironment


PAGES: tuple[Page, ...] = tuple(page for feature in features() for page in feature.load(feature.pages, "PAGES"))
HOME = "/portal"
CARDS: tuple[Card, ...] = tuple(card for feature in features() for card in feature.load(feature.cards, "CARDS"))
SANDBOX_ACCESS = {
    PageAccess.SANDBOX: PageAccess.ADMINISTRATOR,
    PageAccess.SANDBOX_ACCOUNT: PageAccess.ACCOUNT,
    PageAccess.SANDBOX_PUBLIC: PageAccess.PUBLIC,
    PageAccess.PUBLIC_IN_SANDBOX: PageAccess.PUBLIC,
}
SANDBOX_ONLY = (PageAccess.SANDBOX, PageAccess.SANDBOX_ACCOUNT, PageAccess.SANDBOX_PUBLIC)
PRODUCTION_ACCESS = {PageAccess.PUBLIC_IN_SANDBOX: PageAccess.ACCOUNT}


def pages_for(groups: Groups, pages: Iterable[Page], *, is_sandbox: bool) -> tuple[Page, ...]:
    """Bind pages to the services of an environment.

    Args:
        groups: Builds each group of services, by its class; see `bind_services`.
        is_sandbox: Whether the environment has the pages of a sandbox.

    Returns:
        The pages that exist in this environment, with handlers that take the page request alone.
    """
    access = SANDBOX_ACCESS if is_sandbox else PRODUCTION_ACCESS
    return tuple(
        replace(page, handler=bind_services(page.handler, groups), access=access.get(page.access, page.access))
        for page in pages
        if is_sandbox or page.access not in SANDBOX_ONLY
    )


def template_loaders() -> list[PackageLoader]:
    """Return the loaders of the templates: those of the framework, then those of each feature that has some."""
    packages = ["timbra.web.portal", *(f"timbra.{feature.package}" for feature in features() if feature.pages)]
    return [PackageLoader(package) for package in packages if files(package).joinpath("templates").is_dir()]


def build(environment: PageEnvironment, groups: Groups, pages: Sequence[Page] = PAGES) -> ASGIApp:
    """Build the application of the pages.

    Args:
        environment: Limits, metrics and thread pools of the worker.
        groups: Builds each group of services, by its class; every handler gets the groups that it declares.
    """
    templates = template_environment(*template_loaders())
    templates.globals["error_message"] = error_message
    templates.filters |= {
        "document_kind": document_kind,
        "local": local,
        "local_day": local_day,
        "spanish_day": spanish_day,
        "iso_to_spanish": iso_to_spanish,
        "amount": amount,
        "environment_label": environment_label,
    }
    for feature in features():
        for module in feature.filters:
            templates.filters |= feature.read(module, "FILTERS")
    groups = {**groups, Cards: lambda: bind_cards(CARDS, groups)}
    bound = pages_for(groups, pages, is_sandbox=is_available(SandboxServices, groups))
    dispatcher = PageDispatcher(environment, templates, bound)
    routes = [Route(page.path, dispatcher.endpoint(page), methods=[page.method]) for page in bound]
    if HOME not in {page.path for page in bound}:
        routes.append(Route(HOME, _redirection(_first_page(bound))))
    static_files = StaticFiles(packages=[("timbra.web.portal", "static"), ("timbra.rendering", "static")])
    if environment.documentation is not None:
        documentation = DocumentationEndpoint(environment.documentation)
        routes += [Route(path, documentation) for path in (ROOT, f"{ROOT}/{{path:path}}")]
    app = Starlette(
        routes=[Route("/", _redirection(HOME)), *routes, Mount("/estaticos", static_files)],
        exception_handlers={
            HTTPException: dispatcher.error_page,
            ServiceError: dispatcher.error_page,
            ClientDisconnect: dispatcher.client_disconnected,
            Exception: dispatcher.internal_error,
        },
    )
    return SecurityHeadersMiddleware(app)


def _first_page(pages: Sequence[Page]) -> str:
    """Return the first page of the navigation that every role has, to which a sign-in leads without a home page."""
    of_accounts = [
        page
        for page in pages
        if page.menu is not None and page.access is PageAccess.ACCOUNT and page.required_scope == READ
    ]
    return min(of_accounts, key=lambda page: page.menu.position if page.menu is not None else 0).path


def _redirection(path: str) -> Callable[[Request], Response]:
    def redirect(_: Request) -> Response:
        return RedirectResponse(path, 307)

    return redirect
