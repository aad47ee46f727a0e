"""Rule sets: the rules of one standard, discovered in the modules of its package."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from timbra.cfdi.nodes import ComplementNode, Comprobante, FiscalDocument
from timbra.cfdi.nodes.complements import CONCEPTO_KINDS, KINDS, Kinds
from timbra.cfdi.nodes.retenciones20 import Retenciones
from timbra.cfdi.nodes.retenciones20.walk import KINDS as RETENCIONES_KINDS
from timbra.rules.engine.citation import OF_RULE_SET, Citation
from timbra.rules.engine.rule import AnyRule, NoExample, NotImplementedRow, Rule

if TYPE_CHECKING:
    from timbra.examples.codes.example import Example

VERSIONS = Comprobante.VERSIONS
"""Versions of Comprobante that have rules."""
_KINDS: Mapping[type[FiscalDocument], tuple[Kinds, ...]] = {
    Comprobante: (KINDS, CONCEPTO_KINDS),
    Retenciones: (RETENCIONES_KINDS,),
}
"""The complements that are read, by kind of document."""
EXAMPLES = "examples"
"""Module of a package with the documents of its rules: `FAILS` and `FAILS_WITH` by code, and `BASE`, which changes of
`FAILS` concern."""
COVERAGE = "coverage.csv"
"""File of a package that lists the codes of SAT's matrix, each with the name of the rule set that has it."""


@dataclass(frozen=True)
class RuleSet:
    """The rules of one standard.

    Attributes:
        name: as report sections and the rule catalog show it.
        standard: Spanish name of the standard, for users.
        revision: revision of SAT's matrix.
        rules: in SAT's order.
        package: package of the modules of rules.
        not_implemented: rows of the matrix without a rule.
        complement: root node class of the complement; the rules are evaluated only for documents that carry it, and may
            concern nodes of the document itself. None: the rules concern every document of the kind.
        root: kind of documents that the rules concern.
        versions: versions of these documents that the rules concern.
        messages: sentences of the codes that several rules share, such as CFDI40999.
        prefixes: prefixes of the codes of SAT's matrix; empty for a rule set of the provider.
        by_engine: whether the engine evaluates the rules; others have an evaluation of their own.
    """

    name: str
    revision: str
    rules: tuple[AnyRule, ...] = field(repr=False)
    standard: str = ""
    package: str = ""
    not_implemented: tuple[NotImplementedRow, ...] = field(default=(), repr=False)
    complement: type[ComplementNode] | None = None
    versions: tuple[str, ...] = VERSIONS
    root: type[FiscalDocument] = Comprobante
    messages: Mapping[str, str] = field(default_factory=dict, repr=False)
    prefixes: tuple[str, ...] = ()
    by_engine: bool = True

    def __post_init__(self) -> None:
        codes = [entry.code for entry in self.rules] + [entry.code for entry in self.not_implemented]
        duplicates = {code for code in codes if codes.count(code) > 1}
        if duplicates:
            raise ValueError(f"{self.name}: duplicate codes: {', '.join(sorted(duplicates))}")
        self._check_is_evaluated()

    def _check_is_evaluated(self) -> None:
        """Raise ValueError for a rule set that no document would ever be evaluated with."""
        unknown = set(self.versions) - set(self.root.VERSIONS)
        if unknown:
            raise ValueError(f"{self.name}: {self.root.__name__} has no version {', '.join(sorted(unknown))}")
        kinds = [kind for table in _KINDS.get(self.root, ()) for kind in table.values()]
        if self.complement is not None and self.complement not in kinds:
            name = self.complement.__name__
            raise ValueError(f"{self.name}: no {self.root.__name__} is read with {name}: add it to its table KINDS")
        if self.complement is None and self.rules and all(issubclass(each.kind, ComplementNode) for each in self.rules):
            raise ValueError(f"{self.name}: all rules concern nodes of a complement: state it as `complement`")

    @cached_property
    def _by_code(self) -> Mapping[str, AnyRule]:
        return {entry.code: entry for entry in self.rules}

    def rule(self, code: str) -> AnyRule:
        """Return the rule of a code; KeyError when there is none."""
        return self._by_code[code]

    @property
    def rows(self) -> list[AnyRule | NotImplementedRow]:
        """The rules, and the rows without a rule, in SAT's order."""
        return sorted((*self.rules, *self.not_implemented), key=lambda entry: entry.sort_key)

    @cached_property
    def coverage(self) -> Mapping[str, str]:
        """By code of SAT's matrix: the name of the rule set that has the rule or row, this one or another.

        Empty for a rule set without a matrix.
        """
        file = files(self.package).joinpath(COVERAGE) if self.package else None
        if file is None or not file.is_file():
            return MappingProxyType({})
        lines = csv.DictReader(file.read_text("utf-8").splitlines())
        return MappingProxyType({line["code"]: line["rule_set"] for line in lines})

    def example(self, code: str) -> Example | None:
        """Return the pair of documents of a rule, None when the rule has none; KeyError for an unknown code."""
        from timbra.examples.codes.example import example

        rule = self.rule(code)
        fails, base = rule.fails, getattr(import_module(rule.examples), "BASE", None)
        if isinstance(fails, NoExample):
            return None
        if not isinstance(fails, Mapping):
            return fails.documents(base)
        if base is None:
            raise TypeError(f"{code}: the rule set has no base document to change")
        return example(base, fails)


def discover_rules(
    package: str,
    *,
    without: Sequence[str] = (),
    also: Iterable[AnyRule] = (),
    cites: Citation | None = None,
) -> tuple[AnyRule, ...]:
    """Return the rules that the modules of a package define, in SAT's order.

    Args:
        without: names of modules that are left out.
        also: further rules of the rule set, such as derived ones.
        cites: citation of the rules that state none.

    Raises:
        ValueError: a rule states no citation, and `cites` is not given.
    """
    found: dict[int, AnyRule] = {id(entry): entry for entry in also}
    for module in _modules(package, without):
        found.update((id(entry), entry) for entry in vars(module).values() if isinstance(entry, Rule))
    rules = [_completed(entry, package, cites) for entry in found.values()]
    return tuple(sorted(rules, key=lambda entry: entry.sort_key))


def _completed(entry: AnyRule, package: str, cites: Citation | None) -> AnyRule:
    """Return the rule with the examples of its package, and with the citation of its rule set if it states none."""
    own = cites if entry.cites is OF_RULE_SET else entry.cites
    if own is None:
        raise ValueError(f"{entry.code}: neither the rule nor its rule set has a citation")
    return replace(entry, cites=own, examples=f"{package}.{EXAMPLES}")


def derived(
    others: Iterable[AnyRule],
    codes: Mapping[str, str],
    *,
    cites: Citation,
    changed: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> tuple[AnyRule, ...]:
    """Return rules of another rule set under the codes of a matrix that repeats them.

    Codes in `Rule.inseparable` and `Rule.reported_after` are renamed too; a sentence or note that names a code must be
    changed.

    Args:
        others: the rules of the other rule set.
        codes: by code of the matrix: the code in the other rule set.
        cites: the matrix; a requirement that is no row of a matrix keeps its citation.
        changed: by code of the matrix: the attributes of `Rule` that differ.

    Raises:
        KeyError: the other rule set does not have a code.
        ValueError: a changed code is not one of `codes`.
    """
    unknown = changed.keys() - codes.keys()
    if unknown:
        raise ValueError(f"changed but not derived: {', '.join(sorted(unknown))}")
    renamed = {other: code for code, other in codes.items()}
    by_code = {entry.code: entry for entry in others}
    rules = []
    for code, other in codes.items():
        entry = by_code[other]
        inseparable = frozenset(renamed.get(each, each) for each in entry.inseparable)
        source = cites if entry.cites.has_rows else entry.cites
        after = renamed.get(entry.reported_after, entry.reported_after)
        own = {"code": code, "cites": source, "inseparable": inseparable, "reported_after": after}
        rules.append(replace(entry, **{**own, **changed.get(code, {})}))
    return tuple(rules)


def _modules(package: str, without: Sequence[str]) -> Iterator[ModuleType]:
    for each in iter_modules(import_module(package).__path__):
        if each.name not in (EXAMPLES, *without):
            yield import_module(f"{package}.{each.name}")
