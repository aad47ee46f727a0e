"""Clients that generators make from the OpenAPI document: they compile, and issue and validate with a real server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.effort import LONG
from tests.support.requirements import need
from tests.support.server import PASSWORD, USER, Server, invoice, running, seed

from timbra.app.openapi.document import build_document
from timbra.app.operation_table import OPERATIONS

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(__file__).parent / "generated"
ENVIRONMENT = ROOT / ".venv-clients" / "bin"
SECONDS = 300
pytestmark = pytest.mark.skipif(not LONG, reason="make clients")


def run(*command: object, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env={**os.environ, "PATH": f"{ENVIRONMENT}{os.pathsep}{os.environ['PATH']}", **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the OpenAPI document and the scripts."""
    need("clients", (ENVIRONMENT / "openapi-generator-cli").exists(), "make clients installs the generators")
    made = tmp_path_factory.mktemp("generated")
    (made / "openapi.json").write_text(json.dumps(build_document(OPERATIONS)), "utf-8")
    for file in (*SCRIPTS.glob("*.py"), *SCRIPTS.glob("*.ts")):
        shutil.copy(file, made)
    return made


def generated(folder: Path, generator: str, *options: str) -> Path:
    """Return the folder with the code that openapi-generator makes."""
    need("clients", shutil.which("java"), "Java is not installed")
    target = folder / generator
    run("openapi-generator-cli", "generate", "-i", "openapi.json", "-g", generator, "-o", target, *options, cwd=folder)
    return target


@pytest.fixture(scope="module")
def modules(folder: Path) -> Path:
    """The packages of npm that generated code needs, beside the scripts."""
    need("clients", (SCRIPTS / "node_modules" / "typescript").is_dir(), "npm ci --prefix tests/clients/generated")
    (folder / "node_modules").symlink_to(SCRIPTS / "node_modules")
    return folder / "node_modules" / ".bin"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("clients") / "data"
    with running(data, token=seed(data)) as started:
        yield started


@pytest.fixture
def arguments(server: Server, tmp_path: Path) -> list[object]:
    """The arguments of the scripts: address, credentials, an invoice."""
    file = tmp_path / "invoice.xml"
    file.write_bytes(invoice(server.data, folio=tmp_path.name))
    return [server.address, USER, PASSWORD, file]


def assert_issued_and_validated(output: str) -> None:
    answer: dict[str, Any] = json.loads(output)
    assert answer["uuid"] == answer["validated"]
    assert len(answer["uuid"]) == 36
    assert answer["status"] == "success"
    assert answer["repeated"].startswith("307")


def compiled(modules: Path, *files: object, cwd: Path) -> None:
    """Compile TypeScript with all checks to JavaScript beside it."""
    options = ("--strict", "--skipLibCheck", "--target", "es2022", "--module", "node20")
    run(modules / "tsc", *options, *files, cwd=cwd)


def test_python_client_of_openapi_generator_issues_and_validates(folder: Path, arguments: list[object]) -> None:
    client = generated(folder, "python")
    run(sys.executable, "-m", "compileall", "-q", client / "openapi_client", cwd=folder)
    script = folder / "openapi_generator_client.py"
    assert_issued_and_validated(run(ENVIRONMENT / "python", script, *arguments, cwd=folder, PYTHONPATH=str(client)))


def test_openapi_python_client_issues_and_validates(folder: Path, arguments: list[object]) -> None:
    client = folder / "attrs"
    run("openapi-python-client", "generate", "--path", "openapi.json", "--output-path", client, cwd=folder)
    run(sys.executable, "-m", "compileall", "-q", client / "timbra_client", cwd=folder)
    script = folder / "openapi_python_client.py"
    assert_issued_and_validated(run(ENVIRONMENT / "python", script, *arguments, cwd=folder, PYTHONPATH=str(client)))


def test_axios_client_of_openapi_generator_issues_and_validates(
    folder: Path, modules: Path, arguments: list[object]
) -> None:
    client = generated(folder, "typescript-axios")
    client.rename(folder / "axios-client")
    compiled(modules, "axios.ts", cwd=folder)
    assert_issued_and_validated(run("node", "axios.js", *arguments, cwd=folder))


def test_openapi_typescript_client_issues_and_validates(folder: Path, modules: Path, arguments: list[object]) -> None:
    run(modules / "openapi-typescript", "openapi.json", "-o", "schema.d.ts", cwd=folder)
    compiled(modules, "fetch.ts", cwd=folder)
    assert_issued_and_validated(run("node", "fetch.js", *arguments, cwd=folder))


def test_go_client_of_openapi_generator_compiles(folder: Path) -> None:
    need("clients", shutil.which("go"), "Go is not installed")
    run("go", "build", "./...", cwd=generated(folder, "go"), GOFLAGS="-mod=mod")


def test_php_client_of_openapi_generator_compiles(folder: Path) -> None:
    need("clients", shutil.which("php"), "PHP is not installed")
    client = generated(folder, "php")
    for file in sorted((client / "lib").rglob("*.php")):
        run("php", "-l", file, cwd=client)
