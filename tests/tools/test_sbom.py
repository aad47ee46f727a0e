"""The bill of materials: licences of dependencies, and the document of an environment."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path

import pytest
from tests.support.effort import LONG
from tools.sbom import STATED_IN_FILE, LicenceError, check, licences, write_sbom


def component(name: str, *entries: dict[str, object]) -> dict[str, object]:
    return {"name": name, "version": "1.0", "licenses": list(entries)}


def test_licences_reads_expressions_identifiers_and_names() -> None:
    sbom = {
        "components": [
            component("a", {"expression": "MIT OR GPL-3.0-only"}),
            component("b", {"license": {"id": "ISC"}}, {"license": {"name": "Other"}}),
            component("c"),
            component("pip", {"license": {"id": "MIT"}}),
        ]
    }
    assert licences(sbom) == {"a 1.0": ("MIT OR GPL-3.0-only",), "b 1.0": ("ISC", "Other"), "c 1.0": ()}


@pytest.mark.parametrize(
    "expression",
    ["MIT", "MIT OR GPL-3.0-only", "MIT AND PSF-2.0", "MPL-2.0 AND (Apache-2.0 OR GPL-2.0-only)", "(MIT)"],
)
def test_check_accepts_expression(expression: str) -> None:
    check({"package 1.0": (expression,)})


@pytest.mark.parametrize(
    "names",
    [(), ("GPL-3.0-only",), ("MIT AND GPL-3.0-only",), ("(MIT OR ISC) AND AGPL-3.0-only",), ("MITX",), ("",)],
)
def test_check_rejects_other_licences_with_the_name_of_the_package(names: tuple[str, ...]) -> None:
    with pytest.raises(LicenceError, match=r"package 1\.0"):
        check({"package 1.0": names})


@pytest.mark.skipif(not LONG, reason="reads the environment twice; make test-long")
def test_write_sbom_names_the_packages_of_an_environment_and_repeats_itself(tmp_path: Path) -> None:
    for name in ("first.json", "second.json"):
        write_sbom(Path(sys.executable), tmp_path / name)
    assert (tmp_path / "first.json").read_bytes() == (tmp_path / "second.json").read_bytes()
    document = json.loads((tmp_path / "first.json").read_text("utf-8"))
    assert document["bomFormat"] == "CycloneDX"
    assert document["metadata"]["component"]["name"] == "timbra"
    assert any(name.startswith("lxml ") for name in licences(document))


def test_licences_stated_in_files_are_those_of_packages_without_metadata() -> None:
    for name, stated in STATED_IN_FILE.items():
        metadata = importlib.metadata.metadata(name)
        assert not metadata.get_all("License-Expression")
        assert not metadata.get_all("License")
        [file] = [file for file in importlib.metadata.files(name) or () if file.name == "LICENSE"]
        assert Path(str(file.locate())).read_text("utf-8").startswith(f"The {stated[0]} License")
