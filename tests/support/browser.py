"""A client of the pages over ASGI: keeps cookies, and sends forms with their CSRF token."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from http.cookies import SimpleCookie

from httpx2 import ASGITransport, AsyncClient, Response
from lxml.html import HtmlElement, document_fromstring
from starlette.types import ASGIApp
from tests.support.sandbox_app import SandboxApp

from timbra.app.composition import Container
from timbra.app.front_controller import page_environment
from timbra.app.portal_factory import build

HOST = "http://testserver"


def portal_app(container: Container) -> ASGIApp:
    """The application of the pages, with the services of a container."""
    return build(page_environment(container), container.groups)


class Visitor:
    """One browser without JavaScript. page: the last HTML page."""

    def __init__(self, sandbox_app: SandboxApp) -> None:
        self.sandbox_app = sandbox_app
        self._app = portal_app(sandbox_app.container)
        self.cookies: dict[str, str] = {}
        self.page: HtmlElement | None = None

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Response:
        return self._send("GET", path, headers=headers)

    def post(
        self,
        path: str,
        fields: Mapping[str, str],
        *,
        files: Sequence[tuple[str, tuple[str, bytes]]] | None = None,
        headers: Mapping[str, str] | None = None,
        csrf_token: str | None = None,
    ) -> Response:
        """Send a form with the CSRF token of the last page, unless another is given; with files, it is in the URL."""
        if files is not None and csrf_token is None:
            return self._send("POST", self._upload_url(path), data=fields, files=files, headers=headers)
        csrf_token = self.csrf_token if csrf_token is None else csrf_token
        return self._send("POST", path, data={"csrf_token": csrf_token, **fields}, files=files, headers=headers)

    def sign_in(self, user: str, password: str = "una contraseña larga") -> Response:
        self.get("/portal/entrar")
        answer = self.post("/portal/entrar", {"user": user, "password": password})
        if answer.status_code == 303:
            home = self.get("/portal")
            if home.is_redirect:  # without the home page
                self.get(home.headers["location"])
        return answer

    @property
    def csrf_token(self) -> str:
        if self.page is None:
            return ""
        (meta,) = self.page.xpath("//meta[@name='csrf-token']")
        return str(meta.get("content"))

    def _upload_url(self, path: str) -> str:
        """Return the action of the upload form of the last page; the path itself when it has none."""
        if self.page is None:
            return path
        addresses = map(str, self.page.xpath("//form[@enctype]/@action"))
        return next((address for address in addresses if address.partition("?")[0] == path), path)

    @property
    def text(self) -> str:
        """The text of the last page, white space collapsed."""
        return "" if self.page is None else " ".join(self.page.text_content().split())

    def _send(self, method: str, path: str, headers: Mapping[str, str] | None, **content: object) -> Response:
        return asyncio.run(self._exchange(method, path, headers, **content))

    async def _exchange(self, method: str, path: str, headers: Mapping[str, str] | None, **content: object) -> Response:
        transport = ASGITransport(self._app, raise_app_exceptions=False)
        sent = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **(headers or {})}
        async with AsyncClient(transport=transport, base_url=HOST) as client:
            answer = await client.request(method, path, headers=sent, **content)  # type: ignore[arg-type]
        for line in answer.headers.get_list("set-cookie"):
            self._store_cookie(line)
        if answer.headers.get("content-type", "").startswith("text/html") and answer.text:
            self.page = document_fromstring(answer.text)
        return answer

    def _store_cookie(self, line: str) -> None:
        ((name, cookie),) = SimpleCookie(line).items()
        if cookie["max-age"] == "0":
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = cookie.value
