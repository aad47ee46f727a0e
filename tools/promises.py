"""The promises in the README: what is promised, by which tests, and when the longer check of it ran last."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.markdown import items

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- promises: begin -->", "<!-- promises: end -->"
_DATE = re.compile(r"### (\d{4}-\d{2}-\d{2})")
_TITLE = re.compile(r"- \*\*([^*]+)\*\*")


@dataclass(frozen=True, slots=True)
class Promise:
    """A promise to those who run the server.

    Attributes:
        text: What is promised, in one sentence.
        tests: Files and folders of the suite, below `tests`; none when only the longer check has it.
        check: How the titles of its results in docs/verification.md begin; empty without a longer check.
    """

    text: str
    tests: tuple[str, ...]
    check: str = ""


PROMISES = (
    Promise(
        "No answered stamp is lost and none is made twice, whatever is killed, disconnected or full.",
        ("resilience/test_kill.py", "resilience/test_nodes.py", "resilience/test_full_disk.py"),
        "Chaos test",
    ),
    Promise(
        "A repeated request gets the same stamp, in every order of events.", ("simulation", "stamps"), "Simulation"
    ),
    Promise(
        "A standby takes over, and a database is recovered to a moment.", ("resilience/test_standby.py",), "Recovery"
    ),
    Promise("A rolling restart loses no request.", (), "Rolling restart"),
    Promise(
        "Every stamp reaches the SAT after its outages, once.",
        ("delivery/test_delivery_outages.py",),
        "Outages of the SAT",
    ),
    Promise(
        "The fast path makes the bytes that the ordinary path makes.",
        ("stamping/plain",),
        "Comparison of the fast path",
    ),
    Promise(
        "What the SAT's schemas refuse is an error at its place.",
        ("evaluation/test_every_attribute.py",),
        "Values that the SAT's schemas refuse",
    ),
    Promise(
        "Amounts computed for a cart are stamped at the first attempt.",
        ("amounts/test_stamped_carts.py",),
        "Drawn invoices that are stamped at the first attempt",
    ),
    Promise(
        "A stamp that is in a checkpoint cannot be dropped or dated back without a difference that others can prove.",
        ("transparency",),
        "Transparency log",
    ),
    Promise("The operator is told of each part that fails.", ("drill", "operations/test_alert_rules.py"), "Drill"),
    Promise("No input crashes a reader.", ("fuzz",), "Fuzzing"),
    Promise("A flipped bit of the stored data is named by `timbra fsck`.", ("fsck/test_flips.py",), "Flipped bits"),
    Promise(
        "A damaged row ends no list, sum or export of the others.",
        ("operations/test_damaged_columns.py",),
        "Damaged values",
    ),
    Promise(
        "A download from the SAT loses no document and asks no question twice.",
        ("received/synchronization/test_killed_downloads.py",),
        "Bulk download",
    ),
    Promise(
        "A reconciled month has every difference, and no false one.",
        ("received/reconciliation/test_reconciliation.py",),
        "Reconciliation",
    ),
    Promise("Clients of the wire contract work unchanged.", ("clients",), "Connectors"),
    Promise("The portal keeps WCAG 2.2 AA.", ("web/test_browser_accessibility.py",), "Accessibility"),
    Promise("Every queue, cache, pool and retry has a limit.", ("docs/test_bounds.py",)),
)


def last_runs(verification: str) -> dict[str, str]:
    """Return the newest date of each title of the results."""
    dates: dict[str, str] = {}
    date = ""
    for line in verification.partition("## Results")[2].splitlines():
        if found := _DATE.match(line):
            date = found[1]
        elif date and (found := _TITLE.match(line)):
            dates[found[1]] = max(date, dates.get(found[1], ""))
    return dates


def promise_list(verification: str) -> list[str]:
    """Return an item for each promise. ValueError: A check has no result."""
    dates = last_runs(verification)
    return items(_item(promise, dates) for promise in PROMISES)


def _item(promise: Promise, dates: Mapping[str, str]) -> str:
    proofs = [", ".join(f"[{path.removesuffix('.py')}](tests/{path})" for path in promise.tests)]
    if promise.check:
        ran = [date for title, date in dates.items() if title.startswith(promise.check)]
        if not ran:
            raise ValueError(f"docs/verification.md has no result {promise.check!r}")
        proofs.append(f"{promise.check} on {max(ran)}")
    return f"**{promise.text}** {'; '.join(filter(None, proofs))}."


def readme() -> str:
    """Return the README with the list of today."""
    text = (ROOT / "README.md").read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    found = "\n".join(promise_list((ROOT / "docs" / "verification.md").read_text("utf-8")))
    return f"{before}{BEGIN}\n\n{found}\n\n{END}{rest.partition(END)[2]}"
