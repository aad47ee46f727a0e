"""Large documents in child processes have the results that they have in the process of the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from uuid import uuid4

import pytest
from tests.support import child_work
from tests.support.effort import rounds
from tests.support.rule_set_examples import EXAMPLES
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute

from timbra.container.child import ProcessOutcome, child_runner
from timbra.core.errors import ServiceError
from timbra.evaluation.build import document_processes, issuer_keys, started_document_processes
from timbra.evaluation.processes import DocumentProcesses
from timbra.examples import ingreso
from timbra.examples.codes.receptor import invoice_abroad
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sat.ports import stamping_provider
from timbra.stamping.build import stamping_services
from timbra.stamping.json_documents import convert_in_child, convert_json
from timbra.stamping.models import (
    CustomIdConflict,
    DocumentKind,
    StampingOperation,
    StampRequest,
    StampResult,
)
from timbra.stamping.request_keys import (
    IssuerQuestion,
    ProviderQuestion,
    RequestKeys,
    SignatureQuestion,
)
from timbra.stamping.stamping import StampingService
from timbra.stamps.build import database_stamps
from timbra.stamps.group_commit import GroupCommit
from timbra.validation.build import validation_services
from timbra.validation.models import ReportEntryKind, ValidationReport
from timbra.validation.validation import ValidationService

UNPARSABLE = [b"<cfdi:Comprobante", b"", b"<a/>", ingreso(fecha=FECHA).encode()[:-40]]


class Offloading(SandboxApp):
    """A sandbox application that processes every document in a child process."""

    @property
    def processes(self) -> DocumentProcesses:
        found = self.container.get(document_processes)
        assert found is not None
        return found

    def in_process(self) -> StampingService:
        """Return the use case that processes documents in this process."""
        checks = self.container.get(stamping_services).checks
        return StampingService(
            checks,
            lambda: self.container.get(stamping_provider)(),
            GroupCommit(self.container.get(database_stamps)),
            "sandbox",
        )

    def reports(self, xml: bytes, *, with_status: bool = True) -> tuple[object, object]:
        """Return the report, or code and detail of the rejection: of a child, and of this process."""
        services = self.container.get(validation_services)
        here = ValidationService(self.container.get(stamping_services).checks, services.status_service, None, 5)
        return _report(services.validation, xml, with_status), _report(here, xml, with_status)

    def rejections(self, xml: bytes, operation: StampingOperation) -> tuple[object, object]:
        """Return code, detail and location of the rejection: by a child, and in this process."""
        use_cases = self.container.get(stamping_services).stamping, self.in_process()
        first, second = (_rejection(use_case, self._order(xml, None, None), operation) for use_case in use_cases)
        return first, second


def _report(service: ValidationService, xml: bytes, with_status: bool) -> object:
    try:
        return asyncio.run(service.validate(xml, with_status, kind=DocumentKind.CFDI))
    except ServiceError as error:
        return error.code, error.detail


def _rejection(service: StampingService, request: StampRequest, operation: StampingOperation) -> object:
    work = service.issue if operation is StampingOperation.ISSUE else service.stamp
    with pytest.raises(ServiceError) as caught:
        asyncio.run(work(request))
    return caught.value.code, caught.value.detail, caught.value.location


@pytest.fixture(scope="module")
def offloading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Offloading]:
    offloading = Offloading(tmp_path_factory.mktemp("offloading") / "data", large_document_bytes=1)
    offloading.container.bindings[document_processes] = started_document_processes
    yield offloading
    offloading.container.close()


@pytest.fixture(scope="module")
def credential(offloading: Offloading) -> MintedCredential:
    made = offloading.mint()
    offloading.store(made)
    return made


def invoice(folio: str, concepts: int = 3) -> bytes:
    return ingreso({"@Folio": folio}, fecha=FECHA, concepts=concepts).encode()


def test_issue_in_a_child_stores_a_stamp_with_valid_seals(offloading: Offloading, credential: MintedCredential) -> None:
    stamped = offloading.issue(invoice("1"))
    stored = offloading.container.get(database_stamps).by_uuid(stamped.uuid)
    assert stored is not None
    assert stored.cfdi.decode() == stamped.cfdi
    assert stored.account_id == offloading.caller.account_id
    report, _ = offloading.reports(stamped.cfdi.encode())
    assert isinstance(report, ValidationReport)
    assert not report.wrong
    assert (report.uuid, report.status_sat) == (stamped.uuid, "Vigente")


def test_stamp_in_a_child_repeats_the_first_stamp_of_a_seal(
    offloading: Offloading, credential: MintedCredential
) -> None:
    sealed = offloading.sealed(invoice("2").decode(), credential)
    stamped = offloading.stamp(sealed)
    repeated = offloading.rejection(sealed)
    assert (repeated.code, repeated.data) == ("307", stamped)


def test_issue_in_a_child_reports_the_conflict_of_a_custom_id(
    offloading: Offloading, credential: MintedCredential
) -> None:
    first = offloading.issue(invoice("3"), custom_id="c-3")
    with pytest.raises(ServiceError) as caught:
        offloading.issue(invoice("4"), custom_id="c-3")
    assert caught.value.code == "CFDI3307"
    assert isinstance(caught.value.data, CustomIdConflict)
    assert caught.value.data.uuid == first.uuid


def test_issue_in_a_child_counts_the_claim(offloading: Offloading, credential: MintedCredential) -> None:
    counts = offloading.container.metrics.counts
    before = counts.get(("stamp_claims", ("stored",)), 0)
    offloading.issue(invoice("5"))
    assert counts["stamp_claims", ("stored",)] == before + 1


@pytest.mark.parametrize("operation", list(StampingOperation))
def test_rejections_of_a_child_are_those_of_the_server(
    offloading: Offloading, credential: MintedCredential, operation: StampingOperation
) -> None:
    sealed = offloading.sealed(invoice("6").decode(), credential)
    documents = [
        *UNPARSABLE,
        with_attribute(sealed, "Version", "9.9"),
        with_attribute(invoice("8"), "Rfc", "IVD920810GU2"),
        with_attribute(invoice("9"), "LugarExpedicion", "00000"),
        with_attribute(invoice("10"), "Moneda", "QQQ"),
    ]
    found = [offloading.rejections(xml, operation) for xml in documents]
    assert [child for child, _ in found] == [server for _, server in found]


def test_reports_of_a_child_are_those_of_the_server(offloading: Offloading, credential: MintedCredential) -> None:
    examples = [EXAMPLES[code].failing().encode() for code in sorted(EXAMPLES)[:: rounds(40, 4)]]
    for xml in (*UNPARSABLE, offloading.sealed(invoice("11").decode(), credential), *examples):
        child, server = offloading.reports(xml)
        assert child == server


@pytest.mark.parametrize(
    ("kind", "content", "is_document", "base64"),
    [
        (
            DocumentKind.CFDI,
            {"Version": "4.0", "Folio": "1", "Unknown": "x", "Emisor": {"Rfc": "EKU9003173C9"}},
            True,
            False,
        ),
        (DocumentKind.RETENCIONES, {"Version": "2.0", "FolioInt": "1", "Nada": "x"}, True, False),
        (DocumentKind.RETENCIONES, {"Version": "4.0"}, True, False),
        (DocumentKind.CFDI, {"data": "<a/>"}, False, False),
        (DocumentKind.CFDI, {"data": "PGEvPg=="}, False, True),
        (DocumentKind.CFDI, {"data": "no"}, False, True),
        (DocumentKind.CFDI, {}, False, False),
        (DocumentKind.CFDI, {"Version": "1.0"}, True, False),
    ],
)
def test_json_is_converted_in_a_child_as_in_the_server(
    offloading: Offloading, kind: DocumentKind, content: dict[str, object], is_document: bool, base64: bool
) -> None:
    body = json.dumps(content).encode()
    documents = offloading.container.get(stamping_services).json_documents
    here = _outcome(lambda: convert_json(documents, kind, body, is_document=is_document, base64=base64))
    run = offloading.processes.run
    assert _outcome(lambda: asyncio.run(run("1", None, convert_in_child, kind, body, is_document, base64))) == here


def _outcome(work: Callable[[], object]) -> object:
    try:
        return work()
    except ServiceError as error:
        return error.code, error.detail


def test_container_of_a_child_has_no_keys(offloading: Offloading) -> None:
    reason = asyncio.run(offloading.processes.run("1", None, child_work.envelope_of))
    assert reason == "a process for documents has no keys"


def keys(offloading: Offloading, operation: StampingOperation) -> RequestKeys:
    container = offloading.container
    return RequestKeys(
        container.get(issuer_keys), lambda: container.get(stamping_provider)(), offloading.caller.account_id, operation
    )


AT = datetime.fromisoformat("2026-11-17T18:00:00+00:00")


def test_request_keys_sign_once_for_issuer_and_provider(offloading: Offloading, credential: MintedCredential) -> None:
    answers = keys(offloading, StampingOperation.ISSUE)
    assert answers.answer(IssuerQuestion(credential.rfc, AT)) == credential.certificate_der
    answers.answer(ProviderQuestion())
    for of in (IssuerQuestion, ProviderQuestion):
        signature = answers.answer(SignatureQuestion(of, b"cadena", "sha256"))
        assert isinstance(signature, bytes)
        assert len(signature) == 256
        with pytest.raises(PermissionError):
            answers.answer(SignatureQuestion(of, b"another", "sha256"))


def test_request_keys_of_stamp_have_no_signature_of_an_issuer(
    offloading: Offloading, credential: MintedCredential
) -> None:
    answers = keys(offloading, StampingOperation.STAMP)
    for question in (IssuerQuestion(credential.rfc, AT), SignatureQuestion(IssuerQuestion, b"x", "sha256"), "other"):
        with pytest.raises(PermissionError):
            answers.answer(question)


def test_request_keys_raise_csd_missing_for_an_issuer_of_another_account(
    offloading: Offloading, credential: MintedCredential
) -> None:
    other = offloading.account(f"{uuid4()}@example.com")
    container = offloading.container
    answers = RequestKeys(
        container.get(issuer_keys),
        lambda: container.get(stamping_provider)(),
        other.account_id,
        StampingOperation.ISSUE,
    )
    with pytest.raises(ServiceError, match="csd-missing"):
        answers.answer(IssuerQuestion(credential.rfc, AT))


def test_small_documents_stay_in_the_process(tmp_path_factory: pytest.TempPathFactory) -> None:
    app = Offloading(tmp_path_factory.mktemp("small") / "data")
    app.container.bindings |= {
        document_processes: started_document_processes,
        child_runner: lambda _: _unexpected,
    }
    app.store(app.mint())
    stamped = app.issue(invoice("1"))
    child, server = app.reports(stamped.cfdi.encode())
    assert isinstance(stamped, StampResult)
    assert child == server
    app.container.close()


def _unexpected(*_: object) -> ProcessOutcome:
    raise AssertionError("a small document went to a child process")


@pytest.mark.parametrize(("leniency", "code"), [("none", "CFDI40161"), ("foreign-use", None)])
def test_child_follows_the_leniency_of_the_account(
    offloading: Offloading, credential: MintedCredential, leniency: str, code: str | None
) -> None:
    sealed = offloading.sealed(invoice_abroad({"Receptor/@UsoCFDI": "CP01", "@Fecha": FECHA}), credential)
    validation = offloading.container.get(validation_services).validation
    report = asyncio.run(validation.validate(sealed, False, leniency=leniency))
    assert [entry.code for entry in report.entries if entry.kind is ReportEntryKind.ERROR] == ([code] if code else [])
    order = StampRequest(replace(offloading.caller, vendor_leniency=leniency), sealed, "request", None)
    if code is None:
        assert asyncio.run(offloading.container.get(stamping_services).stamping.stamp(order)).uuid
    else:
        stamping = offloading.container.get(stamping_services).stamping
        assert _rejection(stamping, order, StampingOperation.STAMP)[:1] == (code,)  # type: ignore[index]
