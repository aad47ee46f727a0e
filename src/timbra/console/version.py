"""`timbra --version`: the versions of the package, of the SAT data and of Python, and whether native code runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from timbra.console.language import translate

SNAPSHOT_VARIABLE = "TIMBRA_SNAPSHOT"
CONFIG_VARIABLE = "TIMBRA_CONFIG"


def print_versions(requested: bool) -> None:
    """Print the versions, one on each line, and exit; the callback of the option `--version`.

    Args:
        requested: Whether the option was given; nothing happens otherwise.

    Raises:
        typer.Exit: After the versions were printed.
    """
    if not requested:
        return
    import typer

    for line in versions():
        typer.echo(line)
    raise typer.Exit


def versions() -> Iterator[str]:
    """Yield the lines of `--version`; they need neither typer nor, as a rule, the settings, whose imports are slow."""
    import platform
    from importlib.metadata import version

    yield f"timbra {version('timbra')}"
    yield translate("SAT data {version}").format(version=_data_version())
    yield f"Python {platform.python_version()}"
    yield _native_code()
    yield _batched_signatures()


def _data_version() -> str:
    """Return the version of the SAT data snapshot, or why there is none."""
    from timbra.core.errors import ServiceError
    from timbra.snapshot import locate, open_snapshot

    try:
        return open_snapshot(locate(_snapshot_setting())).version
    except ServiceError as error:
        return translate("not installed") if error.code == "snapshot-missing" else translate("damaged")


def _native_code() -> str:
    """Say whether native code runs, and why not."""
    from timbra._native import STATE

    return (
        translate("native code") if STATE.active else translate("no native code: {reason}").format(reason=STATE.reason)
    )


def _batched_signatures() -> str:
    """Say whether signatures of concurrent requests can be made together, and why not."""
    from timbra._rsa8 import load_batches

    _, reason = load_batches()
    if not reason:
        return translate("batched signatures")
    return translate("no batched signatures: {reason}").format(reason=reason)


def _snapshot_setting() -> Path | None:
    """Return the setting `snapshot`: from its variable, or with a settings file from all settings."""
    if os.environ.get(CONFIG_VARIABLE):
        from timbra.settings import load_settings

        return load_settings().snapshot
    folder = os.environ.get(SNAPSHOT_VARIABLE)
    return Path(folder) if folder else None
