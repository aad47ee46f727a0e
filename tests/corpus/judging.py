"""Validation and stamping of the documents of the corpus in a sandbox."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import uuid4

from lxml import etree
from tests.corpus.dating import dated, redate, unstamp
from tests.corpus.documents import Sample
from tests.corpus.handling import Handling
from tests.corpus.presupposed import Lists, parties
from tests.support.sandbox_app import SandboxApp

from timbra.cfdi.build import document_parser
from timbra.cfdi.document import Document
from timbra.cfdi.nodes import FiscalDocument
from timbra.core.errors import ServiceError
from timbra.evaluation.dependencies import Dependencies
from timbra.rules.engine.engine import Engine, ValidatedDocument
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.engine.profiles import STAMP, Profile
from timbra.rules.engine.result import EvaluationResult, Severity
from timbra.rules.ports import reference_source
from timbra.sandbox.authority.build import sandbox_registry
from timbra.sandbox.authority.taxpayers.models import SandboxTaxpayer
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import Certificate, CertificateKind
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.seals.signers.port import Signer
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampingOperation, StampRequest
from timbra.stamping.pipeline import check_document
from timbra.stamping.sealing import seal_document
from timbra.stamping.stages import Submission
from timbra.validation.models import (
    ReportEntry,
    ReportEntryKind,
    ReportSection,
    SectionKind,
    ValidationReport,
)
from timbra.validation.validation import ValidationService

UNSTAMPED_CODE = "SIN-TIMBRE"

STAMPED = "stamped"
YEAR = timedelta(days=365)


@dataclass(frozen=True)
class Judgement:
    """errors, warnings, unknown (not evaluated): codes of the validation. answer: what stamping says, empty where the
    document is not offered for it.

    newcomers: RFC and name of those whom the sandbox does not know.
    """

    errors: frozenset[str]
    warnings: frozenset[str]
    unknown: frozenset[str]
    answer: str
    newcomers: tuple[tuple[str, str], ...]


class Bench:
    """One sandbox for all documents, with a CSD for each issuer."""

    def __init__(self, data: Path, vendor_leniency: str = "") -> None:
        self.sandbox_app = SandboxApp(data, vendor_leniency=vendor_leniency, confirmations="off")
        self._container = self.sandbox_app.container
        self._credentials: dict[tuple[str, datetime], tuple[Certificate, Signer]] = {}

    def predicate(self, sample: Sample, handling: Handling) -> Judgement:
        """Prepare the document by `handling`, validate it and, for CFDI 4.0, stamp it."""
        xml, own, csd = self._brought(sample, handling)
        tools = self._tools(sample, handling, own, csd)
        report = self._validated(xml, tools)
        return Judgement(
            errors=_codes(report, ReportEntryKind.ERROR),
            warnings=_codes(report, ReportEntryKind.WARNING) - {UNSTAMPED_CODE},
            unknown=frozenset(rule.code for rule in report.not_evaluated),
            answer=self._answer(xml, tools) if sample.version == "4.0" else "",
            newcomers=tuple(
                (rfc, row.name)
                for rfc, row in own.items()
                if self._container.get(sandbox_services).registry.taxpayer(rfc) is None
            ),
        )

    def close(self) -> None:
        self._container.close()

    def _brought(
        self, sample: Sample, handling: Handling
    ) -> tuple[bytes, dict[str, SandboxTaxpayer], Certificate | None]:
        if handling.as_it_is:
            return sample.xml, {}, None
        document = self._container.get(document_parser).parse(handling.text(dated(sample.xml)))
        if handling.redated:
            redate(document.root)
        unstamp(document.root)
        own = parties(document.root)
        for rfc, name in handling.registered:
            own[rfc] = replace(own[rfc], name=name)
        xml = etree.tostring(document.root, encoding="UTF-8", xml_declaration=True)
        if not handling.sealed:
            return xml, own, None
        certificate, signer = self._credential(document)
        whole = seal_document(
            self._container.get(document_parser).parse(xml),
            certificate,
            signer,
            self._container.get(stamping_services).checks.cadena,
        )
        return whole.source, own, certificate

    def _credential(self, document: Document) -> tuple[Certificate, Signer]:
        emisor = document.root.find("{*}Emisor")
        if emisor is None:
            raise ValueError("the document has no Emisor")
        rfc, name = str(emisor.get("Rfc")), str(emisor.get("Nombre"))
        made = self.sandbox_app.now if document.version == "4.0" else _date(document)
        if (rfc, made) not in self._credentials:
            minted = self._container.get(sandbox_services).authority_ca.mint(
                rfc, CertificateKind.CSD, name, made - YEAR, made + YEAR
            )
            key = load_private_key(minted.key_der, minted.password)
            self._credentials[rfc, made] = minted.certificate, pair_key(minted.certificate, key)
        return self._credentials[rfc, made]

    def _tools(
        self, sample: Sample, handling: Handling, own: dict[str, SandboxTaxpayer], csd: Certificate | None
    ) -> Dependencies:
        lists = Lists(self._container.get(sandbox_registry), own, handling.claimed, csd)
        reference_data = replace(
            self._container.get(reference_source).current(), taxpayers=lists, obligations=lists, names=lists
        )
        if handling.switched_on:
            reference_data = replace(reference_data, exchange_rates=Rates(), confirmations=Keys(handling.used_keys))
        tools = self._container.get(stamping_services).checks
        switched = handling.switched_on or handling.switched_off
        engine = Switched(tools.engine, handling) if switched else tools.engine
        return replace(
            tools, reference_data=lambda: reference_data, known_reference_data=lambda: reference_data, engine=engine
        )

    def _validated(self, xml: bytes, tools: Dependencies) -> ValidationReport:
        try:
            return asyncio.run(ValidationService(tools, None).validate(xml, with_status=False))
        except ServiceError as error:
            entry = ReportEntry(error.code, error.detail, ReportEntryKind.ERROR, error.code)
            return ValidationReport((ReportSection(SectionKind.STRUCTURE, (entry,)),))

    def _answer(self, xml: bytes, tools: Dependencies) -> str:
        order = StampRequest(self.sandbox_app.caller, xml, str(uuid4()), None)
        try:
            submission = Submission(order, StampingOperation.STAMP, tools.reference_data())
            asyncio.run(check_document(submission, tools, asyncio.to_thread))
        except ServiceError as error:
            return error.code
        return STAMPED


class Switched(Engine):
    """An engine that evaluates given suspended codes and skips given rules."""

    def __init__(self, engine: Engine, handling: Handling) -> None:
        super().__init__(engine.rule_sets)
        self._on = dict.fromkeys(handling.switched_on, Severity.ERROR)
        self._off = frozenset(handling.switched_off)

    def check(self, document: FiscalDocument, reference_data: ReferenceData, profile: Profile) -> EvaluationResult:
        return super().check(document, reference_data, self._switched(profile))

    def check_by_cause(
        self, document: FiscalDocument, reference_data: ReferenceData, profile: Profile
    ) -> EvaluationResult:
        return super().check_by_cause(document, reference_data, self._switched(profile))

    def validate_for_stamping(
        self, document: FiscalDocument, reference_data: ReferenceData, profile: Profile = STAMP
    ) -> ValidatedDocument:
        return super().validate_for_stamping(document, reference_data, self._switched(profile))

    def _switched(self, profile: Profile) -> Profile:
        severities = {**profile.severities, **self._on}
        return Profile(profile.name, severities, profile.disabled | self._off)


@dataclass(frozen=True)
class Keys:
    """Confirmation keys that were issued to the RFC that uses them, and used before."""

    keys: tuple[str, ...]

    def issued_to(self, rfc: str, key: str) -> bool:
        return key in self.keys

    def used(self, key: str) -> bool:
        return key in self.keys


class Rates:
    """An exchange rate of twenty pesos for any currency and day."""

    def published(self, currency: str, on: date) -> Decimal | None:
        return Decimal(20)


def _date(document: Document) -> datetime:
    return datetime.fromisoformat(str(document.root.get("Fecha"))).replace(tzinfo=UTC)


def _codes(report: ValidationReport, kind: ReportEntryKind) -> frozenset[str]:
    return frozenset(entry.code for entry in report.entries if entry.kind is kind and entry.code)
