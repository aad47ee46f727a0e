"""Verdicts for people, and as lines of JSON for programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from timbra.cli.opened import refusal_line

if TYPE_CHECKING:
    from timbra.cli.judging import Verdict
    from timbra.service.report import Entry, Report

COLOURS = {"ERROR": "red", "WARNING": "yellow", "INFORMATION": "green"}
WORDS = {"ERROR": "error", "WARNING": "aviso"}
LONGEST = 300
"""Characters of a value that are shown."""


class Tally:
    """What came of all documents together."""

    def __init__(self) -> None:
        self.good = self.wrong = self.warned = self.refused = 0
        self.codes: Counter[str] = Counter()

    def count(self, verdict: Verdict) -> None:
        if verdict.report is None:
            self.refused += 1
            return
        self.wrong += verdict.report.wrong
        self.warned += verdict.is_good and not verdict.is_clean
        self.good += verdict.is_good
        self.codes.update(entry.code for entry in verdict.report.entries if entry.is_finding and entry.code)

    @property
    def documents(self) -> int:
        return self.good + self.wrong + self.refused

    def show(self, console: Console) -> None:
        """A table of counts and of the codes found most often."""
        table = Table(title=f"{self.documents} documentos", title_justify="left", show_header=False)
        table.add_row("sin errores", str(self.good))
        table.add_row("de ellos, con avisos", str(self.warned))
        table.add_row("con errores", str(self.wrong))
        table.add_row("no son un CFDI 3.3 o 4.0 legible", str(self.refused))
        for code, times in self.codes.most_common(10):
            table.add_row(f"  {code}", str(times))
        console.print(table)


def show(console: Console, verdict: Verdict, *, everything: bool) -> None:
    """One document: its verdict, its state at the authority, and what was found.

    everything: the sections without findings too, and the rules that could not be judged.
    """
    if verdict.refusal is not None:
        console.print(Text.assemble(("✗ ", "red"), (verdict.name, "bold"), f"  {refusal_line(verdict.refusal)}"))
        return
    report = verdict.report
    if report is None:
        raise ValueError("a verdict has a report or a refusal")
    sign = ("✓ ", "green") if verdict.is_good else ("✗ ", "red")
    state = "  ".join(filter(None, (report.uuid, _state(report))))
    console.print(Text.assemble(sign, (verdict.name, "bold"), f"  {state}"))
    if everything:
        _show_sections(console, report)
    for entry in report.entries:
        if entry.is_finding:
            _show_finding(console, entry)
    unknown = sorted({entry.code for entry in report.entries if not entry.evaluated and entry.code})
    if unknown and everything:
        console.print(Text(f"  no evaluadas: {', '.join(unknown)}", style="dim"))


def _state(report: Report) -> str:
    if report.status_sat in (None, "No Aplica"):
        return ""
    return " · ".join(filter(None, (report.status_sat, report.is_cancelable, report.status_cancelation)))


def _show_sections(console: Console, report: Report) -> None:
    for section in report.sections:
        wrong = any(entry.is_finding for entry in section.entries)
        console.print(Text.assemble("  ", ("· ", "yellow") if wrong else ("✓ ", "green"), section.name.rstrip()))


def _show_finding(console: Console, entry: Entry) -> None:
    """Kind, code and place in one line; below it what is demanded, what was found and what to do."""
    head = (
        (f"{WORDS[entry.kind.name]:>8}", COLOURS[entry.kind.name]),
        f" {entry.code or ''} ",
        (entry.path or "", "cyan"),
    )
    console.print(Text.assemble(*head))
    lines = [Text(_sentence(entry))]
    if entry.found is not None or entry.expected is not None:
        lines += [Text(f"encontrado: {_short(entry.found)}"), Text(f"esperado: {_short(entry.expected)}")]
    elif entry.detail:
        lines.append(Text(_short(entry.detail)))
    lines += [Text(entry.hint, style="italic")] if entry.hint else []
    console.print(Padding(Group(*lines), (0, 0, 0, 9)))


def _sentence(entry: Entry) -> str:
    """What the message says, without the code that stands before it already."""
    return entry.message.removeprefix(f"{entry.code} - ")


def _short(text: str | None) -> str:
    if text is None:
        return "nada"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def as_json(verdict: Verdict) -> dict[str, object]:
    """One object for a document: `file`, then `error`, or `wrong`, `findings`, `not_evaluated` and the report."""
    from timbra.messages import full_message

    if verdict.refusal is not None or verdict.report is None:
        code = verdict.refusal.code if verdict.refusal else "CO1000"
        detail = verdict.refusal.detail if verdict.refusal else None
        return {"file": verdict.name, "error": {"code": code, "message": full_message(code), "detail": detail}}
    report = verdict.report
    findings = [asdict(entry) for entry in report.entries if entry.is_finding]
    unknown = [entry.code for entry in report.entries if not entry.evaluated]
    told = {"file": verdict.name, "wrong": report.wrong, "findings": findings, "not_evaluated": unknown}
    return {**told, **asdict(report)}
