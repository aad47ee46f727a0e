"""Spanish messages for libxml2's schema errors.

libxml2 reports an error type and an English sentence that contains the values; both are parsed. A type or sentence that
is unknown here is quoted inside the Spanish message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from timbra.cfdi.structure.errors import SchemaError

MAX_VALUE_LENGTH = 80
_HEAD = re.compile(
    r"Element '(?:\{[^}]*\})?(?P<element>[^']*)'(?:, attribute '(?P<attribute>[^']*)')?: (?P<rest>.*)", re.S
)
_FACET = re.compile(r"\[facet '\w+'\] (?P<rest>.*)", re.S)
_EXPECTED = re.compile(r"Expected is (?:one of )?\( (?P<names>.*) \)", re.S)
_CLARK = re.compile(r"\{(?P<namespace>[^}]*)\}")

_VALUED = {
    "SCHEMAV_CVC_PATTERN_VALID": (
        r"The value '(?P<value>.*)' is not accepted by the pattern '(?P<limit>.*)'\.",
        "el valor {value} no cumple el patrón {limit}",
    ),
    "SCHEMAV_CVC_LENGTH_VALID": (
        r"The value '(?P<value>.*)' has a length of '(?P<found>\d+)'; .* length of '(?P<limit>\d+)'\.",
        "el valor {value} tiene {found} caracteres y deben ser {limit}",
    ),
    "SCHEMAV_CVC_MINLENGTH_VALID": (
        r"The value '(?P<value>.*)' has a length of '(?P<found>\d+)'; .* length of '(?P<limit>\d+)'\.",
        "el valor {value} tiene {found} caracteres y el mínimo es {limit}",
    ),
    "SCHEMAV_CVC_MAXLENGTH_VALID": (
        r"The value '(?P<value>.*)' has a length of '(?P<found>\d+)'; .* length of '(?P<limit>\d+)'\.",
        "el valor {value} tiene {found} caracteres y el máximo es {limit}",
    ),
    "SCHEMAV_CVC_MININCLUSIVE_VALID": (
        r"The value '(?P<value>.*)' is less than the minimum value allowed \('(?P<limit>.*)'\)\.",
        "el valor {value} es menor que el mínimo {limit}",
    ),
    "SCHEMAV_CVC_MAXINCLUSIVE_VALID": (
        r"The value '(?P<value>.*)' is greater than the maximum value allowed \('(?P<limit>.*)'\)\.",
        "el valor {value} es mayor que el máximo {limit}",
    ),
    "SCHEMAV_CVC_MINEXCLUSIVE_VALID": (
        r"The value '(?P<value>.*)' must be greater than '(?P<limit>.*)'\.",
        "el valor {value} debe ser mayor que {limit}",
    ),
    "SCHEMAV_CVC_MAXEXCLUSIVE_VALID": (
        r"The value '(?P<value>.*)' must be less than '(?P<limit>.*)'\.",
        "el valor {value} debe ser menor que {limit}",
    ),
    "SCHEMAV_CVC_FRACTIONDIGITS_VALID": (
        r"The value '(?P<value>.*)' has more fractional digits than are allowed \('(?P<limit>\d+)'\)\.",
        "el valor {value} tiene más de {limit} decimales",
    ),
    "SCHEMAV_CVC_TOTALDIGITS_VALID": (
        r"The value '(?P<value>.*)' has more digits than are allowed \('(?P<limit>\d+)'\)\.",
        "el valor {value} tiene más de {limit} dígitos",
    ),
    "SCHEMAV_CVC_ENUMERATION_VALID": (
        r"The value '(?P<value>.*)' is not an element of the set \{(?P<limit>.*)\}\.",
        "el valor {value} no es uno de los permitidos: {limit}",
    ),
    "SCHEMAV_CVC_DATATYPE_VALID_1_2_1": (
        r"'(?P<value>.*)' is not a valid value of the (?:local )?atomic type(?: '(?P<limit>.*)')?\.",
        "el valor {value} no es del tipo que el esquema exige{of_type}",
    ),
    "SCHEMAV_CVC_AU": (
        r"The value '(?P<value>.*)' does not match the fixed value constraint '(?P<limit>.*)'\.",
        "el valor {value} debe ser {limit}",
    ),
}
_COMPILED = {kind: (re.compile(pattern, re.S), sentence) for kind, (pattern, sentence) in _VALUED.items()}
_MISSING_ATTRIBUTE = re.compile(r"The attribute '(?P<name>[^']*)' is required but missing\.")


def attribute_and_message(error: SchemaError, prefixes: Mapping[str, str]) -> tuple[str, str]:
    """Translate an error.

    Args:
        error: error of libxml2.
        prefixes: the SAT's prefixes by namespace.

    Returns:
        The name of the attribute, empty for an error of the element itself, and the Spanish sentence.
    """
    head = _HEAD.fullmatch(error.message)
    if head is None:
        return "", _unknown(error.message)
    attribute, rest = head["attribute"] or "", head["rest"]
    if error.kind == "SCHEMAV_CVC_COMPLEX_TYPE_4" and (missing := _MISSING_ATTRIBUTE.fullmatch(rest)):
        return missing["name"], f"Falta el atributo requerido {missing['name']}."
    if error.kind == "SCHEMAV_CVC_COMPLEX_TYPE_3_2_1":
        return attribute, f"El atributo {attribute} no está permitido en {head['element']}."
    if error.kind in _COMPILED:
        return attribute, _valued(error.kind, attribute or head["element"], rest)
    return attribute, _content(error.kind, head["element"], rest, prefixes)


def _valued(kind: str, name: str, rest: str) -> str:
    pattern, sentence = _COMPILED[kind]
    facet = _FACET.fullmatch(rest)
    matched = pattern.fullmatch(facet["rest"] if facet else rest)
    if matched is None:
        return _unknown(rest)
    values = {key: _quoted(value) if key == "value" else (value or "") for key, value in matched.groupdict().items()}
    limit = values.get("limit", "")
    of_type = f" ({_CLARK.sub('', limit)})" if limit else ""
    return f"{name}: " + sentence.format(**values, of_type=of_type) + "."


def _content(kind: str, element: str, rest: str, prefixes: Mapping[str, str]) -> str:
    """Return the sentence for an error of the content of an element."""
    expected = _expected(rest, prefixes)
    if kind == "SCHEMAV_ELEMENT_CONTENT" and rest.startswith("This element is not expected"):
        return f"El elemento {element} no se esperaba aquí{expected}."
    if kind == "SCHEMAV_ELEMENT_CONTENT" and rest.startswith("Missing child element(s)"):
        return f"Al elemento {element} le faltan elementos{expected}."
    if kind in ("SCHEMAV_CVC_COMPLEX_TYPE_2_3", "SCHEMAV_CVC_COMPLEX_TYPE_2_1") and "haracter content" in rest:
        return f"El elemento {element} no puede contener texto."
    if kind == "SCHEMAV_CVC_COMPLEX_TYPE_2_1":
        return f"El elemento {element} no puede contener otros elementos."
    if kind == "SCHEMAV_CVC_ELT_1":
        return f"El elemento {element} no existe en su estándar."
    return _unknown(rest)


def _expected(rest: str, prefixes: Mapping[str, str]) -> str:
    matched = _EXPECTED.search(rest)
    if matched is None:
        return ""
    names = [_prefixed(name, prefixes) for name in matched["names"].split(", ")]
    return f"; se esperaba {names[0]}" if len(names) == 1 else f"; se esperaba alguno de: {', '.join(names)}"


def _prefixed(name: str, prefixes: Mapping[str, str]) -> str:
    return _CLARK.sub(lambda found: f"{prefixes[found['namespace']]}:" if found["namespace"] in prefixes else "", name)


def _quoted(value: str) -> str:
    return f"'{value if len(value) <= MAX_VALUE_LENGTH else value[:MAX_VALUE_LENGTH] + '…'}'"


def _unknown(message: str) -> str:
    return f"No cumple el esquema: {message.strip()}"
