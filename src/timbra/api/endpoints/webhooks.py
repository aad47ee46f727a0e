"""Webhooks of the caller's account: endpoints, their secrets, and their delivery log."""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import Response

from timbra.api.framework.operation import Operation, Parameter, Payload
from timbra.api.framework.request_context import RequestContext, json_response
from timbra.api.parsing.json_fields import JsonFields
from timbra.api.serializers.envelopes import success
from timbra.api.serializers.webhooks import (
    NewWebhookAnswer,
    WebhookEventAnswer,
    WebhookSecretAnswer,
    WebhookSentAnswer,
    attempt_answer,
    delivery_answer,
    webhook_answer,
)
from timbra.errors import ServiceError
from timbra.service.services import WebhookServices
from timbra.service.webhooks.endpoints import DEFAULT_OVERLAP, MAX_LINES, NewWebhook, WebhookChange
from timbra.store.webhooks.kinds import DEFAULT_KINDS, KINDS
from timbra.store.webhooks.models import EVENTS

MAX_BODY_BYTES = 64 * 1024
WEBHOOKS = "/webhooks"
WEBHOOK = WEBHOOKS + "/{id}"
TAG = "webhooks"


async def list_webhooks(request: RequestContext, services: WebhookServices) -> Response:
    """Answer with the endpoints of the account, oldest first."""
    found = await request.pools.run_database(services.webhooks.list, request.caller.account_id)
    return json_response(success([webhook_answer(webhook) for webhook in found]))


async def create(request: RequestContext, services: WebhookServices) -> Response:
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
    webhook, secret = await request.pools.run_database(services.webhooks.create, request.caller.account_id, new)
    return json_response(success(NewWebhookAnswer(webhook_answer(webhook), secret)), 201)


async def read(request: RequestContext, services: WebhookServices) -> Response:
    """Answer with one endpoint."""
    find, account_id = services.webhooks.find, request.caller.account_id
    return json_response(
        success(webhook_answer(await request.pools.run_database(find, account_id, request.parameters["id"])))
    )


async def update(request: RequestContext, services: WebhookServices) -> Response:
    """Change the members that are present and not null."""
    members = JsonFields.read(await request.body(MAX_BODY_BYTES))
    change = WebhookChange(
        url=members.text("url").strip() if members.has_value("url") else None,
        events=members.texts("events"),
        description=members.text("description") if "description" in members.values else None,
        enabled=members.flag_or_none("enabled"),
    )
    update_webhook, account_id = services.webhooks.update, request.caller.account_id
    changed = await request.pools.run_database(update_webhook, account_id, request.parameters["id"], change)
    return json_response(success(webhook_answer(changed)))


async def remove(request: RequestContext, services: WebhookServices) -> Response:
    """Delete an endpoint with its log."""
    delete, account_id = services.webhooks.delete, request.caller.account_id
    await request.pools.run_database(delete, account_id, request.parameters["id"])
    return Response(status_code=204)


async def rotate_secret(request: RequestContext, services: WebhookServices) -> Response:
    """Replace the secret; the previous one signs too until the overlap ends."""
    members = JsonFields.read(await request.body(MAX_BODY_BYTES))
    hours = members.whole("overlapHours")
    overlap = DEFAULT_OVERLAP if hours is None else timedelta(hours=hours)
    rotate, account_id = services.webhooks.rotate_secret, request.caller.account_id
    secret = await request.pools.run_database(rotate, account_id, request.parameters["id"], overlap)
    return json_response(success(WebhookSecretAnswer(secret)))


async def send_test(request: RequestContext, services: WebhookServices) -> Response:
    """Send the event `webhook.test` to one endpoint."""
    test, account_id = services.webhooks.send_test, request.caller.account_id
    event_id = await request.pools.run_database(test, account_id, request.parameters["id"])
    return json_response(success(WebhookSentAnswer(event_id, 1)), 202)


async def deliveries(request: RequestContext, services: WebhookServices) -> Response:
    """Answer with the delivery log of an endpoint, newest events first."""
    text = request.query("limit") or "50"
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= MAX_LINES):
        raise ServiceError("TB4005", f"El parámetro limit va de 1 a {MAX_LINES}.")
    lines, account_id = services.webhooks.lines, request.caller.account_id
    found = await request.pools.run_database(lines, account_id, request.parameters["id"], int(text))
    return json_response(success([delivery_answer(line) for line in found]))


async def event(request: RequestContext, services: WebhookServices) -> Response:
    """Answer with an event of an endpoint, and its attempts."""
    attempts, account_id = services.webhooks.attempts, request.caller.account_id
    webhook_id, event_id = request.parameters["id"], request.parameters["event"]
    body, made = await request.pools.run_database(attempts, account_id, webhook_id, event_id)
    return json_response(success(WebhookEventAnswer(body, [attempt_answer(attempt) for attempt in made])))


async def redeliver(request: RequestContext, services: WebhookServices) -> Response:
    """Deliver an event again, or all failed ones."""
    again, account_id, event_id = (
        services.webhooks.redeliver,
        request.caller.account_id,
        request.parameters.get("event"),
    )
    count = await request.pools.run_database(again, account_id, request.parameters["id"], event_id)
    return json_response(success(WebhookSentAnswer(event_id, count)), 202)


KINDS_TEXT = ", ".join(f"`{kind}`" for kind in KINDS)
OPERATIONS = (
    Operation(
        name="webhooks-list",
        method="GET",
        paths=(WEBHOOKS,),
        endpoint=list_webhooks,
        summary="List the webhooks of the account",
        tag=TAG,
        answer="WebhookList",
    ),
    Operation(
        name="webhooks-create",
        method="POST",
        paths=(WEBHOOKS,),
        endpoint=create,
        summary="Create a webhook; the answer has its secret, which is not shown again",
        description=f"`events`: {KINDS_TEXT}; `*` for all; without it all but "
        f"`{next(kind for kind in KINDS if kind not in DEFAULT_KINDS)}`. `format`: `events`, or `sw-batch` with `user` "
        "and `password` for the notification of SW's batch service.",
        tag=TAG,
        answer="NewWebhook",
        success_status=201,
        payloads=(Payload("application/json", "WebhookOrder"),),
    ),
    Operation(
        name="webhooks-read",
        method="GET",
        paths=(WEBHOOK,),
        endpoint=read,
        summary="Read a webhook",
        tag=TAG,
        answer="Webhook",
    ),
    Operation(
        name="webhooks-update",
        method="PUT",
        paths=(WEBHOOK,),
        endpoint=update,
        summary="Change, enable or disable a webhook; absent members keep their value",
        tag=TAG,
        answer="Webhook",
        payloads=(Payload("application/json", "WebhookChange"),),
    ),
    Operation(
        name="webhooks-remove",
        method="DELETE",
        paths=(WEBHOOK,),
        endpoint=remove,
        summary="Delete a webhook with its delivery log",
        tag=TAG,
        answer="nothing",
    ),
    Operation(
        name="webhooks-secret",
        method="POST",
        paths=(WEBHOOK + "/secret",),
        endpoint=rotate_secret,
        summary="Replace the secret of a webhook",
        description="The previous secret signs too for `overlapHours` hours: 24, at most 168, 0 for none.",
        tag=TAG,
        answer="WebhookSecret",
        payloads=(Payload("application/json", "WebhookSecretOrder"),),
    ),
    Operation(
        name="webhooks-test",
        method="POST",
        paths=(WEBHOOK + "/test",),
        endpoint=send_test,
        summary="Send the event `webhook.test` to a webhook",
        tag=TAG,
        answer="WebhookSent",
        success_status=202,
    ),
    Operation(
        name="webhooks-deliveries",
        method="GET",
        paths=(WEBHOOK + "/deliveries",),
        endpoint=deliveries,
        summary="List the newest events of a webhook with their state and last attempt",
        tag=TAG,
        answer="WebhookDeliveryList",
        parameters=(Parameter("limit", "query", f"1 to {MAX_LINES}; 50 by default."),),
    ),
    Operation(
        name="webhooks-redeliver-failed",
        method="POST",
        paths=(WEBHOOK + "/deliveries",),
        endpoint=redeliver,
        summary="Deliver all failed events of a webhook again",
        tag=TAG,
        answer="WebhookSent",
        success_status=202,
    ),
    Operation(
        name="webhooks-event",
        method="GET",
        paths=(WEBHOOK + "/deliveries/{event}",),
        endpoint=event,
        summary="Read an event of a webhook and its attempts",
        tag=TAG,
        answer="WebhookEvent",
    ),
    Operation(
        name="webhooks-redeliver",
        method="POST",
        paths=(WEBHOOK + "/deliveries/{event}",),
        endpoint=redeliver,
        summary="Deliver an event again, also one that was delivered",
        tag=TAG,
        answer="WebhookSent",
        success_status=202,
    ),
)
