"""Runs rules over nodes: which apply, which are in force, which hold.

For every kind of document (type, date between two changes of the matrix, lists at hand) the rules to ask are bound once
into flat tuples; a pass over 1,000 Conceptos is then a plain loop.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Context, localcontext
from typing import Any

from timbra.cfdi.nodes import Comprobante, Node
from timbra.errors import ServiceError
from timbra.rules.case import Case
from timbra.rules.cleared import _PERMIT, Cleared
from timbra.rules.finding import Breach, Finding, Need, NotEvaluated, Outcome, Severity, Unknown
from timbra.rules.profiles import STAMP, Profile
from timbra.rules.rule import AnyRule, Book, Listed, reader
from timbra.rules.world import World

WIDE = Context(prec=100)
"""Products and sums of amounts are exact; an amount has at most 60 characters."""


_Placed = tuple[tuple[tuple[int, ...], tuple[int, str]], Finding]


@dataclass(frozen=True, slots=True)
class _Asked:
    rule: AnyRule
    severity: Severity
    book: str
    reads: Callable[[Any], Any] | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """asked: by kind, in SAT's order. lacking: rules whose data are not there, and which; listed: with their book."""

    asked: tuple[tuple[type[Node], tuple[_Asked, ...]], ...]
    lacking: tuple[tuple[_Asked, str], ...]
    listed: tuple[tuple[str, Listed], ...]


class Engine:
    """All books together. One per process; it keeps plans, nothing of documents."""

    def __init__(self, books: Iterable[Book]) -> None:
        self.books = tuple(books)
        self.version = " ".join(f"{book.name}:{book.revision}" for book in self.books)
        self._turns = _turns(rule for book in self.books for rule in book.rules)
        self._plans: dict[tuple[object, ...], _Plan] = {}

    def check(self, comprobante: Comprobante, world: World, profile: Profile) -> Outcome:
        """Every finding, in document order, and every rule that lacked data."""
        case = Case(comprobante, world)
        plan = self._plan(profile, case)
        found: list[_Placed] = []
        unknown = _lacking(plan, case)
        with localcontext(WIDE):
            for kind, asked in plan.asked:
                nodes = comprobante.by_kind.get(kind)
                if nodes:
                    for entry in asked:
                        _ask(entry, nodes, case, profile, found, unknown)
        found.sort(key=lambda pair: pair[0])
        return Outcome(tuple(finding for _, finding in found), tuple(dict.fromkeys(unknown)))

    def clear(self, comprobante: Comprobante, world: World, profile: Profile = STAMP) -> Cleared:
        """The proof that nothing rejects; else ServiceError with the code and detail of the first that does."""
        outcome = self.check(comprobante, world, profile)
        rejection = outcome.rejection
        if rejection is not None:
            raise ServiceError(rejection.code, rejection.detail)
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
        absent = _absent(case.world)
        tipo, catalogs = case.comprobante.TipoDeComprobante, case.catalogs.version
        key = (profile, bisect_right(self._turns, case.on), tipo, absent, catalogs)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._bind(profile, case, absent)
            if tipo in _TYPES:
                self._plans[key] = plan
        return plan

    def _bind(self, profile: Profile, case: Case, absent: frozenset[Need]) -> _Plan:
        by_kind: dict[type[Node], list[_Asked]] = {}
        lacking = []
        for entry in self._in_force(profile, case):
            lacks = _missing(entry.rule, case.world, absent)
            if lacks:
                lacking.append((entry, lacks))
            else:
                by_kind.setdefault(entry.rule.kind, []).append(entry)
        listed = [(book.name, row) for book in self.books for row in book.listed if row.code not in profile.off]
        asked = tuple((kind, tuple(entries)) for kind, entries in by_kind.items())
        return _Plan(asked, tuple(lacking), tuple(listed))

    def _in_force(self, profile: Profile, case: Case) -> Iterator[_Asked]:
        tipo = case.comprobante.TipoDeComprobante
        for book in self.books:
            for rule in book.rules:
                severity = profile.severity(rule)
                if severity is not None and rule.in_force(case.on) and (not rule.types or tipo in rule.types):
                    yield _Asked(rule, severity, book.name, reader(rule.reads) if rule.reads else None)


_TYPES = frozenset("IETNP")


def _turns(rules: Iterable[AnyRule]) -> list[date]:
    """The dates on which the set of rules in force changes."""
    dates = set()
    for rule in rules:
        dates.add(rule.since)
        if rule.until < date.max:
            dates.add(rule.until + timedelta(days=1))
    return sorted(dates)


def _absent(world: World) -> frozenset[Need]:
    lists: dict[Need, object] = {
        Need.TAXPAYERS: world.taxpayers,
        Need.OBLIGATIONS: world.obligations,
        Need.RELATED: world.related,
        Need.MARKS: world.marks,
        Need.EXCHANGE_RATES: world.exchange_rates,
        Need.CONFIRMATIONS: world.confirmations,
        Need.ACQUIRERS: world.acquirers,
    }
    return frozenset(need for need, value in lists.items() if value is None)


def _missing(rule: AnyRule, world: World, absent: frozenset[Need]) -> str:
    """What a rule lacks in this world, as reports name it; empty when it can be judged."""
    lists = sorted(rule.needs & absent)
    columns = [f"{catalog}.{column}" for catalog, column in rule.columns if not world.catalogs.has(catalog, column)]
    return ", ".join((*lists, *columns))


def _lacking(plan: _Plan, case: Case) -> list[NotEvaluated]:
    by_kind = case.comprobante.by_kind
    records = []
    for entry, lacks in plan.lacking:
        applies = entry.rule.applies
        if any(applies is None or applies(node, case) for node in by_kind.get(entry.rule.kind, ())):
            records.append(NotEvaluated(entry.rule.shown, lacks, entry.book))
    for book, listed in plan.listed:
        if listed.kind in by_kind:
            records.append(NotEvaluated(listed.code.partition(":")[0], listed.reason, book))
    return records


def _ask(
    entry: _Asked,
    nodes: Sequence[Node],
    case: Case,
    profile: Profile,
    found: list[_Placed],
    unknown: list[NotEvaluated],
) -> None:
    rule = entry.rule
    applies, judge = rule.applies, rule.judge
    if entry.reads is not None and len(nodes) > 1:
        nodes = _doubtful(entry.reads, rule, nodes, case)
    for node in nodes:
        if applies is not None and not applies(node, case):
            continue
        verdict = judge(node, case)
        if verdict is None:
            continue
        if isinstance(verdict, Unknown):
            unknown.append(NotEvaluated(rule.shown, verdict.lacks, entry.book))
        else:
            found.append(((node.order, rule.place), _finding(entry, node, verdict, profile)))


def _doubtful(reads: Callable[[Any], Any], rule: AnyRule, nodes: Sequence[Node], case: Case) -> Sequence[Node]:
    """The nodes that equal, in what the rule reads, one for which it does not plainly hold."""
    equals = {reads(node): node for node in nodes}
    applies, judge = rule.applies, rule.judge
    doubtful = {
        key
        for key, node in equals.items()
        if (applies is None or applies(node, case)) and judge(node, case) is not None
    }
    return [node for node in nodes if reads(node) in doubtful] if doubtful else ()


def _finding(entry: _Asked, node: Node, breach: Breach, profile: Profile) -> Finding:
    rule = entry.rule
    tail = rule.tail if breach.at is None else breach.at
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
    )
