"""One request as the endpoints see it, and how they answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson
from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.types import Receive, Scope

from timbra.api.body import Pace, Share, read_body
from timbra.api.house import House
from timbra.errors import ServiceError
from timbra.service.orders import Caller

JSON = "application/json; charset=utf-8"


@dataclass(slots=True)
class Exchange:
    """A request on its way. parameters: of the path. The caller is known after `identify`.

    headers: by lower-case name, as Latin-1 text; the first of several counts. operation: the name of what is asked for.
    refused: the code of the refusal that answers it, for the log. document: the XML that is to be stamped, once known.
    """

    house: House
    scope: Scope
    receive: Receive
    request_id: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(init=False)
    refused: str | None = None
    operation: str = "unknown"
    document: bytes | None = None
    _caller: Caller | None = None
    _body_read: bool = False
    _share: Share = field(init=False)

    def __post_init__(self) -> None:
        self._share = Share(self.house.meters, self.house.settings.max_bytes_in_flight)
        sent = reversed(self.scope["headers"])
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in sent}

    @property
    def caller(self) -> Caller:
        """Who asks; known on every operation but the public ones."""
        if self._caller is None:
            raise ServiceError("AU4101")
        return self._caller

    def identify(self) -> Caller:
        """Checks the token. Raises the ServiceError of a refused one."""
        self._caller = self.house.accounts.caller(self.headers.get("authorization"))
        return self._caller

    @property
    def caller_or_none(self) -> Caller | None:
        """Who asks, None before `identify` and on public operations."""
        return self._caller

    @property
    def content_type(self) -> str:
        """The Content-Type as sent, empty when absent."""
        return self.headers.get("content-type", "")

    def query(self, name: str) -> str | None:
        """A query value by its name without case; None when absent. The first of several counts."""
        for key, value in QueryParams(self.scope["query_string"]).multi_items():
            if key.lower() == name:
                return value
        return None

    @property
    def awaits_leave(self) -> bool:
        """Whether the client still holds its body back (`Expect: 100-continue`)."""
        return not self._body_read and "expect" in self.headers

    async def body(self, limit: int | None = None) -> bytes:
        """The whole body, within the bounds of the settings, or the narrower `limit`."""
        settings = self.house.settings
        pace = Pace(settings.body_silence_seconds, settings.body_least_bytes_per_second)
        body = await read_body(self.receive, self.headers, limit or settings.max_body_bytes, pace, self._share)
        self._body_read = True
        return body

    def let_go(self) -> None:
        """The end of the exchange: its body counts no more among what is held."""
        self._share.let_go()


def json_answer(content: object, status: int = 200) -> Response:
    """An answer in JSON; the text goes out as UTF-8, uncompressed."""
    return Response(orjson.dumps(content), status, media_type=JSON)
