"""Assertions of the sources of public documents compared with the findings of the rule sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.corpus.documents import Claim, Sample, samples
from tests.corpus.explanations import Explanation, explained
from tests.corpus.handling import Handling, handling_of
from tests.corpus.judging import STAMPED, Bench, Judgement

from timbra.rules.rulesets import declarations

GOOD = (Claim.VALID, Claim.EXAMPLE)
DECLARATIONS = frozenset(rule.display_code for rule in declarations.RULE_SET.rules)
"""Codes that `test_declarations` checks; sources assert nothing about them."""


@dataclass(frozen=True)
class Disagreement:
    """A code that is asserted and not found, or found in a document that is asserted to be valid."""

    sample: Sample
    code: str

    @property
    def explanations(self) -> list[Explanation]:
        return list(explained(self.sample.name, self.code))

    def __str__(self) -> str:
        difference = "asserted valid, found" if self.sample.claim in GOOD else "asserted, not found"
        return f"{self.sample.name}: {difference}: {self.code}"


@dataclass(frozen=True)
class Case:
    """A document with the results of validation and stamping."""

    sample: Sample
    judgement: Judgement

    @property
    def found(self) -> frozenset[str]:
        """Every code of stamping or validation, without the codes of declarations."""
        return (self.judgement.errors | self.judgement.warnings) - DECLARATIONS

    @property
    def disagreements(self) -> list[Disagreement]:
        wanted, found = self.sample.codes, self.found
        codes = found if self.sample.claim in GOOD else wanted - found
        return [Disagreement(self.sample, code) for code in sorted(codes)]

    @property
    def agrees(self) -> bool:
        """Whether the asserted codes are found, or nothing is found in a document that is accepted."""
        return not self.disagreements and self.is_taken == (self.sample.claim in GOOD)

    @property
    def is_taken(self) -> bool:
        """Whether the document is stamped; for CFDI 3.3, which is not stamped any more, whether it has no error."""
        return self.judgement.answer == STAMPED if self.sample.version == "4.0" else not self.judgement.errors


def compared(bench: Bench) -> list[Case]:
    """Validate and stamp every document with a claim."""
    return [Case(sample, bench.predicate(sample, handling_of(sample))) for sample in samples()]


def remedies(ctx: Case) -> list[Handling | None]:
    """Return the remedy of each cause; None where no small change removes it."""
    return [row.remedy for disagreement in ctx.disagreements for row in disagreement.explanations]


def remedied(bench: Bench, ctx: Case) -> Case:
    """Return the case with the remedies of all its causes."""
    handling = handling_of(ctx.sample).with_all(remedy for remedy in remedies(ctx) if remedy is not None)
    return Case(ctx.sample, bench.predicate(ctx.sample, handling))


def disagreements(cases: Iterable[Case]) -> Iterator[Disagreement]:
    return (disagreement for ctx in cases for disagreement in ctx.disagreements)
