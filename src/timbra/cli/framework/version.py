"""`timbra --version`: the versions of the package, of the SAT data and of Python, and whether native code runs."""

from __future__ import annotations

import typer

from timbra.cli.framework.language import translate


def print_versions(requested: bool) -> None:
    """Print the versions, one on each line, and exit; the callback of the option `--version`.

    Args:
        requested: Whether the option was given; nothing happens otherwise.

    Raises:
        typer.Exit: After the versions were printed.
    """
    if not requested:
        return
    # Imported here, because no other command needs them and the imports are slow.
    import platform
    from importlib.metadata import version

    typer.echo(f"timbra {version('timbra')}")
    typer.echo(translate("SAT data {version}").format(version=_data_version()))
    typer.echo(f"Python {platform.python_version()}")
    typer.echo(_native_code())
    raise typer.Exit


def _data_version() -> str:
    """Return the version of the SAT data snapshot, or why there is none."""
    from timbra.cli.framework.services_option import command_settings
    from timbra.errors import ServiceError
    from timbra.snapshot import locate, open_snapshot

    try:
        return open_snapshot(locate(command_settings(None).snapshot)).version
    except ServiceError as error:
        return translate("not installed") if error.code == "snapshot-missing" else translate("damaged")


def _native_code() -> str:
    """Say whether native code runs, and why not."""
    from timbra._native import STATE

    return (
        translate("native code") if STATE.active else translate("no native code: {reason}").format(reason=STATE.reason)
    )
