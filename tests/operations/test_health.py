"""Health probes and the metrics page, and who can read it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.support.asgi import BEARER, Answer, call, upload
from tests.support.fake_services import ADMINISTRATOR_TOKEN, FakeServices, small_settings

from timbra._native import STATE
from timbra.core.errors import ServiceError
from timbra.delivery.deliveries import Backlog

SECRET = "a-monitor-token"


def values(answer: Answer) -> dict[tuple[str, str], float]:
    """Return every sample by its name and the values of its labels."""
    return {
        (sample.name, ",".join(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.body.decode())
        for sample in family.samples
    }


def local_metrics(fakes: FakeServices, **headers: str) -> Answer:
    """Request the metrics page from the loopback address."""
    return call(fakes.app(), "GET", "/metrics", headers=headers, client=("127.0.0.1", 40000))


def down() -> None:
    raise ServiceError("CO1000", "host=db.internal password=hunter2")


def test_health_returns_list_ages_and_backlog() -> None:
    fakes = FakeServices()
    fakes.operations_services.backlog = Backlog(
        3, fakes.operations_services.wall.now() - timedelta(minutes=2), {"stamp": 2}
    )
    data = call(fakes.app(), "GET", "/health").json["data"]
    assert data["lists_ages_hours"] == {"LCO": 30}
    assert data["outbox"]["waiting"] == 3
    assert data["outbox"]["oldest_seconds"] >= 120
    assert data["outbox"]["minutes_behind_sat"] == 2
    assert data["outbox"]["dead"] == 2


def test_health_says_whether_native_code_runs() -> None:
    data = call(FakeServices().app(), "GET", "/health").json["data"]
    assert data["native_code"] == {"active": STATE.active, "reason": STATE.reason}


def test_health_answers_without_a_database() -> None:
    fakes = FakeServices()
    fakes.operations_services.health_checks._backlog._compute = down  # type: ignore[assignment]
    answer = call(fakes.app(), "GET", "/health")
    assert (answer.status, answer.json["data"]["outbox"]) == (200, None)


def test_live_runs_no_checks() -> None:
    assert call(FakeServices(checks={"todo": down}).app(), "GET", "/health/live").status == 200


def test_ready_answers_200_when_all_checks_pass() -> None:
    answer = call(FakeServices(checks={"todo": lambda: None}).app(), "GET", "/health/ready")
    assert (answer.status, answer.json["data"]["status"]) == (200, "ready")


def test_ready_answers_503_with_the_failing_checks() -> None:
    answer = call(FakeServices(checks={"la base de datos no responde": down}).app(), "GET", "/health/ready")
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    assert answer.json["messageDetail"] == "Falta: la base de datos no responde."
    assert b"hunter2" not in answer.body


def test_metrics_have_the_difference_of_the_clocks_of_node_and_database() -> None:
    name = "timbra_clock_database_difference_seconds", ""
    fakes = FakeServices()
    assert values(call(fakes.app(), "GET", "/metrics", client=("::1", 40000)))[name] == -2
    for unknown in (down, lambda: None):
        fakes.operations_services.database_clock = unknown
        answer = call(fakes.app(), "GET", "/metrics", client=("::1", 40000))
        assert answer.status == 200
        assert name not in values(answer)


def test_metrics_count_requests_rejections_and_backlog() -> None:
    fakes = FakeServices(backlog=Backlog(3, None, {"stamp": 2}))
    app = fakes.app()
    headers, body = upload(b"<a/>")
    for _ in range(3):
        call(app, "POST", "/cfdi33/issue/v1", headers=headers, body=body)
    call(app, "GET", "/nowhere")
    call(app, "POST", "/cfdi33/issue/v1", headers={}, body=b"")
    answer = call(app, "GET", "/metrics", client=("::1", 40000))
    samples = values(answer)
    assert answer.headers["content-type"].startswith("text/plain")
    [issued] = [
        value for (name, labels), value in samples.items() if name == "timbra_http_requests_total" and "200" in labels
    ]
    assert issued == 3
    assert samples["timbra_http_requests_total", "unknown,404"] == 1
    assert samples["timbra_rejections_total", "AU4101"] == 1
    assert samples["timbra_outbox_pending", ""] == 3
    assert samples["timbra_outbox_dead_letters", "stamp"] == 2
    assert samples["timbra_list_age_seconds", "LCO"] == 30 * 3600
    assert samples["timbra_request_body_bytes", ""] == 0
    assert samples["timbra_http_requests_in_flight", ""] == 1
    assert any(name == "timbra_http_request_duration_seconds_bucket" and "+Inf" in labels for name, labels in samples)
    assert any(name == "timbra_build_info" and "2026.11" in labels for name, labels in samples)


def test_metrics_say_whether_the_server_is_ready_and_how_far_it_is_behind_the_sat() -> None:
    fakes = FakeServices(checks={"la base de datos no responde": down})
    fakes.operations_services.backlog = Backlog(1, fakes.operations_services.wall.now() - timedelta(seconds=200), {})
    samples = values(local_metrics(fakes))
    assert (samples["timbra_ready", ""], samples["timbra_minutes_behind_sat", ""]) == (0, 3)
    assert samples["timbra_health_warnings", ""] == 0


def test_metrics_answer_without_a_database() -> None:
    fakes = FakeServices()
    fakes.operations_services.health_checks._backlog._compute = down  # type: ignore[assignment]
    samples = values(local_metrics(fakes))
    assert ("timbra_outbox_pending", "") not in samples
    assert ("timbra_http_requests_in_flight", "") in samples


def test_metrics_answer_without_lists() -> None:
    fakes = FakeServices()
    fakes.operations_services.list_ages = down  # type: ignore[assignment]
    answer = local_metrics(fakes)
    assert (answer.status, ("timbra_list_age_seconds", "LCO") in values(answer)) == (200, False)


def test_metrics_release_a_body_after_its_request() -> None:
    fakes = FakeServices()
    headers, body = upload(b"<a/>")
    call(fakes.app(), "POST", "/cfdi33/issue/v1", headers=headers, body=body)
    assert (fakes.metrics.requests_in_flight, fakes.metrics.body_bytes) == (0, 0)


@pytest.mark.parametrize("client", ["10.0.0.7", "192.168.1.2", "2001:db8::1"])
def test_metrics_answer_404_to_other_hosts(client: str) -> None:
    answer = call(FakeServices().app(), "GET", "/metrics", client=(client, 40000))
    assert (answer.status, answer.json["message"][:6]) == (404, "TB4040")


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"])
def test_metrics_answer_404_to_a_local_proxy(header: str) -> None:
    assert local_metrics(FakeServices(), **{header: "10.0.0.7"}).status == 404


@pytest.mark.parametrize("sent", ["", f"Bearer {ADMINISTRATOR_TOKEN}", "Bearer", f"Basic {SECRET}", "Bearer ñ"])
def test_metrics_require_the_token_when_it_is_set(sent: str) -> None:
    fakes = FakeServices(settings=small_settings(metrics_token=SECRET))
    answer = local_metrics(fakes, **({"Authorization": sent} if sent else {}))
    assert (answer.status, answer.json["message"][:6]) == (401, "TB4011")


def test_metrics_accept_the_token_from_any_host() -> None:
    fakes = FakeServices(settings=small_settings(metrics_token=SECRET))
    headers = {"Authorization": f"Bearer {SECRET}", "X-Forwarded-For": "10.0.0.7"}
    assert call(fakes.app(), "GET", "/metrics", headers=headers, client=("10.0.0.7", 1)).status == 200


def test_metrics_answer_404_to_an_account() -> None:
    assert call(FakeServices().app(), "GET", "/metrics", headers=BEARER, client=("10.0.0.7", 1)).status == 404


def test_metrics_answer_openmetrics_on_request() -> None:
    answer = local_metrics(FakeServices(), Accept="application/openmetrics-text; version=1.0.0")
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.body.endswith(b"# EOF\n")


def test_ready_warns_of_dead_letters_and_stays_ready() -> None:
    fakes = FakeServices(checks={"todo": lambda: None}, backlog=Backlog(3, None, {"stamp": 2, "letter": 1}))
    answer = call(fakes.app(), "GET", "/health/ready")
    assert (answer.status, answer.json["data"]["status"]) == (200, "ready")
    assert answer.json["data"]["warnings"] == [
        "Entregas apartadas de tipo letter: 1 (timbra mail list --dead).",
        "Entregas apartadas de tipo stamp: 2 (timbra outbox list --dead).",
    ]


def test_ready_without_dead_letters_has_no_warnings() -> None:
    answer = call(FakeServices(checks={"todo": lambda: None}).app(), "GET", "/health/ready")
    assert answer.json["data"]["warnings"] == []


def test_metrics_of_production_need_a_token_on_the_same_machine_too() -> None:
    fakes = FakeServices(settings=small_settings(environment="production"))
    assert call(fakes.app(), "GET", "/metrics", client=("127.0.0.1", 40000)).status == 404
    fakes = FakeServices(settings=small_settings(environment="production", metrics_token=SECRET))
    headers = {"Authorization": f"Bearer {SECRET}"}
    assert call(fakes.app(), "GET", "/metrics", headers=headers, client=("127.0.0.1", 40000)).status == 200
