"""`make rule CODE=CFDI40229 AT=Receptor/@UsoCFDI`: drafts the record of a rule in the module of its node.

The draft is one record in one file of the rule set, and the code in the rule set's coverage. A test fails while a draft
remains.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from importlib import import_module
from itertools import takewhile
from pathlib import Path

from timbra.rules.engine.rule import AnyRule, sort_key
from timbra.rules.engine.rule_set import COVERAGE, RuleSet
from timbra.rules.registry import RULE_SETS

MARK = "BORRADOR DE UNA REGLA"
RECORD = '''

@rule(
    "{code}",
    at="{at}",
    says="{mark}: la oración en español.",
    fails={{"{at}": "{mark}"}},
)
def {name}({parameter}: {kind}, ctx: EvaluationContext) -> RuleResult:
    """Name the function by the requirement; state what the sentence cannot say."""
    return Violation(found=None, expected="{mark}")
'''
FUTURE = "from __future__ import annotations\n"


def main() -> None:
    """Draft the record that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("code", help="as the SAT prints it")
    parser.add_argument("at", help="path from the root, such as Receptor/@UsoCFDI")
    arguments = parser.parse_args()
    code, at = arguments.code, arguments.at
    if not code or not at:
        raise SystemExit("give both: make rule CODE=CFDI40229 AT=Receptor/@UsoCFDI")
    rule_set = _rule_set_of(code)
    nearest = max(rule_set.rules, key=lambda each: (_common_steps(each.at, at), each.sort_key))
    file = _module_file(rule_set, nearest)
    kind = nearest.kind.__name__
    record = RECORD.format(
        code=code,
        at=at,
        mark=MARK,
        kind=kind,
        parameter=_snake(kind),
        name=f"rule_{_snake(code)}",
    )
    file.write_text(_with_imports(file.read_text("utf-8"), nearest).rstrip("\n") + "\n" + record, "utf-8")
    _add_to_coverage(file.parent / COVERAGE, code, rule_set.name)
    sys.stdout.write(f"Drafted {code} in {file}.\nNext: write the record, make rules-check RULESET={rule_set.name}\n")


def _rule_set_of(code: str) -> RuleSet:
    """Return the rule set whose codes are most alike: the same prefix, and the nearest number."""
    prefix, number = _split(code)
    alike = [
        (abs(own_number - number), each)
        for each in RULE_SETS
        for row in each.rows
        for own_prefix, own_number in [_split(row.code.partition(":")[0])]
        if own_prefix == prefix and each.by_engine
    ]
    if not alike:
        raise SystemExit(f"no rule set has codes like {code}")
    distance, rule_set = min(alike, key=lambda pair: pair[0])
    if distance == 0:
        raise SystemExit(f"{code} exists already: timbra explain {code}")
    return rule_set


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
    return next(file for file in sorted(folder.glob("*.py")) if quoted in file.read_text("utf-8"))


def _with_imports(text: str, nearest: AnyRule) -> str:
    """Return the text of a module with the imports that the draft needs; `ruff check --fix` merges and sorts them."""
    imported = {
        alias.asname or alias.name
        for node in ast.parse(text).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    kind = nearest.kind
    wanted = {
        "EvaluationContext": "timbra.rules.engine.context",
        "RuleResult": "timbra.rules.engine.result",
        "Violation": "timbra.rules.engine.result",
        "rule": "timbra.rules.engine.rule",
        kind.__name__: kind.__module__,
    }
    lines = [f"from {module} import {name}" for name, module in wanted.items() if name not in imported]
    return text.replace(FUTURE, "\n".join((FUTURE, *lines, "")), 1) if lines else text


def _snake(name: str) -> str:
    return re.sub(r"\W", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)).lower()


def _add_to_coverage(file: Path, code: str, rule_set: str) -> None:
    """Insert the code in SAT's order."""
    head, *lines = file.read_text("utf-8").splitlines()
    lines = sorted([*lines, f"{code},{rule_set}"], key=lambda line: sort_key(line.partition(",")[0]))
    file.write_text("\n".join((head, *lines, "")), "utf-8")


if __name__ == "__main__":
    main()
