"""One request as pages see it, and how they answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jinja2 import Environment
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from timbra.errors import ServiceError
from timbra.portal import sessions
from timbra.service.orders import Caller

if TYPE_CHECKING:
    from timbra.portal.menu import Entry
    from timbra.wiring import House

MOST_FIELDS = 200


@dataclass(slots=True)
class Visit:
    """caller: None for a visitor without a session. holder: what the proof of forms is made with."""

    house: House
    request: Request
    templates: Environment
    caller: Caller | None
    holder: str
    menu: tuple[Entry, ...] = ()
    most_bytes: int = 64 * 1024

    @property
    def account(self) -> Caller:
        """The caller of a page that asks for one."""
        if self.caller is None:
            raise HTTPException(401)
        return self.caller

    @property
    def is_fragment(self) -> bool:
        """Whether htmx asks for a part of a page."""
        return self.request.headers.get("hx-request") == "true"

    @property
    def secure(self) -> bool:
        """Whether cookies are for encrypted connections alone."""
        return self.house.settings.public_url.startswith("https://") or self.request.url.scheme == "https"

    def query(self, name: str) -> str:
        """A value of the address, stripped; empty when absent."""
        return self.request.query_params.get(name, "").strip()

    def part(self, name: str) -> str:
        """A variable part of the path. HTTPException(404) for what nothing is called."""
        text = str(self.request.path_params[name])
        if not text.isprintable():
            raise HTTPException(404)
        return text

    async def form(self, *, most_files: int = 0) -> FormData:
        """The fields that were sent, after the proof that our page sent them.

        HTTPException: 403 without proof, 413 beyond `most_bytes`, 400 for what is no form.
        """
        if int(self.request.headers.get("content-length", "0")) > self.most_bytes:
            raise HTTPException(413)
        form = await self.request.form(max_files=most_files, max_fields=MOST_FIELDS, max_part_size=self.most_bytes)
        sent = self.request.headers.get("x-proof") or form.get("proof")
        proved = isinstance(sent, str) and sessions.is_proved(self.holder, sent)
        if not proved or not sessions.comes_from_us(self.request):
            raise HTTPException(403)
        return form

    def show(self, template: str, values: Mapping[str, object] | None = None, *, status: int = 200) -> Response:
        """A page from a template. values: what it shows beside what every page knows."""
        text = self.templates.get_template(template).render({**self._common(), **(values or {})})
        response = HTMLResponse(text, status)
        if self.caller is None:
            sessions.keep_visitor(response, self.holder, secure=self.secure)
        return response

    def show_error(self, template: str, error: ServiceError, values: Mapping[str, object]) -> Response:
        """The same page again with what was wrong, told beside the form."""
        return self.show(template, {**values, "error": error}, status=422)

    def _common(self) -> dict[str, object]:
        return {
            "caller": self.caller,
            "proof": sessions.proof(self.holder),
            "menu": self.menu,
            "path": self.request.url.path,
            "sandbox": self.house.sandbox,
            "environment": self.house.settings.environment,
            "error": None,
            "notice": self.query("aviso"),
        }


def text_of(form: FormData, name: str, most: int = 500) -> str:
    """A text field, stripped; empty when absent or a file. ServiceError("TB4005") beyond `most` characters.

    The same for NUL, which no browser sends and not every database takes.
    """
    value = form.get(name)
    text = value.strip() if isinstance(value, str) else ""
    if len(text) > most:
        raise ServiceError("TB4005", f"El campo {name} admite a lo más {most} caracteres.")
    if "\0" in text:
        raise ServiceError("TB4005", f"El campo {name} tiene caracteres que no son texto.")
    return text


def moved(address: str) -> Response:
    """To another page after a form was taken, so that reloading sends nothing twice."""
    return RedirectResponse(address, 303)
