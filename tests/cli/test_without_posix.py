"""The command line without the modules and functions of POSIX that Windows does not have."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

from tests.support import import_without_posix, without_posix
from tests.support.server import invoice, running, seed

import timbra

PROGRAM = without_posix.__name__


def run(*arguments: str | Path, program: str = PROGRAM) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_every_module_is_imported() -> None:
    finished = run(program=import_without_posix.__name__)
    assert (finished.returncode, finished.stdout) == (0, ""), finished.stderr


def test_excluded_modules_exist() -> None:
    names = {module.name for module in pkgutil.walk_packages(timbra.__path__, "timbra.")}
    assert import_without_posix.EXCLUDED.keys() <= names


def test_version_is_printed() -> None:
    finished = run("--version")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.startswith("timbra ")


def test_example_is_validated(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "ingreso.xml"
    seed(data)
    example = run("example", "ingreso", "--data", data)
    assert (example.returncode, example.stderr) == (0, "")
    file.write_text(example.stdout, encoding="utf-8")
    finished = run("validate", file, "--data", data)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.startswith("✓ ")


def test_server_stamps_an_invoice_and_prints_it(tmp_path: Path) -> None:
    """Printing and the reading of key files use child processes."""
    data = tmp_path / "data"
    token = seed(data)
    log = tmp_path / "log"
    with log.open("wb") as sink, running(data, token=token, program=PROGRAM, log=sink, fresh=True) as server:
        with server.client() as client:
            files = {"xml": ("a.xml", invoice(data))}
            issued = client.post("/cfdi33/issue/v4", files=files)
            assert issued.status_code == 200, issued.text
            body = {"xmlContent": issued.json()["data"]["cfdi"], "templateId": "cfdi40"}
            printed = client.post("/pdf/v1/api/GeneratePdf", json=body)
            assert printed.status_code == 200, printed.text
        assert b64decode(printed.json()["data"]["contentB64"]).startswith(b"%PDF-")
        server.process.terminate()
        assert server.process.wait(30) == 0
    assert "Traceback" not in log.read_text()


def test_serve_rejects_several_workers(tmp_path: Path) -> None:
    finished = run("serve", "--workers", "2", "--port", "0", "--data", tmp_path / "data")
    assert finished.returncode == 2
    assert "this system supports one worker only" in finished.stderr
