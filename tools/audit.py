"""`make audit`: compare the locked dependencies with the published vulnerabilities (pip-audit).

The exit code is 1 for a vulnerability, and 2 when the service of vulnerabilities cannot be reached: then nothing was
compared.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("requirements/runtime.txt", "requirements/dev.txt", "requirements/tools.txt")
FOUND, NOT_COMPARED = 1, 2
UNREACHABLE = ("ConnectionError", "ServiceError", "Max retries", "Failed to establish", "ProxyError", "HTTPError")


def audit(lock: str, command: Sequence[str]) -> int:
    """Compare one lock and print the result in one line, or with the vulnerabilities.

    Args:
        lock: the file below the root.
        command: the program with its options.

    Returns:
        The exit code: 0, `FOUND` or `NOT_COMPARED`.
    """
    ended = subprocess.run(  # noqa: S603 - pip-audit
        [*command, "--requirement", str(ROOT / lock)], capture_output=True, text=True, check=False
    )
    output = (ended.stdout + ended.stderr).strip()
    if ended.returncode == 0:
        print(f"{lock}: no known vulnerabilities")
        return 0
    if any(word in output for word in UNREACHABLE):
        print(f"{lock}: NOT COMPARED, the service of vulnerabilities cannot be reached: {output.splitlines()[-1]}")
        return NOT_COMPARED
    print(f"{lock}:\n{output}")
    return FOUND


def main() -> None:
    """Compare every lock."""
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--no-deps", "--progress-spinner", "off"]
    results = [audit(lock, command) for lock in LOCKS]
    raise SystemExit(FOUND if FOUND in results else max(results))


if __name__ == "__main__":
    main()
