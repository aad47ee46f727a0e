"""A server behind a trusted proxy: every user of the client's address takes the one that the proxy names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from httpx2 import Client
from tests.support.server import USER, running, seed

OWNER, STRANGER = "198.51.100.2", "203.0.113.9"
FAILURES = 3


def login(client: Client, number: int, forwarded: str) -> str:
    body = {"user": USER, "password": f"mala {number}"}
    answer = client.post("/v2/security/authenticate", json=body, headers={"X-Forwarded-For": forwarded})
    return str(answer.json()["message"])[:6]


@pytest.mark.parametrize(("proxies", "shares"), [("127.0.0.0/8", False), ("", True), ("10.0.0.0/8", True)])
def test_limits_and_log_know_clients_of_a_trusted_proxy_only(tmp_path: Path, proxies: str, shares: bool) -> None:
    data, log = tmp_path / "data", tmp_path / "log"
    token = seed(data)
    environment = {
        "TIMBRA_TRUSTED_PROXIES": proxies,
        "TIMBRA_LOGIN_FAILURES": str(FAILURES),
        "TIMBRA_LOG_FORMAT": "json",
        "TIMBRA_LOG_LEVEL": "info",
    }
    with (
        log.open("wb") as file,
        running(data, token=token, environment=environment, log=file) as server,
        Client(base_url=server.address, timeout=30) as client,
    ):
        # What the client writes itself stands further left and changes nothing.
        guesses = [login(client, number, f"10.9.8.{number}, {STRANGER}") for number in range(FAILURES + 2)]
        other = login(client, 100, OWNER)
    assert guesses[-1] == "TB4291"
    assert other == ("TB4291" if shares else "AU2000")
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    clients = {line["client"] for line in lines if line.get("event") == "answered" and "authenticate" in line["path"]}
    assert clients == ({"127.0.0.1"} if shares else {STRANGER, OWNER})
