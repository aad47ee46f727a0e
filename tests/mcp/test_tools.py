"""The tools as functions: their bounds, drafts, repairs and searches."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from unittest.mock import Mock

import pytest

import timbra
from timbra.library.report import Finding
from timbra.mcp import tools
from timbra.mcp.answers import Repair
from timbra.mcp.tools import Validator, search_catalog
from timbra.validation.validation import ValidationService

validate = Validator().validate


def with_total(total: str) -> str:
    return timbra.example().replace('Total="232.00"', f'Total="{total}"')


def test_validate_leaves_out_seals_and_stamp_of_a_draft() -> None:
    sealed, draft = validate(timbra.example()), validate(timbra.example(), draft=True)
    assert (sealed.ok, [each.code for each in sealed.findings]) == (False, ["CFDI40102", "TB6001"])
    assert (draft.ok, draft.errors, draft.warnings, draft.findings) == (True, 0, 0, [])
    assert "CFDI40147" in draft.not_evaluated


@pytest.mark.parametrize("draft", [False, True])
def test_validate_evaluates_a_document_once(draft: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    validate(timbra.example(), draft=draft)
    examined = Mock(side_effect=ValidationService.examine_document)
    monkeypatch.setattr(ValidationService, "examine_document", lambda *given, **named: examined(*given, **named))
    validate(timbra.example(), draft=draft)
    assert examined.call_count == 1


def test_validate_reports_a_draft_that_is_no_cfdi() -> None:
    answer = validate("<a/>", draft=True)
    assert (answer.ok, answer.errors, answer.findings[0].code) == (False, 1, "301")


def test_validate_states_remedy_and_citation_of_a_finding() -> None:
    (finding,) = validate(with_total("233.00"), draft=True).findings
    assert (finding.found, finding.expected_value) == ("233.00", "232.00")
    assert (finding.remedy or "").startswith("Escriba en @Total SubTotal menos descuentos más impuestos trasladados")
    assert finding.citation == "SAT, matriz de errores de CFDI 4.0, revisión 2026-03-25, fila CFDI40119"
    assert finding.repair == Repair("set", "@Total", "232.00")


def test_validate_uses_the_day_of_the_evaluation() -> None:
    on = date(2021, 12, 31)
    codes = {each.code for each in validate(timbra.example(on=on), on=on, draft=True).findings}
    assert "TB6030" in codes


def test_validate_bounds_findings_and_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "MAX_FINDINGS", 1)
    answer = validate(with_total("1" * 40))
    assert len(answer.findings) == 1
    assert answer.errors + answer.warnings > 1
    long = validate(timbra.example().replace('MetodoPago="PUE"', f'MetodoPago="{"P" * 5000}"'), draft=True)
    assert len(long.findings[0].found or "") == 600


def test_validate_rejects_xml_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "MAX_BYTES", 100)
    with pytest.raises(timbra.Error, match="TB4001: El límite es de 100 bytes"):
        validate(timbra.example())


def test_validate_rejects_a_folder_and_a_long_name(tmp_path: Path) -> None:
    for document in (str(tmp_path), "x" * 10_000):
        with pytest.raises(timbra.Error, match="source-unreadable"):
            validate(document)


@pytest.mark.parametrize(
    ("path", "found", "value", "expected", "repair"),
    [
        ("@Total", "1", "2", "2, la suma", Repair("set", "@Total", "2")),
        ("@Exportacion", None, "01", "01, en un comprobante de pago", Repair("set", "@Exportacion", "01")),
        ("InformacionGlobal", "presente", None, "que no exista, por P", Repair("remove", "InformacionGlobal", None)),
        ("Receptor/@NumRegIdTrib", "9", None, "que no exista", Repair("remove", "Receptor/@NumRegIdTrib", None)),
        ("A/@TotalUnaExhibicion", "9", None, "que no exista MontoDiario junto a él", None),
        ("A/B", "1", "2", "2, la suma de TotalGravado y TotalExento", None),
        ("@FormaPago", "98", None, "una clave de c_FormaPago vigente", None),
        (None, None, None, "que no exista", None),
    ],
)
def test_repair_is_a_change_that_the_finding_states(
    monkeypatch: pytest.MonkeyPatch,
    path: str | None,
    found: str | None,
    value: str | None,
    expected: str,
    repair: Repair | None,
) -> None:
    for caused_by, result in ((None, repair), ("CFDI40119", None)):
        finding = Finding(
            code="CFDI40108",
            severity="error",
            path=path,
            found=found,
            expected=expected,
            expected_value=value,
            message="",
            detail=None,
            hint=None,
            section="invoice",
            caused_by=caused_by,
            citation=None,
        )
        answer = timbra.Report(None, (finding,))
        monkeypatch.setattr(tools, "validate_with_seals", lambda *_, answer=answer, **__: (answer, ()))
        assert validate("<a/>").findings[0].repair == result


def test_repair_does_not_remove_an_attribute_that_may_be_misspelt() -> None:
    document = timbra.example().replace("<cfdi:Concepto ", '<cfdi:Concepto Descuentos="1" ')
    (finding,) = validate(document, draft=True).findings
    assert finding.path == "Conceptos/Concepto[1]/@Descuentos"
    assert finding.expected == "que no exista: el nodo Concepto no tiene ese atributo"
    assert finding.repair is None


def test_search_catalog_finds_a_key_first_and_those_that_begin_with_it() -> None:
    found = search_catalog("c_Moneda", "mx", limit=1)
    assert (found.total, [each.key for each in found.keys]) == (2, ["MXN"])
    assert [each.key for each in search_catalog("c_Moneda", "MXN").keys] == ["MXN"]
    assert search_catalog("c_UsoCFDI", "g03").keys[0].text == "Gastos en general"


def test_search_catalog_finds_words_without_accents() -> None:
    found = search_catalog("c_UsoCFDI", "devoluciones bonificacion")
    assert [each.key for each in found.keys] == ["G02"]
    assert found.keys[0].columns["aplica_moral"] == "1"
    assert not set(found.keys[0].columns) & {"clave", "texto"}
    assert search_catalog("c_UsoCFDI", "evoluciones").keys == []
    assert search_catalog("c_UsoCFDI", "¿?").keys == []
    assert search_catalog("c_Impuesto", "iva").keys[0].key == "002"


def test_search_catalog_lists_the_keys_of_a_day() -> None:
    assert search_catalog("c_UsoCFDI", on=date(2021, 12, 31)).total == 0
    found = search_catalog("nomina12:c_TipoNomina", on=date(2026, 11, 17))
    assert (found.on, found.total, [each.key for each in found.keys]) == ("2026-11-17", 2, ["O", "E"])


def test_explain_bounds_differences_and_requirements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "MAX_DIFFERENCES", 0)
    monkeypatch.setattr(tools, "MAX_REQUIREMENTS", 2)
    assert tools.explain("CFDI40119")[0].example == []
    (shared,) = tools.explain("CFDI40999")
    assert len(shared.requirements) == 2
    assert shared.requirements[0].code.startswith("CFDI40999:")


def test_example_names_every_document() -> None:
    answer = tools.example("pagos20", on=date(2026, 11, 17))
    assert 'Fecha="2026-11-17T23:59:59"' in answer.xml
    assert {"ingreso", "nomina12", "retencion"} <= set(answer.names)
