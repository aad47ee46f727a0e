"""Bytes of answers: key order, null and absent members."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import orjson
import pytest

from timbra.accounts.api.serializers import session_answer
from timbra.accounts.tokens.account_tokens import SessionToken
from timbra.cancellation.acceptance import AcceptanceResult, FolioResult, PendingRequests
from timbra.cancellation.cancelling import CancellationResult
from timbra.cancellation.relations import RelationsResult
from timbra.cancellation.serializers import (
    acceptance_answer,
    cancelled_answer,
    coded_rejection,
    pendings_answer,
    relations_answer,
)
from timbra.cfdi.qr import VerificationQuery
from timbra.sandbox.ledger import HistoryStep
from timbra.sandbox.serializers import history_step_answer
from timbra.sat.port import CfdiParties
from timbra.stamping.models import CustomIdConflict, StampResult
from timbra.stamping.serializers import conflict_answer, stamp_answer
from timbra.validation.models import (
    EntryCause,
    ReportEntry,
    ReportEntryKind,
    ReportSection,
    SectionKind,
    UnevaluatedRule,
    ValidationReport,
)
from timbra.validation.serializers import report_answer
from timbra.web.envelopes import ManagementAnswer, MessageAnswer, success

QUERY = partial(VerificationQuery, "?id=u", is_retencion=False)
STAMP = StampResult("<t/>", "<c/>", "u", "||", "SAT", "CSD", "s", "c", "2026-11-22T10:00:00", QUERY)
CONFLICT = CustomIdConflict("<t/>", "u", "s", "2026-11-22T10:00:00", "SAT")
PARTIES = CfdiParties("U", "EKU9003173C9", "URE180429TM6")
VERSIONS = {
    "v1": b'{"tfd":"PHQvPg=="}',
    "v2": b'{"tfd":"PHQvPg==","cfdi":"PGMvPg=="}',
    "v3": b'{"cfdi":"PGMvPg=="}',
    "v4": b'{"cadenaOriginalSAT":"||","noCertificadoSAT":"SAT","noCertificadoCFDI":"CSD","uuid":"u","selloSAT":"s",'
    b'"selloCFDI":"c","fechaTimbrado":"2026-11-22T10:00:00","qrCode":"UE5H","cfdi":"PGMvPg=="}',
}
CONFLICTS = {
    "v1": b'{"tfd":"<t/>"}',
    "v2": b'{"tfd":"<t/>","cfdi":""}',
    "v3": b'{"cfdi":""}',
    "v4": b'{"cadenaOriginalSAT":null,"noCertificadoSAT":"SAT","noCertificadoCFDI":null,"uuid":"u","selloSAT":"s",'
    b'"selloCFDI":null,"fechaTimbrado":"2026-11-22T10:00:00","qrCode":null,"cfdi":""}',
}


@pytest.mark.parametrize("version", VERSIONS)
def test_stamp_answer_has_the_members_of_its_version(version: str) -> None:
    answer = stamp_answer(STAMP, version, base64=True, qr=lambda _: b"PNG")
    assert orjson.dumps(answer) == VERSIONS[version]


@pytest.mark.parametrize("version", CONFLICTS)
def test_conflict_answer_has_no_document(version: str) -> None:
    assert orjson.dumps(conflict_answer(CONFLICT, version, base64=False)) == CONFLICTS[version]


def test_session_answer_has_the_token_type_under_both_names() -> None:
    assert orjson.dumps(success(session_answer(SessionToken("a.b.c", 1630012447)))) == (
        b'{"data":{"token":"a.b.c","expires_in":1630012447,"tokeny_type":"Bearer","token_type":"Bearer"},'
        b'"status":"success"}'
    )


def test_report_answer_omits_own_members_without_a_value() -> None:
    entry = ReportEntry("CFDI40101", "d", ReportEntryKind.ERROR, code="CFDI40101", path="", page="p.md")
    sections = (
        ReportSection(SectionKind.STRUCTURE, (entry,)),
        ReportSection(SectionKind.INVOICE),
        ReportSection(SectionKind.COMPLEMENT, complement="pago20:Pagos"),
    )
    report = ValidationReport(sections, uuid="u", data_version="2026.11")
    assert orjson.dumps(report_answer(report)) == (
        b'{"detail":[{"detail":['
        b'{"message":"CFDI40101","messageDetail":"d","type":0,"typeValue":"Error","code":"CFDI40101","path":"",'
        b'"page":"p.md"}],"section":"CFDI40 - Validacion de Estructura"},'
        b'{"detail":[{"message":"OK","messageDetail":"Validaciones Proveedor Comprobante ( CFDI40 ) Correcta",'
        b'"type":1,"typeValue":"Information"}],'
        b'"section":"CFDI40 - Validaciones Proveedor Comprobante ( CFDI40 )"},'
        b'{"detail":[{"message":"OK","messageDetail":'
        b'"CFDI40 - Validaciones Proveedor Complemento pago20:Pagos Correcta","type":1,"typeValue":"Information"}],'
        b'"section":"CFDI40 - Validaciones Proveedor Complemento pago20:Pagos"}],'
        b'"cadenaOriginalSAT":null,"cadenaOriginalComprobante":null,"uuid":"u",'
        b'"statusSat":null,"statusCodeSat":null,"isCancelable":null,"statusCancelation":null,"validacionEFOS":null,'
        b'"dataVersion":"2026.11","notEvaluated":[],"status":"success"}'
    )


def test_report_answer_keeps_unevaluated_rules_out_of_detail() -> None:
    rule = UnevaluatedRule("CFDI40143", "CFDI40143 - Oración.", "l_RFC", "docs/rules/cfdi40.md")
    section = ReportSection(SectionKind.INVOICE, not_evaluated=(rule,))
    answer = report_answer(ValidationReport((ReportSection(SectionKind.STRUCTURE), section)))
    assert [entry["type"] for found in answer.detail for entry in found.detail] == [1, 1, 1]
    (unevaluated,) = answer.notEvaluated
    assert (unevaluated.code, unevaluated.missing) == ("CFDI40143", "l_RFC")
    assert unevaluated.section == "CFDI40 - Validaciones Proveedor Comprobante ( CFDI40 )"


def test_report_answer_has_the_section_of_article_69b_only_with_entries() -> None:
    entry = ReportEntry("69B-PRESUNTO - Oración.", "d", ReportEntryKind.WARNING, code="69B-PRESUNTO")
    both = (ReportSection(SectionKind.STRUCTURE), ReportSection(SectionKind.INVOICE))
    clean = report_answer(ValidationReport((*both, ReportSection(SectionKind.ARTICLE_69B))))
    listed = report_answer(ValidationReport((*both, ReportSection(SectionKind.ARTICLE_69B, (entry,)))))
    assert len(clean.detail) == 3
    assert listed.detail[3].section == "CFDI40 - Validaciones Articulo 69-B"
    assert [entry["type"] for entry in listed.detail[3].detail] == [1, 2]
    assert (listed.detail[3].detail[1]["code"], listed.detail[3].detail[1]["message"]) == (
        "TB6050",
        "TB6050 - Oración.",
    )


def test_report_answer_has_codes_in_place_of_names() -> None:
    entry = ReportEntry("305 - Oración.", None, ReportEntryKind.ERROR, "305", caused_by=EntryCause("TFD-FECHA", "a"))
    rule = UnevaluatedRule("EFOS", "EFOS - De EFOS.", "la lista", "/validador/reglas/EFOS")
    section = ReportSection(SectionKind.INVOICE, (entry,), (rule,))
    answer = report_answer(ValidationReport((ReportSection(SectionKind.STRUCTURE), section)))
    assert answer.detail[1].detail[0]["causedBy"] == {"code": "TB6015", "path": "a"}
    [unevaluated] = answer.notEvaluated
    assert (unevaluated.code, unevaluated.message) == ("TB6052", "TB6052 - De EFOS.")
    assert unevaluated.page == "/validador/reglas/TB6052"


def test_cancelled_answer() -> None:
    assert orjson.dumps(cancelled_answer(CancellationResult("<a/>", {"U": "201"}))) == (
        b'{"data":{"acuse":"<a/>","uuid":{"U":"201"}},"status":"success"}'
    )


def test_acceptance_answer_has_a_code_and_no_message() -> None:
    answer = acceptance_answer(AcceptanceResult("<a/>", (FolioResult("U", "1000", "Aceptacion"),)))
    assert orjson.dumps(answer) == (
        b'{"data":{"acuse":"<a/>","folios":[{"uuid":"U","estatusUUID":"1000","respuesta":"Aceptacion"}]},'
        b'"codStatus":"1000","status":"success"}'
    )


def test_pendings_answer_has_a_code_and_a_message() -> None:
    assert orjson.dumps(pendings_answer(PendingRequests(("U",), "1100", "m"))) == (
        b'{"data":{"uuid":["U"]},"codStatus":"1100","message":"m","status":"success"}'
    )


def test_coded_rejection_has_no_data() -> None:
    assert orjson.dumps(coded_rejection("1101", "m")) == (
        b'{"message":"m","messageDetail":null,"data":null,"codStatus":"1101","status":"error"}'
    )


def test_relations_answer_has_parents_and_children() -> None:
    related = RelationsResult("U", "2000", "m", "r", parents=(PARTIES,))
    assert orjson.dumps(relations_answer(related)) == (
        b'{"data":{"uuidConsultado":"U","resultado":"r","uuidsRelacionadosPadres":[{"uuid":"U","rfcEmisor":"EKU9003173C9",'
        b'"rfcReceptor":"URE180429TM6"}],"uuidsRelacionadosHijos":[]},"codStatus":"2000","message":"m","status":"success"}'
    )


def test_relations_answer_has_null_data_when_nothing_is_related() -> None:
    assert orjson.dumps(relations_answer(RelationsResult("U", "2001", "m", "r"))) == (
        b'{"data":null,"codStatus":"2001","message":"m","status":"success"}'
    )


def test_history_step_answer_keeps_the_order_of_the_details() -> None:
    step = HistoryStep("ineffective", datetime(2026, 11, 22, 18, tzinfo=UTC), "r", {"motivo": "02", "reason": "x"})
    assert orjson.dumps(history_step_answer(step)) == (
        b'{"step":"ineffective","fiscalTime":"2026-11-22T18:00:00+00:00","centralMexico":"2026-11-22T12:00:00",'
        b'"requestId":"r","motivo":"02","reason":"x"}'
    )


def test_management_answer_has_null_meta_and_links() -> None:
    assert orjson.dumps(ManagementAnswer(5)) == b'{"data":5,"meta":null,"links":null,"status":"success"}'


def test_message_answer_begins_with_the_message() -> None:
    assert orjson.dumps(MessageAnswer("OK", "OK", "email sent ok")) == (
        b'{"message":"OK","messageDetail":"OK","data":"email sent ok","status":"success"}'
    )
