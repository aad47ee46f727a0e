"""The commands of `python -m tools.cases`."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from rich.console import Console

from tools.cases.comparison import Comparison, compare, read_cases
from tools.cases.export import ROOT, archive, archive_name, build
from tools.cases.report import print_comparison, write_page

FOLDER = ROOT / "build" / "cfdi-cases"
SANDBOX = ROOT / "build" / "cfdi-cases-sandbox"


def main(arguments: list[str] | None = None) -> None:
    """Build the archive, or run harnesses over the cases; exit code 1 when a harness of Timbra differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.cases", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build", help="write build/cfdi-cases and the archive in dist/")
    running = commands.add_parser("run", help="compare the answers of harnesses with the cases")
    running.add_argument("--harness", action="append", required=True, metavar="NAME=CMD", help="name and command")
    running.add_argument("--page", type=Path, help="page whose generated part is replaced")
    running.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth case")
    for each in (building, running):
        each.add_argument("--folder", type=Path, default=FOLDER)
    building.add_argument("--data", type=Path, default=SANDBOX, help="data folder of the sandbox")
    building.add_argument("--dist", type=Path, default=ROOT / "dist")
    given = parser.parse_args(arguments)
    if given.command == "build":
        cases = build(given.folder, given.data)
        archive(given.folder, given.dist / archive_name())
        Console().print(f"{len(cases)} cases in {given.dist / archive_name()}")
        return
    raise SystemExit(_run(given))


def _run(given: argparse.Namespace) -> int:
    cases = read_cases(given.folder)[:: given.every]
    found: list[Comparison] = []
    for named in given.harness:
        name, _, command = named.partition("=")
        if not command:
            sys.stderr.write(f"{named}: expected NAME=CMD\n")
            return 2
        found.append(compare(name, shlex.split(command), given.folder, cases))
        print_comparison(Console(), found[-1])
    if given.page is not None:
        write_page(given.page, found)
    return int(any(each.differences for each in found if each.name.startswith("timbra")))
