"""The programs that a node runs: Timbra, Python, the system, and the installed packages with their licences."""

from __future__ import annotations

import platform
import socket
from collections.abc import Iterator
from functools import cache
from importlib.metadata import Distribution, distributions

from timbra.reports.report import Row


def inventory_rows(data_version: str, dialect: str) -> Iterator[Row]:
    """Yield node, component, version and licence.

    Args:
        data_version: Version of the SAT's data.
        dialect: Name of the database system.
    """
    node = socket.gethostname()
    yield node, "Python", platform.python_version(), "PSF-2.0"
    yield node, "Sistema operativo", f"{platform.system()} {platform.release()}", None
    yield node, "Base de datos", dialect, None
    yield node, "Datos del SAT", data_version, None
    for package in _packages():
        yield node, *package


@cache
def _packages() -> tuple[tuple[str, str, str | None], ...]:
    """Return name, version and licence of each installed package; a process does not load what is installed later."""
    found = {distribution.metadata["Name"].lower(): distribution for distribution in distributions()}
    return tuple((name, found[name].version, _licence(found[name])) for name in sorted(found))


def _licence(distribution: Distribution) -> str | None:
    metadata = distribution.metadata.json
    expression = metadata.get("license_expression")
    if expression:
        return str(expression)
    classifiers = [text for text in metadata.get("classifier", ()) if text.startswith("License ::")]
    if classifiers:
        return "; ".join(text.rpartition(" :: ")[2] for text in classifiers)
    licence = str(metadata.get("license", "")).strip()
    return licence.splitlines()[0][:100] if licence else None
