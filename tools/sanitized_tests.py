"""Builds every native module with AddressSanitizer beside a copy of the package, and runs their tests there.

The memory of libxml2's trees and of Python's objects is checked too (`PYTHONMALLOC=malloc`): a read beyond the end of a
string of the tree stops the tests.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = (
    "tests/native",
    "tests/cfdi/test_byte_splice.py",
    "tests/cfdi/test_cadena.py",
    "tests/cfdi/test_cadena_variants.py",
    "tests/cfdi/test_cartaporte31_nodes.py",
    "tests/cfdi/test_chunked_validation.py",
    "tests/cfdi/test_comercioexterior20_nodes.py",
    "tests/cfdi/test_complement_nodes.py",
    "tests/cfdi/test_concepto_complement_nodes.py",
    "tests/cfdi/test_from_json.py",
    "tests/cfdi/test_from_json_retenciones.py",
    "tests/cfdi/test_nodes.py",
    "tests/cfdi/test_nodes_of_33.py",
    "tests/cfdi/test_nomina12_nodes.py",
    "tests/cfdi/test_pagos10_nodes.py",
    "tests/cfdi/test_qr.py",
    "tests/cfdi/test_read_back.py",
    "tests/cfdi/test_structure.py",
    "tests/cfdi/test_whitespace.py",
    "tests/fuzz/test_evaluation.py",
    "tests/fuzz/test_targets.py::test_corpus_reaches_the_lines_of_its_target[plain-document]",
    "tests/rules/test_shortcuts.py",
    "tests/seals/test_signature_batches.py",
    "tests/stamping/plain/test_key_nodes.py",
)
CPU_FLAGS = Path("/proc/cpuinfo")
BATCHES_FLAG = "avx512ifma"
"""Processors with this flag run `timbra._rsa8`; on others its tests are skipped."""
GROWING = "tests/native/test_references.py"
"""Measures memory, which AddressSanitizer keeps for a while."""
FLAGS = "-fsanitize=address -fno-omit-frame-pointer -g -O1"


def library() -> Path | None:
    """Return the library of AddressSanitizer of the C compiler, None without one."""
    compiler = os.environ.get("CC", "cc").split()
    if shutil.which(compiler[0]) is None:
        return None
    command = [*compiler, "-print-file-name=libasan.so"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - the C compiler
    found = Path(printed.stdout.strip())
    return found.resolve() if found.is_absolute() else None


def has_batches() -> bool:
    """Whether the processor runs `timbra._rsa8`."""
    return CPU_FLAGS.is_file() and BATCHES_FLAG in CPU_FLAGS.read_text("utf-8")


def build(folder: Path) -> None:
    """Copy the package to a folder and compile its native modules there with AddressSanitizer."""
    package = folder / "timbra"
    shutil.copytree(ROOT / "src" / "timbra", package, ignore=shutil.ignore_patterns("*.so", "__pycache__", "sat_data"))
    (package / "sat_data").symlink_to(ROOT / "src" / "timbra" / "sat_data")
    program = (
        "from pathlib import Path; import hatch_build as h;"
        f"h.place_beside_sources(h.compile_extensions(Path('.').resolve(), Path({str(folder / 'build')!r})),"
        f" Path({str(folder)!r}))"
    )
    environment = os.environ | {"TIMBRA_NATIVE_CFLAGS": FLAGS}
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, check=True)  # noqa: S603 - see above


def main() -> None:
    """Build and run the tests; the exit code is that of pytest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("arguments", nargs="*", help="arguments of pytest")
    arguments, asan = parser.parse_args().arguments, library()
    if asan is None:
        raise SystemExit("a C compiler with libasan is needed")
    with tempfile.TemporaryDirectory() as name:
        build(Path(name))
        environment = os.environ | {
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
            "LD_PRELOAD": str(asan),
            "PYTHONMALLOC": "malloc",
            "PYTHONPATH": os.pathsep.join([name, str(ROOT)]),
            "TIMBRA_NATIVE": "1",
            "TIMBRA_RSA8": "1" if has_batches() else "auto",
            "TIMBRA_TEST_REQUIRE": "native",
        }
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *TESTS, "--ignore", GROWING, *arguments]
        raise SystemExit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)  # noqa: S603


if __name__ == "__main__":
    main()
