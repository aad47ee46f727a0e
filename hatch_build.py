"""Build hook: the snapshot of the SAT's data, and the native extension where a C compiler is.

The extension is compiled from `src/timbra/_native/*.pyx`. A wheel with it has the tag of the platform, a wheel without
it is pure. An editable installation has the compiled files beside their sources. The environment variable
`TIMBRA_BUILD_NATIVE` is `auto` (the default: pure if compilation fails), `0` (pure) or `1` (compilation must succeed);
`TIMBRA_NATIVE_CFLAGS` adds options for the C compiler and the linker.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MANIFEST = Path("src", "timbra", "sat_data", "manifest.json")
NATIVE = Path("src", "timbra", "_native")
MODE_VARIABLE = "TIMBRA_BUILD_NATIVE"
MODES = ("auto", "0", "1")
FLAGS_VARIABLE = "TIMBRA_NATIVE_CFLAGS"


class BuildHook(BuildHookInterface[Any]):
    """Stops a build without the snapshot; an editable install does without, because it comes before the snapshot."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Check the snapshot and compile the extension before hatchling collects files.

        Args:
            version: `editable` for an editable install, else `standard`.
            build_data: What hatchling is going to do; a wheel gets the compiled files and the tag of the platform.

        Raises:
            SystemExit: The folder has no snapshot, or the extension is required and cannot be compiled.
        """
        if version != "editable" and not Path(self.root, MANIFEST).is_file():
            raise SystemExit("The snapshot of the SAT's data is missing; make it with: make setup")
        if self.target_name != "wheel":
            return
        compiled = compiled_files(Path(self.root))
        if version == "editable":
            place_beside_sources(compiled, Path(self.root, NATIVE))
        elif compiled:
            build_data["infer_tag"] = True
            build_data["pure_python"] = False
            build_data["force_include"].update({str(file): f"timbra/_native/{file.name}" for file in compiled})


def compiled_files(root: Path) -> list[Path]:
    """Compile the extension and return its files, none for a pure package.

    Raises:
        SystemExit: The extension is required and cannot be compiled, or the variable has another value.
    """
    mode = os.environ.get(MODE_VARIABLE, "auto")
    if mode not in MODES:
        raise SystemExit(f"{MODE_VARIABLE} is {mode!r}; it must be one of {', '.join(MODES)}")
    if mode == "0":
        return []
    try:
        return compile_extension(root, Path(tempfile.mkdtemp(prefix="timbra-native-")))
    except Exception as error:
        if mode == "1":
            raise SystemExit(f"The native extension cannot be compiled: {error}") from error
        cause = str(error).partition("\n")[0][:160]
        print(f"timbra: without the native extension, slower in pure Python: {cause}", file=sys.stderr)
        return []


def compile_extension(root: Path, scratch: Path) -> list[Path]:
    """Compile every module of the extension with the headers of the installed lxml.

    Args:
        root: Folder with pyproject.toml.
        scratch: Empty folder for C and object files, and for the result.

    Returns:
        The compiled modules, sorted by name.

    Raises:
        Exception: Cython, lxml or a C compiler is missing, or rejects the sources.
    """
    import lxml
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    sources = scratch / "src"
    shutil.copytree(root / NATIVE, sources / "timbra" / "_native", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    (sources / "timbra" / "__init__.py").touch()
    extra = os.environ.get(FLAGS_VARIABLE, "").split()
    arguments = ["-O2", "-g0", "-Wno-unused-function", *extra] if os.name == "posix" else extra
    names = sorted(path.stem for path in (root / NATIVE).glob("*.pyx"))
    back = Path.cwd()
    os.chdir(sources)
    try:
        extensions = cythonize(
            [
                Extension(
                    f"timbra._native.{name}",
                    [f"timbra/_native/{name}.pyx"],
                    include_dirs=lxml.get_include(),
                    extra_compile_args=arguments,
                    extra_link_args=arguments,
                )
                for name in names
            ],
            compiler_directives={"language_level": 3},
            quiet=True,
        )
        command = build_ext(Distribution({"name": "timbra", "ext_modules": extensions}))
        command.build_lib, command.build_temp = str(scratch / "lib"), "objects"
        command.parallel = min(4, os.cpu_count() or 1)
        command.ensure_finalized()
        command.run()
    finally:
        os.chdir(back)
    return sorted(Path(output) for output in command.get_outputs())


def place_beside_sources(compiled: list[Path], folder: Path) -> None:
    """Replace the compiled files of this Python in a folder of sources."""
    from importlib.machinery import EXTENSION_SUFFIXES

    for old in folder.iterdir():
        if old.name.endswith(EXTENSION_SUFFIXES[0]):
            old.unlink()
    for file in compiled:
        shutil.copy2(file, folder / file.name)
