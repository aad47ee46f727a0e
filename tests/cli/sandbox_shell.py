"""`timbra csd`, `sandbox` and `cancel` on a data folder whose fiscal time stands at noon of 2026-11-17."""

from __future__ import annotations

from pathlib import Path

import typer
from typer.testing import CliRunner, Result

from timbra.cli import cancel, csd, sandbox
from timbra.settings import Settings
from timbra.wiring import House, house_of

NOON = "2026-11-17T12:00:00"

APP = typer.Typer()
APP.add_typer(csd.app, name="csd")
APP.add_typer(sandbox.app, name="sandbox")
APP.command()(cancel.cancel)


class Shell:
    """Commands on one data folder."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def run(self, *words: str) -> Result:
        return CliRunner().invoke(APP, [*words, "--data", str(self.data)], env={"TIMBRA_CLOCK": NOON})

    def lines(self, *words: str) -> list[list[str]]:
        """What a command prints, values apart; it must succeed."""
        result = self.run(*words)
        assert result.exit_code == 0, result.output
        return [line.split("\t") for line in result.stdout.splitlines()]

    def refusal(self, *words: str) -> str:
        """What a command refuses with: one message on standard error, nothing on the other."""
        result = self.run(*words)
        assert result.exit_code == 1, result.output
        assert isinstance(result.exception, SystemExit)
        assert result.stdout == ""
        return result.stderr.strip()

    def house(self) -> House:
        """The house as a server on the same folder has it; the caller closes it."""
        return house_of(Settings(data=self.data, clock=NOON))
