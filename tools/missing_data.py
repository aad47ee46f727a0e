"""The page docs/missing-data.md: rules without data, derived from their records and from the snapshot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from timbra.catalogs import SnapshotCatalogs
from timbra.rules.engine.result import DataRequirement
from timbra.rules.registry import RULE_SETS
from timbra.snapshot import locate, open_snapshot
from tools.markdown import items


@dataclass(frozen=True, slots=True)
class Source:
    """Where the data of a requirement come from in each environment, and what an operator provides."""

    sandbox: str
    production: str
    needed: str


NONE = "none"
IMPORTED, SIMULATED = "`timbra lists import` or `fetch`", "simulated"
SOURCES: Mapping[DataRequirement, Source] = {
    DataRequirement.TAXPAYERS: Source(SIMULATED, IMPORTED, "l_RFC, which the SAT gives to providers"),
    DataRequirement.OBLIGATIONS: Source(SIMULATED, IMPORTED, "LCO, which the SAT gives to providers"),
    DataRequirement.RELATED: Source("stored documents", "stored documents", "the related CFDI, stamped by this server"),
    DataRequirement.MARKS: Source(NONE, IMPORTED, "l_RFC with the mark Retención (`TIMBRA_LRFC_COLUMNS`)"),
    DataRequirement.COORDINATED: Source(NONE, IMPORTED, "l_RFC with the mark SNCF (`TIMBRA_LRFC_COLUMNS`)"),
    DataRequirement.EXCHANGE_RATES: Source(IMPORTED, IMPORTED, "the rates that Banco de México publishes each day"),
    DataRequirement.CONFIRMATIONS: Source(NONE, NONE, "the provider's registry of confirmation keys, issued and used"),
    DataRequirement.ACQUIRERS: Source(NONE, NONE, "answers of the SAT's service that validates the RFC of acquirers"),
    DataRequirement.PERMITS: Source(
        IMPORTED, IMPORTED, "L_CNE: permit, RFC and fuels, which the SAT gives only to providers"
    ),
}
COLUMNS: Mapping[tuple[str, str], str] = {
    ("cartaporte31:c_ClaveProdServCP", "material_peligroso"): "the workbook of Carta Porte 3.1 with the column "
    "*Material peligroso* (`0`, `1` or `0,1`)",
}
"""By catalog and column that the snapshot does not have: what would be needed."""
PARTIAL = (
    (
        "c_NumPedimentoAduana",
        "CFDI40194, CFDI40199, CFDI33170, CFDI33177, GCEH133",
        "a document that is later than the edition, with a customs office, patent and year that the edition does not "
        "name",
        "a newer edition; the SAT publishes several a month",
    ),
    (
        "c_NumPedimentoAduana",
        "CP174",
        "a customs office, patent and year that the edition does not name",
        "nothing: the matrix asks for customs office and year only",
    ),
    (
        "c_TasaOCuota",
        "CFDI40179, CFDI40185, CFDI40219, CRP20253, CRP20260, CRP20272",
        "an IEPS quota before 2024",
        "the editions of 2022 and 2023; SAT's table has the row of one year only",
    ),
)
"""Table, codes, documents for which the rules are not evaluated, what would be needed."""


def missing_data_page() -> str:
    """Return docs/missing-data.md."""
    lines = [
        "# Missing data",
        "",
        "A rule whose data are missing is reported as *not evaluated*. This page lists the data that rules need, where",
        "they come from, and what is needed where no source has them. `timbra data status` prints the edition of each",
        "catalog; [new-catalogs.md](new-catalogs.md) describes how a newer one is compared and added.",
        "",
        "## Lists",
        *_lists(),
        "",
        "## Columns of catalogs that no source has",
        "",
        *items(_columns()),
        "",
        "## Tables that decide for some documents only",
        "",
        *items(
            f"{table} ({codes}). Not evaluated for: {documents}. Needed: {needed}."
            for table, codes, documents, needed in PARTIAL
        ),
        "",
        "## Rows of a matrix without a rule",
        "",
        *items(_rows()),
    ]
    return "\n".join(lines) + "\n"


def _lists() -> Iterable[str]:
    codes: dict[DataRequirement, list[str]] = defaultdict(list)
    for rule_set in RULE_SETS:
        for rule in rule_set.rules:
            for need in rule.needs:
                codes[need].append(rule.code)
    for need in DataRequirement:
        source = SOURCES[need]
        found = "rules on CfdiRelacionados" if need is DataRequirement.RELATED else _joined(codes[need])
        yield from ("", f"### {need}", "")
        yield from items(
            (
                f"Needed: {source.needed}.",
                f"Source in the sandbox: {source.sandbox}. Source in production: {source.production}.",
                f"Codes: {found}.",
            )
        )


def _columns() -> Iterable[str]:
    catalogs = SnapshotCatalogs(open_snapshot(locate(None)))
    codes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for rule_set in RULE_SETS:
        for rule in rule_set.rules:
            for column in rule.columns:
                if not catalogs.has(*column):
                    codes[column].append(rule.code)
    for (catalog, name), found in sorted(codes.items()):
        yield f"Column {name} of {catalog} ({_joined(found)}). Needed: {COLUMNS[catalog, name]}."


def _rows() -> Iterable[str]:
    codes: dict[str, list[str]] = defaultdict(list)
    for rule_set in RULE_SETS:
        for row in rule_set.not_implemented:
            if row.kind is not None:
                codes[row.reason].append(row.code)
    for reason, found in sorted(codes.items()):
        yield f"{_joined(found)}: {reason}."


def _joined(codes: Iterable[str]) -> str:
    return ", ".join(codes) or "none"
