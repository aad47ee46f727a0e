"""The answers of a harness, compared with the cases."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

Case = dict[str, Any]


class Outcome(StrEnum):
    """What an answer is, compared with its case. All but the first two are differences."""

    AGREE = "agree"
    CANNOT_EVALUATE = "cannot evaluate"
    MISSED = "said to be valid"
    OTHER_CODES = "other codes"
    FALSE_ALARM = "said to be invalid"


class HarnessError(Exception):
    """A harness ended early, or its answer is not in the protocol."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A case with the answer of a harness.

    Attributes:
        codes: the codes of the answer; empty when it could not evaluate.
        error: why it could not evaluate; empty when it could.
    """

    case: Case
    codes: tuple[str, ...]
    error: str

    @property
    def outcome(self) -> Outcome:
        """The answer agrees when it has the codes of the case, and none besides them and those of `alsoReported`."""
        if self.error:
            return Outcome.CANNOT_EVALUATE
        expected, found = set(self.case["codes"]), set(self.codes)
        if expected <= found <= expected | set(self.case["alsoReported"]):
            return Outcome.AGREE
        if not expected:
            return Outcome.FALSE_ALARM
        return Outcome.OTHER_CODES if found else Outcome.MISSED


@dataclass(frozen=True, slots=True)
class Comparison:
    """All answers of a harness."""

    name: str
    answers: tuple[Answered, ...]

    def of(self, *outcomes: Outcome) -> list[Answered]:
        """Return the answers with one of the outcomes."""
        return [each for each in self.answers if each.outcome in outcomes]

    @property
    def differences(self) -> list[Answered]:
        """The answers that differ from their cases."""
        return [each for each in self.answers if each.outcome not in (Outcome.AGREE, Outcome.CANNOT_EVALUATE)]


def read_cases(folder: Path) -> list[Case]:
    """Return the cases of a folder that published data show."""
    cases: list[Case] = json.loads((folder / "cases.json").read_text("utf-8"))["cases"]
    return [case for case in cases if case["evaluable"]]


def compare(name: str, command: Sequence[str], folder: Path, cases: Sequence[Case]) -> Comparison:
    """Start a harness once, ask it about all cases, and compare its answers.

    Raises:
        HarnessError: It ended early, or answered another case, or something else than the protocol says.
    """
    with subprocess.Popen(  # noqa: S603 - the command of the caller
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise HarnessError("no pipes")
        asking = threading.Thread(target=_ask, args=(process.stdin, folder, cases))
        asking.start()
        try:
            answers = tuple(_answers(process.stdout, cases))
        except HarnessError:
            process.kill()
            raise
        finally:
            asking.join()
    return Comparison(name, answers)


def _ask(target: IO[str], folder: Path, cases: Sequence[Case]) -> None:
    # A harness that ends early breaks the pipe; the reader of the answers reports it.
    with suppress(BrokenPipeError), target:
        for case in cases:
            path = (folder / case["file"]).resolve()
            line = {"id": case["id"], "path": str(path), "at": case["at"], "stage": case["stage"]}
            target.write(json.dumps(line) + "\n")


def _answers(source: IO[str], cases: Sequence[Case]) -> Iterator[Answered]:
    for case in cases:
        line = source.readline()
        try:
            answer = json.loads(line)
            name, reason = answer["id"], str(answer.get("error", ""))
            codes = () if reason else tuple(map(str, answer["codes"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise HarnessError(f"{case['id']}: no answer of the protocol: {line.strip()[:200]!r}") from error
        if name != case["id"]:
            raise HarnessError(f"{case['id']}: the answer is of {name}")
        yield Answered(case, codes, reason)
