"""`make rules-check RULESET=cfdi40`: whether the rules of a set are correct: examples, page, coverage and matrix.

For each rule with an example: the passing document has no findings; the failing one has the rule's code and those of
its inseparable rules; without the rule it has none. The catalogs are those of the snapshot, the lists those of tests.
Then the tests of `RECORD_TESTS` run; some check the examples and the nodes against the schemas.

The examples of a rule set that the engine does not evaluate (`sellos`, `forma`) are sealed, stamped and validated in a
temporary sandbox. Their failing documents may violate further rules, and the check without the rule is left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import track
from rich.table import Table
from tests.support.rule_set_examples import EXAMPLES, Examples

from timbra.app.composition import open_container
from timbra.rules.engine.rule import AnyRule, NoExample
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.reference.index import page
from timbra.rules.reference.pages import PAGES
from timbra.rules.registry import RULE_SETS
from timbra.settings import Settings
from tools.sandbox_examples import SandboxExamples

ROOT = Path(__file__).resolve().parents[1]
RECORD_TESTS = tuple(
    ROOT / "tests" / name
    for name in (
        "rules/test_records.py",
        "rules/test_coverage.py",
        "rules/test_matrix.py",
        "rules/test_codes.py",
        "examples/test_structure.py",
        "cfdi/test_whitespace.py",
        "cfdi/test_complement_kinds.py",
        "docs/test_vocabulary.py",
    )
)
"""Tests that a record may fail."""
CHECKS = ("passes", "fails", "removed", "documented")

Results = Iterator[tuple[str, str]]
"""The checks of a rule, each with its problem; the problem is empty when the check holds."""


def main() -> None:
    """Check the rule set that the command line names; exit code 1 when a check fails."""
    names = sorted({each.name for each in RULE_SETS})
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rule_set", choices=names, metavar="RULESET", help=", ".join(names))
    name = parser.parse_args().rule_set
    rules = [(each, rule) for each in RULE_SETS if each.name == name for rule in each.rules]
    counts: Counter[str] = Counter()
    failures: list[tuple[str, str, str]] = []
    with _open_checks(by_engine=all(each.by_engine for each, _ in rules)) as check_rule:
        for rule_set, rule in track(rules, description=name, transient=True):
            for check, problem in check_rule(rule_set, rule):
                counts[check] += not problem
                if problem:
                    failures.append((rule.code, check, problem))
    _print(name, len(rules), counts, failures)
    path = PAGES[name].path
    is_current = (ROOT / path).is_file() and (ROOT / path).read_text("utf-8") == page(name)
    if not is_current:
        sys.stderr.write(f"{path} is not current: make docs\n")
    failed = _run_tests()
    raise SystemExit(1 if failures or not is_current or failed else 0)


def _run_tests() -> int:
    """Run the tests of the records, and print what failed; return the exit code of pytest."""
    options = ("-p", "no:xdist", "-p", "no:cacheprovider", "--tb=short")
    command = [sys.executable, "-m", "pytest", *options, *map(str, RECORD_TESTS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    sys.stderr.write(done.stdout + done.stderr if done.returncode else "")
    return done.returncode


def results(rule_set: RuleSet, rule: AnyRule) -> Results:
    """Yield each check of a rule that the engine evaluates; only `documented` without an example."""
    if not isinstance(rule.fails, NoExample):
        examples = Examples(rule_set)
        passing, failing = examples.passing(rule.code), examples.failing(rule.code)
        expected, found = examples.expected(rule.code), {finding.code for finding in failing}
        yield "passes", ", ".join(finding.code for finding in passing)
        yield "fails", "" if found == expected else _difference(rule, found, expected)
        yield "removed", ", ".join(finding.code for finding in examples.without(rule.code))
    yield "documented", _documented(rule)


def _difference(rule: AnyRule, found: set[str], expected: set[str]) -> str:
    (day,) = re.findall(r' Fecha(?:Exp)?="([0-9-]{10})T', EXAMPLES[rule.code].failing())[:1] or [""]
    text = f"found {_names(found)}, expected {_names(expected)}"
    if day and not rule.in_force(date.fromisoformat(day)):
        return f"{text}: the example is of {day}, when the rule is not in force; give its changes a @Fecha"
    return text


def sandbox_results(examples: SandboxExamples, rule_set: RuleSet, rule: AnyRule) -> Results:
    """Yield each check of a rule that the engine does not evaluate; only `documented` without an example."""
    if not isinstance(rule.fails, NoExample):
        found = examples.failing(rule_set, rule)
        yield "passes", ", ".join(sorted(examples.passing(rule_set, rule)))
        yield "fails", "" if rule.display_code in found else f"found {_names(found)}, expected {rule.display_code}"
    yield "documented", _documented(rule)


@contextmanager
def _open_checks(*, by_engine: bool) -> Iterator[Callable[[RuleSet, AnyRule], Results]]:
    """Yield the function that checks a rule, over a temporary sandbox if the engine does not evaluate the rules."""
    if by_engine:
        yield results
        return
    with TemporaryDirectory() as folder, open_container(_settings(Path(folder))) as container:
        examples = SandboxExamples(container)
        yield lambda rule_set, rule: sandbox_results(examples, rule_set, rule)


def _settings(folder: Path) -> Settings:
    """Return the settings of a sandbox in the folder, whatever the environment variables say."""
    return Settings(data=folder, environment="sandbox", database_url="")


def _documented(rule: AnyRule) -> str:
    return "" if rule.says.endswith(".") and rule.source else "no sentence or source"


def _names(codes: set[str]) -> str:
    return ", ".join(sorted(codes)) or "nothing"


def _print(name: str, rules: int, counts: Counter[str], failures: list[tuple[str, str, str]]) -> None:
    console = Console()
    summary = Table("rule set", "rules", *CHECKS)
    summary.add_row(name, str(rules), *(str(counts[check]) for check in CHECKS))
    console.print(summary)
    if failures:
        problems = Table("code", "check", "problem")
        for failure in failures:
            problems.add_row(*failure)
        console.print(problems)


if __name__ == "__main__":
    main()
