"""Forms of the simple types in a schema: which values the one-sided check of `valid_forms` accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lxml import etree

from timbra.cfdi.structure.value_automata import Automaton, Run, UnsupportedPatternError, matcher_of

XS = "{http://www.w3.org/2001/XMLSchema}"
TEXT, DECIMAL, INTEGER, DATE, DATE_TIME = range(5)
_KINDS = {"string": TEXT, "decimal": DECIMAL, "integer": INTEGER, "int": INTEGER, "short": INTEGER, "date": DATE,
          "dateTime": DATE_TIME}  # fmt: skip
_DIGITS = {"integer": 18, "int": 9, "short": 4}
"""Digits with which every number belongs to the type."""
_FRACTION = 18
"""Decimals of a bound: bounds are compared as integers of the units and of 10^-18."""
_TEXTUAL = frozenset({"enumeration", "length", "minLength", "maxLength"})
_NUMERIC = frozenset({"minInclusive", "maxInclusive", "fractionDigits", "totalDigits"})
_FACETS = frozenset({"pattern", "whiteSpace"}) | _TEXTUAL | _NUMERIC


class ValueForm(NamedTuple):
    """The values of a simple type that are accepted.

    Attributes:
        collapses: whether white space is collapsed before the comparison; numbers and dates with white space that
            would collapse are not accepted.
        least, most: characters; `most` is -1 without a limit.
        digits: most digits of an integer, most digits in all of a decimal (-1 without a limit).
        decimals: most decimals of a decimal; -1 without a limit.
        lowest, highest: bounds of a number, as (units, units of 10^-18); None without a bound.
        choices: the only values; None for any.
        runs, automata: all of them must accept the value.
    """

    kind: int
    collapses: bool
    least: int = 0
    most: int = -1
    digits: int = -1
    decimals: int = -1
    lowest: tuple[int, int] | None = None
    highest: tuple[int, int] | None = None
    choices: tuple[bytes, ...] | None = None
    runs: tuple[Run, ...] = ()
    automata: tuple[Automaton, ...] = ()


class UnsupportedDeclarationError(Exception):
    """A declaration that has no form here."""


def value_form_of(declared: etree._Element, schemas: Mapping[str, etree._Element]) -> ValueForm:
    """Return the values that an attribute may have.

    Args:
        declared: the declaration of the attribute.
        schemas: by target namespace.

    Raises:
        UnsupportedDeclarationError: the type has parts without a form, among them patterns without an automaton.
    """
    steps: list[etree._Element] = []
    base = _base(schemas, declared, declared.get("type"), declared.find(f"{XS}simpleType"), steps)
    if base not in _KINDS:
        raise UnsupportedDeclarationError
    spaces = [str(facet.get("value")) for step in steps for facet in step.iterfind(f"{XS}whiteSpace")]
    kind = _KINDS[base]
    if set(spaces) - {"collapse", "preserve"}:
        raise UnsupportedDeclarationError
    collapses = kind != TEXT or (spaces[:1] == ["collapse"])
    form = ValueForm(kind, collapses, digits=_DIGITS.get(base, -1))
    for step in steps:
        form = _restricted(form, step)
    fixed = declared.get("fixed")
    if fixed is not None:
        choice = str(fixed).encode()
        form = form._replace(choices=(choice,) if form.choices is None or choice in form.choices else ())
    return form


def find_type(
    schemas: Mapping[str, etree._Element], user: etree._Element, name: str | None, kind: str
) -> etree._Element | None:
    """Return a global type of the schemas; None when they have none of that name.

    Args:
        schemas: by target namespace.
        user: the declaration that names the type; its prefixes are known.
        name: the qualified name; None when the declaration names no type.
        kind: `simpleType` or `complexType`.
    """
    if name is None:
        return None
    prefix, _, local = str(name).rpartition(":")
    schema = schemas.get(str(user.nsmap.get(prefix or None)))
    return None if schema is None else schema.find(f"{XS}{kind}[@name='{local}']")


def _base(
    schemas: Mapping[str, etree._Element],
    user: etree._Element,
    name: str | None,
    kind: etree._Element | None,
    steps: list[etree._Element],
) -> str:
    """Return the built-in type of a simple type, and append its restrictions from the most derived one on."""
    if kind is None:
        if name is None:
            return "string"
        prefix, _, local = str(name).rpartition(":")
        if f"{{{user.nsmap.get(prefix or None)}}}" == XS:
            return local
        kind = find_type(schemas, user, name, "simpleType")
        if kind is None:
            raise UnsupportedDeclarationError
    restriction = kind.find(f"{XS}restriction")
    if restriction is None:
        raise UnsupportedDeclarationError
    steps.append(restriction)
    return _base(schemas, restriction, restriction.get("base"), restriction.find(f"{XS}simpleType"), steps)


def _restricted(form: ValueForm, step: etree._Element) -> ValueForm:
    """Return a form with the facets of one more restriction."""
    facets: dict[str, list[str]] = {}
    for facet in step.iterchildren(etree.Element):
        name = etree.QName(facet).localname
        if name not in _FACETS and name not in ("simpleType", "annotation"):
            raise UnsupportedDeclarationError
        facets.setdefault(name, []).append(str(facet.get("value")))
    if "pattern" in facets:
        try:
            matcher = matcher_of(facets["pattern"])
        except UnsupportedPatternError as error:
            raise UnsupportedDeclarationError from error
        if isinstance(matcher, Run):
            form = form._replace(runs=(*form.runs, matcher))
        else:
            form = form._replace(automata=(*form.automata, matcher))
    if form.kind == TEXT:
        return _restricted_text(form, facets)
    return _restricted_number(form, facets)


def _restricted_text(form: ValueForm, facets: dict[str, list[str]]) -> ValueForm:
    if facets.keys() & _NUMERIC:
        raise UnsupportedDeclarationError
    if "enumeration" in facets:
        values = tuple(value.encode() for value in facets["enumeration"])
        form = form._replace(choices=values if form.choices is None else tuple({*values} & {*form.choices}))
    for value in (*facets.get("length", ()), *facets.get("minLength", ())):
        form = form._replace(least=max(form.least, int(value)))
    for value in (*facets.get("length", ()), *facets.get("maxLength", ())):
        form = form._replace(most=_smaller(form.most, int(value)))
    return form


def _restricted_number(form: ValueForm, facets: dict[str, list[str]]) -> ValueForm:
    """Return the form of a number or a date; dates have no bounds here."""
    if facets.keys() & _TEXTUAL or (facets.keys() & _NUMERIC and form.kind not in (DECIMAL, INTEGER)):
        raise UnsupportedDeclarationError
    for value in facets.get("fractionDigits", ()):
        form = form._replace(decimals=_smaller(form.decimals, int(value)))
    for value in facets.get("totalDigits", ()):
        form = form._replace(digits=_smaller(form.digits, int(value)))
    for value in facets.get("minInclusive", ()):
        bound = _bound(value)
        form = form._replace(lowest=bound if form.lowest is None else max(bound, form.lowest))
    for value in facets.get("maxInclusive", ()):
        bound = _bound(value)
        form = form._replace(highest=bound if form.highest is None else min(bound, form.highest))
    return form


def _bound(text: str) -> tuple[int, int]:
    """Return a bound that is not negative; others are not supported."""
    units, _, fraction = text.partition(".")
    if not (units + fraction).isdecimal() or not units or max(len(units), len(fraction)) > _FRACTION:
        raise UnsupportedDeclarationError
    return int(units), int(fraction.ljust(_FRACTION, "0"))


def _smaller(one: int, other: int) -> int:
    return other if one < 0 else min(one, other)
