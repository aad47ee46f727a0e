"""The tools of the server: functions over the library, with bounded inputs and answers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

import timbra
from timbra.library.resources import MAX_BYTES, catalogs, path_of
from timbra.library.validation import validate_with_seals
from timbra.mcp.answers import (
    AmountsAnswer,
    CatalogKey,
    CatalogMatches,
    CodeMatches,
    DifferenceAnswer,
    ExampleAnswer,
    FindingAnswer,
    LineAmountsAnswer,
    Meaning,
    Repair,
    Requirement,
    ValidationAnswer,
)

if TYPE_CHECKING:
    from timbra.library.report import Finding, Report
    from timbra.rules.reference.explanation import Explanation

UNSTAMPED = "TB6001"
"""The code of a document without a stamp."""
MAX_FINDINGS = 100
MAX_TEXT = 600
"""Characters of a text of an answer; longer texts, such as a cadena original, are cut."""
MAX_PATH = 200
"""Characters of a path that an error repeats."""
MAX_DIFFERENCES = 12
MAX_REQUIREMENTS = 40
MAX_NAMES = 8
"""Names that an error suggests."""
_REMOVAL = re.compile(r"que no exista(?:$|[,:]| (?:con|dentro|en|fuera|por|sin) )")
"""How the expected value of something begins that must not be there, whatever else the document has."""
_SEPARATORS = re.compile(r"[\W_]+")

Document = Annotated[
    str,
    Field(description="XML of the document, or the path of its file.", min_length=1, max_length=MAX_BYTES),
]
On = Annotated[
    date | datetime | None,
    Field(description="Day or instant (ISO 8601) of the evaluation, such as the Fecha of the document; now without."),
]
Issued = Annotated[date | datetime | None, Field(description="Fecha of the document (ISO 8601); now without.")]
Day = Annotated[date | None, Field(description="Day (ISO 8601) on which the keys are valid; today without.")]
Limit = Annotated[int, Field(description="Most entries of the answer.", ge=1, le=100)]
Words = Annotated[str, Field(max_length=200)]


@dataclass(frozen=True)
class Validator:
    """The tool `validate` with the data of this server.

    Attributes:
        lists: folder of the SAT's lists; None without them.
        trust: folder of certificates that are trusted besides those of the SAT; None without it.
    """

    lists: Path | None = None
    trust: Path | None = None

    def validate(
        self,
        document: Document,
        on: On = None,
        draft: Annotated[
            bool,
            Field(description="Whether the document is sealed later: findings about seals and stamp are left out."),
        ] = False,
    ) -> ValidationAnswer:
        """Validate a Mexican electronic invoice (CFDI 4.0, 3.3, 3.2; retenciones) against the SAT's schemas and rules.

        Each finding has code, path, found and expected value, and, where one change satisfies the rule, `repair`:
        set or remove the attribute or element at the path. Apply it and validate again with draft=true, because a
        change invalidates the seal. Paths have no prefixes; `@Total` is an attribute of the root.
        """
        given = _given(document)
        report, of_seals = validate_with_seals(given, on=on, lists=self.lists, trust=self.trust)
        findings = list(report.findings)
        if draft and report.error is None:
            findings = [each for each in findings if each not in of_seals and each.code != UNSTAMPED]
        return _validation_answer(report, findings)


def explain(code: Annotated[str, Field(description="Code, such as CFDI40147 or 305.", max_length=60)]) -> list[Meaning]:
    """Explain a code of a finding or of an error: sentence, cause, remedy, source, and how two examples differ."""
    return [_meaning(each) for each in timbra.explain(code)]


def search_codes(
    words: Annotated[Words, Field(description="Spanish words, `@TipoCambio`, a node, or `c_Moneda`.")],
    limit: Limit = 20,
) -> CodeMatches:
    """Search the codes of rules and errors by words, attribute, node or catalog."""
    from timbra.rules.reference.search import search

    found = search(words)
    return CodeMatches(len(found), [Requirement(each.code, each.path, each.sentence) for each in found[:limit]])


def search_catalog(
    catalog: Annotated[
        str,
        Field(description="`c_UsoCFDI` of CFDI 4.0; others with a prefix, `nomina12:c_TipoNomina`.", max_length=80),
    ],
    query: Annotated[Words, Field(description="A key, or words of its Spanish text; all keys without it.")] = "",
    on: Day = None,
    limit: Limit = 20,
) -> CatalogMatches:
    """Look up keys of a catalog of the SAT: a key and those that begin with it, or the keys whose text has the words
    or their beginnings.

    Columns have what else the SAT states, such as the regimes for which a use of the CFDI is allowed.
    """
    try:
        found = timbra.catalog(catalog, on=on)
    except timbra.Error as error:
        raise timbra.Error(error.code, f"{error.detail or ''}{_suggestion(catalog, _catalog_names(catalog))}") from None
    keys = found.search(query)
    rows = [(key, found[key]) for key in keys[:limit]]
    answers = [
        CatalogKey(key, row["texto"], {name: row[name] for name in row if row[name] and name not in ("clave", "texto")})
        for key, row in rows
    ]
    return CatalogMatches(found.name, found.on.isoformat(), len(keys), answers)


def example(
    name: Annotated[str, Field(description="`ingreso`, `pagos20`, `nomina12`, ...", max_length=80)] = "ingreso",
    version: Annotated[str | None, Field(description="Version of the document; the newest without.")] = None,
    on: Issued = None,
) -> ExampleAnswer:
    """Return a minimal valid document, not sealed, of a type or with a complement; `names` has what there is."""
    names = _example_names()
    try:
        return ExampleAnswer(name, timbra.example(name, version=version, on=on), names)
    except timbra.Error as error:
        raise timbra.Error(error.code, f"{error.detail or ''}{_suggestion(name, names)}") from None


def totals(
    invoice: Annotated[
        dict[str, Any],
        Field(
            description="CFDI 4.0 as JSON by the SAT's names: Moneda, and Conceptos with Cantidad, ValorUnitario, "
            "Descuento and Impuestos (Traslados, Retenciones: Impuesto, TipoFactor, TasaOCuota). Numbers are texts."
        ),
    ],
    price_includes_tax: Annotated[
        bool, Field(description="Whether ValorUnitario and Descuento include the transferred taxes.")
    ] = False,
    rounding: Annotated[
        Literal["line", "total"],
        Field(description="`line`: amounts of lines have the decimals of the currency; `total`: up to six."),
    ] = "line",
    on: Day = None,
) -> AmountsAnswer:
    """Compute the amounts of an invoice from its lines, within the SAT's limits: Importe, taxes, SubTotal, Total."""
    found = timbra.totals(invoice, price_includes_tax=price_includes_tax, rounding=rounding, on=on)
    lines = [
        LineAmountsAnswer(
            f"{line.total:f}", None if line.wished is None else f"{line.wished:f}", f"{line.difference:f}"
        )
        for line in found.lines
    ]
    return AmountsAnswer(found.comprobante, f"{found.total:f}", f"{found.difference:f}", lines)


def _given(document: str) -> bytes | Path:
    """Return the content of a document that is XML, or the path of one that is a file; errors as `document_bytes`."""
    path = path_of(document)
    if path is None:
        content = document.encode("utf-8", "surrogatepass")
        if len(content) > MAX_BYTES:
            raise timbra.Error("TB4001", f"El límite es de {MAX_BYTES} bytes.")
        return content
    try:
        is_file = Path(path).is_file()  # neither standard input nor a device
    except OSError:
        is_file = False
    if not is_file:
        raise timbra.Error("source-unreadable", f"{path[:MAX_PATH]}: no es XML ni la ruta de un archivo.")
    return Path(path)


def document_bytes(document: str) -> bytes:
    """Return the content of a document.

    Raises:
        Error: "TB4001" for XML that is too large, "source-unreadable" for a path of no file.
    """
    given = _given(document)
    if isinstance(given, bytes):
        return given
    try:
        with given.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise timbra.Error("source-unreadable", f"{str(given)[:MAX_PATH]}: no se puede leer.") from error
    if len(content) > MAX_BYTES:
        raise timbra.Error("TB4001", f"El límite es de {MAX_BYTES} bytes.")
    return content


def _validation_answer(report: Report, findings: list[Finding]) -> ValidationAnswer:
    errors = sum(each.severity == "error" for each in findings)
    return ValidationAnswer(
        not errors,
        report.version,
        report.uuid,
        errors,
        len(findings) - errors,
        [_finding_answer(each) for each in findings[:MAX_FINDINGS]],
        list(report.not_evaluated),
    )


def _finding_answer(finding: Finding) -> FindingAnswer:
    return FindingAnswer(
        finding.code,
        finding.severity,
        finding.path,
        _cut(finding.found),
        _cut(finding.expected),
        finding.expected_value,
        finding.message,
        _cut(finding.detail),
        _cut(finding.hint),
        None if finding.code is None else _remedy(finding.code),
        finding.citation,
        finding.caused_by,
        _repair(finding),
    )


def _repair(finding: Finding) -> Repair | None:
    """Return the change that satisfies the rule of a finding; None when the finding does not state one."""
    if not finding.path or finding.caused_by is not None:
        return None
    if finding.expected_value is not None and finding.path.rpartition("/")[2].startswith("@"):
        return Repair("set", finding.path, finding.expected_value)
    is_known = finding.section != "structure"  # an unknown name may be a misspelt one
    if is_known and finding.expected is not None and finding.found is not None and _REMOVAL.match(finding.expected):
        return Repair("remove", finding.path, None)
    return None


@lru_cache(maxsize=1024)
def _remedy(code: str) -> str | None:
    try:
        return next((each.remedy for each in timbra.explain(code)), None)
    except timbra.Error:  # a code of a complement that has no page
        return None


def _meaning(explanation: Explanation) -> Meaning:
    from timbra.rules.reference.differences import differences

    facts = dict(explanation.facts)
    example = explanation.example
    found = () if example is None else differences(example.passing(), example.failing())
    return Meaning(
        explanation.code,
        explanation.message,
        explanation.cause,
        explanation.remedy,
        facts.pop("Norma", None),
        facts,
        [DifferenceAnswer(each.path, each.passing, each.failing) for each in found[:MAX_DIFFERENCES]],
        [Requirement(*each) for each in explanation.requirements[:MAX_REQUIREMENTS]],
    )


def _catalog_names(name: str) -> list[str]:
    standard, separator, _ = name.rpartition(":")
    return [f"{standard}{separator}{each}" for each in catalogs().names(standard or "cfdi40")]


@cache
def _example_names() -> list[str]:
    from timbra.examples import DOCUMENTS

    return list(DOCUMENTS)


def _suggestion(name: str, names: Iterable[str]) -> str:
    """Return the names that are most like an unknown one, as a sentence; empty without any."""
    by_text = {each.casefold(): each for each in names}
    near = difflib.get_close_matches(name.casefold(), by_text, n=MAX_NAMES, cutoff=0.5)
    return f" ¿Quiso decir {', '.join(by_text[each] for each in near)}?" if near else ""


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
