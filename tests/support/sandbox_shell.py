"""Runs `timbra csd`, `sandbox`, `confirmation` and `cancel` on a data folder with the fiscal time 2026-11-17 12:00."""

from __future__ import annotations

from pathlib import Path

import typer
from tests.support.data_folder import create_data
from typer.testing import CliRunner, Result

from timbra.app.composition import Container, build_container
from timbra.cancellation import commands as cancel
from timbra.operations.commands import confirmation
from timbra.sandbox.commands import controls, csd
from timbra.settings import Settings

NOON = "2026-11-17T12:00:00"

APP = typer.Typer()
APP.add_typer(csd.app, name="csd")
APP.add_typer(controls.app, name="sandbox")
APP.add_typer(confirmation.app, name="confirmation")
APP.command()(cancel.cancel)


class SandboxShell:
    """Runs commands on one data folder."""

    def __init__(self, data: Path) -> None:
        self.data = create_data(data)

    def run(self, *arguments: str, input: str | None = None) -> Result:
        sent = [*arguments, "--data", str(self.data)]
        return CliRunner().invoke(APP, sent, input=input, env={"TIMBRA_CLOCK": NOON})

    def lines(self, *arguments: str) -> list[list[str]]:
        """Run a command that must succeed, and return its rows, split at tabs."""
        result = self.run(*arguments)
        assert result.exit_code == 0, result.output
        return [line.split("\t") for line in result.stdout.splitlines()]

    def rejection(self, *arguments: str) -> str:
        """Run a command that must fail without standard output, and return its message on standard error."""
        result = self.run(*arguments)
        assert result.exit_code == 1, result.output
        assert isinstance(result.exception, SystemExit)
        assert result.stdout == ""
        return result.stderr.strip()

    def container(self) -> Container:
        """Return a container of a server on the same folder; the caller closes it."""
        return build_container(Settings(data=self.data, clock=NOON))
