"""The request inspector, from the API call to its page."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from base64 import b64encode
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.types import Message
from tests.support.asgi import Answer, application, call, upload
from tests.support.browser import Visitor, portal_app
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute

from timbra import examples
from timbra.accounts.build import account_services
from timbra.inspector import pages as inspector
from timbra.inspector.build import inspector_services
from timbra.inspector.live_feed import EndReason
from timbra.inspector.pages import event
from timbra.inspector.store import CallFilter, NumberedCall
from timbra.sandbox.build import flush_buffers, sandbox_services

MAX_ACCOUNT_VIEWS = 4
PATH = "/portal/inspector"

ANA, BEA, BOSS = "ana@example.com", "bea@example.com", "jefa@example.com"
SCRIPT = "<script>alert(1)</script>"
INVOICE = examples.ingreso({"@Serie": "A", "@Folio": "7"}, fecha=FECHA).encode()
WRONG = with_attribute(INVOICE, "MetodoPago", "XXX")
HOSTILE = re.sub(rb'( [A-Z]\w+)="[^"]*"', rb'\1="&lt;script>alert(1)&lt;/script>"', INVOICE)
SECRET = "Contraseña-9f3b"


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    made.account(BEA)
    made.container.get(account_services).accounts.create(BOSS, "una contraseña larga", "administrator")
    yield made
    made.container.close()


def token_of(sandbox_app: SandboxApp, user: str = ANA) -> str:
    return sandbox_app.container.get(account_services).accounts.session_token(user).token


def send(
    sandbox_app: SandboxApp,
    method: str,
    path: str,
    body: bytes = b"",
    *,
    user: str = ANA,
    headers: dict[str, str] | None = None,
    query: str = "",
) -> Answer:
    """Send one call with a token, and write what was recorded."""
    sent = {**(headers or {}), "Authorization": f"Bearer {token_of(sandbox_app, user)}"}
    answer = call(application(sandbox_app.container), method, path, headers=sent, body=body, query=query)
    flush(sandbox_app)
    return answer


def issue(sandbox_app: SandboxApp, xml: bytes, **values: str) -> Answer:
    headers, body = upload(xml)
    return send(sandbox_app, "POST", "/cfdi33/issue/v4", body, headers=headers, **values)


def flush(sandbox_app: SandboxApp) -> None:
    recorder = sandbox_app.container.get(inspector_services).recorder
    assert recorder is not None
    recorder.flush()


def newest(sandbox_app: SandboxApp) -> NumberedCall:
    row, *_ = sandbox_app.container.get(inspector_services).calls.page(CallFilter(sandbox_app.caller.account_id))
    return row


def opened(visitor: Visitor, row: NumberedCall) -> str:
    assert visitor.get(f"{PATH}/{row.number}").status_code == 200
    return visitor.text


def stored_text(sandbox_app: SandboxApp) -> str:
    """Return everything that the newest call has in the database."""
    row = newest(sandbox_app)
    found = sandbox_app.container.get(inspector_services).calls.find(sandbox_app.caller.account_id, row.number)
    assert found is not None
    return f"{row}{found[1].decode()}"


@pytest.fixture(scope="module")
def ana(sandbox_app: SandboxApp) -> Visitor:
    made = Visitor(sandbox_app)
    made.sign_in(ANA)
    return made


@pytest.fixture(scope="module")
def rejected(sandbox_app: SandboxApp) -> NumberedCall:
    issue(sandbox_app, INVOICE)
    assert issue(sandbox_app, WRONG).status == 400
    return newest(sandbox_app)


def test_call_page_shows_request_answer_and_finding(ana: Visitor, rejected: NumberedCall) -> None:
    text = opened(ana, rejected)

    for shown in (
        "POST /cfdi33/issue/v4",
        "CFDI40124",
        "@MetodoPago",
        "XXX",
        "EKU9003173C9 → URE180429TM6",
        "Bearer [oculto]",
        "multipart/form-data",
        rejected.call.request_id,
        '"status": "error"',
        "cfdi:Comprobante",
    ):
        assert shown in text
    assert ana.page is not None
    links = [str(link.get("href")) for link in ana.page.xpath("//main//a")]
    assert "/validador/reglas/CFDI40124" in links
    [anchor] = [link for link in links if link.startswith("#s-")]
    assert "marked" in str(ana.page.get_element_by_id(anchor[1:]).get("class"))


def test_call_page_of_a_stamp_shows_the_xml_of_the_answer(
    sandbox_app: SandboxApp, ana: Visitor, rejected: NumberedCall
) -> None:
    stamped = sandbox_app.container.get(inspector_services).calls.page(
        CallFilter(rejected.call.account_id, rejected=False, text="/cfdi33/issue/v4"), limit=1
    )
    text = opened(ana, stamped[0])

    assert "tfd:TimbreFiscalDigital" in text
    assert (stamped[0].call.status, stamped[0].call.code) == (200, "")
    assert stamped[0].call.microseconds > 0
    assert ana.page is not None
    [folio] = ana.page.xpath("//form[@action='/portal/webhooks/reenviar/documento']/input[@name='folio']/@value")
    ana.get(ana.post("/portal/webhooks/reenviar/documento", {"folio": str(folio)}).headers["location"])
    assert "Ningún destino habilitado tiene eventos de ese documento." in ana.text


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        ("", True),
        ("estado=4xx", True),
        ("estado=400", True),
        ("estado=rechazadas", True),
        ("estado=2xx", False),
        ("estado=aceptadas", False),
        ("codigo=CFDI40124", True),
        ("codigo=CFDI40147", False),
        ("rfc=eku9003173c9", True),
        ("rfc=AAA010101AAA", False),
        ("texto=metodopago+debe", True),
        ("texto=ISSUE", True),
        ("texto=%25", False),
    ],
)
def test_search_filters(ana: Visitor, rejected: NumberedCall, query: str, matches: bool) -> None:
    assert ana.get(f"{PATH}?{query}").status_code == 200
    assert ana.page is not None
    assert bool(ana.page.xpath(f"//tr[@data-call='{rejected.number}']")) is matches


@pytest.mark.parametrize("query", ["estado=x", "estado=9xx", "cursor=x", f"cursor={2**64}", "cursor=-1"])
def test_search_rejects_bad_input_with_a_sentence(ana: Visitor, query: str) -> None:
    assert ana.get(f"{PATH}?{query}").status_code == 422
    assert "Inspector de solicitudes" in ana.text


def test_search_has_pages(
    sandbox_app: SandboxApp, ana: Visitor, rejected: NumberedCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspector, "ROWS", 1)
    ana.get(f"{PATH}?texto=issue")
    assert ana.page is not None
    [first] = ana.page.xpath("//tr/@data-call")
    [following] = ana.page.xpath("//a[@rel='next']/@href")

    ana.get(str(following))

    assert ana.page.xpath("//tr/@data-call") == [str(int(first) - 1)]
    assert not ana.page.xpath("//*[@data-live]")


@pytest.mark.parametrize("user", [BEA, BOSS])
def test_other_accounts_see_nothing(sandbox_app: SandboxApp, rejected: NumberedCall, user: str) -> None:
    visitor = Visitor(sandbox_app)
    visitor.sign_in(user)

    visitor.get(PATH)
    assert "Todavía no hay llamadas" in visitor.text
    for path in (f"{PATH}/{rejected.number}", f"{PATH}/{rejected.number}/solicitud"):
        assert visitor.get(path).status_code == 404
    visitor.get("/portal")
    assert "Todavía no hay llamadas" in visitor.text
    lines = stream(sandbox_app, visitor, stop=True)
    assert not any("data-call" in line for line in lines)


@pytest.mark.parametrize("path", [f"{PATH}/0", f"{PATH}/{2**70}", f"{PATH}/x", f"{PATH}/1/otra"])
def test_unknown_calls_are_not_found(ana: Visitor, path: str) -> None:
    assert ana.get(path).status_code == 404


def test_download_returns_the_recorded_body(ana: Visitor, rejected: NumberedCall) -> None:
    answer = ana.get(f"{PATH}/{rejected.number}/solicitud")

    assert answer.headers["content-disposition"].startswith("attachment;")
    assert WRONG in answer.content
    assert b"CFDI40124" in ana.get(f"{PATH}/{rejected.number}/respuesta").content


def test_scripts_in_every_field_are_text(sandbox_app: SandboxApp, ana: Visitor) -> None:
    headers, body = upload(HOSTILE)
    headers |= {"X-Nota": SCRIPT}
    send(sandbox_app, "POST", "/cfdi33/issue/v4", body, headers=headers, query=f"a={SCRIPT}")
    row = newest(sandbox_app)
    opened(ana, row)
    assert ana.page is not None
    assert "alert(1)" in ana.text
    assert not [script for script in ana.page.xpath("//script") if script.text]
    send(sandbox_app, "GET", f"/nada/{SCRIPT}")
    ana.get(PATH)
    assert f"/nada/{SCRIPT}" in ana.text
    assert not [script for script in ana.page.xpath("//script") if script.text]


def test_xml_that_cannot_be_parsed_is_shown_as_text(sandbox_app: SandboxApp, ana: Visitor) -> None:
    issue(sandbox_app, INVOICE[:300] + b"\xff<!DOCTYPE a>")

    text = opened(ana, newest(sandbox_app))

    assert "<!DOCTYPE a>" in text
    assert "cfdi:Comprobante" in text


def test_wrong_path_with_a_token_is_recorded(sandbox_app: SandboxApp, ana: Visitor) -> None:
    assert send(sandbox_app, "GET", "/cfdi33/isue/v4").status == 404

    assert "TB4040" in opened(ana, newest(sandbox_app))


def test_calls_without_an_account_are_not_recorded(sandbox_app: SandboxApp, rejected: NumberedCall) -> None:
    before = newest(sandbox_app).number
    app = application(sandbox_app.container)
    for headers in ({}, {"Authorization": "Bearer x.y.z"}):
        call(app, "GET", "/account/balance/", headers=headers)
        call(app, "GET", "/nada", headers=headers)
    flush(sandbox_app)

    assert newest(sandbox_app).number == before


def test_key_files_and_passwords_are_not_stored(sandbox_app: SandboxApp) -> None:
    credential = sandbox_app.mint()
    key = b64encode(credential.key_der).decode()
    content = {"type": "stamp", "b64Cer": b64encode(credential.certificate_der).decode(), "b64Key": key}
    body = json.dumps(content | {"password": credential.password}).encode()
    answer = send(sandbox_app, "POST", "/certificates/save", body, headers={"Content-Type": "application/json"})
    assert answer.status == 200, answer.body
    first = stored_text(sandbox_app)
    cancel = {"uuid": "x", "rfc": "EKU9003173C9", "motivo": "02", "password": SECRET, "b64Pfx": key}
    send(sandbox_app, "POST", "/cfdi33/cancel/pfx", json.dumps(cancel).encode(), headers={"password": SECRET})
    second = stored_text(sandbox_app)
    broken = json.dumps(cancel).encode()[:-10]
    send(sandbox_app, "POST", "/cfdi33/cancel/csd", broken, headers={"Content-Type": "application/json"})
    third = stored_text(sandbox_app)

    for text in (first, second, third):
        assert "[oculto]" in text
        assert credential.password not in text
        assert SECRET not in text
        assert key[:40] not in text
        assert token_of(sandbox_app) not in text


def test_curl_repeats_the_call(sandbox_app: SandboxApp, ana: Visitor, rejected: NumberedCall) -> None:
    opened(ana, rejected)
    assert ana.page is not None
    [command] = ana.page.xpath("//section[@aria-labelledby='repeat']//pre")
    words = shlex.split(command.text_content().replace("\\\n", " "))

    assert words[:3] == ["curl", "-X", "POST"]
    assert "Authorization: Bearer $TIMBRA_TOKEN" in words
    headers = dict(word.split(": ", 1) for word in words if ": " in word)
    body = ana.get(f"{PATH}/{rejected.number}/solicitud").content
    again = send(
        sandbox_app,
        "POST",
        words[3].removeprefix("http://testserver"),
        body,
        headers={name: value for name, value in headers.items() if name != "Authorization"},
    )
    assert again.json["message"].startswith("CFDI40124")


def test_curl_has_a_short_json_body_and_quotes_it(sandbox_app: SandboxApp, ana: Visitor) -> None:
    body = json.dumps({"uuid": "it's; $(rm -rf x) `y`"}).encode()
    send(sandbox_app, "POST", "/cfdi33/cancel/csd", body, headers={"Content-Type": "application/json"})
    opened(ana, newest(sandbox_app))
    assert ana.page is not None
    [command] = ana.page.xpath("//section[@aria-labelledby='repeat']//pre")

    assert shlex.split(command.text_content().replace("\\\n", " "))[-1] == body.decode()


def test_curl_encodes_the_path(sandbox_app: SandboxApp, ana: Visitor) -> None:
    send(sandbox_app, "GET", "/nada/a b<ñ>", query="q=%20x")
    opened(ana, newest(sandbox_app))
    assert ana.page is not None
    [command] = ana.page.xpath("//section[@aria-labelledby='repeat']//pre")

    url = shlex.split(command.text_content().replace("\\\n", " "))[3]
    assert url == "http://testserver/nada/a%20b%3C%C3%B1%3E?q=%20x"


def test_home_shows_percentiles_and_last_calls(ana: Visitor, rejected: NumberedCall) -> None:
    ana.get("/portal")

    assert re.search(r"Duración de las llamadas\s*[\d.]+ m?s\s*p50 · p99 [\d.]+ m?s", ana.text)
    assert ana.page is not None
    assert ana.page.xpath(f"//a[starts-with(@href, '{PATH}/')]")


def test_inspector_that_is_off_says_so_and_records_nothing(tmp_path: Path) -> None:
    app = SandboxApp(tmp_path, inspector="off")
    visitor = Visitor(app)
    visitor.sign_in(ANA)
    assert app.container.get(inspector_services).recorder is None
    call(application(app.container), "GET", "/nada", headers={"Authorization": f"Bearer {token_of(app)}"})

    assert "El inspector de solicitudes está apagado" in visitor.text
    visitor.get(PATH)
    assert "TIMBRA_INSPECTOR=on" in visitor.text
    assert visitor.get(f"{PATH}/vivo").status_code == 404
    app.container.close()


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspector, "KEEP_ALIVE_SECONDS", 0.01)


def stream(sandbox_app: SandboxApp, visitor: Visitor, *, query: str = "", stop: bool = False) -> list[str]:
    """Read the live view until the server ends it.

    stop: the worker stops after the first events.
    """
    return asyncio.run(_stream(sandbox_app, visitor, query, stop=stop))


async def _stream(sandbox_app: SandboxApp, visitor: Visitor, query: str, *, stop: bool) -> list[str]:
    sent: list[str] = []
    status: list[int] = []
    cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    scope = {
        "type": "http",
        "method": "GET",
        "path": f"{PATH}/vivo",
        "raw_path": f"{PATH}/vivo".encode(),
        "query_string": query.encode(),
        "headers": [(b"cookie", cookie.encode()), (b"host", b"testserver")],
        "server": ("testserver", 80),
        "client": ("127.0.0.1", 1),
        "scheme": "http",
    }
    feed = sandbox_app.container.get(inspector_services).feed
    left = asyncio.Event()

    async def receive() -> Message:
        await left.wait()
        return {"type": "http.disconnect"}

    async def send_message(message: Message) -> None:
        if message["type"] == "http.response.start":
            status.append(message["status"])
        sent.append(message.get("body", b"").decode())
        if stop and len(sent) > 2:
            for view in [*feed._views]:
                view.end(EndReason.STOPPING)

    await portal_app(sandbox_app.container)(scope, receive, send_message)
    left.set()
    assert feed.views == 0
    return [str(status[0]), *"".join(sent).splitlines()]


def test_live_view_sends_new_calls_that_match(sandbox_app: SandboxApp, ana: Visitor, rejected: NumberedCall) -> None:
    before = rejected.number - 1

    lines = stream(sandbox_app, ana, query=f"desde={before}&codigo=CFDI40124", stop=True)

    assert lines[0] == "200"
    assert "event: calls" in lines
    assert any(f'data-call="{rejected.number}"' in line for line in lines)
    assert all(line.startswith(("data: ", "id: ", "event: ", "retry: ")) for line in lines[1:] if line)
    none = stream(sandbox_app, ana, query=f"desde={before}&codigo=CFDI40999", stop=True)
    assert "event: calls" not in none


def test_live_view_ends_with_the_session(sandbox_app: SandboxApp) -> None:
    visitor = Visitor(sandbox_app)
    visitor.sign_in(BEA)
    accounts = sandbox_app.container.get(account_services).accounts
    token = visitor.cookies["timbra_session"]
    number = sandbox_app.container.get(inspector_services).calls.newest_number(sandbox_app.caller.account_id)

    async def end_later() -> list[str]:
        reading = asyncio.create_task(_stream(sandbox_app, visitor, f"desde={number}", stop=False))
        await asyncio.sleep(0.05)
        await asyncio.to_thread(accounts.end_session, token)
        return await asyncio.wait_for(reading, 30)

    lines = asyncio.run(end_later())

    assert lines[-3:] == ["event: end", "data: session", ""]
    assert any(line.startswith(":") for line in lines)
    answer = visitor.get(f"{PATH}/vivo")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/portal/entrar?aviso=sesion")


def test_ended_session_leads_to_a_sentence(sandbox_app: SandboxApp) -> None:
    visitor = Visitor(sandbox_app)
    visitor.sign_in(BEA)
    sandbox_app.container.get(account_services).accounts.end_session(visitor.cookies["timbra_session"])

    back = "regreso=%2Fportal%2Finspector"
    assert visitor.get(PATH).headers["location"] == f"/portal/entrar?aviso=sesion&{back}"
    visitor.get("/portal/entrar?aviso=sesion")
    assert "La sesión terminó" in visitor.text
    live_search = visitor.get(PATH, headers={"HX-Request": "true"})
    assert (live_search.status_code, live_search.headers["hx-redirect"]) == (200, f"/portal/entrar?aviso=sesion&{back}")
    visitor.cookies.clear()
    for referer, location in (
        ("http://testserver/portal/facturas", f"/portal/entrar?aviso=sesion&{back}"),
        ("http://testserver/portal/entrar", f"/portal/entrar?{back}"),
        ("http://testserver/validador", f"/portal/entrar?{back}"),
        ("http://elsewhere/portal", f"/portal/entrar?{back}"),
    ):
        assert visitor.get(PATH, headers={"Referer": referer}).headers["location"] == location


def test_event_has_one_field_for_each_line() -> None:
    assert event("calls", "<tr>\n\n</tr>\r\nevent: end", 7) == (
        "id: 7\nevent: calls\ndata: <tr>\ndata: </tr>\ndata: event: end\n\n"
    )


def test_expire_of_the_container_uses_the_settings(tmp_path: Path) -> None:
    app = SandboxApp(tmp_path, inspector_days=1, inspector_rows=2)
    for _ in range(4):
        send(app, "GET", "/account/balance/")
    services = app.container.get(inspector_services)

    services.expire()

    assert len(services.calls.page(CallFilter(app.caller.account_id))) == 2
    assert services.calls.expire(app.container.wall.now() + timedelta(hours=1), 2) == 2
    app.container.close()


def test_reset_of_an_account_removes_its_recorded_calls(tmp_path: Path) -> None:
    app = SandboxApp(tmp_path)
    bea = app.account(BEA)
    for user in (ANA, ANA, BEA):
        send(app, "GET", "/account/balance/", user=user)
    removed = app.container.get(sandbox_services).account_reset.reset(app.caller.account_id, ANA, ANA)
    calls = app.container.get(inspector_services).calls
    assert removed.calls == 2
    assert [len(calls.page(CallFilter(account))) for account in (app.caller.account_id, bea.account_id)] == [0, 1]
    app.container.close()


def test_bound_of_views_is_small() -> None:
    """Browsers open six connections for each server; the pages need some of them."""
    assert MAX_ACCOUNT_VIEWS < 6


def stamp(app: SandboxApp, xml: bytes, *, is_lost: bool = False, boundary: str = "x", **headers: str) -> None:
    sent, body = upload(xml)
    body = body.replace(sent["Content-Type"].partition("boundary=")[2].encode(), boundary.encode())
    sent = {**headers, "Content-Type": f"multipart/form-data; boundary={boundary}"}
    sent |= {"Authorization": f"Bearer {token_of(app)}"}
    extensions = {"timbra.abort_connection": {"close": lambda: None}}
    try:
        call(application(app.container), "POST", "/v4/cfdi33/issue/v4", headers=sent, body=body, extensions=extensions)
    except ValueError:
        assert is_lost
    flush_buffers(app.container)


def test_inspector_says_what_the_client_did_wrong(tmp_path: Path) -> None:
    app = SandboxApp(tmp_path / "data")
    app.store(app.mint())
    faults = app.container.get(sandbox_services).faults
    visitor = Visitor(app)
    assert visitor.sign_in(ANA).status_code == 303

    def invoice(folio: str, **changes: str) -> bytes:
        values = {"@Folio": folio, "@Serie": "CB", **{f"@{name}": value for name, value in changes.items()}}
        return examples.ingreso(values, fecha=FECHA).encode()

    faults.set("answer-lost", 1)
    stamp(app, invoice("1"), is_lost=True)
    visitor.get(PATH)
    assert "sin respuesta" in visitor.text
    assert "Lo que el cliente hizo mal" not in visitor.text
    stamp(app, invoice("1"), boundary="y")
    visitor.get(PATH)
    assert "Lo que el cliente hizo mal" not in visitor.text, "the same bytes in another multipart frame"
    stamp(app, invoice("1"))
    visitor.get(PATH)
    assert "Ignoró el 307" in visitor.text

    faults.set("answer-lost", 1)
    stamp(app, invoice("2"), is_lost=True)
    stamp(app, invoice("2", CondicionesDePago="Contado"))
    visitor.get(PATH)
    assert "Repitió con otros bytes" in visitor.text

    faults.set("unavailable", 1, 30)
    stamp(app, invoice("3"))
    stamp(app, invoice("3"))
    visitor.get(PATH)
    assert visitor.page is not None
    section = "//section[@aria-labelledby='client-findings']"
    titles = [str(title) for title in visitor.page.xpath(f"{section}//article/@aria-label")]
    assert titles == ["Repitió antes de tiempo", "Repitió con otros bytes", "Ignoró el 307"]
    [first, *_] = visitor.page.xpath(f"{section}//a/@href")
    visitor.get(str(first))
    assert "Repitió antes de tiempo" in visitor.text
    assert "Ignoró el 307" not in visitor.text
    app.container.close()
