"""Shared parts of the nodes of one service: database, master key, an account with a balance."""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from tests.support.server import USER, Server, invoice, running, seed

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.settings import Settings

ASSIGNED = 2_000_000
DATABASE_TIMEOUTS = (
    "TIMBRA_DATABASE_CONNECT_TIMEOUT_SECONDS",
    "TIMBRA_DATABASE_LOCK_TIMEOUT_SECONDS",
    "TIMBRA_DATABASE_STATEMENT_TIMEOUT_SECONDS",
)


@dataclass(frozen=True)
class Deployment:
    """folder: of the first or only node. database_url: empty for SQLite in the folder.

    database_timeout_seconds: short only for tests of an unresponsive database.
    """

    folder: Path
    database_url: str = ""
    database_timeout_seconds: int = 60
    master_key: str = field(default_factory=lambda: b64encode(secrets.token_bytes(32)).decode(), repr=False)

    @property
    def shared(self) -> dict[str, object]:
        return {"database_url": self.database_url, "master_key": self.master_key}

    @property
    def settings(self) -> Settings:
        """The settings with which a test opens the container of this deployment."""
        return Settings(data=self.folder, **self.shared)  # type: ignore[arg-type]

    def invoice(self, folio: str, age: timedelta) -> bytes:
        """Return an unsealed invoice that can be issued now."""
        return invoice(self.folder, folio, age=age, **self.shared)

    def seed(self) -> str:
        """Create an account with a balance and return its infinite token."""
        token = seed(self.folder, **self.shared)
        with open_container(self.settings) as container:
            account_id = container.get(account_services).accounts.find(USER).account_id
            container.get(account_services).balances.set_unlimited(account_id, False)
            container.get(account_services).balances.add(account_id, ASSIGNED)
        return token

    @contextmanager
    def node(
        self,
        token: str,
        *,
        name: str = "",
        url: str = "",
        port: int = 0,
        workers: int = 1,
        program: str = "tests.support.guarded",
        environment: Mapping[str, str] | None = None,
    ) -> Iterator[Server]:
        """A running node. name: of its own folder beside the first one's. url: its own way to the database."""
        folder = self.folder.with_name(f"{self.folder.name}-{name}") if name else self.folder
        variables = {
            "TIMBRA_DATABASE_URL": url or self.database_url,
            "TIMBRA_MASTER_KEY": self.master_key,
            **dict.fromkeys(DATABASE_TIMEOUTS, str(self.database_timeout_seconds)),
            **(environment or {}),
        }
        with running(folder, token=token, port=port, workers=workers, environment=variables, program=program) as server:
            yield server
