"""Spanish phrases for what a schema accepts as a value: built-in types, patterns, bounds and lengths in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

BY_SCHEMA = "lo que establece el esquema del SAT"
"""Phrase for a type or pattern of a schema that this module does not know."""
MAX_LISTED = 20
"""Values of an enumeration that a phrase lists."""

_BASES = {
    "string": "un texto",
    "decimal": "un número",
    "int": "un número entero",
    "integer": "un número entero",
    "short": "un número entero",
    "dateTime": "una fecha con hora AAAA-MM-DDThh:mm:ss",
    "date": "una fecha AAAA-MM-DD",
    "time": "una hora hh:mm:ss",
    "base64Binary": "un texto en base64",
    "NMTOKEN": "una clave sin espacios",
}
_UUID = "un UUID: 32 dígitos hexadecimales en grupos de 8, 4, 4, 4 y 12 separados por guiones"
_CURP = "una CURP de 18 caracteres"
_UUID_PATTERN = "[a-f0-9A-F]{8}-[a-f0-9A-F]{4}-[a-f0-9A-F]{4}-[a-f0-9A-F]{4}-[a-f0-9A-F]{12}"
_DATE_TIME = "una fecha con hora AAAA-MM-DDThh:mm:ss"
_DATE = "una fecha AAAA-MM-DD"
_PEDIMENTO = "un número de pedimento: 2, 2, 4 y 7 dígitos separados por dos espacios"
_PHRASES = {
    _UUID_PATTERN: _UUID,
    f"({_UUID_PATTERN})|([0-9]{{3}}-[0-9]{{2}}-[0-9]{{9}})": f"{_UUID}, o 3, 2 y 9 dígitos separados por guiones",
    f"{_UUID_PATTERN}|[A-Za-z0-9,#,+,%,(&) ]{{6,40}}": f"{_UUID}, o de 6 a 40 letras, dígitos, espacios o #+%(&),",
    "[C]{3}[a-f0-9A-F]{5}-[a-f0-9A-F]{4}-[a-f0-9A-F]{4}-[a-f0-9A-F]{4}-[a-f0-9A-F]{12}": (
        "CCC y 29 dígitos hexadecimales: 5, 4, 4, 4 y 12 separados por guiones"
    ),
    "(20[1-9][0-9])-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])": _DATE_TIME,
    "(19[0-9]{2}|20[0-9]{2})": "un año de 1900 a 2099",
    "(OR|DE)[0-9]{6}": "OR o DE y 6 dígitos",
    "OR[0-9]{6}": "OR y 6 dígitos",
    "DE[0-9]{6}": "DE y 6 dígitos",
    "IMO[0-9]{7}": "IMO y 7 dígitos",
    "PE-[0-9]{2}-[0-9]{5}": "PE, 2 y 5 dígitos separados por guiones",
    "([0-9]{1,3}[/]){2}([0-9]{1,3})(cm|plg)": "tres medidas de 1 a 3 dígitos separadas por «/» y la unidad cm o plg",
    "[0-9]{2}[/]{1}[0-9]{2}[/]{1}[0-9]{2}cm|[0-9]{2}[/]{1}[0-9]{2}[/]{1}[0-9]{2}plg": (
        "tres medidas de 2 dígitos separadas por «/» y la unidad cm o plg"
    ),
    "([A-Z]|[0-9]|-){5,11}": "de 5 a 11 letras mayúsculas, dígitos o guiones",
    "([A-Z]|[0-9]|-|){5,10}": "de 5 a 10 letras mayúsculas, dígitos o guiones",
    "P(([1-9][0-9]{0,3})|0)W|P([1-9][0-9]?Y)?(([1-9]|1[012])M)?(0|[1-9]|[12][0-9]|3[01])D": (
        "una antigüedad en semanas, como P26W, o en años, meses y días, como P1Y2M3D"
    ),
    "[0-9]{2}  [0-9]{2}  [0-9]{4}  [0-9]{7}": _PEDIMENTO,
    "[0-9a-zA-Z]{1,150}": "de 1 a 150 letras sin acento o dígitos",
    "[0-9a-zA-Z]{1,20}": "de 1 a 20 letras sin acento o dígitos",
    "\\d{1,3}\\.\\d{1,6}": "un número de 1 a 3 enteros, con 1 a 6 decimales",
    "[0-9a-zA-Z]{5}": "5 letras sin acento o dígitos",
    "[0-9|]{6,7}": "de 6 a 7 dígitos",
    "[0-9]+": "un número entero",
    "[1-9][0-9]{0,2}": "un número entero de 1 a 999",
    "(([1-9][0-9]{0,4})|[0])(.[0-9]{3})?": "un número de hasta 5 enteros, sin decimales o con 3",
    "[A-Z,Ñ]{3}": "3 letras mayúsculas",
    "[A-ZÑ&]{3}[0-9]{2}[0-1][0-9][0-3][0-9][A-Z0-9]?[A-Z0-9]?[0-9A-Z]-(18|19|20)\\d\\d(0[1-9]|1[012])"
    "(0[1-9]|[12][0-9]|3[01])-[0-9]{3}": "el RFC de una persona moral, una fecha AAAAMMDD y 3 dígitos separados por "
    "guiones",
}
_PUNCTUATED = "([A-Z]|[a-z]|[0-9]| |Ñ|ñ|!|\"|%|&|'|´|-|:|;|>|=|<|@|_|,|\\{|\\}|`|~|á|é|í|ó|ú|Á|É|Í|Ó|Ú|ü|Ü){1,150}"
_ANY_TEXT = re.compile(r"\[\^\|\]\{(\d+),(\d+)\}")
_PLATE = re.compile(r"\[\^\(\?!\.\*\\s\)-\]\{(\d+),(\d+)\}")
_DIGITS = re.compile(r"\[0-9\]\{(\d+)(?:,(\d+))?\}")
_AMOUNT = re.compile(
    r"(?P<sign>-\?)?\[0-9\]\{1,(?P<whole>\d+)\}\(\.\(?\[0-9\]\{(?P<least>\d+)(?:,(?P<most>\d+))?\}"
    r"(?P<more>\|\\\.\[0-9\]\+)?\)?\)(?P<optional>\?)?"
)


@dataclass(frozen=True, slots=True)
class ValueType:
    """The simple type of an attribute or element.

    Attributes:
        base: local name of the built-in type, such as `decimal`.
        patterns: patterns of the type.
        values: values of its enumeration.
        facets: values of the other facets by name, such as `maxLength`.
        fixed: the only value, when the declaration has one.
    """

    base: str = "string"
    patterns: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    facets: dict[str, str] = field(default_factory=dict)
    fixed: str | None = None

    @property
    def expected_value(self) -> str | None:
        """The value that the type requires, None when it accepts several."""
        if self.fixed is not None:
            return self.fixed
        return self.values[0] if len(self.values) == 1 else None

    @property
    def phrase(self) -> str:
        """What the type accepts, in Spanish."""
        if self.expected_value is not None:
            return self.expected_value
        if self.values:
            more = " u otro de su catálogo" if len(self.values) > MAX_LISTED else ""
            return f"uno de estos valores: {', '.join(self.values[:MAX_LISTED])}{more}"
        main = pattern_phrase(self.patterns[-1], self.facets) if self.patterns else self._base_phrase()
        return ", ".join([main, *self._bounds()])

    def _base_phrase(self) -> str:
        name = _BASES.get(self.base, BY_SCHEMA)
        length = length_phrase(self.facets)
        if self.base == "string" and length:
            return length
        digits = self.facets.get("fractionDigits")
        if digits is not None and self.base == "decimal":
            name += " sin decimales" if digits == "0" else f" de hasta {digits} decimales"
        return f"{name} de {length.removeprefix('de ')}" if length else name

    def _bounds(self) -> list[str]:
        texts = []
        for facet, words in _BOUNDS.items():
            if facet in self.facets and not (facet == "minInclusive" and _is_zero(self.facets[facet])):
                texts.append(words.format(self.facets[facet]))
        if _is_zero(self.facets.get("minInclusive", "")) and not any("de hasta" in text for text in texts):
            texts.append("no negativo")
        if "totalDigits" in self.facets:
            texts.append(f"con a lo más {self.facets['totalDigits']} dígitos")
        return texts


_BOUNDS = {
    "minInclusive": "desde {}",
    "minExclusive": "mayor que {}",
    "maxInclusive": "hasta {}",
    "maxExclusive": "menor que {}",
}


def _is_zero(text: str) -> bool:
    return bool(text) and not text.strip("0.")


def pattern_phrase(pattern: str, facets: dict[str, str]) -> str:
    """Return what a pattern accepts, in Spanish; `BY_SCHEMA` for one that is unknown.

    Args:
        pattern: pattern of a schema.
        facets: other facets of the type; its lengths may be narrower than those of the pattern.
    """
    if pattern in _PHRASES:
        return _PHRASES[pattern]
    if pattern == _PUNCTUATED:
        return "de 1 a 150 letras, dígitos, espacios o signos de puntuación"
    for form, words in ((_ANY_TEXT, ", sin «|»"), (_PLATE, ", sin espacios ni guiones")):
        if (matched := form.fullmatch(pattern)) is not None:
            least, most = int(matched[1]), int(matched[2])
            narrowed = {
                "minLength": str(max(least, int(facets.get("minLength", least)))),
                "maxLength": str(min(most, int(facets.get("maxLength", most)))),
            }
            return length_phrase(narrowed) + words
    if (matched := _DIGITS.fullmatch(pattern)) is not None:
        return f"{matched[1]} dígitos" if matched[2] is None else f"de {matched[1]} a {matched[2]} dígitos"
    if (matched := _AMOUNT.fullmatch(pattern)) is not None:
        return _amount_phrase(matched)
    return _shaped_phrase(pattern)


def _amount_phrase(amount: re.Match[str]) -> str:
    sign = " con o sin signo," if amount["sign"] else ""
    if amount["more"]:
        return f"un número{sign} de hasta {amount['whole']} enteros"
    decimals = amount["most"] or amount["least"]
    if amount["optional"]:
        return f"un número{sign} de hasta {amount['whole']} enteros y {decimals} decimales"
    least = amount["least"] if amount["least"] == decimals else f"{amount['least']} a {decimals}"
    return f"un número{sign} de hasta {amount['whole']} enteros, con {least} decimales"


def _shaped_phrase(pattern: str) -> str:
    """Return the phrase for RFC, CURP and dates, which the SAT writes in several ways."""
    if "[MH" in pattern or "[M,H" in pattern:
        return _CURP
    if pattern.endswith(("[0-9A]", "[0-9,A]", "[0-9,A-Z]", "[0-9,A-Z]?")):
        if pattern.startswith("XEXX010101000|"):
            return "XEXX010101000 o el RFC de una persona moral: 12 caracteres"
        for start, words in _RFC_STARTS.items():
            if pattern.startswith(start):
                return words
    if "T(([01][0-9]|2[0-3])" in pattern:
        return f"{_DATE_TIME} y diferencia con UTC, como -06:00" if "(\\+|-)" in pattern else _DATE_TIME
    if "(:[0-5][0-9]){2}" in pattern:
        return "una hora hh:mm:ss"
    return _DATE if pattern.endswith(("(0[1-9]|[12][0-9]|3[01])", "((0[1-9])|([12][0-9])|(3[01]))")) else BY_SCHEMA


_RFC_STARTS = {
    "[A-Z&Ñ]{3,4}": "un RFC: 3 o 4 letras, una fecha AAMMDD y 3 caracteres de homoclave",
    "[A-Z,Ñ,&]{3,4}": "un RFC: 3 o 4 letras, una fecha AAMMDD y 3 caracteres de homoclave",
    "[A-Z&Ñ]{3}": "el RFC de una persona moral: 12 caracteres",
    "[A-Z&Ñ]{4}": "el RFC de una persona física: 13 caracteres",
}


_TOKEN = re.compile(
    r"(?P<set>\[[^\]]+\]|\\d|\.)(?:\{(?P<least>\d+)(?:,(?P<most>\d*))?\}|(?P<any>[+*?]))?|(?P<group>\([^()]*\)\?)"
    r"|(?P<text>[^\[\](){}|.*+?\\]|\\.)"
)
_SETS = {
    "[0-9]": ("dígito", "dígitos"),
    "\\d": ("dígito", "dígitos"),
    "[A-Z]": ("letra mayúscula", "letras mayúsculas"),
    "[a-zA-Z]": ("letra", "letras"),
    "[A-Za-z]": ("letra", "letras"),
}
_OTHERS = ("letra o dígito", "letras o dígitos")


def format_phrase(pattern: str) -> str:
    """Return the form that a pattern of a catalog describes, in Spanish: `5 dígitos, o 5 dígitos, «-», 4 dígitos`."""
    bare = pattern.removeprefix("(").removesuffix(")") if pattern.count("(") == 1 and pattern.endswith(")") else pattern
    return " o ".join(_form_phrase(form) for form in bare.removeprefix("^").removesuffix("$").split("|"))


def _form_phrase(form: str) -> str:
    parts: list[str] = []
    literal = position = 0
    while position < len(form):
        token = _TOKEN.match(form, position)
        if token is None:
            return BY_SCHEMA
        position = token.end()
        if token["text"] is not None and literal:
            parts[-1] = f"{parts[-1][:-1]}{token['text'][-1]}»"
        elif token["text"] is not None:
            parts.append(f"«{token['text'][-1]}»")
        elif token["group"] is not None:
            parts.append(f"y opcionalmente {_form_phrase(token['group'][1:-2])}")
        else:
            parts.append(_set_phrase(token))
        literal = token["text"] is not None
    return ", ".join(parts)


def _set_phrase(token: re.Match[str]) -> str:
    one, several = _SETS.get(token["set"], _OTHERS)
    least, most = token["least"], token["most"]
    if token["any"] is not None:
        return {"?": f"a lo más 1 {one}", "*": several, "+": f"al menos 1 {one}"}[token["any"]]
    if most is None or least == most:
        return f"{least or 1} {one if least in (None, '1') else several}"
    return f"de {least} a {most} {several}" if most else f"al menos {least} {several}"


def length_phrase(facets: dict[str, str]) -> str:
    """Return the length that the facets require, such as `de 1 a 25 caracteres`; empty when they require none."""
    exact, least, most = facets.get("length"), facets.get("minLength"), facets.get("maxLength")
    if least is not None and least == most:
        exact = least
    if exact is not None:
        return f"{exact} {_characters(exact)}"
    if least is not None and most is not None:
        return f"de {least} a {most} caracteres"
    if least is not None:
        return f"al menos {least} {_characters(least)}"
    return f"a lo más {most} {_characters(most)}" if most is not None else ""


def _characters(count: str) -> str:
    return "carácter" if count == "1" else "caracteres"


def names_phrase(names: Sequence[str]) -> str:
    """Return a list of names in Spanish: `Emisor`, `Impuestos o Complemento`."""
    return " o ".join(filter(None, (", ".join(names[:-1]), names[-1])))
