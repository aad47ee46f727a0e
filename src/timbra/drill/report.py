"""The report of a drill for the operator: as data, as Markdown and as a page of HTML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from html import escape

from timbra.drill.comparison import Comparison

SHOWN = 20
"""Folios that are listed of each difference; all are counted."""


class DrillOutcome(StrEnum):
    """The result of a fault, or of a drill."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alert that fired. seconds: from the beginning of the fault."""

    name: str
    severity: str
    node: str
    seconds: float


@dataclass(frozen=True, slots=True)
class RejectionCount:
    """How often a client was rejected. message: in Spanish, as the client got it."""

    code: str
    status: int
    message: str
    count: int


@dataclass
class FaultReport:
    """What happened during a fault.

    Attributes:
        name: Its name, as for `--only`.
        done: What was done, in Spanish.
        reason: Why it was left out.
        held: Seconds for which it lasted.
        unready: Seconds until `/health/ready` of a node was not 200 or warned; None when it never did.
        said: What it said then.
        alarms: The alerts that fired, in their order.
        rejections: What clients were rejected from its beginning until the service had mended itself.
        stamped: Stamps that clients got while it lasted.
        mended: Seconds from its end until all nodes were ready and stamped; None when they did not.
        delivered: Seconds from its end until all stamps of before were delivered; None when they were not.
    """

    name: str
    title: str
    done: str = ""
    reason: str = ""
    held: float = 0.0
    unready: float | None = None
    said: str = ""
    alarms: Sequence[Alarm] = ()
    rejections: Sequence[RejectionCount] = ()
    stamped: int = 0
    mended: float | None = None
    delivered: float | None = None

    @property
    def outcome(self) -> DrillOutcome:
        if self.reason:
            return DrillOutcome.SKIPPED
        return DrillOutcome.FAILED if self.problems() else DrillOutcome.PASSED

    def problems(self) -> list[str]:
        """Return what is wrong, in Spanish."""
        found = (
            (not self.alarms, "ninguna alarma avisó"),
            (self.mended is None, "el servicio no se recuperó a tiempo"),
            (self.delivered is None, "no se entregó todo a tiempo"),
        )
        return [] if self.reason else [text for holds, text in found if holds]


@dataclass
class RehearsalReport:
    """The result of a drill.

    Attributes:
        begun: When it began, ISO 8601 in UTC.
        active_before: Alerts that were active without a fault, and were left out.
        comparison: The comparison at the end.
    """

    begun: str
    seconds: float
    program: str
    machine: str
    database: str
    nodes: int
    rate: float
    active_before: Sequence[str] = ()
    faults: list[FaultReport] = field(default_factory=list)
    comparison: Comparison = field(default_factory=lambda: Comparison(0, 0, 0, 0))

    @property
    def outcome(self) -> DrillOutcome:
        """Failed when a stamp is lost, altered or doubled, or a fault failed; skipped when a fault was left out."""
        outcomes = {fault.outcome for fault in self.faults}
        if not self.comparison.is_clean or DrillOutcome.FAILED in outcomes or not self.comparison.answered:
            return DrillOutcome.FAILED
        return DrillOutcome.SKIPPED if DrillOutcome.SKIPPED in outcomes else DrillOutcome.PASSED

    def to_json(self) -> str:
        faults = [asdict(fault) | {"outcome": fault.outcome, "problems": fault.problems()} for fault in self.faults]
        return json.dumps(asdict(self) | {"outcome": self.outcome, "faults": faults}, ensure_ascii=False, indent=2)


OUTCOMES = {DrillOutcome.PASSED: "pasó", DrillOutcome.FAILED: "FALLÓ", DrillOutcome.SKIPPED: "OMITIDA"}
COLUMNS = ("falla", "resultado", "avisó", "rechazos", "se recuperó", "todo entregado")


def summary_row(fault: FaultReport) -> tuple[str, ...]:
    """Return the row of a fault: result, first alert, rejections, seconds until it was mended and all was delivered."""
    if fault.reason:
        return fault.title, OUTCOMES[fault.outcome], fault.reason, "", "", ""
    first = fault.alarms[0] if fault.alarms else None
    alarm = "ninguna alarma" if first is None else f"{first.name}, {first.seconds:.0f} s"
    rejections = sum(rejection.count for rejection in fault.rejections)
    return (
        fault.title,
        OUTCOMES[fault.outcome],
        alarm,
        f"{rejections:,}",
        _seconds(fault.mended),
        _seconds(fault.delivered),
    )


def conclusion(report: RehearsalReport) -> str:
    """Return the sentence at the end."""
    found = report.comparison
    return (
        f"{found.invoices:,} facturas enviadas, {found.answered:,} timbres contestados, {found.stored:,} guardados, "
        f"{found.delivered:,} recibidos por el SAT: {len(found.lost) + len(found.undelivered)} perdidos, "
        f"{len(found.doubled)} duplicados, {len(found.altered)} distintos, {len(found.misdated)} con otra fecha, "
        f"{len(found.unanswered)} sin respuesta."
    )


def markdown(report: RehearsalReport) -> str:
    """Return the report as Markdown, in Spanish."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: RehearsalReport) -> Iterator[str]:
    yield f"# Simulacro: {OUTCOMES[report.outcome]}"
    yield ""
    yield (
        f"{report.begun}, {report.seconds / 60:.1f} min; Timbra {report.program}, {report.machine}; "
        f"{report.database}; {report.nodes} nodos; {report.rate:g} facturas por segundo."
    )
    yield ""
    yield f"**{conclusion(report)}**"
    yield ""
    if report.active_before:
        yield f"Alarmas activas antes de toda falla, que no cuentan: {', '.join(report.active_before)}."
        yield ""
    yield from _table(COLUMNS, [summary_row(fault) for fault in report.faults])
    for fault in report.faults:
        yield from _fault_lines(fault)
    yield from _difference_lines(report.comparison)


def _fault_lines(fault: FaultReport) -> Iterator[str]:
    yield ""
    yield f"## {fault.title}: {OUTCOMES[fault.outcome]}"
    yield ""
    if fault.reason:
        yield f"No se hizo: {fault.reason}."
        return
    for problem in fault.problems():
        yield f"- **{problem}**"
    yield f"- Qué se hizo: {fault.done}, durante {fault.held:.0f} s; mientras tanto se timbraron {fault.stamped:,}."
    if fault.unready is None:
        yield "- `/health/ready` no dijo nada."
    else:
        yield f"- `/health/ready` a los {fault.unready:.0f} s: {fault.said}"
    for alarm in fault.alarms:
        yield f"- Alarma `{alarm.name}` ({alarm.severity}), nodo {alarm.node}: a los {alarm.seconds:.0f} s."
    yield f"- Se recuperó {_after(fault.mended)}; todo entregado {_after(fault.delivered)}."
    if fault.rejections:
        yield ""
        columns = ("código", "HTTP", "veces", "mensaje")
        rows = [(each.code, str(each.status or ""), f"{each.count:,}", each.message) for each in fault.rejections]
        yield from _table(columns, rows)


def _difference_lines(found: Comparison) -> Iterator[str]:
    differences: dict[str, Sequence[object]] = {
        "Timbres contestados que no están en la base de datos": found.lost,
        "Timbres sin entregar al SAT, o sin su acuse": found.undelivered,
        "Timbres duplicados": found.doubled,
        "Timbres guardados distintos del contestado": found.altered,
        "Timbres con otra fecha que la de su respuesta": found.misdated,
        "Facturas sin respuesta": found.unanswered,
    }
    for title, folios in differences.items():
        if folios:
            yield ""
            yield f"## {title}: {len(folios):,}"
            yield ""
            yield from (f"- `{folio}`" for folio in folios[:SHOWN])


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for row in (columns, ["---"] * len(columns), *rows):
        yield "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in row) + " |"


def _seconds(value: float | None) -> str:
    return "no" if value is None else f"{value:.0f} s"


def _after(value: float | None) -> str:
    return "NO" if value is None else f"{value:.0f} s después del fin de la falla"


STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b}"
    "table{border-collapse:collapse;width:100%}td,th{border:1px solid #bbb;padding:.3rem .5rem;text-align:left}"
    ".failed{color:#a40000}.skipped{color:#7a5200}.passed{color:#0a5c1f}"
)


def html(report: RehearsalReport) -> str:
    """Return the report as a page of HTML, in Spanish, that needs no other file."""
    lines = list(_lines(report))
    title = f"Simulacro: {OUTCOMES[report.outcome]}"
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    body = "\n".join(_html_blocks(lines, report.outcome))
    return f'<!doctype html>\n<html lang="es"><head>{head}</head><body>\n{body}\n</body></html>\n'


def _html_blocks(lines: Sequence[str], outcome: DrillOutcome) -> Iterator[str]:
    """Yield the blocks of the lines that `_lines` writes: headings, tables, lists and paragraphs."""
    opened = ""
    for line in lines:
        kind = "table" if line.startswith("|") else "ul" if line.startswith("- ") else ""
        if opened and kind != opened:
            yield f"</{opened}>"
        if kind and kind != opened:
            yield f"<{kind}>"
        opened_before, opened = opened, kind
        if kind == "table":
            cells = line.strip("|").replace("\\|", "\0").split(" | ")
            tag = "td" if opened_before == "table" else "th"
            if set(line) - set("| -"):
                found = "".join(f"<{tag}>{_inline(cell.strip())}</{tag}>" for cell in cells)
                yield f"<tr>{found}</tr>"
        elif kind == "ul":
            yield f"<li>{_inline(line[2:])}</li>"
        elif line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            yield f'<h{level} class="{outcome if level == 1 else ""}">{_inline(line.lstrip("# "))}</h{level}>'
        elif line:
            yield f"<p>{_inline(line)}</p>"
    if opened:
        yield f"</{opened}>"


def _inline(text: str) -> str:
    parts = escape(text.replace("\0", "|")).replace("**", "\1").replace("`", "\2")
    for mark, tag in (("\1", "strong"), ("\2", "code")):
        pieces = parts.split(mark)
        parts = "".join(
            piece if not place else f"<{'' if place % 2 else '/'}{tag}>{piece}" for place, piece in enumerate(pieces)
        )
    return parts
