"""The entries of one element are bounded in every report, and those that are left out are counted."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from random import Random

import pytest
from tests.support.effort import LONG, rounds
from tests.support.sandbox_app import SandboxApp

from timbra.examples import ingreso
from timbra.stamping.build import stamping_services
from timbra.validation.build import validation_services
from timbra.validation.models import EntryCause, ReportEntry, ReportEntryKind, SectionKind, ValidationReport
from timbra.validation.report_entries import bounded

MAX_OF_ELEMENT = 50

MANY = 10_000
_COUNTED = re.compile(r"Hay ([\d,]+) hallazgos más de este elemento\.")
_REPORTS = """
import sys
from pathlib import Path
from tests.stamping.test_report_bounds import documents, report_of
from tests.support.sandbox_app import SandboxApp
from timbra._native import STATE

print("native code:", STATE.active)
app = SandboxApp(Path(sys.argv[1]), max_attributes=20_000)
for name in documents():
    print(name, report_of(app, name).sections)
app.container.close()
"""


def faulty_element() -> bytes:
    """Return an invoice whose Emisor has 10,000 faults: attributes, values, absent ones, text and a node."""
    plain = " ".join(f'a{number}="1"' for number in range(MANY - 2000))
    foreign = " ".join(f'x:b{number}="1"' for number in range(2000))
    start = f'<cfdi:Emisor xmlns:x="urn:x" RegimenFiscal="" Rfc="|" {plain} {foreign}>'
    return re.sub("<cfdi:Emisor [^>]*/>", f"{start}text<cfdi:Emisor/></cfdi:Emisor>", ingreso()).encode()


def one_path() -> bytes:
    """Return an invoice with 2,000 unknown complements of one name in namespaces of their own."""
    elements = "".join(f'<x{number}:a xmlns:x{number}="urn:{number}"/>' for number in range(2000))
    end = "</cfdi:Comprobante>"
    return ingreso().replace(end, f"<cfdi:Complemento>{elements}</cfdi:Complemento>{end}").encode()


def documents() -> dict[str, bytes]:
    return {"faulty element": faulty_element(), "one path": one_path()}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("bounds") / "data", max_attributes=20_000)
    yield made
    made.container.close()


@cache
def report_of(app: SandboxApp, name: str) -> ValidationReport:
    return asyncio.run(app.container.get(validation_services).validation.validate(documents()[name], False))


def element_of(entry: ReportEntry) -> str | None:
    return None if entry.path is None else re.sub("/?@.*", "", entry.path)


def counted(entry: ReportEntry) -> int:
    """Return the number of entries that one stands for."""
    found = _COUNTED.fullmatch(entry.detail or "")
    if found is not None:
        return int(found[1].replace(",", ""))
    return 1


def test_ten_thousand_faults_of_an_element_are_shown_in_part_and_counted(app: SandboxApp) -> None:
    structure = report_of(app, "faulty element").sections[0]
    assert structure.kind is SectionKind.STRUCTURE
    of_emisor = [entry for entry in structure.entries if element_of(entry) == "Emisor"]
    assert 50 < len(of_emisor) <= 60  # further codes are those of declarations
    [rest] = [entry for entry in of_emisor if _COUNTED.fullmatch(entry.detail or "")]
    assert (rest.code, rest.path, rest.kind) == ("301", "Emisor", ReportEntryKind.ERROR)
    assert rest.message.startswith("CFDI40") is False
    all_faults = app.container.get(stamping_services).checks.structure.check(
        app.container.get(stamping_services).checks.parser.parse(faulty_element()).root
    )
    of_element = sum(re.sub("/?@.*", "", fault.path) == "Emisor" for fault in all_faults)
    assert of_element >= MANY
    assert sum(counted(entry) for entry in of_emisor if entry.code == "301") == of_element


@pytest.mark.parametrize("name", documents())
def test_no_element_has_more_entries_than_the_bound_and_one_of_each_code(app: SandboxApp, name: str) -> None:
    for section in report_of(app, name).sections:
        for entries in Counter(element_of(entry) for entry in section.entries).values():
            assert entries <= MAX_OF_ELEMENT + 1 + len({entry.code for entry in section.entries})


@pytest.mark.skipif(not LONG, reason="reports of large documents without native code; make test-long")
def test_reports_of_native_and_python_code_are_equal(app: SandboxApp, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _REPORTS, str(tmp_path / "data")]
    environment = os.environ | {"TIMBRA_NATIVE": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
    here = [f"{name} {report_of(app, name).sections}" for name in documents()]
    assert all("hallazgos más de este elemento" in line for line in here)
    assert done.stdout.splitlines() == ["native code: False", *here]


def random_entries(random: Random) -> list[ReportEntry]:
    paths = [None, "@Sello", "@Total", "Emisor", "Emisor/@Rfc", "Conceptos/Concepto[1]/@Importe"]
    return [
        ReportEntry(
            f"{code} - …",
            str(number),
            random.choice(list(ReportEntryKind)),
            code,
            random.choice(paths),
            caused_by=random.choice([None, None, EntryCause("CFDI40103", "Emisor/@Rfc")]),
        )
        for number in range(random.choice((10, 60, 300, 1000)))
        for code in [random.choice((None, "301", "CFDI40103", "CFDI40104"))]
    ]


def test_bounded_keeps_the_first_counts_the_rest_and_loses_no_code_cause_or_error() -> None:
    for seed in range(rounds(25, 1000)):
        entries = random_entries(Random(seed))
        shown = bounded(entries)
        causes = {("CFDI40103", "Emisor/@Rfc")}
        kept = [entry for entry in shown if entry in entries]
        assert kept == [entry for entry in entries if entry in kept]
        by_element = sorted(entries, key=lambda entry: str(element_of(entry)))
        for element, group in groupby(by_element, key=element_of):
            whole = list(group)
            part = [entry for entry in shown if element_of(entry) == element]
            counts = [entry for entry in part if entry not in entries]
            assert len(counts) <= 1
            assert sum(counted(entry) for entry in part) == len(whole)
            assert part[:MAX_OF_ELEMENT] == whole[:MAX_OF_ELEMENT]
            assert {entry.code for entry in part} == {entry.code for entry in whole}
            assert {entry.kind for entry in part} >= {ReportEntryKind.ERROR} & {entry.kind for entry in whole}
            surplus = [entry for entry in part[MAX_OF_ELEMENT:] if entry in entries]
            assert all((entry.code, entry.path) in causes for entry in surplus[4:])


def test_bounded_says_one_more_in_the_singular() -> None:
    entries = [ReportEntry("", str(number), ReportEntryKind.WARNING, "301", "@Total") for number in range(52)]
    last = bounded(entries[:51])[-1]
    assert (last.detail, last.path, last.kind) == (
        "Hay un hallazgo más de este elemento.",
        "",
        ReportEntryKind.WARNING,
    )
    assert bounded(entries)[-1].detail == "Hay 2 hallazgos más de este elemento."
    assert bounded(entries[:50]) == tuple(entries[:50])
