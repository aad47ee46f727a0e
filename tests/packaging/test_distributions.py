"""The wheel and the source distribution are complete, equal and usable without the checkout."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from packaging.metadata import Metadata
from packaging.specifiers import SpecifierSet
from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename
from tests.packaging.conftest import ROOT, build
from tests.support import cli_texts
from tests.support.effort import LONG
from tools.browser_assets import ASSETS

from timbra.snapshot import locate, open_snapshot

compiles = pytest.mark.skipif(not LONG, reason="compiles all native modules; make test-long")
SITE_PACKAGES = Path(pytest.__file__).parents[1]


def unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Unpack a source distribution; Python 3.11.0 to 3.11.3 have no filters."""
    archive.extraction_filter = getattr(tarfile, "data_filter", None)
    archive.extractall(folder)


def metadata_of(wheel: Path) -> Metadata:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [each for each in archive.namelist() if each.endswith(".dist-info/METADATA")]
        return Metadata.from_email(archive.read(name), validate=True)


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run_installed(unpacked: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command from the unpacked wheel with the dependencies of this environment, away from the checkout."""
    path = f"{unpacked}:{SITE_PACKAGES}"
    command = [sys.executable, "-S", "-m", "timbra.cli", *arguments]
    environment = {"PYTHONPATH": path, "HOME": str(unpacked)}
    return subprocess.run(command, cwd=unpacked, env=environment, capture_output=True, text=True, check=False)


def native_state(unpacked: Path) -> str:
    """Return whether an unpacked wheel uses native code, and why not."""
    program = "from timbra._native import STATE; print(STATE.active, STATE.reason, end='')"
    environment = {"PYTHONPATH": f"{unpacked}:{SITE_PACKAGES}"}
    command = [sys.executable, "-S", "-c", program]
    return subprocess.run(command, cwd=unpacked, env=environment, capture_output=True, text=True, check=True).stdout


def test_wheel_contains_every_file_of_the_snapshot(wheel: Path) -> None:
    snapshot = open_snapshot(locate(None))
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        assert {f"timbra/sat_data/{name}" for name in [*snapshot.manifest.files, "manifest.json"]} <= names
        for name, entry in snapshot.manifest.files.items():
            assert archive.getinfo(f"timbra/sat_data/{name}").file_size == entry.size


def test_wheel_contains_licences_and_nothing_of_the_workshop(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    licences = {name.rpartition("/licenses/")[2] for name in names if "/licenses/" in name}
    vendored = {
        f"src/timbra/web/portal/static/vendor/{name}.LICENSE"
        for name in ("htmx", "inter", "lucide", "swagger-ui", "uplot")
    }
    assert licences == {"LICENSE", "NOTICE", "src/timbra/rendering/fonts/lato.LICENSE", *vendored}
    assert [name for name in names if not name.startswith(("timbra/", "timbra-"))] == []
    assert [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".so"))] == []


def test_wheel_metadata_is_valid_and_names_the_supported_pythons(wheel: Path) -> None:
    metadata = metadata_of(wheel)
    assert metadata.requires_python == SpecifierSet(">=3.11,<3.15")
    extras = "bulk dataset mcp object-storage pkcs11 postgres pytest reconciliation tracing workbooks"
    assert set(metadata.provides_extra or ()) == set(extras.split())
    assert metadata.license_expression == "Apache-2.0"


def test_notice_names_every_foreign_part() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    source = open_snapshot(locate(None)).manifest.source
    parts = (f"{source.package} {source.version}", "Servicio de Administración Tributaria", "segno", "crypto_mb")
    for part in parts:
        assert part in notice
    for asset in ASSETS:
        assert asset.version in notice
        assert (asset.folder / f"{asset.name}.LICENSE").relative_to(ROOT / "src").as_posix() in notice


def test_notice_names_the_generator_of_the_documentation_with_its_version() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    assert f"theme of zensical {importlib.metadata.version('zensical')}." in notice


def test_source_distribution_builds_the_same_wheel(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        unpack(archive, tmp_path)
    [source] = tmp_path.iterdir()
    assert build(source, "wheel", tmp_path / "again").read_bytes() == wheel.read_bytes()


@compiles
def test_source_distribution_builds_the_same_native_wheel(sdist: Path, native_wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        unpack(archive, tmp_path)
    [source] = tmp_path.iterdir()
    again = build(source, "wheel", tmp_path / "again", TIMBRA_BUILD_NATIVE="1")
    assert (again.name, again.read_bytes()) == (native_wheel.name, native_wheel.read_bytes())


@compiles
def test_native_wheel_is_the_pure_wheel_with_compiled_modules_and_the_tag_of_the_platform(
    wheel: Path, native_wheel: Path
) -> None:
    with zipfile.ZipFile(wheel) as pure, zipfile.ZipFile(native_wheel) as native:
        more = set(native.namelist()) - set(pure.namelist())
        assert set(pure.namelist()) <= set(native.namelist())
    sources = (ROOT / "src").glob("timbra/_*/*.pyx")
    modules = {path.relative_to(ROOT / "src").with_suffix("").as_posix() for path in sources}
    if sys.platform != "linux" or platform.machine() != "x86_64":
        modules.remove("timbra/_rsa8/crt")
    assert {name.partition(".")[0] for name in more} == modules
    assert {name.endswith(EXTENSION_SUFFIXES[0]) for name in more} == {True}
    _, _, _, tags = parse_wheel_filename(native_wheel.name)
    assert tags <= set(sys_tags())


@pytest.fixture(scope="module")
def one_extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source tree with one native module of each package: Cython needs seconds to translate all."""
    root = tmp_path_factory.mktemp("one_extension")
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NOTICE"):
        shutil.copy2(ROOT / name, root)
    package = root / "src" / "timbra"
    for name in (
        "__init__.py",
        "_native/__init__.py",
        "_native/build_info.pyx",
        "_rsa8/__init__.py",
        "_rsa8/crt.pyx",
        "_rsa8/openssl_symbols.c",
        "sat_data/manifest.json",
    ):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / "src" / "timbra" / name, package / name)
    return root


def test_wheel_is_pure_when_the_compiler_fails(one_extension: Path, tmp_path: Path) -> None:
    pure = build(one_extension, "wheel", tmp_path / "pure")
    built = build(one_extension, "wheel", tmp_path / "failed", TIMBRA_BUILD_NATIVE="auto", CC="/bin/false")
    assert (built.name, built.read_bytes()) == (pure.name, pure.read_bytes())


def test_build_fails_when_the_compiler_fails_and_native_code_is_required(one_extension: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    environment = os.environ | {"TIMBRA_BUILD_NATIVE": "1", "CC": "/bin/false"}
    finished = subprocess.run(command, cwd=one_extension, env=environment, capture_output=True, text=True, check=False)
    assert finished.returncode != 0
    assert "native extension cannot be compiled: Command '['/bin/false'" in finished.stderr
    assert list(tmp_path.iterdir()) == []


def test_build_without_snapshot_names_the_command(sdist: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        unpack(archive, tmp_path)
    [source] = tmp_path.iterdir()
    shutil.rmtree(source / "src" / "timbra" / "sat_data")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    finished = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert finished.returncode != 0
    assert "make setup" in finished.stderr


def test_installed_wheel_verifies_its_snapshot(unpacked: Path) -> None:
    finished = run_installed(unpacked, "data", "verify")
    assert finished.returncode == 0, finished.stderr
    assert open_snapshot(locate(None)).version in finished.stdout


def test_installed_wheel_has_spanish_help(unpacked: Path) -> None:
    finished = run_installed(unpacked, "--help", "--lang", "es")
    assert finished.returncode == 0, finished.stderr
    assert "Sella, timbra y valida CFDI." in finished.stdout
    assert {file.parent.name for file in unpacked.glob("timbra/*/es.mo")} == {each[0] for each in cli_texts.catalogs()}


def test_installed_pure_wheel_works_without_native_code(unpacked: Path) -> None:
    assert native_state(unpacked) == "False the package was installed without the native extension"


@compiles
def test_installed_native_wheel_uses_native_code(native_wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(native_wheel) as archive:
        archive.extractall(tmp_path)
    assert native_state(tmp_path) == "True "


def test_installed_wheel_issues_a_cfdi(unpacked: Path) -> None:
    finished = run_installed(unpacked, "example", "ingreso")
    assert finished.returncode == 0, finished.stderr
    assert "<cfdi:Comprobante " in finished.stdout
