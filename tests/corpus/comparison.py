"""What sources assert against what the rule book finds, document by document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.corpus.documents import Claim, Sample, samples
from tests.corpus.explanations import Explanation, explained
from tests.corpus.handling import Handling, handling_of
from tests.corpus.judging import STAMPED, Bench, Judgement

from timbra.rules.rulesets import declarations as shape

GOOD = (Claim.VALID, Claim.EXAMPLE)
DECLARATIONS = frozenset(rule.display_code for rule in shape.RULE_SET.rules)
"""What `test_declarations` tells of; sources assert nothing about it."""


@dataclass(frozen=True)
class Disagreement:
    """A code that is asserted and not found, or found in a document that is said to be good."""

    sample: Sample
    code: str

    @property
    def explanations(self) -> list[Explanation]:
        return list(explained(self.sample.name, self.code))

    def __str__(self) -> str:
        told = "said to be good, found" if self.sample.claim in GOOD else "asserted, not found"
        return f"{self.sample.name}: {told}: {self.code}"


@dataclass(frozen=True)
class Case:
    """A document and what became of it."""

    sample: Sample
    judgement: Judgement

    @property
    def found(self) -> frozenset[str]:
        """Every code that stamping or validation rejects, without the codes of declarations."""
        return (self.judgement.errors | self.judgement.warnings) - DECLARATIONS

    @property
    def disagreements(self) -> list[Disagreement]:
        wanted, found = self.sample.codes, self.found
        codes = found if self.sample.claim in GOOD else wanted - found
        return [Disagreement(self.sample, code) for code in sorted(codes)]

    @property
    def agrees(self) -> bool:
        """The asserted codes are found; or nothing is, and the document is taken."""
        return not self.disagreements and self.is_taken == (self.sample.claim in GOOD)

    @property
    def is_taken(self) -> bool:
        """Stamped; one of CFDI 3.3, which is not stamped any more: without an error."""
        return self.judgement.answer == STAMPED if self.sample.version == "4.0" else not self.judgement.errors


def compared(bench: Bench) -> list[Case]:
    """Every document with a claim, brought into the sandbox."""
    return [Case(sample, bench.predicate(sample, handling_of(sample))) for sample in samples()]


def remedies(ctx: Case) -> list[Handling | None]:
    """What takes each named cause away; None for one that nothing small takes away."""
    return [row.remedy for disagreement in ctx.disagreements for row in disagreement.explanations]


def remedied(bench: Bench, ctx: Case) -> Case:
    """The case once every cause that the table names for it is taken away."""
    handling = handling_of(ctx.sample).with_all(remedy for remedy in remedies(ctx) if remedy is not None)
    return Case(ctx.sample, bench.predicate(ctx.sample, handling))


def disagreements(cases: Iterable[Case]) -> Iterator[Disagreement]:
    return (disagreement for ctx in cases for disagreement in ctx.disagreements)
