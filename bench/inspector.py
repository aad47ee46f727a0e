"""`python -m bench.inspector`: processor time of the request inspector for each stamp.

The first row is what a request pays on the event loop: one object and one append. The others are paid later, in the
thread of a periodic job: the masked content of a call, and its row in a batch on SQLite.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from starlette.responses import Response
from starlette.types import Message, Scope

from timbra import examples
from timbra.accounts.build import account_services
from timbra.app.composition import build_container
from timbra.app.request_environment import request_environment
from timbra.database.build import opened_database
from timbra.inspector.build import inspector_services
from timbra.inspector.call_content import content_of
from timbra.inspector.recorder import MAX_ACCOUNT_CALLS, CallRecorder
from timbra.inspector.store import ApiCallStore
from timbra.settings import Settings
from timbra.web.captured_call import CapturedCall
from timbra.web.framework.call_capture import capture_call
from timbra.web.framework.request_context import RequestContext, json_response

ROUNDS = 9
CALLS = 100
BOUNDARY = "5a9f4ab611a3ff1169b61355f905589a"
USER, PASSWORD = "bench@example.com", "una contraseña de prueba larga"


def main() -> None:
    """Print the table."""
    with TemporaryDirectory() as folder:
        container = build_container(Settings(data=Path(folder)))
        container.get(account_services).accounts.create(USER, PASSWORD)
        recorder = container.get(inspector_services).recorder
        if recorder is None:
            raise RuntimeError("the sandbox records calls")
        token = container.get(account_services).accounts.session_token(USER).token
        scope = _scope(token)
        request = RequestContext(container.get(request_environment), scope, _no_body, "0123456789abcdef-000001")
        asyncio.run(request.authenticate_caller())
        request.received = _body()
        answered = json_response(
            {"data": {"cfdi": examples.ingreso(concepts=3), "qr": "x" * 3000}, "status": "success"}
        )
        calls = [_captured(recorder, request, answered) for _ in range(CALLS)]
        store = ApiCallStore(container.get(opened_database))
        now = datetime.now(UTC)
        contents = [content_of(now, call) for call in calls]
        rows: dict[str, Callable[[], object]] = {
            "capture and append (event loop)": lambda: _capture(recorder, request, answered),
            "mask and compose (thread)": lambda: [content_of(now, call) for call in calls],
            "compress and insert (thread)": lambda: store.add(contents, {}, now),
        }
        console = Console()
        console.print(f"{'work':<36}{'us a call':>12}")
        for name, work in rows.items():
            console.print(f"{name:<36}{_least(work, recorder):>12.2f}")
        container.close()


def _capture(recorder: CallRecorder, request: RequestContext, answered: Response) -> None:
    for _ in range(CALLS):
        capture_call(recorder, request, answered, 0.004)


def _captured(recorder: CallRecorder, request: RequestContext, answered: Response) -> CapturedCall:
    capture_call(recorder, request, answered, 0.004)
    _, _, call = recorder._entries.pop()
    return call


def _least(work: Callable[[], object], recorder: CallRecorder) -> float:
    """Return the least processor time of a round, in microseconds a call; the buffer is empty before each round."""
    if CALLS > MAX_ACCOUNT_CALLS:
        raise ValueError("more calls than the buffer of one account takes")
    times = []
    for _ in range(ROUNDS):
        recorder._entries.clear()
        recorder._accounts.clear()
        recorder._bytes = 0
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times) / CALLS * 1_000_000


def _scope(token: str) -> Scope:
    headers = {
        "host": "127.0.0.1:8080",
        "authorization": f"Bearer {token}",
        "content-type": f"multipart/form-data; boundary={BOUNDARY}",
        "user-agent": "bench",
        "accept": "*/*",
        "content-length": "2400",
    }
    return {
        "type": "http",
        "method": "POST",
        "path": "/cfdi33/issue/v4",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
    }


def _body() -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="xml"; filename="a.xml"\r\n\r\n'
    return f"{head}{examples.ingreso(concepts=3)}\r\n--{BOUNDARY}--\r\n".encode()


async def _no_body() -> Message:
    return {"type": "http.disconnect"}


if __name__ == "__main__":
    main()
