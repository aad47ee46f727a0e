"""Webhooks of the caller's account: endpoints, their secrets, and their delivery log."""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import Response

from timbra.web.envelopes import success
from timbra.web.framework.operation_group import OperationGroup
from timbra.web.framework.query_limit import limit_parameter, read_limit
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.json_fields import JsonFields
from timbra.webhooks.endpoints import DEFAULT_OVERLAP, MAX_LINES, NewWebhook, WebhookChange, WebhookService
from timbra.webhooks.kinds import DEFAULT_KINDS, KINDS
from timbra.webhooks.serializers import (
    WebhookCreatedAnswer,
    WebhookEventAnswer,
    WebhookSecretAnswer,
    WebhookSentAnswer,
    attempt_answer,
    delivery_answer,
    webhook_answer,
)
from timbra.webhooks.store.models import EVENTS

MAX_BODY_BYTES = 64 * 1024


async def list_webhooks(request: RequestContext, webhooks: WebhookService) -> Response:
    """Answer with the endpoints of the account, oldest first."""
    found = await request.run_for_account(webhooks.list)
    return json_response(success([webhook_answer(webhook) for webhook in found]))


async def create(request: RequestContext, webhooks: WebhookService) -> Response:
    """Create an endpoint; only this answer has its secret."""
    members = JsonFields.read(await request.body(MAX_BODY_BYTES))
    new = NewWebhook(
        url=members.text("url").strip(),
        events=members.texts("events") or (),
        description=members.text("description"),
        format=members.text("format") or EVENTS,
        user=members.text("user"),
        password=members.text("password"),
    )
    webhook, secret = await request.run_for_account(webhooks.create, new)
    return json_response(success(WebhookCreatedAnswer(webhook_answer(webhook), secret)), 201)


async def read(request: RequestContext, webhooks: WebhookService) -> Response:
    """Answer with one endpoint."""
    webhook = await request.run_for_account(webhooks.find, request.parameters["id"])
    return json_response(success(webhook_answer(webhook)))


async def update(request: RequestContext, webhooks: WebhookService) -> Response:
    """Change the members that are present and not null."""
    members = JsonFields.read(await request.body(MAX_BODY_BYTES))
    change = WebhookChange(
        url=members.text("url").strip() if members.has_value("url") else None,
        events=members.texts("events"),
        description=members.text("description") if "description" in members.values else None,
        enabled=members.flag_or_none("enabled"),
    )
    changed = await request.run_for_account(webhooks.update, request.parameters["id"], change)
    return json_response(success(webhook_answer(changed)))


async def remove(request: RequestContext, webhooks: WebhookService) -> Response:
    """Delete an endpoint with its log."""
    await request.run_for_account(webhooks.delete, request.parameters["id"])
    return Response(status_code=204)


async def rotate_secret(request: RequestContext, webhooks: WebhookService) -> Response:
    """Replace the secret; the previous one signs too until the overlap ends."""
    members = JsonFields.read(await request.body(MAX_BODY_BYTES))
    hours = members.whole("overlapHours")
    overlap = DEFAULT_OVERLAP if hours is None else timedelta(hours=hours)
    secret = await request.run_for_account(webhooks.rotate_secret, request.parameters["id"], overlap)
    return json_response(success(WebhookSecretAnswer(secret)))


async def send_test(request: RequestContext, webhooks: WebhookService) -> Response:
    """Send the event `webhook.test` to one endpoint."""
    event_id = await request.run_for_account(webhooks.send_test, request.parameters["id"])
    return json_response(success(WebhookSentAnswer(event_id, 1)), 202)


async def deliveries(request: RequestContext, webhooks: WebhookService) -> Response:
    """Answer with the delivery log of an endpoint, newest events first."""
    limit = read_limit(request.query("limit"), MAX_LINES)
    found = await request.run_for_account(webhooks.lines, request.parameters["id"], limit)
    return json_response(success([delivery_answer(line) for line in found]))


async def event(request: RequestContext, webhooks: WebhookService) -> Response:
    """Answer with an event of an endpoint, and its attempts."""
    webhook_id, event_id = request.parameters["id"], request.parameters["event"]
    body, made = await request.run_for_account(webhooks.attempts, webhook_id, event_id)
    return json_response(success(WebhookEventAnswer(body, [attempt_answer(attempt) for attempt in made])))


async def redeliver(request: RequestContext, webhooks: WebhookService) -> Response:
    """Deliver an event again, or all failed ones."""
    event_id = request.parameters.get("event")
    count = await request.run_for_account(webhooks.redeliver, request.parameters["id"], event_id)
    return json_response(success(WebhookSentAnswer(event_id, count)), 202)


KINDS_TEXT = ", ".join(f"`{kind}`" for kind in KINDS)
OPTIONAL_KIND = next(kind for kind in KINDS if kind not in DEFAULT_KINDS)
operation = OperationGroup("webhooks", "/webhooks").build
OPERATIONS = (
    operation("list", "GET", "", list_webhooks, "List the webhooks of the account", "WebhookList"),
    operation(
        "create",
        "POST",
        "",
        create,
        "Create a webhook; the answer has its secret, which is not shown again",
        "WebhookCreated",
        body="WebhookOrder",
        description=f"`events`: {KINDS_TEXT}; `*` for all; without it all but `{OPTIONAL_KIND}`. `format`: `events`, "
        "or `sw-batch` with `user` and `password` for the notification of SW's batch service.",
        success_status=201,
    ),
    operation("read", "GET", "/{id}", read, "Read a webhook", "Webhook"),
    operation(
        "update",
        "PUT",
        "/{id}",
        update,
        "Change, enable or disable a webhook; absent members keep their value",
        "Webhook",
        body="WebhookChange",
    ),
    operation("remove", "DELETE", "/{id}", remove, "Delete a webhook with its delivery log", "nothing"),
    operation(
        "secret",
        "POST",
        "/{id}/secret",
        rotate_secret,
        "Replace the secret of a webhook",
        "WebhookSecret",
        body="WebhookSecretOrder",
        description="The previous secret signs too for `overlapHours` hours: 24, at most 168, 0 for none.",
    ),
    operation(
        "test",
        "POST",
        "/{id}/test",
        send_test,
        "Send the event `webhook.test` to a webhook",
        "WebhookSent",
        success_status=202,
    ),
    operation(
        "deliveries",
        "GET",
        "/{id}/deliveries",
        deliveries,
        "List the newest events of a webhook with their state and last attempt",
        "WebhookDeliveryList",
        parameters=(limit_parameter(MAX_LINES),),
    ),
    operation(
        "redeliver-failed",
        "POST",
        "/{id}/deliveries",
        redeliver,
        "Deliver all failed events of a webhook again",
        "WebhookSent",
        success_status=202,
    ),
    operation(
        "event",
        "GET",
        "/{id}/deliveries/{event}",
        event,
        "Read an event of a webhook and its attempts",
        "WebhookEvent",
    ),
    operation(
        "redeliver",
        "POST",
        "/{id}/deliveries/{event}",
        redeliver,
        "Deliver an event again, also one that was delivered",
        "WebhookSent",
        success_status=202,
    ),
)
