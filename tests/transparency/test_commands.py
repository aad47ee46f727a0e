"""`timbra verify-proof` and `timbra log`: two servers, of which one cosigns the checkpoints of the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cancellation_app import CancellationApp
from typer.testing import CliRunner, Result

from timbra.cli.main import app
from timbra.documents.build import document_services
from timbra.events.build import dispatch_events
from timbra.transparency.build import transparency_log


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("data") / "sandbox")
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def folio(sandbox: CancellationApp) -> str:
    uuid = [sandbox.invoice(price=f"{price}.00") for price in (100, 200, 300)][1]
    dispatch_events(sandbox.container)
    sandbox.container.get(transparency_log).run()
    return uuid


def run(*arguments: object, given: str = "") -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments], input=given)


def test_verify_proof_names_what_is_wrong(sandbox: CancellationApp, folio: str, tmp_path: Path) -> None:
    log = sandbox.container.get(transparency_log)
    key, proof, document = str(log.keys[0]), tmp_path / "a.tlog-proof", tmp_path / "a.xml"
    proof.write_text(log.proof(folio, "stamped").text())
    document.write_bytes(sandbox.container.get(document_services).storage.of_any_account(folio).cfdi)
    good = run("verify-proof", proof, "--xml", document, "--key", key)
    assert good.exit_code == 0, good.output
    assert f'"uuid":"{folio}"' in good.stdout
    assert good.stdout.splitlines()[1].startswith("leaf: ")
    unsigned = run("verify-proof", proof, "--xml", document)
    assert (unsigned.exit_code, "Without --key the signature was not verified" in unsigned.stderr) == (1, True)
    witness = run("verify-proof", proof, "--key", key, "--key", str(log.keys[1]))
    assert (witness.exit_code, "no tiene la firma de una de las llaves" in witness.stderr) == (1, True)
    document.write_bytes(document.read_bytes().replace(b"Total", b"total"))
    other = run("verify-proof", proof, "--xml", document, "--key", key)
    assert (other.exit_code, "La hoja no es la de ese XML" in other.stderr) == (1, True)
    changed = proof.read_text().replace("index ", "index 1")
    wrong = run("verify-proof", "-", "--key", key, given=changed)
    assert (wrong.exit_code, "no llevan de la hoja a la raíz" in wrong.stderr) == (1, True)
    for text in ("", "c2sp.org/tlog-proof@v1\n", "old x\n\n", changed.replace("extra ", "extra ?")):
        unreadable = run("verify-proof", "-", given=text)
        assert (unreadable.exit_code, "no es de un registro de transparencia" in unreadable.stderr) == (1, True), (
            unreadable.stderr
        )


def test_checkpoints_are_cosigned_by_another_server(sandbox: CancellationApp, folio: str, tmp_path: Path) -> None:
    data, other = sandbox.container.settings.data, CancellationApp(tmp_path / "witness", log_origin="w.example.com")
    of_log, of_server = run("log", "checkpoint", "--key", "--data", data).stdout.split()
    of_witness = str(other.container.get(transparency_log).keys[1])
    other.container.close()
    assert of_log.startswith("timbra/")
    assert of_server.split("+")[0] == of_log.split("+")[0]
    old, new, cosigned = tmp_path / "old", tmp_path / "new", tmp_path / "cosigned"
    old.write_text(run("log", "checkpoint", "--data", data).stdout)
    environment = {"TIMBRA_LOG_ORIGIN": "w.example.com"}

    def cosign(request: str, *arguments: str) -> Result:
        command = ["log", "cosign", "-", *arguments, "--data", str(tmp_path / "witness")]
        return CliRunner().invoke(app, command, input=request, env=environment)

    first = run("log", "consistency", "0", "--data", data).stdout
    assert "no es de un registro de transparencia" in cosign(first, "--key", "x").stderr
    assert cosign(first, "--key", of_log).stdout.startswith(old.read_text())
    sandbox.invoice(price="400.00")
    dispatch_events(sandbox.container)
    new.write_text(run("log", "checkpoint", "--data", data).stdout)
    again = cosign(first)
    assert (again.exit_code, "El último checkpoint cofirmado tiene" in again.stderr) == (1, True)
    request = run("log", "consistency", old, new, "--data", data).stdout
    cosigned.write_text(cosign(request).stdout)
    assert cosigned.read_text().startswith(new.read_text() + "\u2014 w.example.com ")
    assert run("log", "checkpoint", "--add", cosigned, "--data", data).exit_code == 2
    added = run("log", "checkpoint", "--add", cosigned, "--witness", of_witness, "--data", data)
    assert added.stdout == cosigned.read_text() == run("log", "checkpoint", "--data", data).stdout
    keys = ("--key", of_log, "--key", of_witness)
    proof = sandbox.container.get(transparency_log).proof(folio, "stamped").text()
    assert run("verify-proof", "-", *keys, given=proof).exit_code == 0
    both = request.split("\n\n")[0] + "\n\n" + cosigned.read_text()
    verified = run("verify-proof", "-", "--old", old, *keys, given=both)
    assert (verified.exit_code, verified.stdout.startswith("continues the checkpoint of")) == (0, True), verified.output
    assert "Falta el checkpoint anterior" in run("verify-proof", "-", *keys, given=both).stderr
    assert "La prueba es de un checkpoint de" in run("verify-proof", "-", "--old", new, *keys, given=both).stderr
    foreign = run("log", "consistency", cosigned, old, "--data", data)
    assert (foreign.exit_code, "El checkpoint nuevo es anterior" in foreign.stderr) == (1, True)
