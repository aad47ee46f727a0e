"""Proposed fixes of a document, evaluated with the structure check and the rules that its validation uses."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from timbra.cfdi.nodes.documents import walk_document
from timbra.cfdi.tfd import read_stamps
from timbra.core.errors import ServiceError
from timbra.evaluation.early_documents import since_start
from timbra.evaluation.sound_parts import sound_parts
from timbra.rules.engine.result import EvaluationResult, Severity
from timbra.validation.examination import WITHDRAWN
from timbra.validation.fix_candidates import Problem
from timbra.validation.proposed_fixes import STRUCTURE, FixProposal, search_fixes
from timbra.validation.report_sections import SEAL_ATTRIBUTES

if TYPE_CHECKING:
    from lxml import etree

    from timbra.catalogs import SnapshotCatalogs
    from timbra.cfdi.structure import Structure
    from timbra.evaluation.dependencies import Dependencies
    from timbra.rules.engine.ports import ReferenceData

RATES = "c_TasaOCuota"
SECONDS = 10.0
"""Time of the search for one document."""
_SEAL_PLACES = frozenset(f"@{name}" for name in SEAL_ATTRIBUTES)
_DIGITS = re.compile(r"\d+[a-z]?$")


class CatalogKeys:
    """The keys of the catalogs of rule sets, and of the catalogs of attributes."""

    def __init__(self, structure: Structure, catalogs: SnapshotCatalogs) -> None:
        self._structure = structure
        self._catalogs = catalogs
        self._read: dict[tuple[str, str], tuple[str, ...]] = {}

    def __call__(self, rule_set: str, name: str) -> tuple[str, ...]:
        """Return the keys of a catalog, of every date, sorted; none when no catalog has the name.

        Args:
            rule_set: name of a rule set, whose own catalogs precede those of the invoice.
            name: name of a catalog, or of an attribute.
        """
        catalog = name if name.startswith("c_") else self._by_attribute.get(name, f"c_{name}")
        key = (rule_set, catalog)
        if key not in self._read:
            self._read[key] = tuple(sorted(self._keys(*key)))
        return self._read[key]

    def _keys(self, rule_set: str, catalog: str) -> Iterator[str]:
        if catalog == RATES:
            yield from dict.fromkeys(f"{rate.minimum:.6f}" for rate in self._catalogs.rates("cfdi40", None))
            return
        for standard in self._standards(rule_set):
            if catalog in self._catalogs.names(standard):
                yield from self._catalogs.keys(f"{standard}:{catalog}")
                return

    def _standards(self, rule_set: str) -> list[str]:
        """Return the folders of catalogs, those of the rule set first, then that of another version, then CFDI 4.0."""
        stem = _DIGITS.sub("", rule_set)
        own = [each for each in self._catalogs.standards() if _DIGITS.sub("", each) == stem]
        own.sort(key=lambda each: each != rule_set)
        return list(dict.fromkeys((*own, "cfdi40", *self._catalogs.standards())))

    @cached_property
    def _by_attribute(self) -> dict[str, str]:
        named: dict[str, str] = {}
        for standard in self._structure.supported:
            for attributes in self._structure.catalogs(standard).values():
                for attribute, catalog in attributes.items():
                    named.setdefault(attribute, catalog)
        return named


class FixService:
    """Proposes edits of documents.

    Args:
        monotonic: seconds of a clock that no one sets.
    """

    def __init__(
        self, dependencies: Dependencies, catalogs: SnapshotCatalogs, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._dependencies = dependencies
        self._keys = CatalogKeys(dependencies.structure, catalogs)
        self._monotonic = monotonic

    def propose_fixes(self, xml: bytes, seconds: float = SECONDS) -> FixProposal:
        """Propose edits that remove the errors of a CFDI or of a Retenciones, apart from those of its seal.

        Each edit was tried: with it the error is gone, and no other one appears. Its seal and its stamp are those of
        the document before the edits, so that it has to be sealed again.

        Args:
            xml: the document, sealed or not.
            seconds: time of the search; an evaluation that has begun is finished.

        Returns:
            The edits in their order, the errors that no edit removes, and the document with all edits; those that were
            found in the time.

        Raises:
            ServiceError: "301" for what is no such document, "xml-missing" for an empty one.
        """
        if not xml.strip():
            raise ServiceError("xml-missing")
        document = self._dependencies.parser.parse(xml)
        if not self._dependencies.structure.has_schema(document.root):
            raise ServiceError("301", "Se proponen correcciones de un Comprobante o de un Retenciones con esquema.")
        data = self._dependencies.reference_data()
        end = self._monotonic() + seconds
        proposal = search_fixes(
            document.root,
            lambda root: self._problems(root, document.version, data),
            self._keys,
            lambda: self._monotonic() > end,
        )
        return replace(proposal, is_stamped=bool(read_stamps(document.root)))

    def _problems(self, root: etree._Element, version: str, data: ReferenceData) -> Sequence[Problem]:
        dependencies = self._dependencies
        faults = [each for each in dependencies.structure.check(root) if each.path not in _SEAL_PLACES]
        problems = [
            Problem(STRUCTURE, each.path, each.found, each.expected, each.expected_value, None, STRUCTURE)
            for each in faults
        ]
        result = None if version in WITHDRAWN else self._result(root, data, has_faults=bool(faults))
        if result is None:
            return problems
        findings = [each for each in result.findings if each.severity is Severity.ERROR]
        return problems + [
            Problem(each.code, each.path, each.found, each.expected, each.expected_value, each.hint, each.rule_set)
            for each in findings
        ]

    def _result(self, root: etree._Element, data: ReferenceData, *, has_faults: bool) -> EvaluationResult | None:
        dependencies, profile = self._dependencies, self._dependencies.profiles.validate
        engine = dependencies.engine
        first, _ = since_start(root, data, engine)
        if has_faults:
            sound = sound_parts(root, dependencies.structure)
            return None if sound is None else engine.check_sound_parts(sound, replace(first, related=None), profile)
        nodes = walk_document(root)
        return engine.check(nodes, dependencies.related.with_related(first, nodes), profile)
