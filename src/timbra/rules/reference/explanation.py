"""Explanation of a code: message, facts, cause, remedy, and the example documents of a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from timbra.messages.causes import SEALS, Cause, service_codes
from timbra.messages.codes import FINDING_CODES, printed_code
from timbra.messages.literal import LITERAL
from timbra.rules.engine.rule import AnyRule, NotImplementedRow
from timbra.rules.reference.causes import cause_of
from timbra.rules.reference.lookup import PUBLIC_CODE, ROOT, example_of, facts, reported_with, rows
from timbra.rules.reference.messages import RULES, full_message

if TYPE_CHECKING:
    from timbra.examples.codes.example import Example

DETAIL = "{detail}"
_SEVERAL = Cause(
    "El documento no cumple uno de los requisitos que se informan con este código.",
    "El hallazgo dice el lugar y lo que se esperaba; explique el requisito de ese lugar por su código completo.",
)
_GENERAL = Cause(
    "El documento no cumple lo que el mensaje exige.",
    "Corrija el documento en el lugar del hallazgo y séllelo otra vez.",
)


@dataclass(frozen=True, slots=True)
class Explanation:
    """One meaning of a code.

    Attributes:
        code: the code, with the name after the colon.
        message: what callers read, with the code.
        facts: Spanish labels and values.
        cause: why the service answers with it, in Spanish.
        remedy: what the caller does, in Spanish.
        example: the documents of a rule; None without them.
        requirements: code, path and sentence of each requirement that is reported with this code.
    """

    code: str
    message: str
    facts: tuple[tuple[str, str], ...]
    cause: str
    remedy: str
    example: Example | None = field(default=None, repr=False)
    requirements: tuple[tuple[str, str, str], ...] = ()


def explanations(code: str) -> list[Explanation]:
    """Return every meaning of a code, those of other rules that are reported as this code included.

    Args:
        code: a code as `timbra.rules.reference.codes.find_code` returns it; others have no explanation.
    """
    found = _of_rules(code, rows(code)) + [_of_row(rule) for rule in reported_with(code)]
    with_code = [each for each in service_codes() if code in (each.code, printed_code(each.message))]
    for each in sorted(with_code, key=lambda each: each.code != code):
        message = each.message.replace(DETAIL, "…")
        public = FINDING_CODES.get(each.code)
        values = (("Respuesta", each.context), *(((PUBLIC_CODE, public),) if public else ()))
        found.append(Explanation(each.code, message, values, each.cause, each.remedy))
    if not found and code in RULES:
        found.append(Explanation(code, full_message(code), (), *SEALS.get(code, _GENERAL)))
    return found


def _of_rules(code: str, found: Sequence[AnyRule | NotImplementedRow]) -> list[Explanation]:
    if len(found) > 1:
        requirements = tuple((row.code, row.at or ROOT, row.says) for row in found)
        display_code = found[0].code.partition(":")[0]
        return [Explanation(code, full_message(display_code), (), *_SEVERAL, requirements=requirements)]
    return [_of_row(row) for row in found]


def _of_row(row: AnyRule | NotImplementedRow) -> Explanation:
    display_code = row.code.partition(":")[0]
    values = facts(row)
    if display_code in LITERAL or RULES.get(display_code) != row.says:
        values.insert(0, ("Exige", row.says))
    example = None if isinstance(row, NotImplementedRow) else example_of(row)
    cause = SEALS.get(row.code) or cause_of(row, example)
    return Explanation(row.code, full_message(display_code), tuple(values), *cause, example=example)
