"""`timbra webhook`: webhooks of an account, their secrets, and their delivery log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.accounts.services import AccountServices
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from timbra.webhooks.endpoints import WebhookService
    from timbra.webhooks.store.models import Webhook

app = typer.Typer(help="Webhooks of an account.", no_args_is_help=True)

User = Annotated[str, typer.Argument(help="User name of the account.")]
Id = Annotated[str, typer.Argument(help="Identifier of the webhook.")]
Event = Annotated[list[str] | None, typer.Option("--event", help="Kind of event; repeatable; * for all.")]
Description = Annotated[str | None, typer.Option(help="Text that identifies the webhook.")]
COLUMNS = ("id", "url", "format", "state", "events", "description")
LOG_COLUMNS = ("event", "kind", "created (UTC)", "state", "attempts", "due (UTC)", "status", "answer")
TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
ANSWER_LENGTH = 80


@app.command("list")
def list_webhooks(user: User, data: DataOption = None) -> None:
    """List the webhooks of an account: identifier, address, format, state, events, description."""
    with _webhooks_of(user, data) as (webhooks, account):
        _print(webhooks.list(account))


@app.command()
def create(
    user: User,
    url: Annotated[str, typer.Argument(help="Address of the webhook, https://...")],
    event: Event = None,
    description: Description = None,
    sw_user: Annotated[
        str | None, typer.Option(help="User of Basic authentication: the notification of SW's batch service.")
    ] = None,
    sw_password_stdin: Annotated[
        bool, typer.Option("--sw-password-stdin", help="Read the password of --sw-user from standard input.")
    ] = False,
    data: DataOption = None,
) -> None:
    """Create a webhook; prints its identifier and, once, its secret."""
    import sys

    from timbra.webhooks.endpoints import NewWebhook
    from timbra.webhooks.store.models import EVENTS, SW_BATCH

    if (sw_user is not None) != sw_password_stdin:
        raise typer.BadParameter(translate("--sw-user needs --sw-password-stdin"))
    password = sys.stdin.readline().rstrip("\r\n") if sw_password_stdin else ""
    kind = EVENTS if sw_user is None else SW_BATCH
    new = NewWebhook(url, tuple(event or ()), description or "", kind, sw_user or "", password)
    with _webhooks_of(user, data) as (webhooks, account):
        webhook, secret = webhooks.create(account, new)
    typer.echo(webhook.id)
    if secret:
        typer.echo(secret)


@app.command()
def update(
    user: User,
    webhook: Id,
    url: Annotated[str | None, typer.Option(help="Address of the webhook, https://...")] = None,
    event: Event = None,
    description: Description = None,
    data: DataOption = None,
) -> None:
    """Change the options that are given; prints the webhook."""
    from timbra.webhooks.endpoints import WebhookChange

    change = WebhookChange(url, None if event is None else tuple(event), description)
    with _webhooks_of(user, data) as (webhooks, account):
        _print([webhooks.update(account, webhook, change)])


@app.command()
def enable(user: User, webhook: Id, data: DataOption = None) -> None:
    """Enable a webhook; its failures are forgotten."""
    _set_enabled(user, webhook, data, enabled=True)


@app.command()
def disable(user: User, webhook: Id, data: DataOption = None) -> None:
    """Disable a webhook; its waiting events become failed ones."""
    _set_enabled(user, webhook, data, enabled=False)


@app.command()
def remove(user: User, webhook: Id, data: DataOption = None) -> None:
    """Delete a webhook with its delivery log."""
    with _webhooks_of(user, data) as (webhooks, account):
        webhooks.delete(account, webhook)


@app.command("rotate-secret")
def rotate_secret(
    user: User,
    webhook: Id,
    hours: Annotated[int, typer.Option(min=0, max=168, help="Hours for which the previous secret signs too.")] = 24,
    data: DataOption = None,
) -> None:
    """Replace the secret of a webhook; prints the new one."""
    with _webhooks_of(user, data) as (webhooks, account):
        typer.echo(webhooks.rotate_secret(account, webhook, timedelta(hours=hours)))


@app.command("test")
def send_test(user: User, webhook: Id, data: DataOption = None) -> None:
    """Send the event webhook.test by a running server; prints the identifier of the event."""
    with _webhooks_of(user, data) as (webhooks, account):
        typer.echo(webhooks.send_test(account, webhook))


@app.command()
def deliveries(
    user: User,
    webhook: Id,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of events, newest first.")] = 50,
    data: DataOption = None,
) -> None:
    """List the events of a webhook with their state and the last answer."""
    with _webhooks_of(user, data) as (webhooks, account):
        lines = webhooks.lines(account, webhook, limit)
    print_rows(
        LOG_COLUMNS,
        (
            (
                line.event_id,
                line.kind,
                line.created_at.strftime(TIME_FORMAT),
                line.state,
                str(line.attempts),
                line.due_at.strftime(TIME_FORMAT) if line.due_at else "",
                str(line.last.status or "") if line.last else "",
                " ".join(line.last.answer.split())[:ANSWER_LENGTH] if line.last else "",
            )
            for line in lines
        ),
    )


@app.command()
def redeliver(
    user: User,
    webhook: Id,
    event: Annotated[str | None, typer.Argument(help="Identifier of an event, also of a delivered one.")] = None,
    all_failed: Annotated[bool, typer.Option("--all", help="All failed events.")] = False,
    data: DataOption = None,
) -> None:
    """Deliver events again by a running server; prints their number."""
    if (event is None) != all_failed:
        raise typer.BadParameter(translate("give the identifier of an event or --all"))
    with _webhooks_of(user, data) as (webhooks, account):
        typer.echo(str(webhooks.redeliver(account, webhook, event)))


def _set_enabled(user: str, webhook: str, data: DataOption, *, enabled: bool) -> None:
    from timbra.webhooks.endpoints import WebhookChange

    with _webhooks_of(user, data) as (webhooks, account):
        webhooks.update(account, webhook, WebhookChange(enabled=enabled))


@contextmanager
def _webhooks_of(user: str, data: DataOption) -> Iterator[tuple[WebhookService, int]]:
    from timbra.webhooks.endpoints import WebhookService

    with open_services(data, WebhookService, AccountServices) as (webhooks, accounts):
        yield webhooks, accounts.accounts.find(user).account_id


def _print(webhooks: Iterable[Webhook]) -> None:
    print_rows(
        COLUMNS,
        (
            (
                webhook.id,
                webhook.url,
                webhook.format,
                "enabled" if webhook.enabled else f"disabled ({webhook.disabled_reason})",
                " ".join(webhook.events),
                webhook.description,
            )
            for webhook in webhooks
        ),
    )


COMMANDS = (Command("webhook", app, Panel.OPERATE, 60),)
