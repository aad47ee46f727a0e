"""Build hook: the snapshot of the SAT's data, the catalogs of texts, and the native extensions where a C compiler is.

The catalogs `es.po` of the packages are compiled to `es.mo` beside them.

The extensions are compiled from `src/timbra/_native/*.pyx` and, on Linux x86-64, `src/timbra/_rsa8/*.pyx`. A wheel with
them has the tag of the platform, a wheel without them is pure. An editable installation has the compiled files beside
their sources. The environment variable `TIMBRA_BUILD_NATIVE` is `auto` (the default: pure if compilation fails), `0`
(pure) or `1` (compilation must succeed); `TIMBRA_NATIVE_CFLAGS` adds options for the C compiler and the linker.
"""

from __future__ import annotations

import io
import os
import platform
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MANIFEST = Path("src", "timbra", "sat_data", "manifest.json")
SOURCES = Path("src")
NATIVE = Path("timbra", "_native")
RSA8 = Path("timbra", "_rsa8")
MODE_VARIABLE = "TIMBRA_BUILD_NATIVE"
MODES = ("auto", "0", "1")
FLAGS_VARIABLE = "TIMBRA_NATIVE_CFLAGS"


class BuildHook(BuildHookInterface[Any]):
    """Stops a build without the snapshot; an editable install does without, because it comes before the snapshot."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Check the snapshot, compile the catalogs and the extension before hatchling collects files.

        Args:
            version: `editable` for an editable install, else `standard`.
            build_data: What hatchling is going to do; a wheel gets the compiled files and the tag of the platform.

        Raises:
            SystemExit: The folder has no snapshot, or the extension is required and cannot be compiled.
        """
        if version != "editable" and not Path(self.root, MANIFEST).is_file():
            raise SystemExit("The snapshot of the SAT's data is missing; make it with: make setup")
        compile_catalogs(Path(self.root))
        if self.target_name != "wheel":
            return
        compiled = compiled_files(Path(self.root))
        if version == "editable":
            place_beside_sources(compiled, Path(self.root, SOURCES))
        elif compiled:
            build_data["infer_tag"] = True
            build_data["pure_python"] = False
            build_data["force_include"].update({str(file): place.as_posix() for place, file in compiled.items()})


def compile_catalogs(root: Path) -> None:
    """Compile the catalogs whose compiled file is missing or old; the result depends on nothing but their content."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    for source in (root / SOURCES).glob("timbra/*/es.po"):
        with source.open("rb") as file:
            catalog = read_po(file, abort_invalid=True)
        catalog.creation_date = catalog.revision_date = datetime.fromtimestamp(0, UTC)
        content = io.BytesIO()
        write_mo(content, catalog)
        target = source.with_suffix(".mo")
        if not target.is_file() or target.read_bytes() != content.getvalue():
            target.write_bytes(content.getvalue())


def compiled_files(root: Path) -> dict[Path, Path]:
    """Compile the extensions and return their files by their places in the wheel, none for a pure package.

    Raises:
        SystemExit: The extension is required and cannot be compiled, or the variable has another value.
    """
    mode = os.environ.get(MODE_VARIABLE, "auto")
    if mode not in MODES:
        raise SystemExit(f"{MODE_VARIABLE} is {mode!r}; it must be one of {', '.join(MODES)}")
    if mode == "0":
        return {}
    try:
        return compile_extensions(root, Path(tempfile.mkdtemp(prefix="timbra-native-")), complete=mode == "1")
    except Exception as error:
        if mode == "1":
            raise SystemExit(f"The native extension cannot be compiled: {error}") from error
        cause = str(error).partition("\n")[0][:160]
        print(f"timbra: without the native extension, slower in pure Python: {cause}", file=sys.stderr)
        return {}


def compile_extensions(root: Path, scratch: Path, *, complete: bool = True) -> dict[Path, Path]:
    """Compile every module of the extensions.

    Args:
        root: Folder with pyproject.toml.
        scratch: Empty folder for C and object files, and for the result.
        complete: Fail, instead of leaving out `timbra._rsa8`, when its library is not installed.

    Returns:
        The compiled modules by their places in the wheel.

    Raises:
        Exception: Cython, lxml, a library or a C compiler is missing, or rejects the sources.
    """
    from Cython.Build import cythonize
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    sources, built = scratch / "src", scratch / "lib"
    for package in (NATIVE, RSA8):
        ignored = shutil.ignore_patterns("*.so", "*.pyd")
        shutil.copytree(root / SOURCES / package, sources / package, ignore=ignored)
    (sources / "timbra" / "__init__.py").touch()
    back = Path.cwd()
    os.chdir(sources)
    try:
        extensions = cythonize(
            [*native_extensions(), *rsa8_extensions(complete)], compiler_directives={"language_level": 3}, quiet=True
        )
        command = build_ext(Distribution({"name": "timbra", "ext_modules": extensions}))
        command.build_lib, command.build_temp = str(built), "objects"
        command.parallel = min(4, os.cpu_count() or 1)
        command.ensure_finalized()
        command.run()
    finally:
        os.chdir(back)
    return {file.relative_to(built): file for file in sorted(map(Path, command.get_outputs()))}


def native_extensions() -> list[Any]:
    """Return the modules of `timbra._native`, which need the headers of the installed lxml."""
    import lxml
    from setuptools import Extension

    return [
        Extension(
            f"timbra._native.{source.stem}",
            [source.as_posix()],
            include_dirs=lxml.get_include(),
            extra_compile_args=compiler_options(),
            extra_link_args=compiler_options(),
        )
        for source in sorted(NATIVE.glob("*.pyx"))
    ]


def rsa8_extensions(required: bool) -> list[Any]:
    """Return the module of `timbra._rsa8`, linked with the static library crypto_mb; none on other systems.

    Args:
        required: Fail when the library is not installed.

    Raises:
        FileNotFoundError: The library is required, and is not installed.
    """
    from setuptools import Extension

    if sys.platform != "linux" or platform.machine() != "x86_64":
        return []
    try:
        headers = installed_file("ipp-crypto-include", "crypto_mb/rsa.h").parent.parent
        library = installed_file("ipp-crypto-static", "libcrypto_mb.a")
    except FileNotFoundError as error:
        if required:
            raise
        print(f"timbra: without batched signatures: {error}", file=sys.stderr)
        return []
    hidden = "-Wl,--exclude-libs,ALL"
    return [
        Extension(
            "timbra._rsa8.crt",
            [(RSA8 / name).as_posix() for name in ("crt.pyx", "openssl_symbols.c")],
            include_dirs=[str(headers)],
            extra_objects=[str(library)],
            extra_compile_args=[*compiler_options(), "-fvisibility=hidden"],
            extra_link_args=[*compiler_options(), hidden, "-Wl,--gc-sections"],
        )
    ]


def installed_file(distribution: str, ending: str) -> Path:
    """Return the path of a file of an installed distribution.

    Raises:
        FileNotFoundError: The distribution is not installed, or does not have the file.
    """
    from importlib.metadata import PackageNotFoundError, files

    try:
        for file in files(distribution) or ():
            if file.as_posix().endswith(ending):
                return Path(str(file.locate())).resolve()
    except PackageNotFoundError:
        pass
    raise FileNotFoundError(f"{distribution} with {ending} is not installed")


def compiler_options() -> list[str]:
    """Return the options of the compiler and the linker."""
    extra = os.environ.get(FLAGS_VARIABLE, "").split()
    return ["-O2", "-g0", "-Wno-unused-function", *extra] if os.name == "posix" else extra


def place_beside_sources(compiled: dict[Path, Path], folder: Path) -> None:
    """Replace the compiled files of this Python in a folder of sources."""
    from importlib.machinery import EXTENSION_SUFFIXES

    for package in (NATIVE, RSA8):
        for old in (folder / package).iterdir():
            if old.name.endswith(EXTENSION_SUFFIXES[0]):
                old.unlink()
    for place, file in compiled.items():
        shutil.copy2(file, folder / place)
