"""The documentation under /docs: files, conditional requests, other methods, wrong paths, and its switch."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from tests.support.sandbox_app import SandboxApp

from timbra.app.api_factory import build as build_api
from timbra.app.front_controller import FrontController, page_environment
from timbra.app.request_environment import request_environment
from timbra.web.portal.documentation.endpoint import DocumentationEndpoint
from timbra.web.portal.documentation.site import open_site

STYLE = b"body { margin: 0 }"


@dataclass(frozen=True)
class Answer:
    """One response of an application."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def ask(app: ASGIApp, path: str, method: str = "GET", headers: Mapping[str, str] | None = None) -> Answer:
    """Send a request whose decoded path is not normalized, as a client without that courtesy does."""
    sent: list[Message] = []
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"testserver"), *((k.encode(), v.encode()) for k, v in (headers or {}).items())],
        "client": ("127.0.0.1", 1),
        "server": ("testserver", 80),
        "state": {},
    }

    received: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if not received:
            await asyncio.Event().wait()  # the client stays connected
        return received.pop()

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(_run(app, scope, receive, send))
    start = sent[0]
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return Answer(start["status"], {k.decode(): v.decode() for k, v in start["headers"]}, body)


async def _run(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    await app(scope, receive, send)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built site of two pages, beside a file that is not part of it."""
    folder = tmp_path_factory.mktemp("documentation")
    (folder / "secret.txt").write_text("secret")
    site = folder / "site"
    (site / "settings").mkdir(parents=True)
    (site / "assets").mkdir()
    (site / "index.html").write_text("<p>first page</p>")
    (site / "settings" / "index.html").write_text("<p>settings</p>")
    (site / "assets" / "main.1a2b.min.css").write_bytes(STYLE)
    (site / "assets" / "data.unknown").write_bytes(b"?")
    return site


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    yield made
    made.container.close()


def application(sandbox_app: SandboxApp, folder: Path | None) -> ASGIApp:
    container = sandbox_app.container
    api = build_api(container.get(request_environment), container.groups)
    environment = replace(page_environment(container), documentation=folder)
    return FrontController(api, environment, container.groups)


@pytest.fixture(scope="module")
def app(sandbox_app: SandboxApp, site: Path) -> ASGIApp:
    return application(sandbox_app, site)


@pytest.mark.parametrize(
    ("path", "content_type", "body"),
    [
        ("/docs/", "text/html; charset=utf-8", b"<p>first page</p>"),
        ("/docs/settings/", "text/html; charset=utf-8", b"<p>settings</p>"),
        ("/docs/settings/index.html", "text/html; charset=utf-8", b"<p>settings</p>"),
        ("/docs/assets/main.1a2b.min.css", "text/css; charset=utf-8", STYLE),
        ("/docs/assets/data.unknown", "application/octet-stream", b"?"),
    ],
)
def test_documentation_serves_files_with_their_content_type(
    app: ASGIApp, path: str, content_type: str, body: bytes
) -> None:
    answer = ask(app, path)

    assert (answer.status, answer.headers["content-type"], answer.body) == (200, content_type, body)
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "location"),
    [("/docs", "/docs/"), ("/docs/settings", "/docs/settings/"), ("/docs/api", "/docs/api/")],
)
def test_documentation_redirects_to_the_path_with_a_slash(app: ASGIApp, path: str, location: str) -> None:
    answer = ask(app, path)

    assert (answer.status, answer.headers["location"]) == (308, location)


@pytest.mark.parametrize(
    "path",
    [
        "/docs/../secret.txt",
        "/docs/../../secret.txt",
        "/docs/%2e%2e/secret.txt",
        "/docs/..\\secret.txt",
        "/docs//etc/passwd",
        "/docs//example.com",
        "/docs/assets",
        "/docs/assets/",
        "/docs/settings/index.html/",
        "/docs/\0",
        "/docs/" + "a" * 100_000,
        "/docs/" + "a/" * 10_000,
        "/docs/\ud83d",
    ],
    ids=lambda path: ascii(path[:30]),
)
def test_documentation_has_no_page_outside_of_the_site(app: ASGIApp, path: str) -> None:
    scope_path = path.encode("utf-8", "replace").decode()

    answer = ask(app, scope_path)

    assert answer.status == 404
    assert "Esta página no existe." in answer.body.decode()
    assert answer.headers["cache-control"] == "no-store"


def test_documentation_answers_304_when_the_entity_tag_matches(app: ASGIApp) -> None:
    tag = ask(app, "/docs/").headers["etag"]

    for condition in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        answer = ask(app, "/docs/", headers={"if-none-match": condition})
        assert (answer.status, answer.body, answer.headers["etag"]) == (304, b"", tag)
    assert ask(app, "/docs/", headers={"if-none-match": '"other"'}).status == 200


def test_entity_tag_depends_on_the_content_only(site: Path) -> None:
    first, second = open_site(site), open_site(site)
    pages = [first.files["index.html"], first.files["settings/index.html"]]

    assert [first.tag(page) for page in pages] == [second.tag(page) for page in pages]
    assert first.tag(pages[0]) != first.tag(pages[1])


def test_browsers_keep_files_whose_name_has_a_digest_and_revalidate_others(app: ASGIApp) -> None:
    assert "immutable" in ask(app, "/docs/assets/main.1a2b.min.css").headers["cache-control"]
    assert ask(app, "/docs/").headers["cache-control"] == "no-cache"
    assert ask(app, "/docs/assets/data.unknown").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("value", ["bytes=0-3", "bytes=9-1", "pages=1", "bytes=100-"])
def test_documentation_ignores_the_header_range(app: ASGIApp, value: str) -> None:
    answer = ask(app, "/docs/assets/main.1a2b.min.css", headers={"range": value})

    assert (answer.status, answer.body) == (200, STYLE)
    assert answer.headers["accept-ranges"] == "none"


def test_documentation_answers_head_without_a_body(app: ASGIApp) -> None:
    whole, head = ask(app, "/docs/settings/"), ask(app, "/docs/settings/", "HEAD")

    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == str(len(whole.body))
    assert head.headers["etag"] == whole.headers["etag"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", ["/docs", "/docs/", "/docs/settings/", "/docs/none"])
def test_documentation_answers_405_in_the_envelope_to_other_methods(app: ASGIApp, method: str, path: str) -> None:
    answer = ask(app, path, method)

    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")
    assert json.loads(answer.body) == {
        "message": f"TB4042 - La ruta no admite el método {method}.",
        "messageDetail": None,
        "data": None,
        "status": "error",
    }


def test_pages_of_the_site_may_load_from_this_server_only(app: ASGIApp) -> None:
    policy = dict(part.strip().partition(" ")[::2] for part in _policy(app, "/docs/settings/").split(";"))

    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert {policy[name] for name in ("connect-src", "font-src")} == {"'self'"}
    assert "unsafe-inline" not in _policy(app, "/docs/api/")


def _policy(app: ASGIApp, path: str) -> str:
    return ask(app, path).headers["content-security-policy"]


def test_first_page_says_how_to_build_the_site_when_it_is_absent(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    app = application(sandbox_app, tmp_path / "none")

    answer = ask(app, "/docs/")

    assert answer.status == 404
    assert answer.body.decode().count("make docs-site") == 2
    assert "La documentación no está construida" in answer.body.decode()
    assert ask(app, "/docs/api/").status == 200
    assert ask(app, "/docs/settings/").status == 404


def test_documentation_answers_404_when_a_file_was_removed_meanwhile(tmp_path: Path, sandbox_app: SandboxApp) -> None:
    for name in ("index.html", "old.html"):
        (tmp_path / name).write_text("page")
    app = application(sandbox_app, tmp_path)
    assert ask(app, "/docs/old.html").status == 200
    (tmp_path / "old.html").rename(tmp_path / "new.html")

    assert ask(app, "/docs/old.html").status == 404
    assert ask(app, "/docs/new.html").status == 200


def test_api_answers_for_the_documentation_when_it_is_switched_off(sandbox_app: SandboxApp) -> None:
    app = application(sandbox_app, None)

    for path in ("/docs", "/docs/", "/docs/api/"):
        answer = ask(app, path)
        assert (answer.status, json.loads(answer.body)["message"]) == (404, "TB4040 - La ruta no existe.")
    assert b"/docs/" not in ask(app, "/portal/entrar").body


def test_footer_of_the_portal_links_to_the_documentation(app: ASGIApp) -> None:
    page = ask(app, "/portal/entrar").body.decode()

    assert '<a href="/docs/">Documentación</a>' in page
    assert '<a href="/docs/api/">API</a>' in page


def test_setting_switches_the_documentation_off(tmp_path: Path) -> None:
    made = SandboxApp(tmp_path, docs=False)

    assert page_environment(made.container).documentation is None
    made.container.close()


def test_endpoint_reads_the_folder_at_the_first_request(tmp_path: Path) -> None:
    endpoint = DocumentationEndpoint(tmp_path)
    (tmp_path / "index.html").write_text("made later")

    assert ask(endpoint, "/docs/").body == b"made later"
