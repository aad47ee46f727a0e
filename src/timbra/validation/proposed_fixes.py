"""Proposed fixes: edits that remove the findings of a document, each found by evaluating the document with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain, islice

from lxml import etree

from timbra.validation.fix_candidates import (
    ACCEPTABLE,
    ACCEPTED,
    EXPECTED,
    LARGE,
    Candidate,
    Edit,
    Keys,
    Problem,
    candidates,
    named_attributes,
)
from timbra.validation.xpath_view import element_of

MAX_TRIES = 300
"""Evaluations of the document for one finding."""
MAX_PROBLEMS = 40
"""Findings of one document for which edits are searched."""
MAX_FOLLOWING = 12
"""Edits that follow from one edit, such as the totals of an amount."""
BRANCHES = 2
"""Findings that an edit causes, and candidates for each, that are tried."""
FOLLOWING = 12
"""Candidates of such a finding among which those that it states are the first."""
STRUCTURE = "estructura"
"""`Problem.rule_set` of the faults of the structure."""
_PROBES = ("\N{REPLACEMENT CHARACTER}", "0.00", "1.00")
"""Values with which a document is evaluated to learn what is expected of a place; no proposal has them."""

Check = Callable[[etree._Element], Sequence[Problem]]
"""Evaluates a document; the tree is not changed."""


@dataclass(frozen=True, slots=True)
class ProposedFix:
    """Edits that remove one finding and cause no other one.

    Attributes:
        problem: the finding.
        edits: in the order in which they are applied; those after the first may follow from it, such as totals.
        is_stated: whether findings state all edits; otherwise one of several possible edits was chosen, to confirm.
        reason: where the value of the first edit comes from, in Spanish.
    """

    problem: Problem
    edits: tuple[Edit, ...]
    is_stated: bool
    reason: str


@dataclass(frozen=True, slots=True)
class FixProposal:
    """The fixes of a document.

    Attributes:
        fixes: in the order in which they are applied.
        unfixed: the findings that need data which neither the document nor the catalogs have.
        root: the document with all fixes; its seal is that of the document before them.
        is_stamped: whether the document has a stamp, which belongs to the document before them too.
        is_complete: whether edits were searched for every finding; False when the time was over before.
    """

    fixes: tuple[ProposedFix, ...]
    unfixed: tuple[Problem, ...]
    root: etree._Element
    is_stamped: bool = False
    is_complete: bool = True

    @property
    def document(self) -> bytes:
        """The XML of the document with all fixes."""
        return etree.tostring(self.root, xml_declaration=True, encoding="UTF-8")


class _TimeOverError(Exception):
    """The time of a search is over."""


def search_fixes(
    root: etree._Element, check: Check, keys: Keys, is_over: Callable[[], bool] = lambda: False
) -> FixProposal:
    """Search edits for the findings of a document, one after the other.

    Args:
        root: the document, which is not changed.
        check: returns the findings of a document.
        keys: returns the keys of catalogs.
        is_over: whether the time of the search is over; asked before each evaluation. The findings of which edits were
            not found until then are in `FixProposal.unfixed`.
    """

    def check_in_time(changed: etree._Element) -> Sequence[Problem]:
        if is_over():
            raise _TimeOverError
        return check(changed)

    current = deepcopy(root)
    problems = list(check(current))
    fixes: list[ProposedFix] = []
    unfixed: list[Problem] = []
    for _ in range(MAX_PROBLEMS):
        problem = next((each for each in problems if each not in unfixed), None)
        if problem is None:
            break
        try:
            found = _Search(problem, problems, check_in_time, keys).run(current)
        except _TimeOverError:
            return FixProposal(tuple(fixes), tuple(problems), current, is_complete=False)
        if found is None:
            unfixed.append(problem)
            continue
        fixes.append(ProposedFix(problem, found.edits, found.is_stated, found.reason))
        current, problems = found.root, found.problems
    return FixProposal(tuple(fixes), tuple(problems), current)


@dataclass(frozen=True, slots=True)
class _Found:
    """Edits, and the document with them."""

    edits: tuple[Edit, ...]
    is_stated: bool
    reason: str
    root: etree._Element
    problems: list[Problem]


class _Search:
    """The search of the edits for one finding."""

    def __init__(self, problem: Problem, before: Sequence[Problem], check: Check, keys: Keys) -> None:
        self._problem, self._check, self._keys = problem, check, keys
        self._allowed = Counter(each.code for each in before)
        self._allowed[problem.code] -= 1
        self._known = frozenset(before)
        self._left = MAX_TRIES
        self._is_lenient = self._is_wide = False

    def run(self, root: etree._Element) -> _Found | None:
        found = self._first(root) or self._together(root)
        if found is None:
            self._is_wide, self._left = True, MAX_TRIES
            found = self._first(root)
        if found is None and self._problem.rule_set == STRUCTURE:
            # The rules did not read a part that the schema rejects: what they find in it is not due to the edit.
            self._is_lenient, self._left = True, MAX_TRIES
            found = self._first(root)
        return found

    def _first(self, root: etree._Element) -> _Found | None:
        for each in chain(candidates(root, self._problem, self._keys), self._probed(root)):
            found = self._applied(root, each, (), MAX_FOLLOWING)
            if found is not None or not self._left:
                return found
        return None

    def _together(self, root: etree._Element) -> _Found | None:
        """Try the edits that all findings state at once, for amounts of which each rule compares two."""
        edits: list[Edit] = []
        changed = deepcopy(root)
        for _ in range(MAX_FOLLOWING):
            for each in self._check(changed):
                stated = next((one for one in candidates(changed, each, lambda *_: ()) if one.is_stated), None)
                if stated is None or any(not apply_edit(changed, edit) for edit in stated.edits):
                    continue
                edits += stated.edits
            after = list(self._check(changed))
            if edits and not Counter(each.code for each in after) - self._allowed:
                return _Found(tuple(edits), True, EXPECTED, changed, after)
        return None

    def _probed(self, root: etree._Element) -> Iterator[Candidate]:
        """Yield what the document's evaluation says about the place, and about what is its reason, with other values.

        The schema tells the values that it enumerates, and a rule about an amount tells the amount.
        """
        for path in named_attributes(root, self._problem):
            old = _value(root, path)
            for probe in _PROBES:
                changed = deepcopy(root)
                if not apply_edit(changed, Edit(path, old, probe)):
                    break
                for each in self._check(changed):
                    if each.path.replace("[1]", "") != path.replace("[1]", ""):
                        continue
                    if each.rule_set == STRUCTURE and (each.expected or "").startswith(ACCEPTED):
                        for value in (each.expected or "").removeprefix(ACCEPTED).split(", "):
                            yield Candidate((Edit(path, old, value),), False, ACCEPTABLE)
                    for other in candidates(changed, each, lambda *_: ()):
                        if other.is_stated and len(other.edits) == 1 and other.edits[0].new is not None:
                            yield Candidate((Edit(path, old, other.edits[0].new),), True, other.reason)

    def _applied(
        self, root: etree._Element, candidate: Candidate, edits: tuple[Edit, ...], depth: int
    ) -> _Found | None:
        """Return the candidate with the edits that follow from it; None when it does not remove the finding."""
        paths = {edit.path for edit in edits}
        if not self._left or any(edit.path in paths or edit.old == edit.new for edit in candidate.edits):
            return None
        changed = deepcopy(root)
        if any(not apply_edit(changed, edit) for edit in candidate.edits):
            return None
        self._left -= 1
        edits = (*edits, *candidate.edits)
        after = list(self._check(changed))
        counted = [each for each in after if not self._is_lenient or each.rule_set == STRUCTURE]
        added = Counter(each.code for each in counted) - self._allowed
        if not added:
            return _Found(edits, candidate.is_stated, candidate.reason, changed, after)
        if not depth or (added[self._problem.code] and self._problem in after):
            return None
        caused = [each for each in counted if each.code in added and each not in self._known]
        for new in islice(caused, BRANCHES if self._is_wide else 1):
            for each in islice(self._following(changed, new, edits), BRANCHES):
                found = self._applied(changed, each, edits, depth - 1)
                if found is not None:
                    is_stated = candidate.is_stated and found.is_stated
                    return _Found(found.edits, is_stated, candidate.reason, found.root, found.problems)
        return None

    def _few_keys(self, rule_set: str, name: str) -> Iterable[str]:
        """Return the keys of a small catalog; those of a large one would be too many for each edit that is tried."""
        keys = list(islice(self._keys(rule_set, name), LARGE + 1))
        return () if len(keys) > LARGE else keys

    def _following(self, root: etree._Element, new: Problem, edits: Sequence[Edit]) -> Iterator[Candidate]:
        """Yield the candidates for a finding that edits caused, in other places; those that it states first."""
        paths = {edit.path for edit in edits}
        others = candidates(root, new, self._few_keys if self._is_wide else lambda *_: ())
        others = (each for each in others if not any(edit.path in paths for edit in each.edits))
        if self._is_wide:
            yield from sorted(islice(others, FOLLOWING), key=lambda each: not each.is_stated)
        else:
            yield from (each for each in others if each.is_stated)


def apply_edit(root: etree._Element, edit: Edit) -> bool:
    """Change a document; False when it does not have the place or cannot have the value."""
    path, at, name = edit.path.rpartition("@")
    element = element_of(root, path.rstrip("/") if at else edit.path)
    if not at:
        return _add(root, edit) if edit.new is not None else element is not None and _remove(element)
    if element is None or (edit.new is None and name not in element.attrib):
        return False
    if edit.new is None:
        del element.attrib[name]
        return True
    try:
        element.set(name, edit.new)
    except ValueError:  # a text that no XML can have
        return False
    return True


def _remove(element: etree._Element) -> bool:
    parent = element.getparent()
    if parent is None:
        return False
    parent.remove(element)
    return True


def _add(root: etree._Element, edit: Edit) -> bool:
    """Add an element to its parent; the Complemento of the document is added when it is absent."""
    holder = edit.path.rpartition("/")[0]
    parent = element_of(root, holder)
    if parent is None and holder == "Complemento":
        parent = etree.SubElement(root, f"{{{etree.QName(root).namespace}}}{holder}")
    if parent is None or edit.new is None:
        return False
    parent.append(etree.fromstring(edit.new))
    return True


def _value(root: etree._Element, path: str) -> str | None:
    holder, _, name = path.rpartition("@")
    element = element_of(root, holder.rstrip("/"))
    return None if element is None else element.get(name)
