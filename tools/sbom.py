"""Software bill of materials (CycloneDX) of the wheel in dist/ with its locked dependencies, and a check of licences.

The wheel and `requirements/runtime.txt` are installed into a new environment, which is then read: the document names
what a user gets, not what this checkout has installed for development.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from license_expression import ExpressionError, Licensing
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
OUTPUT = ROOT / "build"
"""Not dist/, of which every file is published to the package index."""
UV = str(Path(sys.executable).with_name("uv"))
LICENSING: Any = Licensing()
INSTALLERS = frozenset({"pip", "setuptools"})
"""Packages of a new environment that are not dependencies."""
ACCEPTED = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "LGPL-3.0-only",
        "License :: OSI Approved :: BSD License",
        "License :: OSI Approved :: SIL Open Font License 1.1 (OFL-1.1)",
        "MIT",
        "MIT-0",
        "MPL-2.0",
        "OFL-1.1",
        "PSF-2.0",
    }
)
"""Licences that a dependency of an Apache-2.0 program may have; the LGPL and MPL ones are used unchanged."""


STATED_IN_FILE = {"pyrage": ("MIT",)}
"""Licences of packages whose metadata names none: read in the licence file of their wheels."""


class LicenceError(Exception):
    """A dependency has no licence, or one that is not accepted."""


def main() -> None:
    """Write build/timbra-VERSION.cdx.json; exit code 1 when a licence is not accepted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    folder, console = parser.parse_args().dist, Console()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    wheels = sorted(folder.glob(f"timbra-{version}-*.whl"))
    if not wheels:
        console.print(f"[red]{folder} has no wheel of version {version}; make it with: make dist[/red]")
        raise SystemExit(1)
    target = OUTPUT / f"timbra-{version}.cdx.json"
    OUTPUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, console.status("installing the wheel into a new environment"):
        python = install(wheels[0], Path(name) / "environment")
        write_sbom(python, target)
        if not wheels[0].name.endswith("-none-any.whl"):
            add_linked_library(target)
    found = licences(json.loads(target.read_text("utf-8")))
    console.print(_table(found))
    try:
        check(found)
    except LicenceError as error:
        console.print(f"[red]{error}[/red]")
        raise SystemExit(1) from error
    console.print(f"{target.relative_to(ROOT)}: {len(found)} dependencies, every licence accepted")


def install(wheel: Path, environment: Path) -> Path:
    """Install a wheel with the locked dependencies into a new environment; return its Python."""
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    options = [UV, "pip", "install", "--quiet", "--python", str(python)]
    locked = str(ROOT / "requirements" / "runtime.txt")
    subprocess.run([*options, "--require-hashes", "-r", locked], check=True)  # noqa: S603 - commands of this module
    subprocess.run([*options, "--no-deps", str(wheel)], check=True)  # noqa: S603 - as above
    return python


def write_sbom(python: Path, target: Path) -> None:
    """Write the CycloneDX document of an environment, without times and random numbers."""
    command = [sys.executable, "-m", "cyclonedx_py", "environment", str(python)]
    options = ["--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible", "--of", "JSON", "-o", str(target)]
    subprocess.run([*command, *options], check=True, capture_output=True)  # noqa: S603 - commands of this module


def add_linked_library(target: Path) -> None:
    """Add the library that is linked into a native wheel: it is a dependency of the build, not of the installation."""
    from importlib.metadata import version

    name = "ipp-crypto-static"
    sbom = json.loads(target.read_text("utf-8"))
    sbom["components"].append(
        {
            "type": "library",
            "bom-ref": name,
            "name": name,
            "version": version(name),
            "licenses": [{"license": {"id": "Apache-2.0"}}],
            "purl": f"pkg:pypi/{name}@{version(name)}",
            # A scanner knows the library by its vendor's name, not by that of the package.
            "cpe": f"cpe:2.3:a:intel:integrated_performance_primitives_cryptography:{version(name)}:*:*:*:*:*:*:*",
        }
    )
    target.write_text(json.dumps(sbom, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def licences(sbom: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the licences of each dependency by its name and version.

    Args:
        sbom: A CycloneDX document.
    """
    return {
        f"{component['name']} {component['version']}": tuple(_names(component.get("licenses", ())))
        or STATED_IN_FILE.get(component["name"], ())
        for component in sbom.get("components", ())
        if component["name"] not in INSTALLERS
    }


def check(found: Mapping[str, tuple[str, ...]]) -> None:
    """Check that every dependency has an accepted licence.

    Raises:
        LicenceError: With the names of those that have none.
    """
    rejected = [f"{name}: {', '.join(names) or 'no licence'}" for name, names in found.items() if not _accepted(names)]
    if rejected:
        raise LicenceError("licences that are not accepted: " + "; ".join(rejected))


def _names(entries: list[Mapping[str, Any]]) -> list[str]:
    """Return the licences of a component: an expression, or the identifier or name of each."""
    names = []
    for entry in entries:
        licence = entry.get("license", {})
        names.append(str(entry.get("expression") or licence.get("id") or licence.get("name")))
    return names


def _accepted(names: tuple[str, ...]) -> bool:
    """Whether one of the licences is accepted; a package states the same one as identifier and as classifier."""
    return any(_expression_accepted(name) for name in names)


def _expression_accepted(text: str) -> bool:
    """Evaluate an SPDX expression: every part of an AND, one part of an OR is accepted."""
    if text in ACCEPTED:
        return True
    try:
        parsed = LICENSING.parse(text)
    except ExpressionError:
        return False
    return parsed is not None and _holds(parsed)


def _holds(node: Any) -> bool:
    parts = (_holds(part) for part in node.args)
    if isinstance(node, LICENSING.OR):
        return any(parts)
    return all(parts) if isinstance(node, LICENSING.AND) else node.key in ACCEPTED


def _table(found: Mapping[str, tuple[str, ...]]) -> Table:
    table = Table("dependency", "licence")
    for name in sorted(found, key=str.lower):
        table.add_row(name, ", ".join(found[name]))
    return table


if __name__ == "__main__":
    main()
