"""The release check finds the distributions of the current version only."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tools.release_check import CheckFailedError, Distributions, distributions, run

VERSION = "0.1.0"


NATIVE = f"timbra-{VERSION}-cp311-cp311-linux_x86_64.whl"


@pytest.mark.parametrize("native", [None, NATIVE])
def test_distributions_returns_source_distribution_and_wheels(tmp_path: Path, native: str | None) -> None:
    sdist, pure = tmp_path / f"timbra-{VERSION}.tar.gz", tmp_path / f"timbra-{VERSION}-py3-none-any.whl"
    expected = Distributions(sdist, pure, tmp_path / native if native else None)
    for file in (sdist, *expected.wheels):
        file.touch()
    assert distributions(tmp_path) == expected


@pytest.mark.parametrize(
    "names",
    [
        [],
        [f"timbra-{VERSION}.tar.gz"],
        [f"timbra-{VERSION}.tar.gz", NATIVE],
        [f"timbra-{VERSION}.tar.gz", "timbra-9.9.9-py3-none-any.whl"],
        [f"timbra-{VERSION}.tar.gz", f"timbra-{VERSION}-py3-none-any.whl", NATIVE.replace("0.1.0", "9.9.9")],
        ["timbra-9.9.9.tar.gz", f"timbra-{VERSION}.tar.gz", f"timbra-{VERSION}-py3-none-any.whl"],
    ],
)
def test_distributions_rejects_missing_and_other_versions(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(CheckFailedError):
        distributions(tmp_path)


def test_run_reports_the_output_of_a_failed_command(tmp_path: Path) -> None:
    with pytest.raises(CheckFailedError, match="no such thing"):
        run([sys.executable, "-c", "raise SystemExit('no such thing')"], tmp_path, offline=[])
