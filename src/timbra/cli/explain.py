"""`timbra explain`: what a code means, its cause and remedy, and the documents of a rule; search of codes by words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from timbra.console.command import Command, Panel
from timbra.console.ephemeral_services import EphemeralDataOption
from timbra.console.language import translate
from timbra.sandbox.commands.ephemeral_services import open_ephemeral_services

if TYPE_CHECKING:
    from rich.console import Console

    from timbra.rules.reference.explanation import Explanation
    from timbra.validation.proposed_fixes import FixProposal

ExampleKind = Literal["pass", "fail"]
RULE_SET_COLUMNS = ("Standard", "CFDI", "Revision", "Codes", "Rules", "Suspended", "Inactive", "Without rule", "Page")
RESULT_COLUMNS = ("Code", "Path", "Requirement")
PIPE_WIDTH = 220
"""Width in characters of a table that goes to a file or a pipe."""
MAX_RESULTS = 40
MAX_DIFFERENCES = 12


def explain(
    code: Annotated[
        list[str] | None,
        typer.Argument(help="Code, such as CFDI40147 or 305; or words, an attribute, a node or a catalog to search."),
    ] = None,
    search: Annotated[
        str, typer.Option(help="List the codes that match Spanish words, such as `redondeo` or `@TipoCambio`.")
    ] = "",
    example: Annotated[
        ExampleKind | None,
        typer.Option(help="Print a sealed document that satisfies or violates the rule, instead of the explanation."),
    ] = None,
    rule_sets: Annotated[bool, typer.Option("--rule-sets", help="List all rule sets instead.")] = False,
    books: Annotated[bool, typer.Option("--books", hidden=True, help="Old name of `--rule-sets`.")] = False,
    fix: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Propose edits that remove the errors of this document instead, each tried by evaluating it again.",
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False,
            help="With --fix: write the document with the edits to this file. It has the old seal: seal it again.",
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0.1, help="With --fix: seconds after which the search for edits ends.")
    ] = 10.0,
    data: EphemeralDataOption = None,
) -> None:
    """Explain a code: message, source, cause, remedy and two example documents; search codes; or print a document.

    `timbra validate` with the same data folder reports no findings for `pass`, and that code for `fail`.

    With --fix, exit code 1 means that errors remain: they need data that neither document nor catalogs have, or more
    time.
    """
    text = " ".join(code or ())
    if write is not None and fix is None:
        raise typer.BadParameter(translate("--write needs --fix."))
    if fix is not None:
        _propose_fixes(fix, write, seconds, data)
    elif rule_sets or books:
        _print_rule_sets()
    elif search:
        _print_results(search)
    elif not text:
        typer.echo(translate("Give a code, such as CFDI40147, words to search, or --rule-sets."), err=True)
        raise typer.Exit(2)
    elif example is not None:
        typer.echo(_example_document(_known_code(text), example, data))
    else:
        _explain(text)


def _explain(text: str) -> None:
    from timbra.rules.reference.codes import codes_of_digits, find_code, is_code
    from timbra.rules.reference.explanation import explanations

    if find_code(text) is None and not is_code(text):
        _print_results(text)
        return
    known = _known_code(text)
    console = _console()
    for explanation in explanations(known):
        _print_explanation(console, explanation)
    others = [other for other in codes_of_digits(text) if other != known]
    if others:
        console.print(translate("Other codes with this number: {names}.").format(names=", ".join(others)))


def _known_code(text: str) -> str:
    """Return the code that a text writes, also by its digits alone; exit code 1 with suggestions otherwise."""
    from timbra.rules.reference.codes import codes_of_digits, find_code, suggestions

    known = find_code(text)
    if known is not None:
        return known
    numbered = codes_of_digits(text)
    if len(numbered) == 1:
        return numbered[0]
    near = suggestions(text)
    hint = translate(" Did you mean {names}?").format(names=", ".join(near)) if near else ""
    typer.echo(translate("Unknown code {code}.").format(code=text) + hint, err=True)
    raise typer.Exit(1)


def _print_results(words: str) -> None:
    from rich.table import Table

    from timbra.rules.reference.codes import suggestions
    from timbra.rules.reference.search import search

    found = search(words)
    if not found:
        near = suggestions(words)
        hint = translate(" Did you mean {names}?").format(names=", ".join(near)) if near else ""
        typer.echo(translate("No code matches «{words}».").format(words=words) + hint, err=True)
        raise typer.Exit(1)
    table = Table(title=words, title_justify="left")
    for column in RESULT_COLUMNS:
        table.add_column(translate(column), overflow="fold")
    for entry in found[:MAX_RESULTS]:
        table.add_row(_plain(entry.code), _plain(entry.path), _plain(entry.sentence))
    console = _console()
    console.print(table)
    if len(found) > MAX_RESULTS:
        console.print(translate("The first {shown} of {total}.").format(shown=MAX_RESULTS, total=len(found)))


def _print_rule_sets() -> None:
    from rich.table import Table

    from timbra.rules.reference.index import codes, counts, invoices, revision
    from timbra.rules.reference.pages import PAGES

    table = Table(title=translate("Rule sets"), title_justify="left")
    for name in RULE_SET_COLUMNS:
        table.add_column(translate(name), overflow="fold")
    for page in PAGES.values():
        numbers = [str(count) for count in (len(codes(page)), *counts(page).values())]
        table.add_row(page.standard, invoices(page), revision(page), *numbers, page.address)
    _console().print(table)


def _console() -> Console:
    from rich.console import Console

    console = Console(highlight=False)
    return Console(width=console.width if console.is_terminal else PIPE_WIDTH, highlight=False)


def _print_explanation(console: Console, explanation: Explanation) -> None:
    from rich.table import Table

    table = Table(show_header=False, title=_plain(explanation.code), title_justify="left")
    table.add_row(translate("Message"), _plain(explanation.message))
    for name, value in explanation.facts:
        table.add_row(_plain(name), _plain(value))
    table.add_row(translate("Cause"), _plain(explanation.cause))
    table.add_row(translate("Remedy"), _plain(explanation.remedy))
    console.print(table)
    if explanation.requirements:
        requirements = Table()
        for column in RESULT_COLUMNS:
            requirements.add_column(translate(column), overflow="fold")
        for row in explanation.requirements:
            requirements.add_row(*map(_plain, row))
        console.print(requirements)
    if explanation.example is not None:
        _print_differences(console, explanation)


def _print_differences(console: Console, explanation: Explanation) -> None:
    from rich.table import Table

    from timbra.rules.reference.differences import differences

    example = explanation.example
    if example is None:
        return
    found = differences(example.passing(), example.failing())
    table = Table(title=translate("Difference of the two documents"), title_justify="left")
    table.add_column(translate("Place"), overflow="fold")
    table.add_column(translate("Satisfies the rule"), style="green", overflow="fold")
    table.add_column(translate("Violates the rule"), style="red", overflow="fold")
    for each in found[:MAX_DIFFERENCES]:
        table.add_row(*(_plain(value or "—") for value in (each.path, each.passing, each.failing)))
    console.print(table)
    if len(found) > MAX_DIFFERENCES:
        console.print(translate("The first {shown} of {total}.").format(shown=MAX_DIFFERENCES, total=len(found)))
    hint = translate("Both documents: timbra explain {code} --example pass, and --example fail.")
    console.print(hint.format(code=explanation.code), markup=False)


def _plain(text: str) -> str:
    """Return a text without the meaning that rich gives to brackets."""
    from rich.markup import escape

    return escape(text)


def _example_document(code: str, kind: ExampleKind, data: Path | None) -> str:
    from timbra.rules.engine.rule import NotImplementedRow
    from timbra.rules.reference.lookup import example_of, rows
    from timbra.sandbox.rule_examples import ExampleKind as Kind
    from timbra.sandbox.rule_examples import RuleExamples

    row = next(iter(rows(code)), None)
    pair = None if row is None or isinstance(row, NotImplementedRow) else example_of(row)
    if row is None or isinstance(row, NotImplementedRow) or pair is None:
        typer.echo(translate("{code} has no example documents.").format(code=code), err=True)
        raise typer.Exit(1)
    if row.fails_with and kind == "fail":
        absent = translate("{code}: no source has the data of this rule, so `timbra validate` does not evaluate it.")
        typer.echo(absent.format(code=code), err=True)
    with open_ephemeral_services(data) as services:
        return RuleExamples(*services).document(row, pair, Kind(kind)).decode()


def _propose_fixes(file: Path, written: Path | None, seconds: float, data: Path | None) -> None:
    """Print the proposed edits of a document; exit code 1 when errors remain."""
    from timbra.console.ephemeral_services import ephemeral_data
    from timbra.console.services_option import open_services, rejection_line
    from timbra.core.errors import ServiceError
    from timbra.validation.services import ValidationServices

    with ephemeral_data(data) as folder, open_services(folder, ValidationServices) as services:
        try:
            proposal = services.fixes.propose_fixes(file.read_bytes(), seconds)
        except ServiceError as error:
            typer.echo(f"{file}: {rejection_line(error)}", err=True)
            raise typer.Exit(1) from error
    if written is not None and proposal.fixes:
        written.write_bytes(proposal.document)
    _print_fixes(proposal)
    if written is not None and proposal.fixes:
        typer.echo(translate("Written to {file}.").format(file=written))
    if proposal.unfixed:
        raise typer.Exit(1)


def _print_fixes(proposal: FixProposal) -> None:
    from rich.text import Text

    console = _console()
    if not proposal.fixes and not proposal.unfixed:
        console.print(translate("No errors to fix, apart from the seal."))
    for fix in proposal.fixes:
        certainty = (
            translate("stated by the rule") if fix.is_stated else translate("one of several choices: confirm it")
        )
        heading = f"{fix.problem.code} {fix.problem.path}: {fix.reason} ({certainty})"
        console.print(Text(heading, style="bold"))
        for edit in fix.edits:
            amount = f"  {translate('changes an amount')}" if edit.changes_amount else ""
            console.print(Text(f"  {edit.path}{amount}"))
            if edit.old is not None:
                console.print(Text(f"  - {edit.old}", style="red"))
            if edit.new is not None:
                console.print(Text(f"  + {edit.new}", style="green"))
    known = translate("{code} {path}: no edit is known; expected: {expected}")
    in_time = translate("{code} {path}: no edit was found in the time; expected: {expected}")
    for problem in proposal.unfixed:
        unfixed = known if proposal.is_complete else in_time
        text = unfixed.format(code=problem.code, path=problem.path, expected=problem.expected or "")
        console.print(Text(text, style="yellow"))
    if not proposal.is_complete:
        console.print(translate("The time of the search was over: --seconds gives it more."))
    if proposal.fixes:
        console.print(translate("The seal is that of the document before the edits: seal it again."))
    if proposal.fixes and proposal.is_stamped:
        console.print(translate("The document has a stamp, which no edit keeps: cancel it and issue another one."))


COMMANDS = (Command("explain", explain, Panel.VALIDATE, 20),)
