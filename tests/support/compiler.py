"""The C compiler with which Python builds extensions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path


def has_compiler() -> bool:
    """Whether the C compiler of this Python is installed."""
    return shutil.which(_command()[0]) is not None


def compile_library(source: Path, library: Path, *options: str) -> Path:
    """Compile a C file to a shared library and return it."""
    command = [*_command(), "-shared", "-fPIC", "-O1", *options, "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return library


def _command() -> list[str]:
    return (os.environ.get("CC") or str(sysconfig.get_config_var("CC") or "cc")).split()
