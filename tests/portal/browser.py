"""A visitor without a browser: pages over ASGI, cookies kept, forms sent with their proof."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from http.cookies import SimpleCookie

from httpx2 import ASGITransport, AsyncClient, Response
from lxml.html import HtmlElement, document_fromstring
from tests.support.desk import Desk

from timbra.portal.app import build

HOST = "http://testserver"


class Visitor:
    """Pages of one house, as one browser sees them."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._app = build(desk.house)
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
        proof: str | None = None,
    ) -> Response:
        """Sends a form; the proof is the one of the page seen last, unless given."""
        proof = self.proof if proof is None else proof
        return self._send("POST", path, data={"proof": proof, **fields}, files=files, headers=headers)

    def sign_in(self, user: str, password: str = "una contraseña larga") -> Response:
        self.get("/portal/entrar")
        answer = self.post("/portal/entrar", {"user": user, "password": password})
        if answer.status_code == 303:
            self.get("/portal")
        return answer

    @property
    def proof(self) -> str:
        if self.page is None:
            return ""
        (meta,) = self.page.xpath("//meta[@name='proof']")
        return str(meta.get("content"))

    @property
    def text(self) -> str:
        """The words of the page seen last, white space collapsed."""
        return "" if self.page is None else " ".join(self.page.text_content().split())

    def _send(self, method: str, path: str, headers: Mapping[str, str] | None, **content: object) -> Response:
        return asyncio.run(self._exchange(method, path, headers, **content))

    async def _exchange(self, method: str, path: str, headers: Mapping[str, str] | None, **content: object) -> Response:
        transport = ASGITransport(self._app, raise_app_exceptions=False)
        sent = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **(headers or {})}
        async with AsyncClient(transport=transport, base_url=HOST) as client:
            answer = await client.request(method, path, headers=sent, **content)  # type: ignore[arg-type]
        for line in answer.headers.get_list("set-cookie"):
            self._keep(line)
        if answer.headers.get("content-type", "").startswith("text/html") and answer.text:
            self.page = document_fromstring(answer.text)
        return answer

    def _keep(self, line: str) -> None:
        ((name, cookie),) = SimpleCookie(line).items()
        if cookie["max-age"] == "0":
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = cookie.value
