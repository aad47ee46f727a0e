"""`timbra doctor`: checks of a server and of the services that it needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.services_option import DataOption, open_server
from timbra.console.tables import print_rows
from timbra.core.checks import CheckOptions, CheckResult, CheckState

if TYPE_CHECKING:
    from timbra.operations.doctor import Doctor

COLUMNS = ("check", "state", "detail")
ERRORS, WARNINGS = 1, 3

StrictOption = Annotated[bool, typer.Option("--strict", help="Exit with 3 when there are warnings but no errors.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print a JSON array.")]


def doctor(
    offline: Annotated[
        bool, typer.Option("--offline", help="Query nothing outside of the machine but the database and the devices.")
    ] = False,
    strict: StrictOption = False,
    as_json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Check settings, data, database, keys, clock, proxy, mail, the SAT's services and the lists.

    Columns: condition, state (ok, warning, error), what was found. The exit code is 1 when a condition fails. Each
    device signs once. The database is opened as by any command: an older one is migrated.
    """
    from timbra.operations.doctor import Doctor

    run_checks(data, Doctor, CheckOptions(online=not offline), strict=strict, as_json=as_json)


def run_checks(data: Path | None, group: type[Doctor], options: CheckOptions, *, strict: bool, as_json: bool) -> None:
    """Run all checks, print the results and end with the exit code that scripts read.

    Args:
        data: Value of `--data`.
        group: The group of services with the checks.

    Raises:
        typer.Exit: With 1 for an error, with 3 for warnings that are errors by `--strict`.
    """
    with open_server(data, opens_database=False) as server:
        results = list(server.groups[group]().run(options))
    if as_json:
        _print_json(results)
    else:
        print_rows(COLUMNS, ((result.name, result.state.value, result.detail) for result in results))
    states = {result.state for result in results}
    if CheckState.ERROR in states:
        raise typer.Exit(ERRORS)
    if strict and CheckState.WARNING in states:
        raise typer.Exit(WARNINGS)


def _print_json(results: Iterable[CheckResult]) -> None:
    import json

    typer.echo(json.dumps([asdict(result) for result in results], ensure_ascii=False, indent=2))


COMMANDS = (Command("doctor", doctor, Panel.OPERATE, 15),)
