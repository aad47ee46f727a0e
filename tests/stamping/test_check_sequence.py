"""A check accepts the stage that it is written for, and a sequence rejects a check in the wrong place."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from threading import get_ident
from typing import Any, get_type_hints

import pytest
from tests.support.sandbox_app import SandboxApp

from timbra.core.errors import ServiceError
from timbra.evaluation.dependencies import Dependencies
from timbra.stamping import checks, sealing, stages
from timbra.stamping.build import stamping_services
from timbra.stamping.check_sequence import STAMP, Check, CheckRunner, CheckSequence
from timbra.stamping.models import StampingOperation


@dataclass(frozen=True)
class Draft:
    text: str


@dataclass(frozen=True)
class Checked:
    text: str


def check_draft(draft: Draft, _dependencies: Dependencies) -> Checked:
    return Checked(draft.text.upper())


def require_checked(checked: Checked, _dependencies: Dependencies) -> None:
    if checked.text == "BAD":
        raise ServiceError("301")


SEQUENCE = CheckSequence[Draft, Draft]().derive((), "", check_draft).require(("301",), "", require_checked, STAMP)


def run(sandbox_app: SandboxApp, text: str, operation: StampingOperation) -> Checked:
    dependencies = sandbox_app.container.get(stamping_services).checks
    return asyncio.run(CheckRunner(operation, dependencies, asyncio.to_thread).run(SEQUENCE, Draft(text)))


def test_sequence_rejects_a_check_in_the_wrong_place_by_type() -> None:
    """mypy reports an unused ignore when one of these lines type-checks."""
    CheckSequence[Draft, Draft]().require((), "", require_checked)  # type: ignore[arg-type]
    CheckSequence[Draft, Checked]().derive((), "", check_draft)  # type: ignore[arg-type]
    CheckSequence[Draft, Draft]().derive((), "", check_draft).derive((), "", check_draft)  # type: ignore[arg-type]


def test_run_returns_the_value_of_the_last_stage(sandbox_app: SandboxApp) -> None:
    assert run(sandbox_app, "good", StampingOperation.STAMP) == Checked("GOOD")


def test_run_skips_checks_of_the_other_operation(sandbox_app: SandboxApp) -> None:
    assert run(sandbox_app, "bad", StampingOperation.ISSUE) == Checked("BAD")
    with pytest.raises(ServiceError, match="301"):
        run(sandbox_app, "bad", StampingOperation.STAMP)


def test_run_calls_a_check_in_a_thread_only_when_it_reads_the_database(sandbox_app: SandboxApp) -> None:
    threads: list[int] = []

    def note_thread(_draft: Draft, _dependencies: Dependencies) -> None:
        threads.append(get_ident())

    def is_long(draft: Draft, _dependencies: Dependencies) -> bool:
        return len(draft.text) > 5

    sequence = CheckSequence[Draft, Draft]().require((), "", note_thread, reads=is_long)
    runner = CheckRunner(
        StampingOperation.STAMP, sandbox_app.container.get(stamping_services).checks, asyncio.to_thread
    )
    asyncio.run(runner.run(sequence, Draft("short")))
    asyncio.run(runner.run(sequence, Draft("long enough")))
    assert [thread == get_ident() for thread in threads] == [True, False]


def _hints(check: Check) -> dict[str, Any]:
    names = {**vars(stages), **vars(sealing), **vars(checks), "Dependencies": Dependencies}
    return get_type_hints(check.run, globalns=names)


def test_order_leads_from_the_submission_to_the_permit() -> None:
    """Each check takes the stage that the checks before it have reached."""
    reached: object = stages.Submission
    for check in checks.ORDER:
        hints = _hints(check)
        result = hints.pop("return")
        if reached is sealing.UnsignedSeal:
            reached = stages.SealedDocument
        assert next(iter(hints.values())) is reached, check.description
        reached = reached if result is type(None) else result
    assert reached is stages.IssuancePermit


ANYTHING: Any = object()


def test_check_of_repeats_passes_a_new_seal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "find_repeat", lambda _certified, _dependencies: None)
    checks.REPEATS.run(ANYTHING, ANYTHING)


def test_check_of_repeats_raises_the_error_of_a_stored_seal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "find_repeat", lambda _certified, _dependencies: ServiceError("307"))
    with pytest.raises(ServiceError, match="307"):
        checks.REPEATS.run(ANYTHING, ANYTHING)
