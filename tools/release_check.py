"""Checks of the distributions in dist/ before a release: everything that needs no publishing and no index.

The wheel is installed into new environments from a folder with the locked dependencies. On Linux the commands run
without a network where the kernel allows it (`unshare --net`).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from packaging.utils import parse_sdist_filename, parse_wheel_filename
from rich.console import Console

ROOT = Path(__file__).parents[1]
UV = str(Path(sys.executable).with_name("uv"))
SITE_FILES = ("index.html", "search.json", "settings/index.html", "rules/index.html", "assets/site.css")
"""Files that every built documentation site has."""


class CheckFailedError(Exception):
    """A check of the release failed."""


@dataclass(frozen=True, slots=True)
class Distributions:
    """The files in dist/: a native wheel is absent where there was no C compiler."""

    sdist: Path
    pure: Path
    native: Path | None

    @property
    def wheels(self) -> list[Path]:
        """The pure wheel, and the native one if there is one."""
        return [self.pure, *([self.native] if self.native else [])]


def distributions(folder: Path) -> Distributions:
    """Return the distributions of the current version.

    Raises:
        CheckFailedError: There is another number of files, or their version is another.
    """
    sdists, wheels = sorted(folder.glob("*.tar.gz")), sorted(folder.glob("*.whl"))
    pure = [wheel for wheel in wheels if wheel.name.endswith("-none-any.whl")]
    native = [wheel for wheel in wheels if wheel not in pure]
    if (len(sdists), len(pure)) != (1, 1) or len(native) > 1:
        raise CheckFailedError(f"{folder}: {len(sdists)} sdists, {len(pure)} pure and {len(native)} native wheels")
    expected = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    versions = {str(parse_wheel_filename(wheel.name)[1]) for wheel in wheels}
    versions.add(str(parse_sdist_filename(sdists[0].name)[1]))
    if versions != {expected}:
        raise CheckFailedError(f"versions of the files {sorted(versions)}, of pyproject.toml {expected}")
    return Distributions(sdists[0], pure[0], native[0] if native else None)


def check_documentation(found: Distributions) -> None:
    """Check that every file has the documentation site, which the server has under /docs.

    Raises:
        CheckFailedError: A file has no site.
    """
    for wheel in found.wheels:
        with zipfile.ZipFile(wheel) as archive:
            _require_site(wheel, set(archive.namelist()), "timbra/docs_site")
    with tarfile.open(found.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    _require_site(found.sdist, names, "src/timbra/docs_site")


def check_cases(folder: Path, version: str) -> int:
    """Check the archive of the example documents of rules; return the number of its cases.

    Raises:
        CheckFailedError: There is none of the version, it does not conform to its schema, or a document is another one.
    """
    file = folder / f"cfdi-cases-{version}.zip"
    if not file.is_file():
        raise CheckFailedError(f"{folder} has no {file.name}; make it with: make cases")
    with zipfile.ZipFile(file) as archive:
        schema, cases = (json.loads(archive.read(f"{file.stem}/{name}.json")) for name in ("cases.schema", "cases"))
        for error in Draft202012Validator(schema).iter_errors(cases):
            raise CheckFailedError(f"{file.name}: {error.message} at {error.json_path}")
        for case in cases["cases"]:
            if sha256(archive.read(f"{file.stem}/{case['file']}")).hexdigest() != case["sha256"]:
                raise CheckFailedError(f"{file.name}: {case['file']} is not the document of its case")
    return len(cases["cases"])


def _require_site(file: Path, names: set[str], folder: str) -> None:
    missing = sorted(name for name in SITE_FILES if f"{folder}/{name}" not in names)
    if missing:
        raise CheckFailedError(f"{file.name} lacks {', '.join(missing)} of the documentation; make it with: make dist")


def run(command: list[str], cwd: Path, *, offline: list[str]) -> str:
    """Run a command without the checkout on its path; return its standard output.

    Raises:
        CheckFailedError: Its exit code is not 0.
    """
    keep = ("PATH", "HOME", "LANG", "TMPDIR")
    environment = {name: os.environ[name] for name in keep if name in os.environ}
    finished = subprocess.run(  # noqa: S603 - commands of this module
        [*offline, *command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if finished.returncode != 0:
        raise CheckFailedError(f"{' '.join(command)}\n{finished.stdout}\n{finished.stderr}")
    return finished.stdout


def offline_prefix() -> list[str]:
    """Return the command prefix that takes the network away, empty where the system does not allow it."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return []
    prefix = [unshare, "--net", "--map-root-user", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    tried = subprocess.run([*prefix, "true"], capture_output=True, check=False)  # noqa: S603 - as above
    return prefix if tried.returncode == 0 else []


def collect_wheels(folder: Path) -> None:
    """Download the locked dependencies, hashes checked; pip takes the configured index."""
    options = ["--quiet", "--disable-pip-version-check", "--require-hashes", "--only-binary=:all:"]
    locked = ["-r", str(ROOT / "requirements" / "runtime.txt"), "-d", str(folder)]
    run([sys.executable, "-m", "pip", "download", *options, *locked], ROOT, offline=[])


def check_pip(wheel: Path, wheels: Path, scratch: Path, offline: list[str]) -> None:
    """Install with pip into a new environment, then issue and validate a CFDI there."""
    environment = scratch / f"pip-{wheel.stem}"
    venv.create(environment, with_pip=True)
    python = str(environment / "bin" / "python")
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--find-links", str(wheels)]
    run([python, "-m", "pip", "install", *options, str(wheel)], scratch, offline=offline)
    timbra_command = str(environment / "bin" / "timbra")
    is_native = not wheel.name.endswith("-none-any.whl")
    state = run([python, "-c", "import timbra._native; print(timbra._native.STATE.active)"], scratch, offline=offline)
    if state.strip() != str(is_native):
        raise CheckFailedError(f"{wheel.name}: native code is active: {state.strip()}")
    run([timbra_command, "data", "verify"], scratch, offline=offline)
    run([timbra_command, "demo", "--data", str(environment / "demo")], scratch, offline=offline)


def check_uv_tool(wheel: Path, wheels: Path, scratch: Path, offline: list[str]) -> None:
    """Run the wheel with `uvx --from`, in an environment that uv makes and forgets."""
    options = ["--no-config", "--offline", "--no-index", "--find-links", str(wheels), "--python", sys.executable]
    cache = ["--cache-dir", str(scratch / "uv")]
    run(
        [UV, "tool", "run", *options, *cache, "--from", str(wheel), "timbra", "data", "verify"],
        scratch,
        offline=offline,
    )


def main() -> None:
    """Run every check; exit code 1 with the output of the first one that fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    console, offline = Console(), offline_prefix()
    folder = parser.parse_args().dist
    try:
        with tempfile.TemporaryDirectory() as name, console.status("dist/") as status:
            scratch, wheels = Path(name), Path(name) / "wheels"
            found = distributions(folder)
            check_documentation(found)
            cases = check_cases(folder, str(parse_sdist_filename(found.sdist.name)[1]))
            status.update("download of the locked dependencies")
            collect_wheels(wheels)
            for wheel in found.wheels:
                status.update(f"{wheel.name}: pip install without index, demo")
                check_pip(wheel, wheels, scratch, offline)
                status.update(f"{wheel.name}: uvx without index")
                check_uv_tool(wheel, wheels, scratch, offline)
    except CheckFailedError as error:
        console.print(f"[red]release check failed[/red]: {error}", markup=True)
        raise SystemExit(1) from error
    network = "without a network" if offline else "with the network of this machine"
    console.print(f"cfdi-cases: {cases} cases conform to their schema.")
    for wheel in found.wheels:
        console.print(f"{wheel.name}: installed with pip and run with uvx {network}; a CFDI was issued and validated.")


if __name__ == "__main__":
    main()
