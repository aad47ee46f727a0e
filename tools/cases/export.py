"""Export of the example documents of all rules: `cases.json`, its schema, the documents and what they assume."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lxml import etree
from rich.progress import track

from timbra.core.clock import utc
from timbra.core.errors import ServiceError
from timbra.examples.codes import RELATED
from timbra.examples.codes.example import Example
from timbra.examples.codes.seals import SealedPair, StampedPair
from timbra.messages.codes import public_code
from timbra.rules.engine.profiles import VALIDATE
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import AnyRule, NoExample
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.engine.tables import NO_TABLES
from timbra.rules.registry import RULE_SETS
from timbra.sandbox.rule_examples import ExampleKind
from timbra.sandbox.services import SandboxServices
from tools.cases.sandbox import AT, CasesSandbox, open_cases_sandbox

ROOT = Path(__file__).resolve().parents[2]
FORMAT = "cfdi-cases-1"
SCHEMA = Path(__file__).with_name("cases.schema.json")
README = Path(__file__).with_name("README.md")
RESULTS = {ExampleKind.PASSING: "valid", ExampleKind.FAILING: "invalid"}
DATES = frozenset({"401", "T401", "CFDI40101", "CFDI33101", "VERSION-FECHA", "COMPLEMENTO-FECHA", "TFD-FECHA"})
"""Codes of rules about the date of the document, of its version or of its stamp."""
AT_STAMPING = frozenset({"401", "T401"})
"""Codes of rules about the moment of stamping, which a validation later does not evaluate."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of the files in the archive, so that equal contents are equal archives."""
NO_DATA = "no published data show the violation"
SUSPENDED = "the SAT has not enabled the rule"

Case = dict[str, Any]


def build(folder: Path, data: Path, rule_sets: Iterable[RuleSet] = RULE_SETS) -> list[Case]:
    """Write the cases of the rule sets into a folder, and leave in `data` the sandbox that sealed them.

    Args:
        folder: The folder of the archive; what it had is removed.
        data: The data folder of the sandbox; what it had is removed.
        rule_sets: Rule sets whose examples are exported.

    Returns:
        The cases, as `cases.json` has them.
    """
    for each in (folder, data):
        shutil.rmtree(each, ignore_errors=True)
        each.mkdir(parents=True)
    with open_cases_sandbox(data) as container:
        sandbox = CasesSandbox(container)
        cases = list(_cases(folder, sandbox, rule_sets))
        _write_assumptions(folder, sandbox)
        catalogs = sandbox.data_version
    document = {
        "format": FORMAT,
        "version": version("timbra"),
        "licence": "Apache-2.0",
        "catalogs": catalogs,
        "cases": cases,
    }
    _write_json(folder / "cases.json", document)
    shutil.copy(SCHEMA, folder)
    shutil.copy(README, folder)
    shutil.copy(ROOT / "LICENSE", folder)
    return cases


def archive(folder: Path, target: Path) -> None:
    """Write the files of a folder into a ZIP, in the order of their names and without their times."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                name = f"{target.stem}/{path.relative_to(folder).as_posix()}"
                file.writestr(zipfile.ZipInfo(name, EPOCH), path.read_bytes(), zipfile.ZIP_DEFLATED)


def archive_name() -> str:
    """Return the name of the archive of this version."""
    return f"cfdi-cases-{version('timbra')}.zip"


def evaluable_cases(rule_sets: Iterable[RuleSet] = RULE_SETS) -> int:
    """Return the number of cases that published data show, without building them."""
    rules = [rule for each in rule_sets for rule in each.rules if not isinstance(rule.fails, NoExample)]
    return sum(not _reason(rule, kind) for rule in rules for kind in ExampleKind)


def _cases(folder: Path, sandbox: CasesSandbox, rule_sets: Iterable[RuleSet]) -> Iterator[Case]:
    pairs = [
        (rule_set, rule, example)
        for rule_set in rule_sets
        for rule in rule_set.rules
        if (example := rule_set.example(rule.code)) is not None
    ]
    for rule_set, rule, example in track(pairs, description="cases", transient=True):
        for kind in ExampleKind:
            yield _case(folder, sandbox, rule_set, rule, example, kind)


def _case(
    folder: Path, sandbox: CasesSandbox, rule_set: RuleSet, rule: AnyRule, example: Example, kind: ExampleKind
) -> Case:
    xml = sandbox.document(rule, example, kind)
    name = f"{rule_set.name}/{rule.code.replace(':', '-')}.{RESULTS[kind]}"
    path = folder / "documents" / f"{name}.xml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(xml)
    codes = _codes(rule) if kind is ExampleKind.FAILING else []
    described = _described(xml, rule_set)
    reason = _reason(rule, kind)
    return {
        "id": name,
        "file": f"documents/{name}.xml",
        "sha256": sha256(xml).hexdigest(),
        "ruleSet": rule_set.name,
        "code": public_code(rule.display_code),
        "rule": rule.code,
        "path": f"/{described['kind']}/{rule.at}".rstrip("/"),
        "result": RESULTS[kind],
        "codes": codes,
        "alsoReported": [] if kind is ExampleKind.PASSING or reason else sorted(set(sandbox.codes(xml)) - set(codes)),
        "severity": "warning" if VALIDATE.severity(rule) is Severity.WARNING else "error",
        "stage": "stamping" if rule.code in AT_STAMPING else "validation",
        "evaluable": not reason,
        **({"notEvaluableBecause": reason} if reason else {}),
        "document": described,
        "origin": _origin(rule_set, rule),
        "says": rule.says,
        **({"note": rule.note} if rule.note else {}),
        "source": _source(rule),
        "at": AT,
        "assumes": _assumptions(sandbox.services, rule, kind, xml),
    }


def _codes(rule: AnyRule) -> list[str]:
    """Return the codes that the record of the rule promises: its own and those of its inseparable rules."""
    known = {each.code for rule_set in RULE_SETS for each in rule_set.rules}
    return sorted({public_code(code.partition(":")[0]) for code in (rule.code, *(rule.inseparable & known))})


def _reason(rule: AnyRule, kind: ExampleKind) -> str:
    """Return why published data do not show the result; empty when they do."""
    if VALIDATE.severity(rule) is None:
        return SUSPENDED
    return NO_DATA if rule.fails_with and kind is ExampleKind.FAILING else ""


def _described(xml: bytes, rule_set: RuleSet) -> Case:
    root = etree.fromstring(xml)
    kind = etree.QName(root).localname
    described: Case = {"kind": kind, "version": root.get("Version", ""), "complement": None}
    if rule_set.complement is not None:
        name = etree.QName(rule_set.complement.TAG)
        found = root.find(f".//{rule_set.complement.TAG}")
        number = "" if found is None else found.get("Version") or found.get("version") or ""
        described["complement"] = {"name": name.localname, "namespace": name.namespace, "version": number}
    return described


def _origin(rule_set: RuleSet, rule: AnyRule) -> str:
    if rule.code in DATES:
        return "date"
    if isinstance(rule.fails, StampedPair):
        return "stamp"
    if isinstance(rule.fails, SealedPair):
        return "seal"
    return "structure" if rule_set.name == "forma" else "rule"


def _source(rule: AnyRule) -> Case:
    cites = rule.cites
    row = rule.display_code if cites.has_rows else ""
    values = {"document": cites.document, "revision": cites.revision, "row": row, "url": cites.url}
    return {name: value for name, value in values.items() if value}


def _assumptions(sandbox: SandboxServices, rule: AnyRule, kind: ExampleKind, xml: bytes) -> Case:
    """Return what a validator must know: lists, taxpayers of `lists.json`, related documents, rows of catalogs."""
    values = {value for element in etree.fromstring(xml).iter("*") for value in element.attrib.values()}
    tables = rule.fails_with if kind is ExampleKind.FAILING else NO_TABLES
    return {
        "lists": sorted({str(each) for each in rule.needs} | set(tables.lists)),
        "taxpayers": sorted(values & {entry.taxpayer.rfc for entry in sandbox.registry.entries()}),
        "related": sorted(values & RELATED.keys()),
        "columns": [".".join(each) for each in rule.columns],
        "rows": {name: {key: dict(row) for key, row in rows.items()} for name, rows in tables.columns.items()},
    }


def _write_assumptions(folder: Path, sandbox: CasesSandbox) -> None:
    """Write the taxpayers and certificates of the sandbox, the certificates of its authority."""
    services = sandbox.services
    entries, _ = services.certificates.search("", 10**6)
    lists: Case = {
        "taxpayers": [
            {
                "rfc": each.taxpayer.rfc,
                "name": each.taxpayer.name,
                "postalCode": each.taxpayer.postal_code,
                "regimes": sorted(each.taxpayer.regimes),
                "obligations": each.obligations,
                "cancelled": each.taxpayer.cancelled,
                "article69B": each.taxpayer.situation,
            }
            for each in sorted(services.registry.entries(), key=lambda entry: entry.taxpayer.rfc)
        ],
        "certificates": [
            {
                "number": each.number,
                "rfc": each.rfc,
                "kind": each.kind.value,
                "status": each.status,
                "validFrom": utc(each.valid_from),
                "validTo": utc(each.valid_to),
                "listed": each.listed,
            }
            for each in sorted(entries, key=lambda entry: entry.number)
        ],
    }
    lists["related"] = list(_related(services))
    _write_json(folder / "lists.json", lists)
    certificates = folder / "certificates"
    certificates.mkdir()
    for name, certificate in zip(("authority", "provider"), services.authority_ca.published, strict=True):
        (certificates / f"{name}.cer").write_bytes(certificate.der)


def _related(services: SandboxServices) -> Iterator[Case]:
    """Yield the documents that the cases relate to and that were filed."""
    for folio in RELATED:
        with suppress(ServiceError):
            document = services.ledger.inspect(folio).document
            yield {"uuid": folio, "type": document.kind}


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8")
