"""Tests hold the contract by literals: a value that is imported from the code changes with the code."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from importlib import import_module
from pathlib import Path

TESTS = Path(__file__).parent
IMPORT = re.compile(r"^ *from (timbra\.[\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)
PLAIN = (int, float, str, bytes, timedelta, date, Decimal)
INTERNAL = frozenset(
    {
        "timbra._native.availability.LXML_BEFORE",
        "timbra.audit.signed_chain.BATCH",
        "timbra.bulk.statuses.MAX_PAUSES",
        "timbra.catalogs.labels.LARGE_FILE",
        "timbra.cfdi.from_json.plain_elements.PROBE",
        "timbra.cfdi.nodes.base.ZERO",
        "timbra.cfdi.nodes.complement.ANY",
        "timbra.cfdi.structure.chunked_validation.MIN_CHUNKED_ELEMENTS",
        "timbra.core.groups.GROUP_BYTES",
        "timbra.core.groups.GROUP_DOCUMENTS",
        "timbra.core.metrics.STAGE_SAMPLING",
        "timbra.database.engines.BEGIN",
        "timbra.database.engines.REUSE_BYTES",
        "timbra.database.generation.SIZE",
        "timbra.database.membership.KEYS_PER_STATEMENT",
        "timbra.database.zstd_dictionary.DICTIONARY_1",
        "timbra.emulator.list_files.LRFC_COLUMNS",
        "timbra.lists.packed.certificate_rows.SIZE",
        "timbra.lists.sources.part_file.PIECE",
        "timbra.database.cluster_jobs.TERM_IN_PERIODS",
        "timbra.rules.reference.codes.MAX_SUGGESTIONS",
        "timbra.seals.signers.batches.LANES",
        "timbra.snapshot.build.STEPS",
        "timbra.snapshot.build.catalogs.DATABASE",
        "timbra.snapshot.build.qr.MASK",
        "timbra.web.parsing.content_encoding.PIECE",
        "timbra.web.portal.views.bar_chart.BOTTOM",
        "timbra.web.portal.views.bar_chart.HEIGHT",
        "timbra.web.portal.views.bar_chart.TOP",
        "timbra.web.portal.views.bar_chart.WIDTH",
        "timbra.web.server.connections.SURPLUS",
    }
)
"""Sizes of steps, columns and drawings that nobody outside sees; a test needs them to reach the next step."""


def test_tests_import_no_plain_values_of_the_product() -> None:
    found = [
        f"{path.relative_to(TESTS)}: write the value of {name}, do not import it"
        for path in sorted(TESTS.rglob("*.py"))
        for name in sorted(imported_constants(path.read_text("utf-8")) - INTERNAL)
        if is_plain(name)
    ]
    assert found == []


def imported_constants(source: str) -> set[str]:
    """Return the names in upper case that a test imports from the product; documents of `examples` are input."""
    return {
        f"{module}.{name}"
        for module, names in IMPORT.findall(source)
        if not module.startswith("timbra.examples")
        for name in re.findall(r"(?<! as )\b[A-Z][A-Z0-9_]+\b", names)
    }


def is_plain(name: str) -> bool:
    """Whether a constant is a number, a text, a time, or a few of them."""
    module, _, constant = name.rpartition(".")
    value = getattr(import_module(module), constant)
    few = isinstance(value, tuple | frozenset) and 0 < len(value) <= 6
    return all(type(each) in PLAIN for each in (value if few else [value]))
