"""`timbra provider`: the identity of the provider (PAC) that stamps."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from timbra.accounts.commands.approval import require_approval
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows
from timbra.core.checks import CheckOptions
from timbra.core.clock import CENTRAL_MEXICO
from timbra.events.recorder import PLANNED_STOP, EventRecorder
from timbra.operations.doctor_commands import JsonOption, StrictOption, run_checks

app = typer.Typer(help="The provider (PAC) that stamps in production and in a rehearsal.", no_args_is_help=True)

MAX_REASON_LENGTH = 500
USE_COLUMNS = ("day (UTC)", "certificate", "signatures")


@app.command()
def check(
    online: Annotated[
        bool,
        typer.Option(
            "--online",
            help="Log in at the SAT's services, and query every address, the container and the sources of lists too.",
        ),
    ] = False,
    deliver: Annotated[
        bool,
        typer.Option(
            "--deliver", help="In a rehearsal: stamp an example with a CSD of an account, deliver it and cancel it."
        ),
    ] = False,
    strict: StrictOption = False,
    as_json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Check a server with a provider as `timbra doctor` does; the exit code is 1 when a condition fails.

    Columns: condition, state (ok, warning, error), what was found. Each token signs once.
    """
    from timbra.provider.checks import ProviderDoctor

    options = CheckOptions(online=online or deliver, deliver=deliver)
    run_checks(data, ProviderDoctor, options, strict=strict, as_json=as_json)


@app.command()
def usage(
    days: Annotated[int, typer.Option(min=1, max=3660, help="Days until today, today included.")] = 31,
    data: DataOption = None,
) -> None:
    """List the signatures with the provider's keys by day and certificate number, of all nodes."""
    from timbra.provider.build import ProviderServices

    today = datetime.now(UTC).date()
    with open_services(data, ProviderServices) as services:
        uses = services.key_uses.between(today - timedelta(days=days - 1), today)
    print_rows(USE_COLUMNS, ((use.day.isoformat(), use.number, str(use.signatures)) for use in uses))


@app.command("plan-stop")
def plan_stop(
    begin: Annotated[str, typer.Argument(metavar="FROM", help="YYYY-MM-DDTHH:MM, central Mexico.")],
    end: Annotated[str, typer.Argument(metavar="UNTIL", help="YYYY-MM-DDTHH:MM, central Mexico.")],
    reason: Annotated[str, typer.Argument(help="Why the service stops, as it was announced.")],
    data: DataOption = None,
) -> None:
    """Record a planned stop of the service, for the report `planned-stops`; the server is not stopped."""
    first, last = _local_instant(begin), _local_instant(end)
    if last <= first or not reason.strip():
        raise typer.BadParameter(translate("a stop ends after it begins, and has a reason"))
    body = {"from": first.isoformat(), "until": last.isoformat(), "reason": reason.strip()[:MAX_REASON_LENGTH]}
    with open_services(data, EventRecorder) as events:
        events.record(PLANNED_STOP, f"{first:%Y-%m-%d}", body)


LabelOption = Annotated[str, typer.Option("--label", help="Label of the key in the token (CKA_LABEL).")]


@app.command("request")
def request_certificate(
    file: Annotated[Path, typer.Argument(help="File to write: PKCS#10 in DER.")],
    label: LabelOption,
    name: Annotated[str, typer.Option(help="Name of the provider, as its fiscal certificate has it.")],
    token: Annotated[str | None, typer.Option(help="The token, when the settings name several.")] = None,
    existing_key: Annotated[
        bool, typer.Option("--existing-key", help="Request a certificate for the key that has the label.")
    ] = False,
    data: DataOption = None,
) -> None:
    """Make a key of 2,048 bits in the device of the settings, and write the request for its certificate.

    The key cannot leave the device. Copy it to other tokens by the means of the device before it is used.
    """
    from timbra.provider.enrollment import ProviderEnrollment

    with open_services(data, ProviderEnrollment) as enrollment:
        if file.exists():
            raise typer.BadParameter(translate("the file exists"))
        file.write_bytes(enrollment.request(name, label, token, existing_key=existing_key))
    typer.echo(translate("{file}: request for the certificate of the key {label}").format(file=file, label=label))


@app.command("install")
def install_certificate(
    file: Annotated[Path, typer.Argument(help="The certificate that answers a request, DER or PEM.")],
    label: LabelOption,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="INSTANT", help="Change-over from the current certificate: YYYY-MM-DDTHH:MM, central Mexico."
        ),
    ] = None,
    data: DataOption = None,
) -> None:
    """Verify a certificate, and that every token has its key, and put it into the settings file TIMBRA_CONFIG.

    Without TIMBRA_CONFIG it prints the settings. The server reads them at SIGHUP.
    """
    import hashlib

    from timbra.core.approvals import ProtectedAction
    from timbra.provider.enrollment import ProviderEnrollment, write_settings
    from timbra.seals.certificates.trust_store import read_certificate_file

    path = file.absolute()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    require_approval(data, ProtectedAction.INSTALL_PROVIDER, f"{label} sha256:{digest}")
    with open_services(data, ProviderEnrollment) as enrollment:
        values = enrollment.install(
            read_certificate_file(path), path, label, None if at is None else _local_instant(at)
        )
    settings_file = os.environ.get("TIMBRA_CONFIG")
    if settings_file:
        write_settings(Path(settings_file), values)
        typer.echo(translate("Written to {file}; send SIGHUP to the server:").format(file=settings_file))
    for name, value in values.items():
        typer.echo(f"{name}={value}")


def _local_instant(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(translate("an instant is YYYY-MM-DDTHH:MM")) from error
    return found if found.tzinfo is not None else found.replace(tzinfo=CENTRAL_MEXICO)


COMMANDS = (Command("provider", app, Panel.OPERATE, 90),)
