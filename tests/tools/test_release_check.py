"""The release check finds the distributions of the current version only."""

from __future__ import annotations

import json
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import pytest
from tools.release_check import (
    SITE_FILES,
    CheckFailedError,
    Distributions,
    check_cases,
    check_documentation,
    distributions,
    run,
)

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


def write_distributions(folder: Path, site_files: Iterable[str]) -> Distributions:
    """Write a source distribution and a wheel that have the given files of the documentation site."""
    sdist, pure = folder / f"timbra-{VERSION}.tar.gz", folder / f"timbra-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(pure, "w") as wheel, tarfile.open(sdist, "w:gz") as archive:
        for name in site_files:
            wheel.writestr(f"timbra/docs_site/{name}", "")
            archive.addfile(tarfile.TarInfo(f"timbra-{VERSION}/src/timbra/docs_site/{name}"))
    return Distributions(sdist, pure, None)


def test_check_documentation_accepts_files_with_the_site(tmp_path: Path) -> None:
    check_documentation(write_distributions(tmp_path, SITE_FILES))


@pytest.mark.parametrize("missing", SITE_FILES)
def test_check_documentation_rejects_files_without_the_whole_site(tmp_path: Path, missing: str) -> None:
    found = write_distributions(tmp_path, [name for name in SITE_FILES if name != missing])
    with pytest.raises(CheckFailedError, match=f"lacks {missing} of the documentation"):
        check_documentation(found)


def test_run_reports_the_output_of_a_failed_command(tmp_path: Path) -> None:
    with pytest.raises(CheckFailedError, match="no such thing"):
        run([sys.executable, "-c", "raise SystemExit('no such thing')"], tmp_path, offline=[])


def write_cases(folder: Path, digest: str = sha256(b"<a/>").hexdigest(), kind: str = "string") -> None:
    """Write an archive of one case, whose schema asks for a digest of that type."""
    schema = {"properties": {"cases": {"items": {"properties": {"sha256": {"type": kind}}}}}}
    case = {"file": "documents/a.xml", "sha256": digest}
    with zipfile.ZipFile(folder / f"cfdi-cases-{VERSION}.zip", "w") as archive:
        root = f"cfdi-cases-{VERSION}"
        archive.writestr(f"{root}/cases.schema.json", json.dumps(schema))
        archive.writestr(f"{root}/cases.json", json.dumps({"cases": [case]}))
        archive.writestr(f"{root}/documents/a.xml", "<a/>")


def test_check_cases_returns_the_number_of_cases(tmp_path: Path) -> None:
    write_cases(tmp_path)
    assert check_cases(tmp_path, VERSION) == 1


def test_check_cases_rejects_a_missing_archive(tmp_path: Path) -> None:
    write_cases(tmp_path)
    with pytest.raises(CheckFailedError, match=r"has no cfdi-cases-9\.9\.9\.zip"):
        check_cases(tmp_path, "9.9.9")


def test_check_cases_rejects_another_document(tmp_path: Path) -> None:
    write_cases(tmp_path, digest=sha256(b"<b/>").hexdigest())
    with pytest.raises(CheckFailedError, match=r"documents/a\.xml is not the document of its case"):
        check_cases(tmp_path, VERSION)


def test_check_cases_rejects_what_the_schema_does_not_allow(tmp_path: Path) -> None:
    write_cases(tmp_path, kind="integer")
    with pytest.raises(CheckFailedError, match="is not of type 'integer'"):
        check_cases(tmp_path, VERSION)
