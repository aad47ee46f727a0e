"""Stamping and validation decide alike: a document is stamped exactly when its report has no error."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import pytest
from tests.support.effort import rounds
from tests.support.profiles import STRICTER
from tests.support.rule_set_examples import EXAMPLES, RULES, OnceReported
from tests.support.sandbox_app import FECHA, SandboxApp
from tests.support.wrong_declarations import WRONG

from timbra.cfdi.build import document_parser
from timbra.cfdi.tfd import read_stamps
from timbra.core.errors import ServiceError
from timbra.examples import ingreso
from timbra.examples.comprobante import CFDI40
from timbra.examples.comprobante import FECHA as EXAMPLE_FECHA
from timbra.examples.tree import Change, ExampleNode
from timbra.sandbox.rule_examples import ExampleKind
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampingOperation, StampRequest
from timbra.stamping.pipeline import check_document
from timbra.stamping.stages import Submission
from timbra.validation.build import validation_services
from timbra.validation.models import ReportEntryKind, ValidationReport

STAMPED = "stamped"
OF_THE_MOMENT = "401"
"""Code of the rule that concerns the moment of stamping; validation does not evaluate it."""


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    sandbox_app = SandboxApp(tmp_path_factory.mktemp("sandbox") / "data")
    yield sandbox_app
    sandbox_app.container.close()


@dataclass(frozen=True)
class Decisions:
    """The code that stamping rejects a document with, `STAMPED` for none, and the codes of its report."""

    stamping: str
    errors: frozenset[str]
    warnings: frozenset[str]

    @property
    def agree(self) -> bool:
        if self.stamping == OF_THE_MOMENT or (not self.errors and self.stamping in STRICTER & self.warnings):
            return True
        return (self.stamping == STAMPED) == (not self.errors)


def decisions(sandbox_app: SandboxApp, xml: bytes) -> Decisions:
    validation = sandbox_app.container.get(validation_services).validation
    return _decisions(sandbox_app, xml, asyncio.run(validation.validate(xml, with_status=False)))


def _decisions(sandbox_app: SandboxApp, xml: bytes, report: ValidationReport) -> Decisions:
    codes = {
        kind: frozenset(entry.code or "" for entry in report.entries if entry.kind is kind) for kind in ReportEntryKind
    }
    return Decisions(answer(sandbox_app, xml), codes[ReportEntryKind.ERROR], codes[ReportEntryKind.WARNING])


def answer(sandbox_app: SandboxApp, xml: bytes) -> str:
    checks = sandbox_app.container.get(stamping_services).checks
    request = StampRequest(sandbox_app.caller, xml, str(uuid4()))
    try:
        submission = Submission(request, StampingOperation.STAMP, checks.reference_data())
        asyncio.run(check_document(submission, checks, asyncio.to_thread))
    except ServiceError as error:
        return error.code
    return STAMPED


@pytest.mark.parametrize("name", WRONG)
def test_stamping_and_validation_agree_on_wrong_declarations(sandbox_app: SandboxApp, name: str) -> None:
    text = WRONG[name][0].replace(f'Fecha="{EXAMPLE_FECHA}"', f'Fecha="{FECHA}"', 1)
    found = decisions(sandbox_app, sandbox_app.sealed(text, sandbox_app.mint()))
    assert found.agree, found


def test_stamping_and_validation_agree_on_all_example_documents(sandbox_app: SandboxApp) -> None:
    made = OnceReported(sandbox_app.container)
    differing, compared = {}, 0
    documents = [(code, ExampleKind.FAILING) for code in list(EXAMPLES)[:: rounds(4, 1)]]
    # The passing documents of rules are much alike.
    documents += [(code, ExampleKind.PASSING) for code in list(EXAMPLES)[:: rounds(20, 1)]]
    for code, kind in documents:
        xml = made.document(RULES[code], EXAMPLES[code], kind)
        root = sandbox_app.container.get(document_parser).parse(xml).root
        if root.get("Version") == "4.0" and not read_stamps(root):
            compared += 1
            found = _decisions(sandbox_app, xml, made.report(xml))
            if not found.agree:
                differing[code, kind.value] = found
    assert differing == {}
    assert compared > rounds(150, 1000)


@pytest.mark.parametrize("holder", ["Complemento", "Conceptos/Concepto/ComplementoConcepto"])
def test_stamping_and_validation_agree_on_unknown_complements(sandbox_app: SandboxApp, holder: str) -> None:
    changes: dict[str, Change] = {
        "@xmlns:n": "urn:nuevo",
        "@xsi:schemaLocation": f"{CFDI40.namespace} {CFDI40.schema} urn:nuevo urn:nuevo.xsd",
        holder: ExampleNode(f"cfdi:{holder.rpartition('/')[2]}", children=[ExampleNode("n:Nuevo", {"Version": "1.0"})]),
    }
    sealed = sandbox_app.sealed(ingreso(changes, fecha=FECHA), sandbox_app.mint())
    found = decisions(sandbox_app, sealed)
    assert (found.stamping, found.errors) == ("301", frozenset({"301"}))
