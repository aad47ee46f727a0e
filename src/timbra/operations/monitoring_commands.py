"""`timbra monitoring`: the files for Prometheus and Grafana."""

from __future__ import annotations

import typer

from timbra.console.command import Command, Panel

app = typer.Typer(help="Alert rules for Prometheus and the dashboard for Grafana.", no_args_is_help=True)


@app.command()
def rules() -> None:
    """Write the alert rules to standard output, for `rule_files` of Prometheus."""
    from timbra.operations.alert_rules import rule_file

    typer.echo(rule_file(), nl=False)


@app.command()
def dashboard() -> None:
    """Write the dashboard to standard output, as JSON for the import of Grafana."""
    from timbra.operations.dashboard import dashboard_file

    typer.echo(dashboard_file(), nl=False)


COMMANDS = (Command("monitoring", app, Panel.OPERATE, 95),)
