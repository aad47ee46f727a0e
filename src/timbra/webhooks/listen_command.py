"""`timbra listen`: a webhook for as long as the command runs, with a line for each attempt to deliver an event."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.accounts.services import AccountServices
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services

if TYPE_CHECKING:
    from timbra.accounts.accounts import Accounts
    from timbra.webhooks.endpoints import WebhookService
    from timbra.webhooks.store.models import Attempt, DeliveryLine

DESCRIPTION = "timbra listen"
POLL_SECONDS = 0.5
ANSWER_LENGTH = 80


def listen(
    url: Annotated[str, typer.Argument(help="Address that gets the events, such as http://localhost:3000/hook.")],
    user: Annotated[
        str | None, typer.Option(help="User name of the account; not needed when there is one account.")
    ] = None,
    event: Annotated[
        list[str] | None, typer.Option("--event", help="Kind of event; repeatable; all without it.")
    ] = None,
    data: DataOption = None,
) -> None:
    """Forward the events of an account to an address until Ctrl-C, and print each attempt.

    Needs a running server of the data folder, which sends the events. The command creates a webhook and removes it when
    it ends. Its page in the portal sends an event again, as `timbra webhook redeliver` does.
    """
    with open_services(data, _service(), AccountServices) as (webhooks, accounts):
        account_id, name = _account(accounts.accounts, user)
        with _webhook(webhooks, account_id, url, event) as (webhook_id, secret), _until_interrupted():
            texts = {"user": name, "url": url, "secret": secret, "id": webhook_id}
            typer.echo(translate("Events of {user} go to {url}; Ctrl-C ends.").format(**texts))
            typer.echo(translate("Secret of the signatures: {secret}").format(**texts))
            typer.echo(translate("Send one again: timbra webhook redeliver {user} {id} EVENT").format(**texts))
            for line, last in _attempts(webhooks, account_id, webhook_id):
                typer.echo(_text(line, last))


def _service() -> type[WebhookService]:
    from timbra.webhooks.endpoints import WebhookService

    return WebhookService


def _account(accounts: Accounts, user: str | None) -> tuple[int, str]:
    if user is not None:
        found = accounts.find(user)
        return found.account_id, found.user
    all_accounts = accounts.list_accounts()
    if len(all_accounts) != 1:
        names = ", ".join(each.user for each in all_accounts)
        raise typer.BadParameter(translate("choose an account with --user: {names}").format(names=names))
    return all_accounts[0].account_id, all_accounts[0].user


@contextmanager
def _webhook(
    webhooks: WebhookService, account_id: int, url: str, events: list[str] | None
) -> Iterator[tuple[str, str]]:
    """Create a webhook and remove it in the end; one of a killed run is removed before."""
    from timbra.webhooks.endpoints import ALL, NewWebhook

    for left in webhooks.list(account_id):
        if (left.description, left.url) == (DESCRIPTION, url):
            webhooks.delete(account_id, left.id)
    webhook, secret = webhooks.create(account_id, NewWebhook(url, tuple(events or (ALL,)), DESCRIPTION))
    try:
        yield webhook.id, secret
    finally:
        webhooks.delete(account_id, webhook.id)


@contextmanager
def _until_interrupted() -> Iterator[None]:
    """End the block at SIGINT and SIGTERM."""

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("")
    finally:
        signal.signal(signal.SIGTERM, previous)


def _attempts(webhooks: WebhookService, account_id: int, webhook_id: str) -> Iterator[tuple[DeliveryLine, Attempt]]:
    """Yield each event with its new attempt, oldest first."""
    known: dict[str, int] = {}
    while True:
        for line in reversed(webhooks.lines(account_id, webhook_id, limit=200)):
            if line.last is not None and known.get(line.event_id) != line.attempts:
                known[line.event_id] = line.attempts
                yield line, line.last
        time.sleep(POLL_SECONDS)


def _text(line: DeliveryLine, last: Attempt) -> str:
    answer = f"{last.status} in {last.milliseconds} ms" if last.status else " ".join(last.answer.split())
    subject = f" {line.subject}" if line.subject else ""
    at = last.at.astimezone().strftime("%H:%M:%S")
    return f"{at}  {line.kind}{subject}  {line.event_id}  {answer[:ANSWER_LENGTH]}"


COMMANDS = (Command("listen", listen, Panel.SANDBOX, 90),)
