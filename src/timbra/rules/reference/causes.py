"""Cause and remedy of each rule, from its record: sentence, place, lists, and the difference of its example.

The cause is the sentence of the rule as it is violated. The remedy is the change that makes the failing document of the
rule satisfy it.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from timbra.messages.causes import Cause
from timbra.rules.engine.profiles import CONFIRMATION_RULES
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import AnyRule, NotImplementedRow
from timbra.rules.reference.differences import Difference, differences
from timbra.rules.reference.lookup import ROOT, STATES, rule_set_of

if TYPE_CHECKING:
    from timbra.examples.codes.example import Example

_NEGATIONS = {
    "no debe existir": "existe",
    "no deben existir": "existen",
    "no debe haber": "hay",
    "no debe haberse": "se ha",
    "no debe llevar": "lleva",
    "no deben llevar": "llevan",
    "no debe tener": "tiene",
    "no debe ser": "es",
    "no debe exceder": "excede",
    "no debe repetirse": "se repite",
    "no debe declararse": "se declara",
    "debe ser": "no es",
    "deben ser": "no son",
    "debe existir": "no existe",
    "deben existir": "no existen",
    "debe haber": "no hay",
    "debe llevar": "no lleva",
    "deben llevar": "no llevan",
    "debe tener": "no tiene",
    "deben tener": "no tienen",
    "debe estar": "no está",
    "deben estar": "no están",
    "debe corresponder": "no corresponde",
    "deben corresponder": "no corresponden",
    "debe coincidir": "no coincide",
    "debe aplicar": "no aplica",
    "debe desglosar": "no desglosa",
    "debe contener": "no contiene",
    "debe incluir": "no incluye",
    "debe indicar": "no indica",
    "debe declararse": "no se declara",
    "debe verificar": "no verifica",
    "debe sumar": "no suma",
    "requiere": "no tiene",
}
"""Verbs of the sentences, and how a violation is told."""
_VERBS = re.compile(rf"\b(?:{'|'.join(sorted(_NEGATIONS, key=len, reverse=True))})\b")
_SEVERAL = re.compile(r"\bdeben?\b.*\bdeben?\b|\bsolo\b|\bning[úu]n|\bnadie\b|, y (?:no|ninguno)\b|\by no\b")
"""A sentence of several requirements, whose violation is not told by one verb."""
_STATED = re.compile(r"\bno (?:está|es|tiene|corresponde|verifica)\b|\bestá revocado\b")
"""A sentence of the SAT that tells the violation itself."""
_NONE_MUST = re.compile(r"\bning[úu]n(a)? (\w+) debe llevar\b")
_VALUE = re.compile(r"(?<!no )\bdebe ser (?:igual a )?(?P<value>[^;]+?)(?:, (?:cuando|si|salvo) .*)?\.$")
_CATALOG = re.compile(r"\bc_[A-Za-z_]+")
_CONDITION = re.compile(r"^((?:Con|Sin|En|Si|Cuando) [^,]+), ")
_REGISTERED = re.compile(r"l_RFC|RFC inscritos|registrad|inscrit")
_CONSTANCIA = {
    "Nombre": "el nombre, sin el régimen de capital,",
    "Domicilio": "el código postal del domicilio fiscal",
    "Regimen": "una clave de su régimen fiscal",
    "Rfc": "el RFC",
    "RFC": "el RFC",
}
"""What the Constancia de Situación Fiscal has, by the start of an attribute's name."""
_LISTS = frozenset({"l_RFC", "LCO", "L_CNE"})
_WITHDRAWN = ("3.3",)
_NOT_AGAIN = " Un CFDI 3.3 ya no se timbra: para emitirlo otra vez, use la versión 4.0."
_SEAL_AGAIN = "y selle otra vez el documento"


def cause_of(row: AnyRule | NotImplementedRow, example: Example | None) -> Cause:
    """Return cause and remedy of a rule or row.

    Args:
        example: the documents of the rule; None when it has none.
    """
    place = row.at or ROOT
    if isinstance(row, NotImplementedRow):
        return Cause(
            f"Este servidor no evalúa el código: {row.reason}. La fila pide: {row.says}",
            f"Otro proveedor puede responder con él: revise {place} según la norma.",
        )
    changed = _change_at(row, example)
    again = _NOT_AGAIN if rule_set_of(row).versions == _WITHDRAWN else ""
    if row.code in CONFIRMATION_RULES["limits"]:
        return Cause(
            f"{violation(row.says)} El SAT no ha habilitado la regla; este servidor la evalúa según "
            f"TIMBRA_CONFIRMATIONS.{_example_of(changed)}",
            "Pida al proveedor una clave de confirmación para el emisor (en un ambiente de pruebas: timbra "
            f"confirmation issue RFC), y úsela en un solo comprobante que la requiera, o corrija {place}.{again}",
        )
    if row.severity in (Severity.SUSPENDED, Severity.INACTIVE):
        return Cause(
            f"Ningún documento recibe este código: está {STATES[row.severity]}. La regla pide: {row.says}",
            f"No hace falta nada en {place}.{again}",
        )
    effect = " Es un aviso: no rechaza el documento." if row.severity is Severity.WARNING else ""
    return Cause(f"{violation(row.says)}{_example_of(changed)}{effect}", f"{_remedy(row, changed)}{again}")


def violation(says: str) -> str:
    """Return the sentence of a rule as a document violates it: `Total no es SubTotal menos descuentos ...`."""
    none = _NONE_MUST.search(says)
    if none is not None:
        return _NONE_MUST.sub(rf"algun{none[1] or ''} {none[2]} lleva".replace("algun ", "algún "), says, count=1)
    if _STATED.search(says) and "debe" not in says:
        return says
    verb = _VERBS.search(says)
    if verb is None or _SEVERAL.search(says):
        return f"No se cumple lo siguiente: {says}"
    rest = says[verb.end() :]
    if verb[0].startswith("no "):
        rest = rest.replace(" ni ", " o ")
    return f"{says[: verb.start()]}{_NEGATIONS[verb[0]]}{rest}"


def _change_at(row: AnyRule, example: Example | None) -> Difference | None:
    """Return the difference of the example's documents at the place of the rule, the nearest one when none is there."""
    if example is None:
        return None
    found = differences(example.passing(), example.failing())
    return max(found, key=lambda each: _steps_in_common(each.path, row.at), default=None)


def _steps_in_common(path: str, at: str) -> int:
    pairs = zip(re.sub(r"\[\d+\]", "", path).split("/"), at.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _example_of(changed: Difference | None) -> str:
    if changed is None or not changed.path:
        return ""
    if changed.failing is None:
        return f" En el ejemplo falta {changed.path}, que en el documento correcto es {_quoted(changed.passing)}."
    if changed.passing is None:
        return f" En el ejemplo sobra {changed.path}: {_quoted(changed.failing)}."
    return f" En el ejemplo, {changed.path} dice {_quoted(changed.failing)} en lugar de {_quoted(changed.passing)}."


def _quoted(value: str | None) -> str:
    return f"«{value or ''}»"


def _remedy(row: AnyRule, changed: Difference | None) -> str:
    place = row.at or ROOT
    lists = sorted(_LISTS.intersection(row.needs))
    remedy = f"{_action(row, changed, place)} {_SEAL_AGAIN}."
    if lists:
        remedy += f" Si el dato es correcto, importe una lista reciente ({', '.join(lists)})."
    return remedy


def _action(row: AnyRule, changed: Difference | None, place: str) -> str:
    condition = _CONDITION.match(row.says)
    when = f"{condition[1]}, " if condition else ""
    name = place.rpartition("@")[2]
    if _REGISTERED.search(row.says) and "l_RFC" in row.needs:
        data = next((text for start, text in _CONSTANCIA.items() if name.startswith(start)), f"el valor de {name}")
        return f"Pida a la persona su Constancia de Situación Fiscal, copie en {place} {data} tal como está en ella"
    catalogs = dict.fromkeys((*_CATALOG.findall(row.says), *(catalog for catalog, _ in row.columns)))
    value = _VALUE.search(row.says)
    if catalogs and (changed is None or changed.failing is not None):
        names = " y ".join(each.rpartition(":")[2] for each in catalogs)
        wanted = value["value"] if value is not None else f"un valor que cumpla con {names}"
        return _capital(f"{when}escriba en {place} {wanted}, según {names} en la fecha del documento{_like(changed)},")
    if changed is not None and changed.path and changed.passing is None:
        return _capital(f"{when}quite {_bare(changed.path)},")
    if changed is not None and changed.path and changed.failing is None:
        return _capital(f"{when}agregue {_bare(changed.path)}{_like(changed)},")
    if value is not None:
        wanted = value["value"]
        if wanted.startswith(("mayor", "menor", "distint")):
            wanted = f"un valor {wanted}"
        example = "" if changed is not None and changed.passing == wanted else _like(changed)
        return _capital(f"{when}escriba en {place} {wanted}{example},")
    if violation(row.says) == row.says:
        return f"Corrija {place}{_like(changed)}"
    if changed is not None and changed.path:
        return f"Cambie {_bare(changed.path)}{_like(changed)} para que se cumpla «{row.says.rstrip('.')}»,"
    return f"Revise {place} para que se cumpla «{row.says.rstrip('.')}»,"


def _like(changed: Difference | None) -> str:
    if changed is None or not changed.passing or not changed.path:
        return ""
    if changed.passing.startswith("<"):
        return f" (en el ejemplo, {_quoted(changed.passing)})"
    return f" (en el ejemplo, {changed.passing})"


def _bare(path: str) -> str:
    return re.sub(r"\[1\]", "", path)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
