"""The endpoints of the transparency log, of a public log and of one for tokens, and a verification in JavaScript."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.types import ASGIApp
from tests.support.asgi import Answer, application, call
from tests.support.cancellation_app import CancellationApp
from tests.support.requirements import need

from timbra.accounts.build import account_services
from timbra.audit.build import audit_log
from timbra.documents.build import document_services
from timbra.events.build import dispatch_events
from timbra.transparency.build import transparency_log
from timbra.transparency.merkle import leaf_hash
from timbra.transparency.notes import NoteKey, parse_note
from timbra.transparency.proofs import parse_inclusion

SCRIPT = Path(__file__).parents[1] / "clients" / "node" / "verify_proof.mjs"
UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    app = CancellationApp(tmp_path_factory.mktemp("data") / "sandbox")
    yield app
    app.container.close()


@pytest.fixture(scope="module")
def folio(sandbox: CancellationApp) -> str:
    uuid = [sandbox.invoice(price=f"{price}.00") for price in range(100, 105)][2]
    sandbox.cancel(uuid)
    sandbox.container.get(audit_log).chain.run()
    dispatch_events(sandbox.container)
    sandbox.container.get(transparency_log).run()
    return uuid


@pytest.fixture(scope="module")
def app(sandbox: CancellationApp, folio: str) -> ASGIApp:
    return application(sandbox.container)


def get(app: ASGIApp, path: str, token: str = "") -> Answer:
    path, _, query = path.partition("?")
    return call(app, "GET", path, query=query, headers={"Authorization": f"Bearer {token}"} if token else {})


def test_proof_is_small_and_verifies(app: ASGIApp, sandbox: CancellationApp, folio: str) -> None:
    answer = get(app, f"/proof/{folio.upper()}")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert len(answer.body) < 1_500
    proof = parse_inclusion(answer.body.decode())
    proof.check()
    assert proof.note.is_signed_by(sandbox.container.get(transparency_log).keys[0])
    assert str(proof.note).encode() == get(app, "/checkpoint").body
    cancelled = parse_inclusion(get(app, f"/proof/{folio}?kind=cancellation.cancelled").body.decode())
    assert b'"kind":"cancellation.cancelled"' in cancelled.leaf
    for path in (f"/proof/{UNKNOWN}", "/proof/x", f"/proof/{folio}?kind=other"):
        assert (get(app, path).status, get(app, path).json["message"][:6]) == (404, "TB4041"), path


def test_tiles_and_entries_lead_to_the_checkpoint(app: ASGIApp) -> None:
    answer = get(app, "/checkpoint")
    assert answer.headers["cache-control"] == "no-cache"
    size = parse_note(answer.body.decode()).checkpoint.size
    entries, tile = get(app, f"/tile/entries/000.p/{size}"), get(app, f"/tile/0/000.p/{size}")
    assert entries.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert tile.headers["content-type"] == "application/octet-stream"
    content, found = entries.body, []
    while content:
        length = int.from_bytes(content[:2], "big")
        found.append(leaf_hash(content[2 : 2 + length]))
        content = content[2 + length :]
    assert len(found) == size
    assert b"".join(found) == tile.body
    for path in (f"/tile/0/000.p/{size + 1}", "/tile/0/000", "/tile/0/x001/x000/x000/x000/000", "/tile/entries/x"):
        assert get(app, path).status == 404, path


def test_log_of_tokens_shows_each_account_its_own(sandbox: CancellationApp, folio: str, tmp_path: Path) -> None:
    other = sandbox.copied(tmp_path / "private", log_public=False)
    app, accounts = application(other.container), other.container.get(account_services).accounts
    other.account("luis@example.com")
    for path in (f"/proof/{folio}", "/checkpoint", "/tile/0/000.p/1", "/tile/entries/000.p/1"):
        assert get(app, path).status == 401, path
    owner, stranger = (accounts.create_infinite_token(f"{user}@example.com") for user in ("ana", "luis"))
    assert get(app, f"/proof/{folio}", owner).status == 200
    assert get(app, f"/proof/{folio}", owner).headers["cache-control"] == "private, no-store"
    assert get(app, f"/proof/{folio}", stranger).status == 404
    for path, status in (("/checkpoint", 200), ("/tile/0/000.p/1", 200), ("/tile/entries/000.p/1", 401)):
        assert get(app, path, stranger).status == status, path
    other.container.close()


def test_node_verifies_a_proof(app: ASGIApp, sandbox: CancellationApp, folio: str, tmp_path: Path) -> None:
    need("node", shutil.which("node"), "Node.js is not installed")
    proof, document = tmp_path / "a.tlog-proof", tmp_path / "a.xml"
    content = get(app, f"/proof/{folio}").body
    proof.write_bytes(content)
    document.write_bytes(sandbox.container.get(document_services).storage.of_any_account(folio).cfdi)
    log = sandbox.container.get(transparency_log)
    size = log.newest().checkpoint.size
    key = str(log.keys[0])

    def run(vkey: str = key) -> subprocess.CompletedProcess[str]:
        command = ["node", str(SCRIPT), str(proof), vkey, str(document)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    done = run()
    index = parse_inclusion(content.decode()).index
    assert done.stdout == f"stamped {folio} index {index} of {size}\n", done.stderr
    assert "no signature of the key" in run(str(NoteKey("other", 1, bytes(32)))).stderr
    lines = content.decode().split("\n")
    for place in (1, 3, len(lines) - 5, len(lines) - 2):
        middle = len(lines[place]) // 2
        digit = "A" if lines[place][middle] != "A" else "B"
        changed = lines[place][:middle] + digit + lines[place][middle + 1 :]
        proof.write_text("\n".join([*lines[:place], changed, *lines[place + 1 :]]))
        assert run().returncode == 1, changed
    proof.write_bytes(content)
    document.write_bytes(document.read_bytes() + b"\n")
    assert "another document" in run().stderr
