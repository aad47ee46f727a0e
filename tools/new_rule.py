"""`make rule CODE=... AT=... CITES=...`: drafts the record of a rule in the module of its node.

CODE decides what the rule may cite:

- `CFDI40229 SINCE=2027-01-01`: a row of SAT's matrix, which is in force from that day. The draft is a record, its
  failing document in `examples.py`, and the code in the rule set's coverage.
- `CFDI40999:UsoCFDI-Viajes`: a requirement of the SAT without a code of its own, under the shared code.
- `ACME001 RULESET=cfdi40`: a rule of your own, with a prefix that no matrix has.

The last two cite another source of the rule set than its matrix. A test fails while a draft remains.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from itertools import takewhile
from pathlib import Path

from timbra.rules.engine.citation import Citation
from timbra.rules.engine.rule import AnyRule, sort_key
from timbra.rules.engine.rule_set import COVERAGE, EXAMPLES, RuleSet
from timbra.rules.reference.matrix import digests
from timbra.rules.registry import RULE_SETS

MARK = "BORRADOR DE UNA REGLA"
RECORD = '''

@rule(
    "{code}",
    at="{at}",
    says="{mark}: la oración en español.",
    {origin},
)
def {name}({parameter}: {kind}, ctx: EvaluationContext) -> RuleResult:
    """Name the function by the requirement; state what the sentence cannot say."""
    return Violation(found=None, expected="{mark}")
'''
EXAMPLE = 'FAILS: Mapping[str, Fails] = {{\n    "{code}": {{"{at}": "{mark}"}},\n'
FUTURE = "from __future__ import annotations\n"


OWN = """
A rule of your own has a prefix that no matrix has, and cites another document:
  make rule CODE=ACME001 RULESET={name} AT={at} CITES=...
If the SAT published a newer matrix, write its digests first: docs/new-catalogs.md."""
SHARED = """
A requirement of the SAT without a code of its own has a name after the shared code:
  make rule CODE={shared}:Name AT={at} CITES=..."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What the command line says about a rule.

    Attributes:
        code: SAT's code, `CODE:Name`, or a code with a prefix that no matrix has.
        at: path from the root.
        cites: name of a source of the rule set.
        since: first date of a row of the matrix.
    """

    code: str
    at: str
    rule_set: RuleSet
    cites: str
    since: date | None

    @property
    def is_row(self) -> bool:
        """Whether the code is that of a row of SAT's matrix."""
        return self.code.startswith(self.rule_set.prefixes) and ":" not in self.code

    @property
    def sources(self) -> Mapping[str, Citation]:
        """The citations of `sources.py`, which the rule may have."""
        module = import_module(f"{self.rule_set.package}.sources")
        found = {name: each for name, each in vars(module).items() if isinstance(each, Citation)}
        return {name: each for name, each in found.items() if each.has_rows == self.is_row}

    def check(self) -> None:
        """End the program if the citation is wrong, or if a row has no first date."""
        known = digests(self.rule_set)
        if self.is_row and known and self.code not in known:
            text = f"{self.code} is no row of SAT's matrix of {self.rule_set.standard}, {self.rule_set.revision}."
            for shared in self.rule_set.messages:
                text += SHARED.format(shared=shared, at=self.at)
            raise SystemExit(text + OWN.format(name=self.rule_set.name, at=self.at))
        if self.cites not in self.sources:
            listed = "".join(f"\n  {name}: {each.of(self.code)}" for name, each in self.sources.items())
            file = f"{self.rule_set.package.replace('.', '/')}/sources.py"
            raise SystemExit(
                f"name the document that states the rule: CITES=..., of src/{file}, or add it there:{listed}"
            )
        if self.is_row and self.since is None:
            raise SystemExit("give the first day on which the matrix has the row: SINCE=2027-01-01")

    @property
    def origin(self) -> str:
        """The arguments of the record that say where the rule comes from."""
        since = f", since=date({self.since.year}, {self.since.month}, {self.since.day})" if self.since else ""
        return f"cites={self.cites}{since}".replace(", since", ",\n    since")


def main() -> None:
    """Draft the record that the command line names."""
    draft = _read_arguments()
    draft.check()
    nearest = max(draft.rule_set.rules, key=lambda each: (_common_steps(each.at, draft.at), each.sort_key))
    file = _module_file(draft.rule_set, nearest)
    kind = nearest.kind.__name__
    record = RECORD.format(
        code=draft.code,
        at=draft.at,
        mark=MARK,
        kind=kind,
        origin=draft.origin,
        parameter=_snake(kind),
        name=f"rule_{_snake(draft.code)}",
    )
    text = _with_imports(file.read_text("utf-8"), nearest, draft)
    file.write_text(text.rstrip("\n") + "\n" + record, "utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "check", "-q", "--fix", "--select", "I", file], check=True)  # noqa: S603
    _add_example(file.parent / f"{EXAMPLES}.py", draft)
    if draft.is_row:
        _add_to_coverage(file.parent / COVERAGE, draft.code, draft.rule_set.name)
    sys.stdout.write(
        f"Drafted {draft.code} in {file}.\n"
        f"Next: write the record, make rules-check RULESET={draft.rule_set.name}, make docs\n"
    )


def _read_arguments() -> Draft:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("code", help="as the SAT prints it, CODE:Name, or a code of your own")
    parser.add_argument("at", help="path from the root, such as Receptor/@UsoCFDI")
    parser.add_argument("--cites", default="", help="name of a source in sources.py of the rule set")
    parser.add_argument("--rule-set", default="", help="for a code with a prefix that no rule set has")
    parser.add_argument("--since", default="", help="first day of a row of the matrix, such as 2027-01-01")
    given = parser.parse_args()
    if not given.code or not given.at:
        raise SystemExit("give both: make rule CODE=CFDI40229 AT=Receptor/@UsoCFDI CITES=...")
    known = {row.code for each in RULE_SETS for row in each.rows}
    if given.code in known:
        raise SystemExit(f"{given.code} exists already: timbra explain {given.code}")
    since = date.fromisoformat(given.since) if given.since else None
    return Draft(given.code, given.at, _rule_set_of(given.code, given.rule_set), given.cites, since)


def _rule_set_of(code: str, name: str) -> RuleSet:
    """Return the rule set of a name, or the one whose codes are most alike: the same prefix, and the nearest number."""
    by_engine = [each for each in RULE_SETS if each.by_engine]
    named = [each for each in by_engine if each.name == name]
    prefix, number = _split(code)
    alike = [
        (abs(own_number - number), each)
        for each in by_engine
        for row in each.rows
        for own_prefix, own_number in [_split(row.code)]
        if own_prefix == prefix
    ]
    if not named and (name or not alike):
        names = ", ".join(sorted({each.name for each in by_engine}))
        raise SystemExit(f"no rule set has codes like {code}: name one with RULESET=, of {names}")
    return named[0] if named else min(alike, key=lambda pair: pair[0])[1]


def _split(code: str) -> tuple[str, int]:
    match = re.match(r"([A-Z]+)(\d+)", code)
    return (match[1], int(match[2])) if match is not None else (code, 0)


def _common_steps(first: str, second: str) -> int:
    """Return the number of steps that two paths have in common from the root."""
    steps = zip(first.split("/"), second.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], steps))


def _module_file(rule_set: RuleSet, rule: AnyRule) -> Path:
    """Return the module of the rule set that defines the record of a rule."""
    folder = Path(str(import_module(rule_set.package).__file__)).parent
    quoted = f'"{rule.code}"'
    modules = [file for file in sorted(folder.glob("*.py")) if file.stem != EXAMPLES]
    return next(file for file in modules if quoted in file.read_text("utf-8"))


def _with_imports(text: str, nearest: AnyRule, draft: Draft) -> str:
    """Return the text of a module with the imports that the draft needs, which ruff then merges and sorts."""
    imported = {
        alias.asname or alias.name
        for node in ast.parse(text).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    kind = nearest.kind
    wanted = {
        **({"date": "datetime"} if draft.since else {}),
        "EvaluationContext": "timbra.rules.engine.context",
        "RuleResult": "timbra.rules.engine.result",
        "Violation": "timbra.rules.engine.result",
        "rule": "timbra.rules.engine.rule",
        kind.__name__: kind.__module__,
        draft.cites: f"{draft.rule_set.package}.sources",
    }
    lines = [f"from {module} import {name}" for name, module in wanted.items() if name not in imported]
    return text.replace(FUTURE, "\n".join((FUTURE, *lines, "")), 1) if lines else text


def _snake(name: str) -> str:
    return re.sub(r"\W", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)).lower()


def _add_example(file: Path, draft: Draft) -> None:
    """Insert the failing document before the others."""
    head = EXAMPLE.format(code=draft.code, at=draft.at, mark=MARK)
    file.write_text(file.read_text("utf-8").replace(head.splitlines(keepends=True)[0], head, 1), "utf-8")


def _add_to_coverage(file: Path, code: str, rule_set: str) -> None:
    """Insert the code in SAT's order."""
    head, *lines = file.read_text("utf-8").splitlines()
    lines = sorted([*lines, f"{code},{rule_set}"], key=lambda line: sort_key(line.partition(",")[0]))
    file.write_text("\n".join((head, *lines, "")), "utf-8")


if __name__ == "__main__":
    main()
