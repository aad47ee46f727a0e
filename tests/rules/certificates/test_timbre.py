"""Rules on the stamp of a validated document."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.rules.certificates.sealed import listed_reference_data, sealed, sign, stamp
from tests.support.reference_data import NOW

from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.rules.engine.result import EvaluationResult, NotEvaluated
from timbra.rules.rulesets.certificates import evaluation as seals


def evaluated(*stamps: TimbreFiscalDigital, days: int = 0) -> EvaluationResult:
    later = listed_reference_data(now=NOW + timedelta(days=days))
    return seals.examine(sealed(stamps=stamps, stamping=False, reference_data=later), seals.TIMBRE)


def codes(*stamps: TimbreFiscalDigital) -> list[str]:
    return [finding.code for finding in evaluated(*stamps).findings]


def test_valid_stamp_has_no_findings() -> None:
    assert evaluated(stamp()) == EvaluationResult()
    assert evaluated(stamp(), days=900) == EvaluationResult()


def test_document_without_a_stamp_has_no_findings() -> None:
    assert evaluated() == EvaluationResult()


def test_tfd_unico_rejects_two_stamps() -> None:
    assert codes(stamp(), stamp()) == ["TFD-UNICO"]


def test_tfd_version_requires_1_1() -> None:
    assert codes(stamp(version="1.0")) == ["TFD-VERSION"]


def test_tfd_sello_cfd_requires_the_seal_of_the_document() -> None:
    assert codes(stamp(sello_cfd=sign("otra", 1))) == ["TFD-SELLO-CFD"]


def test_tfd11303_shows_the_cadena_original() -> None:
    broken = stamp(sello_sat=sign("otra", 2))
    (finding,) = evaluated(broken).findings
    assert (finding.code, finding.detail) == ("TFD11303", f"CadenaOriginal: {broken.cadena_original}")


def test_tfd11303_is_not_evaluated_for_an_unknown_provider() -> None:
    outcome = evaluated(stamp(no_certificado_sat="00001000000500000000"))
    assert [finding.code for finding in outcome.findings] == ["TFD-PROVEEDOR"]
    assert outcome.not_evaluated == (NotEvaluated("TFD11303", "certificado 00001000000500000000", "sellos"),)


def test_tfd_proveedor_requires_a_certificate_in_force() -> None:
    findings = evaluated(stamp(fecha_timbrado="2024-12-31T12:00:00")).findings
    assert [finding.code for finding in findings] == ["TFD-PROVEEDOR", "TFD-FECHA"]
    assert findings[0].expected == (
        "una fecha entre 2024-12-31T18:00:00 y 2028-12-31T18:00:00, hora del centro de México"
    )


@pytest.mark.parametrize(
    ("when", "passes"),
    [
        ("2026-11-17T11:55:00", True),
        ("2026-11-17T11:54:59", False),
        ("2026-11-20T12:00:00", True),
        ("2026-11-20T12:00:01", False),
        ("ayer", False),
    ],
)
def test_tfd_fecha_requires_a_time_within_72_hours_after_the_document(when: str, passes: bool) -> None:
    found = [finding.code for finding in evaluated(stamp(fecha_timbrado=when), days=10).findings]
    assert found == ([] if passes else ["TFD-FECHA"])


def test_tfd_fecha_rejects_the_future() -> None:
    assert codes(stamp(fecha_timbrado="2026-11-17T12:36:00")) == ["TFD-FECHA"]
    assert codes(stamp(fecha_timbrado="2026-11-17T12:34:00")) == []
