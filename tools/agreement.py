"""Generator of docs/rules/agreement.md: assertions of public documents compared with the findings of Timbra."""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.corpus.comparison import GOOD, Case, compared, disagreements
from tests.corpus.documents import VERSIONS, Claim, manifest, whole_manifest
from tests.corpus.explanations import EXPLANATIONS
from tests.corpus.judging import STAMPED, Bench

from timbra.rules.rulesets import certificates, cfdi40
from tools.markdown import items, paragraph

PAGE = Path(__file__).resolve().parents[1] / "docs" / "rules" / "agreement.md"
PROVIDER = "certificate, seal, date (provider)"
Row = tuple[object, ...]
CODED = [code for code in cfdi40.RULE_SET.coverage if code not in cfdi40.RULE_SET.messages]
RULE_SETS = (cfdi40.RULE_SET, certificates.RULE_SET)
PLACES = {rule.code: rule.at for rule_set in RULE_SETS for rule in rule_set.rules} | {
    row.code: row.at for rule_set in RULE_SETS for row in rule_set.not_implemented
}
MATRICES = {
    "CFDI 4.0 (CFDI40, CFDI140)": "CFDI40|CFDI140",
    "CFDI 3.3 (CFDI33)": "CFDI33",
    "Recepción de Pagos 2.0 (CRP20)": "CRP20",
    "Nómina 1.2 (NOM)": "NOM",
    "Carta Porte 3.1 (CP)": "CP",
    "Comercio Exterior 2.0 (CCE)": "CCE",
    "other complements": "INE|ECC|IEEH|GCEH|CCHYP|CRP[0-9]{3}$",
    "certificate, seal, date (provider)": "[0-9]{3}$",
}
"""Regular expression of the start of the codes of each matrix."""
HEAD = """<!-- Written by `python -m tools.agreement`; a test fails when it is stale. -->

# Agreement with public documents

This page compares the answers of Timbra with those that the sources of public invoices report. A CFDI 4.0 is adapted to
a fixed fiscal time: `Fecha` moves, with the year of a global invoice and of customs numbers; a stamp is removed; and a
CSD of the issuer, which the sandbox issues, seals the document again. Then it is validated and stamped.

For documents that assert codes, a registry contains their taxpayers with the values of the documents. The other
documents use the sandbox's taxpayers, and unknown taxpayers are registered with the values of the documents. A document
is adapted less when its assertion is about the adapted value: an invalid date remains (CFDI40101), a missing seal
remains missing (CFDI40102), the list has another name (CFDI40144), and bytes that cannot be read are not changed (301).
CFDI40101 is asserted only by the name of the document. Schema locations of documents with asserted codes are corrected,
because stamping checks them first.

A CFDI 3.3 keeps its date, which selects the catalogs; it is sealed again too, and only validated.
"""


def page(cases: list[Case]) -> str:
    """Return the whole page."""
    later = [case for case in cases if case.sample.version == "4.0"]
    older = [case for case in cases if case.sample.version == "3.3"]
    parts = (HEAD, _summary(later), _matrices(cases), _families(later), _codes(later), _good(later), _older(older))
    return "\n".join((*parts, _explanations(cases), _newcomers(cases), _unknown(later), _corpus(cases)))


def _summary(cases: list[Case]) -> str:
    rows = []
    for claim in (Claim.CODES, Claim.COMPLEMENT, Claim.VALID, Claim.EXAMPLE):
        chosen = [case for case in cases if case.sample.claim is claim]
        agree = sum(case.agrees for case in chosen)
        rows.append((f"said to be {claim}", len(chosen), agree, len(chosen) - agree))
    return _table(("documents", "number", "agree", "explained below"), rows)


def _families(cases: list[Case]) -> str:
    """Return agreement by node of the matrix of CFDI 4.0."""
    cases = [case for case in cases if case.sample.claim is Claim.CODES]
    known = Counter(family(code) for code in CODED)
    asserted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    first: Counter[str] = Counter()
    witnessed: dict[str, set[str]] = {}
    for case, code in _assertions(cases):
        name = family(code)
        asserted[name] += 1
        found[name] += code in case.found
        first[name] += code == case.judgement.answer
        witnessed.setdefault(name, set()).add(code)
    rows: list[Row] = [
        (name, known[name] or "", len(witnessed.get(name, ())), asserted[name], found[name], first[name])
        for name in (*known, PROVIDER)
    ]
    rows.append(("all", sum(known.values()), sum(map(len, witnessed.values())), *map(_total, (asserted, found, first))))
    head = ("family", "codes", "with a witness", "assertions", "found", "answered first")
    return f"## CFDI 4.0 by node\n\n{_table(head, rows)}"


def family(code: str) -> str:
    """Return the node that a code of the matrix concerns."""
    place = PLACES.get(code) if code.startswith("CFDI") else None
    if place is None:
        return PROVIDER
    node = place.partition("/")[0]
    return "Comprobante" if node.startswith("@") else node


def _codes(cases: list[Case]) -> str:
    rows = []
    for case, code in sorted(_assertions(cases), key=lambda pair: (pair[1], pair[0].sample.name)):
        beside = ", ".join(_short(other) for other in sorted(case.found - {code}))
        is_found = "found" if code in case.found else "not found, explained"
        others = f"; beside it: {beside}" if beside else ""
        rows.append(f"{code}, `{case.sample.name}`: {is_found}; answered first: {case.judgement.answer}{others}.")
    note = (
        "A source asserts the single code that its provider answered. Most of these documents were filled by a "
        "generator and violate many rules; the other codes that validation finds are listed without `CFDI`."
    )
    return _section("By code", note, items(rows))


def _good(cases: list[Case]) -> str:
    rows = []
    chosen = [case for case in cases if case.sample.claim in GOOD]
    for source, claim in sorted({(case.sample.source, case.sample.claim) for case in chosen}):
        mine = [case for case in chosen if (case.sample.source, case.sample.claim) == (source, claim)]
        stamped = sum(case.judgement.answer == STAMPED for case in mine)
        codes = Counter(code for case in mine for code in case.found)
        found = ", ".join(f"{code} ({count})" for code, count in sorted(codes.items()))
        others = f"; found in the others: {found}" if found else ""
        rows.append(f"{source}, said to be {claim}: {len(mine)} documents, {stamped} stamped without finding{others}.")
    note = (
        "A document passes when validation has no findings, not even warnings, except that it has no stamp, and "
        "stamping accepts it."
    )
    return _section("Documents said to be good", note, items(rows))


def _older(cases: list[Case]) -> str:
    rows = []
    for case in cases:
        found = ", ".join(sorted(case.found))
        rows.append(
            f"`{case.sample.name}`: {'no error' if case.is_taken else 'explained errors'}{found and f', {found}'}."
        )
    unknown = sorted({code for case in cases for code in case.judgement.unknown})
    note = (
        "Examples that software generated while CFDI 3.3 was in force. Not evaluated because data are missing: "
        f"{', '.join(unknown) or 'none'}."
    )
    return _section("Documents of CFDI 3.3", note, items(rows))


def _explanations(cases: list[Case]) -> str:
    counted = Counter(row for disagreement in disagreements(cases) for row in disagreement.explanations)
    rows = [f"{row.code}, `{row.documents}` ({counted[row]}, {row.cause}): {row.text}" for row in EXPLANATIONS]
    causes: Counter[str] = Counter()
    for explanation, count in counted.items():
        causes[explanation.cause] += count
    total = ", ".join(f"{cause} {count}" for cause, count in causes.most_common())
    note = (
        "Each item has the code, the documents, their number, the cause and the explanation. "
        f"By cause: {total}. A test removes every named cause from a document and then requires agreement; it fails "
        "when a disagreement has no item here, and when an item has no disagreement."
    )
    return _section("Every disagreement", note, items(rows))


def _newcomers(cases: list[Case]) -> str:
    chosen = [case for case in cases if case.sample.claim in GOOD]
    counted = Counter(newcomer for case in chosen for newcomer in case.judgement.newcomers)
    rows = [(rfc, name, count) for (rfc, name), count in sorted(counted.items())]
    note = "These taxpayers are unknown to the sandbox; they were registered with the values of the documents."
    return _section("Registered from the documents", note, [_table(("RFC", "name", "documents"), rows)])


def _unknown(cases: list[Case]) -> str:
    chosen = [case for case in cases if case.sample.claim in GOOD and case.agrees]
    counted = Counter(code for case in chosen for code in case.judgement.unknown)
    rows = sorted(counted.items())
    note = f"Number of the {len(chosen)} passing documents for which a rule is not evaluated because data are missing."
    return _section("Not evaluated", note, [_table(("code", "documents"), rows)])


def _matrices(cases: list[Case]) -> str:
    """Return agreement by matrix: assertions, and findings in documents whose sources present them as valid."""
    rows = []
    for name, begins in MATRICES.items():
        asserted = [(case, code) for case, code in _assertions(cases) if re.match(begins, code)]
        disagreeing = [found for found in disagreements(cases) if re.match(begins, found.code)]
        missing = [found for found in disagreeing if found.sample.claim not in GOOD]
        rows.append(
            (
                name,
                len({code for _, code in asserted}),
                len(asserted),
                len(asserted) - len(missing),
                sum(case.judgement.answer == code for case, code in asserted),
                len(missing),
                sum(row.remedy is not None for found in missing for row in found.explanations),
                len(disagreeing) - len(missing),
            )
        )
    head = (
        "matrix",
        "codes",
        "assertions",
        "found",
        "answered first",
        "explained",
        "of these curable",
        "in good ones, explained",
    )
    note = (
        "Number of assertions of codes of a matrix, and of documents in which the code is found; the others are "
        "explained below. Curable: a small change removes the cause, and a test then finds the code. The last column "
        "counts findings in documents that are presented as valid."
    )
    return _section("By matrix", note, [_table(head, rows)])


def _corpus(cases: list[Case]) -> str:
    """Return every document of the corpus: compared, or the reason why not."""
    compared_names = {case.sample.name for case in cases}
    asides: dict[str, list[str]] = {}
    for row in whole_manifest():
        name = row["file"].removeprefix("docs/")
        if name not in compared_names:
            asides.setdefault(_aside(row), []).append(f"`{name}`")
    rows = [f"Compared ({len(compared_names)}): those of the other sections."]
    rows += [f"{why} ({len(names)}): {', '.join(sorted(names))}." for why, names in sorted(asides.items())]
    total = len(compared_names) + sum(map(len, asides.values()))
    return _section("The whole corpus", f"All {total} documents.", items(rows))


def _aside(row: Mapping[str, Any]) -> str:
    version = row["version"]
    if version is None:
        return "not a CFDI"
    if version not in VERSIONS:
        return f"a CFDI that is neither stamped nor validated: {version}"
    return f"CFDI {version} without assertion: it fills a schema, or the SAT's full schema rejects it"


def _assertions(cases: Iterable[Case]) -> Iterator[tuple[Case, str]]:
    return ((case, code) for case in cases if case.sample.claim not in GOOD for code in sorted(case.sample.codes))


def _short(code: str) -> str:
    return code.removeprefix("CFDI")


def _total(counts: Counter[str]) -> int:
    return sum(counts.values())


def _section(title: str, note: str, lines: list[str]) -> str:
    return "\n".join((f"## {title}", "", *paragraph(note), "", *lines)).rstrip("\n") + "\n"


def _table(head: tuple[str, ...], rows: Iterable[Row]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page; exit with a message when the corpus is absent."""
    if not manifest("4.0"):
        sys.exit("the corpus is not beside the repository")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder) / "data")
        try:
            PAGE.write_text(page(compared(bench)), encoding="utf-8")
        finally:
            bench.close()


if __name__ == "__main__":
    main()
