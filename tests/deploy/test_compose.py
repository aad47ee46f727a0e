"""The compose files are valid, agree with the code, and their commands run as processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from check_jsonschema.builtin_schemas import get_builtin_schema  # type: ignore[import-untyped]
from httpx2 import Client
from jsonschema.validators import validator_for  # type: ignore[import-untyped]
from tests.deploy.files import Document, arguments_of, compose
from tests.deploy.test_names import port_of, understood
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.dev_server import issue_example, running_dev
from tests.support.forked_program import run

from timbra.cli.development.variables import read_credentials

SIGN_IN_LINK = "/portal/entrar/enlace/"

FILES = ("compose.yaml", "compose.development.yaml")
DOCUMENT = get_builtin_schema("vendor.compose-spec")
SCHEMA = validator_for(DOCUMENT)(DOCUMENT)


def services(name: str) -> dict[str, Document]:
    found: dict[str, Document] = compose(name)["services"]
    return found


@pytest.mark.parametrize("name", FILES)
def test_compose_file_is_valid(name: str) -> None:
    assert [error.message for error in SCHEMA.iter_errors(compose(name))] == []


def test_schema_of_compose_finds_an_unknown_key() -> None:
    wrong = compose() | {"services": {"timbra": {"image": "timbra", "helthcheck": {}}}}
    assert not SCHEMA.is_valid(wrong)


@pytest.mark.parametrize("name", FILES)
def test_compose_commands_ports_and_dependencies_are_valid(name: str) -> None:
    found = services(name)
    for service in found.values():
        depended = service.get("depends_on", {})
        assert depended.keys() <= found.keys()
        for other, entry in depended.items():
            if entry["condition"] == "service_healthy":
                assert "healthcheck" in found[other]
        if service["image"] == "timbra" and "command" in service:
            assert understood(service["command"])
        assert service.get("build", {"dockerfile": "deploy/Containerfile"})["dockerfile"] == "deploy/Containerfile"
    timbra = found["timbra"]
    assert [one.split(":")[0] for one in timbra["ports"]] == ["127.0.0.1"]
    assert [one.rpartition(":")[2] for one in timbra["ports"]] == [str(port_of(timbra["command"]))]


def test_compose_volumes_are_declared() -> None:
    found = compose()
    used = {one.partition(":")[0] for service in found["services"].values() for one in service.get("volumes", [])}
    assert used == found["volumes"].keys()
    assert services("compose.yaml")["timbra"]["volumes"] == [f"state:{arguments_of('VOLUME')[0]}"]


@pytest.mark.parametrize("name", FILES)
def test_compose_server_is_confined(name: str) -> None:
    timbra = services(name)["timbra"]
    assert timbra["read_only"] is True
    assert timbra["cap_drop"] == ["ALL"]
    assert timbra["security_opt"] == ["no-new-privileges:true"]
    assert "/tmp" in timbra["tmpfs"]


def test_compose_database_url_matches_the_database_service() -> None:
    found = services("compose.yaml")
    database = found["database"]["environment"]
    for name in ("account", "timbra"):
        environment = found[name]["environment"]
        address = f"postgresql+psycopg://{database['POSTGRES_USER']}@database/{database['POSTGRES_DB']}"
        assert environment["TIMBRA_DATABASE_URL"] == address
        assert environment["PGPASSWORD"] == database["POSTGRES_PASSWORD"]


def test_development_volume_belongs_to_the_user_of_the_image() -> None:
    user, group = arguments_of("USER")[0].split(":")
    assert f"{arguments_of('VOLUME')[0]}:uid={user},gid={group},mode=0700" in services(FILES[1])["timbra"]["tmpfs"]


def test_development_credentials_are_those_of_the_app() -> None:
    found = services(FILES[1])
    chosen = read_credentials(found["timbra"]["environment"])
    assert found["app"]["environment"]["PAC_TOKEN"] == chosen.token
    assert found["app"]["environment"]["PAC_URL"] == f"http://timbra:{port_of(found['timbra']['command'])}"


def test_development_service_issues_with_the_token_of_the_app(tmp_path: Path) -> None:
    """Its command, environment and health check as processes, on loopback and with a folder of this test."""
    found = services(FILES[1])
    timbra, app = found["timbra"], found["app"]
    program, *options = timbra["command"]
    assert program == "dev"
    options += ["--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path / "data")]
    with running_dev(*options, variables=timbra["environment"]) as server:
        url = server.printed["api"]
        kind, *check = [word.replace(f"http://127.0.0.1:{port_of(timbra['command'])}", url) for word in health(timbra)]
        assert kind == "CMD"
        subprocess.run([sys.executable, *check[1:]], check=True)
        answer = issue_example(url, app["environment"]["PAC_TOKEN"])
        chosen = read_credentials(timbra["environment"])
        with Client(base_url=url, timeout=30) as client:
            login = {"user": chosen.user, "password": chosen.password}
            session = client.post("/security/authenticate", headers=login).json()
        assert (answer["status"], session["status"]) == ("success", "success")
        assert server.printed["token"] == app["environment"]["PAC_TOKEN"]


def test_account_service_prints_a_link_once(tmp_path: Path) -> None:
    """The command of the service `account` on an empty database, as at two starts of the compose project."""
    command = [word.replace("${ADMINISTRATOR:-admin@example.com}", "admin@example.com") for word in account()]
    need_postgresql()
    with postgresql_database() as database:
        outputs = [run_timbra(command, tmp_path / "data", database) for _ in range(2)]
    created, link = outputs[0].splitlines()
    assert created == "admin@example.com (administrator)"
    assert link.startswith(f"http://127.0.0.1:8080{SIGN_IN_LINK}")
    assert outputs[1].startswith("The database has an account already")


def account() -> list[str]:
    return list(services("compose.yaml")["account"]["command"])


def health(service: Document) -> list[str]:
    test: Any = service["healthcheck"]["test"]
    return list(test)


def run_timbra(command: list[str], data: Path, database: str) -> str:
    variables = {**os.environ, "TIMBRA_DATA": str(data), "TIMBRA_DATABASE_URL": database, "TIMBRA_LANG": "en"}
    finished = run("tests.support.guarded", *command, environment=variables)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout
