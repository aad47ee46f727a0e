"""Sealed example documents of rules, dated so that validation in the sandbox shows what the rule's record states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from timbra.core.clock import CENTRAL_MEXICO, LOCAL_FORMAT
from timbra.examples.codes import RELATED
from timbra.examples.codes.seals import SealedPair, StampedPair
from timbra.examples.comprobante import FECHA
from timbra.pools.coroutines import run_coroutine
from timbra.rules.engine.result import Severity
from timbra.sandbox.defective_sealing import DefectiveSealer
from timbra.sandbox.example_sealing import ExampleSealer
from timbra.sandbox.example_stamping import ExampleStamper
from timbra.validation.models import ReportEntryKind
from timbra.validation.report_sections import UNSTAMPED_CODE

if TYPE_CHECKING:
    from timbra.core.clock import Clock
    from timbra.evaluation.dependencies import Dependencies
    from timbra.examples.codes.example import Example
    from timbra.rules.engine.rule import AnyRule
    from timbra.sandbox.authority.certificates.authority import SandboxAuthority
    from timbra.sandbox.certificates import CertificateAdministration
    from timbra.sandbox.ledger import LedgerService
    from timbra.sandbox.taxpayers import TaxpayerAdministration
    from timbra.validation.models import ValidationReport
    from timbra.validation.validation import ValidationService

AGE = timedelta(minutes=10)
"""Time between Fecha and the present."""
_FECHA = re.compile(rf' (Fecha|FechaExp)="{FECHA}"')
_LUGAR_EXPEDICION = re.compile(r' (?:LugarExpedicion|LugarExpRetenc)="(\d{5})"')


class ExampleKind(StrEnum):
    """The two documents of a pair."""

    PASSING = "pass"
    FAILING = "fail"


class ExampleSandbox(Protocol):
    """The services of the simulated authority that examples use; `SandboxServices` has them."""

    @property
    def authority_ca(self) -> SandboxAuthority: ...
    @property
    def certificates(self) -> CertificateAdministration: ...
    @property
    def registry(self) -> TaxpayerAdministration: ...
    @property
    def ledger(self) -> LedgerService: ...
    @property
    def fiscal(self) -> Clock: ...


class ExampleChecks(Protocol):
    """The dependencies of the checks; `StampingServices` has them."""

    @property
    def checks(self) -> Dependencies: ...


class ExampleValidation(Protocol):
    """Validation of documents; `ValidationServices` has it."""

    @property
    def validation(self) -> ValidationService: ...


class RuleExamples:
    """Seals the example documents of rules with the sandbox's authority, and stamps those of rules about the stamp.

    Args:
        sandbox: authority, registry, ledger and fiscal clock.
        stamping: parser, stylesheets and reference data.
        validation: validation of the documents.
    """

    def __init__(self, sandbox: ExampleSandbox, stamping: ExampleChecks, validation: ExampleValidation) -> None:
        self._clock = sandbox.fiscal
        self._checks = stamping.checks
        self._validation = validation.validation
        self._ledger = sandbox.ledger
        authority = sandbox.authority_ca
        self._sealer = ExampleSealer(authority, stamping.checks)
        self._defective = DefectiveSealer(authority, sandbox.certificates, sandbox.registry, stamping.checks)
        self._stamper = ExampleStamper(authority, stamping.checks.parser)
        self._filed: set[str] = set()

    def document(self, rule: AnyRule, example: Example, kind: ExampleKind) -> bytes:
        """Return a sealed document of the pair, stamped for a rule about the stamp.

        The failing document of a `SealedPair` or `StampedPair` has its defect. Fecha is the present fiscal time of
        LugarExpedicion, because findings that rest on a list are errors only for documents of the list's date. A
        document whose rule depends on an earlier date keeps its own Fecha.
        """
        text = example.passing() if kind is ExampleKind.PASSING else example.failing()
        self._file_related(text)
        sealed = b""
        for dated in self._dated(text):
            sealed = self._sealed(dated, rule, kind)
            if self._shows(sealed, rule, kind):
                break
        return sealed

    def report(self, sealed: bytes) -> ValidationReport:
        """Return the report of a document, without a query of its fiscal status."""
        return run_coroutine(self._validation.validate(sealed, with_status=False))

    def _sealed(self, text: str, rule: AnyRule, kind: ExampleKind) -> bytes:
        pair = rule.fails
        if isinstance(pair, SealedPair) and kind is ExampleKind.FAILING:
            return self._defective.seal(text, pair.defect)
        sealed = self._sealer.seal(text)
        if not isinstance(pair, StampedPair):
            return sealed
        if kind is ExampleKind.FAILING:
            return self._stamper.stamp_with_defect(sealed, pair.defect)
        return self._stamper.stamp(sealed)

    def _dated(self, text: str) -> Iterator[str]:
        if _FECHA.search(text):
            yield _FECHA.sub(rf' \1="{self._now(text)}"', text, count=1)
        yield text

    def _now(self, text: str) -> str:
        place = _LUGAR_EXPEDICION.search(text)
        catalogs = self._checks.reference_data().catalogs
        zone = catalogs.zone(place[1]) if place is not None else None
        now: datetime = self._clock.now() - AGE
        return now.astimezone(zone or CENTRAL_MEXICO).strftime(LOCAL_FORMAT)

    def _shows(self, sealed: bytes, rule: AnyRule, kind: ExampleKind) -> bool:
        """Whether a failing document's report has the violation; a passing one's, no finding but the missing stamp."""
        entries = self.report(sealed).entries
        if kind is ExampleKind.PASSING:
            return all(entry.code == UNSTAMPED_CODE for entry in entries)
        severity = self._checks.profiles.validate.severity(rule)
        expected = ReportEntryKind.ERROR if severity is Severity.ERROR else ReportEntryKind.WARNING
        return any(entry.code == rule.display_code and entry.kind is expected for entry in entries)

    def _file_related(self, text: str) -> None:
        """Import the documents that the text refers to into the simulated authority."""
        for folio, builder in RELATED.items():
            if folio in text and folio not in self._filed:
                self._sealer.file(builder(), folio, self._ledger)
                self._filed.add(folio)
