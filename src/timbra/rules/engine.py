"""Runs rules over nodes: which apply, which are in force, which hold.

For every kind of document (version, type, date between two changes of the matrix, lists at hand) the rules to ask are
bound once; a pass over 1,000 Conceptos is then a plain loop.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Context, localcontext

from timbra.cfdi.nodes import Comprobante, Node
from timbra.errors import ServiceError
from timbra.rules.asking import Asked, Condition, Judged, Questions
from timbra.rules.case import Case
from timbra.rules.cleared import _PERMIT, Cleared
from timbra.rules.finding import Breach, Finding, Need, NotEvaluated, Outcome, Unknown
from timbra.rules.profiles import STAMP, Profile
from timbra.rules.rule import VERSIONS, AnyRule, Book, reader
from timbra.rules.world import Catalogs, World

WIDE = Context(prec=100)
"""Products and sums of amounts are exact; an amount has at most 60 characters."""
MOST_PLANS = 256
"""How many plans are kept, far more than come together in a year of invoices; whoever mixes complements makes more."""


@dataclass(frozen=True, slots=True)
class _Lacking:
    """What is told when a document has nodes to which the rule would apply.

    reads: of nodes that agree in it one is asked for all.
    """

    kind: type[Node]
    applies: Condition | None
    reads: Callable[[Node], object] | None
    record: NotEvaluated


@dataclass(frozen=True, slots=True)
class _Plan:
    """questions: by kind. lacking: rules whose data are not there, and listed rows."""

    questions: tuple[tuple[type[Node], Questions], ...]
    lacking: tuple[_Lacking, ...]


class Engine:
    """All books together. One per process; it keeps plans, nothing of documents."""

    def __init__(self, books: Iterable[Book]) -> None:
        self.books = tuple(books)
        self.version = " ".join(dict.fromkeys(f"{book.name}:{book.revision}" for book in self.books))
        self._turns = _turns(rule for book in self.books for rule in book.rules)
        self._heads = frozenset(book.complement for book in self.books if book.complement is not None)
        self._plans: dict[tuple[object, ...], _Plan] = {}

    def check(self, comprobante: Comprobante, world: World, profile: Profile) -> Outcome:
        """Every finding, in document order, and every rule that lacked data."""
        case = Case(comprobante, world)
        plan = self._plan(profile, case)
        judged: Judged = []
        with localcontext(WIDE):
            for kind, questions in plan.questions:
                nodes = _nodes(comprobante, kind)
                if nodes:
                    questions.ask(nodes, case, judged)
        records = _lacking(plan, case)
        return _outcome(judged, records, profile) if judged else Outcome((), tuple(records))

    def clear(self, comprobante: Comprobante, world: World, profile: Profile = STAMP) -> Cleared:
        """The proof that nothing rejects; else ServiceError with the code and detail of the first that does."""
        outcome = self.check(comprobante, world, profile)
        rejection = outcome.rejection
        if rejection is not None:
            raise ServiceError(rejection.code, rejection.detail, place=rejection.place)
        return Cleared(
            comprobante=comprobante,
            warnings=outcome.findings,
            not_evaluated=outcome.not_evaluated,
            checked_at=world.now,
            rules_version=self.version,
            catalogs_version=world.catalogs.version,
            lists_version=world.lists_version,
            permit=_PERMIT,
        )

    def _plan(self, profile: Profile, case: Case) -> _Plan:
        tipo = case.comprobante.TipoDeComprobante
        lists = tuple([value is None for value in _lists(case.world)])
        carried = self._carried(case.comprobante)
        version = case.comprobante.Version
        key = (profile, version, bisect_right(self._turns, case.on), tipo, lists, case.catalogs.version, carried)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._bind(profile, case)
            if tipo in _TYPES and version in VERSIONS:
                if len(self._plans) >= MOST_PLANS:
                    self._plans.clear()
                self._plans[key] = plan
        return plan

    def _carried(self, comprobante: Comprobante) -> frozenset[type[Node]]:
        """The complements of the document that have a book."""
        return self._heads.intersection(comprobante.by_kind)

    def _about(self, comprobante: Comprobante) -> list[Book]:
        """The books of the invoice's version and of the complements that it carries."""
        carried = self._carried(comprobante)
        books = [book for book in self.books if comprobante.Version in book.versions]
        return [book for book in books if book.complement is None or book.complement in carried]

    def _bind(self, profile: Profile, case: Case) -> _Plan:
        absent = frozenset(need for need, value in zip(_LISTS, _lists(case.world), strict=True) if value is None)
        by_kind: dict[type[Node], list[Asked]] = {}
        lacking = []
        for entry in self._in_force(profile, case):
            rule = entry.rule
            lacks = _missing(rule, case.catalogs, absent)
            if lacks:
                reads = reader(rule.applies_reads) if rule.applies_reads else None
                record = NotEvaluated(rule.shown, lacks, entry.book)
                lacking.append(_Lacking(rule.kind, rule.applies, reads, record))
            else:
                by_kind.setdefault(rule.kind, []).append(entry)
        lacking += [
            _Lacking(row.kind, None, None, NotEvaluated(row.code, row.reason, book.name))
            for book in self._about(case.comprobante)
            for row in book.listed
            if row.kind is not None and row.code not in profile.off
        ]
        return _Plan(tuple((kind, Questions(entries)) for kind, entries in by_kind.items()), tuple(lacking))

    def _in_force(self, profile: Profile, case: Case) -> Iterator[Asked]:
        tipo = case.comprobante.TipoDeComprobante
        for book in self._about(case.comprobante):
            for rule in book.rules:
                severity = profile.severity(rule)
                if severity is not None and rule.in_force(case.on) and (not rule.types or tipo in rule.types):
                    yield Asked(rule, severity, book.name)


_TYPES = frozenset("IETNP")


def _turns(rules: Iterable[AnyRule]) -> list[date]:
    """The dates on which the set of rules in force changes."""
    dates = set()
    for rule in rules:
        dates.add(rule.since)
        if rule.until < date.max:
            dates.add(rule.until + timedelta(days=1))
    return sorted(dates)


_LISTS = (
    Need.TAXPAYERS,
    Need.OBLIGATIONS,
    Need.RELATED,
    Need.MARKS,
    Need.COORDINATED,
    Need.EXCHANGE_RATES,
    Need.CONFIRMATIONS,
    Need.ACQUIRERS,
    Need.PERMITS,
)


def _lists(world: World) -> tuple[object, ...]:
    """What the world has of `_LISTS`, in that order."""
    return (
        world.taxpayers,
        world.obligations,
        world.related,
        world.marks,
        world.coordinated,
        world.exchange_rates,
        world.confirmations,
        world.acquirers,
        world.permits,
    )


def _missing(rule: AnyRule, catalogs: Catalogs, absent: frozenset[Need]) -> str:
    """What a rule lacks in this world, as reports name it; empty when it can be judged."""
    lists = sorted(rule.needs & absent)
    columns = [f"{catalog}.{column}" for catalog, column in rule.columns if not catalogs.has(catalog, column)]
    return ", ".join((*lists, *columns))


def _nodes(comprobante: Comprobante, kind: type[Node]) -> Sequence[Node] | None:
    return [comprobante] if kind is Comprobante else comprobante.by_kind.get(kind)


def _lacking(plan: _Plan, case: Case) -> list[NotEvaluated]:
    return [row.record for row in plan.lacking if _concerns(row, case)]


def _concerns(row: _Lacking, case: Case) -> bool:
    nodes: Iterable[Node] | None = _nodes(case.comprobante, row.kind)
    if not nodes:
        return False
    applies, reads = row.applies, row.reads
    if applies is None:
        return True
    if reads is not None:
        nodes = {reads(node): node for node in nodes}.values()
    return any(applies(node, case) for node in nodes)


def _outcome(judged: Judged, records: list[NotEvaluated], profile: Profile) -> Outcome:
    """Breaches become findings in document order; what could not be judged is told once."""
    placed = []
    for entry, node, verdict in judged:
        if isinstance(verdict, Unknown):
            records.append(NotEvaluated(entry.rule.shown, verdict.lacks, entry.book))
        else:
            tail = entry.rule.tail if verdict.at is None else verdict.at
            placed.append((node.order_of(tail), entry.rule.place, _finding(entry, node, verdict, tail, profile)))
    placed.sort(key=lambda found: found[:2])
    return Outcome(tuple(finding for _, _, finding in placed), tuple(dict.fromkeys(records)))


def _finding(entry: Asked, node: Node, breach: Breach, tail: str, profile: Profile) -> Finding:
    """tail: the path below the node."""
    rule = entry.rule
    base = node.path
    return Finding(
        code=profile.reported_as.get(rule.code, rule.shown),
        path=f"{base}/{tail}" if base and tail else base or tail,
        severity=entry.severity,
        book=entry.book,
        found=breach.found,
        expected=breach.expected,
        hint=breach.hint,
        literal=breach.detail,
        rests_on=frozenset() if breach.proven else rule.needs | breach.rests_on,
    )
