"""The state machine of cancellation: its table, and the decision about a request."""

from __future__ import annotations

import csv
import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.corpus import CORPUS, corpus_path

from timbra.cfdi.cancelacion.request import Folio
from timbra.core.clock import CENTRAL_MEXICO
from timbra.sandbox.authority.cancellation.policy import Policy
from timbra.sandbox.authority.cancellation.state_machine import (
    OPEN,
    TABLE,
    CancellationCase,
    CancellationDecision,
    CancellationState,
    Dependent,
    Transition,
    after,
    cancelable,
    decide,
    decide_retencion,
)
from timbra.sandbox.store.models import DocumentRow

NOW = datetime(2026, 11, 20, 18, tzinfo=UTC)
A, B, C = (f"{digit}d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11" for digit in "012")
ISSUER = "EKU9003173C9"
CASE = CancellationCase(CancellationState.IN_FORCE, ISSUER, freely=False, closes_at=None, dependents=())
SUBSTITUTE = Dependent(B, "04", ISSUER, NOW)
REPLACING = Folio(A, "01", B)
ERRORS = Folio(A, "02")


def code(folio: Folio = ERRORS, case: CancellationCase | None = CASE, rfc: str = ISSUER) -> CancellationDecision:
    return decide(rfc, folio, case, NOW)


def test_table_reaches_every_state_and_cancelled_states_are_final() -> None:
    assert {CancellationState.IN_FORCE} | set(TABLE.values()) == set(CancellationState)
    assert all(state.status == "Vigente" for state, _ in TABLE)
    assert {state for state in CancellationState if state.status == "Vigente"} - OPEN == {CancellationState.REQUESTED}


@pytest.mark.parametrize(
    ("state", "step"), [one for one in itertools.product(CancellationState, Transition) if one not in TABLE]
)
def test_after_raises_key_error_for_a_transition_outside_the_table(state: CancellationState, step: Transition) -> None:
    with pytest.raises(KeyError):
        after(state, step)


def test_states_have_values_of_the_table_of_the_sat() -> None:
    """Every combination of the three values is a row of SAT's table of states."""
    corpus_path()
    with (CORPUS.parent / "sat-rules" / "sat-status.csv").open(encoding="utf-8") as file:
        rows = [row["code"].split(" / ") for row in csv.DictReader(file) if row["element"].startswith("state table")]
    seen: set[tuple[str, ...]] = set()
    for state, freely, needed in itertools.product(CancellationState, (True, False), (True, False)):
        case = CancellationCase(state, ISSUER, freely, None, (SUBSTITUTE,) if needed else ())
        values = [state.status, cancelable(case), state.cancellation or "(empty)"]
        fitting = [row for row in rows if all(want in ("*", value) for want, value in zip(row, values, strict=True))]
        assert fitting, values
        seen.update(map(tuple, fitting))
    assert seen == set(map(tuple, rows))


@pytest.mark.parametrize(
    ("folio", "case", "decision"),
    [
        (ERRORS, CASE, CancellationDecision("201", Transition.REQUESTED)),
        (ERRORS, replace(CASE, freely=True), CancellationDecision("201", Transition.CANCELLED)),
        (Folio(A, "03"), replace(CASE, freely=True), CancellationDecision("201", Transition.CANCELLED)),
        (Folio(A, "04"), replace(CASE, freely=True), CancellationDecision("201", Transition.CANCELLED)),
        (
            ERRORS,
            replace(CASE, state=CancellationState.REJECTED, freely=True),
            CancellationDecision("201", Transition.REQUESTED),
        ),
        (ERRORS, replace(CASE, state=CancellationState.REQUESTED), CancellationDecision("202")),
        (ERRORS, replace(CASE, state=CancellationState.EXPIRED), CancellationDecision("202")),
        (ERRORS, replace(CASE, issuer_rfc="URE180429TM6"), CancellationDecision("203")),
        (ERRORS, replace(CASE, dependents=(SUBSTITUTE,)), CancellationDecision("204")),
        (ERRORS, None, CancellationDecision("205")),
        (Folio(A, "05"), CASE, CancellationDecision("207")),
        (Folio(A, ""), None, CancellationDecision("207")),
        (Folio(A, "02", B), CASE, CancellationDecision("209")),
        (ERRORS, replace(CASE, closes_at=NOW), CancellationDecision("210")),
        (
            ERRORS,
            replace(CASE, closes_at=NOW + timedelta(seconds=1)),
            CancellationDecision("201", Transition.REQUESTED),
        ),
        (REPLACING, replace(CASE, dependents=(SUBSTITUTE,)), CancellationDecision("201", Transition.REQUESTED)),
        (
            REPLACING,
            replace(CASE, freely=True, dependents=(SUBSTITUTE,)),
            CancellationDecision("201", Transition.CANCELLED),
        ),
        (REPLACING, replace(CASE, dependents=(SUBSTITUTE, replace(SUBSTITUTE, uuid=C))), CancellationDecision("204")),
        (
            REPLACING,
            replace(CASE, dependents=(SUBSTITUTE, replace(SUBSTITUTE, relation="01"))),
            CancellationDecision("204"),
        ),
        (REPLACING, replace(CASE, dependents=(replace(SUBSTITUTE, relation="03"),)), CancellationDecision("204")),
        (
            REPLACING,
            replace(CASE, dependents=(replace(SUBSTITUTE, issuer_rfc="URE180429TM6"),)),
            CancellationDecision("204"),
        ),
        (REPLACING, replace(CASE, dependents=(replace(SUBSTITUTE, relation="pago"),)), CancellationDecision("204")),
    ],
)
def test_decide_returns_code_and_transition(
    folio: Folio, case: CancellationCase | None, decision: CancellationDecision
) -> None:
    assert code(folio, case) == decision


def test_decide_returns_204_when_the_substitute_is_stamped_later() -> None:
    later = replace(SUBSTITUTE, issued_at=NOW + timedelta(seconds=1))
    assert code(REPLACING, replace(CASE, dependents=(later,))).code == "204"


@pytest.mark.parametrize("folio", [REPLACING, Folio(A, "01")])
def test_decide_changes_no_state_for_reason_01_without_its_substitute(folio: Folio) -> None:
    decision = code(folio, replace(CASE, freely=True))
    assert (decision.code, decision.step) == ("201", None)
    assert "FolioSustitucion" in decision.note


ROW = DocumentRow(
    uuid=A,
    version="4.0",
    kind="I",
    issuer_rfc=ISSUER,
    receiver_rfc="URE180429TM6",
    total="5800",
    total_mxn="5800",
    seal_tail="YmFzZTY0",
    issued_at=NOW,
    state="Vigente",
    cancellation="",
    origin="delivered",
    year=2026,
    fuel=False,
)
FUEL = replace(ROW, fuel=True)
RETENCION = replace(ROW, kind="R", version="2.0")
LATER = NOW + timedelta(days=30)
RULE_2026 = datetime(2026, 1, 1, tzinfo=CENTRAL_MEXICO)


def test_closes_at_is_march_for_companies_and_april_for_persons() -> None:
    policy = Policy()
    march, april = (datetime(2027, month, 1, tzinfo=CENTRAL_MEXICO) for month in (4, 5))
    assert policy.closes_at(ROW) == march
    assert policy.closes_at(replace(ROW, issuer_rfc="CACX7605101P8")) == april
    assert Policy(annual_limit=False).closes_at(ROW) is None
    assert policy.closes_at(RETENCION) is None


def test_end_of_term_is_three_working_days_or_the_configured_hours() -> None:
    requested_at = datetime(2026, 11, 20, 12, tzinfo=CENTRAL_MEXICO)
    assert Policy().end_of_term(ROW, requested_at) == datetime(2026, 11, 26, tzinfo=CENTRAL_MEXICO)
    assert Policy(hours=72).end_of_term(ROW, requested_at) == datetime(2026, 11, 23, 12, tzinfo=CENTRAL_MEXICO)


@pytest.mark.parametrize("policy", [Policy(), Policy(hours=72)])
def test_end_of_term_does_not_exist_for_fuel_since_2026(policy: Policy) -> None:
    assert policy.end_of_term(FUEL, RULE_2026) is None
    before = policy.end_of_term(FUEL, RULE_2026 - timedelta(seconds=1))
    assert before is not None
    assert before > RULE_2026


def test_policy_needs_no_acceptance_for_issuers_of_the_setting() -> None:
    assert not Policy().needs_no_acceptance(ROW, LATER)
    assert Policy(free_issuers=frozenset({ISSUER})).needs_no_acceptance(ROW, LATER)


OLD = datetime(2025, 12, 1, tzinfo=CENTRAL_MEXICO)
NEW = RULE_2026 - timedelta(hours=1)


@pytest.mark.parametrize(
    ("row", "before", "since"),
    [
        (replace(FUEL, issued_at=OLD), False, False),
        (replace(FUEL, issued_at=OLD, kind="E"), False, False),
        (replace(FUEL, issued_at=OLD, kind="T"), False, False),
        (replace(FUEL, issued_at=OLD, total_mxn="100"), False, False),
        (replace(FUEL, issued_at=NEW), True, False),
        (replace(FUEL, issued_at=OLD, receiver_rfc="XAXX010101000"), True, True),
        (replace(FUEL, issued_at=OLD, receiver_rfc="XEXX010101000"), True, True),
        (replace(ROW, issued_at=OLD, total_mxn="100"), True, True),
        (replace(ROW, issued_at=NEW), True, True),
    ],
)
def test_policy_needs_express_acceptance_for_fuel_since_2026(row: DocumentRow, before: bool, since: bool) -> None:
    assert Policy().needs_no_acceptance(row, RULE_2026 - timedelta(seconds=1)) is before
    assert Policy().needs_no_acceptance(row, RULE_2026) is since


def test_policy_needs_no_acceptance_for_retenciones() -> None:
    assert Policy().needs_no_acceptance(RETENCION, LATER)


@pytest.mark.parametrize(
    ("folio", "case", "decision"),
    [
        (ERRORS, CASE, CancellationDecision("1201", Transition.CANCELLED)),
        (ERRORS, replace(CASE, closes_at=NOW), CancellationDecision("1201", Transition.CANCELLED)),
        (ERRORS, replace(CASE, dependents=(SUBSTITUTE,)), CancellationDecision("1201", Transition.CANCELLED)),
        (REPLACING, replace(CASE, dependents=(SUBSTITUTE,)), CancellationDecision("1201", Transition.CANCELLED)),
        (ERRORS, None, CancellationDecision("1205")),
        (ERRORS, replace(CASE, issuer_rfc="URE180429TM6"), CancellationDecision("1203")),
        (ERRORS, replace(CASE, state=CancellationState.CANCELLED), CancellationDecision("1202")),
        (REPLACING, CASE, CancellationDecision("1311")),
        (REPLACING, replace(CASE, dependents=(replace(SUBSTITUTE, relation="01"),)), CancellationDecision("1311")),
        (REPLACING, replace(CASE, dependents=(replace(SUBSTITUTE, uuid=C),)), CancellationDecision("1311")),
        (
            REPLACING,
            replace(CASE, dependents=(replace(SUBSTITUTE, issuer_rfc="URE180429TM6"),)),
            CancellationDecision("1311"),
        ),
        (
            REPLACING,
            replace(CASE, dependents=(replace(SUBSTITUTE, issued_at=NOW + timedelta(seconds=1)),)),
            CancellationDecision("1311"),
        ),
    ],
)
def test_decide_retencion_returns_code_and_transition(
    folio: Folio, case: CancellationCase | None, decision: CancellationDecision
) -> None:
    assert decide_retencion(ISSUER, folio, case, NOW) == decision
