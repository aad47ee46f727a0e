"""The report of a validation, as a child process sends it."""

from __future__ import annotations

import pickle
from dataclasses import fields

from timbra.validation.models import (
    EntryCause,
    ReportEntry,
    ReportEntryKind,
    ReportSection,
    SectionKind,
    UnevaluatedRule,
)

TEXTS = {field.name: field.name for field in fields(ReportEntry) if field.name not in ("kind", "caused_by")}


def test_section_is_unpickled_with_every_field_of_its_entries() -> None:
    follows = ReportEntry("Aviso", None, ReportEntryKind.WARNING)
    entry = ReportEntry(**TEXTS, kind=ReportEntryKind.ERROR, caused_by=EntryCause("CFDI40109", "@Moneda"))
    missing = UnevaluatedRule("CFDI40101", "CFDI40101 - …", "la lista", "docs/rules/cfdi40.md")
    section = ReportSection(SectionKind.COMPLEMENT, (entry, follows), (missing,), "pago20:Pagos")
    assert pickle.loads(pickle.dumps(section)) == section
