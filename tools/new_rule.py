"""`make rule CODE=CFDI40228 AT=Receptor/@UsoCFDI`: creates the draft of a rule.

Drafts are added to the rules of that node and to the sentences. A test fails while one of them remains.
"""

from __future__ import annotations

import argparse
import re
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from types import ModuleType

from timbra.rules.engine.rule import RuleSet
from timbra.rules.rulesets import (
    cartaporte31,
    cfdi33,
    cfdi40,
    comercioexterior20,
    ecc12,
    gceh10,
    hidroypetro10,
    ieeh10,
    ine11,
    nomina12,
    nomina12b,
    pagos10,
    pagos20,
)

MARK = "DRAFT OF A RULE"
RULE_SETS: dict[str, RuleSet] = {
    "CP": cartaporte31.RULE_SET,
    "CFDI33": cfdi33.RULE_SET,
    "CFDI40": cfdi40.RULE_SET,
    "CFDI140": cfdi40.RULE_SET,
    "CCE": comercioexterior20.RULE_SET,
    r"CRP\d{3}(?!\d)": pagos10.RULE_SET,
    r"NOM(\d{1,2}|1[01]\d)(?!\d)": nomina12.RULE_SET,
    "NOM[12]": nomina12b.RULE_SET,
    "CRP2": pagos20.RULE_SET,
    "ECC": ecc12.RULE_SET,
    "GCEH": gceh10.RULE_SET,
    "CCHYP": hidroypetro10.RULE_SET,
    "IEEH": ieeh10.RULE_SET,
    "INE": ine11.RULE_SET,
}
"""Rule set by regular expression of the start of a code."""

RULE = '''

@rule("{code}", at="{at}")
def {name}({parameter}: {kind}, ctx: EvaluationContext) -> RuleResult:
    """{mark}: name the function by the requirement, and explain what the code cannot say."""
    return Violation(found=None, expected="{mark}")
'''


def main() -> None:
    """Add the drafts of the rule that the command line names."""
    arguments = _arguments()
    code, at = arguments.code, arguments.at
    if not code or not at:
        raise SystemExit("give both: make rule CODE=CFDI40228 AT=Receptor/@UsoCFDI")
    rule_set = next((each for begins, each in RULE_SETS.items() if re.match(begins, code)), None)
    if rule_set is None:
        raise SystemExit(f"no rule set has codes like {code}")
    if code in {*(rule.code for rule in rule_set.rules), *(row.code for row in rule_set.not_implemented)}:
        raise SystemExit(f"{code} exists already: timbra explain {code}")
    nearest = max(rule_set.rules, key=lambda rule: _shared(rule.at, at))
    kind = nearest.kind.__name__
    draft = RULE.format(code=code, at=at, kind=kind, parameter=kind.lower(), name=f"{code.lower()}_holds", mark=MARK)
    _append(_file(import_module(nearest.predicate.__module__)), draft)
    _insert(_sentences(rule_set), f'    "{code}": "{MARK}: la oración en español.",\n')
    print(f"Drafted {code} in {nearest.predicate.__module__} and {_sentences(rule_set).name}.")
    print("Next: the rule, its sentence, its row in matrix.py, its documents in examples/codes, make docs, make test.")


def _shared(first: str, second: str) -> int:
    """Return the number of steps that two paths have in common from the root."""
    steps = zip(first.split("/"), second.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], steps))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("code", help="as SAT prints it")
    parser.add_argument("at", help="path from the root, such as Receptor/@UsoCFDI")
    return parser.parse_args()


def _file(module: ModuleType) -> Path:
    return Path(str(module.__file__))


def _sentences(rule_set: RuleSet) -> Path:
    return _file(import_module(f"timbra.messages.rules.{rule_set.name}"))


def _append(file: Path, text: str) -> None:
    file.write_text(file.read_text("utf-8").rstrip("\n") + "\n" + text, "utf-8")


def _insert(file: Path, line: str) -> None:
    """Insert the line before the end of the last dictionary of the file."""
    text = file.read_text("utf-8")
    end = [found.start() for found in re.finditer(r"^\}", text, re.MULTILINE)][-1]
    file.write_text(text[:end] + line + text[end:], "utf-8")


if __name__ == "__main__":
    main()
