"""Proposed fixes: each is tried, states what it is based on, and makes up no data."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import pytest
from lxml import etree
from tests.support.effort import cases
from tests.support.rule_set_examples import EXAMPLES, RULES, evaluation_of
from tests.support.sandbox_app import SandboxApp

from timbra.catalogs import SnapshotCatalogs
from timbra.cfdi.nodes.documents import walk_document
from timbra.cfdi.structure import Structure
from timbra.core.errors import ServiceError
from timbra.rules.engine.rule import AnyRule
from timbra.rules.registry import ENGINE, check
from timbra.snapshot import locate, open_snapshot
from timbra.stamping.build import evaluation_checks
from timbra.validation.build import validation_services
from timbra.validation.fix_candidates import Edit, Problem, nearest
from timbra.validation.fix_service import CatalogKeys, FixService
from timbra.validation.proposed_fixes import FixProposal, apply_edit, search_fixes

SNAPSHOT = open_snapshot(locate(None))
SCHEMAS = Structure(SNAPSHOT)
KEYS = CatalogKeys(SCHEMAS, SnapshotCatalogs(SNAPSHOT))
SEAL = ("@Sello", "@NoCertificado", "@Certificado")
CODES = [rule.code for each in ENGINE.rule_sets for rule in each.rules if rule.code in EXAMPLES]
SAMPLE = CODES[::40]
MIN_FIXED = 0.90
"""Least part of the failing examples that the fixes make pass, apart from the seal."""
NEEDS_DATA = ["CFDI40115", "CFDI40130", "CP196", "CCE124", "NOM44", "CCHYP107:L_CNE"]
"""Rules whose failing document lacks data that only the issuer has."""


def problems(root: etree._Element, rule: AnyRule) -> Sequence[Problem]:
    """Return the structure faults of a document without seal, the findings of the rules when there are none."""
    faults = [each for each in SCHEMAS.check(root) if each.path not in SEAL]
    if faults:
        return [
            Problem("estructura", each.path, each.found, each.expected, each.expected_value, None, "estructura")
            for each in faults
        ]
    found = check(walk_document(root), *evaluation_of(rule)).findings
    return [
        Problem(each.code, each.path, each.found, each.expected, each.expected_value, each.hint, each.rule_set)
        for each in found
    ]


def proposed(code: str) -> FixProposal:
    """Return the fixes of the failing example of a rule."""
    root = etree.fromstring(EXAMPLES[code].failing().encode())
    return search_fixes(root, lambda changed: problems(changed, RULES[code]), KEYS)


def edits(code: str) -> list[tuple[str, str | None, str | None]]:
    return [(edit.path, edit.old, edit.new) for fix in proposed(code).fixes for edit in fix.edits]


def test_search_fixes_makes_most_failing_examples_pass() -> None:
    codes = cases(SAMPLE, CODES)
    left = {code: found for code in codes if (found := proposed(code).unfixed)}
    by_rule_set = Counter(RULES[code].source.partition(", revisión")[0] for code in left)
    assert 1 - len(left) / len(codes) >= MIN_FIXED, by_rule_set


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("CFDI40119", [("@Total", "233.00", "232.00")]),
        ("CFDI40107", [("@SubTotal", "200.000", "200.00")]),
        ("CRP20105", [("@FormaPago", "03", None)]),
        ("CFDI40101", [("@Fecha", "2026-11-17", "2026-11-17T00:00:00")]),
        ("CFDI40138", [("Emisor/@Nombre", "NADIE CON ESTE NOMBRE", "ESCUELA KEMPER URGATE")]),
    ],
)
def test_search_fixes_takes_the_value_that_the_finding_states(
    code: str, expected: list[tuple[str, str | None, str | None]]
) -> None:
    assert edits(code) == expected
    assert all(fix.is_stated for fix in proposed(code).fixes)


def test_search_fixes_changes_the_totals_that_follow_from_an_amount() -> None:
    paths = [path for path, _, _ in edits("CFDI40179")]
    assert "Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota" in paths
    assert "@Total" in paths


def test_search_fixes_of_a_key_is_a_choice_to_confirm() -> None:
    (fix,) = proposed("CFDI40124").fixes
    assert fix.edits[0] == Edit("@MetodoPago", "PPX", "PPD")
    assert not fix.is_stated
    assert fix.reason == "una clave de c_MetodoPago"


@pytest.mark.parametrize("code", NEEDS_DATA)
def test_search_fixes_makes_no_data_up(code: str) -> None:
    found = proposed(code)
    assert found.fixes == ()
    assert RULES[code].display_code in {each.code for each in found.unfixed}


def test_search_fixes_changes_neither_the_document_nor_a_valid_one() -> None:
    rule, text = RULES["CFDI40119"], EXAMPLES["CFDI40119"].failing()
    root = etree.fromstring(text.encode())
    before = etree.tostring(root)
    search_fixes(root, lambda changed: problems(changed, rule), KEYS)
    assert etree.tostring(root) == before
    valid = etree.fromstring(EXAMPLES["CFDI40119"].passing().encode())
    assert search_fixes(valid, lambda changed: problems(changed, rule), KEYS).fixes == ()


def test_search_fixes_is_the_same_each_time() -> None:
    assert edits("CFDI40124") == edits("CFDI40124")


@pytest.mark.parametrize(
    ("edit", "changes"),
    [
        (Edit("@Total", "233.00", "232.00"), True),
        (Edit("Pagos/Pago/@Monto", "0", None), True),
        (Edit("@FormaPago", "03", None), False),
        (Edit("@Moneda", "ZZZ", "MXN"), False),
    ],
)
def test_edit_says_whether_it_changes_an_amount(edit: Edit, changes: bool) -> None:
    assert edit.changes_amount is changes


def test_apply_edit_is_false_for_a_place_that_the_document_does_not_have() -> None:
    root = etree.fromstring("<A><B C='1'/></A>")
    assert not apply_edit(root, Edit("X/@C", None, "2"))
    assert not apply_edit(root, Edit("B/@D", None, None))
    assert apply_edit(root, Edit("B/@C", "1", "2"))
    assert apply_edit(root, Edit("B", "<B/>", None))
    assert etree.tostring(root) == b"<A/>"


def test_nearest_keys_of_a_large_catalog_begin_like_the_value() -> None:
    keys = [f"{number:05}" for number in range(2_000)]
    assert nearest("00150", keys)[0] == "00150"
    assert nearest("9", keys[:3]) == ["00000", "00001", "00002"]


def test_catalog_keys_finds_the_catalog_of_a_rule_set_and_of_an_attribute() -> None:
    assert "PPD" in KEYS("cfdi40", "c_MetodoPago")
    assert KEYS("nomina12b", "c_TipoContrato") == KEYS("nomina12", "c_TipoContrato")
    assert "MEX" in KEYS("cfdi40", "ResidenciaFiscal")
    assert KEYS("cfdi40", "c_Nada") == ()


def test_propose_fixes_reads_a_document_with_the_checks_of_validation(sandbox_app: SandboxApp) -> None:
    fixes = sandbox_app.container.get(validation_services).fixes
    found = fixes.propose_fixes(EXAMPLES["CFDI40119"].failing().encode())
    assert [(edit.path, edit.new) for fix in found.fixes for edit in fix.edits] == [("@Total", "232.00")]
    assert found.unfixed == ()
    assert not found.is_stamped
    assert b' Total="232.00"' in found.document


@pytest.mark.parametrize(("xml", "code"), [(b" ", "xml-missing"), (b"<a/>", "301")])
def test_propose_fixes_rejects_what_is_no_document(sandbox_app: SandboxApp, xml: bytes, code: str) -> None:
    with pytest.raises(ServiceError) as raised:
        sandbox_app.container.get(validation_services).fixes.propose_fixes(xml)
    assert raised.value.code == code


def test_search_ends_when_its_time_is_over_and_keeps_what_was_found() -> None:
    rule = RULES["CFDI40119"]
    root = etree.fromstring(EXAMPLES["CFDI40119"].failing().encode())
    root.set("Exportacion", "99")
    asked = 0

    def check(changed: etree._Element) -> Sequence[Problem]:
        nonlocal asked
        asked += 1
        return problems(changed, rule)

    whole = search_fixes(root, check, KEYS)
    assert (len(whole.fixes), whole.unfixed, whole.is_complete) == (2, (), True)
    needed, asked = asked, 0
    assert search_fixes(root, check, KEYS, lambda: asked >= needed).is_complete
    asked = 0
    early = search_fixes(root, check, KEYS, lambda: asked >= needed - 1)
    assert (len(early.fixes), len(early.unfixed), early.is_complete) == (1, 1, False)
    assert asked == needed - 1
    asked = 0
    none = search_fixes(root, check, KEYS, lambda: True)
    assert (none.fixes, len(none.unfixed), none.is_complete, asked) == ((), 2, False, 1)


def test_service_measures_the_time_of_a_search(module_sandbox_app: SandboxApp) -> None:
    container = module_sandbox_app.container
    seconds = itertools.count()
    dependencies = container.get(evaluation_checks)
    service = FixService(dependencies, SnapshotCatalogs(SNAPSHOT), lambda: float(next(seconds)))
    xml = EXAMPLES["CFDI40119"].failing().encode()
    assert not service.propose_fixes(xml, 0).is_complete
    assert service.propose_fixes(xml, 1000).is_complete
