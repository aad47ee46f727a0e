"""What the library imports and writes, each in an interpreter of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.library.conftest import StampedDocument

HEAVY = (
    "alembic",
    "jinja2",
    "pydantic",
    "sqlalchemy",
    "starlette",
    "structlog",
    "timbra.accounts.store",
    "timbra.app",
    "timbra.cli",
    "timbra.database",
    "timbra.settings",
    "timbra.web",
    "typer",
    "uvicorn",
)
"""Modules of the server, its database and its portal, and of the command line."""

BEGINNING = """
import sys
written = []
def watch(event, arguments):
    # O_WRONLY, O_RDWR and O_CREAT of `open`, and the calls that change folders
    if event == "open" and (arguments[2] & 0o103) or event in ("os.mkdir", "os.rename", "os.remove", "os.link"):
        if arguments[0] != "/dev/null":
            written.append(f"{event} {arguments[0]}")
sys.addaudithook(watch)
import timbra
"""

CALLS = {
    "cadena": "timbra.cadena(timbra.example())",
    "catalog": "timbra.catalog('c_UsoCFDI')['G03']",
    "catalogs": "timbra.catalogs['c_UsoCFDI']['G03']",
    "explain": "timbra.explain('CFDI40147')",
    "json": "timbra.from_json(timbra.to_json(timbra.example('nomina12')))",
    "print_pdf": "timbra.print_pdf(timbra.example())",
    "read": "timbra.read(timbra.example('pagos20'))",
    "seal": "timbra.seal(timbra.example(), CER, KEY, PASSWORD)",
    "totals": "timbra.totals({'Conceptos': [{'Cantidad': 1, 'ValorUnitario': 1}]})",
    "validate": "timbra.validate(timbra.example()).to_dict()",
    "validate_file": "timbra.validate(FILE).rows()",
    "validate_many": "[*timbra.validate_many([FILE, timbra.example()])]",
    "verify": "timbra.verify(timbra.example('retencion'))",
}


def run(program: str, folder: Path) -> dict[str, list[str]]:
    """Run a program without a home, in a folder that it may not write; return what it prints as JSON."""
    environment = {"HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1", "PATH": ""}
    finished = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=folder, env=environment, check=False
    )
    assert finished.returncode == 0, finished.stderr
    found: dict[str, list[str]] = json.loads(finished.stdout)
    return found


def test_import_loads_only_the_package(tmp_path: Path) -> None:
    program = (
        "import sys; before = set(sys.modules); import timbra; after = set(sys.modules) - before; import json; "
        "print(json.dumps({'modules': sorted(after)}))"
    )
    assert run(program, tmp_path)["modules"] == ["timbra"]


@pytest.mark.parametrize("name", sorted(CALLS))
def test_function_imports_no_server_and_writes_nothing(name: str, invoice: StampedDocument, tmp_path: Path) -> None:
    file = tmp_path / "invoice.xml"
    file.write_bytes(invoice.xml)
    values = (str(file), invoice.cer, invoice.key, invoice.password)
    given = f"FILE, CER, KEY, PASSWORD = {values!r}\n"
    ending = "import json\nprint(json.dumps({'modules': sorted(sys.modules), 'written': written}))"
    found = run(f"{BEGINNING}{given}{CALLS[name]}\n{ending}", tmp_path)
    heavy = [module for module in found["modules"] if module.startswith(HEAVY)]
    assert (heavy, found["written"]) == ([], [])
