"""What the nodes of one service share: a database, a master key, an account with a balance."""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.server import USER, Server, furnish, running

from timbra.settings import Settings
from timbra.wiring import open_house

ASSIGNED = 1_000_000
# Short, so that a test which waits for the end of a silence is not long.
SECONDS = {
    "TIMBRA_DATABASE_CONNECT_SECONDS": "2",
    "TIMBRA_DATABASE_LOCK_SECONDS": "2",
    "TIMBRA_DATABASE_STATEMENT_SECONDS": "2",
}


@dataclass(frozen=True)
class Site:
    """folder: of the first node, and of everything when there is but one. database_url: empty for SQLite in it."""

    folder: Path
    database_url: str = ""
    master_key: str = field(default_factory=lambda: b64encode(secrets.token_bytes(32)).decode(), repr=False)

    @property
    def shared(self) -> dict[str, object]:
        return {"database_url": self.database_url, "master_key": self.master_key}

    @property
    def settings(self) -> Settings:
        """How a test itself opens the house of this site."""
        return Settings(data=self.folder, **self.shared)  # type: ignore[arg-type]

    def furnish(self) -> str:
        """Makes an account whose stamps are counted; its infinite token."""
        token = furnish(self.folder, **self.shared)
        with open_house(self.settings) as house:
            account_id = house.accounts.find(USER).account_id
            house.balances.set_unlimited(account_id, False)
            house.balances.add(account_id, ASSIGNED)
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
        program: str = "timbra.cli",
        environment: Mapping[str, str] | None = None,
    ) -> Iterator[Server]:
        """A running node. name: of its own folder beside the first one's. url: its own way to the database."""
        folder = self.folder.with_name(f"{self.folder.name}-{name}") if name else self.folder
        variables = {
            "TIMBRA_DATABASE_URL": url or self.database_url,
            "TIMBRA_MASTER_KEY": self.master_key,
            **SECONDS,
            **(environment or {}),
        }
        with running(folder, token=token, port=port, workers=workers, environment=variables, program=program) as server:
            yield server
