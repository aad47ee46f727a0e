"""Servers of a provider in rehearsal, as processes, against an emulator of the SAT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.support.rehearsal import RehearsedProvider
from tests.support.server import Server, running

from timbra.accounts.build import account_services
from timbra.settings import environment_of

__all__ = ["environment_of", "rehearsal_server"]


@contextmanager
def rehearsal_server(
    provider: RehearsedProvider,
    *,
    workers: int = 1,
    environment: Mapping[str, str] | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
) -> Iterator[Server]:
    """Yield a running server of a provider, with an infinite token of its account."""
    token = provider.container.get(account_services).accounts.create_infinite_token(provider.caller.user)
    variables = {**environment_of(provider.settings), **(environment or {})}
    data = provider.settings.data
    with running(data, token=token, workers=workers, environment=variables, host=host, port=port) as server:
        yield server
