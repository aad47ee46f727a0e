"""The machine on which the figures were measured."""

from __future__ import annotations

import math
import os
import platform
import sqlite3
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median

from cryptography.hazmat.backends.openssl import backend
from lxml import etree

PACKAGES = ("timbra", "cryptography", "lxml", "orjson")
HTTP_PACKAGES = ("uvicorn", "httptools", "uvloop", "starlette")
SYNCS = 50


def facts(folder: Path) -> dict[str, str]:
    """Return machine, versions and date, by name.

    Args:
        folder: folder on the disk of the benchmark's data.
    """
    libxml2 = ".".join(map(str, etree.LIBXML_VERSION))
    return {
        "Date (UTC)": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        "Processor": f"{_processor()}, {os.cpu_count()} cores",
        "AVX-512 IFMA (halves RSA)": "yes" if "avx512ifma" in _cpu_info() else "no",
        "Memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB",
        "System": f"{platform.system()} {platform.release()}",
        "Interpreter": f"{platform.python_implementation()} {platform.python_version()}",
        "300,000 turns of a Python loop": f"{_loop_milliseconds():,.0f} ms",
        "Write and sync of 4 KiB": f"{_sync_microseconds(folder):,.0f} us",
        "Load average before": f"{os.getloadavg()[0]:.2f}",
        "Libraries": _versions(PACKAGES),
        "Libraries of HTTP": _versions(HTTP_PACKAGES),
        "In them": f"{backend.openssl_version_text()}, libxml2 {libxml2}, SQLite {sqlite3.sqlite_version}",
    }


def _loop_milliseconds() -> float:
    """Return the processor time of a loop: how an interpreter was compiled makes it up to twice as fast."""
    least = math.inf
    for _ in range(5):
        begun = time.process_time()
        for number in range(300_000):
            words = f"{number} {number}".split()
            {"number": number, "words": [len(word) for word in words]}.get("words")
        least = min(least, time.process_time() - begun)
    return least * 1000


def _versions(packages: Iterable[str]) -> str:
    return ", ".join(f"{name} {version(name)}" for name in packages)


def _processor() -> str:
    for line in _cpu_info().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _cpu_info() -> str:
    path = Path("/proc/cpuinfo")
    return path.read_text() if path.is_file() else ""


def _sync_microseconds(folder: Path) -> float:
    spent = []
    file = os.open(folder / "sync", os.O_CREAT | os.O_WRONLY)
    for _ in range(SYNCS):
        begun = time.perf_counter()
        os.write(file, bytes(4096))
        os.fdatasync(file)
        spent.append(time.perf_counter() - begun)
    os.close(file)
    return median(spent) * 1e6
