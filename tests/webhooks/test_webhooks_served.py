"""Webhooks over HTTP: endpoints, secrets and redelivery by the application."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.account_requests import ManagementClient

PATH, ANA = "/webhooks", "ana@example.com"
URL = "https://erp.example/hook"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManagementClient]:
    opened = ManagementClient(Path(tmp_path_factory.mktemp("webhooks")) / "data")
    yield opened
    opened.sandbox_app.container.close()


def create(client: ManagementClient, **members: object) -> Any:
    answer = client.call("POST", PATH, {"url": URL, **members}, user=ANA)
    assert answer.status == 201, answer.body
    return answer.json["data"]


def test_endpoint_is_created_changed_and_removed(client: ManagementClient) -> None:
    made = create(client, description="ERP", events=["cfdi.stamped"])
    webhook = made["webhook"]
    one = f"{PATH}/{webhook['id']}"
    assert made["secret"].startswith("whsec_")
    assert client.data("GET", one, user=ANA) == webhook
    assert webhook in client.data("GET", PATH, user=ANA)
    assert client.data("GET", PATH) == []
    changed = client.data("PUT", one, {"enabled": False, "events": ["*"]}, user=ANA)
    assert (changed["enabled"], changed["disabledReason"], changed["url"]) == (False, "account", URL)
    assert "secret" not in str(client.data("GET", one, user=ANA)).replace("previousSecretUntil", "")
    for method, path in (
        ("GET", one),
        ("PUT", one),
        ("DELETE", one),
        ("POST", f"{one}/secret"),
        ("POST", f"{one}/test"),
    ):
        assert client.call(method, path, {} if method != "GET" else None).status == 404
    assert client.call("DELETE", one, user=ANA).status == 204
    assert client.call("GET", one, user=ANA).status == 404


def test_secret_is_rotated(client: ManagementClient) -> None:
    made = create(client)
    one = f"{PATH}/{made['webhook']['id']}"
    rotated = client.data("POST", f"{one}/secret", {"overlapHours": 1}, user=ANA)
    assert rotated["secret"] not in ("", made["secret"])
    assert client.data("GET", one, user=ANA)["previousSecretUntil"] is not None
    assert client.call("POST", f"{one}/secret", {"overlapHours": 999}, user=ANA).status == 400


def test_test_event_is_logged_and_redelivered(client: ManagementClient) -> None:
    one = f"{PATH}/{create(client)['webhook']['id']}"
    sent = client.call("POST", f"{one}/test", user=ANA)
    assert sent.status == 202
    event_id = sent.json["data"]["eventId"]
    [line] = client.data("GET", f"{one}/deliveries?limit=5", user=ANA)
    assert (line["eventId"], line["type"], line["state"], line["last"]) == (event_id, "webhook.test", "waiting", None)
    event = client.data("GET", f"{one}/deliveries/{event_id}", user=ANA)
    assert (event_id in event["body"], event["attempts"]) == (True, [])
    assert client.call("POST", f"{one}/deliveries/{event_id}", user=ANA).json["data"]["deliveries"] == 1
    assert client.call("POST", f"{one}/deliveries", user=ANA).json["data"]["deliveries"] == 0
    assert client.call("POST", f"{one}/deliveries/evt_0", user=ANA).status == 404
    assert client.call("GET", f"{one}/deliveries?limit=0", user=ANA).status == 400


@pytest.mark.parametrize(
    "members",
    [
        {"url": ""},
        {"url": "http://169.254.1.1/"},
        {"url": "http://[::ffff:169.254.169.254]/latest/meta-data"},
        {"events": ["cfdi"]},
        {"events": [1]},
        {"format": "sw-batch"},
    ],
)
def test_create_rejects_with_a_sentence(client: ManagementClient, members: dict[str, object]) -> None:
    answer = client.call("POST", PATH, {"url": URL, **members}, user=ANA)
    assert answer.status == 400
    assert answer.json["message"].startswith("TB4005")
    assert answer.json["messageDetail"]
